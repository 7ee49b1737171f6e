//! Log messages about truncated results and results close to a limit, on stderr and as notifications for clients with a
//! handshake that set a level. The protocol has deprecated the notifications, but such clients still expect them.
#![expect(deprecated, reason = "legacy clients that set a level expect log notifications")]

use std::sync::{Mutex, PoisonError};

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ServerCapabilities};
use serde_json::json;

use crate::call_stats::log_size;
use crate::limits::Limits;
use crate::stats::ResultSize;
use crate::tools::Output;

use super::{Request, is_stateless};

/// The parameters of the request that sets the level.
pub(super) type SetLevel = rmcp::model::SetLevelRequestParams;

/// Returns the capabilities of the server: tools and log notifications.
pub(super) fn capabilities() -> ServerCapabilities {
    ServerCapabilities::builder().enable_logging().enable_tools().build()
}

/// The minimum level of log notifications. `None` if the client set none.
#[derive(Debug, Default)]
pub(super) struct LogLevel(Mutex<Option<LoggingLevel>>);

impl LogLevel {
    /// Sets the minimum level.
    pub(super) fn set(&self, request: &SetLevel) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.level);
    }

    /// Logs that a result was truncated or is close to a limit, and notifies the client, if so.
    pub(super) async fn notify(
        &self,
        tool: &str,
        size: &ResultSize,
        output: &Output,
        limits: &Limits,
        request: &Request,
    ) {
        let shown = size.output_bytes;
        let total = output.details.truncation.as_ref().map_or(shown, |cut| cut.total_bytes);
        let Some(message) = log_size(tool, size, total, limits.max_bytes) else { return };
        let level = if size.truncated_by.is_some() { LoggingLevel::Warning } else { LoggingLevel::Info };
        let least = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if is_stateless(request) || least.is_none_or(|least| (level as u8) < least as u8) {
            return;
        }
        let data = json!({ "message": message, "tool": tool, "shown": shown, "total": total });
        let param = LoggingMessageNotificationParam::new(level, data).with_logger(env!("CARGO_PKG_NAME"));
        if let Err(error) = request.peer.notify_logging_message(param).await {
            tracing::debug!(%error, "a log notification could not be sent");
        }
    }
}
