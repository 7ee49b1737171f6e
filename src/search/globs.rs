//! Globs over the paths of a walk: `*.rs`, `src/**/*.ts`, `!*.min.js`, `{a,b}`.
//!
//! Paths are relative to where the walk began. A glob without `/` is of names, at any depth; one with
//! it is of whole paths. `*` and `?` do not cross `/`. A leading `/` or `./` is where the walk began, a
//! trailing `/` means folders, a leading `!` everything that the rest does not match.

mod chars;
mod classes;

use std::path::Path;

use globset::{Candidate, GlobBuilder, GlobMatcher};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use crate::fs::workspace::shown;
use crate::limits::{GLOB_BYTES, GLOB_DEPTH};

/// A glob, compiled.
#[derive(Debug, Clone)]
pub struct Glob {
    matcher: Matcher,
    of: Of,
    negated: bool,
    folders: bool,
    /// The names that each path must begin with.
    prefix: Vec<Vec<u8>>,
}

/// What does the comparing.
#[derive(Debug, Clone)]
enum Matcher {
    /// Bytes are as good as characters.
    Bytes(GlobMatcher),
    /// `?` or `[…]` is in it: each stands for a character, and in a name that is not UTF-8 for a byte.
    Characters(Regex, GlobMatcher),
}

/// What a glob is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Name,
    Path,
}

impl Glob {
    /// Compiles `glob`; `base` is the absolute path of where the walk begins. The error is what is
    /// wrong with it.
    pub fn new(glob: &str, base: &Path) -> Result<Self, String> {
        if !is_bounded(glob) {
            return Err(format!("it may have {GLOB_BYTES} bytes, and braces {GLOB_DEPTH} deep"));
        }
        let (negated, rest) = match glob.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, glob),
        };
        let below_base = Path::new(rest).is_absolute().then(|| below(rest, base)).flatten();
        let (anchored, rest) = match (below_base, rest.strip_prefix("./")) {
            (Some(below), _) => (true, below),
            (None, Some(below)) => (true, below.trim_start_matches('/')),
            (None, None) => (rest.starts_with('/'), rest.trim_start_matches('/')),
        };
        let plain = rest.trim_end_matches('/');
        if plain.is_empty() {
            return Err("it is empty".to_owned());
        }
        let of = if anchored || plain.contains('/') { Of::Path } else { Of::Name };
        let spelled = classes::without_escapes(plain).map_err(|kind| kind.to_string())?;
        let built = GlobBuilder::new(&spelled).literal_separator(true).backslash_escape(true).build();
        let matcher = Matcher::of(&built.map_err(|error| error.kind().to_string())?)?;
        let prefix = if of == Of::Path && !negated { literal_prefix(plain) } else { Vec::new() };
        Ok(Self { matcher, of, negated, folders: plain.len() < rest.len(), prefix })
    }

    /// Whether it is of folders only.
    pub fn is_of_folders(&self) -> bool {
        self.folders
    }

    /// Whether an entry is one of those that it names. What is of folders names no others.
    pub fn names(&self, path: &[u8], is_folder: bool) -> bool {
        (self.matches(path) && (is_folder || !self.folders)) != self.negated
    }

    /// Whether a file is one of those that it lets through: where it is of folders, those below them.
    pub fn lets_through(&self, file: &[u8]) -> bool {
        if !self.folders {
            return self.matches(file) != self.negated;
        }
        let mut folders = memchr::memchr_iter(b'/', file).filter_map(|at| file.get(..at));
        folders.any(|folder| self.matches(folder)) != self.negated
    }

    /// Whether anything in a folder can match.
    pub fn reaches_into(&self, folder: &[u8]) -> bool {
        let names = folder.split(|&byte| byte == b'/');
        self.prefix.iter().zip(names).all(|(wanted, name)| wanted == name)
    }

    fn matches(&self, path: &[u8]) -> bool {
        let compared = match self.of {
            Of::Path => path,
            Of::Name => path.rsplit(|&byte| byte == b'/').next().unwrap_or(path),
        };
        match &self.matcher {
            Matcher::Bytes(matcher) => matcher.is_match_candidate(&Candidate::from_bytes(compared)),
            Matcher::Characters(regex, bytes) => {
                let by_bytes = || bytes.is_match_candidate(&Candidate::from_bytes(compared));
                regex.is_match(compared) || (std::str::from_utf8(compared).is_err() && by_bytes())
            }
        }
    }
}

impl Matcher {
    fn of(glob: &globset::Glob) -> Result<Self, String> {
        let Some(regex) = chars::of_characters(glob.regex()) else {
            return Ok(Self::Bytes(glob.compile_matcher()));
        };
        // Names need not be UTF-8.
        let syntax = syntax::Config::new().utf8(false).dot_matches_new_line(true);
        let regex = Regex::builder().syntax(syntax).build(&regex);
        regex.map(|regex| Self::Characters(regex, glob.compile_matcher())).map_err(|error| error.to_string())
    }
}

/// Whether a glob is of a size that can be compiled: globset takes memory by the length, and goes
/// as deep as the braces do.
pub fn is_bounded(glob: &str) -> bool {
    let mut depth = 0_usize;
    let deep = glob.bytes().any(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > GLOB_DEPTH
    });
    glob.len() <= GLOB_BYTES && !deep
}

/// What is left of an absolute glob after `base`, which is written as a path is shown.
fn below<'a>(glob: &'a str, base: &Path) -> Option<&'a str> {
    let base = shown(base);
    let base = str::from_utf8(&base).ok()?;
    let rest = glob.strip_prefix(base)?;
    if base.ends_with('/') { Some(rest) } else { rest.strip_prefix('/') }
}

