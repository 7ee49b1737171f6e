//! Tests of resource limits: each bound of docs/security.md that one call can reach, and its message. The bounds on messages,
//! arguments, commands, saved outputs and oversized lines are tested in the modules of these subjects.

#[cfg(target_os = "linux")]
mod environments;
#[cfg(target_os = "linux")]
mod hung;
mod images;
mod outstanding;
mod threads;

use std::fs;
use std::io::Write as _;
use std::process::Command;

use rustix::fs::{Mode, OFlags, mkdirat, openat};
use serde_json::{Value, json};

use crate::support::{Client, Start, Workspace};

#[test]
fn patterns_and_globs_over_their_bounds_are_refused() {
    let workspace = Workspace::with(&json!({"a": "needle\n"}));
    let mut client = Client::new(&workspace);
    let cases: [(&str, Value, &str); 5] = [
        ("grep", json!({"pattern": "a".repeat(4097)}), "pattern: must be at most 4096 bytes, got 4097"),
        // In a long line without a match, each position takes time.
        ("grep", json!({"pattern": "a".repeat(1025), "literal": true}), "Pattern is too large: aaa"),
        ("grep", json!({"pattern": "(?:\\pL{100}){100}"}), "Pattern is too large: (?:"),
        ("grep", json!({"pattern": "a", "glob": "a".repeat(1025)}), "it may have 1024 bytes"),
        ("find", json!({"pattern": "a".repeat(1025)}), "it may have 1024 bytes"),
    ];
    for (tool, arguments, expected) in cases {
        client.call(tool, arguments).assert_error(&[expected]);
    }
    for arguments in [
        json!({"pattern": format!("needle|{}", "a".repeat(4089))}),
        json!({"pattern": "a".repeat(1024), "literal": true}),
    ] {
        client.call("grep", arguments).assert_success();
    }
}

#[test]
fn ignore_rules_over_their_bounds_are_skipped() {
    // Rules of 1025 and 1024 bytes. Both match a file. The first is over the limit for one rule.
    let (long, fits) = (format!("[{}]ong", "l".repeat(1020)), format!("[{}]hort", "s".repeat(1018)));
    let workspace = Workspace::with(&json!({
        ".ignore": format!("{long}\n{fits}\nhidden\n{}\nlate\n", "#".repeat(60_000)),
        "long": "found\n",
        "short": "found\n",
        "hidden": "needle\n",
        "late": "needle\n",
    }));
    let mut client = Client::new(&workspace);
    client.call("grep", json!({"pattern": "needle"})).assert_contains("No matches found");
    client.call("grep", json!({"pattern": "found"})).assert_text("long:1: found");
    fs::write(workspace.path(".ignore"), format!("hidden\n{}\n", "#".repeat(70_000))).unwrap();
    let reply = client.call("grep", json!({"pattern": "needle"}));
    reply.assert_text(
        "hidden:1: needle\nlate:1: needle\n\n[Ignore rules of 1 folder were too large and left aside]",
    );
}

/// Returns the peak memory of the server so far, in kilobytes.
pub(crate) fn memory_peak_kb(client: &Client) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", client.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn globs_with_many_folders_use_bounded_memory() {
    let workspace = Workspace::with(&json!({"a": "needle\n"}));
    let deep = format!("{}*", "*/".repeat(510));
    for arguments in [
        json!({"pattern": "needle", "glob": vec![&deep; 10]}),
        json!({"pattern": "needle", "exclude": vec![&deep; 10]}),
        json!({"pattern": "needle", "glob": vec!["*/".repeat(45); 100]}),
    ] {
        let mut client = Client::new(&workspace);
        let before = memory_peak_kb(&client);
        client.call("grep", arguments).assert_success();
        let used = memory_peak_kb(&client) - before;
        assert!(used < 64_000, "{used} KB");
    }
}

/// Ignore files of an untrusted repository. Each has as many expensive rules as it may have.
#[test]
fn expensive_ignore_rules_use_bounded_memory() {
    let workspace = Workspace::with(&json!({"top": ""}));
    let mut folder = workspace.root().to_path_buf();
    for depth in 0..40 {
        folder.push("d");
        fs::create_dir(&folder).unwrap();
        let line = format!("**/a{depth}/{}", "**/a/**/b/".repeat(90));
        fs::write(folder.join(".gitignore"), format!("{line}\n").repeat(32_768 / line.len())).unwrap();
    }
    fs::write(folder.join("bottom"), "needle\n").unwrap();
    for (tool, pattern, found) in
        [("find", "bottom", "/bottom\n\n"), ("grep", "needle", "/bottom:1: needle\n\n")]
    {
        let mut client = Client::new(&workspace);
        let before = memory_peak_kb(&client);
        client
            .call(tool, json!({"pattern": pattern}))
            .assert_contains(&format!("{found}[Ignore rules of 37 folders were too large and left aside]"));
        let used = memory_peak_kb(&client) - before;
        assert!(used < 64_000, "{tool} used {used} KB");
    }
}

