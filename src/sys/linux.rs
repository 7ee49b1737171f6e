//! Linux: `O_PATH`, `openat2`, `/proc`, pidfds.

mod beneath;
mod dir_reader;
mod opened;
mod process_handle;
mod processes;
mod reserve;
mod waker;

use std::fs::File;
use std::io::{IoSliceMut, PipeReader};

use rustix::io::ReadWriteFlags;
use rustix::rand::GetRandomFlags;

pub(super) use beneath::open_beneath;
pub(crate) use dir_reader::DirReader;
pub(super) use opened::LOOK;
pub(crate) use opened::PathHandle;
pub(crate) use process_handle::{ProcessHandle, ended};
pub(crate) use processes::{list_processes, mark, pipes, process_info};
pub(crate) use reserve::fill as make_ready;
pub(super) use waker::Waker;

/// All `size` bytes of a file, where they are in memory; never waits for a disk.
pub(crate) fn read_cached(file: &File, size: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; size];
    let whole = &mut [IoSliceMut::new(&mut bytes)];
    let read = rustix::io::preadv2(file, whole, 0, ReadWriteFlags::NOWAIT).ok()?;
    (read == size).then_some(bytes)
}

/// Lets a pipe hold `bytes`, where it may.
pub(crate) fn enlarge(pipe: &PipeReader, bytes: usize) {
    let _best_effort = rustix::pipe::fcntl_setpipe_size(pipe, bytes);
}

/// What nobody can guess; zero where the system has nothing of the kind.
pub(crate) fn random() -> u64 {
    let mut random = [0_u8; 8];
    // It fails only on kernels older than the call.
    let _filled = rustix::rand::getrandom(&mut random[..], GetRandomFlags::empty());
    u64::from_ne_bytes(random)
}

/// Which start of the system this is; `None` where it does not say.
pub(crate) fn boot() -> Option<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned()).filter(|boot| !boot.is_empty())
}
