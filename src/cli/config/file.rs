//! A client's file, rewritten so that nothing of it can be lost.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};

use super::{Place, owner};
use crate::cli::Scope;
use crate::fs::follow::Followed;
use cutline_core::text::Size;

/// Bytes of a file that is read: a project's own file may hold what takes a hundred times its size to be understood.
const MAX_BYTES: u64 = 16_000_000;
/// The longest wait for another program that writes the file: far more than this one takes.
const LOCK_WAIT: Duration = Duration::from_secs(2);
/// Time between two looks at whether it has.
const LOCK_LOOK: Duration = Duration::from_millis(20);
/// A mark that some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The result of changing a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Nothing: it said all of it already.
    AsItWas,
    /// There was none.
    New,
    /// It was rewritten; as it was, it is in this file.
    Changed(PathBuf),
}

/// Returns the text of a client's file, as [`read_all`] does, without a byte order mark.
pub(in crate::cli) fn read(path: &Path) -> io::Result<String> {
    let text = read_all(path)?;
    Ok(text.trim_start_matches(BYTE_ORDER_MARK).to_owned())
}

/// The text of a client's file; an error where it is not one. A file that says it is empty is not read: a link can lead to
/// one of the system's, which may have no end or make its reader wait.
fn read_all(path: &Path) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file of settings"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(io::Error::other(format!("it is larger than {}", Size(MAX_BYTES))));
    }
    let mut text = String::new();
    File::open(path)?.take(metadata.len().min(MAX_BYTES)).read_to_string(&mut text)?;
    Ok(text)
}

/// Rewrites a place's file as `change` says. It is replaced in one step, after a copy of it was made
/// beside it; a link to it stays a link, its owner and its mode stay. Where `change` refuses, another program
/// writes it meanwhile, or a project's file leads out of the project, nothing is touched.
pub(super) fn rewrite(
    place: &Place,
    change: impl FnMut(&str) -> anyhow::Result<String>,
) -> anyhow::Result<Written> {
    rewritten(place, change).with_context(|| format!("{} was left as it is", place.path.display()))
}

fn rewritten(
    Place { path, scope, .. }: &Place,
    mut change: impl FnMut(&str) -> anyhow::Result<String>,
) -> anyhow::Result<Written> {
    ensure!(path.exists() || !path.is_symlink(), "it is a link to nothing");
    // Whoever made the project made its links.
    let (end, project) = (Followed::new(path).end, Followed::new(&std::env::current_dir()?).end);
    if *scope == Scope::Project && !end.starts_with(project) {
        bail!("a link leads from it out of the project; if {} is meant, give that by --file", end.display());
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().context("it has no folder")?;
    if !folder.exists() {
        // Where it is refused, no folder is left behind.
        change("")?;
    }
    fs::create_dir_all(folder)?;
    // Two of these at once: the second begins with what the first has written. Where a folder can't be
    // opened so (Windows), the last look before the file is replaced is all there is. So it is where somebody
    // else keeps the lock, which all may take who can read the folder.
    let _one_at_a_time = File::open(folder).ok().inspect(wait_for_lock);
    let old = match read_all(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        old => Some(old?),
    };
    let text = old.as_deref().unwrap_or_default();
    let (mark, plain) = text.split_at(text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len());
    let new = mark.to_owned() + &change(plain)?;
    if old.as_ref() == Some(&new) {
        return Ok(Written::AsItWas);
    }
    let before = old.is_some().then(|| File::open(&path)).transpose()?;
    let mut file = owner::file_like(before.as_ref(), folder)?;
    file.write_all(new.as_bytes())?;
    file.as_file().sync_all()?;
    let (Some(old), Some(before)) = (old, before) else {
        file.persist_noclobber(&path)?;
        return Ok(Written::New);
    };
    let backup = back_up(&path, &before)?;
    // Windows replaces no file that is open.
    drop(before);
    if read_all(&path)? != old {
        fs::remove_file(&backup)?;
        bail!("another program has written it just now");
    }
    if let Err(error) = file.persist(&path) {
        fs::remove_file(&backup)?;
        return Err(error.into());
    }
    Ok(Written::Changed(backup))
}

/// Takes the lock of a folder, as soon as no other has it; not for ever.
fn wait_for_lock(folder: &File) {
    let deadline = Instant::now() + LOCK_WAIT;
    while matches!(folder.try_lock(), Err(TryLockError::WouldBlock)) && Instant::now() < deadline {
        std::thread::sleep(LOCK_LOOK);
    }
}

/// Keeps the file as it is, open as `before`, under a name beside it that nothing has yet: `FILE.bak`, `FILE.bak2`, …. That is a
/// second name, which is all that is left of the file once another has taken its place; or a copy, where a file can't have
/// two. One that was killed between these has left it such a name, which then is the one.
fn back_up(path: &Path, before: &File) -> anyhow::Result<PathBuf> {
    let copy = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 1 { ".bak".to_owned() } else { format!(".bak{number}") });
        PathBuf::from(name)
    };
    let (names, id) = owner::names_and_id(before)?;
    let is_it = |backup: &PathBuf| {
        backup.symlink_metadata().is_ok_and(|found| found.is_file())
            && File::open(backup).and_then(|file| owner::names_and_id(&file)).is_ok_and(|found| found.1 == id)
    };
    let is_there = |backup: &PathBuf| backup.symlink_metadata().is_ok();
    let left = (1..1000).map(copy).take_while(is_there).find(is_it);
    if names > 1 + u64::from(left.is_some()) {
        bail!("it has other names (hard links), which would keep the old text");
    }
    if let Some(left) = left {
        return Ok(left);
    }
    let free = (1..1000).map(copy).find(|backup| !is_there(backup));
    let backup = free.context("there are a thousand copies of it already")?;
    fs::hard_link(path, &backup).or_else(|_| fs::copy(path, &backup).map(|_| ()))?;
    Ok(backup)
}
