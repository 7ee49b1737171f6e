//! Converts paths between their forms: as requested, for the system, and as shown.
//!
//! The case of the drive letter and the two separators give one path many spellings. For the system, all become
//! *verbatim* (`\\?\C:\…`), with no special names and no limit of length. All are shown with `/`, which every program
//! accepts.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf, Prefix};

/// Converts a requested path. Git's bash shows `C:/Users` as `/c/Users`.
pub(crate) fn asked(path: &str) -> Cow<'_, str> {
    let mut chars = path.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some('/'), Some(drive), None | Some('/')) if drive.is_ascii_alphabetic() => {
            Cow::Owned(format!("{drive}:/{}", chars.as_str()))
        }
        _ => Cow::Borrowed(path),
    }
}

/// Converts an absolute path to its verbatim form for the system. Each `..` removes the name before it.
pub(crate) fn taken(path: impl AsRef<Path>) -> PathBuf {
    let mut prefix = OsString::new();
    let mut names = Vec::new();
    for component in path.as_ref().components() {
        match component {
            Component::Prefix(given) => match given.kind() {
                Prefix::Disk(letter) | Prefix::VerbatimDisk(letter) => {
                    prefix.push(format!(r"\\?\{}:", letter.to_ascii_uppercase() as char));
                }
                Prefix::UNC(server, share) | Prefix::VerbatimUNC(server, share) => {
                    prefix.push(r"\\?\UNC\");
                    prefix.push([server, share].join(r"\".as_ref()));
                }
                Prefix::Verbatim(_) | Prefix::DeviceNS(_) => prefix.push(given.as_os_str()),
            },
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir => drop(names.pop()),
            Component::Normal(name) => names.push(name),
        }
    }
    prefix.push(r"\");
    prefix.push(names.join(r"\".as_ref()));
    PathBuf::from(prefix)
}

/// Returns `path` with `folder` replaced by `real`, if `path` starts with `folder` in any spelling.
pub(crate) fn respelled(folder: &Path, real: &Path, path: &Path) -> Option<PathBuf> {
    let folder = taken(folder);
    let mut rest = path.components();
    for part in folder.components() {
        let alike = |other: Component<'_>| folded(other) == folded(part);
        rest.next().filter(|other| alike(*other))?;
    }
    Some(real.join(rest.as_path()))
}

fn folded(part: Component<'_>) -> String {
    part.as_os_str().to_string_lossy().to_lowercase()
}

/// Returns a path as it is shown: not verbatim, and with `/`.
pub fn shown(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let server = bytes.strip_prefix(br"\\?\UNC\").map(|rest| [br"\\", rest].concat());
    let plain = server.unwrap_or_else(|| bytes.strip_prefix(br"\\?\").unwrap_or(bytes).to_vec());
    Cow::Owned(plain.into_iter().map(|byte| if byte == b'\\' { b'/' } else { byte }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_becomes_one() {
        for (path, expected) in [
            (r"c:\Users/me\.\x\..\a b", r"\\?\C:\Users\me\a b"),
            (r"\\?\C:\Users", r"\\?\C:\Users"),
            (r"C:\", r"\\?\C:\"),
            (r"\\server\share\a", r"\\?\UNC\server\share\a"),
            ("//server/share/a", r"\\?\UNC\server\share\a"),
        ] {
            assert_eq!(taken(path), Path::new(expected), "{path}");
        }
        for (path, expected) in
            [("/c/Users", "c:/Users"), ("/c", "c:/"), ("/cd/a", "/cd/a"), ("src/a", "src/a"), ("/é", "/é")]
        {
            assert_eq!(asked(path), expected);
        }
    }

    #[test]
    fn a_root_is_known_in_any_case() {
        let real = Path::new(r"\\?\C:\Work\repo");
        let of = |folder: &str, path: &str| respelled(Path::new(folder), real, &taken(path));
        assert_eq!(of(r"C:\Work\repo", r"c:\WORK\Repo\Src\a.rs"), Some(real.join(r"Src\a.rs")));
        assert_eq!(of(r"C:\Work\repo", r"C:\work\repo"), Some(real.to_owned()));
        assert_eq!(of(r"C:\Work\repo", r"C:\work\repo2"), None);
    }

    #[test]
    fn path_is_shown_in_a_form_that_programs_accept() {
        for (path, expected) in [
            (r"\\?\C:\Users\é", "C:/Users/é"),
            (r"\\?\UNC\server\share\a", "//server/share/a"),
            (r"src\a.rs", "src/a.rs"),
        ] {
            assert_eq!(shown(Path::new(path)), expected.as_bytes());
        }
    }
}
