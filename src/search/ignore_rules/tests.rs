//! Compares ignore rules with git.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use super::*;
use crate::blocking::Threads;
use crate::search::names::{self, EntryKind, FoundEntry, NameQuery};
use crate::search::walk::{Walk, Walked};
use crate::stop::Stop;
use crate::sys;

/// Returns the files that a walk in `dir` visits, true if rules ignored anything, and the number of folders whose rules
/// were skipped.
fn search(dir: &Path, workers: usize) -> (Vec<String>, bool, u64) {
    let dir = dir.canonicalize().unwrap();
    walked(&dir, IgnoreRules::for_walk_from(&dir), workers)
}

fn walked(dir: &Path, rules: IgnoreRules, workers: usize) -> (Vec<String>, bool, u64) {
    let root = sys::open_folder(dir).unwrap();
    let (threads, stop) = (Threads::default(), Stop::default());
    let walk =
        Walk { root, rules, workers, threads, stop, has_links: Arc::default(), progress: Box::new(|_| {}) };
    let query = NameQuery { kind: EntryKind::File, ..NameQuery::default() };
    let (rules, mut files, mut skipped) = (walk.rules.clone(), Vec::new(), 0);
    names::search_tree(walk, query, |found| {
        match found {
            Walked::Found(FoundEntry { path, .. }) => files.push(String::from_utf8(path).unwrap()),
            Walked::RulesSkipped => skipped += 1,
            Walked::WorkTree(path) => files.push(format!("skipped {}", String::from_utf8(path).unwrap())),
            Walked::Searched(_) => {}
            Walked::Unreadable(_) | Walked::Late { .. } => panic!("{found:?}"),
        }
        ControlFlow::Continue(())
    });
    (files, rules.ignored_any(), skipped)
}

fn files(dir: &Path) -> (Vec<String>, bool) {
    let (files, ignored_any, skipped) = search(dir, 2);
    assert_eq!(skipped, 0);
    (files, ignored_any)
}

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    dir
}

#[test]
fn nearest_rules_decide() {
    let dir = tree(&[
        (".gitignore", "*.log\n/build/\nsub/*.tmp\n"),
        ("a.log", ""),
        ("build/x", ""),
        ("sub/build/x", ""),
        ("sub/.gitignore", "!keep.log\n"),
        ("sub/keep.log", ""),
        ("sub/b.log", ""),
        ("sub/c.tmp", ""),
        ("sub/deep/c.tmp", ""),
        ("sub/.ignore", "!b.log\n"),
    ]);
    let expected = [
        ".gitignore",
        "sub/.gitignore",
        "sub/.ignore",
        "sub/b.log",
        "sub/build/x",
        "sub/deep/c.tmp",
        "sub/keep.log",
    ];
    assert_eq!(files(dir.path()), (expected.map(str::to_owned).to_vec(), true));
}

#[test]
fn gitignore_stops_at_repository_top_and_ignore_does_not() {
    let dir = tree(&[
        (".gitignore", "*.outer\n"),
        (".ignore", "*.outest\n"),
        ("repo/.git/info/exclude", "*.excluded\n"),
        ("repo/.gitignore", "*.inner\n/sub/here\n"),
        ("repo/sub/a.outer", ""),
        ("repo/sub/a.outest", ""),
        ("repo/sub/a.inner", ""),
        ("repo/sub/a.excluded", ""),
        ("repo/sub/here", ""),
        ("plain/a.outer", ""),
        ("plain/b", ""),
    ]);
    assert_eq!(files(&dir.path().join("repo/sub")).0, ["a.outer"]);
    assert_eq!(files(&dir.path().join("plain")).0, ["b"]);
    assert_eq!(
        files(dir.path()).0,
        [".gitignore", ".ignore", "plain/b", "repo/.gitignore", "repo/sub/a.outer"]
    );
    assert_eq!(files(&dir.path().join("repo")).0, [".gitignore", "sub/a.outer"]);
}

#[test]
fn worktree_excludes_are_read() {
    let dir = tree(&[
        ("main/.git/info/exclude", "*.excluded\n"),
        ("main/.git/worktrees/w/commondir", "../..\n"),
        ("w/.git", "gitdir: ../main/.git/worktrees/w\n"),
        ("w/a.excluded", ""),
        ("w/b", ""),
    ]);
    assert_eq!(files(&dir.path().join("w")).0, ["b"]);
}

#[test]
fn linked_work_trees_inside_the_checkout_are_skipped() {
    let dir = tree(&[
        ("main/.git/worktrees/w/commondir", "../..\n"),
        ("main/w/.git", "gitdir: ../.git/worktrees/w\n"),
        ("main/w/a", ""),
        ("main/a", ""),
        ("main/module/.git", "gitdir: ../.git/modules/module\n"),
        ("main/module/a", ""),
        ("v/.git", "gitdir: ../main/.git/worktrees/v\n"),
        ("v/a", ""),
    ]);
    assert_eq!(files(&dir.path().join("main")).0, ["a", "module/a", "skipped w"]);
    assert_eq!(files(&dir.path().join("main/w")).0, ["a"]);
    assert_eq!(files(dir.path()).0, ["main/a", "main/module/a", "skipped main/w", "v/a"]);
    let all = walked(&dir.path().join("main"), IgnoreRules::none(), 2).0;
    assert_eq!(all, ["a", "module/a", "w/a"]);
}

