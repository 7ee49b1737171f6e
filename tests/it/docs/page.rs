//! A page of documentation, read: its blocks, its code, its links, its headings.
//!
//! Of Markdown it knows what these pages use: fences of three backticks, code in single ones, `#`
//! headings, and links written in place.

use std::fs;
use std::path::Path;

/// Folders with pages, beside those at the top.
const FOLDERS: [&str; 3] = ["docs", "fixtures", "packaging"];
/// Marks around a command whose output is the next block.
const SHOWS: (&str, &str) = ("<!-- shows: ", " -->");

/// A page.
#[derive(Debug)]
pub(super) struct Page {
    /// From the top of the repository.
    pub(super) path: String,
    /// Its lines outside the blocks, with their numbers.
    pub(super) lines: Vec<(usize, String)>,
    /// Its fenced blocks.
    pub(super) blocks: Vec<Block>,
}

/// A fenced block.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// `README.md:12`.
    pub(super) place: String,
    /// The word after the fence: `sh`, `console`, `json`, `toml`, `text` or none.
    pub(super) kind: String,
    /// The command whose output it is said to be.
    pub(super) shows: Option<String>,
    /// Its lines.
    pub(super) lines: Vec<String>,
}

/// All pages, by path.
pub(super) fn all() -> Vec<Page> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(top, false, &mut paths);
    FOLDERS.iter().map(|folder| top.join(folder)).for_each(|folder| collect(&folder, true, &mut paths));
    paths.sort();
    let name = |path: &Path| path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
    let pages: Vec<Page> =
        paths.iter().map(|path| Page::read(name(path), &fs::read_to_string(path).unwrap())).collect();
    assert!(pages.iter().any(|page| page.path == "README.md") && pages.len() > 10, "where are the pages?");
    pages
}

fn collect(folder: &Path, deeper: bool, paths: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() && deeper {
            collect(&path, true, paths);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            paths.push(path);
        }
    }
}

impl Page {
    fn read(path: String, text: &str) -> Self {
        let mut page = Self { path, lines: Vec::new(), blocks: Vec::new() };
        let (mut open, mut shows): (Option<(Block, usize)>, Option<String>) = (None, None);
        for (n, line) in (1..).zip(text.lines()) {
            let fence = line.trim_start().strip_prefix("```");
            match (open.take(), fence) {
                (Some((block, _)), Some("")) => page.blocks.push(block),
                (Some((mut block, indent)), _) => {
                    block.lines.push(line.get(indent..).unwrap_or_default().to_owned());
                    open = Some((block, indent));
                }
                (None, Some(kind)) => {
                    let (place, kind) = (format!("{}:{n}", page.path), kind.to_owned());
                    let block = Block { place, kind, shows: shows.take(), lines: Vec::new() };
                    open = Some((block, line.len() - line.trim_start().len()));
                }
                (None, None) => {
                    let command = line.strip_prefix(SHOWS.0).and_then(|rest| rest.strip_suffix(SHOWS.1));
                    if command.is_some() || !line.trim().is_empty() {
                        assert!(shows.is_none(), "{}:{n}: no block after `shows`", page.path);
                    }
                    shows = command.map(str::to_owned);
                    page.lines.push((n, line.to_owned()));
                }
            }
        }
        assert!(open.is_none(), "{}: a fence that does not end", page.path);
        page
    }

    /// Returns each code span and its place. A span goes on over a line's end.
    pub(super) fn code(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut paragraph: Vec<&(usize, String)> = Vec::new();
        for line in self.lines.iter().chain([&(0, String::new())]) {
            // Each row of a table stands for itself.
            if !line.1.trim().is_empty() && !line.1.starts_with('|') {
                paragraph.push(line);
                continue;
            }
            for rows in [paragraph.split_off(0), vec![line]] {
                let Some((n, _)) = rows.first() else { continue };
                let text = rows.iter().map(|(_, text)| text.trim()).collect::<Vec<_>>().join(" ");
                let place = format!("{}:{n}", self.path);
                found.extend(text.split('`').skip(1).step_by(2).map(|code| (place.clone(), code.to_owned())));
            }
        }
        found
    }

    /// Returns the target of each link and its place.
    pub(super) fn links(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (n, line) in &self.lines {
            // What is code is no link.
            let plain: String = line.split('`').step_by(2).collect();
            let targets = plain.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            found.extend(targets.map(|target| (format!("{}:{n}", self.path), target.to_owned())));
        }
        found
    }

    /// Its headings as the anchors that they become.
    pub(super) fn anchors(&self) -> Vec<String> {
        let headings = self.lines.iter().filter(|(_, line)| line.starts_with('#'));
        headings.map(|(_, line)| anchor(line.trim_start_matches('#').trim())).collect()
    }
}

/// A heading as the end of a link: lower case, spaces as `-`, nothing else but letters, digits, `-` and `_`.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
    heading.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}
