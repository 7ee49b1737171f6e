//! `cutline doctor` starts this server and each client's entry, and reports problems of the machine and of the entries.

#![expect(clippy::indexing_slicing, reason = "indexing JSON returns null for a missing field")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anstyle::AnsiColor;
use anyhow::{Context as _, anyhow, bail, ensure};
use serde_json::{Value, json};

use super::config::{self, Place, is_cutline, wrapped};
use super::{NAME, Options, Running, TOOL_ERROR, is_same, parsed, print, print_styled, typed};
use crate::fit::{Client, Files, Format};
use crate::fs::workspace::shown;
use crate::process::{self, sandbox};
use crate::tools::error::reason;
use Finding::{Fine, Note, Wrong};
use cutline_core::notice::Count;
use cutline_core::text::show;

/// A newline and the indentation of the following lines of a finding.
const FURTHER_LINE: &str = "\n      ";

/// What the sandbox does not cover on an older kernel.
const UNIX_SOCKETS: &str = "under --sandbox workspace-write a command can bypass the sandbox through any program of this \
    user that listens on a UNIX socket: --sandbox-deny unix-sockets prevents that";

/// Prefixes of placeholders that clients replace before they start a server.
const FILLED_IN: [&str; 3] = ["${", "{env:", "{file:"];
/// The start of the variables of cutline. Other variables of an entry could make the system load other code.
const VARIABLE: &str = "CUTLINE_";

/// Timeout of a response, and of the end. Each needs much less time.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The protocol revision that `doctor` uses.
const REVISION: &str = "2025-06-18";
/// Maximum bytes of stderr in a message.
const STDERR_BYTES: u64 = 4000;

/// The result of one check.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    /// The check passed.
    Fine(String),
    /// The check passed, but the user should know this.
    Note(String),
    /// The check failed.
    Wrong(String),
}

fn finding(result: anyhow::Result<String>) -> Finding {
    result.map_or_else(|error| Wrong(format!("{error:#}")), Fine)
}

/// Checks the machine, the server and the clients' files. Returns the exit code, which is 1 if something is wrong.
pub(super) fn run(options: &Options) -> anyhow::Result<i32> {
    let binary = std::env::current_exe()?;
    let mut findings = machine(options, &binary);
    let mut server = Command::new(&binary);
    server.args(typed::given()?.into_iter().flat_map(|flag| flag.words));
    let folder = options.roots.first().map_or(Path::new("."), |root| root);
    let started = session(server, "cutline-doctor", folder);
    let started = started.map(|text| format!("{NAME} starts with these flags: {text}"));
    findings.push(finding(started.with_context(|| format!("{NAME} does not start with these flags"))));
    findings.extend(of_clients(&binary));
    let (mut notes, mut wrong) = (0, 0);
    for finding in findings {
        let (word, colour, text) = match finding {
            Fine(text) => ("ok", AnsiColor::Green, text),
            Note(text) => ("note", AnsiColor::Yellow, text),
            Wrong(text) => ("wrong", AnsiColor::Red, text),
        };
        notes += u64::from(word == "note");
        wrong += u32::from(word == "wrong");
        let style = colour.on_default();
        // File names and contents may come from another person's project. They must not contain escape sequences or
        // imitate a finding.
        let lines: Vec<_> = text.lines().map(|line| show::name(line.as_bytes())).collect();
        print_styled(&format!("{style}{word:<6}{style:#}{}\n", lines.join(FURTHER_LINE)))?;
    }
    print(format!("{wrong} wrong, {}\n", Count(notes, "note", "notes")))?;
    Ok(if wrong == 0 { 0 } else { TOOL_ERROR })
}

