//! `cutline call TOOL key=value …`: one tool, here, and what the model would see of it.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use anyhow::Context as _;
use clap::{ArgAction, ArgMatches};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::call_stats::StatsFile;
use crate::clock::now_ms;
use crate::limits::Limits;
use crate::server::result_of;
use crate::stats::{Call, Record};
use crate::tools::arguments::{self, Object};
use crate::tools::{Context, Output, Progress, ToolError, ToolName, ToolSet, catalog};
use cutline_core::notice::Count;
use cutline_core::text::show;

use super::{Options, TOOL_ERROR, refuse_in, serve, unless_closed};

/// The name of the words after a tool's.
const WORDS: &str = "words";
/// The style of notices on a terminal.
const NOTICE: Style = AnsiColor::Yellow.on_default();
/// Characters of the line of news: less than a terminal is wide.
const NEWS_CHARS: usize = 76;
/// Goes to the line's start and clears it.
const CLEAR: &str = "\r\x1b[K";
/// Exit code of a call that was ended from the keyboard.
const INTERRUPTED: i32 = 130;

/// Adds a command for each tool.
pub(super) fn with_tools(call: clap::Command) -> clap::Command {
    ToolName::ALL.into_iter().fold(call.subcommand_required(true), |call, tool| {
        let words = clap::Arg::new(WORDS).value_name("KEY=VALUE").num_args(0..).action(ArgAction::Append);
        let words = words.help("The tool's arguments, as many as it takes");
        let named = clap::Command::new(tool.as_str()).about(tool.title());
        call.subcommand(named.arg(words).defer(with_help))
    })
}

/// The parts of the help of a tool's command, in this order.
const HELP: &str = "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}";

/// A tool's command with what the tool and its arguments are.
fn with_help(command: clap::Command) -> clap::Command {
    let Some(tool) = ToolName::of(command.get_name()) else { return command };
    let schema = tool.schema();
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let properties = schema.get("properties").and_then(Value::as_object);
    let lines = properties.into_iter().flatten().map(|(name, property)| {
        let text = |field| property.get(field).and_then(Value::as_str).unwrap_or_default();
        let needed = if required.iter().any(|one| one == name) { "; required" } else { "" };
        format!("  {name:<10} {:<8} {}{needed}", text("type"), text("description"))
    });
    let keys: Vec<String> = lines.collect();
    command
        .long_about(tool.description(&Limits::default(), &ToolSet::from(ToolName::ALL)))
        .after_help(format!("Keys:\n{}", keys.join("\n")))
        .help_template(HELP)
}

/// Does the call that `matches` name; the exit code.
pub(super) fn run(options: &Options, matches: &ArgMatches, json: bool) -> anyhow::Result<i32> {
    let (name, matches) = matches.subcommand().context("no tool is named")?;
    let tool = ToolName::of(name).context("no tool has that name")?;
    let words: Vec<&String> = matches.get_many(WORDS).unwrap_or_default().collect();
    let (told, runtime) = (Arc::new(AtomicBool::new(false)), serve::runtime()?);
    let (mut cx, given, stats_file) = prepared(options, tool, &words, &told)
        .unwrap_or_else(|message| refuse_in(&["call", tool.as_str()], message));
    let (asked, start) = (arguments::limit_of(tool, &given), Instant::now());
    let (outcome, interrupted) = runtime.block_on(call(&mut cx, tool, given));
    if told.load(Ordering::Relaxed) {
        let _closed = write!(std::io::stderr(), "{CLEAR}");
    }
    if let Some(file) = stats_file {
        let call = Call { tool, asked, time_ms: now_ms(), duration: start.elapsed() };
        file.append(Record::new(&call, &outcome, &cx.limits));
        runtime.block_on(file.finish());
    }
    let failed = outcome.is_err();
    let background = outcome.as_ref().ok().and_then(|output| output.details.background_pids.as_ref());
    let ended =
        background.map(|ids| Count(ids.len() as u64, "background process was", "background processes were"));
    if json {
        let result = serde_json::to_string_pretty(&result_of(outcome, options.shape()))?;
        unless_closed(writeln!(std::io::stdout().lock(), "{result}"))?;
    } else {
        unless_closed(print(outcome))?;
    }
    if let Some(processes) = ended {
        // The answer is a server's, in which they would go on.
        let words = format!("{processes} ended with this call: only a server lets them go on");
        writeln!(anstream::stderr().lock(), "{NOTICE}{words}{NOTICE:#}")?;
    }
    runtime.shutdown_background();
    Ok(match (interrupted, failed) {
        (true, _) => INTERRUPTED,
        (false, true) => TOOL_ERROR,
        (false, false) => 0,
    })
}

