//! The table of clients: the measured limits of each, and the files in which `cutline config` writes its entries.

use derive_more::Display;

use super::Client;
use Scope::{Local, Project, User};

/// The sessions to which an entry applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, clap::ValueEnum)]
#[display(rename_all = "lowercase")]
pub enum Scope {
    /// All users of a project.
    Project,
    /// All projects of one user.
    User,
    /// One user in one project.
    Local,
}

/// The format of a client's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON, with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
    /// YAML. cutline writes only a file of its own, as JSON, which is also YAML.
    Yaml,
}

/// The timeout of a call in an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waits {
    /// The field.
    pub field: &'static str,
    /// The number of units of the field in one second.
    pub per_second: u64,
    /// True if `config` sets the field, because the client's default is shorter than the maximum run time of a command.
    pub is_set: bool,
}

/// The files of a client, and what an entry in them needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Files {
    /// The name of the client.
    pub name: &'static str,
    /// The format of the files.
    pub format: Format,
    /// The table or list with all servers.
    pub servers: &'static str,
    /// True if `command` is a list with the program and its arguments. Otherwise, `args` has the arguments.
    pub one_list: bool,
    /// True if the program and its arguments can be in an object `transport` of the entry.
    pub has_transport: bool,
    /// A field and its value that declare the entry as a program, if the client needs them.
    pub kind: Option<(&'static str, &'static str)>,
    /// Fields that `config` sets to true if they are missing.
    pub switches: &'static [&'static str],
    /// Flags that `config` adds if the entry has neither the flag nor a timeout of its own.
    pub flags: &'static [(&'static str, &'static str)],
    /// True if the client does not start servers in the project folder. An entry then needs `--root`.
    pub starts_elsewhere: bool,
    /// The field with the timeout of a call.
    pub waits: Option<Waits>,
    /// The client's setting for the maximum tokens of a result. It is outside the entry.
    pub answer_tokens: Option<&'static str>,
    /// The paths with their scopes. `.` is the current folder, `~` the home folder, `$NAME` the folder in a variable,
    /// `@` the folder for settings of desktop programs. The first of the paths separated by `|` that can be resolved
    /// counts. If several files have an entry of the same name, the client uses the first.
    pub paths: &'static [(Scope, &'static str)],
    /// The scope of the file that `config` writes by default.
    pub scope: Scope,
}

/// The default values of a client's files: none.
const FILES: Files = Files {
    name: "",
    format: Format::Json,
    servers: "mcpServers",
    one_list: false,
    has_transport: false,
    kind: None,
    switches: &[],
    flags: &[],
    starts_elsewhere: false,
    waits: None,
    answer_tokens: None,
    paths: &[],
    scope: Project,
};
/// The timeout field of clients that use milliseconds.
const MILLISECONDS: Option<Waits> = Some(Waits { field: "timeout", per_second: 1000, is_set: true });
/// Claude Code's own file. It has servers in two sections.
const CLAUDE_CODE_FILE: &str = "$CLAUDE_CONFIG_DIR/.claude.json|~/.claude.json";

/// Returns a client that passes on everything within the default limits.
const fn whole(id: &'static str, version: &'static str) -> Client {
    Client { version: Some(version), ..not_measured(id) }
}

/// Returns a client without a profile.
const fn not_measured(id: &'static str) -> Client {
    Client {
        id,
        version: None,
        max_lines: None,
        max_bytes: None,
        max_result_json_bytes: None,
        timeout_secs: None,
        keeps_server: true,
        has_images: true,
        omits_details: false,
        files: FILES,
    }
}

/// Returns a client that passes the full result to the model as text, with images and details.
const fn all_as_text(id: &'static str, version: &'static str) -> Client {
    Client { has_images: false, omits_details: true, ..whole(id, version) }
}

