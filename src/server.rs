//! The only room that knows the protocol: rmcp's handler over the five tools.
//!
//! It converts: a call's params to a [`Context`] and arguments, an `Output` or a `ToolError` to a
//! result. What it adds is what a session needs: a bound on what runs at once, progress, a client's
//! roots, an end at the end of input. Nothing but JSON-RPC goes to stdout.

mod call_stats;
mod concurrency;
mod convert;
mod ending;
mod fits;
mod guard;
mod legacy_log;
mod patience;
mod progress;
mod resources;
mod roots;
mod stats_file;
mod stdio;
mod wire;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, ErrorData, Implementation, InitializeRequestParams, InitializeResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use tokio_util::sync::CancellationToken;

use crate::clock::now_ms;
use crate::fit::{Fit, Given};
use crate::fs::workspace::Workspace;
use crate::limits::Images;
use crate::stats::{Call, asked_limit};
use crate::tools::arguments::{self, Object};
use crate::tools::catalog::{self, CheckedCall};
use crate::tools::{Context, Output, Shared, ToolError, ToolName};
use cutline_core::text::show;

use call_stats::CallStats;
use concurrency::ConcurrencyLimits;
pub use convert::{Shape, result_of};
pub use ending::{Ending, serve};
use fits::{Fits, Fitted};
use legacy_log::SetLevel;
use patience::Patience;
pub(crate) use resources::STATS_URI;
use roots::Roots;
pub use stats_file::{RecordWriter, StatsFile};
use wire::Permit;

/// Milliseconds for which a client may keep a list: neither of tools nor of resources ever changes.
const LIST_TTL_MS: u64 = 3_600_000;
/// Characters of a name given by the client that an error repeats.
const NAME_CHARS: usize = 100;

/// The settings of a server.
#[derive(Debug)]
pub struct Config {
    /// The state that all calls share.
    pub shared: Arc<Shared>,
    /// The roots at the start.
    pub workspace: Workspace,
    /// Says if a client may give other ones.
    pub client_roots: ClientRoots,
    /// The shape of results.
    pub shape: Shape,
    /// The client that answers are fitted to.
    pub fit: Fit,
    /// The limits that the fit leaves alone.
    pub given: Given,
    /// The file in which each call is recorded.
    pub stats_file: Option<StatsFile>,
}

/// Says if the roots that a client offers are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientRoots {
    /// They are followed; none were given at the start.
    Followed,
    /// The ones given at the start hold.
    Ignored,
}

/// The server's side of a session.
#[derive(Debug, Clone)]
pub struct Server(Arc<State>);

#[derive(Debug)]
struct State {
    shared: Arc<Shared>,
    roots: Roots,
    fits: Fits,
    concurrency: ConcurrencyLimits,
    call_stats: CallStats,
    shutdown: CancellationToken,
}

impl Server {
    /// A server that ends its commands when `shutdown` fires.
    pub fn new(config: Config, shutdown: CancellationToken) -> Self {
        let Config { shared, workspace, client_roots, shape, fit, given, stats_file } = config;
        Self(Arc::new(State {
            roots: Roots::new(workspace, client_roots, Arc::clone(&shared)),
            fits: Fits { fit, given, limits: shared.limits.clone(), shape, patience: Patience::default() },
            concurrency: ConcurrencyLimits::new(shared.workers),
            call_stats: CallStats::new(now_ms(), stats_file),
            shared,
            shutdown,
        }))
    }

    /// Ends the counting: all records are written. Returns a line for each tool, and one for all.
    pub async fn finish(&self) -> Vec<String> {
        self.0.call_stats.finish().await
    }

    async fn call(
        &self,
        tool: ToolName,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let start = Instant::now();
        let state = &self.0;
        let Fitted { limits, shape, .. } = state.fits.of_call(tool, request.client_info().as_ref());
        let given = params.arguments.unwrap_or_default();
        let asked = asked_limit(&given);
        let size = arguments::check_size(&given, &request.meta.0);
        let workspace = if size.is_ok() {
            if tool == ToolName::Bash {
                state.fits.patience.note(&request.id);
            }
            state.roots.current(&request, &state.shutdown).await
        } else {
            state.roots.latest()
        };
        let forwarder = progress::Forwarder::new(&request);
        let mut cx = Context {
            shared: Arc::clone(&state.shared),
            limits,
            workspace,
            cancel: request.ct.clone(),
            shutdown: state.shutdown.clone(),
            progress: forwarder.progress(),
        };
        let work = async {
            size?;
            self.work(tool, &given, &mut cx, &request).await
        };
        let outcome = guard::caught(work).await.unwrap_or_else(|panic| {
            tracing::error!(tool = tool.as_str(), panic, "a tool panicked");
            Err(ToolError::Argument(format!("{} failed inside cutline: {panic}", tool.as_str())))
        });
        let Context { limits, progress, .. } = cx;
        drop(progress);
        forwarder.finish().await;
        // The answer to a call that was taken back goes nowhere.
        let outcome = if request.ct.is_cancelled() { Err(ToolError::Cancelled) } else { outcome };
        if let (Some(permit), Ok(output)) = (request.extensions.get::<Arc<Permit>>(), &outcome) {
            permit.count_answer(
                output.text.len() + output.image.as_ref().map_or(0, |image| image.base64.len()),
            );
        }
        let call = Call { tool, asked, time_ms: now_ms(), duration: start.elapsed() };
        state.call_stats.record(&call, &outcome, &limits, &request).await;
        result_of(outcome, shape).into()
    }