/// The folders of a glob before the first name in which anything is special.
fn literal_prefix(glob: &str) -> Vec<Vec<u8>> {
    let Some((folders, _)) = glob.rsplit_once('/') else { return Vec::new() };
    folders.split('/').take_while(|name| is_literal(name)).map(|name| name.as_bytes().to_vec()).collect()
}

fn is_literal(name: &str) -> bool {
    !name.is_empty() && !name.contains(['*', '?', '[', ']', '{', '}', '\\', ','])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glob(glob: &str) -> Glob {
        let base = if cfg!(windows) { r"\\?\C:\work\repo" } else { "/work/repo" };
        Glob::new(glob, Path::new(base)).unwrap()
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let deep = |depth: usize| format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
        assert!(Glob::new(&deep(GLOB_DEPTH), Path::new("/")).is_ok());
        for glob in [deep(GLOB_DEPTH + 1), deep(20_000), "a".repeat(GLOB_BYTES + 1)] {
            assert!(Glob::new(&glob, Path::new("/")).is_err());
        }
    }

    #[test]
    fn files_that_a_glob_lets_through() {
        let cases = [
            ("*.rs", "a.rs", true),
            ("*.rs", "src/deep/a.rs", true),
            ("*.rs", "a.rs.bak", false),
            ("./*.rs", "a.rs", true),
            ("./*.rs", "src/a.rs", false),
            ("/a.rs", "a.rs", true),
            ("/a.rs", "src/a.rs", false),
            #[cfg(unix)]
            ("/work/repo/src/*.rs", "src/a.rs", true),
            #[cfg(windows)]
            ("C:/work/repo/src/*.rs", "src/a.rs", true),
            ("src/**/*.ts", "src/a.ts", true),
            ("src/**/*.ts", "src/x/y/a.ts", true),
            ("src/**/*.ts", "lib/src/a.ts", false),
            ("src/*.ts", "src/x/a.ts", false),
            ("**/x/*.ts", "x/a.ts", true),
            ("!*.min.js", "a.min.js", false),
            ("!*.min.js", "a.js", true),
            ("*.{js,ts}", "x/a.ts", true),
            ("{src,lib}/**", "lib/a/b", true),
            ("{src,lib}/**", "bin/a", false),
            ("{src/a,lib}/b", "lib/b", true),
            ("src/", "src/a/b.rs", true),
            ("src/", "deep/src/b.rs", true),
            ("src/", "src", false),
            ("/src/", "deep/src/b.rs", false),
            ("!target/", "target/a", false),
            ("!target/", "src/a", true),
            ("*.RS", "a.rs", false),
            ("a?c", "a/c", false),
            ("a[!b]c", "a/c", false),
            ("?.txt", "é.txt", true),
            ("??.txt", "é.txt", false),
            ("src/?/*.ts", "src/日/a.ts", true),
            ("[é日].txt", "日.txt", true),
            ("[а-я].txt", "д.txt", true),
            ("[!é].txt", "é.txt", false),
            ("[!é].txt", "a.txt", true),
            ("[]x]?", "]é", true),
            (r"a[\]]", "a]", true),
            (r"a[\]]", r"a\]", false),
            (r"a[!\]]", "a]", false),
            (r"a[!\]]", "a/", false),
            (r"a[\\]", r"a\", true),
            (r"a[\\]", "a", false),
            (r"[a\-z]", "-", true),
            (r"[a\-z]", "b", false),
            (r"[\é-ü]", "ö", true),
            (r"[\!a]", "!", true),
            (r"[\!a]", "b", false),
            (r"[\^]", "^", true),
            (r"[+-\]]", "Z", true),
            (r"[+-\]]", "]", true),
            (r"[+-\]]", "^", false),
            (".*", ".hidden", true),
        ];
        for (pattern, path, expected) in cases {
            let glob = glob(pattern);
            assert_eq!(glob.lets_through(path.as_bytes()), expected, "{pattern} {path}");
            let folders = memchr::memchr_iter(b'/', path.as_bytes()).map(|at| &path.as_bytes()[..at]);
            let reached = folders.clone().all(|folder| glob.reaches_into(folder));
            assert!(!expected || reached, "{pattern} does not reach {path}");
        }
    }

    #[test]
    fn a_byte_that_is_no_character() {
        assert!(glob("?.txt").names(b"\xff.txt", false) && glob("[!a].txt").names(b"\xff.txt", false));
        assert!(!glob("??.txt").names(b"\xff.txt", false));
    }

    #[test]
    fn entries_that_a_glob_names() {
        assert!(glob("src").names(b"a/src", true) && glob("src").names(b"src", false));
        assert!(glob("src/").names(b"a/src", true) && !glob("src/").names(b"src", false));
        assert!(!glob("src/*").names(b"src/a/b", false) && glob("src/*").names(b"src/a", false));
    }

    #[test]
    fn folders_that_can_hold_no_match_are_not_entered() {
        let cases =
            [("src/**/*.ts", "lib", false), ("src/a/*.ts", "src", true), ("src/a/*.ts", "src/b", false)];
        for (pattern, folder, expected) in cases {
            assert_eq!(glob(pattern).reaches_into(folder.as_bytes()), expected, "{pattern} {folder}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let base = Path::new("/");
        for unclosed in ["a[", r"a[\]", r"\\[a"] {
            assert!(Glob::new(unclosed, base).unwrap_err().contains("character class"), "{unclosed}");
        }
        assert!(Glob::new(r"[\z-a]", base).unwrap_err().contains("'z' > 'a'"));
        assert_eq!(Glob::new("/", base).unwrap_err(), "it is empty");
    }
}
