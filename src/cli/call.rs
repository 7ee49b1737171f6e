//! `cutline call TOOL key=value …`: one tool, here, and what the model would see of it.

use std::io::Write as _;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::server::{Shape, result_of};
use crate::tools::arguments::Object;
use crate::tools::{Context, Output, Progress, ToolError, ToolName, catalog};

use super::{Options, TOOL_ERROR, refuse, serve};

/// How notices look on a terminal.
const NOTICE: Style = AnsiColor::Yellow.on_default();
/// Exit code of a call that was ended from the keyboard.
const INTERRUPTED: i32 = 130;

/// Does one call; the exit code.
pub(super) fn run(options: &Options, tool: &str, arguments: &[String], json: bool) -> anyhow::Result<i32> {
    let registered = |tool: &ToolName| options.tools.contains(tool);
    let Some(tool) = ToolName::of(tool).filter(registered) else {
        refuse(format!("{tool} is not a tool that is registered"));
    };
    let given = object(arguments).unwrap_or_else(|message| refuse(message));
    let shared = options.shared().unwrap_or_else(|message| refuse(message));
    let workspace = options.workspace(&shared).unwrap_or_else(|message| refuse(message));
    let cx = Context {
        shared,
        workspace: Arc::new(workspace),
        cancel: CancellationToken::new(),
        shutdown: CancellationToken::new(),
        progress: Progress::default(),
    };
    let runtime = serve::runtime()?;
    let (outcome, interrupted) = runtime.block_on(call(&cx, tool, given));
    let failed = outcome.is_err();
    if json {
        let shape = if options.structured { Shape::Structured } else { Shape::Text };
        let result = serde_json::to_string_pretty(&result_of(outcome, shape))?;
        writeln!(std::io::stdout().lock(), "{result}")?;
    } else {
        print(outcome)?;
    }
    runtime.shutdown_background();
    Ok(if interrupted {
        INTERRUPTED
    } else if failed {
        TOOL_ERROR
    } else {
        0
    })
}

/// Runs the tool; Ctrl-C takes the call back as a client would.
async fn call(cx: &Context, tool: ToolName, given: Object) -> (Result<Output, ToolError>, bool) {
    let mut work = std::pin::pin!(catalog::call(cx, tool, given));
    let (outcome, interrupted) = tokio::select! {
        outcome = &mut work => (outcome, false),
        _ = tokio::signal::ctrl_c() => {
            cx.cancel.cancel();
            (work.await, true)
        }
    };
    cx.shared.commands.shutdown().await;
    (outcome, interrupted)
}

/// `key=value` words as the object that a model would send; numbers and switches are taken from text.
fn object(words: &[String]) -> Result<Object, String> {
    let pair = |word: &String| match word.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), Value::String(value.to_owned()))),
        _ => Err(format!("{word} is not KEY=VALUE")),
    };
    words.iter().map(pair).collect()
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
