//! Checks the dependencies between modules in the source files. docs/architecture.md has a diagram of them.

use std::fs;
use std::path::{Path, PathBuf};

/// A source file.
struct Source {
    /// The path below `src` without the extension. Files of the core have the prefix `core/`.
    module: String,
    /// The complete text.
    text: String,
    /// The text without comments and tests.
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

/// Adds the Rust files in `folder` and its subfolders to `files`.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Returns the code before the tests, without comments.
fn code_of(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = before_tests.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.collect::<Vec<_>>().join("\n")
}

/// Returns true if `module` is one of `modules`, or a submodule of one.
fn is_in(module: &str, modules: &[&str]) -> bool {
    modules.iter().any(|parent| module == *parent || module.starts_with(&format!("{parent}/")))
}

/// Fails if the code of one of `modules` uses one of the `forbidden` paths.
#[track_caller]
fn assert_never_uses(modules: &[&str], forbidden: &[&str]) {
    let mut found = Vec::new();
    let mut seen = 0;
    for source in sources().iter().filter(|source| is_in(&source.module, modules)) {
        seen += 1;
        // `use crate::{a, b}` is not allowed, because the search for `crate::a` below would not find it.
        assert!(
            !source.code.contains("crate::{"),
            "src/{}.rs imports several modules in one `use crate::{{…}}`",
            source.module
        );
        for path in forbidden.iter().filter(|path| uses(&source.code, path)) {
            found.push(format!("src/{}.rs uses {path}", source.module));
        }
    }
    assert!(seen > 0, "no source file is in {modules:?}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Returns true if `code` contains `path` as a complete path, not as a part of a longer identifier.
fn uses(code: &str, path: &str) -> bool {
    let part_of_identifier = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(path).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + path.len()..].chars().next();
        !before.is_some_and(part_of_identifier) && !after.is_some_and(part_of_identifier)
    })
}

#[test]
fn core_uses_no_operating_system() {
    // `core/Cargo.toml` excludes crates such as tokio.
    let forbidden = [
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
    assert_never_uses(&["core"], &forbidden);
    assert_never_uses(&["core/text"], &["crate::truncate", "crate::notice", "crate::details"]);
    assert_never_uses(&["core/truncate"], &["crate::notice", "crate::details"]);
    assert_never_uses(&["core/notice"], &["crate::details"]);
}

#[test]
fn lower_layers_use_no_upper_layer_and_format_no_text() {
    let texts = ["cutline_core::notice", "cutline_core::details"];
    let above = ["crate::tools", "crate::server", "crate::stats", "crate::cli"];
    let modules: [(&str, &[&str]); 6] = [
        ("sys", &["crate::fs", "crate::search", "crate::process"]),
        ("fs", &["crate::search", "crate::process", "crate::saved_output"]),
        ("saved_output", &["crate::search", "crate::process", "crate::capture"]),
        ("capture", &["crate::search", "crate::process"]),
        ("search", &["crate::process"]),
        ("process", &["crate::search"]),
    ];
    for (module, others) in modules {
        // A saved output ends with the status of its command, or with a notice if its rest was not saved.
        let texts = if ["saved_output", "process"].contains(&module) { &[][..] } else { &texts };
        assert_never_uses(&[module], &[&["rmcp"], texts, &above, others].concat());
    }
    assert_never_uses(&["fs/workspace"], &["tokio"]);
}

#[test]
fn tools_use_no_protocol() {
    assert_never_uses(&["tools"], &["rmcp", "crate::server", "crate::cli"]);
}

#[test]
fn stats_do_no_input_or_output() {
    let forbidden = [
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
    assert_never_uses(&["stats"], &forbidden);
    assert_never_uses(&["tools"], &["crate::stats"]);
}

#[test]
fn only_server_uses_rmcp() {
    for source in sources().iter().filter(|source| !is_in(&source.module, &["server"])) {
        assert!(!uses(&source.code, "rmcp"), "src/{}.rs uses rmcp", source.module);
    }
    assert_never_uses(&["server"], &["crate::cli", "crate::sys", "crate::search", "crate::process", "clap"]);
}

#[test]
fn system_differences_are_in_sys() {
    // These modules may depend on the operating system. docs/architecture.md lists the exceptions.
    let allowed = [
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
    for source in sources().iter().filter(|source| !is_in(&source.module, &allowed) && !tests(&source.module))
    {
        for term in ["target_os", "target_vendor", "rustix"] {
            assert!(!uses(&source.code, term), "src/{}.rs uses {term}", source.module);
        }
    }
}

#[test]
fn wrap_uses_neither_rmcp_nor_server() {
    let forbidden = [
        "rmcp",
        "clap",
        "crate::server",
        "crate::cli",
        "crate::search",
        "crate::sys",
        "crate::tools::Shared",
    ];
    assert_never_uses(&["wrap"], &forbidden);
    for module in ["stats", "call_stats", "tools", "process", "fs", "server", "signals"] {
        assert_never_uses(&[module], &["crate::wrap"]);
    }
    // Truncation does no input or output.
    for pure in ["wrap/message", "wrap/shrink", "wrap/limit"] {
        assert_never_uses(&[pure], &["tokio", "std::fs", "std::process", "crate::process"]);
    }
}

#[test]
fn tools_do_not_use_each_other() {
    for tool in ["read", "bash", "grep", "find", "ls"] {
        let others = ["read", "bash", "grep", "find", "ls"].into_iter().filter(|other| *other != tool);
        let paths: Vec<_> =
            others.flat_map(|other| [format!("tools::{other}"), format!("super::{other}")]).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        assert_never_uses(&[format!("tools/{tool}").as_str()], &paths);
    }
}

#[test]
fn files_start_with_a_module_comment() {
    for source in sources() {
        assert!(source.text.starts_with("//! "), "src/{}.rs does not begin with //!", source.module);
    }
}

#[test]
fn only_cli_and_transport_write_to_stdout() {
    let tests = |module: &str| module.split('/').any(|part| part == "tests");
    let without_handshake =
        |source: &&Source| !is_in(&source.module, &["cli", "server/stdio"]) && !tests(&source.module);
    for source in sources().iter().filter(without_handshake) {
        for output in ["println!", "print!", "std::io::stdout", "io::stdout"] {
            assert!(!uses(&source.code, output), "src/{}.rs uses {output}", source.module);
        }
    }
}

#[test]
fn modules_have_no_vague_names() {
    for source in sources() {
        let name = source.module.rsplit('/').next().unwrap();
        for vague in ["util", "utils", "helper", "helpers", "common", "manager", "misc"] {
            assert!(name != vague, "src/{}.rs", source.module);
        }
    }
}