/// Checks the programs and permissions on this machine that the server needs.
fn machine(options: &Options, binary: &Path) -> Vec<Finding> {
    let mut all = vec![Fine(format!("{NAME} {} is {}", env!("CARGO_PKG_VERSION"), binary.display()))];
    all.push(match process::on_path(NAME) {
        Some(path) if is_same(&path, binary) => Fine(format!("{NAME} is on PATH")),
        Some(other) => Note(format!("on PATH there is another: {}", other.display())),
        None => Note(format!("it is not on PATH: a client needs its path, which `{NAME} config` writes")),
    });
    all.extend(options.roots.iter().map(|root| finding(check_root(root))));
    match options.shared() {
        Err(error) => all.push(Wrong(error.to_string())),
        Ok(shared) => {
            let shell = &shared.commands.shell;
            all.push(match shell.file_stem() {
                _ if process::on_path(shell).is_none() => {
                    Wrong(format!("there is no bash: {} can't be started", shell.display()))
                }
                Some(name) if name == "bash" => Fine(format!("commands run by {}", shell.display())),
                _ => Note(format!("there is no bash on PATH: commands run by {}", shell.display())),
            });
            if let (Some(sandbox), Ok(workspace)) = (&shared.commands.sandbox, options.workspace(&shared)) {
                all.extend(sandbox.warning(&workspace.roots).map(Note));
            }
            let saved = shared.commands.store.try_out();
            let saved = saved.map_err(|error| anyhow!("full outputs cannot be saved: {}", reason(&error)));
            let folder = saved.map(|folder| String::from_utf8_lossy(shown(&folder)).into_owned());
            all.push(finding(folder.map(|folder| format!("full outputs are saved in {folder}"))));
        }
    }
    let is_open = options.sandbox == sandbox::Mode::WorkspaceWrite && options.sandbox_deny.is_empty();
    if let Err(error) = sandbox::probe() {
        all.push(Note(format!("--sandbox is not available here: {error}")));
    } else {
        all.push(Fine("--sandbox can restrict commands".to_owned()));
        all.extend((is_open && !sandbox::knows_unix_sockets()).then(|| Note(UNIX_SOCKETS.to_owned())));
    }
    all
}

/// Returns an error if a folder is not usable as a root.
fn check_root(root: &Path) -> anyhow::Result<String> {
    let read =
        std::fs::read_dir(root).map_err(|error| anyhow!("--root {}: {}", root.display(), reason(&error)));
    read.map(|_| format!("--root {} is a folder that can be read", root.display()))
}

/// Returns true for the flags and variables with files to which the server writes. An entry may belong to another
/// person's project, so `doctor` starts it without them.
fn is_writing(flag: &str) -> bool {
    let name = flag.trim_start_matches("--").to_lowercase().replace('_', "-");
    name == "stats-file" || name.starts_with("spill-")
}

/// Returns true for a text with a placeholder.
fn is_filled_in(text: &str) -> bool {
    FILLED_IN.iter().any(|start| text.contains(start))
}

/// Checks the entries in all files of clients.
fn of_clients(binary: &Path) -> Vec<Finding> {
    let check = |client: &'static Client| {
        checked(client, binary).unwrap_or_else(|error| {
            // Only a note for a file that cannot be read, which may be another person's, and for YAML that cutline did not write.
            let is_unread = error.downcast_ref::<std::io::Error>().is_some();
            let finding = if is_unread || client.files.format == Format::Yaml { Note } else { Wrong };
            vec![finding(format!("{}: {error:#}", client.files.name))]
        })
    };
    let mut all: Vec<Finding> = config::clients().flat_map(check).collect();
    if all.is_empty() {
        all.push(Note(format!("no client in this folder starts {NAME}: run {NAME} config CLIENT --write")));
    }
    all
}

/// An entry that starts cutline.
struct Entry {
    place: Place,
    name: String,
    value: Value,
    words: Vec<String>,
}

