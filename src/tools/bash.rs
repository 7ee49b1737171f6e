//! bash: running a command in the workspace, within its time, its output within the limits.
//!
//! A command that ran is a call that worked, whatever its exit code: how it ended is in the answer.
//! It is an error only where it could not be started, or not be understood.

mod answer;
mod plan;
mod progress;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Context, Output, ToolError};
use crate::process::{Cause, CommandPermit, Finished, Request, Running, TooManyCommands};
use plan::Plan;
use progress::News;

/// The arguments of bash.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Command line for bash -c, run in the workspace
    pub command: String,
    /// Seconds until it is ended
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
    /// Lines to keep from the start of the output
    pub head: Option<u64>,
    /// Lines to keep from the end
    pub tail: Option<u64>,
}

/// Does one call.
pub async fn run(cx: &Context, args: Args) -> Result<Output, ToolError> {
    let plan = Plan::new(args, cx.limits())?;
    let request = Request {
        command: &plan.command,
        roots: cx.workspace.roots(),
        timeout: plan.timeout,
        keep: plan.keep,
        max_bytes: cx.limits().max_bytes,
    };
    let mut news = News::new(&cx.progress);
    let permit = wait_for_permit(cx, &mut news).await?;
    let mut running =
        cx.shared.commands.run(permit, request).map_err(|source| ToolError::Spawn { source })?;
    let finished = watch(cx, &mut running, news).await.map_err(|source| ToolError::Spawn { source })?;
    match finished.cause {
        Cause::Cancelled => Err(ToolError::Cancelled),
        Cause::Itself | Cause::Timeout => Ok(answer::compose(&plan, finished, cx.limits())),
    }
}

/// Waits until the command can run, and tells that it waits.
async fn wait_for_permit(cx: &Context, news: &mut News<'_>) -> Result<CommandPermit, ToolError> {
    let mut permit = std::pin::pin!(cx.shared.commands.permit());
    loop {
        tokio::select! {
            permit = &mut permit => {
                return permit.map_err(|TooManyCommands(left)| ToolError::TooManyCommands { left });
            }
            () = cx.cancel.cancelled() => return Err(ToolError::Cancelled),
            () = cx.shutdown.cancelled() => return Err(ToolError::Cancelled),
            () = news.due() => news.tell_of_waiting(),
        }
    }
}

/// Waits for the command's end, tells of its news, and ends it where the call is taken back.
async fn watch(cx: &Context, running: &mut Running, mut news: News<'_>) -> std::io::Result<Finished> {
    loop {
        tokio::select! {
            finished = running.finished() => return finished,
            () = cx.cancel.cancelled() => break,
            () = cx.shutdown.cancelled() => break,
            () = news.due() => news.tell(running),
        }
    }
    running.cancel();
    running.finished().await
}

#[cfg(test)]
mod tests;
