//! File systems that do not respond: calls on them are cancelled and do not block other calls.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use serde_json::json;

use crate::support::{Start, Workspace, eventually};

/// Opcodes of FUSE requests.
const LOOKUP: u32 = 1;
const FORGET: u32 = 2;
const GETATTR: u32 = 3;
const OPEN: u32 = 14;
const READ: u32 = 15;
const INIT: u32 = 26;
const OPENDIR: u32 = 27;
const READDIR: u32 = 28;
const INTERRUPT: u32 = 36;
const BATCH_FORGET: u32 = 42;
/// Size of the request buffer that the kernel requires.
const REQUEST_BYTES: usize = 256 * 1024;
/// Size of the request header, in bytes.
const HEADER_BYTES: usize = 40;
/// The inode number of the root directory.
const ROOT_INODE: u64 = 1;

/// A file system that never responds to requests with one opcode. It has a file for each name.
struct Hung {
    at: PathBuf,
    /// Number of requests without a response.
    waiting: Arc<AtomicUsize>,
    /// The opcode that gets no response.
    opcode: Arc<AtomicU32>,
    /// If true, a request gets an error when the kernel interrupts it because its process ends.
    interruptible: Arc<AtomicBool>,
    /// Bytes at the start of each file that can be read. Reads of later bytes hang. If it is not 0, files have 1 MB.
    readable: Arc<AtomicU64>,
}

impl Hung {
    /// Mounts the file system on a new folder of the workspace. Returns `None` if this system does not allow it.
    fn mount(workspace: &Workspace, name: &str) -> Option<Self> {
        let at = workspace.path(name);
        std::fs::create_dir(&at).unwrap();
        let options = File::options().read(true).write(true).open("/dev/fuse").and_then(|device| {
            let options = format!("fd={},rootmode=40000,user_id=0,group_id=0\0", device.as_raw_fd());
            let options = std::ffi::CStr::from_bytes_with_nul(options.as_bytes()).unwrap();
            mount("cutline-test", &at, "fuse", MountFlags::NOSUID | MountFlags::NODEV, options)?;
            Ok(device)
        });
        let device = match options {
            Ok(device) => device,
            Err(error) => {
                eprintln!("skipped: this system cannot mount a FUSE file system: {error}");
                return None;
            }
        };
        let hung = Self {
            at,
            waiting: Arc::default(),
            opcode: Arc::new(AtomicU32::new(READ)),
            interruptible: Arc::default(),
            readable: Arc::default(),
        };
        let (waiting, opcode) = (Arc::clone(&hung.waiting), Arc::clone(&hung.opcode));
        let interruptible = Arc::clone(&hung.interruptible);
        let readable = Arc::clone(&hung.readable);
        std::thread::spawn(move || serve(device, &waiting, &opcode, &interruptible, &readable));
        Some(hung)
    }

    /// Stops responding to requests with `opcode`.
    fn hang(&self, opcode: u32) {
        self.opcode.store(opcode, Ordering::SeqCst);
        self.waiting.store(0, Ordering::SeqCst);
    }
}

impl Drop for Hung {
    fn drop(&mut self) {
        // All waiting requests get an error.
        let _unmounted_already = unmount(&self.at, UnmountFlags::FORCE | UnmountFlags::DETACH);
    }
}

/// Responds to requests until the file system is unmounted.
fn serve(
    mut device: File,
    waiting: &AtomicUsize,
    opcode: &AtomicU32,
    interruptible: &AtomicBool,
    readable: &AtomicU64,
) {
    let mut buffer = vec![0; REQUEST_BYTES];
    while let Ok(len @ HEADER_BYTES..) = device.read(&mut buffer) {
        let number = |at: usize| u64::from_le_bytes(buffer[at..at + 8].try_into().unwrap());
        let request = u32::from_le_bytes(buffer[4..8].try_into().unwrap());
        let (id, node) = (number(8), number(16));
        if request == INTERRUPT && interruptible.load(Ordering::SeqCst) {
            let _has_a_response_already = device.write_all(&encoded(number(HEADER_BYTES), -4, &[]));
        }
        if [FORGET, BATCH_FORGET, INTERRUPT].contains(&request) {
            continue;
        }
        let readable = readable.load(Ordering::SeqCst);
        if request == READ && readable > 0 {
            let (start, bytes) = (number(HEADER_BYTES + 8), number(HEADER_BYTES + 16) & 0xffff_ffff);
            if start + bytes <= readable {
                let _has_a_response_already = device.write_all(&encoded(id, 0, &content(start, bytes)));
                continue;
            }
        }
        if opcode.load(Ordering::SeqCst) == request {
            waiting.fetch_add(1, Ordering::SeqCst);
            continue;
        }
        let response = response_to(request, node, &buffer[HEADER_BYTES..len], readable);
        let (error, body) = response.map_or((-38, Vec::new()), |body| (0, body));
        let _request_was_cancelled = device.write_all(&encoded(id, error, &body));
    }
}

/// Encodes a response to the request `id` in the format of the kernel.
fn encoded(id: u64, error: i32, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(16 + body.len()).unwrap();
    [&length.to_le_bytes()[..], &error.to_le_bytes(), &id.to_le_bytes(), body].concat()
}

