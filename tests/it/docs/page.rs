//! A page of documentation: its fenced blocks, code spans, links and headings.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Folders with pages, in addition to the top folder.
const FOLDERS: [&str; 3] = ["docs", "fixtures", "packaging"];
/// The start and end of a comment with the command that prints the next block.
const SHOWS: (&str, &str) = ("<!-- shows: ", " -->");

/// A page. Locations have the form `README.md:12`.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// The path relative to the root of the repository.
    pub(super) path: String,
    /// Its fenced blocks.
    pub(super) blocks: Vec<Block>,
    /// The location and text of each code span.
    pub(super) code: Vec<(String, String)>,
    /// The location and target of each link.
    pub(super) links: Vec<(String, String)>,
    /// The anchors of its headings.
    pub(super) anchors: Vec<String>,
}

/// A fenced block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) place: String,
    /// The word after the fence: `sh`, `console`, `json`, `toml`, `text` or none.
    pub(super) kind: String,
    /// The command that prints this block, according to the page.
    pub(super) shows: Option<String>,
    pub(super) text: String,
}

/// Returns all pages, sorted by path.
pub(super) fn all() -> Vec<Page> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries(top).filter(|path| path.is_file()).collect();
    let mut folders = FOLDERS.map(|folder| top.join(folder)).to_vec();
    while let Some(folder) = folders.pop() {
        let (deeper, files): (Vec<_>, Vec<_>) = entries(&folder).partition(|path| path.is_dir());
        folders.extend(deeper);
        paths.extend(files);
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    let name = |path: &Path| path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
    let pages: Vec<Page> =
        paths.iter().map(|path| Page::read(name(path), &fs::read_to_string(path).unwrap())).collect();
    assert!(
        pages.iter().any(|page| page.path == "README.md") && pages.len() > 10,
        "too few pages were found"
    );
    pages
}

/// Returns the page with this path.
pub(super) fn one(path: &str) -> Page {
    all().into_iter().find(|page| page.path == path).unwrap_or_else(|| panic!("no {path}"))
}

impl Page {
    fn read(path: String, text: &str) -> Self {
        let mut page = Self { path, ..Self::default() };
        let (mut shows, mut heading, mut is_in_block) = (None, String::new(), false);
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            let place = format!("{}:{}", page.path, 1 + text[..range.start].matches('\n').count());
            match event {
                Event::Html(html) => {
                    let command =
                        html.trim().strip_prefix(SHOWS.0).and_then(|rest| rest.strip_suffix(SHOWS.1));
                    shows = command.map(str::to_owned);
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(kind))) => {
                    is_in_block = true;
                    let (kind, text) = (kind.to_string(), String::new());
                    page.blocks.push(Block { place, kind, shows: shows.take(), text });
                }
                Event::End(TagEnd::CodeBlock) => is_in_block = false,
                Event::Start(Tag::Heading { .. }) => heading.clear(),
                Event::End(TagEnd::Heading(_)) => page.anchors.push(anchor(&heading)),
                Event::Start(Tag::Link { dest_url, .. }) => page.links.push((place, dest_url.to_string())),
                Event::Start(_) => assert!(shows.is_none(), "{place}: no block after `shows`"),
                Event::Text(part) if is_in_block => page.blocks.last_mut().unwrap().text += &part,
                Event::Text(part) => heading.extend([&*part]),
                Event::Code(code) => {
                    heading.extend([&*code]);
                    page.code.push((place, code.to_string()));
                }
                _ => {}
            }
        }
        page
    }
}

/// Returns the anchor of a heading: lower case, with `-` for spaces, and only letters, digits, `-` and `_`.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
    heading.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}