    /// Does the work of a call, within the limits on what runs at once. Those of `cx` are lowered by what the call
    /// says.
    async fn work(
        &self,
        tool: ToolName,
        given: &Object,
        cx: &mut Context,
        request: &RequestContext<RoleServer>,
    ) -> Result<Output, ToolError> {
        if cx.workspace.roots().is_empty() {
            return Err(ToolError::NoRoots);
        }
        let mut call = CheckedCall::new(tool, given, cx)?;
        loop {
            let _permit = self.0.concurrency.enter(call.load(), &cx.cancel).await?;
            if let Some(permit) = request.extensions.get::<Arc<Permit>>() {
                tokio::select! {
                    biased;
                    () = permit.wait_for_client() => {}
                    () = cx.cancel.cancelled() => return Err(ToolError::Cancelled),
                }
            }
            match call.run(cx).await? {
                ControlFlow::Break(output) => return Ok(output),
                ControlFlow::Continue(next) => call = next,
            }
        }
    }
}

/// True if a request is of the stateless era, in which lists say how long they may be kept.
fn is_stateless(request: &RequestContext<RoleServer>) -> bool {
    request.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let shared = &self.0.shared;
        let name =
            Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")).with_title("cutline");
        ServerConfig::new(legacy_log::capabilities())
            .with_server_info(name)
            .with_instructions(catalog::instructions(&shared.limits, &shared.tools))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut answer = self.negotiate_initialize(&request)?;
        let Fitted { id, limits, .. } = self.0.fits.of(Some(&request.client_info));
        tracing::info!(
            client = request.client_info.name,
            fit = id.unwrap_or("none"),
            lines = limits.max_lines,
            bytes = limits.max_bytes,
            answer_within = limits.answer_within.map_or(0, |within| within.as_secs()),
            images = limits.images != Images::Off,
            "answers fit the client"
        );
        answer.instructions = Some(catalog::instructions(&limits, &self.0.shared.tools));
        Ok(answer)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        let Fitted { limits, .. } = self.0.fits.of(context.client_info().as_ref());
        info.instructions = Some(catalog::instructions(&limits, &self.0.shared.tools));
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let state = &self.0;
        let Fitted { limits, shape, .. } = state.fits.of(request.client_info().as_ref());
        let tool = |name| convert::tool(name, &state.shared, &limits, shape);
        let mut list = ListToolsResult::with_all_items(state.shared.tools.iter().map(tool).collect());
        list.ttl_ms = is_stateless(&request).then_some(LIST_TTL_MS);
        Ok(list)
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = resources::list();
        list.ttl_ms = is_stateless(&request).then_some(LIST_TTL_MS);
        Ok(list)
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let state = &self.0;
        let Fitted { id, limits, .. } = state.fits.of_call(ToolName::Bash, context.client_info().as_ref());
        let sums = || state.call_stats.to_value(&limits, id);
        resources::read(&params.uri, sums).map(Into::into)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(tool) = ToolName::of(&params.name).filter(|tool| self.0.shared.tools.has(*tool)) {
            // rmcp copies a handler's work several times before it begins; this is much.
            return Ok(Box::pin(self.call(tool, params, request)).await);
        }
        let name = show::middle_out(&params.name, NAME_CHARS);
        Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None))
    }

    /// Answers a request that rmcp could not parse as the method that it names.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        match request.method.as_str() {
            "tools/call" => Err(ErrorData::invalid_params(
                "tools/call takes name (a string) and arguments (an object)",
                None,
            )),
            "resources/read" => Err(ErrorData::invalid_params("resources/read takes uri (a string)", None)),
            method => {
                let method = show::middle_out(method, NAME_CHARS).into_owned();
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None))
            }
        }
    }

    async fn set_level(
        &self,
        request: SetLevel,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.call_stats.log_level.set(&request);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.0.roots.ask(&context.peer).await;
    }

    async fn on_cancelled(
        &self,
        taken_back: CancelledNotificationParam,
        _context: NotificationContext<RoleServer>,
    ) {
        if self.0.fits.fit != Fit::Off {
            self.0.fits.patience.learn(&taken_back);
        }
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.0.roots.ask(&context.peer).await;
    }
}
