//! The list of tools as clients see it, and the dispatch of calls to the tools.

#![expect(clippy::indexing_slicing, reason = "there is a schema for each tool")]

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::limits::Limits;
use cutline_core::notice::{Count, between};
use cutline_core::text::Size;
use cutline_core::truncate::{Bounds, Keep};

use super::arguments::{self, Checked, Object, schema_of};
use super::grep::FEW_MATCHES;
use super::{Context, Load, Output, ToolError, ToolName, ToolSet, bash, find, grep, ls, notice, read};

/// The schemas of all tools, in the order of the list. Built on first use.
static SCHEMAS: LazyLock<[Object; 5]> = LazyLock::new(|| {
    let [read, bash] = [schema_of::<read::ReadArgs>(), schema_of::<bash::BashArgs>()];
    let [grep, find, ls] =
        [schema_of::<grep::GrepArgs>(), schema_of::<find::FindArgs>(), schema_of::<ls::LsArgs>()];
    [read, bash, grep, find, ls]
});

/// The arguments that lower a limit for one call, with their descriptions.
const CALL_LIMITS: [(&str, &str); 2] =
    [("maxBytes", "Most bytes of the answer"), ("maxTokens", "Most tokens of the answer")];

impl ToolName {
    /// Returns the schema of the arguments for `limits`. It has the maximum timeout, so that an error can state both
    /// bounds, and the arguments that lower a limit, if they are enabled.
    pub fn schema_within(self, limits: &Limits) -> Object {
        let mut schema = self.schema().clone();
        let properties = &mut schema["properties"];
        if self == Self::Bash {
            properties["timeout"]["maximum"] = limits.bash_max_timeout_secs.into();
        }
        if self == Self::Grep && limits.lean_grep {
            let default = format!("; default: if at most {FEW_MATCHES} match");
            let description = &mut properties["showFunction"]["description"];
            *description = (description.as_str().unwrap_or_default().to_owned() + &default).into();
        }
        for (name, description) in CALL_LIMITS.into_iter().filter(|_| limits.call_limits) {
            properties[name] =
                json!({ "type": "integer", "minimum": 1, "nullable": true, "description": description });
        }
        schema
    }

    /// Returns the schema of the arguments.
    pub fn schema(self) -> &'static Object {
        &SCHEMAS[self as usize]
    }

    /// Returns the title of the tool.
    pub fn title(self) -> &'static str {
        self.title_and_purpose().0
    }

    /// Returns true if the tool does not change anything.
    pub fn is_read_only(self) -> bool {
        self != Self::Bash
    }

    /// Returns the title and a short purpose. Some models see nothing else before they search for a tool.
    fn title_and_purpose(self) -> (&'static str, &'static str) {
        match self {
            Self::Read => ("Read file", "read text files and images"),
            Self::Bash => ("Run command", "run shell commands"),
            Self::Grep => ("Search file contents", "search file contents by regular expression"),
            Self::Find => ("Find files", "find files by name"),
            Self::Ls => ("List folder", "list folders"),
        }
    }

    /// Returns the description for the model: the purpose (in the first 160 characters, because some clients show no
    /// more), the limits, and how to continue. It mentions only tools in `tools`.
    pub fn description(self, limits: &Limits, tools: &ToolSet) -> String {
        let (lines, bytes) = (limits.max_lines, size_text(limits, limits.bounds()));
        match self {
            Self::Read => format!(
                "Read a text file, parts of several, or an image (PNG, JPEG, GIF, WebP). Returns {}, at most {lines} lines or {bytes}; where more follows, a notice gives the offset \
                 that continues. offset=-100 reads the last 100 lines.",
                line_limit_text(limits).as_deref().unwrap_or("whole lines"),
                bytes = size_text(limits, limits.read_bounds())
            ),
            Self::Bash => format!(
                "Run a command with bash -c. Returns stdout and stderr in the order written, {}; \
                 a notice names the file with all of it{}. head and tail set how many lines of both ends are shown. Exit \
                 code 0 is not shown. Ended after timeout seconds (default {}, at most {}). stdin is empty; no state is \
                 kept between calls.",
                output_text(limits),
                between(", for ", notice::named(tools, [Self::Read, Self::Grep], " and "), ""),
                limits.bash_timeout_secs.min(limits.bash_max_timeout_secs),
                limits.bash_max_timeout_secs
            ),
            Self::Grep => format!(
                "Search file contents with a regular expression. Returns {} in path order, or \
                 with sort=relevance definitions first, at most {bytes}. Longer results are cut after a complete match, \
                 and a notice gives the offset that continues; lines are cut at {} characters. \
                 Skips files that .gitignore or .ignore name; searches hidden files.",
                if limits.grep_heading { "each path once, then line: text," } else { "path:line: text" },
                limits.max_match_line_chars
            ),
            Self::Find => format!(
                "Find files by glob, or with sort=relevance by words of the name, best first. Returns paths \
                 in path order (folders end with /), at most {bytes}; where there is more, a notice gives the \
                 offset that continues. Skips ignored files, finds hidden ones."
            ),
            Self::Ls => format!(
                "List a folder, a file or what a glob matches: one name for each line, dotfiles too, folders end \
                 with /, at most {bytes}; where there is more, a notice gives the offset that continues."
            ),
        }
    }
}