/// All clients.
pub static CLIENTS: [Client; 25] = [
    Client {
        files: Files {
            name: "Claude Code",
            // With many servers, the model otherwise sees only the names of tools until it searches for them.
            switches: &["alwaysLoad"],
            kind: Some(("type", "stdio")),
            waits: Some(Waits { field: "timeout", per_second: 1000, is_set: false }),
            paths: &[(Local, CLAUDE_CODE_FILE), (Project, "./.mcp.json"), (User, CLAUDE_CODE_FILE)],
            ..FILES
        },
        ..whole("claude-code", "2.1")
    },
    Client {
        // Drops the middle above 12,000 bytes.
        max_bytes: Some(11_000),
        timeout_secs: Some(300),
        files: Files {
            name: "Codex",
            format: Format::Toml,
            servers: "mcp_servers",
            switches: &["supports_parallel_tool_calls"],
            waits: Some(Waits { field: "tool_timeout_sec", per_second: 1, is_set: true }),
            answer_tokens: Some("tool_output_token_limit"),
            scope: User,
            paths: &[
                (Project, "./.codex/config.toml"),
                (User, "$CODEX_HOME/config.toml|~/.codex/config.toml"),
            ],
            ..FILES
        },
        ..whole("codex", "0.169")
    },
    Client {
        // Drops the end above 2000 lines, including the notice.
        max_lines: Some(1990),
        files: Files {
            name: "opencode",
            servers: "mcp",
            one_list: true,
            kind: Some(("type", "local")),
            switches: &["enabled"],
            paths: &[
                (Project, "./opencode.json"),
                (Project, "./opencode.jsonc"),
                (Project, "./.opencode/opencode.json"),
                (Project, "./.opencode/opencode.jsonc"),
                (User, "$XDG_CONFIG_HOME/opencode/opencode.json|~/.config/opencode/opencode.json"),
                (User, "$XDG_CONFIG_HOME/opencode/opencode.jsonc|~/.config/opencode/opencode.jsonc"),
            ],
            ..FILES
        },
        ..whole("opencode", "1.18")
    },
    // Based on opencode, with the same limit.
    Client { max_lines: Some(1990), ..whole("kilo", "7.7") },
    // Saves a result above 20,480 bytes to a file and shows 500 characters of it.
    Client { max_bytes: Some(19_000), has_images: false, ..whole("copilot-cli", "1.0") },
    Client {
        files: Files {
            name: "Gemini CLI",
            waits: MILLISECONDS,
            paths: &[
                (Project, "./.gemini/settings.json"),
                (User, "$GEMINI_CLI_HOME/.gemini/settings.json|~/.gemini/settings.json"),
            ],
            ..FILES
        },
        ..whole("gemini", "0.61")
    },
    Client {
        // Drops the middle above 25,000 characters or 1000 lines.
        max_lines: Some(990),
        max_bytes: Some(24_000),
        files: Files {
            name: "Qwen Code",
            // Without this setting, the model sees no tool until it searches for one.
            switches: &["alwaysLoadTools"],
            waits: MILLISECONDS,
            paths: &[
                (Project, "./.qwen/settings.json"),
                (User, "$QWEN_HOME/settings.json|~/.qwen/settings.json"),
            ],
            ..FILES
        },
        ..whole("qwen", "0.24")
    },
    Client {
        // Converts the result to JSON and drops the middle above 8000 characters.
        max_result_json_bytes: Some(8000),
        timeout_secs: Some(60),
        files: Files {
            name: "Cline",
            has_transport: true,
            waits: Some(Waits { field: "timeout", per_second: 1, is_set: true }),
            scope: User,
            // The files of Cline CLI and of the extension for VS Code. `config` writes each that exists.
            paths: &[
                (
                    User,
                    "$CLINE_MCP_SETTINGS_PATH|$CLINE_DATA_DIR/settings/cline_mcp_settings.json|\
                    $CLINE_DIR/data/settings/cline_mcp_settings.json|~/.cline/data/settings/cline_mcp_settings.json",
                ),
                (User, "@/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
            ],
            ..FILES
        },
        ..all_as_text("cline", "3.0")
    },
    Client {
        timeout_secs: Some(60),
        has_images: false,
        files: Files {
            name: "Continue",
            format: Format::Yaml,
            paths: &[
                (Project, "./.continue/mcpServers/cutline.yaml"),
                (User, "$CONTINUE_GLOBAL_DIR/config.yaml|~/.continue/config.yaml"),
            ],
            ..FILES
        },
        ..whole("continue", "1.5")
    },
    Client {
        files: Files {
            name: "Claude Desktop",
            // Claude Desktop has a timeout of about four minutes.
            flags: &[("--bash-max-timeout", "200")],
            starts_elsewhere: true,
            scope: User,
            paths: &[(User, "@/Claude/claude_desktop_config.json")],
            ..FILES
        },
        ..not_measured("claude-desktop")
    },
    Client {
        files: Files {
            name: "Cursor",
            paths: &[(Project, "./.cursor/mcp.json"), (User, "~/.cursor/mcp.json")],
            ..FILES
        },
        ..not_measured("cursor")
    },
    Client {
        files: Files {
            name: "VS Code",
            servers: "servers",
            kind: Some(("type", "stdio")),
            paths: &[(Project, "./.vscode/mcp.json"), (User, "@/Code/User/mcp.json")],
            ..FILES
        },
        ..not_measured("vscode")
    },
    // It sends the name that the server has in its list. This profile precedes that of the client whose name is a
    // prefix of its name.
    Client { timeout_secs: Some(60), ..whole("openai-agents-js", "0.20") },
    Client { timeout_secs: Some(5), ..whole("openai-agents", "0.24") },
    whole("pydantic-ai", "2.68"),
    whole("langchain", "0.3"),
    Client { timeout_secs: Some(5), ..all_as_text("google-adk", "2.13") },
    Client { timeout_secs: Some(30), keeps_server: false, ..all_as_text("llama-index", "0.6") },
    Client { timeout_secs: Some(60), ..all_as_text("mastra", "0.14") },
    Client { timeout_secs: Some(5), has_images: false, ..whole("autogen", "0.7") },
    // Keeps only the start of a result above about 6.6 KB.
    Client { max_bytes: Some(6000), has_images: false, ..whole("crewai", "1.15") },
    whole("ai-sdk", "6"),
    Client { timeout_secs: Some(10), ..whole("agno", "3.1") },
    whole("strands", "1.62"),
    Client { has_images: false, ..whole("smolagents", "1.26") },
];
