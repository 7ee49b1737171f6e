//! The answer to a command: body, notices, status, and the same as data.

use std::time::Duration;

use super::plan::Plan;
use crate::process::{Background, Captured, Cause, Ending, Outcome, State, signal_name};
use crate::tools::{Context, Output, ToolName, whole};
use cutline_core::details::{Details, TruncationDetails, TruncationInfo};
use cutline_core::notice::{
    self, Answer, Blank, BodyEnd, FullLines, NAMES_LISTED, Notice, Omission, Shown, Status, empty,
};
use cutline_core::text::{self, Counter, show};
use cutline_core::truncate::{Bounds, Cut, Gap, Keep, Partial, Truncation};

/// The exit code of a command that a signal ended, less the signal's number.
const SIGNAL_CODE: i32 = 128;

/// Returns the answer to a command.
pub(super) fn compose(cx: &Context, plan: &Plan, outcome: Outcome) -> Output {
    let Outcome { state, output, duration } = outcome;
    let (background, status, mut details, running) = match state {
        State::Finished { ending, cause, background } => {
            (background, status(ending, cause, plan.timeout), ended(ending, cause), None)
        }
        State::StillRunning { id } => {
            let details = Details { still_running: Some(true), ..Details::default() };
            (Vec::new(), None, details, Some((id, duration.as_secs())))
        }
    };
    details.duration_ms = Some(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
    let hint = FullLines::Tools { grep: cx.has(ToolName::Grep), bash: true };
    let (answer, saved) = output_answer(output, plan.keep, cx.limits.bounds(), hint, &mut details);
    let mut notices = answer.notices;
    if !background.is_empty() {
        details.background_pids = Some(background.iter().map(|process| process.id).collect());
        notices.extend(saved.clone().map(|saved| left_running(&background, saved)));
    }
    if let (Some((id, secs)), Some(saved)) = (running, saved) {
        notices.push(Notice::StillRunning { secs, id, saved });
    }
    if plan.is_timeout_lowered {
        // Before the others: the last one says where the rest is.
        notices.insert(0, Notice::TimeoutLowered { secs: plan.timeout.as_secs() });
    }
    Output::new(Answer { notices, status, ..answer }, details)
}

/// Returns the answer that shows an output of which `keep` was kept within `bounds`, and the place of the whole; `hint`
/// is the way to see the whole of lines that were cut. The facts go to `details`.
pub fn output_answer(
    output: Captured,
    keep: Keep,
    bounds: Bounds,
    hint: FullLines,
    details: &mut Details,
) -> (Answer, Option<notice::Saved>) {
    let bounds = Bounds { lines: keep.lines(), ..bounds };
    let saved = output.saved.as_ref().map(|saved| whole::said(saved, details));
    if output.binary {
        let bytes = output.raw.extent().bytes;
        let notices = saved.clone().map(|saved| Notice::OutputBinary { bytes, saved }).into_iter().collect();
        return (Answer { notices, ..Answer::default() }, saved);
    }
    if let Some(truncation) = TruncationDetails::of(&output.text, output.raw.extent(), bounds) {
        let info = TruncationInfo::of_lines(&truncation, &output.text.content);
        details.add_cut(truncation, info);
    }
    details.omitted_lines = omitted(&output.text, keep);
    let end = BodyEnd::of(&output.text);
    let (lines_cut, is_cut) = (output.lines_cut, output.text.cut.is_some());
    let (body, mut notices) = body_of(output, saved.clone(), keep, bounds);
    if let Some(max_chars) = lines_cut {
        details.lines_truncated = Some(true);
        notices.insert(0, Notice::LinesTruncated { max_chars, hint });
        notices.extend(saved.clone().filter(|_| !is_cut).map(Notice::FullOutput));
    }
    (Answer { body, end, notices, status: None }, saved)
}

/// Returns the line that ends the saved output of a command that was answered for before its end.
pub(super) fn status_line(ending: Ending, cause: Cause, timeout: Duration) -> String {
    match cause {
        Cause::Cancelled => format!("[{}]", Status::EndedWithServer),
        _ => format!("[{}]", status(ending, cause, timeout).unwrap_or(Status::Exited(0))),
    }
}

/// Returns how a command ended; `None` where it ended well.
fn status(ending: Ending, cause: Cause, timeout: Duration) -> Option<Status> {
    match (cause, ending) {
        (Cause::Timeout, _) => Some(Status::TimedOut(timeout.as_secs())),
        (_, Ending::Code(0)) => None,
        (_, Ending::Code(code)) => Some(Status::Exited(code)),
        (_, Ending::Signal(number)) => {
            Some(Status::Killed { signal: signal_name(number), code: SIGNAL_CODE + number })
        }
    }
}

fn ended(ending: Ending, cause: Cause) -> Details {
    let (code, signal) = match ending {
        Ending::Code(code) => (code, None),
        Ending::Signal(number) => (SIGNAL_CODE + number, Some(signal_name(number))),
    };
    Details {
        exit_code: Some(code),
        signal,
        timed_out: (cause == Cause::Timeout).then_some(true),
        ..Details::default()
    }
}

/// The output as it is shown, and what is said of it.
fn body_of(
    output: Captured,
    saved: Option<notice::Saved>,
    keep: Keep,
    bounds: Bounds,
) -> (String, Vec<Notice>) {
    let Captured { text: truncation, raw, .. } = output;
    let Some(cut) = truncation.cut else {
        return match truncation.content {
            body if body.is_empty() => (empty::NO_OUTPUT.to_owned(), Vec::new()),
            body if text::is_blank(&body) => (body, vec![Notice::Blank(Blank::Output(raw.extent().lines))]),
            body => (body, Vec::new()),
        };
    };
    let shown = shown(&truncation, cut, &raw, keep, bounds);
    let mut notices = Vec::new();
    if let Shown::Lines { first, last, .. } = shown
        && text::is_white_space(&truncation.content)
    {
        notices.push(Notice::Blank(Blank::Lines(first, last)));
    }
    notices.extend(saved.map(|saved| Notice::Output { shown, saved }));
    let omitted = omitted(&truncation, keep).filter(|lines| *lines > 0);
    let mut body = truncation.content;
    if let (Some(Gap { at, .. }), Some(lines)) = (cut.gap, omitted) {
        body.insert_str(at, &format!("{}\n", Omission(lines)));
    }
    (body, notices)
}

/// Returns how many lines are left out, where both ends are kept.
fn omitted(truncation: &Truncation, keep: Keep) -> Option<u64> {
    let both = matches!(keep, Keep::Both { .. }) && truncation.cut.is_some();
    both.then(|| truncation.total.lines.saturating_sub(truncation.output.lines))
}

/// The part of the output that is shown, in lines of the raw stream.
fn shown(truncation: &Truncation, cut: Cut, raw: &Counter, keep: Keep, bounds: Bounds) -> Shown {
    let total = raw.extent().lines;
    let (lines, bytes) = (truncation.output.lines, truncation.output.bytes);
    // One less than `total` where the last line was erased: a terminal shows nothing of it.
    let last = truncation.total.lines;
    let limit = bounds.size_limit(cut.by);
    let head = cut.gap.map_or(0, |gap| gap.head_lines);
    match (cut.partial, keep) {
        (Some(Partial::LastLine), _) => {
            let bytes = bytes.saturating_sub(cut.gap.map_or(0, |gap| gap.at as u64));
            Shown::EndOfLine { head, line: last, bytes, of: raw.last_line_bytes() }
        }
        (None, Keep::Head(_)) if lines > 0 => Shown::Lines { first: 1, last: lines, total, limit },
        (_, Keep::Head(_)) | (Some(Partial::FirstLine), _) => {
            Shown::StartOfLine { line: 1, bytes, of: raw.first_line_bytes() }
        }
        (None, _) => {
            let tail = (last + head + 1).saturating_sub(lines);
            match head {
                0 => Shown::Lines { first: tail, last, total, limit },
                head => Shown::Ends { head, tail, total, limit },
            }
        }
    }
}

/// At most three by name; the others are counted.
fn left_running(background: &[Background], saved: notice::Saved) -> Notice {
    let name = |process: &Background| (process.id, show::name(process.name.as_bytes()).into_owned());
    let named = background.iter().take(NAMES_LISTED).map(name).collect();
    Notice::Background { named, count: background.len(), saved }
}
