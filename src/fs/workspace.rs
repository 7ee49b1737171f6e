//! The folders that the tools can access, and the format of their paths.
//!
//! A workspace has paths but opens no files. `fs::open` uses it to check that the real path of an open file is inside.
//! Relative paths in calls start from the first root. Shown paths are relative to that root if they are inside it, and
//! absolute otherwise, so that each can be used in a call.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::fs::follow::Followed;
use crate::fs::saved_name::is_saved_name;
use cutline_core::text::show;

/// The current roots.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// The roots. If there are none, no path is inside.
    pub roots: Vec<Root>,
    /// Which paths the tools can open.
    pub boundary: Boundary,
    /// The real path of the folder of saved outputs. It can be read whatever the roots are.
    pub saved: Option<PathBuf>,
    /// The home folder of the user, for paths that start with `~`.
    pub home: Option<PathBuf>,
}

/// A folder that the tools can access, with its configured and its real path. The sandbox uses this type for every
/// configured file or folder.
///
/// The path is resolved once. After that, only `real` is opened, without following links, so that a command cannot
/// redirect it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The configured path as an absolute path.
    pub given: PathBuf,
    /// The path without links.
    pub real: PathBuf,
    /// The entries on the way from `given` to `real`.
    pub way: Followed,
    /// True if sandboxed commands can write here. A root that was added during the session is writable only if it is
    /// inside a writable one.
    pub writable: bool,
}

impl Root {
    /// Resolves the path `given` through links. The target need not exist.
    pub fn followed(given: PathBuf) -> Self {
        let way = Followed::new(&given);
        Self { real: way.end.clone(), given, way, writable: true }
    }

    /// Resolves the folder `given` through links. Returns an error if it does not exist.
    pub fn resolve(given: PathBuf) -> io::Result<Self> {
        let real = given.canonicalize()?;
        if !real.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { real, ..Self::followed(given) })
    }

    /// Resolves a folder while commands may run that can write to the `known` roots and to `writable` (real paths).
    ///
    /// Commands cannot change anything outside those folders. A path without links that does not pass through one of
    /// them is therefore the folder that the client means. A path inside a known root is a part of that root. All other
    /// paths are refused.
    pub fn resolve_among<'a>(
        given: PathBuf,
        known: impl Iterator<Item = &'a Self>,
        mut writable: impl Iterator<Item = &'a Path>,
    ) -> io::Result<Self> {
        let root = Self::resolve(given)?;
        let has_link = root.real != root.given;
        let around: Vec<&Self> = known.filter(|known| root.real.starts_with(&known.real)).collect();
        if has_link || around.is_empty() && writable.any(|folder| root.real.starts_with(folder)) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(Self { writable: around.iter().any(|known| known.writable), ..root })
    }
}

/// Which paths the tools can open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// Only paths inside the roots.
    Roots,
    /// All paths that the user can read.
    None,
}

impl Workspace {
    /// Creates a workspace of `roots`. Relative paths start from the first one. Returns `None` if there are no roots.
    pub fn new(roots: Vec<Root>, boundary: Boundary) -> Option<Self> {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        (!roots.is_empty()).then_some(Self { roots, boundary, saved: None, home })
    }

    /// Returns the folder from which relative paths start and in which commands run: the real path of the first root.
    pub fn dir(&self) -> &Path {
        self.roots.first().map_or(Path::new("/"), |root| &root.real)
    }

