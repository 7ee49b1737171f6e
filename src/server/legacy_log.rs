//! Log notifications, for clients of the handshake era that set a level.
//!
//! The protocol has given them up in favour of stderr; a client that asked for them is still owed them.
#![expect(deprecated, reason = "legacy clients that set a level are owed log notifications")]

use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ProtocolVersion, ServerCapabilities};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

/// The request that sets the level.
pub(super) type SetLevel = rmcp::model::SetLevelRequestParams;

/// Returns the server's capabilities: its tools, its resource, and these notifications.
pub(super) fn capabilities() -> ServerCapabilities {
    ServerCapabilities::builder().enable_logging().enable_resources().enable_tools().build()
}

/// No level was set: the client wants none.
const NO_LEVEL: u8 = u8::MAX;

/// The least severe level that a client wants to hear of, as the number that it has among them.
#[derive(Debug)]
pub(super) struct LogLevel(AtomicU8);

impl Default for LogLevel {
    fn default() -> Self {
        Self(AtomicU8::new(NO_LEVEL))
    }
}

/// The severities of messages, from the least on.
pub(super) const INFO: LoggingLevel = LoggingLevel::Info;
pub(super) const WARNING: LoggingLevel = LoggingLevel::Warning;

impl LogLevel {
    /// From now on the client wants to hear of what is at least so severe.
    pub(super) fn set(&self, request: &SetLevel) {
        self.0.store(request.level as u8, Ordering::Relaxed);
    }

    /// Tells the client, where it wants to hear of it.
    pub(super) async fn notify(
        &self,
        level: LoggingLevel,
        data: Value,
        request: &RequestContext<RoleServer>,
    ) {
        let legacy = request.protocol_version().is_none_or(|version| version < ProtocolVersion::V_2026_07_28);
        if !legacy || (level as u8) < self.0.load(Ordering::Relaxed) || request.ct.is_cancelled() {
            return;
        }
        let param = LoggingMessageNotificationParam::new(level, data).with_logger(env!("CARGO_PKG_NAME"));
        if let Err(error) = request.peer.notify_logging_message(param).await {
            tracing::debug!(%error, "a log notification could not be sent");
        }
    }
}
