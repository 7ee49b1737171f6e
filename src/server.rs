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
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, ErrorData, Implementation, InitializeRequestParams, InitializeResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use tokio_util::sync::CancellationToken;

use crate::fit::{Fit, Given};
use crate::fs::workspace::Workspace;
use crate::limits::{Images, Limits};
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
    shape: Shape,
    fits: Fits,
    patience: Patience,
    concurrency: ConcurrencyLimits,
    call_stats: CallStats,
    shutdown: CancellationToken,
}

impl Server {
    /// A server that ends its commands when `shutdown` fires.
    pub fn new(config: Config, shutdown: CancellationToken) -> Self {
        let Config { shared, workspace, client_roots, shape, fit, given, stats_file } = config;
        let fits = Fits::new(fit, &shared.limits, given);
        let roots = Roots::new(workspace, client_roots, Arc::clone(&shared));
        let concurrency = ConcurrencyLimits::new(shared.workers);
        let call_stats = CallStats::new(now_ms(), stats_file);
        Self(Arc::new(State {
            shared,
            roots,
            shape,
            fits,
            patience: Patience::default(),
            concurrency,
            call_stats,
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
        let fitted = state.fits.of(request.client_info().as_ref());
        let given = params.arguments.unwrap_or_default();
        let asked = asked_limit(&given);
        let mut limits = self.limits_for(tool, fitted);
        let outcome = match arguments::check_size(&given, &request.meta.0) {
            Ok(()) => {
                if tool == ToolName::Bash {
                    state.patience.note(&request.id);
                }
                self.work(tool, &given, &mut limits, &request).await
            }
            Err(error) => Err(error),
        };
        // The answer to a call that was taken back goes nowhere.
        let outcome = if request.ct.is_cancelled() { Err(ToolError::Cancelled) } else { outcome };
        if let (Some(permit), Ok(output)) = (request.extensions.get::<Permit>(), &outcome) {
            permit.count_answer(
                output.text.len() + output.image.as_ref().map_or(0, |image| image.base64.len()),
            );
        }
        let limits = limits.as_deref().unwrap_or(&state.shared.limits);
        let call = Call { tool, asked, time_ms: now_ms(), duration: start.elapsed() };
        state.call_stats.record(&call, &outcome, limits, &request).await;
        result_of(outcome, fitted.map_or(state.shape, |fitted| fitted.shape(state.shape))).into()
    }

    /// Returns the limits of the client's row, else the server's.
    fn row_limits<'a>(&'a self, fitted: Option<&'a Fitted>) -> &'a Limits {
        fitted.map_or(&self.0.shared.limits, |fitted| &fitted.limits)
    }

    /// Returns the limits that fit the client, where they are others than the server's: those of its row, and
    /// the patience that it showed where its row does not know it.
    fn limits_for(&self, tool: ToolName, fitted: Option<&Fitted>) -> Option<Arc<Limits>> {
        let limits = self.row_limits(fitted);
        let asks = tool == ToolName::Bash && limits.answer_within.is_none();
        match asks.then(|| self.0.patience.answer_within()).flatten() {
            None => fitted.map(|fitted| Arc::clone(&fitted.limits)),
            answer_within => Some(Arc::new(Limits { answer_within, ..limits.clone() })),
        }
    }

    /// Does the work of a call, within the limits on what runs at once. A panic becomes an error. `fitted` are lowered
    /// by what the call says.
    async fn work(
        &self,
        tool: ToolName,
        given: &Object,
        fitted: &mut Option<Arc<Limits>>,
        request: &RequestContext<RoleServer>,
    ) -> Result<Output, ToolError> {
        let state = &self.0;
        let forwarder = progress::Forwarder::new(request);
        let mut cx = Context {
            shared: Arc::clone(&state.shared),
            fitted: fitted.clone(),
            workspace: state.roots.current(request, &state.shutdown).await,
            cancel: request.ct.clone(),
            shutdown: state.shutdown.clone(),
            progress: forwarder.progress(),
        };
        let work = async {
            if cx.workspace.roots().is_empty() {
                return Err(ToolError::NoRoots);
            }
            let mut call = CheckedCall::new(tool, given, &mut cx)?;
            fitted.clone_from(&cx.fitted);
            loop {
                let _permit = state.concurrency.enter(call.load(), &cx.cancel).await?;
                if let Some(permit) = request.extensions.get::<Permit>() {
                    tokio::select! {
                        biased;
                        () = permit.wait_for_client() => {}
                        () = cx.cancel.cancelled() => return Err(ToolError::Cancelled),
                    }
                }
                match call.run(&cx).await? {
                    ControlFlow::Break(output) => return Ok(output),
                    ControlFlow::Continue(next) => call = next,
                }
            }
        };
        let outcome = guard::caught(work).await.unwrap_or_else(|panic| {
            tracing::error!(tool = tool.as_str(), panic, "a tool panicked");
            Err(ToolError::Argument(format!("{} failed inside cutline: {panic}", tool.as_str())))
        });
        drop(cx);
        forwarder.finish().await;
        outcome
    }
}

/// The time, in milliseconds since 1970; 0 before that.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
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
        let fitted = self.0.fits.of(Some(&request.client_info));
        let limits = self.row_limits(fitted);
        tracing::info!(
            client = request.client_info.name,
            fit = fitted.map_or("none", |fitted| fitted.client.id),
            lines = limits.max_lines,
            bytes = limits.max_bytes,
            answer_within = limits.answer_within.map_or(0, |within| within.as_secs()),
            images = limits.images != Images::Off,
            "answers fit the client"
        );
        answer.instructions = Some(catalog::instructions(limits, &self.0.shared.tools));
        Ok(answer)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        let limits = self.row_limits(self.0.fits.of(context.client_info().as_ref()));
        info.instructions = Some(catalog::instructions(limits, &self.0.shared.tools));
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let state = &self.0;
        let limits = self.row_limits(state.fits.of(request.client_info().as_ref()));
        let mut list = ListToolsResult::with_all_items(convert::tools(&state.shared, limits, state.shape));
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
        let fitted = state.fits.of(context.client_info().as_ref());
        let limits = self.limits_for(ToolName::Bash, fitted);
        let limits = limits.as_deref().unwrap_or(&state.shared.limits);
        let sums = || state.call_stats.to_value(limits, fitted.map(|fitted| fitted.client.id));
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
        if !self.0.fits.is_off() {
            self.0.patience.learn(&taken_back);
        }
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.0.roots.ask(&context.peer).await;
    }
}
