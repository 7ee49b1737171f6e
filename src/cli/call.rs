//! `cutline call TOOL key=value …` runs one tool and prints the result as the model would see it.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use anyhow::{Context as _, ensure};
use clap::{ArgAction, ArgMatches};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::call_stats::{CallStats, now};
use crate::fit::Client;
use crate::limits::Limits;
use crate::server::result_of;
use crate::signals::signals;
use crate::stats::{Outcome, Record, Tool};
use crate::stop::Deadline;
use crate::tools::arguments::{self, Object};
use crate::tools::catalog::{self, Called};
use crate::tools::{Context, Output, Progress, ToolError, ToolName, ToolSet};
use cutline_core::notice::Count;
use cutline_core::text::show;

use super::{Options, TOOL_ERROR, print, print_styled, refuse_in, serve};

/// The id of the arguments after the tool.
const WORDS: &str = "words";
/// The style of notices on a terminal.
const NOTICE: Style = AnsiColor::Yellow.on_default();
/// The start of the hint how to wait for a command that keeps running.
const WAIT_HINT: &str = " Use bash to wait for it: ";
/// Exit code of a call that was cancelled with Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Template for the help of a tool.
const HELP: &str = "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\n{all-args}";

/// Adds a subcommand for each tool with its description and arguments.
pub(super) fn with_tools(call: clap::Command) -> clap::Command {
    let tools =
        ToolName::ALL.map(|tool| clap::Command::new(tool.as_str()).about(tool.title()).defer(with_help));
    call.subcommand_required(true).subcommands(tools)
}

/// Adds the description and the arguments to the subcommand of a tool.
fn with_help(command: clap::Command) -> clap::Command {
    let Some(tool) = ToolName::of(command.get_name()) else { return command };
    let words = clap::Arg::new(WORDS).value_name("KEY=VALUE").num_args(0..).action(ArgAction::Append);
    command
        .long_about(tool.description(&Limits::default(), &ToolSet::from(ToolName::ALL)))
        .after_help(format!("Keys:\n{}", keys(&arguments::without_bounds(tool.schema())).join("\n")))
        .help_template(HELP)
        .arg(words.help("The arguments of the tool"))
}

/// Returns a line for each argument of a schema.
fn keys(schema: &Object) -> Vec<String> {
    let required = schema.get("required").and_then(Value::as_array);
    let line = |(name, property): (&String, &Value)| {
        let [kind, about] = ["type", "description"].map(|field| property[field].as_str().unwrap_or_default());
        let is_required = required.is_some_and(|names| names.contains(&name.as_str().into()));
        format!("  {name:<10} {kind:<8} {about}{}", if is_required { "; required" } else { "" })
    };
    schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(line).collect()
}

/// Runs the call in `matches` and returns the exit code.
pub(super) fn run(options: &Options, matches: &ArgMatches, json: bool) -> anyhow::Result<i32> {
    let (name, matches) = matches.subcommand().context("no tool is named")?;
    let tool = ToolName::of(name).context("there is no tool with this name")?;
    let words = matches.get_many(WORDS).unwrap_or_default();
    let runtime = serve::runtime()?;
    let (cx, given, stats) =
        prepared(options, tool, words).unwrap_or_else(|message| refuse_in(&["call", name], message));
    let start = Instant::now();
    let Called { mut outcome, limits } = runtime.block_on(call(&cx, tool, &given));
    let counted = Outcome::of(&outcome, &limits);
    stats.add(&Record::new(now(), Tool::Own(tool), start.elapsed(), counted));
    let code = match &outcome {
        _ if cx.cancel.is_cancelled() => INTERRUPTED,
        Ok(_) => 0,
        Err(_) => TOOL_ERROR,
    };
    let ended = outcome.as_mut().ok().and_then(ended_with_call);
    if json {
        print_text(&(serde_json::to_string_pretty(&result_of(outcome, options.result_format()))? + "\n"))?;
    } else {
        print_answer(outcome)?;
    }
    if let Some(message) = ended {
        writeln!(anstream::stderr(), "{NOTICE}{message}{NOTICE:#}")?;
    }
    runtime.shutdown_background();
    Ok(code)
}

