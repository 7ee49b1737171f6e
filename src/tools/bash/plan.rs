//! The checked arguments of bash, with defaults.

use std::time::Duration;

use super::BashArgs;
use crate::capture::View;
use crate::limits::{COMMAND_BYTES, Limits};
use crate::process::without_quoted;
use crate::tools::ToolError;
use cutline_core::notice::Count;
use cutline_core::outline::Language;
use cutline_core::truncate::{Bounds, Keep, KeySpace};

/// Minimum `timeout` that is interpreted as milliseconds. Above the maximum, each multiple of 1000 is.
const TIMEOUT_MILLISECONDS: u64 = 10_000;

/// Programs that list parts of files, differences or names. Lines of the output can look like reports of errors.
const LISTING: [&str; 8] = ["diff", "fd", "find", "grep", "ls", "rg", "tree", "ugrep"];
/// Commands of git that do this, or list commits.
const LISTING_OF_GIT: [&str; 7] = ["blame", "diff", "grep", "log", "ls-files", "show", "stash"];
/// Programs that may be part of a listing. With the name of a source file, they are a listing.
const PASSING: [&str; 13] =
    ["awk", "cat", "cd", "cut", "echo", "head", "nl", "sed", "sort", "tail", "tr", "uniq", "wc"];

/// A checked call.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// The arguments. The command line is not blank and without NUL.
    pub(super) args: BashArgs,
    /// The maximum run time.
    pub(super) timeout: Duration,
    /// True if the call requested a longer timeout.
    pub(super) is_timeout_lowered: bool,
    /// The part of the output to show: at least one line.
    pub(super) view: View,
}

impl Plan {
    /// Checks the arguments of a call.
    ///
    /// # Errors
    ///
    /// Returns an error if an argument has an invalid value.
    pub(super) fn new(args: BashArgs, limits: &Limits) -> Result<Self, ToolError> {
        let BashArgs { ref command, timeout, head, tail, .. } = args;
        if command.trim().is_empty() {
            return wrong("command: must not be empty");
        }
        if command.contains('\0') {
            return wrong("command: must not contain a NUL character");
        }
        if command.len() > COMMAND_BYTES {
            let given = command.len();
            return wrong(format!(
                "command: must be at most {COMMAND_BYTES} bytes, got {given}; write what is longer to a file in parts"
            ));
        }
        let max = limits.bash_max_timeout_secs;
        let asked = timeout.map_or(limits.bash_timeout_secs.min(max), |timeout| seconds(timeout, max));
        let is_tail_asked = tail.is_some();
        let is_default =
            head.is_none() && tail.is_none() && limits.bash_head == 0 && limits.bash_tail.is_none();
        let (head, tail) = ends(head, tail, limits)?;
        let bounds = if is_default { limits.output_bounds() } else { limits.bounds() };
        let short = limits.short().filter(|_| is_default);
        // Key lines do not replace lines that the call requested.
        let is_exact = is_tail_asked || tail == 0;
        let has_key_lines = limits.key_lines && !only_lists(command);
        let key_space = if is_exact { KeySpace::Beside(bounds) } else { KeySpace::Shared };
        Ok(Self {
            args,
            timeout: Duration::from_secs(asked.min(max)),
            is_timeout_lowered: asked > max,
            view: View {
                keep: short.unwrap_or(match (head, tail) {
                    (0, _) => Keep::Tail,
                    (_, 0) => Keep::Head,
                    (head, _) => Keep::Both { head },
                }),
                bounds: Bounds { lines: head + tail, ..bounds },
                key_space: Some(key_space).filter(|_| has_key_lines),
                max_line_chars: limits.max_text_line_chars,
            },
        })
    }
}

/// Returns true if a command seems only to list source code, differences, matches or names, by its programs.
fn only_lists(command: &str) -> bool {
    let command = without_quoted(command);
    // These run other programs.
    if ["$(", "`", "<(", " -exec", " -ok"].iter().any(|part| command.contains(part)) {
        return false;
    }
    let parts = command.split(['|', ';', '&', '\n']).map(|part| part.split_whitespace());
    let mut parts = parts.filter_map(|mut words| Some((words.next()?, words)));
    let mut lists = false;
    parts.all(|(program, mut words)| {
        let is_passing = PASSING.contains(&program);
        let is_listing = LISTING.contains(&program)
            || program == "git" && words.clone().any(|word| LISTING_OF_GIT.contains(&word))
            || is_passing && words.any(|word| Language::of_path(word).is_some());
        lists |= is_listing;
        // The split at `&` leaves the `1` of `2>&1`.
        is_listing || is_passing || program.parse::<u8>().is_ok()
    }) && lists
}

/// Converts the `timeout` of a call to seconds. Some agents send milliseconds.
fn seconds(timeout: u64, max: u64) -> u64 {
    let is_milliseconds = timeout >= TIMEOUT_MILLISECONDS || timeout > max && timeout.is_multiple_of(1000);
    if is_milliseconds { timeout.div_ceil(1000) } else { timeout }
}

/// Describes which lines are kept by default.
pub(in crate::tools) fn kept_lines_text(limits: &Limits) -> String {
    match ends(None, None, limits).unwrap_or((0, limits.max_lines)) {
        (head, 0) => format!("the first {head} lines"),
        (0, tail) => format!("the last {tail} lines"),
        (head, tail) => format!("the first {head} and last {tail} lines"),
    }
}

