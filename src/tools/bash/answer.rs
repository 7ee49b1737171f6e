//! Formats the result of a command: body, notices, status, and details.

use std::path::Path;
use std::time::Duration;

use super::plan::Plan;
use crate::capture::{Captured, View};
use crate::fs::workspace::shown;
use crate::process::sandbox::AutorunChange;
use crate::process::{Background, Cause, CommandOutcome, Ending, LateEnd, State, signal_name};
use crate::saved_output::Unsaved;
use crate::tools::notice::{self, empty};
use crate::tools::{Context, Output, ToolSet, Totals, saved_result};
use cutline_core::details::{AutorunFile, Details, FileChange, TruncationDetails};
use cutline_core::notice::{
    Answer, Blank, NAMES_LISTED, Names, Notice, Omission, PipelineExitCodes, Saved, Shown, Status,
};
use cutline_core::text::show::{self, REPLACEMENT};
use cutline_core::text::{self, as_index};
use cutline_core::truncate::Keep;

/// Returns the result of a command.
pub(super) fn compose(cx: &Context, plan: &Plan, outcome: CommandOutcome) -> Output {
    let CommandOutcome { state, output, duration, pipeline, autorun_changes } = outcome;
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
    details.timeout_seconds = plan.has_timeout.then_some(plan.timeout.as_secs());
    details.pipeline_exit_codes.clone_from(&pipeline);
    details.duration_ms = Some(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
    let is_binary = output.binary;
    let (mut answer, saved) = output_answer(output, plan.view, &cx.shared.tools, &mut details);
    if !background.is_empty() {
        details.background_pids = Some(background.iter().map(|process| process.id).collect());
        answer.notices.extend(saved.clone().map(|saved| left_running(&background, saved)));
    }
    if let (Some(id), Some(saved)) = (running, saved) {
        let next = Some(format!("Use bash to wait for it: tail --pid={id} -f /dev/null"));
        answer.notices.push(Notice::StillRunning { secs: rounded_secs(duration), id, saved, next });
    }
    if !autorun_changes.is_empty() {
        let show = |path: &Path| cx.workspace.show(path);
        answer.notices.splice(0..0, autorun_notices(&autorun_changes, show));
        details.autorun_files =
            Some(autorun_changes.iter().map(|change| autorun_file(change, show)).collect());
    }
    if plan.is_timeout_lowered {
        // This notice is first, because the notice with the path of the file must be last.
        answer.notices.insert(0, Notice::TimeoutLowered { secs: plan.timeout.as_secs() });
    }
    // Truncated long lines and binary output are not counted.
    let is_counted = details.truncation.is_some() || details.lines_truncated.is_none() && !is_binary;
    let totals = if is_counted { Totals::Exact } else { Totals::Unknown };
    Output {
        totals,
        ..Output::new(Answer { status, pipeline: pipeline.map(PipelineExitCodes), ..answer }, details)
    }
}

/// Returns the notices about created and changed autorun files. `show` formats a path.
fn autorun_notices(
    changes: &[AutorunChange],
    show: impl Fn(&Path) -> String,
) -> impl Iterator<Item = Notice> {
    let notice = |change| {
        let mut names = Names::default();
        for change in changes.iter().filter(|file| kind_of(file) == change) {
            names.push(&show(&change.path));
        }
        (!names.is_empty()).then_some(Notice::AutorunFiles { change, names })
    };
    [notice(FileChange::Created), notice(FileChange::Changed)].into_iter().flatten()
}

/// Returns the details of a created or changed autorun file.
fn autorun_file(change: &AutorunChange, show: impl Fn(&Path) -> String) -> AutorunFile {
    AutorunFile { path: show(&change.path), change: kind_of(change) }
}

fn kind_of(change: &AutorunChange) -> FileChange {
    if change.is_new { FileChange::Created } else { FileChange::Changed }
}

/// Rounds a duration to whole seconds.
fn rounded_secs(duration: Duration) -> u64 {
    (duration + Duration::from_millis(500)).as_secs()
}

/// Formats `view` of an output as a result, with the location of the full output. Notices name only
/// `tools`. The data goes to `details`.
pub fn output_answer(
    output: Captured,
    view: View,
    tools: &ToolSet,
    details: &mut Details,
) -> (Answer, Option<Saved>) {
    let View { keep, bounds, .. } = view;
    let Captured { text, lines_cut, is_lossy, raw, binary, saved } = output;
    let saved = saved.as_ref().map(|saved| saved_result::saved_location(saved, details));
    let total = raw.extent();
    if binary {
        let output = |saved| Notice::OutputBinary { bytes: total.bytes, saved };
        let notices = saved.clone().map(output).into_iter().collect();
        return (Answer { notices, ..Answer::default() }, saved);
    }
    if let Some(truncation) = TruncationDetails::of(&text, total, bounds) {
        details.add_cut(truncation, &text.content);
    }
    let mut notices = Vec::new();
    if let Some(max_chars) = lines_cut {
        details.lines_truncated = Some(true);
        notices.push(Notice::LinesTruncated { max_chars, next: notice::for_cut_lines(tools) });
    }
    let is_cut = text.cut.is_some();
    let is_lossy = is_lossy && text.content.contains(REPLACEMENT);
    let decoders = notice::for_other_encodings(tools).filter(|_| is_lossy);
    let not_utf8 = decoders.map(|next| Notice::OutputNotUtf8 { next });
    // A terminal may show one line less than the output has, because the last line can be erased.
    let shown = Shown::of_text(&text, total.lines, &raw, bounds);
    let Some((cut, shown)) = text.cut.zip(shown) else {
        if text::is_blank(&text.content) {
            notices.push(Notice::Blank(Blank::Output(total.lines)));
        }
        let of_cut_lines = saved.clone().filter(|_| lines_cut.is_some());
        notices.extend(of_cut_lines.map(Notice::FullOutput).into_iter().chain(not_utf8));
        let body = if text.content.is_empty() { empty::NO_OUTPUT.to_owned() } else { text.content };
        return (Answer { body, is_cut, notices, ..Answer::default() }, saved);
    };
    if let Some((first, last)) = shown.whole_lines
        && text::is_white_space(&text.content)
    {
        notices.push(Notice::Blank(Blank::Lines(first, last)));
    }
    notices.extend(saved.clone().map(|saved| Notice::Output { shown, saved }));
    notices.extend(not_utf8);
    let mut body = text.content;
    if let Keep::Both { .. } = keep {
        let omitted = text.total.lines.saturating_sub(text.output.lines);
        details.omitted_lines = Some(omitted);
        // Key lines have their own markers.
        if omitted > 0 && cut.head.lines > 0 && text.key_lines.is_empty() {
            body.insert_str(as_index(cut.head.bytes), &format!("{}\n", Omission(omitted)));
        }
    }
    (Answer { body, is_cut, notices, ..Answer::default() }, saved)
}

/// Formats the status footer of a command that outlived its result.
pub(super) fn status_footer(end: &LateEnd, unsaved: Option<&Unsaved>) -> String {
    let LateEnd { ending, cause, timeout, pipeline, autorun_changes } = end;
    let (ending, cause, timeout) = (*ending, *cause, *timeout);
    let status = match cause {
        // The call has returned, so only the end of the server can have cancelled the command.
        Cause::Cancelled => Status::EndedWithServer,
        _ => status(ending, cause, timeout).unwrap_or(Status::Exited(0)),
    };
    let rest = unsaved.map(|why| format!("{}\n", Notice::RestNotSaved(why.to_string()))).unwrap_or_default();
    let changed = autorun_notices(autorun_changes, |path| show::name(shown(path)).into_owned());
    let changed = changed.fold(String::new(), |lines, notice| format!("{lines}{notice}\n"));
    let pipeline =
        pipeline.clone().map(|codes| format!("{}\n", PipelineExitCodes(codes))).unwrap_or_default();
    format!("{rest}{changed}{pipeline}[{status}]")
}

/// Returns the status of a command, or `None` if it succeeded.
fn status(ending: Ending, cause: Cause, timeout: Duration) -> Option<Status> {
    match (cause, ending) {
        (Cause::Timeout, _) => Some(Status::TimedOut(timeout.as_secs())),
        (_, Ending::Code(0)) => None,
        (_, Ending::Code(code)) => Some(Status::Exited(code)),
        (_, Ending::Signal(number)) => {
            Some(Status::Killed { signal: signal_name(number), code: ending.exit_code() })
        }
    }
}

/// Returns the notice about background processes. It lists at most three by name, and their number.
fn left_running(background: &[Background], saved: Saved) -> Notice {
    let name = |process: &Background| (process.id, show::name(process.name.as_bytes()).into_owned());
    let named: Vec<_> = background.iter().take(NAMES_LISTED).map(name).collect();
    Notice::Background { more: background.len() - named.len(), named, saved }
}
