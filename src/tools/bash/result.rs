//! Formats the result of a command: body, notices, status, and details.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::plan::Plan;
use crate::capture::{Captured, CapturedText, Content};
use crate::fs::workspace::shown;
use crate::process::sandbox::{self, AutorunChange};
use crate::process::{
    Background, Cause, CommandOutcome, Ending, State, has_pipe, signal_name, status, without_quoted,
};
use crate::tools::notice::{self, empty};
use crate::tools::resolve;
use crate::tools::{Context, Output, ToolName, ToolSet, Totals, saved_result};
use cutline_core::details::{AutorunFile, Details};
use cutline_core::notice::{Blank, Names, Notice, ResultText, Saved, Shown, between};
use cutline_core::text;
use cutline_core::text::show::{self, REPLACEMENT};
use cutline_core::truncate::{Bounds, Keep};

/// The system's messages for a write in a read-only folder.
const READ_ONLY_ERRORS: [&str; 3] = ["Read-only file system", "Permission denied", "insufficient permission"];
/// The messages of shells for a program that is not on `PATH`.
const NOT_FOUND: [&str; 2] = [": command not found", ": not found"];
/// Programs that version managers often install. Such a manager changes `PATH` in the startup files of a shell.
const MANAGED: [&str; 42] = [
    "asdf", "bun", "fnm", "rbenv", "rustup", "sdk", "tsc", "volta", "bundle", "cargo", "composer", "conda",
    "corepack", "dart", "deno", "elixir", "flutter", "gem", "go", "gradle", "java", "javac", "kotlin",
    "mise", "mix", "mvn", "node", "npm", "npx", "nvm", "php", "pip", "pip3", "pnpm", "poetry", "pyenv",
    "python", "ruby", "rustc", "sbt", "uv", "yarn",
];

/// The maximum number of autorun files in the details. A command can change thousands of links to them.
const AUTORUN_FILES_LISTED: usize = 50;

