//! The profiles of the measured clients.

use super::Client;

/// Returns a client that passes on everything within the default limits.
const fn whole(id: &'static str, version: &'static str) -> Client {
    Client {
        id,
        version,
        max_lines: None,
        max_bytes: None,
        max_result_json_bytes: None,
        timeout_secs: None,
        keeps_server: true,
        has_images: true,
        omits_details: false,
    }
}

/// Returns a client that passes the full result to the model as text, with images and details.
const fn all_as_text(id: &'static str, version: &'static str) -> Client {
    Client { has_images: false, omits_details: true, ..whole(id, version) }
}

/// The measured clients.
pub static CLIENTS: [Client; 22] = [
    whole("claude-code", "2.1"),
    // Drops the middle above 12,000 bytes.
    Client { max_bytes: Some(11_000), timeout_secs: Some(300), ..whole("codex", "0.169") },
    // Drops the end above 2000 lines, including the notice.
    Client { max_lines: Some(1990), ..whole("opencode", "1.18") },
    // Based on opencode, with the same limit.
    Client { max_lines: Some(1990), ..whole("kilo", "7.7") },
    // Saves a result above 20,480 bytes to a file and shows 500 characters of it.
    Client { max_bytes: Some(19_000), has_images: false, ..whole("copilot-cli", "1.0") },
    whole("gemini", "0.61"),
    // Drops the middle above 25,000 characters or 1000 lines.
    Client { max_lines: Some(990), max_bytes: Some(24_000), ..whole("qwen", "0.24") },
    // Converts the result to JSON and drops the middle above 8000 characters.
    Client { max_result_json_bytes: Some(8000), timeout_secs: Some(60), ..all_as_text("cline", "3.0") },
    Client { timeout_secs: Some(60), has_images: false, ..whole("continue", "1.5") },
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