/// Returns the number of lines to keep from the start and from the end. The sum is at least one and within the limit.
fn ends(head: Option<u64>, tail: Option<u64>, limits: &Limits) -> Result<(u64, u64), ToolError> {
    let (max, most) = (limits.max_lines, Count(limits.max_lines, "line", "lines"));
    for (name, lines) in [("head", head), ("tail", tail)] {
        if let Some(lines) = lines.filter(|lines| *lines > max) {
            return wrong(format!("{name}: must be at most {most}, got {lines}"));
        }
    }
    let rest = |used: u64| max.saturating_sub(used);
    let (head, tail) = match (head, tail) {
        (Some(head), Some(tail)) => (head, tail),
        (Some(head), None) => (head, rest(head)),
        (None, Some(tail)) => (if limits.bash_head <= rest(tail) { limits.bash_head } else { 0 }, tail),
        (None, None) => {
            let head = limits.bash_head.min(max);
            (head, limits.bash_tail.unwrap_or(max).min(rest(head)))
        }
    };
    match (head, tail) {
        (0, 0) => wrong("head, tail: one of them must be above 0"),
        (head, tail) if tail > rest(head) => {
            wrong(format!("head, tail: must be at most {most} together, got {head} and {tail}"))
        }
        ends => Ok(ends),
    }
}

fn wrong<T>(message: impl Into<String>) -> Result<T, ToolError> {
    Err(ToolError::Argument(message.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(
        timeout: Option<u64>,
        head: Option<u64>,
        tail: Option<u64>,
        limits: &Limits,
    ) -> Result<Plan, String> {
        let args = BashArgs { command: "true".to_owned(), cwd: None, timeout, head, tail };
        Plan::new(args, limits).map_err(|error| error.to_string())
    }

    #[test]
    fn kept_ends_of_output() {
        let plain = Limits::default();
        let one = Limits { max_lines: 1, ..Limits::default() };
        let both = Limits { bash_head: 200, bash_tail: Some(800), ..Limits::default() };
        let cases = [
            (None, None, &plain, Ok((Keep::Tail, 2000))),
            (Some(200), None, &plain, Ok((Keep::Both { head: 200 }, 2000))),
            (Some(2000), None, &plain, Ok((Keep::Head, 2000))),
            (Some(0), None, &plain, Ok((Keep::Tail, 2000))),
            (None, Some(10), &plain, Ok((Keep::Tail, 10))),
            (Some(7), Some(0), &plain, Ok((Keep::Head, 7))),
            (None, None, &both, Ok((Keep::Both { head: 200 }, 1000))),
            (None, Some(100), &both, Ok((Keep::Both { head: 200 }, 300))),
            (None, Some(1900), &both, Ok((Keep::Tail, 1900))),
            (Some(0), Some(0), &plain, Err("head, tail: one of them must be above 0")),
            (None, Some(0), &plain, Err("head, tail: one of them must be above 0")),
            (Some(2001), None, &plain, Err("head: must be at most 2000 lines, got 2001")),
            (None, Some(u64::MAX), &plain, Err("tail: must be at most 2000 lines, got 18446744073709551615")),
            (Some(1), Some(1), &one, Err("head, tail: must be at most 1 line together, got 1 and 1")),
            (Some(2), None, &one, Err("head: must be at most 1 line, got 2")),
            (
                Some(1500),
                Some(1000),
                &plain,
                Err("head, tail: must be at most 2000 lines together, got 1500 and 1000"),
            ),
        ];
        for (head, tail, limits, expected) in cases {
            let keep = planned(None, head, tail, limits).map(|plan| (plan.view.keep, plan.view.bounds.lines));
            assert_eq!(keep, expected.map_err(str::to_owned), "head {head:?}, tail {tail:?}");
        }
    }

    #[test]
    fn timeout_above_the_maximum_is_lowered() {
        let limits = Limits::default();
        for (secs, lowered) in [(599, 599), (600, 600), (601, 600), (9_999, 600), (1_000_000, 600)] {
            let plan = planned(Some(secs), None, None, &limits).unwrap();
            assert_eq!((plan.timeout.as_secs(), plan.is_timeout_lowered), (lowered, secs > 600));
        }
    }

    #[test]
    fn large_timeout_is_in_milliseconds() {
        let limits = Limits::default();
        for (timeout, secs) in [(10_000, 10), (10_001, 11), (120_000, 120), (600_000, 600)] {
            let plan = planned(Some(timeout), None, None, &limits).unwrap();
            assert_eq!((plan.timeout.as_secs(), plan.is_timeout_lowered), (secs, false), "{timeout}");
        }
    }

    #[test]
    fn commands_that_only_list_have_no_key_lines() {
        for (command, expected) in [
            ("cat src/a.rs", true),
            ("cd src && sed -n '1,900p' a.py | head -500", true),
            ("git -C x --no-pager diff HEAD~2 -- a.log 2>&1", true),
            ("git log -p | head -n 900", true),
            ("diff -u a.log b.log", true),
            ("grep -rn 'error: ' . | sort | uniq -c", true),
            ("rg panic; ls", true),
            ("cat build.log", false),
            ("tail -n 5000 build.log", false),
            ("python a.py", false),
            ("cat a.py && python a.py", false),
            ("git pull", false),
            ("git diff; cargo test", false),
            ("find . -name '*.py' | xargs pylint", false),
            ("echo \"$(make)\" | grep x", false),
            ("diff <(make) expected.txt", false),
            ("find . -name x -exec make -C {} \\;", false),
            ("true", false),
        ] {
            assert_eq!(only_lists(command), expected, "{command}");
        }
    }

    #[test]
    fn blank_command_and_nul_are_refused() {
        let limits = Limits::default();
        for (command, expected) in
            [(" \n", "command: must not be empty"), ("a\0b", "command: must not contain a NUL character")]
        {
            let args =
                BashArgs { command: command.to_owned(), cwd: None, timeout: None, head: None, tail: None };
            assert_eq!(Plan::new(args, &limits).unwrap_err().to_string(), expected);
        }
    }
}