/// Returns the result of a command.
pub(super) fn compose(cx: &Context, plan: &Plan, outcome: CommandOutcome) -> Output {
    let CommandOutcome { state, output, duration, pipelines } = outcome;
    let mut details = Details::default();
    let (background, status, running) = match state {
        State::Finished { ending, cause, background } => {
            details.exit_code = Some(ending.exit_code());
            if let Ending::Signal(number) = ending {
                details.signal = Some(signal_name(number));
            }
            details.timed_out = (cause == Cause::Timeout).then_some(true);
            (background, status(ending, cause, plan.timeout), None)
        }
        State::StillRunning { id } => {
            details.still_running = Some(true);
            (Vec::new(), None, Some(id))
        }
    };
    details.timeout_seconds = plan.args.timeout.is_some().then_some(plan.timeout.as_secs());
    details.pipeline_exit_codes.clone_from(&pipelines.last);
    details.earlier_pipelines = Some(pipelines.earlier.clone()).filter(|earlier| !earlier.is_empty());
    details.duration_ms = Some(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
    let is_binary = matches!(output.content, Content::Binary(..));
    let (mut result, saved) =
        format_output(output, plan.view.keep, plan.view.bounds, &cx.shared.tools, &mut details);
    if !background.is_empty() {
        details.background_pids = Some(background.iter().map(|process| process.id).collect());
        let mut names = Names::default();
        for Background { id, name } in &background {
            names.push(&format!("{id} {name}"));
        }
        result.notices.extend(saved.clone().map(|saved| Notice::Background { names, saved }));
    }
    if let (Some(id), Some(saved)) = (running, saved) {
        let end = match &saved {
            Saved::At { path, .. } => resolve::quoted(path.as_bytes()),
            Saved::Not { .. } => None,
        };
        let end = between("; tail -n 5 ", end, "");
        let next = Some(format!("Use bash to wait for it: tail --pid={id} -f /dev/null{end}"));
        let secs = (duration + Duration::from_millis(500)).as_secs(); // rounded
        result.notices.push(Notice::StillRunning { secs, id, saved, next });
    }
    let lowered = Notice::TimeoutLowered { secs: plan.timeout.as_secs() };
    result.notices.extend(plan.is_timeout_lowered.then_some(lowered));
    if status.is_some() || !pipelines.is_empty() {
        result.notices.extend(remedies(cx, plan, &result.body, &details));
    }
    let sandbox = cx.shared.commands.sandbox.iter();
    let autorun_changes: Vec<_> = sandbox.flat_map(|sandbox| sandbox.take_changes()).collect();
    if !autorun_changes.is_empty() {
        let show = |path: &Path| cx.workspace.show(path);
        result.notices.extend(sandbox::notices(&autorun_changes, show));
        let file = |change: &AutorunChange| AutorunFile {
            path: show::path(&show(&change.path)),
            change: change.change,
        };
        details.autorun_files = Some(autorun_changes.iter().take(AUTORUN_FILES_LISTED).map(file).collect());
    }
    // Truncated long lines and binary output are not counted.
    let is_counted = details.truncation.is_some() || details.lines_truncated.is_none() && !is_binary;
    let totals = if is_counted { Totals::Exact } else { Totals::Unknown };
    Output { totals, ..Output::new(cx, ResultText { status, pipelines, ..result }, details) }
}

/// Returns the notices that explain why a command failed, and what helps.
fn remedies(cx: &Context, plan: &Plan, body: &str, details: &Details) -> Vec<Notice> {
    let (commands, mut notices) = (&cx.shared.commands, Vec::new());
    if READ_ONLY_ERRORS.iter().any(|error| body.contains(error)) {
        let is_named = |folder: &PathBuf| {
            let relative = cx.workspace.relative(folder).display().to_string();
            body.contains(&*folder.display().to_string()) || body.contains(&format!("{relative}/"))
        };
        let folders =
            commands.sandbox.iter().flat_map(|sandbox| sandbox.read_only_git_folders(&cx.workspace.roots));
        let folder = folders.rev().find(is_named);
        notices.extend(folder.map(|it| Notice::GitFolderReadOnly(show::in_notice(&it.to_string_lossy()))));
    }
    let mut lines = body.lines().rev();
    let unknown = lines.find_map(|line| NOT_FOUND.iter().find_map(|end| line.trim_end().strip_suffix(end)));
    let name = unknown.and_then(|line| line.rsplit([' ', ':']).next()).unwrap_or_default();
    // `bash -lc` and `bash -ic` have read the startup files.
    let is_remedied = ["bash -l", "bash -i"].iter().any(|shell| plan.args.command.contains(shell));
    if MANAGED.contains(&name) && !is_remedied && !commands.has_named_remedy.swap(true, Ordering::Relaxed) {
        notices.push(Notice::NotOnPath(name.to_owned()));
    }
    if details.timed_out == Some(true) && body == empty::NO_OUTPUT {
        // Only the last part of the command that can take time can be the one that did not end.
        let command = without_quoted(&plan.args.command);
        let may_run_others = plan.args.command.contains("$(");
        let last = command.rsplit([';', '\n', '&', ')']).find(|part| may_run_others || !ends_at_once(part));
        notices.extend(last.filter(|last| has_pipe(last)).map(|_| Notice::LastStageSilent));
    }
    notices
}

/// Returns true for a part of a command without quotes that ends at once: nothing, a builtin, or the `1` of `2>&1`.
fn ends_at_once(part: &str) -> bool {
    let word = part.split_whitespace().next().unwrap_or_default();
    let is_short = word.parse::<u8>().is_ok() || ["", "echo", "printf", "exit", "fi", "done"].contains(&word);
    is_short && !part.contains(['|', '`'])
}

/// Formats an output of which `keep` is kept within `bounds` as a result, with the location of the full output. Notices
/// name only `tools`. The data goes to `details`.
pub fn format_output(
    output: Captured,
    keep: Keep,
    bounds: Bounds,
    tools: &ToolSet,
    details: &mut Details,
) -> (ResultText, Option<Saved>) {
    let Captured { raw, content, saved } = output;
    let file = saved.as_ref().and_then(|saved| saved.as_ref().ok());
    let path = file.filter(|_| tools.contains(&ToolName::Bash));
    let path = path.and_then(|file| resolve::quoted(shown(&file.path)));
    let saved = saved.as_ref().map(|saved| saved_result::saved_location(saved, details));
    let total = raw.extent();
    let CapturedText { text, lines_cut, is_lossy, has_utf16, is_overwritten, diff_ending } = match content {
        Content::Text(text) => text,
        Content::Binary(media_type, text) => {
            // The last text of a failed command is probably its error.
            let is_failed = details.exit_code.is_some_and(|code| code != 0);
            let media_type = if is_failed && !media_type.starts_with("text/plain") { "" } else { media_type };
            let command = path.and_then(|path| resolve::inspector(media_type, &path));
            let part = if is_failed { " | tail" } else { "" };
            let next = command.map(|command| format!("Use bash to inspect it: {command}{part}"));
            let has_text = !text.content.is_empty();
            let output = |saved| Notice::OutputBinary { bytes: total.bytes, has_text, saved, next };
            let notices = saved.clone().map(output).into_iter().collect();
            let is_cut = text.cut.is_some();
            return (ResultText { body: text.content, is_cut, notices, ..ResultText::default() }, saved);
        }
    };
    details.add_cut(&text, total, false, bounds);
    let mut notices = Vec::from_iter(is_overwritten.then_some(Notice::Overwritten));
    if let Some(max_chars) = lines_cut {
        details.lines_truncated = Some(true);
        notices.push(Notice::LinesTruncated { max_chars, next: notice::for_cut_lines(tools) });
    }
    let is_cut = text.cut.is_some();
    let is_replaced = text.content.contains(REPLACEMENT);
    let not_utf8 = if has_utf16 {
        Some(Notice::OutputMixed)
    } else {
        notice::for_other_encodings(tools).filter(|_| is_lossy).map(|next| Notice::OutputNotUtf8 { next })
    };
    // A terminal may show one line less than the output has, because the last line can be erased.
    if let Some(shown) = Shown::of_text(&text, total.lines, &raw, bounds) {
        if let Some((first, last)) = shown.whole_lines
            && text::is_white_space(&text.content)
        {
            notices.push(Notice::Blank(Blank::Lines(first, last)));
        }
        notices.extend(saved.clone().map(|saved| Notice::Output { shown, saved }));
        notices.extend(text.reports.clone().map(Notice::Reports));
    } else {
        if text::is_blank(&text.content) {
            notices.push(Notice::Blank(Blank::Output(total.lines)));
        }
        notices.extend(saved.clone().filter(|_| lines_cut.is_some()).map(Notice::FullOutput));
    }
    notices.extend(not_utf8.filter(|_| is_replaced));
    let file = Some("the diff".to_owned());
    notices.extend(diff_ending.map(|ending| Notice::LineEndings { file, ending }));
    if is_cut && matches!(keep, Keep::Both { .. } | Keep::Short { .. }) {
        details.omitted_lines = Some(text.total.lines.saturating_sub(text.output.lines));
    }
    let mut body = text.into_marked();
    if body.is_empty() && !is_cut {
        body += empty::NO_OUTPUT;
    }
    (ResultText { body, is_cut, notices, ..ResultText::default() }, saved)
}
