//! The targets of all relative links and all file names in the documentation exist.

use std::path::Path;

use cutline::fs::workspace::lexical;

use super::page;

/// Pages use the full path of files in these folders.
const FOLDERS: [&str; 9] =
    ["docs/", "core/", "tests/", "src/", "fixtures/", "benches/", "fuzz/", "packaging/", ".ci/"];
/// Extensions of these files.
const EXTENSIONS: [&str; 8] = [".rs", ".md", ".json", ".jsonl", ".toml", ".py", ".sh", ".mjs"];

#[test]
fn links_resolve() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = page::all();
    let mut seen = 0;
    for page in &pages {
        for (place, target) in page.links.iter().filter(|(_, target)| !target.contains("://")) {
            seen += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let own = Path::new(&page.path);
            let path = if file.is_empty() { own } else { &lexical(&own.with_file_name(file)) };
            assert!(top.join(path).exists(), "{place}: {target}");
            let target_page = pages.iter().find(|other| Path::new(&other.path) == path);
            let is_anchored = || target_page.is_some_and(|page| page.anchors.iter().any(|one| one == anchor));
            assert!(anchor.is_empty() || is_anchored(), "{place}: {target}");
        }
    }
    assert!(seen > 20, "only {seen} links were found");
}

#[test]
fn mentioned_files_exist() {
    let mut seen = 0;
    for (place, code) in page::all().iter().flat_map(|page| &page.code) {
        let is_path = FOLDERS.iter().any(|folder| code.starts_with(folder))
            && EXTENSIONS.iter().any(|ending| code.ends_with(ending))
            // `TOOL` and `*` are placeholders. Text with a space is an example of a result.
            && !code.contains(|c: char| c.is_ascii_uppercase() || c == '*' || c == ' ');
        if is_path {
            seen += 1;
            assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(code).exists(), "{place}: {code}");
        }
    }
    assert!(seen > 20, "only {seen} names were found");
}

/// Of two headings with the same anchor, a link can reach only one.
#[test]
fn headings_of_page_are_unique() {
    for mut page in page::all() {
        let before = page.anchors.len();
        page.anchors.sort();
        page.anchors.dedup();
        assert_eq!(page.anchors.len(), before, "{}: two headings have the same anchor", page.path);
    }
}