#[test]
fn complete_search_reports_no_skipped_files() {
    let dir = tree(&[(".gitignore", "*.log\n"), ("a", ""), (".git/x.log", "")]);
    assert_eq!(files(dir.path()), (vec![".gitignore".to_owned(), "a".to_owned()], false));
}

/// Compares rules of many forms with git's results.
#[test]
fn rules_agree_with_git() {
    if Command::new("git").arg("--version").output().is_err() {
        return;
    }
    let rules = "*.o\n!keep.o\n/top\nmid/leaf\n**/any/*.x\ndir/\n\\#hash\n\\!bang\nspace\\ \nfoo*bar\n[ab].txt\na/**/z\nend/**\n# no\n\n*.tmp  \n";
    let mut paths: Vec<String> = Vec::new();
    for folder in ["", "mid/", "any/", "x/any/", "dir/", "x/dir/", "a/", "a/b/c/", "end/", "end/x/", "x/y/"] {
        for name in [
            "x.o", "keep.o", "top", "leaf", "1.x", "#hash", "!bang", "space ", "foo-bar", "a.txt", "c.txt",
            "z", "t.tmp", "A1", "a1", "AB", " x", "ax", "q:", "r[", "r:",
        ] {
            paths.push(format!("{folder}{name}"));
        }
    }
    let mut tree_files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
    tree_files.extend([
        (".gitignore", rules),
        ("x/.gitignore", "!*.o\n!dir/\n/y/top\n"),
        ("x/y/.gitignore", "*.txt\n!c.txt\n"),
    ]);
    let dir = tree(&tree_files);
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(dir.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    std::fs::write(dir.path().join(".git/info/exclude"), "c.txt\n").unwrap();
    let said = git(&["ls-files", "-z", "--others", "--exclude-standard"]);
    let said: BTreeSet<String> = said.split_terminator('\0').map(str::to_owned).collect();
    let found: BTreeSet<String> = files(dir.path()).0.into_iter().collect();
    similar_asserts::assert_eq!(found, said);
}

#[test]
fn rules_beyond_the_limits_are_skipped_for_any_number_of_workers() {
    let names = |folder: usize| {
        (0..3500).map(move |n| format!("name-{folder}-{n:04}")).collect::<Vec<_>>().join("\n")
    };
    let contents: Vec<String> = (0..8).map(names).collect();
    let mut path = String::new();
    let mut content = Vec::new();
    for (folder, rules) in contents.iter().enumerate() {
        path = format!("{path}d{folder}/");
        content.push((format!("{path}.gitignore"), rules.as_str()));
        content.push((format!("{path}name-{folder}-3499"), ""));
    }
    let large = "a\n".repeat(40_000);
    content.push(("large/.gitignore".to_owned(), &large));
    content.push(("large/a".to_owned(), ""));
    let classes = "[!b]\n".repeat(2001);
    content.push(("classes/.gitignore".to_owned(), &classes));
    content.push(("classes/a".to_owned(), ""));
    let dir = tree(&content.iter().map(|(path, content)| (path.as_str(), *content)).collect::<Vec<_>>());
    let first = search(dir.path(), 1);
    assert!(first.1 && first.0.contains(&"large/a".to_owned()), "{first:?}");
    assert!(!first.0.contains(&"d0/name-0-3499".to_owned()), "{first:?}");
    assert!(first.0.contains(&"classes/a".to_owned()), "{first:?}");
    assert!(first.2 > 2 && first.2 < 10, "{first:?}");
    let last = format!("{path}name-7-3499");
    assert!(first.0.contains(&last), "{first:?}");
    for workers in 2..5 {
        assert_eq!(search(dir.path(), workers), first, "{workers}");
    }
}

#[test]
fn hostile_rules_end_within_the_limits() {
    let wild: String = (0..20_000).map(|n| format!("*{}*\n", n % 10)).take(16_000).collect();
    let dir = tree(&[(".gitignore", &wild), ("a1", ""), ("b", "")]);
    let (files, _, skipped) = search(dir.path(), 2);
    assert!(
        skipped == 1 && files.contains(&"a1".to_owned()) || !files.contains(&"a1".to_owned()),
        "{skipped}"
    );
}

#[test]
fn chain_of_rules_is_dropped_without_recursion() {
    let mut rules = IgnoreRules::none();
    for path_len in 0..500_000 {
        let mut above = DirRules::default();
        (above.above, above.path_len) = (rules.nearest, path_len);
        rules.nearest = Some(Arc::new(above));
    }
    let other = rules.clone();
    drop(rules);
    drop(other);
}
