//! The rmcp handler for the five tools. Only this module uses rmcp.
//!
//! It converts the parameters of a call to a [`Context`] and arguments, and an `Output` or a `ToolError` to a result.
//! It adds limits on concurrent work, progress, the roots of the client, and the end of the session at the end of
//! input. stdout carries JSON-RPC only.

mod concurrency;
mod convert;
mod fits;
mod guard;
mod handler;
mod learned_timeout;
mod legacy_log;
mod progress;
mod resources;
mod roots;
mod session;
mod session_stats;
mod stdio;
mod wire;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolRequestParams, CallToolResponse, ProtocolVersion};
use rmcp::service::{RequestContext, RoleServer};
use tokio_util::sync::CancellationToken;

use crate::call_stats::StatsFile;
use crate::clock::now_ms;
use crate::fs::workspace::Workspace;
use crate::limits::Limits;
use crate::stop::Deadline;
use crate::tools::arguments::{Object, check_size};
use crate::tools::catalog::{self, Called};
use crate::tools::{Context, Progress, Shared, ToolError, ToolName};

use concurrency::WorkPermits;
pub use convert::{Shape, result_of};
use fits::ClientSettings;
pub use fits::Fits;
use legacy_log::LogLevel;
use roots::Roots;
pub use session::serve;
use session_stats::SessionStats;

/// The context of a request.
type Request = RequestContext<RoleServer>;
/// Maximum characters of a name from the client in an error message.
const NAME_CHARS: usize = 100;

/// The settings of a server.
#[derive(Debug)]
pub struct Config {
    /// The state that all calls share.
    pub shared: Arc<Shared>,
    /// The roots at the start.
    pub workspace: Workspace,
    /// True if the client can set the roots, because the user set none.
    pub follows_client_roots: bool,
    /// The client profile, the limits that the user set, and the format of results.
    pub fits: Fits,
    /// The file of call records.
    pub stats_file: Option<StatsFile>,
}

/// The handler of one session.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    roots: Roots,
    fits: Fits,
    permits: WorkPermits,
    stats: SessionStats,
    /// The level that a client with a handshake set for log notifications.
    log_level: LogLevel,
    shutdown: CancellationToken,
}

impl Server {
    /// Creates a server. When `shutdown` fires, calls wait only briefly for the roots of the client.
    pub fn new(config: Config, shutdown: CancellationToken) -> Self {
        let Config { shared, workspace, follows_client_roots, fits, stats_file } = config;
        Self {
            roots: Roots::new(workspace, follows_client_roots, Arc::clone(&shared)),
            fits,
            permits: WorkPermits::new(shared.workers),
            stats: SessionStats::new(now_ms(), stats_file),
            log_level: LogLevel::default(),
            shared,
            shutdown,
        }
    }

    /// Runs a call, counts it, and converts its outcome to a result.
    async fn call(
        &self,
        tool: ToolName,
        params: CallToolRequestParams,
        request: Request,
    ) -> CallToolResponse {
        let start = Instant::now();
        let ClientSettings { limits, shape, .. } = self.settings_for_call(request.client_info().as_ref());
        let arguments = params.arguments.unwrap_or_default();
        self.fits.learned_timeout.record_start(&request.id);
        let (progress, forwarding) = progress::forward(&request);
        let work = self.work(tool, &arguments, start, limits.clone(), progress, &request);
        let work = Box::pin(guard::caught(work));
        let Called { outcome, limits } = work.await.unwrap_or_else(|panic| {
            tracing::error!(tool = tool.as_str(), panic, "a tool panicked");
            let message = format!("{} failed inside cutline: {panic}", tool.as_str());
            Called { outcome: Err(ToolError::Argument(message)), limits }
        });
        if let Some(forwarding) = forwarding {
            // No progress message may follow the result.
            forwarding.end().await;
        }
        // rmcp sends no response to a cancelled call. The statistics count it as cancelled.
        let outcome = if request.ct.is_cancelled() { Err(ToolError::Cancelled) } else { outcome };
        if let Some((level, message)) = self.stats.record(tool, start.elapsed(), &outcome, &limits) {
            self.log_level.notify(level, message, &request).await;
        }
        result_of(outcome, shape).into()
    }

    /// Runs a call that came at `start` within `limits` and the limits on concurrent work.
    async fn work(
        &self,
        tool: ToolName,
        arguments: &Object,
        start: Instant,
        limits: Limits,
        progress: Progress,
        request: &Request,
    ) -> Called {
        // Check before waiting for the roots of the client.
        if let Err(error) = check_size(arguments, &request.meta.0) {
            return Called { outcome: Err(error), limits };
        }
        let workspace = self.roots.current(request, &self.shutdown).await;
        if workspace.roots.is_empty() {
            return Called { outcome: Err(ToolError::NoRoots), limits };
        }
        let deadline = Deadline::new(start, limits.search_timeout);
        let cx = Context {
            shared: Arc::clone(&self.shared),
            deadline,
            limits,
            workspace,
            cancel: request.ct.clone(),
            progress,
            ignored: cutline_core::notice::Names::default(),
        };
        let permit = |load| async move {
            let permit = self.permits.acquire(load, &request.ct);
            let permit = tokio::time::timeout(deadline.left().unwrap_or(Duration::MAX), permit).await;
            permit.map_err(|_elapsed| ToolError::NoPermit { secs: deadline.limit.as_secs() })?
        };
        catalog::call(&cx, tool, arguments, permit).await
    }
}

/// Returns true if the request uses a stateless protocol revision (2026-07-28 or later).
fn is_stateless(request: &Request) -> bool {
    request.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}
