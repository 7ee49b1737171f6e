//! The path of a call: found, opened inside the roots, or an error that the model can act on.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::fs::open::{FileKind, NAME_BYTES, OpenError, OpenedPath};
use crate::fs::{file_uri, near};
use crate::sys::Folder;
use cutline_core::text::show;

use super::{Context, ToolError, ToolName};

/// Folders of a path, one below the other, whose names are found by what they mean.
const MAX_REPAIRED: usize = 16;

/// Bytes of a name that is compared with those that exist: three times the longest, as a byte that
/// can't be shown is shown as three.
const MAX_NAME_BYTES: usize = 3 * NAME_BYTES;

/// Bytes of a path in which names are compared: three times the longest that the system opens.
const MAX_PATH_BYTES: usize = 3 * 4096;

/// The kind of thing that a tool expects at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// One or the other.
    Either,
}

/// Opens `asked`, a path as the model wrote it.
///
/// A `file:` URI is the path that it names. If the exact name does not exist, a leading `@` is dropped (as agents' users write mentions),
/// then the entry of that folder is taken whose name means the same, and so for each folder above.
pub fn open(cx: &Context, asked: &str, wanted: ExpectedKind) -> Result<OpenedPath, ToolError> {
    let of_uri = file_uri::path_of(asked);
    let asked = of_uri.as_deref().and_then(Path::to_str).unwrap_or(asked);
    if asked.contains('\0') {
        return Err(ToolError::Argument("path: must not contain a NUL character".to_owned()));
    }
    if asked.is_empty() {
        return Err(ToolError::Argument("path: must not be empty; use . for the workspace".to_owned()));
    }
    let place = match OpenedPath::open(&cx.workspace, &cx.workspace.absolute(asked)) {
        Err(OpenError::Missing) => open_alike(cx, asked).ok_or_else(|| missing(cx, asked, wanted))?,
        other => other.map_err(|error| refused(cx, asked, error))?,
    };
    let path = || cx.workspace.show(&place.real);
    match (wanted, place.stat.kind, word(place.stat.kind)) {
        (ExpectedKind::File, FileKind::Folder, _) => {
            Err(ToolError::IsDirectory { path: path(), ls: cx.has(ToolName::Ls) })
        }
        (ExpectedKind::Directory, kind, _) if kind != FileKind::Folder => {
            Err(ToolError::NotDirectory(path()))
        }
        (_, _, Some(kind)) => Err(ToolError::NotRegular { path: path(), kind }),
        _ => Ok(place),
    }
}

/// Returns the word for what is not to be read; `None` for a file and a folder.
fn word(kind: FileKind) -> Option<&'static str> {
    match kind {
        FileKind::File | FileKind::Folder => None,
        FileKind::Fifo => Some("fifo"),
        FileKind::Socket => Some("socket"),
        FileKind::CharacterDevice => Some("character device"),
        FileKind::BlockDevice => Some("block device"),
        FileKind::Link | FileKind::Unknown => Some("unknown type"),
    }
}

/// Returns the error for an opening that was refused.
pub fn refused(cx: &Context, asked: &str, error: OpenError) -> ToolError {
    let path = cx.workspace.show_asked(asked);
    match error {
        OpenError::Missing => missing(cx, asked, ExpectedKind::Either),
        OpenError::Outside => {
            let path = show::name(asked.as_bytes()).into_owned();
            ToolError::OutsideRoots { path, roots: cx.workspace.show_roots() }
        }
        OpenError::Denied => ToolError::PermissionDenied(path),
        OpenError::Other(source) => ToolError::Io { path, source },
    }
}

/// Opens the file at `place` for reading.
pub fn file(cx: &Context, place: &OpenedPath) -> Result<File, ToolError> {
    place.file().map_err(|error| refused(cx, &place.real.to_string_lossy(), error))
}

/// Opens the folder at `place` for listing it.
pub fn folder(cx: &Context, place: &OpenedPath) -> Result<Folder, ToolError> {
    place.folder().map_err(|error| refused(cx, &place.real.to_string_lossy(), error))
}

/// Returns the error for a file that is not text, by its first bytes.
pub fn binary(cx: &Context, place: &OpenedPath, bytes: u64, start: &[u8]) -> ToolError {
    ToolError::Binary {
        path: cx.workspace.show(&place.real),
        bytes,
        mime: infer::get(start).map_or("application/octet-stream", |kind| kind.mime_type()),
        bash: cx.has(ToolName::Bash),
    }
}

fn open_alike(cx: &Context, asked: &str) -> Option<OpenedPath> {
    let plain = asked.strip_prefix('@').filter(|rest| !rest.is_empty());
    let exact = plain.and_then(|plain| OpenedPath::open(&cx.workspace, &cx.workspace.absolute(plain)).ok());
    exact.or_else(|| same_name(cx, asked)).or_else(|| same_name(cx, plain?))
}

fn same_name(cx: &Context, asked: &str) -> Option<OpenedPath> {
    let (folder, path, name) = folder_of(cx, &cx.workspace.absolute(asked), MAX_REPAIRED)?;
    let entry = near::same(&folder, &name)?;
    OpenedPath::open(&cx.workspace, &path.join(entry)).ok()
}

fn missing(cx: &Context, asked: &str, wanted: ExpectedKind) -> ToolError {
    let path = cx.workspace.show_asked(asked);
    let folder = folder_of(cx, &cx.workspace.absolute(asked), MAX_REPAIRED);
    let near = folder.map_or_else(Vec::new, |(folder, _, name)| {
        let full = |name: &String| cx.workspace.show(&folder.real.join(name));
        near::names(&folder, &name).iter().map(full).collect()
    });
    let wanted = match wanted {
        ExpectedKind::File => "File",
        ExpectedKind::Directory => "Directory",
        ExpectedKind::Either => "Path",
    };
    ToolError::NotFound { wanted, path, near }
}

/// Returns the folder of `path`, open, its path, and the name in it. If that folder does not exist by
/// its exact name, the one is taken whose name means the same; up to `repairs` folders in a row.
fn folder_of(cx: &Context, path: &Path, repairs: usize) -> Option<(OpenedPath, PathBuf, String)> {
    if path.as_os_str().len() > MAX_PATH_BYTES {
        return None;
    }
    let name = path.file_name()?.to_str().filter(|name| name.len() <= MAX_NAME_BYTES)?.to_owned();
    let mut parent = path.parent().map(Path::to_path_buf)?;
    let folder = match OpenedPath::open(&cx.workspace, &parent) {
        Err(OpenError::Missing) if repairs > 0 => {
            let (above, place, name) = folder_of(cx, &parent, repairs - 1)?;
            parent = place.join(near::same(&above, &name)?);
            OpenedPath::open(&cx.workspace, &parent)
        }
        other => other,
    };
    let folder = folder.ok().filter(|folder| folder.stat.kind == FileKind::Folder)?;
    Some((folder, parent, name))
}
