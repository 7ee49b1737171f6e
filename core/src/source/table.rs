//! The table of languages and keywords, and the points of each role of a line.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

/// Points of a line for its role toward a name. The differences are larger than all points that are added within one
/// role.
pub mod kind {
    /// Defines it: `fn NAME`, `class NAME`, `#define NAME`, `int NAME(int x) {`. A definition in a test still ranks above
    /// an assignment elsewhere.
    pub const DEFINES: i32 = 1200;
    /// Declares it or adds to it: a prototype, a forward declaration, `impl NAME`, a member of an interface.
    pub const DECLARES: i32 = 800;
    /// Gives it a value: `NAME = 1`, `self.NAME = x`, `let NAME = x`, `NAME: 1`.
    pub const ASSIGNS: i32 = 600;
    /// Uses it: `NAME(x)`.
    pub const USES: i32 = 400;
    /// Contains it alone on the line, or within a string.
    pub const NAMES: i32 = 300;
    /// Imports it, or contains it in a comment.
    pub const IMPORTS: i32 = 100;
}

/// Points added if a definition is at the start of its line.
pub const AT_LINE_START: i32 = 20;
/// Points added if a definition is exported, as by `pub` or `export`.
pub const EXPORTED: i32 = 10;

/// Families of languages with the same forms of comments and definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// C, C++, Objective-C: a type and a name define; `;` after the brackets only declares.
    C,
    /// Java, C#, Dart: as C, within classes.
    Java,
    /// JavaScript and TypeScript.
    Script,
    /// Go.
    Go,
    /// Rust, Swift, Kotlin, Scala, protobuf and others that define by keywords; comments as in C.
    Keywords,
    /// PHP: comments as in C, and after `#`.
    Php,
    /// Python: as `Hash`, with sentences in strings.
    Python,
    /// Ruby, Elixir, shells and others with comments after `#`.
    Hash,
    /// SQL, Lua, Haskell: comments after `--`.
    Dash,
    /// Lisps, assembler: comments after `;`.
    Semicolon,
    /// JSON, YAML, TOML, XML, HTML, CSS.
    Data,
    /// Anything else.
    Other,
}

impl Language {
    /// True if comments begin with `#` in it.
    pub(crate) fn has_hash_comments(self) -> bool {
        matches!(self, Self::Python | Self::Hash)
    }
}

/// The endings of files in each language, in lower case.
const ENDINGS: &[(Language, &str)] = &[
    (Language::C, "c h cc cpp cxx hh hpp hxx inc inl ipp m mm cu cuh y l ino"),
    (Language::Java, "java cs dart groovy d vala"),
    (Language::Script, "js jsx mjs cjs ts tsx mts cts vue svelte astro es6"),
    (Language::Go, "go"),
    (Language::Keywords, "rs swift kt kts scala sc proto zig sol fs fsi ml mli graphql gql thrift v sv"),
    (Language::Php, "php phtml"),
    (Language::Python, "py pyi pyx pxd"),
    (
        Language::Hash,
        "rb rake gemspec ex exs sh bash zsh fish pl pm r jl nim cr tcl ps1 psm1 cmake mk nix tf bzl gd \
         coffee awk",
    ),
    (Language::Dash, "sql lua hs elm ada adb ads vhd vhdl psql ddl"),
    (Language::Semicolon, "lisp el clj cljs cljc scm rkt s asm ini"),
    (
        Language::Data,
        "json json5 jsonc yaml yml toml xml html htm css scss less sass svg plist properties csv tsv cfg \
         conf env",
    ),
];

static LANGUAGES: LazyLock<HashMap<&[u8], Language>> = LazyLock::new(|| by_word(ENDINGS));

/// Returns the language of an ending in lower case.
pub fn language(ending: &[u8]) -> Language {
    LANGUAGES.get(ending).copied().unwrap_or(Language::Other)
}