/// Describes what bash returns of an output.
fn output_text(limits: &Limits) -> String {
    let cut_lines = line_limit_text(limits).map_or_else(String::new, |text| format!(", {text}"));
    let key_lines = "one line of each kind that reports an error";
    if let Some(Keep::Short { bytes }) = limits.short() {
        let (lines, limit) = (limits.max_lines, size_text(limits, limits.output_bounds()));
        let key_lines = if limits.key_lines { format!("{key_lines}, ") } else { String::new() };
        let parts = format!("the first lines, {key_lines}and the last lines");
        let size = Size(bytes);
        return format!("complete up to {lines} lines or {limit}{cut_lines}; of more, about {size}: {parts}");
    }
    let (lines, limit) = (bash::plan::kept_lines_text(limits), size_text(limits, limits.bounds()));
    let key_lines = if limits.key_lines { format!("; of more, {key_lines} too") } else { String::new() };
    format!("{lines} or {limit}{cut_lines}{key_lines}")
}

/// Formats the byte limit of a result with these bounds, and the token limit if there is one.
fn size_text(limits: &Limits, bounds: Bounds) -> String {
    let tokens = limits.max_tokens.map(|tokens| format!(" or {}", Count(tokens, "token", "tokens")));
    format!("{}{}", bounds.bytes_words(), tokens.unwrap_or_default())
}

/// Formats the limit for the length of a line in read and bash, if there is one.
fn line_limit_text(limits: &Limits) -> Option<String> {
    limits.max_text_line_chars.map(|chars| format!("lines cut at {chars} characters"))
}

/// Returns the instructions of the server. The first sentence lists the tools and their purposes.
pub fn instructions(limits: &Limits, tools: &ToolSet) -> String {
    let purposes: Vec<String> =
        tools.iter().map(|tool| format!("{} ({})", tool.title_and_purpose().1, tool.as_str())).collect();
    let lines = Count(limits.max_lines, "line", "lines");
    let answer_within = limits.answer_within.filter(|_| tools.contains(&ToolName::Bash)).map(|within| {
        let seconds = Count(within.as_secs(), "second", "seconds");
        format!(" A command that still runs after {seconds} keeps running after its result.")
    });
    let images = if limits.images.is_none() && tools.contains(&ToolName::Read) {
        " For images, only the type and size are returned."
    } else {
        ""
    };
    format!(
        "Tools to {}. Each result fits your context: at most {lines} or {}, {}. Text in square brackets at the end \
         of a result states what was omitted, and the exact next call that returns it. Relative paths start from the \
         workspace folder.{}{images}",
        purposes.join(", "),
        size_text(limits, limits.bounds()),
        line_limit_text(limits).as_deref().unwrap_or("whole lines only"),
        answer_within.unwrap_or_default(),
    )
}

/// The outcome of a call, and the limits in use: those of the context, lowered by arguments of the call.
#[derive(Debug)]
pub struct Called {
    /// The result, or the error that the model reads.
    pub outcome: Result<Output, ToolError>,
    /// The limits.
    pub limits: Limits,
}

