//! Processes that keep running after the result.

use cutline_core::notice::{Saved, between};

/// Formats where later output is saved. The text follows `Its` or `Their`.
pub(super) fn continues(saved: &Saved) -> String {
    match saved {
        Saved::At { path, .. } => format!("output goes on to {path}"),
        Saved::Not { reason } => format!("output could not be saved: {reason}"),
    }
}

/// Formats the ids and names of processes that are still running, as the start of a sentence. `count` includes
/// processes that are not in `named`.
pub(super) fn still_running(named: &[(u32, String)], count: usize) -> String {
    let processes: Vec<String> = named.iter().map(|(id, name)| format!("{id} {name}")).collect();
    let more = between(" and ", count.checked_sub(named.len()).filter(|more| *more > 0), " more");
    let (word, whose) = if count == 1 { ("process", "Its") } else { ("processes", "Their") };
    format!("{word} still running: {}{more}. {whose}", processes.join(", "))
}
