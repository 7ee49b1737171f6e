//! Opens the path of a call inside the roots, or returns an error from which the model can continue.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::fs::open::{FileKind, NAME_BYTES, OpenError, OpenedPath};
use crate::fs::workspace::lexical;
use crate::fs::{file_uri, near, workspace};
use crate::process;
use crate::sys::{Folder, below};
use cutline_core::text::binary::{UTF_16, UTF_32BE, UTF_32LE, media_type};
use cutline_core::text::show;
use derive_more::Display;

use super::{Context, ToolError, ToolName, path_glob};

/// Maximum number of folder names in a path that are replaced by equivalent ones.
const MAX_REPAIRED: usize = 16;
/// Maximum number of names at the start of a path that another machine can have instead of the workspace.
const MAX_OUTSIDE: usize = 8;

/// Maximum length in bytes of a name that is compared with existing ones: the longest name in its shown form.
const MAX_NAME_BYTES: usize = show::MAX_GROWTH * NAME_BYTES;

/// Maximum length in bytes of a path whose names are compared: the longest path that the system opens, in its shown
/// form.
const MAX_PATH_BYTES: usize = show::MAX_GROWTH * 4096;

/// The kind of file that a tool expects at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum ExpectedKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A regular file or a folder.
    Path,
    /// Any entry of a directory, for ls. Only a directory is opened for reading.
    #[display("Directory")]
    Entry,
}

/// Opens `asked`, a path as the model wrote it.
///
/// A `file:` URI is converted to its path. If the exact name does not exist, quotes around it and a leading `@` are removed,
/// because users of agents write mentions in this way. Then an entry with an equivalent name is opened. The same applies to
/// each folder above.
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
        Ok(place) => place,
        Err(OpenError::Missing) => open_alike(cx, asked).ok_or_else(|| missing(cx, asked, wanted))?,
        Err(OpenError::Outside) => {
            let (path, near) = (show::name(asked.as_bytes()).into_owned(), end_in_workspace(cx, asked));
            return Err(ToolError::OutsideRoots { path, near });
        }
        Err(OpenError::Other(error)) => return Err(of_system(cx.workspace.show_asked(asked), error)),
    };
    let path = || cx.workspace.show(&place.asked);
    match (wanted, place.stat.kind, special_kind(place.stat.kind)) {
        (ExpectedKind::File, FileKind::Folder, _) => {
            Err(ToolError::IsDirectory { path: path(), ls: cx.has(ToolName::Ls) })
        }
        (ExpectedKind::Directory, kind, _) if kind != FileKind::Folder => {
            let folder = place.asked.parent().unwrap_or(&place.asked);
            Err(ToolError::NotDirectory { path: path(), folder: cx.workspace.show(folder) })
        }
        (ExpectedKind::Entry, ..) => Ok(place),
        (_, _, Some(kind)) => Err(ToolError::NotRegular(path(), kind)),
        _ => Ok(place),
    }
}

/// Returns the name of a kind of file that is never opened. Returns `None` for regular files and folders.
fn special_kind(kind: FileKind) -> Option<&'static str> {
    match kind {
        FileKind::File | FileKind::Folder => None,
        FileKind::Fifo => Some("fifo"),
        FileKind::Socket => Some("socket"),
        FileKind::CharacterDevice => Some("character device"),
        FileKind::BlockDevice => Some("block device"),
        FileKind::Link | FileKind::Unknown => Some("unknown type"),
    }
}

/// Returns the error for the model if the file or folder at `place` could not be read.
pub fn unreadable(cx: &Context, place: &OpenedPath, error: io::Error) -> ToolError {
    of_system(cx.workspace.show(&place.asked), error)
}

fn of_system(path: String, error: io::Error) -> ToolError {
    match error.kind() {
        io::ErrorKind::PermissionDenied => ToolError::PermissionDenied(path),
        _ => ToolError::Io(path, error),
    }
}

/// Opens the file at `place` for reading.
pub fn file(cx: &Context, place: &OpenedPath) -> Result<File, ToolError> {
    place.file().map_err(|error| unreadable(cx, place, error))
}

/// Opens the folder at `place` for listing.
pub fn folder(cx: &Context, place: &OpenedPath) -> Result<Folder, ToolError> {
    place.folder().map_err(|error| unreadable(cx, place, error))
}