/// Checks the first entry of a client that starts cutline, and all entries that start `cutline wrap`.
fn checked(client: &'static Client, binary: &Path) -> anyhow::Result<Vec<Finding>> {
    let (name, mut own, mut all) = (client.files.name, Vec::new(), Vec::new());
    for place in config::places(client) {
        if place.is_shared_yaml() || !place.path.exists() {
            continue;
        }
        let unreadable = || format!("{place} could not be parsed");
        for (entry, value) in config::servers(&place).with_context(unreadable)? {
            let words = config::words(&client.files, &value).with_context(|| format!("{place}: {entry}"))?;
            if let Some((_, command)) = wrapped(&words) {
                let programs = words.first().into_iter().chain(command.first());
                let mut missing =
                    programs.filter(|program| !is_filled_in(program) && process::on_path(program).is_none());
                let text = format!("{name}: {place} wraps {entry}");
                all.push(match missing.next() {
                    None => Fine(text),
                    Some(program) => Wrong(format!("{text} with {program}, which is not a program")),
                });
            } else if !words.is_empty() && (entry == NAME || is_cutline(&words)) {
                own.push(Entry { place: place.clone(), name: entry, value, words });
            }
        }
    }
    all.extend(own.split_first().map(|(first, others)| of_first(binary, first, others)));
    Ok(all)
}

/// Checks an entry that starts cutline. `others` are the entries after it.
fn of_first(binary: &Path, entry: &Entry, others: &[Entry]) -> Finding {
    let (Entry { place, value, words, .. }, Files { name, .. }) = (entry, entry.place.client.files);
    let program = words.first().map_or("", String::as_str);
    let other = others.iter().find(|other| other.words != *words);
    let other = other.map_or_else(String::new, |Entry { place, name, .. }| {
        let own = if *name == entry.name { String::new() } else { format!(": {name}") };
        format!("; {place} has another entry{own}")
    });
    let own = if entry.name == NAME { String::new() } else { format!("{}: ", entry.name) };
    let what = format!("{name}: {own}{place} starts {program}");
    if config::is_switched_off(value) {
        return Note(format!("{name}: the entry in {place} is switched off{other}"));
    }
    let values = config::variables(&place.client.files, value).map(|(_, value)| value);
    let folder = config::folder(&place.client.files, value);
    let mut texts = words.iter().map(String::as_str).chain(values).chain(folder);
    if texts.any(is_filled_in) {
        return Note(format!("{what} with ${{…}}, which the client fills in: it was not started"));
    }
    match process::on_path(program) {
        None => Wrong(format!("{what}, which is not a program")),
        Some(path) if !is_same(&path, binary) => {
            Note(format!("{what}, another program than this one: it was not started"))
        }
        Some(_) => match started(entry, binary) {
            Ok((text, None)) if other.is_empty() => Fine(format!("{what}: {text}")),
            Ok((text, None)) => Note(format!("{what}: {text}{other}")),
            Ok((text, Some(root))) => Note(format!("{what}: {text}; this entry works in {root}{other}")),
            Err(error) => Wrong(format!("{what}, but {error:#}")),
        },
    }
}

/// Starts an entry. Returns what it did, and its first root if that is not in the current folder.
fn started(entry: &Entry, binary: &Path) -> anyhow::Result<(String, Option<String>)> {
    let Entry { place: Place { client, .. }, value, words, .. } = entry;
    let arguments = words.get(1..).unwrap_or_default();
    let options = parsed(arguments)?;
    let flags = typed::flags_of(arguments)?;
    let flags = flags.iter().filter(|flag| !is_writing(&flag.name)).flat_map(|flag| &flag.words);
    let here = std::env::current_dir().unwrap_or_default();
    let folder = here.join(config::folder(&client.files, value).unwrap_or_default());
    options.roots.iter().try_for_each(|root| check_root(&folder.join(root)).map(drop))?;
    // The file itself is not opened, because that creates it.
    if let Some(file) = &options.stats_file {
        let of_file = folder.join(file);
        let is_there = of_file.parent().is_some_and(Path::is_dir);
        ensure!(is_there, "--stats-file {}: its folder does not exist", file.display());
    }
    let root = options.roots.first().map_or_else(|| folder.clone(), |root| folder.join(root));
    let saved = tempfile::tempdir()?;
    let mut command = Command::new(binary);
    let is_harmless = |name: &str| name.strip_prefix(VARIABLE).is_some_and(|name| !is_writing(name));
    command.args(flags).envs(config::variables(&client.files, value).filter(|(name, _)| is_harmless(name)));
    command.env_remove("CUTLINE_STATS_FILE").env("CUTLINE_SPILL_DIR", saved.path()).current_dir(&folder);
    let text = session(command, client.id, &root)?;
    let followed = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (root, here) = (followed(&root), followed(&here));
    let is_here = options.roots.is_empty() || here.starts_with(&root) || root.starts_with(&here);
    Ok((text, (!is_here).then(|| root.display().to_string())))
}

