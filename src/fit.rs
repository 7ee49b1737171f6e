//! Client profiles: the limits within which each client passes a result to the model unchanged.
//!
//! Clients truncate results again, stop waiting for calls, or pass images as text. The protocol has no field for this.
//! Each profile was measured with the real program, in the version that it states (docs/clients). A client sends its
//! name in the handshake, or in each request of the stateless protocol. Flags take precedence over the profile. Clients
//! without a profile get the default limits.

#![expect(clippy::indexing_slicing, reason = "the ranges are of words of the name")]

mod clients;

use std::path::Path;
use std::time::Duration;

use cutline_core::text::json_bytes;
use cutline_core::truncate::BytesAs;

use crate::limits::{Limits, NOTICE_BYTES, TIMEOUT_GRACE};

pub use clients::{CLIENTS, Files, Format, Scope};

/// A client: its profile, if it was measured, and its configuration files.
#[derive(Debug, PartialEq, Eq)]
pub struct Client {
    /// The name for `--fit`. Names of the client's programs, of editor extensions, and of programs based on it contain
    /// the words of this name without separators.
    pub id: &'static str,
    /// The version that was measured. Without it, the client has no profile.
    pub version: Option<&'static str>,
    /// Maximum lines of a result, without the notice.
    max_lines: Option<u64>,
    /// Maximum bytes of a result, without the notice and the client's own text.
    max_bytes: Option<u64>,
    /// Maximum bytes of a result as JSON, if the client converts it to JSON.
    max_result_json_bytes: Option<u64>,
    /// The client timeout in seconds, if it is shorter than the command timeout.
    pub timeout_secs: Option<u64>,
    /// False if the client starts a server for each call. Commands then end with their call.
    keeps_server: bool,
    /// False if the client passes images as text, drops them, or rejects results with images.
    has_images: bool,
    /// True if details are omitted without `--structured`, because the client would pass them to the model.
    pub omits_details: bool,
    /// The files for entries of servers. They have no paths if `cutline config` does not support the client.
    pub files: Files,
}

/// Maximum bytes of a client name that is compared. Known names have less than half of that.
const NAME_BYTES: usize = 100;

/// Number of bytes around the text of a result in JSON: `{"content":[{"type":"text","text":""}],"isError":false}` and
/// what clients and later protocol revisions add to it.
pub const RESULT_BYTES: u64 = 100;
/// Maximum length in bytes of the path of the folder of saved outputs for which notices reserve space.
const FOLDER_BYTES: u64 = 100;
/// Maximum number of saved outputs in the notices of a result: one of a command, and one more if processes keep
/// running.
const SAVED_NAMED: u64 = 2;
/// Time between the end of a search and the client timeout. A search gets at least half of that timeout.
const CLIENT_MARGIN: Duration = Duration::from_secs(5);
/// Minimum size of a body in bytes, however long that path is.
const BODY_BYTES: u64 = 500;

/// Which client profile is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fit {
    /// The profile for the name that the client sends.
    #[default]
    Auto,
    /// This profile, whatever name the client sends.
    Client(&'static Client),
    /// No profile: the flags and their defaults apply.
    Off,
}

/// Which limits the user set with a flag or variable. They take precedence over the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each flag, by its name")]
pub struct Given {
    /// `--max-lines`.
    pub max_lines: bool,
    /// `--max-bytes`.
    pub max_bytes: bool,
    /// `--images`.
    pub images: bool,
    /// `--answer-within`.
    pub answer_within: bool,
    /// `--search-timeout`.
    pub search_timeout: bool,
}