/// The commands that show the content of a binary file at `PATH`, and the type that they need.
const INSPECTORS: [(&str, Option<&str>); 15] = [
    ("iconv -f UTF-16 -t UTF-8 PATH", Some(UTF_16)),
    ("iconv -f UTF-32LE -t UTF-8 PATH", Some(UTF_32LE)),
    ("iconv -f UTF-32BE -t UTF-8 PATH", Some(UTF_32BE)),
    ("pdftotext PATH -", Some("application/pdf")),
    ("unzip -l PATH", Some(ZIP)),
    ("tar -tf PATH", Some(TAR)),
    ("zcat PATH", Some("application/gzip")),
    ("bzcat PATH", Some("application/x-bzip2")),
    ("xzcat PATH", Some("application/x-xz")),
    ("zstdcat PATH", Some("application/zstd")),
    ("sqlite3 PATH .schema", Some("application/vnd.sqlite3")),
    (r"tr -d '\000' < PATH", Some("text/plain")),
    ("strings PATH", None),
    ("xxd PATH", None),
    ("od -c PATH", None),
];
/// The type of a ZIP archive.
const ZIP: &str = "application/zip";
/// The starts of the types of documents that are ZIP archives.
const ZIP_DOCUMENTS: [&str; 3] = [
    "application/epub+zip",
    "application/vnd.oasis.opendocument.",
    "application/vnd.openxmlformats-officedocument.",
];
/// The type of a tar archive.
const TAR: &str = "application/x-tar";
/// The ends of names of compressed archives. `tar` decompresses them.
const COMPRESSED_ARCHIVES: [&str; 5] = [".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst"];

/// Returns the error for a binary file. `start` has its first bytes.
pub fn binary(cx: &Context, place: &OpenedPath, bytes: u64, start: &[u8]) -> ToolError {
    let mime = media_type(start);
    let inspect = shell_path(cx, place).and_then(|path| inspector(mime, &path));
    ToolError::Binary { path: cx.workspace.show(&place.asked), bytes, mime, inspect }
}

/// Returns the command that shows the content of a binary file of this type. `path` is quoted for the shell.
pub(super) fn inspector(mime: &str, path: &str) -> Option<String> {
    let name = path.trim_end_matches('\'');
    let is_archive = COMPRESSED_ARCHIVES.iter().any(|end| name.ends_with(end));
    let is_zip = ZIP_DOCUMENTS.iter().any(|start| mime.starts_with(start));
    let wanted = match mime {
        _ if is_archive => TAR,
        _ if is_zip => ZIP,
        _ => mime,
    };
    let is_installed =
        |command: &str| command.split(' ').next().is_some_and(|name| process::on_path(name).is_some());
    let mut fitting = INSPECTORS.iter().filter(|(_, of)| of.is_none_or(|of| of == wanted));
    fitting.find(|(command, _)| is_installed(command)).map(|(command, _)| command.replace("PATH", path))
}

/// Maximum bytes of a path in a command that a notice suggests.
const COMMAND_PATH_BYTES: usize = 500;

/// Returns the path of a file for a command, quoted and without a leading `-`, which would be parsed as an option. Returns
/// `None` without bash, or if the path has bytes that cannot be shown.
pub fn shell_path(cx: &Context, place: &OpenedPath) -> Option<String> {
    let path = workspace::shown(cx.workspace.relative(&place.asked));
    quoted(path).filter(|_| cx.has(ToolName::Bash))
}

/// Returns a path for a command, or `None` if it has bytes or brackets that a notice cannot show, or is too long for one.
pub(super) fn quoted(path: &[u8]) -> Option<String> {
    let Cow::Borrowed(path) = show::name(path) else { return None };
    if path.len() > COMMAND_PATH_BYTES || show::with_pairs(path) != *path {
        return None;
    }
    let path = if path.starts_with('-') { Cow::Owned(format!("./{path}")) } else { Cow::Borrowed(path) };
    shlex::try_quote(&path).ok().map(Cow::into_owned)
}

fn open_alike(cx: &Context, asked: &str) -> Option<OpenedPath> {
    let open = |path: &Path| OpenedPath::open(&cx.workspace, path).ok();
    let same = |asked: &str| open(&Nearest::of(cx, &cx.workspace.absolute(asked), MAX_REPAIRED)?.same()?);
    let bare = asked.trim_matches(|c: char| c.is_whitespace() || "\"'`<>".contains(c));
    let plain =
        Some(bare.strip_prefix('@').unwrap_or(bare)).filter(|rest| !rest.is_empty() && *rest != asked);
    let exact = plain.and_then(|plain| open(&cx.workspace.absolute(plain)));
    exact.or_else(|| same(asked)).or_else(|| same(plain?))
}

