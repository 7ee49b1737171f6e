//! The table of the fit: a row for each client that was measured.

use super::Client;

/// A client that takes whatever the defaults give.
const WHOLE: Client = Client {
    id: "",
    names: &[],
    version: "",
    max_lines: None,
    max_bytes: None,
    answer_within_secs: None,
    keeps_server: true,
    has_images: true,
    hides_details: true,
};

/// The clients that were measured.
pub static CLIENTS: [Client; 20] = [
    Client { id: "claude-code", names: &["claudecode"], version: "2.1", ..WHOLE },
    // Drops the middle above 12,000 bytes.
    Client {
        id: "codex",
        names: &["codex"],
        version: "0.169",
        max_bytes: Some(11_000),
        answer_within_secs: Some(270),
        ..WHOLE
    },
    // Drops the end above 2000 lines, the notice with it.
    Client { id: "opencode", names: &["opencode"], version: "1.18", max_lines: Some(1990), ..WHOLE },
    Client { id: "gemini", names: &["gemini"], version: "0.61", ..WHOLE },
    // Drops the middle above 25,000 characters or 1000 lines.
    Client {
        id: "qwen",
        names: &["qwen"],
        version: "0.24",
        max_lines: Some(990),
        max_bytes: Some(24_000),
        ..WHOLE
    },
    // Shows the whole result as JSON and drops the middle above 8000 characters of it.
    Client {
        id: "cline",
        names: &["cline"],
        version: "3.0",
        max_bytes: Some(5500),
        answer_within_secs: Some(54),
        has_images: false,
        hides_details: false,
        ..WHOLE
    },
    Client {
        id: "continue",
        names: &["continue"],
        version: "1.5",
        answer_within_secs: Some(54),
        has_images: false,
        ..WHOLE
    },
    // It gives itself the name that the server has in its list. Before the one whose name its own begins with.
    Client {
        id: "openai-agents-js",
        names: &["openaiagentsjs"],
        version: "0.20",
        answer_within_secs: Some(54),
        ..WHOLE
    },
    Client {
        id: "openai-agents",
        names: &["openaiagents"],
        version: "0.24",
        answer_within_secs: Some(4),
        ..WHOLE
    },
    Client { id: "pydantic-ai", names: &["pydanticai"], version: "2.68", ..WHOLE },
    Client { id: "langchain", names: &["langchain", "langgraph"], version: "0.3", ..WHOLE },
    Client {
        id: "google-adk",
        names: &["googleadk"],
        version: "2.13",
        answer_within_secs: Some(4),
        has_images: false,
        hides_details: false,
        ..WHOLE
    },
    Client {
        id: "llama-index",
        names: &["llamaindex"],
        version: "0.6",
        answer_within_secs: Some(27),
        keeps_server: false,
        has_images: false,
        hides_details: false,
        ..WHOLE
    },
    Client {
        id: "mastra",
        names: &["mastra"],
        version: "0.14",
        answer_within_secs: Some(54),
        has_images: false,
        hides_details: false,
        ..WHOLE
    },
    Client {
        id: "autogen",
        names: &["autogen"],
        version: "0.7",
        answer_within_secs: Some(4),
        has_images: false,
        ..WHOLE
    },
    // Keeps the start alone, somewhere above 6.6 KB.
    Client {
        id: "crewai",
        names: &["crewai"],
        version: "1.15",
        max_bytes: Some(6000),
        has_images: false,
        ..WHOLE
    },
    Client { id: "ai-sdk", names: &["aisdk"], version: "6", ..WHOLE },
    Client { id: "agno", names: &["agno"], version: "3.1", answer_within_secs: Some(9), ..WHOLE },
    Client { id: "strands", names: &["strands"], version: "1.62", ..WHOLE },
    Client { id: "smolagents", names: &["smolagents"], version: "1.26", has_images: false, ..WHOLE },
];