/// Returns the response to a request, or `None` if the request is not supported.
fn response_to(request: u32, node: u64, arguments: &[u8], readable: u64) -> Option<Vec<u8>> {
    let numbers =
        |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
    match request {
        // The protocol version, no read-ahead, parallel requests for one directory, and the defaults of the kernel.
        INIT => Some([numbers(&[7, 31, 0, 1 << 18, 0, 65536]), vec![0; 40]].concat()),
        LOOKUP => {
            // Any name is a file with a distinct inode number.
            let node = arguments.iter().fold(ROOT_INODE, |sum, byte| sum * 31 + u64::from(*byte));
            Some([&node.to_le_bytes()[..], &[0; 32], &attributes(node, readable)].concat())
        }
        GETATTR => Some([vec![0; 16], attributes(node, readable)].concat()),
        OPEN | OPENDIR => Some(vec![0; 16]),
        READDIR => Some(Vec::new()),
        _ => None,
    }
}

/// Returns the content of a large file: `needle` on the first line, then `hay` on each line.
fn content(start: u64, bytes: u64) -> Vec<u8> {
    let lines = b"needle\n".iter().chain(b"hay\n".iter().cycle());
    let skipped = usize::try_from(start).unwrap();
    lines.copied().skip(skipped).take(usize::try_from(bytes).unwrap()).collect()
}

/// Returns the attributes of the root directory or of a file. A file has 100 bytes, or 2 MB if its start is `readable`.
fn attributes(node: u64, readable: u64) -> Vec<u8> {
    let file_bytes = if readable > 0 { 2 << 20 } else { 100 };
    let (mode, bytes): (u32, u64) = if node == ROOT_INODE { (0o040_755, 0) } else { (0o100_644, file_bytes) };
    let times = [0; 4 * 8 + 3 * 4];
    let rest = [mode, 1, 0, 0, 0, 4096, 0].map(u32::to_le_bytes).concat();
    [&node.to_le_bytes()[..], &bytes.to_le_bytes(), &times, &rest].concat()
}

/// Number of reads or listings that two workers allow at the same time.
const PERMITS: usize = 8;

#[test]
fn cancelled_calls_on_hung_files_release_their_permits() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    // Dropped after `hung`: a process cannot end while it waits for the file system.
    let mut client = Start::new(&workspace).flags(["--workers", "2"]).client();
    let Some(hung) = Hung::mount(&workspace, "hung") else { return };
    let path = |n: usize| json!(format!("hung/file-{n}"));
    for (opcode, tool, first) in
        [(READ, "read", 0), (OPEN, "read", 100), (LOOKUP, "read", 200), (OPENDIR, "ls", 0)]
    {
        hung.hang(opcode);
        let arguments =
            |n: usize| if tool == "ls" { json!({"path": "hung"}) } else { json!({"path": path(first + n)}) };
        let ids: Vec<u64> = (0..11).map(|n| client.send_call(tool, arguments(n), None)).collect();
        eventually("all permits are used", || hung.waiting.load(Ordering::SeqCst) >= PERMITS);
        client.ask("ping", json!({}));
        for id in ids {
            client.cancel(id);
        }
        // Twice as many calls as there are permits.
        for _ in 0..2 * PERMITS {
            client.call("read", json!({"path": "a"})).assert_text("one\n");
        }
        client.call("ls", json!({"limit": 1})).assert_success();
        client.call("grep", json!({"pattern": "one", "path": "a"})).assert_text("a:1: one");
        client.call("bash", json!({"command": "cat a"})).assert_text("one\n");
    }
    // The threads of these calls are stuck until the file system responds. Their number is limited. At the limit, calls get
    // an error.
    hung.hang(READ);
    let mut refused = None;
    for n in 0..100 {
        let id = client.send_call("read", json!({"path": path(1000 + n)}), None);
        eventually("the call hangs or is refused", || {
            client.ask("ping", json!({}));
            refused = client.has_response(id).then(|| client.response(id));
            refused.is_some() || hung.waiting.load(Ordering::SeqCst) > n
        });
        if refused.is_some() {
            break;
        }
        client.cancel(id);
    }
    let refused = refused.expect("more threads than the limit are stuck").to_string();
    assert!(refused.contains("still blocked in the system"), "{refused}");
    // After the unmount, the blocked reads return an error, and calls work again.
    drop(hung);
    eventually("a call works again", || !client.call("read", json!({"path": "a"})).is_error());
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
}

#[test]
fn server_exits_while_interruptible_reads_hang() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).client();
    let Some(hung) = Hung::mount(&workspace, "hung") else { return };
    client.send_call("read", json!({"path": "hung/x"}), None);
    client.send_call("grep", json!({"pattern": "x", "path": "hung/y"}), None);
    eventually("both hang", || hung.waiting.load(Ordering::SeqCst) >= 2);
    hung.interruptible.store(true, Ordering::SeqCst);
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
}

#[test]
fn matches_before_a_hung_folder_are_returned_at_the_deadline() {
    let workspace = Workspace::with(&json!({"a": "needle\n"}));
    // Long enough to search the first file on a busy machine.
    let flags = ["--search-timeout", "4", "--workers", "2"];
    let mut client = Start::new(&workspace).flags(flags).client();
    let Some(hung) = Hung::mount(&workspace, "hung") else { return };
    hung.hang(OPENDIR);
    let id = client.send_call("grep", json!({"pattern": "needle"}), None);
    eventually("the folder hangs", || hung.waiting.load(Ordering::SeqCst) > 0);
    client.call("grep", json!({"pattern": "needle", "path": "a"})).assert_text("a:1: needle");
    let response = client.response(id);
    let result = &response["result"];
    assert_eq!(
        result["content"][0]["text"],
        "a:1: needle\n\n[Stopped after 4 seconds: searched up to a. Narrow path or glob]",
        "{response}"
    );
    assert_eq!(result["_meta"]["details"]["timedOut"], true, "{response}");
}
