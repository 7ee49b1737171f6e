//! Tests of read that need more than a scenario: changing files, large files, special files.

use std::fs::{File, FileTimes};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::net::UnixListener;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cutline_core::text::Size;
use serde_json::json;

use crate::support::{Client, Start, Workspace, content};

/// Sets the modification time to `seconds` ago. The line index of an old file is cached.
fn age(workspace: &Workspace, path: &str, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    let file = File::options().write(true).open(workspace.path(path)).unwrap();
    file.set_times(FileTimes::new().set_modified(time)).unwrap();
}

#[test]
fn changed_file_is_never_read_from_the_cache() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let lines = |word: &str| {
        content(&json!({"lines": [1, 60_000], "text": format!("{word} {{n:5}} {}", "-".repeat(140))}))
    };
    let page = json!({"path": "a", "offset": 50_000, "limit": 1});
    for (age_secs, word) in [(100, "old"), (50, "new"), (100, "own"), (0, "now"), (0, "hot")] {
        workspace.write("a", lines(word));
        age(&workspace, "a", age_secs);
        for _ in 0..2 {
            let expected =
                format!("{word} 50000 {}\n\n[Showing lines 50000-50000 of 60000.", "-".repeat(140));
            client.call("read", page.clone()).assert_contains(&expected);
        }
    }
    // Another file with the same name, size and time.
    workspace.write("b", lines("abc"));
    let time = std::fs::metadata(workspace.path("a")).unwrap().modified().unwrap();
    File::options().write(true).open(workspace.path("b")).unwrap().set_modified(time).unwrap();
    std::fs::rename(workspace.path("b"), workspace.path("a")).unwrap();
    client.call("read", page).assert_contains("abc 50000");
}

// Elsewhere, file systems may ignore case.
#[cfg(target_os = "linux")]
#[test]
fn path_in_another_case_is_suggested_before_the_same_name_elsewhere() {
    let workspace = Workspace::with(&json!({"src/app/main.ts": "x", "test/Main.ts": "x", "test/App/x": "x"}));
    let mut client = Client::new(&workspace);
    for path in ["src/App/Main.ts", "SRC/app/Main.ts", "./Src/App/MAIN.ts"] {
        let reply = client.call("read", json!({"path": path}));
        assert!(reply.is_error(), "{path}");
        reply.assert_contains("Did you mean: src/app/main.ts?");
    }
}

#[test]
fn growing_file_shows_new_lines() {
    let workspace = Workspace::with(&json!({"log": {"lines": [1, 30_000], "text": "line {n}"}}));
    age(&workspace, "log", 100);
    let mut client = Client::new(&workspace);
    client.call("read", json!({"path": "log", "offset": -1})).assert_text("line 30000\n");
    let mut log = File::options().append(true).open(workspace.path("log")).unwrap();
    log.write_all(b"line 30001\nline 30002").unwrap();
    client.call("read", json!({"path": "log", "offset": -2})).assert_text("line 30001\nline 30002");
    client
        .call("read", json!({"path": "log", "offset": 30_001, "limit": 1}))
        .assert_text("line 30001\n\n[Showing lines 30001-30001 of 30002. Use offset=30002 to continue]");
}

#[test]
fn pages_of_a_large_file_are_complete() {
    let workspace =
        Workspace::with(&json!({"a": {"lines": [1, 400_000], "text": "this is line number {n}"}}));
    age(&workspace, "a", 100);
    let mut client = Client::new(&workspace);
    for offset in [1_u64, 2, 1000, 1001, 65_536, 149_999, 299_998, 77, 250_000] {
        let reply = client.call("read", json!({"path": "a", "offset": offset, "limit": 2}));
        let (next, after) = (offset + 1, offset + 2);
        let body = format!("this is line number {offset}\nthis is line number {next}");
        let notice = format!("[Showing lines {offset}-{next} of 400000. Use offset={after} to continue]");
        reply.assert_text(&format!("{body}\n\n{notice}"));
    }
}

#[test]
fn reading_a_large_sparse_file_uses_little_memory() {
    let workspace = Workspace::new();
    let mut file = File::create(workspace.path("a")).unwrap();
    file.write_all(&b"start of it\n".repeat(1000)).unwrap();
    file.seek(SeekFrom::Start(300_000_000)).unwrap();
    file.write_all(b"\nthe end\n").unwrap();
    let mut client = Client::new(&workspace);
    client.call("read", json!({"path": "a", "offset": -1})).assert_text("the end\n");
    client
        .call("read", json!({"path": "a", "limit": 1}))
        .assert_contains("start of it\n\n[Showing lines 1-1 of 1002.");
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 150_000, "the peak is {kilobytes} kB");
}

#[test]
fn long_lines_are_cut_in_bounded_memory() {
    let workspace = Workspace::new();
    let mut line = "é".repeat(25_000_000);
    line.push_str("\nend\n");
    std::fs::write(workspace.path("long"), line).unwrap();
    let mut client = Start::new(&workspace).flags(["--max-text-line-chars", "2000"]).client();
    let expected = format!(
        "{}... [truncated]\nend\n\n[Some lines truncated to 2000 chars. Use grep or bash to see the rest]",
        "é".repeat(2000)
    );
    client.call("read", json!({"path": "long"})).assert_text(&expected);
    client.call("bash", json!({"command": "cat long"})).assert_success().assert_contains(&expected);
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim();
    assert!(peak.trim_end_matches(" kB").parse::<u64>().unwrap() < 40_000, "{peak}");
}

#[test]
fn socket_is_not_opened() {
    let workspace = Workspace::new();
    let _socket = UnixListener::bind(workspace.path("socket")).unwrap();
    let mut client = Client::new(&workspace);
    client.call("read", json!({"path": "socket"})).assert_error(&["Not a regular file: socket (socket)"]);
}

