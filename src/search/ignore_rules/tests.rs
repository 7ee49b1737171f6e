//! Ignore rules against what git itself says.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use super::*;
use crate::fs::folder::EntryKind;
use crate::search::walk::{Emit, Entry, ProgressUnit, Stop, Visit, Walk};
use crate::sys;

struct Files;

impl Visit for Files {
    type Found = String;
    type Worker = ();
    const PROGRESS_UNIT: ProgressUnit = ProgressUnit::Names;

    fn worker(&self) {}
    fn wants(&self, _: &[u8], kind: EntryKind) -> bool {
        kind != EntryKind::Folder
    }
    fn enters(&self, _: &[u8]) -> bool {
        true
    }
    fn begin(&self, (): &mut ()) {}
    fn visit(&self, (): &mut (), entry: &mut Entry<'_>, emit: &mut Emit<'_, String>) {
        let _either = emit(String::from_utf8(entry.path()).unwrap());
    }
    fn unreadable(&self, path: &[u8]) -> String {
        panic!("{path:?}")
    }
    fn weight(&self, _: &String) -> usize {
        1
    }
}

/// The files that a walk in `dir` comes by, and whether rules left anything out.
fn files(dir: &Path) -> (Vec<String>, bool) {
    let dir = dir.canonicalize().unwrap();
    let root = sys::open_folder(&dir).unwrap();
    let (stop, rules) = (Stop::default(), Rules::above(&dir));
    let walk = Walk { root: &root, rules: rules.clone(), workers: 2, stop: &stop, progress: &|_| {} };
    let mut files = Vec::new();
    walk.run(&Files, |path| {
        files.push(path);
        ControlFlow::Continue(())
    });
    (files, rules.ignored_any())
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
fn nested_rules_the_nearest_first() {
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
fn parents_count_up_to_the_top_of_the_repository() {
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
    assert_eq!(files(&dir.path().join("repo/sub")).0, ["a.outer", "a.outest"]);
    assert_eq!(files(&dir.path().join("plain")).0, ["b"]);
    let all =
        [".gitignore", ".ignore", "plain/b", "repo/.gitignore", "repo/sub/a.outer", "repo/sub/a.outest"];
    assert_eq!(files(dir.path()).0, all);
    assert_eq!(files(&dir.path().join("repo")).0, [".gitignore", "sub/a.outer", "sub/a.outest"]);
}

#[test]
fn a_repository_elsewhere_has_its_excludes_there() {
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
fn nothing_left_out_is_not_said() {
    let dir = tree(&[(".gitignore", "*.log\n"), ("a", ""), (".git/x.log", "")]);
    assert_eq!(files(dir.path()), (vec![".gitignore".to_owned(), "a".to_owned()], false));
}

/// As git itself answers, over rules of many forms.
#[test]
fn as_git_says() {
    if Command::new("git").arg("--version").output().is_err() {
        return;
    }
    let rules = "*.o\n!keep.o\n/top\nmid/leaf\n**/any/*.x\ndir/\n\\#hash\n\\!bang\nspace\\ \nfoo*bar\n[ab].txt\na/**/z\nend/**\n# no\n\n*.tmp  \n";
    let mut paths: Vec<String> = Vec::new();
    for folder in ["", "mid/", "any/", "x/any/", "dir/", "x/dir/", "a/", "a/b/c/", "end/", "end/x/", "x/y/"] {
        for name in [
            "x.o", "keep.o", "top", "leaf", "1.x", "#hash", "!bang", "space ", "foo-bar", "a.txt", "c.txt",
            "z", "t.tmp",
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
fn a_chain_of_rules_may_be_longer_than_a_stack_is_deep() {
    let mut rules = Rules { shared: None, nearest: None };
    for root_len in 0..500_000 {
        let level = DirRules {
            above: rules.nearest,
            root_len,
            ignore: None,
            gitignore: None,
            exclude: None,
            top: false,
        };
        rules.nearest = Some(Arc::new(level));
    }
    let other = rules.clone();
    drop(rules);
    drop(other);
}
