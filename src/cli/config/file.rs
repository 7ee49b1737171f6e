//! Replaces a client's file atomically, after copying it.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read as _, Seek as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use tempfile::NamedTempFile;

use super::Place;
use crate::cli::Running;
use crate::fit::Scope;
use crate::fs::follow::Followed;
use crate::process::on_path;
use crate::sys::{self, FileKind, Opened, below};
use crate::tools::error::reason;
use cutline_core::text::Size;

/// Maximum size of a file in bytes. The parser may need a hundred times the size of a malicious file.
const MAX_BYTES: u64 = 16_000_000;
/// The byte order mark, which some editors write.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// The end of the name of the copy. No other program uses it, so that a copy never replaces a file of the user.
const BACKUP: &str = ".cutline.bak";
/// Timeout of git, which needs milliseconds.
const GIT_TIMEOUT: Duration = Duration::from_secs(5);
/// The mode of a new file, before the umask.
const NEW_MODE: u32 = 0o666;

/// The new text of a file.
#[derive(Debug, Default)]
pub(super) struct Edited {
    /// The text.
    pub(super) text: String,
    /// True if the old text has nothing but the entry of cutline. It is then not copied.
    pub(super) was_own: bool,
    /// True if the new text has nothing. The file is then deleted, unless its path is a link.
    pub(super) is_empty: bool,
}

/// Returns the text of a client's file without a byte order mark. A missing file is empty. Does not read a file of size
/// 0, because a link can point to a device or a pseudo-file that is endless or blocks.
///
/// # Errors
///
/// Returns an error if the path is not a regular file, or if the file is too large.
pub(in crate::cli) fn read(path: &Path) -> io::Result<String> {
    let opened = match Opened::through_links(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        opened => opened?,
    };
    if opened.stat.kind != FileKind::File {
        return Err(not_regular());
    }
    Ok(text_of(&opened.file()?)?.trim_start_matches(BYTE_ORDER_MARK).to_owned())
}

/// Returns the text of an open file.
fn text_of(file: &File) -> io::Result<String> {
    let bytes = file.metadata()?.len();
    if bytes > MAX_BYTES {
        return Err(not_regular());
    }
    let mut text = String::new();
    file.take(bytes).read_to_string(&mut text)?;
    Ok(text)
}

fn not_regular() -> io::Error {
    io::Error::other(format!("it is not a regular file, or larger than {}", Size(MAX_BYTES)))
}

/// Replaces the text of a location's file by the result of `change`. The old file is copied, unless git has it, and
/// then replaced atomically. Links to it, its owner and its mode are preserved. Returns where the old text is, or
/// `None` if the text is the same.
///
/// # Errors
///
/// Returns an error and changes nothing if `change` fails, if another program has just written the file, if the file
/// is read-only or has other hard links, or if a link of a project's file points out of the project.
pub(super) fn rewrite(
    Place { path, scope, .. }: &Place,
    change: impl FnOnce(&str) -> anyhow::Result<Edited>,
) -> anyhow::Result<Option<String>> {
    ensure!(path.exists() || !path.is_symlink(), "it is a link to nothing");
    // Another person may have created the links in a project.
    let (end, project) = (Followed::new(path).end, Followed::new(&std::env::current_dir()?).end);
    ensure!(
        *scope != Scope::Project || end.starts_with(&project),
        "a link leads from it out of the project; to change {}, use --file",
        end.display()
    );
    let is_link = path.is_symlink();
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (shown_folder, name) = path.parent().zip(path.file_name()).context("it has no parent folder")?;
    // From here on, nothing follows a link: a sandboxed command that still runs could create one.
    let open_folder = || -> anyhow::Result<Opened> {
        let folder = Opened::through_links(shown_folder)?;
        let is_inside = *scope != Scope::Project || folder.real.starts_with(&project);
        ensure!(is_inside, "its folder was just replaced by a link out of the project");
        Ok(folder)
    };
    let folder = if shown_folder.exists() { Some(open_folder()?) } else { None };
    let open = || folder.as_ref().map_or(Ok(None), |folder| open_in(folder, name));
    let before = open()?;
    let old = before.as_ref().map_or(Ok(String::new()), text_of)?;
    let (mark, plain) = old.split_at(old.len() - old.trim_start_matches(BYTE_ORDER_MARK).len());
    let edited = change(plain)?;
    if edited.text == plain {
        return Ok(None);
    }
    let new = format!("{mark}{}", edited.text);
    let Some((before, folder)) = before.zip(folder.as_ref()) else {
        fs::create_dir_all(shown_folder)?;
        let opened = open_folder()?;
        let folder = opened.path();
        let mut file = new_file_in(&folder, shown_folder)?;
        file.write_all(new.as_bytes())?;
        file.persist_noclobber(folder.join(name)).map_err(|error| error.error)?;
        return Ok(Some(" to a new file".to_owned()));
    };
    ensure!(!before.metadata()?.permissions().readonly(), "it is read-only");
    ensure!(before.metadata()?.nlink() == 1, "it has other hard links, which would keep the old text");
    let folder = folder.path();
    let copy =
        |text: &str| file_like(&before, &folder, text).map_err(|error| unwritable(shown_folder, &error));
    let changed = copy(&new)?;
    let copied = if edited.was_own {
        String::new()
    } else if git_has(&path, &before) {
        "; git has the old file".to_owned()
    } else {
        let mut backup = name.to_owned();
        backup.push(BACKUP);
        copy(&old)?.persist(folder.join(&backup)).map_err(|error| error.error)?;
        format!("; the old file is {}", shown_folder.join(backup).display())
    };
    let now = open()?.as_ref().map_or(Ok(String::new()), text_of)?;
    ensure!(now == old, "another program has written it just now");
    if edited.is_empty && !is_link {
        fs::remove_file(folder.join(name))?;
        return Ok(Some("; the file had nothing else, and is deleted".to_owned()));
    }
    changed.persist(folder.join(name)).map_err(|error| error.error)?;
    Ok(Some(copied))
}