/// Returns the settings of the call, or an error in the words or the flags.
fn prepared(
    options: &Options,
    tool: ToolName,
    words: &[&String],
    told: &Arc<AtomicBool>,
) -> Result<(Context, Object, Option<StatsFile>), String> {
    if !options.tools.contains(&tool) {
        return Err(format!("{} is not a tool that is registered", tool.as_str()));
    }
    let given = object(words)?;
    let shared = options.shared()?;
    let workspace = Arc::new(options.workspace(&shared)?);
    let stats_file = options.stats_file()?;
    let cx = Context {
        limits: match options.fit.client(None) {
            Some(client) => {
                client.fitted(&shared.limits, options.given(), shared.commands.store.path().as_deref())
            }
            None => shared.limits.clone(),
        },
        shared,
        workspace,
        cancel: CancellationToken::new(),
        shutdown: CancellationToken::new(),
        progress: news(told),
    };
    Ok((cx, given, stats_file))
}

/// Runs the tool; Ctrl-C takes the call back as a client would.
async fn call(cx: &mut Context, tool: ToolName, given: Object) -> (Result<Output, ToolError>, bool) {
    let (cancel, shared) = (cx.cancel.clone(), Arc::clone(&cx.shared));
    let mut work = std::pin::pin!(catalog::call(cx, tool, &given, |_| async { Ok(()) }));
    let (outcome, interrupted) = tokio::select! {
        outcome = &mut work => (outcome, false),
        _ = tokio::signal::ctrl_c() => {
            cancel.cancel();
            (work.await, true)
        }
    };
    shared.commands.shutdown().await;
    (outcome, interrupted)
}

/// News of long work: one line on the terminal, each in the last one's place; elsewhere none. Once
/// there are any, `told` is set.
fn news(told: &Arc<AtomicBool>) -> Progress {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if dumb || !std::io::stderr().is_terminal() {
        return Progress::default();
    }
    let told = Arc::clone(told);
    Progress::new(move |message| {
        told.store(true, Ordering::Relaxed);
        let line = show::middle_out(&message, NEWS_CHARS);
        let _closed = write!(std::io::stderr(), "{CLEAR}{line}");
    })
}

/// `key=value` words as the object that a model would send; numbers and switches are taken from text.
fn object(words: &[&String]) -> Result<Object, String> {
    let mut object = Object::new();
    for word in words {
        match word.split_once('=').filter(|(key, _)| !key.is_empty()) {
            None => return Err(format!("{word} is not KEY=VALUE")),
            Some((key, value)) if object.insert(key.to_owned(), value.into()).is_none() => {}
            Some(_) => return Err(format!("{word}: this key stands here twice")),
        }
    }
    Ok(object)
}

/// Prints the text as it is, the notices in warning colour where the terminal takes it.
fn print(outcome: Result<Output, ToolError>) -> std::io::Result<()> {
    match outcome {
        Ok(output) => {
            let (body, notices) =
                output.text.split_at_checked(output.body_bytes).unwrap_or((&output.text, ""));
            // The body goes out as it is: it is not ours to strip of escapes.
            std::io::stdout().write_all(body.as_bytes())?;
            let mut stdout = anstream::stdout().lock();
            if !notices.is_empty() {
                write!(stdout, "{NOTICE}{notices}{NOTICE:#}")?;
            }
            if !output.text.ends_with('\n') {
                writeln!(stdout)?;
            }
            stdout.flush()
        }
        Err(error) => writeln!(anstream::stderr().lock(), "{NOTICE}{error}{NOTICE:#}"),
    }
}
