//! bash: runs a command in the workspace, with a timeout and limits for its output.
//!
//! If the command ran, the call succeeds, whatever the exit code; the result shows the status. A call is an error only
//! if the command could not be started or the arguments are invalid.

pub(super) mod plan;
mod progress;
mod result;

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::resolve::{self, ExpectedKind};
use super::{Context, Output, ToolError};
use crate::fs::workspace::shown;
use crate::process::{Cause, CommandOutcome, CommandPermit, Running, State, Times, TooManyCommands};
use cutline_core::text::show;
use plan::Plan;
use progress::ProgressReporter;

pub use result::format_output;

/// Minimum time until a call returns while its command keeps running, even if it waited for a permit.
const MIN_RESULT_TIME: Duration = Duration::from_millis(500);

/// The arguments of bash.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BashArgs {
    /// Command line for bash -c
    pub command: String,
    /// Folder to run in; default: the workspace
    pub cwd: Option<String>,
    /// Seconds until it is ended
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
    /// Lines to keep from the start of the output
    pub head: Option<u64>,
    /// Lines to keep from the end
    pub tail: Option<u64>,
}

/// Runs one call.
pub async fn run(cx: &Context, args: BashArgs) -> Result<Output, ToolError> {
    let plan = Plan::new(args, &cx.limits)?;
    let folder = folder(cx, plan.args.cwd.clone()).await?;
    let mut reporter = ProgressReporter::new(&cx.progress);
    let permit = wait_for_permit(cx, &mut reporter).await?;
    let answer_within = answer_within(cx).map(|left| left.max(MIN_RESULT_TIME));
    let times = Times { timeout: plan.timeout, answer_within };
    let not_started = |source| ToolError::Spawn(show::name(shown(&folder)).into_owned(), source);
    let roots = &cx.workspace.roots;
    let running = cx.shared.commands.run(permit, &plan.args.command, roots, &folder, plan.view, times);
    let mut running = running.map_err(not_started)?;
    match watch(cx, &mut running, reporter).await.map_err(ToolError::ResultLost)? {
        CommandOutcome { state: State::Finished { cause: Cause::Cancelled, .. }, .. } => {
            Err(ToolError::Cancelled)
        }
        outcome => Ok(result::compose(cx, &plan, outcome)),
    }
}

/// Returns the folder for a command, without links: `cwd`, which must be inside the roots, or the workspace.
async fn folder(cx: &Context, cwd: Option<String>) -> Result<PathBuf, ToolError> {
    let Some(cwd) = cwd else { return Ok(cx.workspace.dir().to_owned()) };
    cx.blocking(move |cx| Ok(resolve::open(cx, &cwd, ExpectedKind::Directory)?.real.clone())).await
}

/// Returns the time that is left of `answer_within`. The client's timeout starts with the call.
fn answer_within(cx: &Context) -> Option<Duration> {
    Some(cx.limits.answer_within?.saturating_sub(cx.deadline.start.elapsed()))
}

/// Waits for a permit to run the command, at most for `answer_within`, and without a limit if there is none. Reports
/// progress while it waits.
async fn wait_for_permit(
    cx: &Context,
    reporter: &mut ProgressReporter<'_>,
) -> Result<CommandPermit, ToolError> {
    let mut permit = std::pin::pin!(cx.shared.commands.permit());
    let mut time_limit = std::pin::pin!(tokio::time::sleep(answer_within(cx).unwrap_or(Duration::MAX)));
    loop {
        tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return Err(ToolError::Cancelled),
            permit = &mut permit => {
                return permit.map_err(|TooManyCommands(left)| ToolError::TooManyCommands(left));
            }
            () = cx.shared.commands.shutdown_started() => return Err(ToolError::Cancelled),
            () = &mut time_limit => {
                return Err(ToolError::NotStarted(cx.limits.answer_within.unwrap_or_default().as_secs()));
            }
            () = reporter.due(), if cx.progress.is_wanted() => reporter.report_waiting(),
        }
    }
}

/// Waits for the end of the command, reports its progress, and ends it if the call is cancelled. The end of the server
/// ends the command too.
async fn watch(
    cx: &Context,
    running: &mut Running,
    mut reporter: ProgressReporter<'_>,
) -> std::io::Result<CommandOutcome> {
    loop {
        tokio::select! {
            outcome = running.outcome() => return outcome,
            () = cx.cancel.cancelled() => break,
            () = reporter.due(), if cx.progress.is_wanted() => reporter.report(running),
        }
    }
    running.cancel();
    running.outcome().await
}

#[cfg(test)]
mod tests;
