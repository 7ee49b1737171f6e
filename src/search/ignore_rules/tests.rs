//! Compares ignore rules with git.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use super::*;
use crate::search::names::{self, Found, Key, Kind, Query};
use crate::search::walk::{Walk, Walked};
use crate::stop::Stop;
use crate::sys;

/// Returns the files that a walk in `dir` visits, true if rules ignored anything, and the number of folders whose rules
/// were skipped.
fn search(dir: &Path, workers: usize) -> (Vec<String>, bool, u64) {
    let dir = dir.canonicalize().unwrap();
    let (root, rules) = (sys::open_folder(&dir).unwrap(), IgnoreRules::for_walk_from(&dir));
    let walk = Walk { root, rules, workers, stop: Stop::default(), progress: Box::new(|_| {}) };
    let query =
        Query { globs: Vec::new(), exclude: Vec::new(), max_depth: None, kind: Kind::File, key: Key::Path };
    let (rules, found) = (walk.rules.clone(), Arc::new(Mutex::new((Vec::new(), 0))));
    let sink = Arc::clone(&found);
    let search = names::tree(walk, query, move |found| {
        let (files, skipped) = &mut *sink.lock().unwrap();
        match found {
            Walked::Found(Found { path, .. }) => files.push(String::from_utf8(path).unwrap()),
            Walked::RulesSkipped => *skipped += 1,
            Walked::Unreadable(_) | Walked::Stopped(_) => panic!("{found:?}"),
        }
        ControlFlow::Continue(())
    });
    search.run();
    let (files, skipped) = std::mem::take(&mut *found.lock().unwrap());
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
    let rules = "*.o\n!keep.o\n/top\nmid/leaf\n**/any/*.x\ndir/\n\\#hash\n\\!bang\nspace\\ \nfoo*bar\n[ab].txt\na/**/z\nend/**\n# no\n\n*.tmp  \n[[:upper:]][[:digit:]]\n[^[:alnum:][:punct:]]?\nq[[:nothing:]]\nr[[:x]\n";
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
fn rules_beyond_the_budget_are_ignored_for_any_number_of_workers() {
    let names =
        |folder: usize| (0..60_000).map(move |n| format!("name-{folder}-{n}")).collect::<Vec<_>>().join("\n");
    let contents: Vec<String> = (0..8).map(names).collect();
    let mut path = String::new();
    let mut content = Vec::new();
    for (folder, rules) in contents.iter().enumerate() {
        path = format!("{path}d{folder}/");
        content.push((format!("{path}.gitignore"), rules.as_str()));
        content.push((format!("{path}name-{folder}-59999"), ""));
    }
    let large = "a\n".repeat(600_000);
    content.push(("large/.gitignore".to_owned(), &large));
    content.push(("large/a".to_owned(), ""));
    content.push(("z".to_owned(), ""));
    let dir = tree(&content.iter().map(|(path, content)| (path.as_str(), *content)).collect::<Vec<_>>());
    let first = search(dir.path(), 1);
    assert!(first.1 && first.0.contains(&"large/a".to_owned()), "{first:?}");
    assert!(!first.0.contains(&"d0/name-0-59999".to_owned()), "{first:?}");
    assert!(first.2 > 1 && first.2 < 9, "{first:?}");
    let last = format!("{path}name-7-59999");
    assert!(first.0.contains(&last), "{first:?}");
    for workers in 2..5 {
        assert_eq!(search(dir.path(), workers), first, "{workers}");
    }
}

#[test]
fn chain_of_rules_is_dropped_without_recursion() {
    let mut rules = IgnoreRules { shared: None, nearest: None };
    for path_len in 0..500_000 {
        let above = DirRules {
            above: rules.nearest,
            path_len,
            ignore: None,
            gitignore: None,
            exclude: None,
            top: false,
            cost: 0,
        };
        rules.nearest = Some(Arc::new(above));
    }
    let other = rules.clone();
    drop(rules);
    drop(other);
}
