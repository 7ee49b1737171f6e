//! Replaces a client's file atomically, after copying it.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};

use super::{Place, owner};
use crate::cli::ConfigScope;
use crate::fs::follow::Followed;
use cutline_core::text::Size;

/// Maximum size of a file in bytes. The parser may need a hundred times the size of a malicious file.
const MAX_BYTES: u64 = 16_000_000;
/// Maximum number of copies of a file.
const MAX_COPIES: u32 = 1000;
/// The byte order mark, which some editors write.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The result of changing a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// No change, because the text is the same.
    AsItWas,
    /// A new file was written.
    New,
    /// The file was replaced. The copy with the old text has this path.
    Changed(PathBuf),
}

/// Returns the text of a client's file, as [`read_all`] does, without a byte order mark.
pub(in crate::cli) fn read(path: &Path) -> io::Result<String> {
    let text = read_all(path)?;
    Ok(text.trim_start_matches(BYTE_ORDER_MARK).to_owned())
}

/// Returns the text of a client's file. Does not read a file of size 0, because a link can point to a device or a
/// pseudo-file that is endless or blocks.
///
/// # Errors
///
/// Returns an error if the path is not a regular file, or if the file is too large.
fn read_all(path: &Path) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(io::Error::other(format!("it is larger than {}", Size(MAX_BYTES))));
    }
    let mut text = String::new();
    File::open(path)?.take(metadata.len().min(MAX_BYTES)).read_to_string(&mut text)?;
    Ok(text)
}

/// Replaces the text of a location's file by the result of `change`. The old file is copied to `FILE.bak` and then
/// replaced atomically. Links to it, its owner and its mode are preserved.
///
/// # Errors
///
/// Returns an error and changes nothing if `change` fails, if another program has just written the file, if the file
/// has other hard links, or if a link of a project's file points out of the project.
pub(super) fn rewrite(
    place: &Place,
    change: impl FnMut(&str) -> anyhow::Result<String>,
) -> anyhow::Result<Written> {
    rewritten(place, change).with_context(|| format!("{} was not changed", place.path.display()))
}

fn rewritten(
    Place { path, scope, .. }: &Place,
    mut change: impl FnMut(&str) -> anyhow::Result<String>,
) -> anyhow::Result<Written> {
    ensure!(path.exists() || !path.is_symlink(), "it is a link to nothing");
    // Another person may have created the links in a project.
    let (end, project) = (Followed::new(path).end, Followed::new(&std::env::current_dir()?).end);
    if *scope == ConfigScope::Project && !end.starts_with(project) {
        bail!("a link leads from it out of the project; to change {}, use --file", end.display());
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().context("it has no parent folder")?;
    if !folder.exists() {
        // An error must not leave a new folder.
        change("")?;
    }
    fs::create_dir_all(folder)?;
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
    ensure!(owner::names(&before)? == 1, "it has other hard links, which would keep the old text");
    let backup = back_up(&path, &before, &old)?;
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

/// Copies `text`, the content of the file `before` at `path`, to the first free name of `FILE.bak`, `FILE.bak2` and so
/// on. The copy has the owner and mode of the file.
fn back_up(path: &Path, before: &File, text: &str) -> anyhow::Result<PathBuf> {
    let mut copy = owner::file_like(Some(before), path.parent().context("it has no parent folder")?)?;
    copy.write_all(text.as_bytes())?;
    copy.as_file().sync_all()?;
    for number in 1..=MAX_COPIES {
        let mut backup = path.as_os_str().to_owned();
        backup.push(if number == 1 { ".bak".to_owned() } else { format!(".bak{number}") });
        match copy.persist_noclobber(&backup) {
            Ok(_) => return Ok(backup.into()),
            Err(taken) if taken.error.kind() == ErrorKind::AlreadyExists => copy = taken.file,
            Err(other) => return Err(other.into()),
        }
    }
    bail!("there are {MAX_COPIES} copies of it already")
}
