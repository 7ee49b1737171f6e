//! The path of a call: found, opened inside the roots, or an error that the model can act on.

use std::path::{Path, PathBuf};

use crate::exec::near;
use crate::exec::open::{Kind, OpenError, Place};

use super::{Context, ToolError, ToolName};

/// What a tool wants to find at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// One or the other.
    Either,
}

/// Opens what stands at `asked`, a path as the model wrote it.
///
/// Where the exact name does not exist, a leading `@` is dropped (as agents' users write mentions),
/// then the entry of that folder is taken whose name means the same.
pub fn open(cx: &Context, asked: &str, wanted: Wanted) -> Result<Place, ToolError> {
    if asked.contains('\0') {
        return Err(ToolError::Argument("path: must not contain a NUL character".to_owned()));
    }
    if asked.is_empty() {
        return Err(ToolError::Argument("path: must not be empty; use . for the workspace".to_owned()));
    }
    let place = match Place::open(&cx.workspace, &cx.workspace.absolute(asked)) {
        Err(OpenError::Missing) => open_alike(cx, asked).ok_or_else(|| missing(cx, asked, wanted))?,
        other => other.map_err(|error| refused(cx, asked, error))?,
    };
    let path = || cx.workspace.show(&place.real);
    match (wanted, place.kind) {
        (Wanted::File, Kind::Directory) => {
            Err(ToolError::IsDirectory { path: path(), ls: cx.has(ToolName::Ls) })
        }
        (Wanted::Directory, Kind::File | Kind::Other(_)) => Err(ToolError::NotDirectory { path: path() }),
        (_, Kind::Other(kind)) => Err(ToolError::NotRegular { path: path(), kind }),
        _ => Ok(place),
    }
}

/// An opening that was refused, in the model's words.
pub fn refused(cx: &Context, asked: &str, error: OpenError) -> ToolError {
    let path = cx.workspace.show_asked(asked);
    match error {
        OpenError::Missing => missing(cx, asked, Wanted::Either),
        OpenError::Outside => {
            ToolError::OutsideRoots { path: asked.to_owned(), roots: cx.workspace.show_roots() }
        }
        OpenError::Denied => ToolError::PermissionDenied { path },
        OpenError::Other(source) => ToolError::Io { path, source },
    }
}

/// The error for a file that is not text, by its first bytes.
pub fn binary(cx: &Context, place: &Place, bytes: u64, start: &[u8]) -> ToolError {
    ToolError::Binary {
        path: cx.workspace.show(&place.real),
        bytes,
        mime: infer::get(start).map_or("application/octet-stream", |kind| kind.mime_type()),
        bash: cx.has(ToolName::Bash),
    }
}

fn open_alike(cx: &Context, asked: &str) -> Option<Place> {
    let plain = asked.strip_prefix('@').filter(|rest| !rest.is_empty());
    let exact = plain.and_then(|plain| Place::open(&cx.workspace, &cx.workspace.absolute(plain)).ok());
    exact.or_else(|| same_name(cx, asked)).or_else(|| same_name(cx, plain?))
}

fn same_name(cx: &Context, asked: &str) -> Option<Place> {
    let (folder, path, name) = folder_of(cx, asked)?;
    let entry = near::same(&folder, &name)?;
    Place::open(&cx.workspace, &path.join(entry)).ok()
}

fn missing(cx: &Context, asked: &str, wanted: Wanted) -> ToolError {
    let path = cx.workspace.show_asked(asked);
    let near = folder_of(cx, asked).map_or_else(Vec::new, |(folder, _, name)| {
        let full = |name: &String| cx.workspace.show(&folder.real.join(name));
        near::names(&folder, &name).iter().map(full).collect()
    });
    match wanted {
        Wanted::File => ToolError::FileNotFound { path, near },
        Wanted::Directory => ToolError::DirectoryNotFound { path, near },
        Wanted::Either => ToolError::PathNotFound { path, near },
    }
}

/// The folder in which `asked` would stand, and its name there.
fn folder_of(cx: &Context, asked: &str) -> Option<(Place, PathBuf, String)> {
    let path = cx.workspace.absolute(asked);
    let name = path.file_name()?.to_str()?.to_owned();
    let parent = path.parent().map(Path::to_path_buf)?;
    let folder = Place::open(&cx.workspace, &parent).ok()?;
    (folder.kind == Kind::Directory).then_some((folder, parent, name))
}
