//! The clients whose files are known: a row each, of how its file is written and what it needs.

use super::tree::Format;
use crate::cli::{Client, Scope};

/// The notation of a client's file.
#[derive(Debug)]
pub(in crate::cli) struct Row {
    /// Its name, as its makers write it.
    pub(in crate::cli) name: &'static str,
    /// Its row in the table of fits, where it has one.
    pub(in crate::cli) fit: Option<&'static str>,
    /// The language of its file.
    pub(super) format: Format,
    /// The table, or list, that holds all servers.
    pub(super) servers: &'static str,
    /// The field of an entry for the command; with its arguments, where they are one list.
    pub(super) command: CommandForm,
    /// The field and word by which it tells an entry of a program.
    pub(super) kind: Option<(&'static str, &'static str)>,
    /// Fields that are true in an entry, unless they are there.
    pub(super) switches: &'static [&'static str],
    /// The field for how long it waits for an answer.
    pub(super) waits: Option<Waits>,
    /// Its setting for the tokens that an answer may have, beside the servers.
    pub(super) answer_tokens: Option<&'static str>,
    /// Its file in the words of a person, for each scope that it has; the first is written where none is named.
    pub(super) files: &'static [(Scope, &'static str)],
}

/// The way in which an entry has its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandForm {
    /// `command` is the program, `args` its arguments.
    Apart,
    /// `command` is both in one list.
    OneList,
}

/// The time that a client waits for an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waits {
    /// The field of the entry.
    pub(super) field: &'static str,
    /// Units of that field in a second.
    pub(super) per_second: u64,
    /// True if it is set where it is not: what the client waits by itself is less than a command may take.
    pub(super) is_set: bool,
}

/// Seconds that a client is told to wait: a tenth more than the longest command and what goes with it.
pub(super) const WAIT_SECS: u64 = 700;
/// Tokens that a client is told to take: 30KB at 3 bytes each, which is less than any known text has.
pub(super) const ANSWER_TOKENS: u64 = 10_000;

/// The row of most clients.
const COMMON: Row = Row {
    name: "",
    fit: None,
    format: Format::Json,
    servers: "mcpServers",
    command: CommandForm::Apart,
    kind: None,
    switches: &[],
    waits: None,
    answer_tokens: None,
    files: &[],
};

const CLAUDE_DESKTOP: Row = Row {
    name: "Claude Desktop",
    files: &[(Scope::User, "claude_desktop_config.json (Settings, Developer, Edit Config)")],
    ..COMMON
};

const CLAUDE_CODE: Row = Row {
    name: "Claude Code",
    fit: Some("claude-code"),
    // With many servers it shows the model a tool's name alone, and the rest once the model searched for it.
    switches: &["alwaysLoad"],
    kind: Some(("type", "stdio")),
    waits: Some(Waits { field: "timeout", per_second: 1000, is_set: false }),
    files: &[
        (Scope::Project, ".mcp.json in the project's folder"),
        (Scope::User, "~/.claude.json"),
        (Scope::Local, "~/.claude.json, to this folder in projects"),
    ],
    ..COMMON
};

const CURSOR: Row = Row {
    name: "Cursor",
    files: &[
        (Scope::Project, ".cursor/mcp.json in the project's folder"),
        (Scope::User, "~/.cursor/mcp.json"),
    ],
    ..COMMON
};

const VSCODE: Row = Row {
    name: "VS Code",
    servers: "servers",
    kind: Some(("type", "stdio")),
    files: &[
        (Scope::Project, ".vscode/mcp.json in the project's folder"),
        (Scope::User, "mcp.json of the user (MCP: Open User Configuration)"),
    ],
    ..COMMON
};

const CODEX: Row = Row {
    name: "Codex",
    fit: Some("codex"),
    format: Format::Toml,
    servers: "mcp_servers",
    switches: &["supports_parallel_tool_calls"],
    waits: Some(Waits { field: "tool_timeout_sec", per_second: 1, is_set: true }),
    answer_tokens: Some("tool_output_token_limit"),
    files: &[
        (Scope::User, "~/.codex/config.toml"),
        (Scope::Project, ".codex/config.toml in a project that Codex trusts"),
    ],
    ..COMMON
};

const OPENCODE: Row = Row {
    name: "opencode",
    fit: Some("opencode"),
    servers: "mcp",
    command: CommandForm::OneList,
    kind: Some(("type", "local")),
    switches: &["enabled"],
    files: &[
        (Scope::Project, "opencode.json in the project's folder"),
        (Scope::User, "~/.config/opencode/opencode.json"),
    ],
    ..COMMON
};

const GEMINI: Row = Row {
    name: "Gemini CLI",
    fit: Some("gemini"),
    waits: Some(Waits { field: "timeout", per_second: 1000, is_set: true }),
    files: &[
        (Scope::Project, ".gemini/settings.json in the project's folder"),
        (Scope::User, "~/.gemini/settings.json"),
    ],
    ..COMMON
};

const QWEN: Row = Row {
    name: "Qwen Code",
    fit: Some("qwen"),
    files: &[
        (Scope::Project, ".qwen/settings.json in the project's folder"),
        (Scope::User, "~/.qwen/settings.json"),
    ],
    ..GEMINI
};

const CLINE: Row = Row {
    name: "Cline",
    fit: Some("cline"),
    waits: Some(Waits { field: "timeout", per_second: 1, is_set: true }),
    files: &[(
        Scope::User,
        "cline_mcp_settings.json (~/.cline/data/settings, or VS Code's folder for Cline)",
    )],
    ..COMMON
};

const CONTINUE: Row = Row {
    name: "Continue",
    fit: Some("continue"),
    format: Format::Yaml,
    files: &[
        (Scope::User, "~/.continue/config.yaml"),
        (Scope::Project, ".continue/mcpServers/cutline.yaml in the project's folder"),
    ],
    ..COMMON
};

impl Client {
    /// Returns how its file is written.
    pub(in crate::cli) fn row(self) -> &'static Row {
        match self {
            Self::ClaudeDesktop => &CLAUDE_DESKTOP,
            Self::ClaudeCode => &CLAUDE_CODE,
            Self::Cursor => &CURSOR,
            Self::Vscode => &VSCODE,
            Self::Codex => &CODEX,
            Self::Opencode => &OPENCODE,
            Self::Gemini => &GEMINI,
            Self::Qwen => &QWEN,
            Self::Cline => &CLINE,
            Self::Continue => &CONTINUE,
        }
    }
}