/// The name after it is defined.
pub(crate) const DEFINES: u16 = 1;
/// The name after it is defined if a body comes after it, and named otherwise: `struct NAME {`, `struct NAME *x`.
pub(crate) const TAGS: u16 = 2;
/// The name after it is a variable or a constant.
pub(crate) const HOLDS: u16 = 4;
/// The name after it gets more members: `impl NAME`.
pub(crate) const EXTENDS: u16 = 8;
/// May precede one of those.
pub(crate) const MODIFIES: u16 = 16;
/// Exports the name that follows.
pub(crate) const EXPORTS: u16 = 32;
/// As the first word of a line, makes it an import.
pub(crate) const IMPORTS: u16 = 64;
/// Begins a statement or an expression, and is no type.
pub(crate) const STATEMENT: u16 = 128;

/// Defines the name after it in SQL only.
pub(crate) const IN_SQL: u16 = 256;
/// Defines the name after it in schema languages only: protobuf, GraphQL, Solidity.
pub(crate) const IN_SCHEMAS: u16 = 512;

/// The words of each role. A word may have several roles.
const KEYWORDS: &[(u16, &str)] = &[
    (
        DEFINES,
        "actor alias associatedtype class concept cpdef data def define defmacro defmacrop defmethod \
         defmodule defn defp defprotocol defrecord defstruct deftype defun enum fn fun func function \
         interface macro macro_rules mod module namespace newtype object operator package proc procedure \
         protocol record struct sub subroutine trait type typealias union",
    ),
    (TAGS, "class enum struct union"),
    (HOLDS, "auto const constexpr defvar final let local my our readonly static val var"),
    (EXTENDS, "extension impl"),
    (
        MODIFIES,
        "abstract actor annotation async auto case class companion const constexpr crate create data \
         declare default delegate enum event exists explicit export extern fileprivate final fun function \
         get global if implicit indirect infix inline inner interface internal lateinit lazy local \
         materialized mut mutating my native noexcept nonisolated not open operator or our override \
         partial private protected pub public readonly record register replace sealed set static strictfp \
         struct super suspend synchronized tailrec temp template temporary transient type typedef unique \
         unlogged unsafe value virtual void volatile",
    ),
    (EXPORTS, "export pub public"),
    (
        IMPORTS,
        "alias from import include open package require require_once require_relative source use using",
    ),
    (
        STATEMENT,
        "and as assert await case delete do else extends for friend from go goto if implements in \
         instanceof is new not or raise return sizeof switch then throw throws typeof unset when where \
         while with yield",
    ),
    (IN_SQL, "domain index role rule schema sequence table trigger view"),
    (IN_SCHEMAS, "contract event fragment input library message oneof rpc scalar service signature"),
];

/// Hashes short words fast. The tables are constant, so nobody can choose words that collide.
#[derive(Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_usize(&mut self, _length: usize) {}

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}

/// Bytes of the longest keyword.
const LONGEST_KEYWORD: usize = 16;

static ROLES: LazyLock<HashMap<&[u8], u16, BuildHasherDefault<WordHasher>>> = LazyLock::new(|| {
    let mut roles = HashMap::default();
    for (role, word) in words(KEYWORDS) {
        *roles.entry(word.as_bytes()).or_insert(0) |= role;
    }
    roles
});

/// Returns the roles of a word, or 0 if it is no keyword.
pub(crate) fn roles(word: &[u8]) -> u16 {
    if word.len() > LONGEST_KEYWORD || !word.first().is_some_and(u8::is_ascii_lowercase) {
        return 0;
    }
    ROLES.get(word).copied().unwrap_or(0)
}

/// Returns the words of a table, each with the value of its row.
fn words<T: Copy>(table: &'static [(T, &'static str)]) -> impl Iterator<Item = (T, &'static str)> {
    table.iter().flat_map(|(of_row, words)| words.split(' ').map(|word| (*of_row, word)))
}

/// Returns the value of each word of a table.
fn by_word<T: Copy>(table: &'static [(T, &'static str)]) -> HashMap<&'static [u8], T> {
    words(table).map(|(of_word, word)| (word.as_bytes(), of_word)).collect()
}