/// Runs a call of `tool` with the model's arguments. Waits for a permit before each part of the work, and keeps it
/// until that part returns. A thread that is blocked in the system can outlive the permit, because the call does not
/// wait for it forever.
pub async fn call<P: Future<Output = Result<impl Sized, ToolError>>>(
    cx: &Context,
    tool: ToolName,
    given: &Object,
    permit: impl Fn(Load) -> P,
) -> Called {
    let limits = cx.limits.clone();
    let Checked { arguments: checked, ignored } =
        match arguments::check(tool.as_str(), &tool.schema_within(&limits), given) {
            Ok(checked) => checked,
            Err(error) => return Called { outcome: Err(error), limits },
        };
    let [max_bytes, max_tokens] = CALL_LIMITS.map(|(name, _)| checked.get(name).and_then(Value::as_u64));
    let limits = limits.lowered(max_bytes, max_tokens);
    let cx = &Context { limits: limits.clone(), ignored, ..cx.clone() };
    let run = async {
        match tool {
            ToolName::Read => {
                let args: read::ReadArgs = arguments::typed(checked)?;
                let mut load = Load::Light;
                loop {
                    match under(permit(load), read::run(cx, args.clone(), load)).await? {
                        Some(output) => return Ok(output),
                        None => load = Load::Image,
                    }
                }
            }
            ToolName::Bash => bash::run(cx, arguments::typed(checked)?).await,
            ToolName::Grep => {
                let args: grep::GrepArgs = arguments::typed(checked)?;
                under(permit(args.load()), grep::run(cx, args)).await
            }
            ToolName::Find => under(permit(Load::Heavy), find::run(cx, arguments::typed(checked)?)).await,
            ToolName::Ls => under(permit(Load::Light), ls::run(cx, arguments::typed(checked)?)).await,
        }
    };
    Called { outcome: run.await, limits }
}

/// Waits for a permit, and keeps it while `work` runs.
async fn under<T>(
    permit: impl Future<Output = Result<impl Sized, ToolError>>,
    work: impl Future<Output = Result<T, ToolError>>,
) -> Result<T, ToolError> {
    let _held = permit.await?;
    work.await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_name_only_tools_that_are_there() {
        let limits = Limits::default();
        for (tools, expected) in [
            (&ToolName::ALL[..], "of it, for read and grep. head"),
            (&[ToolName::Bash, ToolName::Grep], "of it, for grep. head"),
            (&[ToolName::Bash], "of it. head"),
        ] {
            let description = ToolName::Bash.description(&limits, &tools.iter().copied().collect());
            assert!(description.contains(expected), "{description}");
        }
    }

    #[test]
    fn instructions_name_only_tools_that_are_there() {
        let all = instructions(&Limits::default(), &ToolSet::from(ToolName::ALL));
        let first = "Tools to read text files and images (read), run shell commands (bash), search file contents \
                     by regular expression (grep), find files by name (find), list folders (ls). ";
        assert!(all.starts_with(first), "{all}");
        let some = instructions(&Limits::default(), &ToolSet::from([ToolName::Ls]));
        assert!(some.starts_with("Tools to list folders (ls). Each result"), "{some}");
    }

    #[test]
    fn instructions_name_the_limits_in_force() {
        let cline = crate::fit::Client::of_id("cline").unwrap();
        let limits = cline.fitted(&Limits::default(), crate::fit::Given::default(), None);
        let all = instructions(&limits, &ToolSet::from(ToolName::ALL));
        let end = "A command that still runs after 54 seconds keeps running after its result. For images, only the \
                   type and size are returned.";
        assert!(all.contains("at most 2000 lines or 6.9KB as JSON,") && all.ends_with(end), "{all}");
        let some = instructions(&limits, &ToolSet::from([ToolName::Ls]));
        assert!(some.ends_with("start from the workspace folder."), "{some}");
        assert!(
            instructions(&Limits::default(), &ToolSet::from(ToolName::ALL))
                .ends_with("start from the workspace folder.")
        );
    }

    #[test]
    fn descriptions_have_the_token_limit_if_set() {
        let limits = Limits { max_tokens: Some(8000), ..Limits::default() };
        for tool in ToolName::ALL {
            for (limits, is_named) in [(&limits, true), (&Limits::default(), false)] {
                let said = tool.description(limits, &ToolSet::from(ToolName::ALL));
                assert_eq!(said.contains("30KB or 8000 tokens"), is_named, "{said}");
            }
        }
        let said = instructions(&limits, &ToolSet::from(ToolName::ALL));
        assert!(said.contains("at most 2000 lines or 30KB or 8000 tokens, whole lines only."), "{said}");
    }

    #[test]
    fn error_for_invalid_timeout_has_both_bounds() {
        let limits = Limits { bash_max_timeout_secs: 7, ..Limits::default() };
        let schema = ToolName::Bash.schema_within(&limits);
        for given in [json!(-1), json!(1.5), json!("abc")] {
            let call = json!({"command": "true", "timeout": given});
            let error = arguments::check("bash", &schema, call.as_object().unwrap());
            let expected = format!("timeout: must be an integer from 1 to 7, got {given}");
            assert_eq!(error.unwrap_err().to_string(), expected);
        }
    }
}