impl Client {
    /// Returns the clients that were measured, which have a profile.
    pub fn measured() -> impl Iterator<Item = &'static Self> {
        CLIENTS.iter().filter(|client| client.version.is_some())
    }

    /// Returns the profile with that id.
    pub fn of_id(id: &str) -> Option<&'static Self> {
        Self::measured().find(|client| client.id == id)
    }

    /// Returns true if this is the name of the client, or of a program that is based on it: the name starts with the id
    /// of the profile, or contains it as complete words. Case, spaces and punctuation are ignored.
    fn is_called(&self, name: &str) -> bool {
        let own = self.id.replace('-', "");
        let lower = name.to_ascii_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let is_later = |start: usize| (start..words.len()).any(|end| words[start..=end].concat() == own);
        words.concat().starts_with(&own) || (1..words.len()).any(is_later)
    }

    /// Returns `limits` lowered to those of the profile, except the `given` ones. Outputs are saved in the folder
    /// `saved_in`.
    pub fn fitted(&self, limits: &Limits, given: Given, saved_in: Option<&Path>) -> Limits {
        let lowered = |limit: u64, is_given: bool, to: Option<u64>| match to {
            Some(to) if !is_given => limit.min(to),
            _ => limit,
        };
        let max_lines = lowered(limits.max_lines, given.max_lines, self.max_lines);
        let bash_head = limits.bash_head.min(max_lines);
        let client_timeout = self.timeout_secs.map(Duration::from_secs);
        let answer_within = match client_timeout {
            // Nine tenths of it, in whole seconds.
            Some(client) if !given.answer_within => Some(Duration::from_secs((client * 9 / 10).as_secs())),
            _ => limits.answer_within,
        };
        // The command would end together with the server. It therefore gets a shorter timeout, so that its output is
        // returned, also if it ends only with SIGKILL.
        let ends_with_call = answer_within
            .filter(|_| !self.keeps_server)
            .map(|time| time.saturating_sub(TIMEOUT_GRACE).as_secs().max(1));
        let within_call = |secs: u64| ends_with_call.map_or(secs, |most| secs.min(most));
        let max_json_bytes = self.max_result_json_bytes.filter(|_| !given.max_bytes).map(|all| {
            let folder = saved_in.map_or(0, |path| json_bytes(&path.to_string_lossy()));
            let of_paths = SAVED_NAMED * folder.saturating_sub(FOLDER_BYTES);
            all.saturating_sub(RESULT_BYTES + NOTICE_BYTES + of_paths).max(BODY_BYTES)
        });
        Limits {
            max_lines,
            max_bytes: lowered(limits.max_bytes, given.max_bytes, self.max_bytes.or(max_json_bytes)),
            bytes_as: max_json_bytes.map_or(limits.bytes_as, |_| BytesAs::Json),
            bash_head,
            bash_tail: limits.bash_tail.map(|tail| tail.min(max_lines - bash_head)),
            bash_timeout_secs: within_call(limits.bash_timeout_secs),
            bash_max_timeout_secs: within_call(limits.bash_max_timeout_secs),
            answer_within: answer_within.filter(|_| self.keeps_server),
            search_timeout: match client_timeout {
                Some(client) if !given.search_timeout => {
                    limits.search_timeout.min(client.saturating_sub(CLIENT_MARGIN).max(client / 2))
                }
                _ => limits.search_timeout,
            },
            images: if self.has_images || given.images { limits.images } else { None },
            ..limits.clone()
        }
    }
}