    /// Converts `path` to an absolute path. Expands `~`; relative paths start from the first root. Does not resolve
    /// `..`, because that depends on links.
    pub fn absolute(&self, path: &str) -> PathBuf {
        let is_separator = std::path::is_separator;
        let from_home =
            path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(is_separator));
        self.taken(match (from_home, &self.home) {
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches(is_separator)),
            _ => self.dir().join(path),
        })
    }

    /// Replaces the root at the start of an absolute path by its real path. Does not access the file system.
    pub fn taken(&self, path: PathBuf) -> PathBuf {
        if self.begins_inside(&path) {
            return path;
        }
        let below = self.folders().find_map(|(given, real)| Some(real.join(path.strip_prefix(given).ok()?)));
        below.unwrap_or(path)
    }

    /// Returns true if an absolute path starts with the real path of a root or of the folder of saved outputs.
    pub fn begins_inside(&self, path: &Path) -> bool {
        self.folders().any(|(_, real)| path.starts_with(real))
    }

    /// Returns the folder of saved outputs and the roots, each as configured and without links.
    pub fn folders(&self) -> impl Iterator<Item = (&Path, &Path)> {
        let roots = self.roots.iter().map(|root| (root.given.as_path(), root.real.as_path()));
        self.saved.iter().map(|saved| (saved.as_path(), saved.as_path())).chain(roots)
    }

    /// Returns true if `real`, a path without links, may be opened. Saved outputs may only be opened as files.
    pub fn allows(&self, real: &Path) -> bool {
        self.allows_all_of(real) || self.is_saved_output(real)
    }

    /// Returns true if `real`, a path without links, is that of a saved output.
    pub fn is_saved_output(&self, real: &Path) -> bool {
        let is_inside = self.saved.is_some() && real.parent() == self.saved.as_deref();
        let is_saved = |name: &OsStr| is_saved_name(&name.to_string_lossy());
        is_inside && real.file_name().is_some_and(is_saved)
    }

    /// Returns true if `real`, a path without links, may be opened whatever its type is.
    pub fn allows_all_of(&self, real: &Path) -> bool {
        self.boundary == Boundary::None || self.roots.iter().any(|root| real.starts_with(&root.real))
    }

    /// Formats `path` for the model: relative to the first root, or absolute if it is outside.
    pub fn show(&self, path: &Path) -> String {
        show::name(shown(self.relative(path))).into_owned()
    }

    /// Formats the path of an entry below `folder`, or of `folder` itself if `below` is empty. A `/` at the end stays.
    pub fn show_below(&self, folder: &Path, below: &[u8]) -> String {
        let shown = match below {
            b"" => self.show(folder),
            below => self.show_start(folder) + &show::name(below),
        };
        // read expands a leading `~` to the home folder.
        if shown.starts_with('~') { ["./", &shown].concat() } else { shown }
    }

    /// Formats a folder as the start of the paths below it, with a `/` at the end. Empty for the first root.
    pub fn show_start(&self, folder: &Path) -> String {
        match self.show(folder) {
            here if here == "." => String::new(),
            top if top.ends_with('/') => top,
            folder => folder + "/",
        }
    }

    /// Returns `path` relative to the first root if it is inside, with the same bytes.
    pub fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        match path.strip_prefix(self.dir()) {
            Ok(inside) if inside.as_os_str().is_empty() => Path::new("."),
            Ok(inside) => inside,
            Err(_) => path,
        }
    }

    /// Formats a path that could not be opened, without `.`. A path with `..` after a name stays unchanged, because
    /// that name can be the missing one.
    pub fn show_asked(&self, path: &str) -> String {
        let mut named = Path::new(path).components().skip_while(|part| !matches!(part, Component::Normal(_)));
        if named.any(|part| part == Component::ParentDir) {
            return show::name(path.as_bytes()).into_owned();
        }
        self.show(&lexical(&self.absolute(path)))
    }

    /// Formats the roots for an error message.
    pub fn show_roots(&self) -> String {
        let given = self.roots.iter().map(|root| shown(&root.given));
        let names: Vec<_> = given.map(|given| show::name(given).into_owned()).collect();
        show::path(&names.join(", "))
    }
}

