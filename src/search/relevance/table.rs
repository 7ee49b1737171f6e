//! The table of the ranking: the weights, the keywords, the languages by their endings, the places that
//! rank below. docs/tools.md explains it.

/// Points of a line by what it does with the name that was found in it; the steps are wider than all that is
/// added within one.
pub(super) mod kind {
    /// Defines it: `fn NAME`, `class NAME`, `#define NAME`, `int NAME(int x) {`.
    pub(crate) const DEFINES: i32 = 1000;
    /// Declares it or adds to it: a prototype, a forward declaration, `impl NAME`, `NAME: function`.
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
pub(super) const LOWER_FOLDERS: &[(&str, i32)] = &[
    ("__fixtures__", lower::TEST),
    ("__mocks__", lower::TEST),
    ("__tests__", lower::TEST),
    ("bench", lower::TEST),
    ("benches", lower::TEST),
    ("benchmark", lower::TEST),
    ("benchmarks", lower::TEST),
    ("e2e", lower::TEST),
    ("fixtures", lower::TEST),
    ("spec", lower::TEST),
    ("specs", lower::TEST),
    ("test", lower::TEST),
    ("test-d", lower::TEST),
    ("testdata", lower::TEST),
    ("tests", lower::TEST),
    ("unittest", lower::TEST),
    ("unittests", lower::TEST),
    ("demo", lower::EXAMPLE),
    ("demos", lower::EXAMPLE),
    ("example", lower::EXAMPLE),
    ("examples", lower::EXAMPLE),
    ("samples", lower::EXAMPLE),
    ("tutorials", lower::EXAMPLE),
    ("doc", lower::DOCUMENT),
    ("docs", lower::DOCUMENT),
    ("documentation", lower::DOCUMENT),
    ("3rdparty", lower::VENDORED),
    ("_vendor", lower::VENDORED),
    ("bower_components", lower::VENDORED),
    ("godeps", lower::VENDORED),
    ("node_modules", lower::VENDORED),
    ("pods", lower::VENDORED),
    ("site-packages", lower::VENDORED),
    ("third-party", lower::VENDORED),
    ("third_party", lower::VENDORED),
    ("thirdparty", lower::VENDORED),
    ("vendor", lower::VENDORED),
    ("vendored", lower::VENDORED),
    ("__generated__", lower::GENERATED),
    ("_cjs", lower::GENERATED),
    ("_esm", lower::GENERATED),
    ("autogenerated", lower::GENERATED),
    ("cjs", lower::GENERATED),
    ("commonjs", lower::GENERATED),
    ("dist", lower::GENERATED),
    ("esm", lower::GENERATED),
    ("generated", lower::GENERATED),
    ("lib.commonjs", lower::GENERATED),
    ("lib.esm", lower::GENERATED),
    ("umd", lower::GENERATED),
    ("locale", lower::TRANSLATION),
    ("locales", lower::TRANSLATION),
];

/// Folders whose JavaScript was made of something else.
pub(super) const BUILT_SCRIPT_FOLDERS: &[&str] = &["build", "lib-commonjs", "lib-esm", "out"];

/// Folders whose files rank below only where they are data.
pub(super) const TRANSLATION_FOLDERS: &[&str] = &["i18n", "l10n", "lang", "translations"];

/// Starts of a file's name, and what it is then.
pub(super) const LOWER_STARTS: &[(&str, i32)] = &[
    ("test_", lower::TEST),
    ("conftest.", lower::TEST),
    ("changelog", lower::DOCUMENT),
    ("readme", lower::DOCUMENT),
    ("zz_generated", lower::GENERATED),
];

/// Ends of a file's name in lower case, and what it is then.
pub(super) const LOWER_ENDS: &[(&str, i32)] = &[
    ("_test.go", lower::TEST),
    ("_test.rs", lower::TEST),
    ("_tests.rs", lower::TEST),
    ("/tests.rs", lower::TEST),
    ("_test.py", lower::TEST),
    ("/tests.py", lower::TEST),
    ("_test.rb", lower::TEST),
    ("_spec.rb", lower::TEST),
    ("_test.exs", lower::TEST),
    ("_test.dart", lower::TEST),
    ("_test.cc", lower::TEST),
    ("_test.cpp", lower::TEST),
    ("_unittest.cc", lower::TEST),
    ("test.java", lower::TEST),
    ("tests.cs", lower::TEST),
    ("test.kt", lower::TEST),
    ("test.php", lower::TEST),
    ("tests.swift", lower::TEST),
    (".test.ts", lower::TEST),
    (".test.tsx", lower::TEST),
    (".test.js", lower::TEST),
    (".test.jsx", lower::TEST),
    (".test-d.ts", lower::TEST),
    (".bench.ts", lower::TEST),
    (".spec.ts", lower::TEST),
    (".spec.tsx", lower::TEST),
    (".spec.js", lower::TEST),
    (".stories.tsx", lower::EXAMPLE),
    (".snap", lower::GENERATED),
    (".patch", lower::DOCUMENT),
    (".diff", lower::DOCUMENT),
    ("/configure", lower::GENERATED),
    ("/aclocal.m4", lower::GENERATED),
    ("/ltmain.sh", lower::GENERATED),
    (".md", lower::DOCUMENT),
    (".mdx", lower::DOCUMENT),
    (".markdown", lower::DOCUMENT),
    (".rst", lower::DOCUMENT),
    (".adoc", lower::DOCUMENT),
    (".texi", lower::DOCUMENT),
    (".txt", lower::DOCUMENT),
    (".min.js", lower::GENERATED),
    (".min.css", lower::GENERATED),
    (".map", lower::GENERATED),
    (".pb.go", lower::GENERATED),
    (".pb.cc", lower::GENERATED),
    (".pb.h", lower::GENERATED),
    ("_pb2.py", lower::GENERATED),
    ("_pb2.pyi", lower::GENERATED),
    ("_pb2_grpc.py", lower::GENERATED),
    (".g.dart", lower::GENERATED),
    (".g.cs", lower::GENERATED),
    (".designer.cs", lower::GENERATED),
    ("_generated.go", lower::GENERATED),
    (".po", lower::TRANSLATION),
    (".pot", lower::TRANSLATION),
    (".xlf", lower::TRANSLATION),
    (".xliff", lower::TRANSLATION),
    (".arb", lower::TRANSLATION),
    (".lock", lower::LOCK),
    ("package-lock.json", lower::LOCK),
    ("pnpm-lock.yaml", lower::LOCK),
    ("npm-shrinkwrap.json", lower::LOCK),
    ("/go.sum", lower::LOCK),
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

/// The language of an ending in lower case; other endings are of no language known here.
pub(super) fn language(ending: &[u8]) -> Language {
    match ending {
        b"c" | b"h" | b"cc" | b"cpp" | b"cxx" | b"hh" | b"hpp" | b"hxx" | b"inc" | b"inl" | b"ipp" | b"m"
        | b"mm" | b"cu" | b"cuh" | b"y" | b"l" | b"ino" => Language::C,
        b"java" | b"cs" | b"dart" | b"groovy" | b"d" | b"vala" => Language::Java,
        b"js" | b"jsx" | b"mjs" | b"cjs" | b"ts" | b"tsx" | b"mts" | b"cts" | b"vue" | b"svelte"
        | b"astro" | b"es6" => Language::Script,
        b"go" => Language::Go,
        b"rs" | b"swift" | b"kt" | b"kts" | b"scala" | b"sc" | b"proto" | b"zig" | b"sol" | b"fs"
        | b"fsi" | b"ml" | b"mli" | b"graphql" | b"gql" | b"thrift" | b"v" | b"sv" => Language::Keywords,
        b"php" | b"phtml" => Language::Php,
        b"py" | b"pyi" | b"pyx" | b"pxd" => Language::Python,
        b"rb" | b"rake" | b"gemspec" | b"ex" | b"exs" | b"sh" | b"bash" | b"zsh" | b"fish" | b"pl"
        | b"pm" | b"r" | b"jl" | b"nim" | b"cr" | b"tcl" | b"ps1" | b"psm1" | b"cmake" | b"mk" | b"nix"
        | b"tf" | b"bzl" | b"gd" | b"coffee" | b"awk" => Language::Hash,
        b"sql" | b"lua" | b"hs" | b"elm" | b"ada" | b"adb" | b"ads" | b"vhd" | b"vhdl" | b"psql" | b"ddl" => {
            Language::Dash
        }
        b"lisp" | b"el" | b"clj" | b"cljs" | b"cljc" | b"scm" | b"rkt" | b"s" | b"asm" | b"ini" => {
            Language::Semicolon
        }
        b"json" | b"json5" | b"jsonc" | b"yaml" | b"yml" | b"toml" | b"xml" | b"html" | b"htm" | b"css"
        | b"scss" | b"less" | b"sass" | b"svg" | b"plist" | b"properties" | b"csv" | b"tsv" | b"cfg"
        | b"conf" | b"env" => Language::Data,
        _ => Language::Other,
    }
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

/// The keywords and what they say of the name after them; sorted.
pub(super) const KEYWORDS: &[(&str, u16)] = &[
    ("abstract", MODIFIES),
    ("actor", DEFINES | MODIFIES),
    ("alias", DEFINES | IMPORTS),
    ("and", STATEMENT),
    ("annotation", MODIFIES),
    ("as", STATEMENT),
    ("assert", STATEMENT),
    ("associatedtype", DEFINES),
    ("async", MODIFIES),
    ("auto", HOLDS | MODIFIES),
    ("await", STATEMENT),
    ("case", STATEMENT | MODIFIES),
    ("class", DEFINES | TAGS | MODIFIES),
    ("companion", MODIFIES),
    ("concept", DEFINES),
    ("const", HOLDS | MODIFIES),
    ("constexpr", HOLDS | MODIFIES),
    ("contract", IN_SCHEMAS),
    ("cpdef", DEFINES),
    ("crate", MODIFIES),
    ("create", MODIFIES),
    ("data", DEFINES | MODIFIES),
    ("declare", MODIFIES),
    ("def", DEFINES),
    ("default", MODIFIES),
    ("define", DEFINES),
    ("defmacro", DEFINES),
    ("defmacrop", DEFINES),
    ("defmethod", DEFINES),
    ("defmodule", DEFINES),
    ("defn", DEFINES),
    ("defp", DEFINES),
    ("defprotocol", DEFINES),
    ("defrecord", DEFINES),
    ("defstruct", DEFINES),
    ("deftype", DEFINES),
    ("defun", DEFINES),
    ("defvar", HOLDS),
    ("delegate", MODIFIES),
    ("delete", STATEMENT),
    ("do", STATEMENT),
    ("domain", IN_SQL),
    ("else", STATEMENT),
    ("enum", DEFINES | TAGS | MODIFIES),
    ("event", IN_SCHEMAS | MODIFIES),
    ("exists", MODIFIES),
    ("explicit", MODIFIES),
    ("export", MODIFIES | EXPORTS),
    ("extends", STATEMENT),
    ("extension", EXTENDS),
    ("extern", MODIFIES),
    ("fileprivate", MODIFIES),
    ("final", HOLDS | MODIFIES),
    ("fn", DEFINES),
    ("for", STATEMENT),
    ("fragment", IN_SCHEMAS),
    ("friend", STATEMENT),
    ("from", IMPORTS | STATEMENT),
    ("fun", DEFINES | MODIFIES),
    ("func", DEFINES),
    ("function", DEFINES | MODIFIES),
    ("get", MODIFIES),
    ("global", MODIFIES),
    ("go", STATEMENT),
    ("goto", STATEMENT),
    ("if", STATEMENT | MODIFIES),
    ("impl", EXTENDS),
    ("implements", STATEMENT),
    ("implicit", MODIFIES),
    ("import", IMPORTS),
    ("in", STATEMENT),
    ("include", IMPORTS),
    ("index", IN_SQL),
    ("indirect", MODIFIES),
    ("infix", MODIFIES),
    ("inline", MODIFIES),
    ("inner", MODIFIES),
    ("input", IN_SCHEMAS),
    ("instanceof", STATEMENT),
    ("interface", DEFINES | MODIFIES),
    ("internal", MODIFIES),
    ("is", STATEMENT),
    ("lateinit", MODIFIES),
    ("lazy", MODIFIES),
    ("let", HOLDS),
    ("library", IN_SCHEMAS),
    ("local", HOLDS | MODIFIES),
    ("macro", DEFINES),
    ("macro_rules", DEFINES),
    ("materialized", MODIFIES),
    ("message", IN_SCHEMAS),
    ("mod", DEFINES),
    ("module", DEFINES),
    ("mut", MODIFIES),
    ("mutating", MODIFIES),
    ("my", HOLDS | MODIFIES),
    ("namespace", DEFINES),
    ("native", MODIFIES),
    ("new", STATEMENT),
    ("newtype", DEFINES),
    ("noexcept", MODIFIES),
    ("nonisolated", MODIFIES),
    ("not", STATEMENT | MODIFIES),
    ("object", DEFINES),
    ("oneof", IN_SCHEMAS),
    ("open", MODIFIES | IMPORTS),
    ("operator", DEFINES | MODIFIES),
    ("or", STATEMENT | MODIFIES),
    ("our", HOLDS | MODIFIES),
    ("override", MODIFIES),
    ("package", DEFINES | IMPORTS),
    ("partial", MODIFIES),
    ("private", MODIFIES),
    ("proc", DEFINES),
    ("procedure", DEFINES),
    ("protected", MODIFIES),
    ("protocol", DEFINES),
    ("pub", MODIFIES | EXPORTS),
    ("public", MODIFIES | EXPORTS),
    ("raise", STATEMENT),
    ("readonly", HOLDS | MODIFIES),
    ("record", DEFINES | MODIFIES),
    ("register", MODIFIES),
    ("replace", MODIFIES),
    ("require", IMPORTS),
    ("require_once", IMPORTS),
    ("require_relative", IMPORTS),
    ("return", STATEMENT),
    ("role", IN_SQL),
    ("rpc", IN_SCHEMAS),
    ("rule", IN_SQL),
    ("scalar", IN_SCHEMAS),
    ("schema", IN_SQL),
    ("sealed", MODIFIES),
    ("sequence", IN_SQL),
    ("service", IN_SCHEMAS),
    ("set", MODIFIES),
    ("signature", IN_SCHEMAS),
    ("sizeof", STATEMENT),
    ("source", IMPORTS),
    ("static", HOLDS | MODIFIES),
    ("strictfp", MODIFIES),
    ("struct", DEFINES | TAGS | MODIFIES),
    ("sub", DEFINES),
    ("subroutine", DEFINES),
    ("super", MODIFIES),
    ("suspend", MODIFIES),
    ("switch", STATEMENT),
    ("synchronized", MODIFIES),
    ("table", IN_SQL),
    ("tailrec", MODIFIES),
    ("temp", MODIFIES),
    ("template", MODIFIES),
    ("temporary", MODIFIES),
    ("then", STATEMENT),
    ("throw", STATEMENT),
    ("throws", STATEMENT),
    ("trait", DEFINES),
    ("transient", MODIFIES),
    ("trigger", IN_SQL),
    ("type", DEFINES | MODIFIES),
    ("typealias", DEFINES),
    ("typedef", MODIFIES),
    ("typeof", STATEMENT),
    ("union", DEFINES | TAGS),
    ("unique", MODIFIES),
    ("unlogged", MODIFIES),
    ("unsafe", MODIFIES),
    ("unset", STATEMENT),
    ("use", IMPORTS),
    ("using", IMPORTS),
    ("val", HOLDS),
    ("value", MODIFIES),
    ("var", HOLDS),
    ("view", IN_SQL),
    ("virtual", MODIFIES),
    ("void", MODIFIES),
    ("volatile", MODIFIES),
    ("when", STATEMENT),
    ("where", STATEMENT),
    ("while", STATEMENT),
    ("with", STATEMENT),
    ("yield", STATEMENT),
];
