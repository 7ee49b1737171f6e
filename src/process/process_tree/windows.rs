//! Finds the processes of a command on Windows: those in its job object.
//!
//! A shell waits until it is in its job ([`sys::send_command`]), so all its children are in the job. The system ends
//! all processes of a job when its last handle is closed. Only this server has a handle, so a killed server leaves no
//! process behind.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::process::Child;
use win32job::{ExtendedLimitInfo, Job, JobError};

use super::Survivors;
use crate::process::Background;
use crate::process::tag::ServerId;
use crate::sys::{self, Process};

/// Maximum wait for killed processes.
const GIVE_UP: Duration = Duration::from_secs(1);
/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(5);

/// The processes of one command.
#[derive(Debug, Clone, Default)]
pub(in crate::process) struct ProcessScope {
    /// `None` before the shell starts and after the processes were ended.
    job: Arc<Mutex<Option<Job>>>,
}

impl ProcessScope {
    /// Creates the scope of a command that is about to start.
    pub(in crate::process) fn new(_: ServerId, _tag: &str) -> Self {
        Self::default()
    }

    /// Puts the shell into a job. The shell has started and waits.
    pub(in crate::process) fn attach_shell(&mut self, shell: &mut Child) -> io::Result<()> {
        let Some(handle) = shell.raw_handle() else { return Ok(()) };
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
        match job.assign_process(handle as isize) {
            Ok(()) => *self.job() = Some(job),
            // A shell that has already ended started no process.
            Err(_) if shell.try_wait()?.is_some() => {}
            Err(error) => return Err(io::Error::other(error)),
        }
        Ok(())
    }

    fn job(&self) -> MutexGuard<'_, Option<Job>> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the ids of the processes in the job. Returns an error if there are too many.
    fn members(&self) -> Result<Vec<u32>, JobError> {
        let ids = self.job().as_ref().map_or_else(|| Ok(Vec::new()), Job::query_process_id_list)?;
        Ok(ids.into_iter().filter_map(|id| u32::try_from(id).ok()).collect())
    }

    /// Returns true if the job, which takes the role of the process group, is empty.
    pub(in crate::process) fn has_empty_group(&self) -> bool {
        self.members().is_ok_and(|members| members.is_empty())
    }

    /// Returns the processes that survive the shell, which has ended, or `None` if there are none. `pipe` is the output
    /// pipe, if it is still open.
    pub(in crate::process) fn survivors(self, pipe: Option<u64>) -> Option<Survivors> {
        let members = self.members();
        // If the members are unknown, some may remain.
        let may_be_open = members.is_err() || pipe.is_some();
        // The system starts a console host for each program without a window.
        let shown: Vec<Background> = processes_of(&members.unwrap_or_default())
            .map(|Process { id, name, .. }| (id, name.strip_suffix(".exe").unwrap_or(&name).to_owned()))
            .filter(|(_, name)| name != "conhost")
            .map(|(id, name)| Background { id, name })
            .collect();
        (may_be_open || !shown.is_empty()).then_some((self, shown))
    }
}

/// Returns the running processes with these ids.
fn processes_of(ids: &[u32]) -> impl Iterator<Item = Process> {
    let all = if ids.is_empty() { Vec::new() } else { sys::list_processes().unwrap_or_default() };
    all.into_iter().filter(move |process| ids.contains(&process.id))
}

/// Ends all processes of `scopes` immediately, because a program without a window cannot be asked to end. Blocks until
/// they have ended, at most one second. Returns true if none remains.
pub(in crate::process) fn end_scopes_blocking(scopes: &[ProcessScope], _grace: Duration) -> bool {
    let began = Instant::now();
    let ids: Vec<u32> = scopes.iter().filter_map(|scope| scope.members().ok()).flatten().collect();
    let starts: Vec<(u32, u64)> = processes_of(&ids).map(|process| (process.id, process.start)).collect();
    for scope in scopes {
        drop(scope.job().take());
    }
    while processes_of(&ids).any(|process| starts.contains(&(process.id, process.start))) {
        if began.elapsed() > GIVE_UP {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
    true
}

/// Does nothing: on Windows no process inherits children.
pub(in crate::process) fn reap_inherited(_: impl FnOnce() -> Vec<ProcessScope>) {}

/// Kills a shell that was not reaped.
pub(in crate::process) fn kill_group(shell: &mut Child) {
    let _ended_just_now = shell.start_kill();
}

/// Does nothing: a killed server leaves no process behind.
pub(in crate::process) fn end_orphans(_: Duration) {}
