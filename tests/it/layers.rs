//! The arrows between the rooms, as `src/lib.rs` draws them, read from the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// A source file: its path below `src` (`core/` and that below the core's `src`) without the ending, and its
/// code without comments and tests.
struct Source {
    module: String,
    text: String,
    code: String,
}

fn sources() -> Vec<Source> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    for (src, prefix) in [(top.join("src"), ""), (top.join("core/src"), "core/")] {
        let mut files = Vec::new();
        collect(&src, &mut files);
        files.sort();
        sources.extend(files.into_iter().map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let module = path.strip_prefix(&src).unwrap().with_extension("").display().to_string();
            Source { module: format!("{prefix}{module}"), code: code_of(&text), text }
        }));
    }
    sources
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// Returns the code before the tests, without comments.
fn code_of(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let before_tests = before_tests.strip_suffix("#[cfg(unix)]\n").unwrap_or(before_tests);
    let code = before_tests.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.collect::<Vec<_>>().join("\n")
}

/// True if a module is one of `rooms`, or in one.
fn is_in(module: &str, rooms: &[&str]) -> bool {
    rooms.iter().any(|room| module == *room || module.starts_with(&format!("{room}/")))
}

/// Fails for each file of `rooms` whose code names one of `strangers`.
#[track_caller]
fn assert_never_names(rooms: &[&str], strangers: &[&str]) {
    let mut found = Vec::new();
    let mut seen = 0;
    for source in sources().iter().filter(|source| is_in(&source.module, rooms)) {
        seen += 1;
        // `use crate::{a, b}` is not how this house imports; it would hide an arrow.
        assert!(!source.code.contains("crate::{"), "src/{}.rs imports several rooms at once", source.module);
        for stranger in strangers.iter().filter(|stranger| names(&source.code, stranger)) {
            found.push(format!("src/{}.rs names {stranger}", source.module));
        }
    }
    assert!(seen > 0, "there is no {rooms:?}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Returns true if `code` contains `path` as a complete path, not as the end of a longer word.
fn names(code: &str, path: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(path).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + path.len()..].chars().next();
        !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
    })
}

#[test]
fn core_names_no_system() {
    // Its own manifest keeps the other crates out.
    let strangers = [
        "std::fs",
        "std::io",
        "std::process",
        "std::env",
        "std::net",
        "std::thread",
        "std::time::Instant",
        "Instant",
        "SystemTime",
    ];
    assert_never_names(&["core"], &strangers);
    assert_never_names(&["core/text"], &["crate::truncate", "crate::notice", "crate::details"]);
    assert_never_names(&["core/truncate"], &["crate::notice", "crate::details"]);
    assert_never_names(&["core/notice"], &["crate::details"]);
}

#[test]
fn lower_rooms_word_nothing() {
    let words = ["rmcp", "cutline_core::notice", "cutline_core::details"];
    let above = ["crate::tools", "crate::server", "crate::stats", "crate::cli"];
    let rooms: [(&str, &[&str]); 6] = [
        ("sys", &["crate::fs", "crate::search", "crate::process"]),
        ("fs", &["crate::search", "crate::process", "crate::saved_output"]),
        ("saved_output", &["crate::search", "crate::process", "crate::capture"]),
        ("capture", &["crate::search", "crate::process"]),
        ("search", &["crate::process"]),
        ("process", &["crate::search"]),
    ];
    for (room, others) in rooms {
        assert_never_names(&[room], &[&words[..], &above, others].concat());
    }
    assert_never_names(&["fs/workspace"], &["tokio"]);
}

#[test]
fn tools_name_no_protocol() {
    assert_never_names(&["tools"], &["rmcp", "crate::server", "crate::cli"]);
}

#[test]
fn sums_are_made_of_values() {
    let strangers = [
        "rmcp",
        "tokio",
        "rustix",
        "std::fs",
        "std::io",
        "Instant",
        "SystemTime",
        "crate::sys",
        "crate::fs",
        "crate::search",
        "crate::process",
        "crate::server",
        "crate::cli",
    ];
    assert_never_names(&["stats"], &strangers);
    assert_never_names(&["tools"], &["crate::stats"]);
}

#[test]
fn only_server_names_rmcp() {
    for source in sources().iter().filter(|source| !is_in(&source.module, &["server"])) {
        assert!(!names(&source.code, "rmcp"), "src/{}.rs names rmcp", source.module);
    }
    assert_never_names(&["server"], &["crate::cli", "crate::sys", "crate::search", "crate::process", "clap"]);
}

#[test]
fn system_differences_are_in_sys() {
    // In addition: the builders, the parts of a command, Landlock, the spelling of paths, the end of the server, its stdin and
    // stdout, and the path and owner of the file of a client.
    let places = [
        "lib",
        "sys",
        "process/sandbox",
        "process/process_tree",
        "server/stdio",
        "signals",
        "cli/config/places",
        "cli/config/owner",
    ];
    let tests = |module: &str| module.split('/').any(|part| part == "tests");
    for source in sources().iter().filter(|source| !is_in(&source.module, &places) && !tests(&source.module))
    {
        for word in ["target_os", "target_vendor", "cutline_portable", "cfg(unix)", "cfg(windows)", "rustix"]
        {
            assert!(!names(&source.code, word), "src/{}.rs names {word}", source.module);
        }
    }
}

#[test]
fn wrap_names_neither_rmcp_nor_server() {
    let strangers = [
        "rmcp",
        "clap",
        "crate::server",
        "crate::cli",
        "crate::search",
        "crate::sys",
        "crate::tools::Shared",
    ];
    assert_never_names(&["wrap"], &strangers);
    for room in ["stats", "call_stats", "tools", "process", "fs", "server", "signals"] {
        assert_never_names(&[room], &["crate::wrap"]);
    }
    // Truncation does not use the system.
    for pure in ["wrap/json", "wrap/text", "wrap/result", "wrap/schema", "wrap/message", "envelope"] {
        assert_never_names(&[pure], &["tokio", "std::fs", "std::process", "crate::process"]);
    }
}

#[test]
fn tools_do_not_name_each_other() {
    for tool in ["read", "bash", "grep", "find", "ls"] {
        let others = ["read", "bash", "grep", "find", "ls"].into_iter().filter(|other| *other != tool);
        let paths: Vec<_> =
            others.flat_map(|other| [format!("tools::{other}"), format!("super::{other}")]).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        assert_never_names(&[format!("tools/{tool}").as_str()], &paths);
    }
}

#[test]
fn files_begin_with_their_subject() {
    for source in sources() {
        assert!(source.text.starts_with("//! "), "src/{}.rs does not begin with //!", source.module);
    }
}

#[test]
fn stdout_belongs_to_the_protocol() {
    let tests = |module: &str| module.split('/').any(|part| part == "tests");
    let without_handshake =
        |source: &&Source| !is_in(&source.module, &["cli", "server/stdio"]) && !tests(&source.module);
    for source in sources().iter().filter(without_handshake) {
        for word in ["println!", "print!", "std::io::stdout", "io::stdout"] {
            assert!(!names(&source.code, word), "src/{}.rs names {word}", source.module);
        }
    }
}

#[test]
fn empty_names_are_not_used() {
    for source in sources() {
        let name = source.module.rsplit('/').next().unwrap();
        for vague in ["util", "utils", "helper", "helpers", "common", "manager", "misc"] {
            assert!(name != vague, "src/{}.rs", source.module);
        }
    }
}
