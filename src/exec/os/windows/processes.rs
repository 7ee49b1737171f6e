//! What the system says of processes, as `sysinfo` asks for it.

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use crate::exec::os::{Process, Unseen};

/// The process with that number.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
pub(in crate::exec) fn one(id: u32) -> Result<Option<Process>, Unseen> {
    let pid = Pid::from_u32(id);
    Ok(look(pid).process(pid).map(|process| Process {
        id,
        start: process.start_time(),
        parent: process.parent().map_or(0, Pid::as_u32),
        group: 0,
        name: process.name().to_string_lossy().into_owned(),
        ended: false,
    }))
}

/// The name of a process's program, without the ending that all programs have.
pub(in crate::exec) fn name_of(id: u32) -> Option<String> {
    let name = one(id).ok()??.name;
    Some(name.strip_suffix(".exe").map_or(name.clone(), str::to_owned))
}

fn look(pid: Pid) -> System {
    let mut system = System::new();
    let which = ProcessesToUpdate::Some(&[pid]);
    system.refresh_processes_specifics(which, true, ProcessRefreshKind::nothing().without_tasks());
    system
}
