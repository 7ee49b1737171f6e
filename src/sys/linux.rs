//! Linux: `O_PATH`, `openat2`, `/proc`, pidfds.

mod beneath;
mod dir_reader;
mod opened;
mod processes;
mod waker;

use std::fs::File;
use std::io::{IoSliceMut, PipeReader};

use rustix::io::ReadWriteFlags;

pub(super) use beneath::{make_accessible, open_beneath};
pub(crate) use dir_reader::each_name;
pub(super) use opened::LOOK;
pub(crate) use opened::PathHandle;
pub(crate) use processes::{
    has_lost_its_reader, has_process_table, list_processes, mark_of, owner, pid_namespace, pipes,
    process_info, send_signals,
};
pub(super) use waker::Waker;

/// Returns all `size` bytes of a file, where they are in memory; never waits for a disk.
pub(crate) fn read_cached(file: &File, size: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; size];
    let whole = &mut [IoSliceMut::new(&mut bytes)];
    let read = rustix::io::preadv2(file, whole, 0, ReadWriteFlags::NOWAIT).ok()?;
    (read == size).then_some(bytes)
}

/// Lets a pipe hold `bytes`, where this user may.
pub(crate) fn enlarge(pipe: &PipeReader, bytes: usize) {
    let _smaller_works_too = rustix::pipe::fcntl_setpipe_size(pipe, bytes);
}
