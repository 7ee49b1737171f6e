//! Log notifications for clients with a handshake that set a level.
//!
//! The protocol has deprecated them in favour of stderr, but such clients still expect them.
#![expect(deprecated, reason = "legacy clients that set a level expect log notifications")]

use std::sync::{Mutex, PoisonError};

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ServerCapabilities};
use serde_json::Value;

use super::{Request, is_stateless};

/// The parameters of the request that sets the level.
pub(super) type SetLevel = rmcp::model::SetLevelRequestParams;

/// Returns the capabilities of the server: tools, a resource, and log notifications.
pub(super) fn capabilities() -> ServerCapabilities {
    ServerCapabilities::builder().enable_logging().enable_resources().enable_tools().build()
}

/// The minimum level of log notifications. `None` if the client set none.
#[derive(Debug, Default)]
pub(super) struct LogLevel(Mutex<Option<LoggingLevel>>);

/// The level of a message.
pub(super) type Level = LoggingLevel;
/// The levels of messages, lowest first.
pub(super) const INFO: Level = LoggingLevel::Info;
pub(super) const WARNING: Level = LoggingLevel::Warning;

impl LogLevel {
    /// Sets the minimum level.
    pub(super) fn set(&self, request: &SetLevel) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.level);
    }

    /// Sends a log notification if the client requested this level.
    pub(super) async fn notify(&self, level: Level, data: Value, request: &Request) {
        let least = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = least.is_some_and(|least| level as u8 >= least as u8);
        if is_stateless(request) || !is_wanted || request.ct.is_cancelled() {
            return;
        }
        let param = LoggingMessageNotificationParam::new(level, data).with_logger(env!("CARGO_PKG_NAME"));
        if let Err(error) = request.peer.notify_logging_message(param).await {
            tracing::debug!(%error, "a log notification could not be sent");
        }
    }
}