fn missing(cx: &Context, asked: &str, wanted: ExpectedKind) -> ToolError {
    let nearest = Nearest::of(cx, &cx.workspace.absolute(asked), MAX_REPAIRED);
    let broken_link = nearest.as_ref().is_some_and(Nearest::is_link);
    let completed = nearest.as_ref().filter(|_| wanted == ExpectedKind::File);
    let mut near =
        completed.map_or_else(Vec::new, |nearest| nearest.with_stem(cx, &[Some(nearest.name.as_ref())]));
    let unmatched = nearest.filter(|_| near.is_empty());
    let similar = unmatched.map_or_else(Vec::new, |nearest| nearest.near(cx, MAX_REPAIRED));
    if near.is_empty() {
        let path = cx.workspace.show(&lexical(&cx.workspace.absolute(asked))).to_lowercase();
        near.extend(similar.iter().filter(|similar| similar.to_lowercase() == path).cloned());
    }
    if near.is_empty() {
        // A path with other folders above the same name is nearer than one in another place.
        let name = Path::new(asked).file_name();
        let ends_alike = |path: &Path| [path.file_name(), path.file_stem()].contains(&name);
        near.extend(similar.iter().filter(|similar| ends_alike(Path::new(similar))).cloned());
        let others = elsewhere(cx, asked, wanted).into_iter().filter(|path| !similar.contains(path));
        near.extend(others);
        near.truncate(near::OFFERED);
    }
    if near.is_empty() && wanted == ExpectedKind::File {
        near = elsewhere_with_extension(cx, Path::new(asked));
    }
    if near.is_empty() && asked.contains('\\') {
        // Windows separates folders by backslashes.
        near = elsewhere(cx, &asked.replace('\\', "/"), wanted);
    }
    if near.is_empty() {
        near = similar;
    }
    // Brackets do not count, because they are common in names.
    let has_wildcard = asked.contains(['*', '?']) && path_glob::is_listed(asked);
    let ls_glob = has_wildcard && wanted == ExpectedKind::File && cx.has(ToolName::Ls);
    ToolError::NotFound { wanted, path: cx.workspace.show_asked(asked), broken_link, near, ls_glob }
}

/// Returns the longest end of an absolute path that exists in the workspace: without its leading `/`, or at least two names.
fn end_in_workspace(cx: &Context, asked: &str) -> Option<String> {
    let below = asked.strip_prefix('/').filter(|below| !below.is_empty())?;
    let ends = std::iter::successors(Some(below), |end| Some(end.split_once('/')?.1));
    let mut ends =
        ends.take(MAX_OUTSIDE).filter(|end| *end == below || end.trim_end_matches('/').contains('/'));
    let place = ends.find_map(|end| OpenedPath::open(&cx.workspace, &cx.workspace.absolute(end)).ok())?;
    Some(cx.workspace.show(&place.asked))
}

/// Returns existing paths that end as the missing path `asked` does.
pub(super) fn elsewhere(cx: &Context, asked: &str, wanted: ExpectedKind) -> Vec<String> {
    let path = lexical(&cx.workspace.absolute(asked));
    let roots = cx.workspace.roots.iter().filter(|root| path.starts_with(&root.real));
    let root = roots.max_by_key(|root| root.real.as_os_str().len());
    let Some(root) = root.filter(|_| path.as_os_str().len() <= MAX_PATH_BYTES) else { return Vec::new() };
    let below = path.strip_prefix(&root.real).unwrap_or(&path);
    let exists = |path: &Path| {
        let kind = OpenedPath::open(&cx.workspace, path).map(|opened| opened.stat.kind);
        kind.is_ok_and(|kind| wanted != ExpectedKind::Directory || kind == FileKind::Folder)
    };
    let Ok(opened) = OpenedPath::open(&cx.workspace, &root.real) else { return Vec::new() };
    let found = near::with_same_end(&opened, below, exists);
    found.iter().map(|path| cx.workspace.show(path)).collect()
}

/// Returns existing files with an extension or with another one that otherwise end as `asked` does, a path with folders.
fn elsewhere_with_extension(cx: &Context, asked: &Path) -> Vec<String> {
    let folder = asked.parent().and_then(Path::to_str).filter(|folder| !folder.is_empty());
    let (Some(folder), Some(name)) = (folder, asked.file_name()) else { return Vec::new() };
    let folders = elsewhere(cx, folder, ExpectedKind::Directory);
    let files = folders.iter().filter_map(|folder| {
        Nearest::of(cx, &cx.workspace.absolute(folder).join(name), 0)
            .map(|nearest| nearest.with_stem(cx, &[Some(name), asked.file_stem()]))
    });
    files.flatten().take(near::OFFERED).collect()
}

/// Returns the existing paths that are most similar to the missing path `asked`.
pub(super) fn similar(cx: &Context, asked: &str) -> Vec<String> {
    let nearest = Nearest::of(cx, &cx.workspace.absolute(asked), MAX_REPAIRED);
    nearest.map_or_else(Vec::new, |nearest| nearest.near(cx, MAX_REPAIRED))
}