/// Opens the regular file `name` in `folder`, and follows no link. Returns `None` if it is missing.
fn open_in(folder: &Opened, name: &OsStr) -> io::Result<Option<File>> {
    match below::file(&folder.folder()?, name.as_bytes()) {
        Ok(Some((file, _))) => Ok(Some(file)),
        Ok(None) => Err(not_regular()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the error of a temporary file in `folder` without its name, which says nothing to the user.
fn unwritable(folder: &Path, error: &io::Error) -> io::Error {
    // The error of the system is inside the one with the name.
    let own = error.get_ref().and_then(|inner| inner.source()?.downcast_ref::<io::Error>());
    let why = reason(own.unwrap_or(error));
    io::Error::new(error.kind(), format!("{}: {why}", folder.display()))
}

/// Creates a temporary file in `folder` with the mode of a new file. Errors name `shown_folder`.
pub(in crate::cli) fn new_file_in(folder: &Path, shown_folder: &Path) -> io::Result<NamedTempFile> {
    let file = tempfile::Builder::new().permissions(Permissions::from_mode(NEW_MODE)).tempfile_in(folder);
    file.map_err(|error| unwritable(shown_folder, &error))
}

/// Creates a file in `folder` that will replace `other`. It gets the owner, group, mode and access control list of `other`
/// before the first byte is written; until then, only this user can read it.
fn file_like(other: &File, folder: &Path, text: &str) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new_in(folder)?;
    let (own, like) = (file.as_file().metadata()?, other.metadata()?);
    if (own.uid(), own.gid()) != (like.uid(), like.gid()) {
        fchown(file.as_file(), Some(like.uid()), Some(like.gid()))?;
    }
    sys::copy_acl(other, file.as_file())?;
    file.as_file().set_permissions(like.permissions())?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Returns true if the index of a git repository has the content of `file`, which is at `path`. Git that does not end in
/// time counts as false.
fn git_has(path: &Path, mut file: &File) -> bool {
    let git = |input: Stdio, arguments: &[&OsStr]| {
        // Not from a relative folder of `PATH`, which can be in the project.
        let mut command = Command::new(on_path("git")?);
        // Settings of the repository could start a program: one that watches files, or one that fetches missing
        // objects.
        command.envs([("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none")]);
        command.args(["-c", "core.fsmonitor=false", "-C"]).arg(path.parent()?).args(arguments);
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut git = Running(command.spawn().ok()?);
        let start = Instant::now();
        while git.0.try_wait().ok()?.is_none() {
            if start.elapsed() > GIT_TIMEOUT {
                return None;
            }
            thread::sleep(GIT_TIMEOUT / 1000);
        }
        let mut text = String::new();
        git.0.stdout.take()?.read_to_string(&mut text).ok()?;
        git.0.wait().is_ok_and(|status| status.success()).then_some(text)
    };
    let words = ["ls-files", "--stage", "--"].map(OsStr::new);
    let staged = git(Stdio::null(), &[&words[..], &[path.as_os_str()]].concat());
    let has = |staged: String| {
        // By its content, because another process can replace the path by a pipe, which git would wait for.
        file.rewind().ok()?;
        let now = git(file.try_clone().ok()?.into(), &["hash-object", "--stdin"].map(OsStr::new))?;
        Some(staged.split(' ').any(|word| word == now.trim()))
    };
    staged.and_then(has).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_files_never_get_wider_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        for mode in [0o600, 0o640, 0o644] {
            let other = File::create(&path).unwrap();
            other.set_permissions(Permissions::from_mode(mode)).unwrap();
            let made = file_like(&other, folder.path(), "").unwrap();
            assert_eq!(made.as_file().metadata().unwrap().mode() & 0o777, mode);
        }
    }
}