impl Fit {
    /// Returns the profile for a client with the name `name`.
    pub fn profile(self, name: Option<&str>) -> Option<&'static Client> {
        match self {
            Self::Off => None,
            Self::Client(client) => Some(client),
            Self::Auto => {
                let name = name.filter(|name| name.len() <= NAME_BYTES)?;
                Client::measured().find(|client| client.is_called(name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutline_core::truncate::{Limit, TruncatedBy};

    #[test]
    fn client_is_found_by_the_name_it_gives_itself() {
        let cases = [
            // Names that clients really send.
            ("claude-code", Some("claude-code")),
            ("codex-mcp-client", Some("codex")),
            ("opencode", Some("opencode")),
            ("gemini-cli-mcp-client", Some("gemini")),
            ("kilo", Some("kilo")),
            ("copilot-cli", Some("copilot-cli")),
            ("qwen-cli-mcp-client-cutline", Some("qwen")),
            ("@cline/core", Some("cline")),
            ("continue-cli-client", Some("continue")),
            ("google-adk", Some("google-adk")),
            // Names that related programs may have.
            ("Claude Code", Some("claude-code")),
            ("claude_code-sdk", Some("claude-code")),
            ("codex", Some("codex")),
            ("Codex Desktop", Some("codex")),
            ("OpenCode", Some("opencode")),
            ("gemini-cli", Some("gemini")),
            ("geminicli", Some("gemini")),
            ("my-gemini-agent", Some("gemini")),
            ("QwenCode", Some("qwen")),
            ("qwen-code-vscode", Some("qwen")),
            ("Cline", Some("cline")),
            ("vscode-cline", Some("cline")),
            ("continue-vscode", Some("continue")),
            ("crewAI", Some("crewai")),
            ("llama_index", Some("llama-index")),
            ("OpenAI Agents SDK", Some("openai-agents")),
            ("ai-sdk-mcp-client", Some("ai-sdk")),
            // Names of SDKs, of the server itself, and of clients without a profile.
            ("mcp", None),
            ("cutline", None),
            ("cutline-doctor", None),
            ("Visual Studio Code", None),
            ("cursor-vscode", None),
            ("claude-ai", None),
            ("inclined", None),
            ("discontinued", None),
            ("", None),
            ("--", None),
        ];
        for (name, id) in cases {
            assert_eq!(Fit::Auto.profile(Some(name)).map(|client| client.id), id, "{name}");
        }
        let long = "cline ".repeat(NAME_BYTES);
        assert_eq!(Fit::Auto.profile(Some(&long)), None);
        assert_eq!(Fit::Auto.profile(None), None);
        let crewai = Client::of_id("crewai").unwrap();
        assert_eq!(Fit::Client(crewai).profile(Some("opencode")), Some(crewai));
        assert_eq!(Fit::Off.profile(Some("opencode")), None);
    }

    /// A client with its lines, bytes, seconds, images and details.
    type Fits = (&'static str, u64, u64, Option<u64>, bool, bool);

    /// The limits of each profile, as in docs/clients/measured.md.
    #[test]
    fn client_profiles_have_the_measured_limits() {
        let cases: [Fits; 22] = [
            ("claude-code", 2000, 30_000, None, true, true),
            ("codex", 2000, 11_000, Some(270), true, true),
            ("opencode", 1990, 30_000, None, true, true),
            ("kilo", 1990, 30_000, None, true, true),
            ("copilot-cli", 2000, 19_000, None, false, true),
            ("gemini", 2000, 30_000, None, true, true),
            ("qwen", 990, 24_000, None, true, true),
            ("cline", 2000, 6900, Some(54), false, false),
            ("continue", 2000, 30_000, Some(54), false, true),
            ("openai-agents-js", 2000, 30_000, Some(54), true, true),
            ("openai-agents", 2000, 30_000, Some(4), true, true),
            ("pydantic-ai", 2000, 30_000, None, true, true),
            ("langchain", 2000, 30_000, None, true, true),
            ("google-adk", 2000, 30_000, Some(4), false, false),
            ("llama-index", 2000, 30_000, None, false, false),
            ("mastra", 2000, 30_000, Some(54), false, false),
            ("autogen", 2000, 30_000, Some(4), false, true),
            ("crewai", 2000, 6000, None, false, true),
            ("ai-sdk", 2000, 30_000, None, true, true),
            ("agno", 2000, 30_000, Some(9), true, true),
            ("strands", 2000, 30_000, None, true, true),
            ("smolagents", 2000, 30_000, None, false, true),
        ];
        assert_eq!(Client::measured().count(), cases.len(), "each client has a case");
        for (client, case) in Client::measured().zip(cases) {
            let fitted = client.fitted(&Limits::default(), Given::default(), None);
            let within = fitted.answer_within.map(|within| within.as_secs());
            let images = fitted.images.is_some();
            let found =
                (client.id, fitted.max_lines, fitted.max_bytes, within, images, !client.omits_details);
            assert_eq!(found, case);
            assert_eq!(Fit::Auto.profile(Some(client.id)), Some(client), "its own name");
        }
    }

    #[test]
    fn flags_override_the_client_profile() {
        let cline = Client::of_id("cline").unwrap();
        let limits = Limits::default();
        let fitted = cline.fitted(&limits, Given::default(), None);
        assert_eq!((fitted.max_lines, fitted.bounds().limit(TruncatedBy::Bytes)), (2000, Limit::Json(6900)));
        assert_eq!(fitted.images, None);
        let given = Given { max_bytes: true, images: true, answer_within: true, ..Given::default() };
        assert_eq!(cline.fitted(&limits, given, None), limits);
        // A limit below that of the profile is not raised.
        let low = Limits { max_bytes: 100, ..Limits::default() };
        assert_eq!(cline.fitted(&low, Given::default(), None).max_bytes, 100);
    }

    #[test]
    fn long_path_of_saved_outputs_has_room() {
        let cline = Client::of_id("cline").unwrap();
        let max_bytes =
            |path: &str| cline.fitted(&Limits::default(), Given::default(), Some(Path::new(path))).max_bytes;
        assert_eq!(max_bytes("/tmp/cutline-1000"), 6900);
        assert_eq!(max_bytes(&"/long".repeat(40)), 6900 - 2 * 100);
        assert_eq!(max_bytes(&"/\"".repeat(100)), 6900 - 2 * 200);
        assert_eq!(max_bytes(&"/long".repeat(800)), BODY_BYTES);
    }

    #[test]
    fn commands_of_a_client_that_starts_a_server_for_each_call_end_in_time() {
        let fitted =
            |limits: &Limits, given| Client::of_id("llama-index").unwrap().fitted(limits, given, None);
        let limits = fitted(&Limits::default(), Given::default());
        assert_eq!(
            (limits.bash_timeout_secs, limits.bash_max_timeout_secs, limits.answer_within),
            (25, 25, None)
        );
        let longer = Limits { answer_within: Some(Duration::from_secs(270)), ..Limits::default() };
        let limits = fitted(&longer, Given { answer_within: true, ..Given::default() });
        assert_eq!(
            (limits.bash_timeout_secs, limits.bash_max_timeout_secs, limits.answer_within),
            (120, 268, None)
        );
    }

    #[test]
    fn kept_ends_stay_within_the_lines() {
        let opencode = Client::of_id("opencode").unwrap();
        let limits = Limits { bash_head: 1000, bash_tail: Some(1000), ..Limits::default() };
        let fitted = opencode.fitted(&limits, Given::default(), None);
        assert_eq!((fitted.bash_head, fitted.bash_tail), (1000, Some(990)));
    }

    #[test]
    fn ids_are_unique() {
        for client in Client::measured() {
            assert_eq!(Client::of_id(client.id), Some(client));
        }
    }
}
