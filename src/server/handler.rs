//! rmcp's handler: passes the requests of the protocol to the server.

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, ErrorData, Implementation, InitializeRequestParams, InitializeResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig,
};
use rmcp::service::{NotificationContext, RoleServer};

use crate::fit::Fit;
use crate::tools::ToolName;
use crate::tools::catalog;
use cutline_core::text::show;

use super::fits::ClientSettings;
use super::legacy_log::{self, SetLevel};
use super::{NAME_CHARS, Request, Server, convert, is_stateless, resources};

/// The context of a notification.
type Notification = NotificationContext<RoleServer>;
/// The result of a request, or a protocol error.
type RpcResult<T> = Result<T, ErrorData>;

/// Time in milliseconds for which a client may cache a list. The lists of tools and resources never change.
const LIST_TTL_MS: u64 = 3_600_000;

impl ServerHandler for Server {
    /// Returns the description of the server without instructions, because those depend on the client.
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(legacy_log::capabilities()).with_server_info(name.with_title("cutline"))
    }

    async fn initialize(
        &self,
        params: InitializeRequestParams,
        request: Request,
    ) -> RpcResult<InitializeResult> {
        request.peer.set_peer_info(params.clone());
        let mut result = self.negotiate_initialize(&params)?;
        let ClientSettings { id, limits, .. } = self.settings_for(Some(&params.client_info));
        tracing::info!(
            client = params.client_info.name,
            fit = id.unwrap_or("none"),
            lines = limits.max_lines,
            bytes = limits.bounds().bytes_words(),
            answer_within = limits.answer_within.map_or(0, |within| within.as_secs()),
            images = limits.images.is_some(),
            "limits of the client"
        );
        result.instructions = Some(catalog::instructions(&limits, &self.shared.tools));
        Ok(result)
    }

    async fn discover(&self, request: Request) -> RpcResult<DiscoverResult> {
        let mut info = self.get_info();
        let ClientSettings { limits, .. } = self.settings_for(request.client_info().as_ref());
        info.instructions = Some(catalog::instructions(&limits, &self.shared.tools));
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        request: Request,
    ) -> RpcResult<ListToolsResult> {
        let ClientSettings { limits, shape, .. } = self.settings_for(request.client_info().as_ref());
        let tool = |name| convert::tool(name, &self.shared, &limits, shape);
        let mut list = ListToolsResult::with_all_items(self.shared.tools.iter().copied().map(tool).collect());
        list.ttl_ms = is_stateless(&request).then_some(LIST_TTL_MS);
        Ok(list)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        request: Request,
    ) -> RpcResult<ListResourcesResult> {
        let mut list = resources::list();
        list.ttl_ms = is_stateless(&request).then_some(LIST_TTL_MS);
        Ok(list)
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        request: Request,
    ) -> RpcResult<ReadResourceResponse> {
        let ClientSettings { id, limits, .. } = self.settings_for_call(request.client_info().as_ref());
        resources::read(&params.uri, &self.stats.to_value(&limits, id)).map(Into::into)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: Request,
    ) -> RpcResult<CallToolResponse> {
        if let Some(tool) = ToolName::of(&params.name).filter(|tool| self.shared.tools.contains(tool)) {
            // Boxed, because rmcp moves the future of a handler several times before it runs, and this future is large.
            return Ok(Box::pin(self.call(tool, params, request)).await);
        }
        let name = show::middle_out(&params.name, NAME_CHARS);
        Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None))
    }

    async fn on_custom_request(&self, custom: CustomRequest, _request: Request) -> RpcResult<CustomResult> {
        let method = show::middle_out(&custom.method, NAME_CHARS).into_owned();
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None))
    }

    async fn set_level(&self, params: SetLevel, _request: Request) -> RpcResult<()> {
        self.log_level.set(&params);
        Ok(())
    }

    async fn on_initialized(&self, notification: Notification) {
        self.roots.request_from(&notification.peer).await;
    }

    async fn on_cancelled(&self, cancelled: CancelledNotificationParam, _notification: Notification) {
        if self.fits.fit != Fit::Off {
            self.fits.learned_timeout.learn(&cancelled);
        }
    }

    async fn on_roots_list_changed(&self, notification: Notification) {
        self.roots.request_from(&notification.peer).await;
    }
}
