//! `file:` URIs. Clients use them for folders, and some models for files.

use std::path::PathBuf;

/// Returns the path of a `file:` URI on this machine. Returns `None` for any other text.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let (_, rest) = uri.split_once(':').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("file"))?;
    let path = rest.strip_prefix("//").map_or(rest, |rest| rest.strip_prefix("localhost").unwrap_or(rest));
    let path = percent_encoding::percent_decode_str(path).decode_utf8().ok()?;
    let path = PathBuf::from(path.as_ref());
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_uris_become_paths() {
        let cases = [
            ("file:///a/b", Some("/a/b")),
            ("file:///with%20space/%C3%BC", Some("/with space/ü")),
            ("file://localhost/a", Some("/a")),
            ("file:/a/b", Some("/a/b")),
            ("FILE:///a", Some("/a")),
            ("file:a", None),
            ("file://other/a", None),
            ("https://a/b", None),
            ("/a/b", None),
        ];
        for (uri, path) in cases {
            assert_eq!(path_of(uri), path.map(PathBuf::from), "{uri}");
        }
    }
}
