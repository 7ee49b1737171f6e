//! Tests of grep that need more than a scenario: order with several workers, oversized lines, expensive patterns.

use serde_json::json;

use crate::support::{Client, Start, Workspace};

#[test]
fn same_call_returns_the_same_bytes() {
    let files = json!({
        "d{n}/sub/f": {"each": [1, 150], "content": "needle\n"},
        "d{n}/g": {"each": [1, 150], "content": "x\nneedle\n"},
        "f{n}": {"each": [1, 150], "content": "needle\n"},
    });
    let workspace = Workspace::with(&files);
    let mut expected: Vec<String> = Vec::new();
    for n in 1..=150 {
        expected.extend([
            format!("d{n}/g:2: needle"),
            format!("d{n}/sub/f:1: needle"),
            format!("f{n}:1: needle"),
        ]);
    }
    expected.sort_by_key(|line| {
        let path = line.split(':').next().unwrap().to_owned();
        path.split('/').map(ToOwned::to_owned).collect::<Vec<_>>()
    });
    for workers in ["1", "2", "8"] {
        let mut client = Start::new(&workspace).flags(["--workers", workers]).client();
        for _ in 0..3 {
            let reply = client.call("grep", json!({"pattern": "needle", "limit": 450}));
            reply.assert_text(&expected.join("\n"));
            let first = client.call("grep", json!({"pattern": "needle", "limit": 7}));
            first.assert_contains(&format!("{}\n\n[7 matches limit", expected[..7].join("\n")));
        }
    }
}

#[test]
fn match_in_an_oversized_line_is_found_or_the_file_is_reported() {
    let mut line = vec![b'x'; 5_000_000];
    line[3_000_000..3_000_006].copy_from_slice(b"needle");
    let workspace = Workspace::new();
    workspace.write("long", &line);
    workspace.write("short", "needle\n");
    let mut client = Client::new(&workspace);
    let reply = client.call("grep", json!({"pattern": "needle"}));
    reply.assert_contains("short:1: needle");
    let found = reply.text().contains("long:1: ... [truncated]") && reply.text().contains("needlexxx");
    let reported = reply.text().contains("too long to search: long");
    assert!(found || reported, "neither found nor reported\n{reply}");
}

#[test]
fn pattern_that_needs_too_much_memory_is_refused() {
    let workspace = Workspace::with(&json!({"a": "x\n"}));
    let mut client = Client::new(&workspace);
    // The first pattern is refused because its Unicode class is large. 500 repetitions of an ASCII class are accepted.
    for pattern in [r"\pL{500}", "(?:a{1000}){1000}{1000}"] {
        client
            .call("grep", json!({"pattern": pattern}))
            .assert_error(&["Pattern is too large", "smaller or open repetitions"]);
    }
    client.call("grep", json!({"pattern": "[a-z]{500}|x"})).assert_text("a:1: x");
}

#[test]
fn links_that_form_a_cycle_are_not_followed() {
    let files = json!({"a/f": "x\n", "a/up": {"symlink": ".."}, "a/self": {"symlink": "self"}});
    let workspace = Workspace::with(&files);
    let mut client = Client::new(&workspace);
    client.call("grep", json!({"pattern": "x"})).assert_text("a/f:1: x");
    client.call("find", json!({"pattern": "*"})).assert_text("a/f\na/self\na/up");
}

#[test]
fn very_deep_folders_are_searched() {
    let deep = "d/".repeat(300) + "f";
    let workspace = Workspace::new();
    workspace.write(&deep, "needle\n");
    let mut client = Client::new(&workspace);
    client.call("grep", json!({"pattern": "needle"})).assert_text(&format!("{deep}:1: needle"));
    client.call("find", json!({"pattern": "f"})).assert_text(&deep);
}

#[test]
fn search_succeeds_while_files_are_removed() {
    let workspace = Workspace::with(&json!({"d{n}/f": {"each": [1, 500], "content": "needle\n"}}));
    let mut client = Client::new(&workspace);
    let id = client.send_call("grep", json!({"pattern": "needle", "limit": 1000}), None);
    for n in (1..=500).rev() {
        std::fs::remove_dir_all(workspace.path(format!("d{n}"))).unwrap();
    }
    let response = client.response(id);
    assert_eq!(response["result"]["isError"], false, "{response}");
}

#[cfg(target_os = "linux")]
#[test]
fn file_without_size_is_searched_to_its_end() {
    let symbols = std::fs::read_to_string("/proc/kallsyms").unwrap_or_default();
    let Some(last) = symbols.lines().last().filter(|_| symbols.len() > 1_000_000) else {
        return eprintln!("skipped: this user cannot read a /proc/kallsyms of over 1 MB");
    };
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).flags(["--allow-outside"]).client();
    let call = json!({"pattern": last, "literal": true, "path": "/proc/kallsyms"});
    let number = symbols.lines().position(|line| line == last).unwrap() + 1;
    client.call("grep", call).assert_success().assert_contains(&format!("kallsyms:{number}: {last}"));
}

#[test]
fn ranking_buffers_only_results_that_can_be_shown() {
    let workspace = Workspace::new();
    // 80 MB of lines of 1.5 KB. All match with the same score, so grep buffers as many results as it may.
    let line = format!("needle {}\n", "日".repeat(500));
    for n in 0..10 {
        workspace.write(format!("f{n}"), line.repeat(5300));
    }
    let mut client = Start::new(&workspace).flags(["--workers", "2"]).client();
    let call = json!({"pattern": "needle", "sort": "relevance", "offset": 9_990, "limit": 10});
    let reply = client.call("grep", call);
    reply.assert_contains("f1:4691: needle");
    reply.assert_contains("[10 of 53000 matches, most relevant first]");
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak_kb: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak_kb < 64_000, "{peak_kb} kB");
}
