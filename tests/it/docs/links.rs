//! Every link inside the documentation leads somewhere, and so does every file that it names.

use std::path::{Path, PathBuf};

use super::page;

/// Folders whose files a page names by their whole path.
const NAMED: [&str; 9] =
    ["docs/", "core/", "tests/", "src/", "fixtures/", "benches/", "fuzz/", "packaging/", ".ci/"];
/// Extensions of such files.
const ENDINGS: [&str; 8] = [".rs", ".md", ".json", ".jsonl", ".toml", ".py", ".sh", ".mjs"];

#[test]
fn links_resolve() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = page::all();
    let (mut seen, mut broken) = (0, Vec::new());
    for page in &pages {
        let folder = Path::new(&page.path).parent().unwrap();
        for (place, target) in page.links() {
            if target.contains("://") {
                continue;
            }
            seen += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target.as_str(), ""));
            let path = if file.is_empty() { PathBuf::from(&page.path) } else { plain(&folder.join(file)) };
            let there = top.join(&path).exists();
            let other = pages.iter().find(|other| Path::new(&other.path) == path);
            let anchored =
                anchor.is_empty() || other.is_some_and(|other| other.anchors().contains(&anchor.to_owned()));
            if !there || !anchored {
                broken.push(format!("{place}: {target}"));
            }
        }
    }
    assert!(seen > 20, "{seen} links were seen");
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn named_files_exist() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut seen, mut missing) = (0, Vec::new());
    for (place, code) in page::all().iter().flat_map(page::Page::code) {
        let is_path = NAMED.iter().any(|folder| code.starts_with(folder))
            && ENDINGS.iter().any(|ending| code.ends_with(ending))
            // `TOOL` and `*` stand for others; a space is an example of an answer.
            && !code.contains(|c: char| c.is_ascii_uppercase() || c == '*' || c == ' ');
        if is_path {
            seen += 1;
            if !top.join(&code).exists() {
                missing.push(format!("{place}: {code}"));
            }
        }
    }
    assert!(seen > 20, "{seen} names were seen");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Headings that become the same anchor can't both be reached.
#[test]
fn headings_of_page_are_unique() {
    for page in page::all() {
        let mut anchors = page.anchors();
        anchors.sort();
        let before = anchors.len();
        anchors.dedup();
        assert_eq!(anchors.len(), before, "{}: two headings are alike", page.path);
    }
}

fn plain(path: &Path) -> PathBuf {
    cutline::fs::workspace::lexical(path)
}
