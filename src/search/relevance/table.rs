//! The table of the ranking: the weights, the keywords, the languages by their endings, the places that
//! rank below. docs/tools.md explains it.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Points of a line by what it does with the name that was found in it; the steps are wider than all that is
/// added within one.
pub(super) mod kind {
    /// Defines it: `fn NAME`, `class NAME`, `#define NAME`, `int NAME(int x) {`.
    /// So far above the others that in a lower place it is still above what assigns the name elsewhere.
    pub(crate) const DEFINES: i32 = 1200;
    /// Declares it or adds to it: a prototype, a forward declaration, `impl NAME`, a member of an interface.
    pub(crate) const DECLARES: i32 = 800;
    /// Gives it a value: `NAME = 1`, `self.NAME = x`, `let NAME = x`, `NAME: 1`.
    pub(crate) const ASSIGNS: i32 = 600;
    /// Uses it.
    pub(crate) const USES: i32 = 400;
    /// Only names it: alone on its line, or within a string.
    pub(crate) const NAMES: i32 = 300;
    /// Imports it, or speaks of it in a comment.
    pub(crate) const IMPORTS: i32 = 100;
}

/// Points added where the file, or the folder it is the main file of, has the name.
pub(super) const FILE_IS_NAMED: i32 = 80;
/// Points added where the file's name holds the name, or is held by it.
pub(super) const FILE_IS_NEAR: i32 = 30;
/// Points added for each doubling of the matches in the file.
pub(super) const DOUBLED_MATCHES: i32 = 6;
/// Doublings that count: from 64 matches on, more add nothing.
pub(super) const DOUBLINGS: u32 = 6;
/// Points added where a definition stands at the start of its line.
pub(super) const AT_LINE_START: i32 = 20;
/// Points added where a definition says that others may use it: `pub`, `export`.
pub(super) const EXPORTED: i32 = 10;
/// Points taken where the match is the start of a longer name.
pub(super) const STARTS_NAME: i32 = -120;
/// Points taken where the match is within a longer name.
pub(super) const WITHIN_NAME: i32 = -180;
/// Points taken from a line that is longer than people write.
pub(super) const LONG_LINE: i32 = -350;
/// Bytes from which a line is that long.
pub(super) const LONG_LINE_BYTES: usize = 400;
/// Points added for each further word of an alternation in the line.
pub(super) const WORD_IN_LINE: i32 = 250;
/// Points added for each further word of an alternation in the file.
pub(super) const WORD_IN_FILE: i32 = 100;
/// Words of an alternation that are looked for.
pub(super) const WORDS: usize = 8;
/// Points taken from files of data and markup that are no documents: they define nothing.
pub(super) const DATA: i32 = -40;

/// Points taken from a file in a place that ranks below all others, by what it is.
pub(super) mod lower {
    /// Tests, benchmarks, fixtures.
    pub(crate) const TEST: i32 = -450;
    /// Examples.
    pub(crate) const EXAMPLE: i32 = -455;
    /// Documents.
    pub(crate) const DOCUMENT: i32 = -460;
    /// Code of others that is kept in the tree.
    pub(crate) const VENDORED: i32 = -480;
    /// Files that a program wrote, minified ones among them.
    pub(crate) const GENERATED: i32 = -490;
    /// Translations.
    pub(crate) const TRANSLATION: i32 = -740;
    /// Lock files.
    pub(crate) const LOCK: i32 = -760;
}

/// Points of a path for the words of a pattern, in find.
pub(super) mod name {
    /// The words are the whole name, its endings left aside.
    pub(crate) const WHOLE: i32 = 1000;
    /// A word stands at the start of one of the name's: `service` in `userService.ts`, `user_service.py`.
    pub(crate) const STARTS_WORD: i32 = 500;
    /// A word stands within one.
    pub(crate) const WITHIN_WORD: i32 = 350;
    /// Most points for a word whose letters are in the name in this order, the fewer the more is between them.
    pub(crate) const LETTERS: i32 = 200;
    /// Score of the matcher for a letter at most: one that matches, at the start of a word, in its case.
    pub(crate) const MOST_FOR_LETTER: i32 = 20;
    /// Percent of its points that a word has which is not in the name but in the folders.
    pub(crate) const IN_PATH_PERCENT: i32 = 30;
    /// Times that the points of a lower place count: all names in it are below those of other places.
    pub(crate) const LOWER_PLACE: i32 = 4;
    /// Bytes of a name, each of which takes a point, up to so many.
    pub(crate) const LONGEST_NAME: i32 = 60;
}

/// Folders whose files rank below, by their name in lower case.
const LOWER_FOLDERS: &[(i32, &str)] = &[
    (
        lower::TEST,
        "__fixtures__ __mocks__ __tests__ bench benches benchmark benchmarks e2e fixtures spec specs test \
         test-d testdata tests unittest unittests",
    ),
    (lower::EXAMPLE, "demo demos example examples samples tutorials"),
    (lower::DOCUMENT, "doc docs documentation"),
    (
        lower::VENDORED,
        "3rdparty _vendor bower_components godeps node_modules pods site-packages third-party third_party \
         thirdparty vendor vendored",
    ),
    (
        lower::GENERATED,
        "__generated__ _cjs _esm autogenerated cjs commonjs dist esm generated lib.commonjs lib.esm umd",
    ),
    (lower::TRANSLATION, "locale locales"),
];