#[test]
fn files_without_a_size_are_read_to_a_bound() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).flags(["--allow-outside"]).client();
    client
        .call("read", json!({"path": "/proc/self/mem"}))
        .assert_error(&["Cannot read", "Input/output error"]);
    client.call("read", json!({"path": "/proc/self/maps"})).assert_success().assert_contains("[stack]");
    let uptime = client.call("read", json!({"path": "/proc/uptime"}));
    assert_eq!(uptime.text().split_whitespace().count(), 2, "{uptime}");
    // The kernel log blocks a reader that waits for new messages. read returns the messages so far, or an error if this
    // user may not read it.
    let log = client.call("read", json!({"path": "/proc/kmsg"}));
    assert!(!log.is_error() || log.text().contains("Permission denied"), "{log}");
    // This file has 8 bytes for each page of memory. It is larger than 16 MB on a machine with more than 8 GB.
    let has_more = rustix::system::sysinfo().totalram >> 20 > 9_000;
    if has_more && File::open("/proc/kpagecount").is_ok() {
        client.call("read", json!({"path": "/proc/kpagecount"})).assert_error(&["/proc/kpagecount (16MB, "]);
    } else {
        eprintln!("skipped: this user cannot read a /proc/kpagecount of over 16 MB");
    }
    client.call("read", json!({"path": "/dev/zero"})).assert_error(&["Not a regular file: /dev/zero"]);
}

#[test]
fn names_that_are_not_utf8_can_be_read_as_they_are_listed() {
    use std::os::unix::ffi::OsStrExt as _;
    let workspace = Workspace::new();
    workspace.write(std::ffi::OsStr::from_bytes(b"caf\xe9.txt"), "latin\n");
    let mut client = Client::new(&workspace);
    client.call("ls", json!({})).assert_text("caf\u{FFFD}.txt");
    client.call("find", json!({"pattern": "*.txt"})).assert_text("caf\u{FFFD}.txt");
    client.call("grep", json!({"pattern": "latin"})).assert_text("caf\u{FFFD}.txt:1: latin");
    client.call("read", json!({"path": "caf\u{FFFD}.txt"})).assert_text("latin\n");
}

#[test]
fn large_image_is_scaled_down() {
    // Noise. No encoder can compress it below the limit.
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u8::try_from(state >> 24).unwrap()
    };
    let image = image::RgbImage::from_fn(1130, 1110, |_, _| image::Rgb([noise(), noise(), noise()]));
    let workspace = Workspace::new();
    image.save(workspace.path("noise.png")).unwrap();
    let bytes = std::fs::metadata(workspace.path("noise.png")).unwrap().len();
    assert!(bytes > 3_750_000, "the image is too small for this test");
    let reply = Client::new(&workspace).call("read", json!({"path": "noise.png"}));
    reply.assert_contains("Read image: noise.png (image/png, 1130x1110");
    reply.assert_contains("; scaled down to ");
    reply.assert_contains(", shown as JPEG]");
    assert_eq!(reply.result["content"][1]["mimeType"], "image/jpeg");
    let data = reply.result["content"][1]["data"].as_str().unwrap();
    assert!(data.len() <= 200_000, "{} bytes of base64", data.len());
}

#[test]
fn large_image_is_encoded_as_jpeg() {
    // A gradient with some noise: over the limit as PNG, within it as JPEG.
    let image = image::RgbaImage::from_fn(900, 700, |x, y| {
        let shade = |n: u32| u8::try_from(n % 256).unwrap();
        let noise = (x * 7919 + y * 104_729).wrapping_mul(2_654_435_761) >> 29;
        image::Rgba([shade(x / 4 + noise), shade(y / 4 + noise), shade(noise), if x < 10 { 0 } else { 255 }])
    });
    let workspace = Workspace::new();
    image.save(workspace.path("ramp.png")).unwrap();
    let mut client = Start::new(&workspace).flags(["--max-image-bytes", "60KB"]).client();
    let reply = client.call("read", json!({"path": "ramp.png"}));
    let data = STANDARD.decode(reply.result["content"][1]["data"].as_str().unwrap()).unwrap();
    assert!(data.len() <= 60_000, "{} bytes", data.len());
    let on_disk = Size(std::fs::metadata(workspace.path("ramp.png")).unwrap().len());
    let bytes = Size(data.len() as u64);
    reply.assert_text(&format!(
        "Read image: ramp.png (image/png, 900x700, {on_disk})\n\n[Image is 900x700, {on_disk}; shown as JPEG of {bytes}]"
    ));
    let shown = image::load_from_memory(&data).unwrap().to_rgb8();
    assert_eq!((shown.width(), shown.height()), (900, 700));
    // Transparent pixels become white.
    assert!(shown.get_pixel(3, 300).0.iter().all(|shade| *shade > 200), "{:?}", shown.get_pixel(3, 300));
}

#[test]
fn path_that_is_too_long_to_open_is_not_reported_as_missing() {
    let workspace = Workspace::new();
    let name = "d".repeat(230);
    let mut client = Client::new(&workspace);
    let make = format!("for n in {{1..20}}; do mkdir {name}; cd {name}; done; echo needle > f");
    client.call("bash", json!({"command": make})).assert_success();
    let found = client.call("find", json!({"pattern": "f"}));
    assert!(found.text().len() > 4096, "{found}");
    client.call("read", json!({"path": found.text()})).assert_error(&["Cannot read", "File name too long"]);
    // No file name can be this long.
    client.call("read", json!({"path": "x".repeat(300)})).assert_error(&["File not found"]);
    client.call("read", json!({"path": "x".repeat(5000)})).assert_error(&["File not found"]);
}
