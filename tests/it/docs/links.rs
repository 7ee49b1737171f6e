//! Every link inside the documentation leads somewhere, and so does every file that it names.

use std::path::Path;

use cutline::fs::workspace::lexical;

use super::page;

/// Folders of files that pages name with their full path.
const NAMED: [&str; 9] =
    ["docs/", "core/", "tests/", "src/", "fixtures/", "benches/", "fuzz/", "packaging/", ".ci/"];
/// Extensions of such files.
const ENDINGS: [&str; 8] = [".rs", ".md", ".json", ".jsonl", ".toml", ".py", ".sh", ".mjs"];

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
            let there = pages.iter().find(|other| Path::new(&other.path) == path);
            let is_anchored = || there.is_some_and(|there| there.anchors.iter().any(|one| one == anchor));
            assert!(anchor.is_empty() || is_anchored(), "{place}: {target}");
        }
    }
    assert!(seen > 20, "{seen} links were seen");
}

#[test]
fn named_files_exist() {
    let mut seen = 0;
    for (place, code) in page::all().iter().flat_map(|page| &page.code) {
        let is_path = NAMED.iter().any(|folder| code.starts_with(folder))
            && ENDINGS.iter().any(|ending| code.ends_with(ending))
            // `TOOL` and `*` are placeholders. Text with a space is an example of a result.
            && !code.contains(|c: char| c.is_ascii_uppercase() || c == '*' || c == ' ');
        if is_path {
            seen += 1;
            assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(code).exists(), "{place}: {code}");
        }
    }
    assert!(seen > 20, "{seen} names were seen");
}

/// Headings that become the same anchor can't both be reached.
#[test]
fn headings_of_page_are_unique() {
    for mut page in page::all() {
        let before = page.anchors.len();
        page.anchors.sort();
        page.anchors.dedup();
        assert_eq!(page.anchors.len(), before, "{}: two headings are alike", page.path);
    }
}
