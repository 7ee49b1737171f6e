//! The languages whose files have an outline.

use crate::source::Language;

/// A language whose definitions, strings and comments are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// C.
    C,
    /// C++, also in headers.
    Cpp,
    /// Go.
    Go,
    /// Java.
    Java,
    /// PHP.
    Php,
    /// Python.
    Python,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
    /// JavaScript and TypeScript.
    Script,
}

const ENDINGS: &[(Syntax, &str)] = &[
    (Syntax::C, "c"),
    (Syntax::Cpp, "h cc cpp cxx c++ hh hpp hxx h++ tcc ipp inl"),
    (Syntax::Go, "go"),
    (Syntax::Java, "java"),
    (Syntax::Php, "php phtml"),
    (Syntax::Python, "py pyi"),
    (Syntax::Ruby, "rb rake gemspec"),
    (Syntax::Rust, "rs"),
    (Syntax::Script, "js jsx mjs cjs ts tsx mts cts"),
];

impl Syntax {
    /// Returns the language of the file at `path`, by its ending; `None` if its files have no outline.
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
        let has = |(_, endings): &&(Self, &str)| endings.split(' ').any(|one| one == ending);
        ENDINGS.iter().find(has).map(|(syntax, _)| *syntax)
    }

    /// Returns the family of languages that it belongs to.
    pub(super) fn language(self) -> Language {
        match self {
            Self::C | Self::Cpp => Language::C,
            Self::Go => Language::Go,
            Self::Java => Language::Java,
            Self::Php => Language::Php,
            Self::Python => Language::Python,
            Self::Ruby => Language::Hash,
            Self::Rust => Language::Keywords,
            Self::Script => Language::Script,
        }
    }

    /// Returns true for C and C++.
    pub(super) fn is_c(self) -> bool {
        matches!(self, Self::C | Self::Cpp)
    }

    /// Returns true if a line without its indentation is a comment.
    pub(super) fn is_comment(self, line: &[u8]) -> bool {
        let is_slashes = line.starts_with(b"//") || line.starts_with(b"/*");
        match self {
            Self::Python | Self::Ruby => line.starts_with(b"#"),
            Self::Php => is_slashes || line.starts_with(b"#") && !line.starts_with(b"#["),
            _ => is_slashes,
        }
    }

    /// Returns true if a line belongs to the definition before it, although both have the same indentation: it has an opening
    /// brace, the end of the arguments, or the like.
    pub(super) fn continues(self, line: &[u8]) -> bool {
        let is_word = |word: &[u8]| {
            line.strip_prefix(word).is_some_and(|rest| {
                rest.first().is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
            })
        };
        let Some(first) = line.first() else { return true };
        match first {
            b')' | b']' | b'{' | b'>' | b':' | b',' | b'&' | b'|' | b'?' | b'+' | b'-' | b'=' | b'.' => true,
            b'}' => self != Self::Python && (line.ends_with(b"{") || line.ends_with(b"(")),
            _ => match self {
                Self::Rust => is_word(b"where"),
                Self::Ruby => is_word(b"rescue") || is_word(b"ensure") || is_word(b"else"),
                // A label.
                Self::C | Self::Cpp => {
                    line.ends_with(b":") && !line.contains(&b' ') && !line.ends_with(b"::")
                }
                _ => false,
            },
        }
    }
}
