//! Descriptors that are held back, so that processes can be looked at, and ended, when none is left.
//!
//! What is opened here is opened the usual way first. Where that fails for want of a descriptor, a
//! spare is closed to make room; what was opened in its place becomes the spare when it is let go,
//! so that nobody else can take the number meanwhile.

use std::ffi::OsString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{CWD, Mode, OFlags, RawDir, openat};
use rustix::io::Errno;

use crate::sys::OutOfDescriptors;

/// How many are held back: a look needs one, a signal two, and several may be at it.
const SPARES: usize = 6;
/// Bytes of names that are taken from a folder at once.
const NAMES_BYTES: usize = 16 * 1024;

static SPARE: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// An open file; it may have taken a spare's place.
pub(super) struct ReservedFd {
    file: Option<OwnedFd>,
    spare: bool,
}

impl ReservedFd {
    /// Whether it took a spare's place: it is to be let go soon.
    pub(super) fn is_spare(&self) -> bool {
        self.spare
    }
}

impl AsFd for ReservedFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // It is `None` only while it is dropped.
        self.file.as_ref().map_or(CWD, AsFd::as_fd)
    }
}

impl Drop for ReservedFd {
    fn drop(&mut self) {
        if self.spare {
            spares().extend(self.file.take());
        }
    }
}

/// Makes sure that all spares are there.
pub(crate) fn fill() -> io::Result<()> {
    let mut spares = spares();
    while spares.len() < SPARES {
        spares.push(openat(CWD, "/proc", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?);
    }
    Ok(())
}

/// Opens something; `None` where it is not there, or not to be had.
pub(super) fn lend(
    open: impl Fn() -> Result<OwnedFd, Errno>,
) -> Result<Option<ReservedFd>, OutOfDescriptors> {
    match open() {
        Ok(file) => return Ok(Some(ReservedFd { file: Some(file), spare: false })),
        Err(error) if is_want(error) => {}
        Err(_) => return Ok(None),
    }
    let mut spares = spares();
    // Another thread may be quicker to take the one that was closed.
    while let Some(spare) = spares.pop() {
        drop(spare);
        match open() {
            Ok(file) => return Ok(Some(ReservedFd { file: Some(file), spare: true })),
            Err(error) if is_want(error) => {}
            Err(_) => {
                let again = openat(CWD, "/proc", OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
                spares.extend(again.ok());
                return Ok(None);
            }
        }
    }
    Err(OutOfDescriptors)
}

/// Opens a file to read.
pub(super) fn open(path: &str) -> Result<Option<ReservedFd>, OutOfDescriptors> {
    lend(|| openat(CWD, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()))
}

/// Reads a file whole; `None` where that can't be.
pub(super) fn read(path: &str) -> Result<Option<Vec<u8>>, OutOfDescriptors> {
    let Some(file) = open(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    let mut block = vec![0; 4096];
    loop {
        match rustix::io::read(&file, &mut block[..]) {
            Ok(0) => return Ok(Some(bytes)),
            Ok(len) => bytes.extend_from_slice(block.get(..len).unwrap_or_default()),
            Err(Errno::INTR) => {}
            Err(_) => return Ok(None),
        }
    }
}

/// The folder and the names in it; `None` where that can't be.
pub(super) fn names(path: &str) -> Result<Option<(ReservedFd, Vec<OsString>)>, OutOfDescriptors> {
    use std::os::unix::ffi::OsStringExt as _;

    let Some(folder) = open(path)? else { return Ok(None) };
    let mut names = Vec::new();
    let mut buffer = vec![MaybeUninit::uninit(); NAMES_BYTES];
    let mut entries = RawDir::new(&folder, &mut buffer);
    while let Some(entry) = entries.next() {
        let Ok(entry) = entry else { return Ok(None) };
        names.push(OsString::from_vec(entry.file_name().to_bytes().to_vec()));
    }
    Ok(Some((folder, names)))
}

fn is_want(error: Errno) -> bool {
    matches!(error, Errno::MFILE | Errno::NFILE | Errno::NOMEM)
}

fn spares() -> MutexGuard<'static, Vec<OwnedFd>> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}
