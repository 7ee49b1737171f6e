//! The clients that `cutline config` supports: the format of each client's file, and the settings that the client
//! needs.

use super::tree::Format;
use crate::cli::Client;
use crate::cli::ConfigScope::{self, Local, Project, User};
use crate::cli::values::word_of;
use crate::fit;

/// The description of a client's files.
#[derive(Debug)]
pub(in crate::cli) struct Row {
    /// The name of the client.
    pub(in crate::cli) name: &'static str,
    /// The format of its file.
    pub(in crate::cli) format: Format,
    /// The table or list with all servers.
    pub(super) servers: &'static str,
    /// The form of the command in an entry.
    pub(super) command: CommandForm,
    /// A field and its value that declare the entry as a program, if the client needs them.
    pub(super) kind: Option<(&'static str, &'static str)>,
    /// Fields that `config` sets to true if they are missing.
    pub(super) switches: &'static [&'static str],
    /// Flags that `config` adds if the entry has neither the flag nor a timeout of its own.
    pub(super) flags: &'static [(&'static str, &'static str)],
    /// True if the client does not start servers in the project folder. An entry then needs `--root`.
    pub(super) starts_elsewhere: bool,
    /// The field with the timeout of a call.
    pub(super) waits: Option<Waits>,
    /// The client's setting for the maximum tokens of a result. It is outside the entry.
    pub(super) answer_tokens: Option<&'static str>,
    /// The client's files, in the notation of [`places::found`](super::places::found), with their scopes. If several
    /// files have an entry of the same name, the client uses the first.
    pub(super) files: &'static [(ConfigScope, &'static str)],
    /// The scope of the file that `config` writes by default.
    pub(super) scope: ConfigScope,
}

/// The form of the command in an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandForm {
    /// `command` is the program, and `args` has its arguments.
    Apart,
    /// `command` is a list with the program and its arguments.
    OneList,
}

/// The timeout of a call in a client.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waits {
    /// The field in the entry.
    pub(super) field: &'static str,
    /// The number of units of the field in one second.
    pub(super) per_second: u64,
    /// True if `config` sets the field, because the client's default is shorter than the maximum run time of a command.
    pub(super) is_set: bool,
}

/// The call timeout in seconds that `config` sets. It is longer than any command can run.
pub(super) const WAIT_SECS: u64 = 700;
/// The limit of tokens that `config` sets: 30KB at 3 bytes per token.
pub(super) const ANSWER_TOKENS: u64 = 10_000;

/// The timeout field of clients that use milliseconds.
const MILLISECONDS: Option<Waits> = Some(Waits { field: "timeout", per_second: 1000, is_set: true });
/// Claude Code's own file. It has servers in two sections.
const CLAUDE_CODE_FILE: &str = "$CLAUDE_CONFIG_DIR/.claude.json|~/.claude.json";
/// The file of Cline CLI.
const CLINE_FILE: &str = "$CLINE_MCP_SETTINGS_PATH|$CLINE_DATA_DIR/settings/cline_mcp_settings.json|\
    $CLINE_DIR/data/settings/cline_mcp_settings.json|~/.cline/data/settings/cline_mcp_settings.json";

/// The default values of a client.
const COMMON: Row = Row {
    name: "",
    format: Format::Json,
    servers: "mcpServers",
    command: CommandForm::Apart,
    kind: None,
    switches: &[],
    flags: &[],
    starts_elsewhere: false,
    waits: None,
    answer_tokens: None,
    files: &[],
    scope: Project,
};

/// The clients, in the order of [`Client`].
static ROWS: [Row; 10] = [
    Row {
        name: "Claude Desktop",
        // Claude Desktop has a timeout of about four minutes.
        flags: &[("--bash-max-timeout", "200")],
        starts_elsewhere: true,
        scope: User,
        files: &[(User, "@/Claude/claude_desktop_config.json")],
        ..COMMON
    },
    Row {
        name: "Claude Code",
        // With many servers, the model otherwise sees only the names of tools until it searches for them.
        switches: &["alwaysLoad"],
        kind: Some(("type", "stdio")),
        waits: Some(Waits { field: "timeout", per_second: 1000, is_set: false }),
        files: &[(Local, CLAUDE_CODE_FILE), (Project, "./.mcp.json"), (User, CLAUDE_CODE_FILE)],
        ..COMMON
    },
    Row { name: "Cursor", files: &[(Project, "./.cursor/mcp.json"), (User, "~/.cursor/mcp.json")], ..COMMON },
    Row {
        name: "VS Code",
        servers: "servers",
        kind: Some(("type", "stdio")),
        files: &[(Project, "./.vscode/mcp.json"), (User, "@/Code/User/mcp.json")],
        ..COMMON
    },
    Row {
        name: "Codex",
        format: Format::Toml,
        servers: "mcp_servers",
        switches: &["supports_parallel_tool_calls"],
        waits: Some(Waits { field: "tool_timeout_sec", per_second: 1, is_set: true }),
        answer_tokens: Some("tool_output_token_limit"),
        scope: User,
        files: &[(Project, "./.codex/config.toml"), (User, "$CODEX_HOME/config.toml|~/.codex/config.toml")],
        ..COMMON
    },
    Row {
        name: "opencode",
        servers: "mcp",
        command: CommandForm::OneList,
        kind: Some(("type", "local")),
        switches: &["enabled"],
        files: &[
            (Project, "./opencode.json"),
            (Project, "./opencode.jsonc"),
            (Project, "./.opencode/opencode.json"),
            (Project, "./.opencode/opencode.jsonc"),
            (User, "$XDG_CONFIG_HOME/opencode/opencode.json|~/.config/opencode/opencode.json"),
            (User, "$XDG_CONFIG_HOME/opencode/opencode.jsonc|~/.config/opencode/opencode.jsonc"),
        ],
        ..COMMON
    },
    Row {
        name: "Gemini CLI",
        waits: MILLISECONDS,
        files: &[
            (Project, "./.gemini/settings.json"),
            (User, "$GEMINI_CLI_HOME/.gemini/settings.json|~/.gemini/settings.json"),
        ],
        ..COMMON
    },
    Row {
        name: "Qwen Code",
        // Without this setting, the model sees no tool until it searches for one.
        switches: &["alwaysLoadTools"],
        waits: MILLISECONDS,
        files: &[
            (Project, "./.qwen/settings.json"),
            (User, "$QWEN_HOME/settings.json|~/.qwen/settings.json"),
        ],
        ..COMMON
    },
    Row {
        name: "Cline",
        waits: Some(Waits { field: "timeout", per_second: 1, is_set: true }),
        scope: User,
        files: &[
            (User, CLINE_FILE),
            (User, "@/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
        ],
        ..COMMON
    },
    Row {
        name: "Continue",
        format: Format::Yaml,
        scope: User,
        files: &[
            (Project, "./.continue/mcpServers/cutline.yaml"),
            (Project, "./.continue/mcpServers/*"),
            (User, "$CONTINUE_GLOBAL_DIR/config.yaml|~/.continue/config.yaml"),
            (User, "$CONTINUE_GLOBAL_DIR/mcpServers/*|~/.continue/mcpServers/*"),
        ],
        ..COMMON
    },
];

impl Client {
    /// Returns the client profile, if there is one.
    pub(in crate::cli) fn fit(self) -> Option<&'static fit::Client> {
        fit::Client::of_id(&word_of(&self))
    }

    /// Returns the description of the client's files.
    #[expect(clippy::indexing_slicing, reason = "a row for each")]
    pub(in crate::cli) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}
