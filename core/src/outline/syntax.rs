//! The languages whose files have an outline: their keywords, strings and comments.

use crate::source::table;

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

/// What a keyword defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A type or a namespace, whose members are listed.
    Container,
    /// A function or a type whose members are not listed. Its body is skipped.
    Closed,
    /// A name for a type, or the like.
    Alias,
    /// A variable. It is listed if it is a function.
    Variable,
}

/// How a string or a comment ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With its line.
    Line,
    /// With its closing mark in the same line. A backslash escapes.
    Short,
    /// With its closing mark in any line. A backslash escapes.
    Escaped,
    /// With its closing mark in any line.
    Raw,
}

/// A kind of strings or comments: the marks at its start and its end.
pub(super) struct Region {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) end: End,
}

impl Region {
    const fn new(open: &'static str, close: &'static str, end: End) -> Self {
        Self { open, close, end }
    }
}

const SLASHES: Region = Region::new("//", "", End::Line);
const HASH: Region = Region::new("#", "", End::Line);
const BLOCK: Region = Region::new("/*", "*/", End::Raw);
const DOUBLE: Region = Region::new("\"", "\"", End::Short);
const SINGLE: Region = Region::new("'", "'", End::Short);
const LONG: Region = Region::new("\"\"\"", "\"\"\"", End::Escaped);

/// The roles of the keywords of all languages, except `alias_method`.
const KEYWORD_ROLES: u16 = table::DEFINES | table::EXTENDS | table::HOLDS;

/// The facts about a language.
pub(super) struct Facts {
    /// Endings of file names.
    endings: &'static str,
    keywords: &'static [(Kind, &'static [&'static str])],
    /// Strings and comments. Of two marks with the same start, the longer one is first.
    pub(super) regions: &'static [Region],
}

static C: Facts = Facts {
    endings: "c",
    keywords: &[(Kind::Closed, &["struct", "union", "enum"])],
    regions: &[SLASHES, BLOCK, DOUBLE, SINGLE],
};
static CPP: Facts = Facts {
    endings: "h cc cpp cxx c++ hh hpp hxx h++ tcc ipp inl",
    keywords: &[(Kind::Container, &["class", "struct", "union", "namespace"]), (Kind::Closed, &["enum"])],
    regions: &[SLASHES, BLOCK, Region::new("R\"(", ")\"", End::Raw), DOUBLE, SINGLE],
};
static GO: Facts = Facts {
    endings: "go",
    keywords: &[(Kind::Closed, &["func"]), (Kind::Alias, &["type"])],
    regions: &[SLASHES, BLOCK, Region::new("`", "`", End::Raw), DOUBLE, SINGLE],
};
static JAVA: Facts = Facts {
    endings: "java",
    keywords: &[(Kind::Container, &["class", "interface", "enum", "record"])],
    regions: &[SLASHES, BLOCK, LONG, DOUBLE, SINGLE],
};
static PHP: Facts = Facts {
    endings: "php phtml",
    keywords: &[
        (Kind::Container, &["class", "interface", "trait", "enum", "namespace"]),
        (Kind::Closed, &["function"]),
    ],
    regions: &[
        SLASHES,
        BLOCK,
        Region::new("#[", "]", End::Short),
        HASH,
        Region::new("?>", "<?", End::Raw),
        Region::new("\"", "\"", End::Escaped),
        Region::new("'", "'", End::Escaped),
    ],
};
static PYTHON: Facts = Facts {
    endings: "py pyi",
    keywords: &[(Kind::Container, &["class"]), (Kind::Closed, &["def"])],
    regions: &[HASH, LONG, Region::new("'''", "'''", End::Escaped), DOUBLE, SINGLE],
};
static RUBY: Facts = Facts {
    endings: "rb rake gemspec",
    keywords: &[
        (Kind::Container, &["class", "module"]),
        (Kind::Closed, &["def"]),
        (Kind::Alias, &["alias", "alias_method"]),
    ],
    regions: &[
        HASH,
        Region::new("=begin", "\n=end", End::Raw),
        Region::new("__END__", "\0", End::Raw),
        DOUBLE,
        SINGLE,
    ],
};
static RUST: Facts = Facts {
    endings: "rs",
    keywords: &[
        (Kind::Container, &["trait", "impl", "mod"]),
        (Kind::Closed, &["fn", "struct", "enum", "union", "macro_rules", "macro"]),
        (Kind::Alias, &["type"]),
    ],
    regions: &[
        SLASHES,
        BLOCK,
        Region::new("r#\"", "\"#", End::Raw),
        Region::new("r\"", "\"", End::Raw),
        Region::new("\"", "\"", End::Escaped),
    ],
};
static SCRIPT: Facts = Facts {
    endings: "js jsx mjs cjs ts tsx mts cts",
    keywords: &[
        (Kind::Container, &["class", "namespace", "module"]),
        (Kind::Closed, &["function", "interface", "enum"]),
        (Kind::Alias, &["type"]),
        (Kind::Variable, &["const", "let", "var"]),
    ],
    // Regular expressions may contain quotes.
    regions: &[
        SLASHES,
        BLOCK,
        Region::new("/^", "/", End::Short),
        Region::new("/[", "]", End::Short),
        Region::new("`", "`", End::Escaped),
        DOUBLE,
        SINGLE,
    ],
};

impl Syntax {
    const ALL: [Self; 9] = [
        Self::C,
        Self::Cpp,
        Self::Go,
        Self::Java,
        Self::Php,
        Self::Python,
        Self::Ruby,
        Self::Rust,
        Self::Script,
    ];

    /// Returns the language of the file at `path`, by its ending; `None` if its files have no outline.
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
        Self::ALL.into_iter().find(|syntax| syntax.facts().endings.split(' ').any(|one| one == ending))
    }

    pub(super) fn facts(self) -> &'static Facts {
        match self {
            Self::C => &C,
            Self::Cpp => &CPP,
            Self::Go => &GO,
            Self::Java => &JAVA,
            Self::Php => &PHP,
            Self::Python => &PYTHON,
            Self::Ruby => &RUBY,
            Self::Rust => &RUST,
            Self::Script => &SCRIPT,
        }
    }

    /// Returns what a word with `roles` defines as a keyword.
    pub(super) fn keyword(self, word: &[u8], roles: u16) -> Option<Kind> {
        if roles & KEYWORD_ROLES == 0 && word != b"alias_method" {
            return None;
        }
        let has = |words: &[&str]| words.iter().any(|one| one.as_bytes() == word);
        self.facts().keywords.iter().find(|(_, words)| has(words)).map(|(kind, _)| *kind)
    }

    pub(super) fn is_c(self) -> bool {
        matches!(self, Self::C | Self::Cpp)
    }

    /// Returns true if indentation, and not braces, bounds bodies.
    pub(super) fn has_braces(self) -> bool {
        !matches!(self, Self::Python | Self::Ruby)
    }
}