/// The nearest existing folder above a missing path.
struct Nearest {
    folder: OpenedPath,
    /// The requested path of the folder, with equivalent names replaced.
    path: PathBuf,
    /// The missing name.
    name: String,
    /// The path below that name.
    rest: PathBuf,
}

impl Nearest {
    /// Finds the nearest folder above `path`. Replaces up to `repairs` missing folders by folders with equivalent
    /// names.
    fn of(cx: &Context, path: &Path, repairs: usize) -> Option<Self> {
        if path.as_os_str().len() > MAX_PATH_BYTES {
            return None;
        }
        let name = path.file_name()?.to_str().filter(|name| name.len() <= MAX_NAME_BYTES)?.to_owned();
        let mut parent = path.parent().map(Path::to_path_buf)?;
        let mut opened = OpenedPath::open(&cx.workspace, &parent);
        if matches!(opened, Err(OpenError::Missing)) && repairs > 0 {
            let above = Self::of(cx, &parent, repairs - 1)?;
            let Some(same) = above.same() else { return Some(Self { rest: above.rest.join(name), ..above }) };
            parent = same;
            opened = OpenedPath::open(&cx.workspace, &parent);
        }
        let folder = opened.ok().filter(|folder| folder.stat.kind == FileKind::Folder)?;
        Some(Self { folder, path: parent, name, rest: PathBuf::new() })
    }

    /// Returns the path of the only entry with a name equivalent to the missing name.
    fn same(&self) -> Option<PathBuf> {
        let same = if self.is_last() { near::same(&self.folder, &self.name) } else { None };
        same.map(|name| self.path.join(name))
    }

    /// Returns true if only the last component of the path is missing.
    fn is_last(&self) -> bool {
        self.rest.as_os_str().is_empty()
    }

    /// Returns true if the missing name is a link. A link that leads out of the roots has another error.
    fn is_link(&self) -> bool {
        let stat = |folder| below::stat(&folder, self.name.as_bytes());
        self.is_last() && self.folder.folder().and_then(stat).is_ok_and(|stat| stat.kind == FileKind::Link)
    }

    /// Returns the files whose name without its extension is one of `stems`.
    fn with_stem(&self, cx: &Context, stems: &[Option<&OsStr>]) -> Vec<String> {
        let mut names = if self.is_last() { near::names(&self.folder, &self.name) } else { Vec::new() };
        names.retain(|name| stems.contains(&Path::new(name).file_stem()));
        names.iter().map(|name| cx.workspace.show(&self.folder.asked.join(name))).collect()
    }

    /// Returns suggestions: complete existing paths with a similar name, or else the most similar paths below the
    /// folder with the most similar name, in up to `repairs` levels, or else the folders with a similar name.
    fn near(&self, cx: &Context, repairs: usize) -> Vec<String> {
        let named = near::names(&self.folder, &self.name);
        let mut meant: Vec<PathBuf> = named.iter().map(|name| self.folder.asked.join(name)).collect();
        if !self.is_last() {
            let kind =
                |path: &Path| OpenedPath::open(&cx.workspace, path).map(|opened| opened.stat.kind).ok();
            meant.retain(|path| kind(path) == Some(FileKind::Folder));
            let whole = meant.iter().map(|folder| folder.join(&self.rest));
            let whole: Vec<PathBuf> = whole.filter(|path| kind(path).is_some()).collect();
            if !whole.is_empty() {
                meant = whole;
            } else if let (Some(folder), Some(repairs)) = (meant.first(), repairs.checked_sub(1)) {
                let below = Self::of(cx, &folder.join(&self.rest), repairs);
                let below = below.map_or_else(Vec::new, |nearest| nearest.near(cx, repairs));
                if !below.is_empty() {
                    return below;
                }
            }
        }
        meant.iter().map(|path| cx.workspace.show(path)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_that_are_zip_archives_are_listed_as_these() {
        for mime in [
            "application/epub+zip",
            "application/vnd.oasis.opendocument.spreadsheet",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ] {
            assert_eq!(inspector(mime, "a"), inspector(ZIP, "a"));
        }
    }

    #[test]
    fn path_for_a_command_is_quoted() {
        let long = [b'x'; COMMAND_PATH_BYTES + 1];
        let cases: [(&[u8], Option<&str>); 8] = [
            (&long, None),
            (b"a/b.txt", Some("a/b.txt")),
            (b"a b", Some("'a b'")),
            (b"-x y", Some("'./-x y'")),
            ("é".as_bytes(), Some("'é'")),
            (b"bad\xff", None),
            (b"[id].ts", Some("'[id].ts'")),
            (b"a] [Use bash", None),
        ];
        for (path, expected) in cases {
            assert_eq!(quoted(path).as_deref(), expected);
        }
    }
}
