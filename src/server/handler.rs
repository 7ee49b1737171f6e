//! rmcp's handler: passes the requests of the protocol to the server.

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
    ErrorData, Implementation, InitializeRequestParams, InitializeResult, ListToolsResult,
    PaginatedRequestParams, ServerConfig,
};
use rmcp::service::{NotificationContext, RoleServer};

use crate::tools::ToolName;
use crate::tools::catalog;
use cutline_core::text::show;

use super::logging::{self, SetLevel};
use super::{ClientSettings, NAME_CHARS, Request, Server, convert, is_stateless};

/// The context of a notification.
type Notification = NotificationContext<RoleServer>;
/// The result of a request, or a protocol error.
type RpcResult<T> = Result<T, ErrorData>;

/// Time in milliseconds for which a client may cache the list of tools, which depends only on flags and the client.
const LIST_TTL_MS: u64 = 3_600_000;

/// The parameters of each method that needs some. rmcp parses a request with other parameters as an unknown method.
const PARAMS: [(&str, &str); 3] = [
    ("initialize", "protocolVersion (a string), capabilities and clientInfo (objects)"),
    ("tools/call", "name (a string) and arguments (an object)"),
    ("logging/setLevel", "level: debug, info, notice, warning, error, critical, alert or emergency"),
];

impl ServerHandler for Server {
    /// Returns the description of the server without instructions, because those depend on the client.
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(logging::capabilities()).with_server_info(name.with_title("cutline"))
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
        result.instructions = Some(catalog::instructions(&limits, &self.config.shared.tools));
        Ok(result)
    }

    async fn discover(&self, request: Request) -> RpcResult<DiscoverResult> {
        let mut info = self.get_info();
        let ClientSettings { limits, .. } = self.settings_for(request.client_info().as_ref());
        info.instructions = Some(catalog::instructions(&limits, &self.config.shared.tools));
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        request: Request,
    ) -> RpcResult<ListToolsResult> {
        let ClientSettings { limits, format, .. } = self.settings_for(request.client_info().as_ref());
        let tool = |name| convert::tool(name, &self.config.shared, &limits, format);
        let mut list =
            ListToolsResult::with_all_items(self.config.shared.tools.iter().copied().map(tool).collect());
        list.ttl_ms = is_stateless(&request).then_some(LIST_TTL_MS);
        Ok(list)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: Request,
    ) -> RpcResult<CallToolResponse> {
        if let Some(tool) = ToolName::of(&params.name).filter(|tool| self.config.shared.tools.contains(tool))
        {
            return Ok(self.call(tool, params, &request).await.into());
        }
        let name = show::middle_out(&params.name, NAME_CHARS);
        Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None))
    }

    async fn on_custom_request(&self, custom: CustomRequest, _request: Request) -> RpcResult<CustomResult> {
        if let Some((method, params)) = PARAMS.iter().find(|(method, _)| *method == custom.method) {
            return Err(ErrorData::invalid_params(format!("{method} takes {params}"), None));
        }
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

    async fn on_roots_list_changed(&self, notification: Notification) {
        self.roots.request_from(&notification.peer).await;
    }
}
