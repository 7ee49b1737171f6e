//! The table of languages: file endings, comments, strings, and the words that begin a definition.

/// What a keyword defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A module or a namespace.
    Module,
    /// A type, whose functions are methods.
    Type,
    /// A function. Definitions inside it are not part of an outline.
    Function,
    /// Another name, such as that of a type or a macro.
    Alias,
}

/// How the definitions without a keyword look, and what bounds a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Each definition has a keyword. Braces enclose bodies.
    Braces,
    /// The same, but lines that are indented more belong to the body.
    Indented,
    /// Functions of C and C++: `int name(int x) {`.
    C,
    /// Methods of Java: the same within a type.
    Java,
    /// Methods and assigned functions of JavaScript, functions of a shell: `name(x) {`, `name = (x) => {`.
    Script,
}

/// How a string or a comment ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// A comment that ends with its line.
    Line,
    /// With its closing mark in the same line, or with the line. A backslash escapes.
    Short,
    /// As `Short`, but it begins only where a value can begin, and only if it is closed: a regular expression.
    Pattern,
    /// With its closing mark in any line. A backslash escapes.
    Escaped,
    /// With its closing mark in any line.
    Raw,
}

/// A form of strings or comments: the marks at its start and its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    pub(crate) end: End,
}

const fn region(open: &'static str, close: &'static str, end: End) -> Region {
    Region { open, close, end }
}

const SLASHES: Region = region("//", "", End::Line);
const HASH: Region = region("#", "", End::Line);
const BLOCK: Region = region("/*", "*/", End::Raw);
const DOUBLE: Region = region("\"", "\"", End::Short);
const SINGLE: Region = region("'", "'", End::Short);
const LONG: Region = region("\"\"\"", "\"\"\"", End::Escaped);
const BACKTICKS: Region = region("`", "`", End::Escaped);

/// Creates [`Words`]: `words![struct union]`.
macro_rules! words {
    ($($word:tt)*) => { Words::new(&[$(stringify!($word)),*]) };
}

/// A language whose definitions, strings and comments are known.
#[derive(Debug, PartialEq, Eq)]
pub struct Language {
    /// Endings of file names, in lower case.
    endings: &'static str,
    /// Words that begin a definition. A name follows them.
    keywords: &'static [(Kind, Words)],
    /// Strings and comments. Of two marks with the same start, the longer one is first.
    pub(crate) regions: &'static [Region],
    pub(crate) style: Style,
}

/// All languages with definitions.
static LANGUAGES: &[Language] = &[
    Language {
        endings: "c",
        keywords: &[(Kind::Type, words![struct union enum])],
        regions: &[SLASHES, BLOCK, DOUBLE, SINGLE],
        style: Style::C,
    },
    Language {
        endings: "h cc cpp cxx c++ hh hpp hxx h++ tcc ipp inl cu mm ino",
        keywords: &[
            (Kind::Module, words![namespace]),
            (Kind::Type, words![class struct union enum]),
            (Kind::Alias, words![using concept]),
        ],
        regions: &[SLASHES, BLOCK, region("R\"(", ")\"", End::Raw), DOUBLE, SINGLE],
        style: Style::C,
    },
    Language {
        endings: "go",
        keywords: &[(Kind::Function, words![func]), (Kind::Type, words![type])],
        regions: &[SLASHES, BLOCK, region("`", "`", End::Raw), DOUBLE, SINGLE],
        style: Style::Braces,
    },
    Language {
        endings: "java cs dart groovy",
        keywords: &[
            (Kind::Module, words![namespace]),
            (Kind::Type, words![class interface enum record struct mixin extension]),
        ],
        regions: &[SLASHES, BLOCK, LONG, DOUBLE, SINGLE],
        style: Style::Java,
    },
    Language {
        endings: "js jsx mjs cjs ts tsx mts cts vue svelte astro",
        keywords: &[
            (Kind::Module, words![namespace module]),
            (Kind::Type, words![class interface enum]),
            (Kind::Function, words![function]),
            (Kind::Alias, words![type]),
        ],
        regions: &[SLASHES, BLOCK, BACKTICKS, DOUBLE, SINGLE, region("/", "/", End::Pattern)],
        style: Style::Script,
    },
    Language {
        endings: "php phtml",
        keywords: &[
            (Kind::Module, words![namespace]),
            (Kind::Type, words![class interface trait enum]),
            (Kind::Function, words![function]),
        ],
        regions: &[SLASHES, BLOCK, HASH, region("?>", "<?", End::Raw), DOUBLE, SINGLE],
        style: Style::Braces,
    },
    Language {
        endings: "py pyi pyx",
        keywords: &[(Kind::Type, words![class]), (Kind::Function, words![def])],
        regions: &[HASH, LONG, region("'''", "'''", End::Escaped), DOUBLE, SINGLE],
        style: Style::Indented,
    },
    Language {
        endings: "rb rake gemspec",
        keywords: &[
            (Kind::Module, words![module]),
            (Kind::Type, words![class]),
            (Kind::Function, words![def]),
            (Kind::Alias, words![alias alias_method]),
        ],
        regions: &[
            region("=begin", "=end", End::Raw),
            region("__END__", "\0", End::Raw),
            HASH,
            DOUBLE,
            SINGLE,
        ],
        style: Style::Indented,
    },
    Language {
        endings: "rs",
        keywords: &[
            (Kind::Module, words![mod]),
            (Kind::Type, words![struct enum union trait impl]),
            (Kind::Function, words![fn]),
            (Kind::Alias, words![type macro_rules macro]),
        ],
        regions: &[
            SLASHES,
            BLOCK,
            region("r##\"", "\"##", End::Raw),
            region("r#\"", "\"#", End::Raw),
            region("r\"", "\"", End::Raw),
            region("\"", "\"", End::Escaped),
            // Characters that begin no string.
            region("'\"'", "", End::Raw),
            region("'\\\"'", "", End::Raw),
        ],
        style: Style::Braces,
    },
    Language {
        endings: "kt kts swift scala",
        keywords: &[
            (Kind::Type, words![class interface object struct enum protocol extension actor trait]),
            (Kind::Function, words![fun func def]),
            (Kind::Alias, words![typealias type]),
        ],
        regions: &[SLASHES, BLOCK, region("\"\"\"", "\"\"\"", End::Raw), DOUBLE],
        style: Style::Braces,
    },
    Language {
        endings: "proto graphql gql thrift sol zig",
        keywords: &[
            (Kind::Type, words![message service enum struct type input interface contract library]),
            (Kind::Function, words![rpc function event fn]),
        ],
        regions: &[SLASHES, BLOCK, LONG, HASH, DOUBLE],
        style: Style::Braces,
    },
    Language {
        endings: "sh bash zsh pl pm",
        keywords: &[(Kind::Module, words![package]), (Kind::Function, words![function sub])],
        regions: &[HASH, DOUBLE, SINGLE],
        style: Style::Script,
    },
    Language {
        endings: "lua ex exs",
        keywords: &[
            (Kind::Type, words![defmodule defprotocol defimpl]),
            (Kind::Function, words![function def defp defmacro]),
        ],
        regions: &[region("--", "", End::Line), HASH, LONG, DOUBLE, SINGLE],
        style: Style::Indented,
    },
];