/// Starts the server as the client `name` would, lists its tools, reads the first file of `folder`, and stops the
/// server. Returns what it did.
///
/// # Errors
///
/// Returns what is wrong with the server.
fn session(mut command: Command, name: &str, folder: &Path) -> anyhow::Result<String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = Running(command.spawn().context("it can't be started")?);
    let pipes = server.0.stdin.take().zip(server.0.stdout.take());
    let (mut stdin, stdout) = pipes.context("it has no pipes")?;
    let (send, lines) = channel();
    let read_lines =
        move || BufReader::new(stdout).lines().map_while(Result::ok).try_for_each(|line| send.send(line));
    thread::spawn(read_lines);
    let file = first_file(folder);
    let mut ask = |method: &str, params: &Value| -> anyhow::Result<Value> {
        let request = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
        // If the server has ended, reading the response fails.
        let _ended = writeln!(stdin, "{request}");
        while let Ok(line) = lines.recv_timeout(TIMEOUT) {
            let message = serde_json::from_str::<Value>(&line);
            let mut message =
                message.with_context(|| format!("its stdout has a line that is no JSON: {line}"))?;
            if message["id"] == method {
                ensure!(message["error"].is_null(), "{method} was refused: {}", message["error"]["message"]);
                return Ok(message["result"].take());
            }
        }
        bail!("it did not answer to {method}")
    };
    let talk = || {
        let me = json!({"name": name, "version": env!("CARGO_PKG_VERSION")});
        let hello = json!({"protocolVersion": REVISION, "capabilities": {}, "clientInfo": me});
        let version = ask("initialize", &hello)?["serverInfo"]["version"].take();
        let list = ask("tools/list", &json!({}))?;
        let tools = list["tools"].as_array().into_iter().flatten();
        let tools: Vec<&str> = tools.filter_map(|tool| tool["name"].as_str()).collect();
        let mut text =
            format!("version {}, tools {}", version.as_str().unwrap_or_default(), tools.join(", "));
        if let Some(path) = file.filter(|_| tools.contains(&"read")) {
            let call = json!({"name": "read", "arguments": {"path": path, "limit": 1}});
            let result = ask("tools/call", &call)?;
            text += if result["isError"] == true { ", could not read " } else { ", read " };
            text += &path;
        }
        Ok(text)
    };
    let talked = talk();
    drop(stdin);
    let is_closed = lines.recv_timeout(TIMEOUT).is_err_and(|error| error == RecvTimeoutError::Disconnected);
    let mut last_words = String::new();
    if let Some(stderr) = server.0.stderr.take().filter(|_| is_closed) {
        let _what_was_read = stderr.take(STDERR_BYTES).read_to_string(&mut last_words);
    }
    let last_words = last_words.lines().next().unwrap_or_default().trim_start_matches("error: ");
    talked.map_err(|error: anyhow::Error| anyhow!("{error:#} {last_words}"))
}

/// Returns the name of the first file in a folder that is not hidden.
fn first_file(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| !name.starts_with('.')).min()
}