/// Returns the bytes of a path.
pub fn shown(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Removes `.` from an absolute path, and resolves each `..` by the text alone. Open the result only with `OpenedPath`.
pub fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(component);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(boundary: Boundary) -> Workspace {
        let root = |given: &str, real: &str| Root { real: real.into(), ..Root::followed(given.into()) };
        let roots = vec![root("/link/repo", "/data/repo"), root("/other", "/other")];
        let saved = Some("/tmp/cutline-1".into());
        Workspace { saved, ..Workspace::new(roots, boundary).unwrap() }
    }

    #[test]
    fn allows_paths_inside_and_saved_outputs() {
        let cases = [
            ("/data/repo", true),
            ("/data/repo/src/a.rs", true),
            ("/other/x", true),
            ("/data/repo2", false), // a sibling that begins with the same letters
            ("/data", false),
            ("/link/repo/a", false), // not a real place
            ("/tmp/cutline-1/cutline-bash-aB3aB3aB3aB3.log", true),
            ("/tmp/cutline-1/cutline-grep-aB3aB3aB3aB3.txt", true),
            ("/tmp/cutline-1/cutline-ls-aB3aB3aB3aB3.txt", true),
            ("/tmp/cutline-1/cutline-wrap-aB3aB3aB3aB3.txt", true),
            ("/tmp/cutline-1/cutline-wrap-aB3aB3aB3aB3.json", true),
            ("/tmp/cutline-1/cutline-wrap-aB3aB3aB3aB3.log", false),
            ("/tmp/cutline-1/cutline-bash-.log", false),
            ("/tmp/cutline-1/cutline-bash-notes.log", false),
            ("/tmp/cutline-1/secret", false),
            ("/tmp/cutline-1/cutline-bash-x/cutline-bash-aB3aB3aB3aB3.log", false),
        ];
        for (path, allowed) in cases {
            assert_eq!(workspace(Boundary::Roots).allows(Path::new(path)), allowed, "{path}");
            assert!(workspace(Boundary::None).allows(Path::new(path)));
        }
    }

    #[test]
    fn tilde_is_the_home_folder() {
        let home = Some("/home/me".into());
        let workspace = Workspace { home, ..workspace(Boundary::Roots) };
        let cases =
            [("~", "/home/me"), ("~/a", "/home/me/a"), ("~//a", "/home/me/a"), ("~a/b", "/data/repo/~a/b")];
        for (path, expected) in cases {
            assert_eq!(workspace.absolute(path), Path::new(expected), "{path}");
        }
    }

    #[test]
    fn paths_below_a_folder_are_shown_as_others() {
        let workspace = workspace(Boundary::Roots);
        for (folder, path, shown) in [
            ("/data/repo", "a/b", "a/b"),
            ("/data/repo/src", "a/b/", "src/a/b/"),
            ("/elsewhere", "a", "/elsewhere/a"),
            ("/", "a", "/a"),
            ("/data/repo/src", "", "src"),
            ("/data/repo", "", "."),
            ("/data/repo/a.rs", "", "a.rs"),
        ] {
            assert_eq!(workspace.show_below(Path::new(folder), path.as_bytes()), shown);
            let joined = workspace.show(&Path::new(folder).join(path));
            assert_eq!(joined.trim_end_matches('/'), shown.trim_end_matches('/'), "{folder} {path}");
        }
        for (folder, path, shown) in [
            ("/data/repo", "~/a", "./~/a"),
            ("/data/repo", "~", "./~"),
            ("/data/repo/~", "a", "./~/a"),
            ("/data/repo/~", "", "./~"),
            ("/data/repo/b", "~", "b/~"),
            ("/~", "a", "/~/a"),
        ] {
            assert_eq!(workspace.show_below(Path::new(folder), path.as_bytes()), shown);
        }
    }

    #[test]
    fn shown_paths_can_be_used_in_calls() {
        let workspace = workspace(Boundary::Roots);
        assert_eq!(workspace.show(Path::new("/data/repo/src/a.rs")), "src/a.rs");
        assert_eq!(workspace.show(Path::new("/data/repo")), ".");
        assert_eq!(workspace.show(Path::new("/other/a\nb")), "/other/a\u{FFFD}b");
        assert_eq!(workspace.show_asked("./x/y.rs"), "x/y.rs");
        assert_eq!(workspace.show_asked("../x"), "/data/x");
        assert_eq!(workspace.show_asked("./x/../y\n.rs"), "./x/../y\u{FFFD}.rs");
        assert_eq!(workspace.show_asked("/link/repo/y.rs"), "y.rs");
    }
}
