//! The MCP server. Only this module uses rmcp.
//!
//! A call crosses three layers: the stdio `transport`, rmcp's service with our `handler`, and [`Server`] in this file. It
//! converts the parameters of a call to a [`Context`] and arguments, and an `Output` or a `ToolError` to a result. It
//! adds limits on concurrent work, progress, the roots of the client, and statistics. stdout carries JSON-RPC only.

mod concurrency;
mod convert;
mod handler;
mod logging;
mod message;
mod progress;
mod roots;
mod session;
mod stdio;
mod transport;

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;
use rmcp::model::{CallToolRequestParams, CallToolResult, Implementation, ProtocolVersion};
use rmcp::service::{RequestContext, RoleServer};
use tokio_util::sync::CancellationToken;

use crate::call_stats::{CallStats, StatsFile, now};
use crate::fit::{Client, Fit, Given};
use crate::fs::workspace::Workspace;
use crate::limits::Limits;
use crate::stats::{Outcome, Record, Tool};
use crate::stop::Deadline;
use crate::tools::arguments::check_size;
use crate::tools::catalog::{self, Called};
use crate::tools::{Context, Progress, Shared, ToolError, ToolName};

use concurrency::WorkPermits;
pub use convert::{ResultFormat, result_of};
use logging::LogLevel;
use roots::Roots;
pub use session::serve;

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
    /// Which client profile to use.
    pub fit: Fit,
    /// The limits that the user set. A client profile does not change them.
    pub given: Given,
    /// The result format that the user set.
    pub format: ResultFormat,
    /// The file of call records.
    pub stats_file: Option<StatsFile>,
}

/// The handler of one session.
#[derive(Debug)]
pub struct Server {
    config: Config,
    roots: Roots,
    permits: WorkPermits,
    stats: CallStats,
    /// The level that a client with a handshake set for log notifications.
    log_level: LogLevel,
    shutdown: CancellationToken,
}

/// The limits and the result format for one client.
#[derive(Debug)]
struct ClientSettings {
    /// The id of the client profile, or `None` if the limits of the server apply.
    id: Option<&'static str>,
    /// The limits of the server, lowered to those of the client profile.
    limits: Limits,
    /// The format of results.
    format: ResultFormat,
}

impl Server {
    /// Creates a server. When `shutdown` fires, calls wait only briefly for the roots of the client.
    pub fn new(mut config: Config, shutdown: CancellationToken) -> Self {
        let shared = Arc::clone(&config.shared);
        Self {
            permits: WorkPermits::new(shared.workers),
            roots: Roots::new(config.workspace.clone(), config.follows_client_roots, shared),
            stats: CallStats::new(config.stats_file.take()),
            log_level: LogLevel::default(),
            config,
            shutdown,
        }
    }

    /// Returns the limits and the result format for a client with this name.
    fn settings_for(&self, client: Option<&Implementation>) -> ClientSettings {
        let Config { shared, fit, given, format, .. } = &self.config;
        let profile = fit.profile(client.map(|client| client.name.as_str()));
        let saved_in = shared.commands.store.path();
        let fitted = |profile: &Client| profile.fitted(&shared.limits, *given, saved_in.as_deref());
        let is_bare = *format == ResultFormat::Text && profile.is_some_and(|profile| profile.omits_details);
        ClientSettings {
            id: profile.map(|profile| profile.id),
            limits: profile.map_or_else(|| shared.limits.clone(), fitted),
            format: if is_bare { ResultFormat::Bare } else { *format },
        }
    }

    /// Runs a call, counts it, and converts its outcome to a result. The panic of a tool becomes an error.
    async fn call(&self, tool: ToolName, params: CallToolRequestParams, request: &Request) -> CallToolResult {
        let start = Instant::now();
        let ClientSettings { limits, format, .. } = self.settings_for(request.client_info().as_ref());
        let work = |progress| self.work(tool, params, start, limits.clone(), progress, request);
        // The work is not polled again after a panic, so its inconsistent state is never used. It is boxed, because rmcp
        // moves the future of a handler several times before it runs, and this one is large.
        let work = Box::pin(AssertUnwindSafe(progress::forwarded(request, work)).catch_unwind());
        let Called { outcome, limits } = work.await.unwrap_or_else(|panic| {
            let panic = panic_message(&*panic);
            tracing::error!(tool = tool.as_str(), panic, "a tool panicked");
            let message = format!("{} failed inside cutline: {panic}", tool.as_str());
            Called { outcome: Err(ToolError::Argument(message)), limits: limits.clone() }
        });
        // rmcp sends no response to a cancelled call. The statistics count it as cancelled.
        let outcome = if request.ct.is_cancelled() { Err(ToolError::Cancelled) } else { outcome };
        let counted = Outcome::of(&outcome, &limits);
        self.stats.add(&Record::new(now(), Tool::Own(tool), start.elapsed(), counted));
        if let (Outcome::Ok(size), Ok(output)) = (counted, &outcome) {
            self.log_level.notify(tool.as_str(), &size, output, &limits, request).await;
        }
        result_of(outcome, format)
    }

    /// Waits for the roots and runs a call within `limits` and the limits on concurrent work. The deadline counts from
    /// `start`, when the handler began, and includes these waits; it does not apply to commands. [`catalog::call`]
    /// checks the arguments and then waits for the permit.
    async fn work(
        &self,
        tool: ToolName,
        params: CallToolRequestParams,
        start: Instant,
        limits: Limits,
        progress: Progress,
        request: &Request,
    ) -> Called {
        let arguments = params.arguments.unwrap_or_default();
        // Check the size before waiting for the roots of the client.
        if let Err(error) = check_size(&arguments, &request.meta.0) {
            return Called { outcome: Err(error), limits };
        }
        let workspace = self.roots.current(request, &self.shutdown).await;
        if workspace.roots.is_empty() {
            return Called { outcome: Err(ToolError::NoRoots), limits };
        }
        let deadline = Deadline::new(start, limits.search_timeout);
        let cx = Context {
            shared: Arc::clone(&self.config.shared),
            deadline,
            limits,
            workspace,
            cancel: request.ct.clone(),
            progress,
            ignored: cutline_core::notice::Names::default(),
        };
        let permit = |load| async move {
            let permit = self.permits.acquire(load, &request.ct);
            let permit = tokio::time::timeout(deadline.left(), permit).await;
            permit.map_err(|_elapsed| ToolError::NoPermit(deadline.limit.as_secs()))?
        };
        catalog::call(&cx, tool, &arguments, permit).await
    }
}

/// Returns the message of a panic.
fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown panic".to_owned())
}

/// Returns true if the request uses a stateless protocol revision (2026-07-28 or later).
fn is_stateless(request: &Request) -> bool {
    request.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}