/// Words that may precede the keyword of a definition, in any language.
static MODIFIERS: Words = words![
    abstract actual annotation async case companion const constexpr crate data declare default expect
    explicit export extern external fileprivate final friend get global implicit indirect infix inline
    inner internal lateinit lazy local mutating native nonisolated open operator override partial
    private private_class_method protected pub public readonly required sealed set static strictfp
    suspend tailrec template typedef unsafe value virtual
];

/// Words that begin a statement or an expression. What they precede is no definition.
static STATEMENTS: Words = words![
    assert await case catch delete do else for foreach goto if in lock new return sizeof super switch
    synchronized this throw typeof using when while with yield
];

impl Language {
    /// Returns the language of the file at `path`, by its ending; `None` if its definitions are not known.
    ///
    /// ```
    /// use cutline_core::outline::Language;
    /// assert!(Language::of_path("src/main.RS").is_some() && Language::of_path("a.txt").is_none());
    /// ```
    pub fn of_path(path: &str) -> Option<&'static Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
        LANGUAGES.iter().find(|language| language.endings.split(' ').any(|one| one == ending))
    }

    /// Returns what a word defines as a keyword.
    pub(crate) fn keyword(&self, word: &[u8]) -> Option<Kind> {
        self.keywords.iter().find(|(_, words)| words.contain(word)).map(|(kind, _)| *kind)
    }
}

/// Returns true for a word that may precede the keyword of a definition.
pub(crate) fn is_modifier(word: &[u8]) -> bool {
    MODIFIERS.contain(word)
}

/// Returns true for a word that begins a statement or an expression.
pub(crate) fn is_statement(word: &[u8]) -> bool {
    STATEMENTS.contain(word)
}

/// A list of words.
#[derive(Debug, PartialEq, Eq)]
struct Words {
    words: &'static [&'static str],
    /// The lengths of the words that begin with each byte, as bits. They exclude most words of a text.
    lengths: [u32; 128],
}

impl Words {
    #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
    const fn new(words: &'static [&'static str]) -> Self {
        let (mut lengths, mut at) = ([0; 128], 0);
        while at < words.len() {
            lengths[words[at].as_bytes()[0] as usize] |= 1 << words[at].len();
            at += 1;
        }
        Self { words, lengths }
    }

    fn contain(&self, word: &[u8]) -> bool {
        let lengths = word.first().and_then(|first| self.lengths.get(usize::from(*first))).unwrap_or(&0);
        let has_length = u32::try_from(word.len()).is_ok_and(|len| lengths.unbounded_shr(len) & 1 == 1);
        has_length && self.words.iter().any(|one| one.as_bytes() == word)
    }
}