/// Folders whose JavaScript was made of something else.
pub(super) const BUILT_SCRIPT_FOLDERS: &[&str] = &["build", "lib-commonjs", "lib-esm", "out"];

/// Folders whose files rank below only where they are data.
pub(super) const TRANSLATION_FOLDERS: &[&str] = &["i18n", "l10n", "lang", "translations"];

/// Starts of a file's name, and what it is then.
pub(super) const LOWER_STARTS: &[(i32, &str)] = &[
    (lower::TEST, "test_ conftest."),
    (lower::DOCUMENT, "changelog readme"),
    (lower::GENERATED, "zz_generated"),
];

/// Ends of a file's name in lower case, after `/` all of it, and what it is then.
pub(super) const LOWER_ENDS: &[(i32, &str)] = &[
    (
        lower::TEST,
        "_test.go _test.rs _tests.rs /tests.rs _test.py /tests.py _test.rb _spec.rb _test.exs _test.dart \
         _test.cc _test.cpp _unittest.cc test.java tests.cs test.kt test.php tests.swift .test.ts \
         .test.tsx .test.js .test.jsx .test-d.ts .bench.ts .spec.ts .spec.tsx .spec.js",
    ),
    (lower::EXAMPLE, ".stories.tsx"),
    (
        lower::GENERATED,
        ".snap /configure /aclocal.m4 /ltmain.sh .min.js .min.css .map .pb.go .pb.cc .pb.h _pb2.py \
         _pb2.pyi _pb2_grpc.py .g.dart .g.cs .designer.cs _generated.go",
    ),
    (lower::DOCUMENT, ".patch .diff .md .mdx .markdown .rst .adoc .texi .txt"),
    (lower::TRANSLATION, ".po .pot .xlf .xliff .arb"),
    (lower::LOCK, ".lock package-lock.json pnpm-lock.yaml npm-shrinkwrap.json /go.sum"),
];

/// Endings of templates, behind that of what they are templates of.
pub(super) const TEMPLATE_ENDINGS: &[&str] = &[".in", ".orig", ".tmpl", ".tpl", ".template", ".j2", ".erb"];

/// Families of languages, by how they write comments and definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
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
    pub(super) fn has_hash_comments(self) -> bool {
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
pub(super) fn language(ending: &[u8]) -> Language {
    LANGUAGES.get(ending).copied().unwrap_or(Language::Other)
}

/// The name after it is defined.
pub(super) const DEFINES: u16 = 1;
/// The name after it is defined if a body comes after it, and named otherwise: `struct NAME {`, `struct NAME *x`.
pub(super) const TAGS: u16 = 2;
/// The name after it is a variable or a constant.
pub(super) const HOLDS: u16 = 4;
/// The name after it gets more members: `impl NAME`.
pub(super) const EXTENDS: u16 = 8;
/// May stand before one of those.
pub(super) const MODIFIES: u16 = 16;
/// Says that others may use what follows.
pub(super) const EXPORTS: u16 = 32;
/// As the first word of a line, makes it an import.
pub(super) const IMPORTS: u16 = 64;
/// Begins a statement or an expression, and is no type.
pub(super) const STATEMENT: u16 = 128;

/// The name after it is defined in SQL; elsewhere it is a word like others.
pub(super) const IN_SQL: u16 = 256;
/// The same in languages of types and messages: protobuf, GraphQL, Solidity.
pub(super) const IN_SCHEMAS: u16 = 512;

/// The words of each role; one may have several.
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

static FOLDERS: LazyLock<HashMap<&[u8], i32>> = LazyLock::new(|| by_word(LOWER_FOLDERS));

/// Returns the points of a folder by its name in lower case; 0 where it ranks as others.
pub(super) fn folder(name: &[u8]) -> i32 {
    FOLDERS.get(name).copied().unwrap_or(0)
}

static ROLES: LazyLock<HashMap<&[u8], u16>> = LazyLock::new(|| {
    let mut roles = HashMap::new();
    for (role, word) in words(KEYWORDS) {
        *roles.entry(word.as_bytes()).or_insert(0) |= role;
    }
    roles
});

/// Returns the roles of a word; none where it is no keyword.
pub(super) fn roles(word: &[u8]) -> u16 {
    ROLES.get(word).copied().unwrap_or(0)
}

/// Returns the words of a table, each with what its row says.
pub(super) fn words<T: Copy>(table: &'static [(T, &'static str)]) -> impl Iterator<Item = (T, &'static str)> {
    table.iter().flat_map(|(of_row, words)| words.split(' ').map(|word| (*of_row, word)))
}

/// Returns what a table says of each of its words.
fn by_word<T: Copy>(table: &'static [(T, &'static str)]) -> HashMap<&'static [u8], T> {
    words(table).map(|(of_word, word)| (word.as_bytes(), of_word)).collect()
}