#[test]
fn suggestions_for_a_long_path_use_bounded_memory() {
    let workspace = Workspace::new();
    for n in 0..300 {
        workspace.write(format!("b{n}/a"), "");
    }
    let mut client = Client::new(&workspace);
    let before = memory_peak_kb(&client);
    client.call("read", json!({"path": format!("{}x", "a/".repeat(2000))})).assert_error(&["not found"]);
    let used = memory_peak_kb(&client) - before;
    assert!(used < 64_000, "{used} KB");
}

/// The folder has 37 MB of names, like a folder with a million names of usual length.
#[test]
fn large_folders_use_bounded_memory() {
    let workspace = Workspace::with(&json!({"top": ""}));
    let long = "n".repeat(240);
    fs::create_dir(workspace.path("large")).unwrap();
    for n in 0..150_000 {
        fs::File::create(workspace.path(format!("large/{n:06}{long}"))).unwrap();
    }
    let last = format!("149999{long}");
    workspace.write(format!("large/{last}"), "needle\n");
    for (tool, arguments, expected) in [
        ("ls", json!({"path": "large", "limit": 1}), format!("000000{long}")),
        ("ls", json!({"path": "large", "offset": 149_999}), last.clone()),
        ("find", json!({"pattern": "*", "path": "large", "offset": 149_999}), format!("large/{last}")),
        ("grep", json!({"pattern": "needle"}), format!("large/{last}:1: needle")),
    ] {
        let mut client = Client::new(&workspace);
        let before = memory_peak_kb(&client);
        let reply = client.call(tool, arguments);
        assert!(reply.text().starts_with(&expected), "{reply}");
        let used = memory_peak_kb(&client) - before;
        assert!(used < 56_000, "{tool}: {used} KB");
        // A page that is not the last one reports the total number of names.
        assert!(!expected.starts_with('0') || reply.details()["totalEntries"] == 150_000, "{reply}");
    }
}

/// The full results are larger than the memory bound, because they are saved during the search.
#[test]
fn saving_full_results_uses_bounded_memory() {
    let workspace = Workspace::with(&json!({"names/n": {"each": [1, 2], "content": ""}}));
    fs::write(workspace.path("a"), "needle in a line of some length\n".repeat(1_000_000)).unwrap();
    let mut client = Start::new(&workspace).flags(["--save", "all"]).client();
    let before = memory_peak_kb(&client);
    let reply = client.call("grep", json!({"pattern": "needle", "limit": 1}));
    assert_eq!(reply.details()["totalMatches"], 1_000_000, "{reply}");
    let saved = fs::metadata(reply.details()["fullOutputPath"].as_str().unwrap()).unwrap();
    assert!(saved.len() > 32_000_000, "{}", saved.len());
    let used = memory_peak_kb(&client) - before;
    assert!(used < 24_000, "{used} KB");
}

#[test]
fn image_with_too_many_pixels_is_reported_and_not_decoded() {
    // The header says 20,000 by 20,000 pixels. The file has a thousand bytes.
    let png = "89504e470d0a1a0a0000000d4948445200004e2000004e2008020000006c12d16e\
               0000001149444154789c63601805a360140c77000003e80001b3a6d3460000000049454e44ae426082";
    let workspace = Workspace::with(&json!({"big.png": {"hex": png}}));
    let reply = Client::new(&workspace).call("read", json!({"path": "big.png"}));
    reply.assert_success().assert_contains("[Image is over 12 megapixels and can't be shown]");
}

#[test]
fn paths_and_trees_of_any_length_are_handled() {
    let workspace = Workspace::with(&json!({"top": "needle\n"}));
    let mut client = Client::new(&workspace);
    for path in ["a/".repeat(5000), "a".repeat(10_000), "../".repeat(3000)] {
        assert!(client.call("read", json!({"path": path})).is_error(), "{}", path.len());
    }
    // The path of this folder is longer than the system allows. It is created relative to its parent.
    let name = "depth".repeat(40);
    let mut here = fs::File::open(workspace.root()).unwrap();
    for _ in 0..50 {
        mkdirat(&here, &name, Mode::RWXU).unwrap();
        here = openat(&here, &name, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap().into();
    }
    let bottom = openat(&here, "bottom", OFlags::WRONLY | OFlags::CREATE, Mode::RUSR).unwrap();
    fs::File::from(bottom).write_all(b"needle\n").unwrap();
    let reply = client.call("grep", json!({"pattern": "needle", "mode": "count"}));
    reply.assert_success().assert_contains("top: 1");
    reply.assert_contains("/bottom: 1");
    client.call("find", json!({"pattern": "bottom"})).assert_contains("depth/depth");
    // `std::fs::remove_dir_all` cannot remove such a deep tree.
    let removed = Command::new("rm").args(["-rf", &name]).current_dir(workspace.root()).status();
    assert!(removed.unwrap().success() && !workspace.path(&name).exists());
}