/// Returns a message about processes that ended with the call. The result states that they keep running, which is true
/// only in a server. Removes the hint how to wait for a command.
fn ended_with_call(output: &mut Output) -> Option<String> {
    if output.details.still_running == Some(true) {
        let hint = output.text.rfind(WAIT_HINT).filter(|at| *at >= output.body_bytes);
        if let Some((at, len)) = hint.and_then(|at| Some((at, output.text.get(at..)?.find(']')?))) {
            output.text.replace_range(at..at + len, "");
        }
        return Some("the command ended with this call: only a server keeps commands running".to_owned());
    }
    let count = output.details.background_pids.as_ref()?.len() as u64;
    let processes = Count(count, "background process was", "background processes were");
    Some(format!("{processes} ended with this call: only a server keeps background processes running"))
}

/// Returns the settings of the call.
fn prepared<'a>(
    options: &Options,
    tool: ToolName,
    words: impl Iterator<Item = &'a String>,
) -> anyhow::Result<(Context, Object, CallStats)> {
    ensure!(options.tools.contains(&tool), "{} is not registered", tool.as_str());
    let given = object(tool, words)?;
    let shared = options.shared()?;
    let workspace = Arc::new(options.workspace(&shared)?);
    let saved_in = shared.commands.store.path();
    let fitted = |client: &Client| client.fitted(&shared.limits, options.given(), saved_in.as_deref());
    let limits = options.fit.profile(None).map_or_else(|| shared.limits.clone(), fitted);
    let deadline = Deadline::new(Instant::now(), limits.search_timeout);
    let cx = Context {
        limits,
        shared,
        workspace,
        cancel: CancellationToken::new(),
        deadline,
        progress: Progress::default(),
        ignored: cutline_core::notice::Names::default(),
    };
    Ok((cx, given, CallStats::new(options.stats_file()?)))
}

/// Runs the tool. A signal that would end this process cancels the call, as a client would.
async fn call(cx: &Context, tool: ToolName, given: &Object) -> Called {
    let cancel = cx.cancel.clone();
    if let Ok(mut signals) = signals() {
        tokio::spawn(async move {
            signals.next().await;
            cancel.cancel();
        });
    }
    let called = catalog::call(cx, tool, given, |_| async { Ok(()) }).await;
    cx.shared.commands.shutdown().await;
    called
}

/// Converts `key=value` words to the object that a model would send. Numbers and booleans stay strings.
fn object<'a>(tool: ToolName, words: impl Iterator<Item = &'a String>) -> anyhow::Result<Object> {
    let mut object = Object::new();
    for word in words {
        let pair = word.split_once('=').filter(|(key, _)| !key.is_empty());
        let first = tool.schema().get("required").and_then(|names| names[0].as_str()).unwrap_or("path");
        let hint = || format!("{word} is not KEY=VALUE, for example {first}={word}");
        let (key, value) = pair.with_context(hint)?;
        let earlier = object.insert(key.to_owned(), value.into());
        ensure!(earlier.is_none(), "{word}: duplicate key");
    }
    Ok(object)
}

/// Prints the text of a result. Notices have the warning colour if stdout supports colours.
fn print_answer(outcome: Result<Output, ToolError>) -> std::io::Result<()> {
    match outcome {
        Ok(output) => {
            let (body, notices) = output.text.split_at(output.body_bytes);
            print_text(body)?;
            if !notices.is_empty() {
                print_styled(&format!("{NOTICE}{notices}{NOTICE:#}"))?;
            }
            print(if output.text.ends_with('\n') { "" } else { "\n" })
        }
        Err(error) => writeln!(anstream::stderr(), "{NOTICE}{error}{NOTICE:#}"),
    }
}

/// Prints text from files or commands. On a terminal, control characters become visible escapes. A pipe gets the text
/// unchanged.
fn print_text(text: &str) -> std::io::Result<()> {
    if std::io::stdout().is_terminal() { print(show::on_terminal(text).as_ref()) } else { print(text) }
}
