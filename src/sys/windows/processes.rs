//! Processes, by `sysinfo`. Each look is at all of them.

use std::time::{SystemTime, UNIX_EPOCH};

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// Returns those of these numbers that are processes now, each with when it was started, in seconds.
pub(crate) fn started(ids: &[u32]) -> Vec<(u32, u64)> {
    let system = refreshed(ids);
    let start = |id: u32| Some((id, system.process(Pid::from_u32(id))?.start_time()));
    ids.iter().filter_map(|id| start(*id)).collect()
}

/// Returns the names of processes' programs, each with its number, without the ending that all programs have.
pub(crate) fn names_of(ids: &[u32]) -> Vec<(u32, String)> {
    let system = refreshed(ids);
    let name = |id: u32| Some((id, system.process(Pid::from_u32(id))?.name().to_string_lossy().into_owned()));
    let plain = |(id, name): (u32, String)| match name.strip_suffix(".exe") {
        Some(plain) => (id, plain.to_owned()),
        None => (id, name),
    };
    ids.iter().filter_map(|id| name(*id)).map(plain).collect()
}

/// Returns this process's start, about, which tells it from any other that had its number.
pub(crate) fn this_start() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn refreshed(ids: &[u32]) -> System {
    let ids: Vec<Pid> = ids.iter().copied().map(Pid::from_u32).collect();
    let mut system = System::new();
    let which = ProcessesToUpdate::Some(&ids);
    system.refresh_processes_specifics(which, true, ProcessRefreshKind::nothing().without_tasks());
    system
}
