//! Lines of many languages, and what they do with a name; places; the table itself.

use super::table::kind;
use super::*;

/// The points of a line for `NAME` in it, without those for the place.
fn points(path: &str, line: &str) -> i32 {
    let at = line.find("NAME").unwrap_or_else(|| panic!("no NAME in {line}"));
    let language = Place::new(path.as_bytes()).language;
    line::points(line.replace("NAME", "Name").as_bytes(), &(at..at + 4), language, i32::MIN)
}

fn line_points(scorer: &mut FileScorer<'_>, line: &str, found: Range<usize>) -> i32 {
    scorer.line(line.as_bytes(), &found, i32::MIN).unwrap()
}

/// A scorer of a search for no alternation.
fn scorer(path: &str) -> FileScorer<'static> {
    static NONE: Words = Words { words: Vec::new(), ignore_case: false };
    FileScorer::new(path.as_bytes(), &NONE)
}

/// Fails for each line that is not of the kind that it is listed under.
#[track_caller]
fn assert_kinds(least: i32, below: i32, lines: &[(&str, &str)]) {
    let wrong = |(path, line): &&(&str, &str)| !(least..below).contains(&points(path, line));
    let wrong: Vec<_> =
        lines.iter().filter(wrong).map(|(path, line)| (points(path, line), path, line)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn definitions_of_each_language() {
    assert_kinds(
        kind::DECLARES + 50,
        i32::MAX,
        &[
            ("a.rs", "    pub(crate) async fn NAME<T>(x: T) -> u8 {"),
            ("a.rs", "#[derive(Debug)] pub struct NAME;"),
            ("a.rs", "macro_rules! NAME {"),
            ("a.rs", "    const NAME: usize = 4;"),
            ("a.rs", "pub unsafe extern \"C\" fn NAME(x: c_int)"),
            ("a.py", "    async def NAME(self):"),
            ("a.py", "class NAME(Base):"),
            ("a.go", "func NAME(x int) error {"),
            ("a.go", "func (s *Server) NAME(x int) error {"),
            ("a.go", "type NAME struct {"),
            ("a.go", "\tNAME interface {"),
            ("a.c", "static inline int NAME(const char *s)"),
            ("a.c", "NAME(int x, int y)"),
            ("a.c", "#define NAME(x) ((x) + 1)"),
            ("a.h", "#  define NAME 4"),
            ("a.h", "typedef struct name_st NAME;"),
            ("a.h", "typedef int (*NAME)(void *);"),
            ("a.h", "struct NAME {"),
            ("a.h", "} NAME;"),
            ("a.h", "LIB_API(int) NAME(void *p)"),
            ("a.h.in", "enum NAME"),
            ("a.S", "#define NAME r7"),
            ("a.cc", "std::vector<int> Pool::NAME(size_t n) const {"),
            ("a.cc", "class API_EXPORT NAME : public Base {"),
            ("a.cc", "DEFINE_string(NAME, \"\", \"help\");"),
            ("a.java", "    public static <T> List<T> NAME(Map<String, T> map) throws IOException {"),
            ("A.java", "    NAME(int x) {"),
            ("a.cs", "    public string NAME { get; set; }"),
            ("a.cs", "public sealed partial class NAME : IThing"),
            ("a.ts", "export interface NAME<T> extends Base {"),
            ("a.ts", "export type NAME = string | number;"),
            ("a.ts", "export declare function NAME(x: string): void;"),
            ("a.ts", "export const NAME = async (x: string): Promise<void> => {"),
            ("a.ts", "  private async NAME<T>(x: T): Promise<T> {"),
            ("a.ts", "export const enum NAME {"),
            ("a.js", "  static *NAME(a, b) {"),
            ("a.ts", "  get NAME(): number { return this.#x; }"),
            ("a.java", "    /* package */ static @NonNull Service NAME() {"),
            ("a.js", "const NAME = function (x) {"),
            ("a.js", "  NAME: function (x) {"),
            ("a.js", "  NAME: async (x) => {"),
            ("a.js", "  Pool.prototype.NAME = function () {"),
            ("a.js", "  exports.NAME = class extends Other {"),
            ("a.rb", "  def self.NAME(x)"),
            ("a.rb", "module NAME"),
            ("a.rb", "  alias_method :NAME, :other"),
            ("a.php", "    public static function &NAME(array $x): ?string"),
            ("a.kt", "    override suspend fun <T> List<T>.NAME(x: T): T = x"),
            ("a.kt", "data class NAME(val x: Int)"),
            ("a.swift", "    @discardableResult public func NAME(_ x: Int) -> Int {"),
            ("a.swift", "public protocol NAME: AnyObject {"),
            ("a.scala", "case class NAME(x: Int)"),
            ("a.ex", "  defp NAME(x), do: x"),
            ("a.ex", "defmodule App.NAME do"),
            ("a.lua", "function M.NAME(x)"),
            ("a.lua", "local function NAME(x)"),
            ("a.sh", "NAME() {"),
            ("a.sql", "CREATE OR REPLACE FUNCTION NAME(x int)"),
            ("a.sql", "create table if not exists NAME ("),
            ("a.proto", "message NAME {"),
            ("a.hs", "NAME :: Int -> Int"),
            ("a.clj", "(defn NAME [x]"),
            ("a.el", "(defun NAME (x)"),
            ("a.zig", "pub fn NAME(x: u8) void {"),
            ("Makefile", "define NAME"),
            ("a.cmake", "function(NAME x)"),
        ],
    );
}

#[test]
fn declarations_come_after_definitions() {
    assert_kinds(
        kind::ASSIGNS + 100,
        kind::DEFINES - 100,
        &[
            ("a.h", "extern int NAME(const char *s,"),
            ("a.h", "int NAME(const char *s);"),
            ("a.rs", "impl<T> NAME<T> for Other {"),
            ("a.rs", "impl Display for NAME {"),
            ("a.swift", "extension NAME {"),
            ("a.ts", "  NAME(x: string): void;"),
            ("a.ts", "  NAME: (x: string) => void;"),
            ("a.js", "  const NAME = {"),
            ("a.js", "  'NAME': { value: 4 },"),
            ("a.go", "\tNAME(ctx context.Context) error"),
            ("a.rb", "  attr_reader :other, :NAME"),
        ],
    );
}

#[test]
fn values_come_after_declarations_and_before_uses() {
    assert_kinds(
        kind::ASSIGNS,
        kind::ASSIGNS + 100,
        &[
            ("a.py", "    self.NAME = 4"),
            ("a.py", "NAME: int = 4"),
            ("a.rs", "    let mut NAME = 4;"),
            ("a.go", "\tNAME := make(map[string]int)"),
            ("a.ts", "  const NAME = 4;"),
            ("a.ts", "  const NAME = {};"),
            ("a.c", "    struct thing *NAME = NULL;"),
            ("a.yaml", "  NAME: 4"),
            ("a.json", "  \"NAME\": 4,"),
            ("a.toml", "NAME = 4"),
            ("a.sh", "NAME=4"),
            ("a.r", "NAME <- 4"),
        ],
    );
}

#[test]
fn uses_are_no_definitions() {
    assert_kinds(
        kind::USES,
        kind::ASSIGNS,
        &[
            ("a.py", "    return NAME(x)"),
            ("a.py", "class Other(NAME):"),
            ("a.py", "    call(NAME=4)"),
            ("a.py", "    if x == NAME:"),
            ("a.rs", "    let x: NAME = y;"),
            ("a.rs", "fn other(x: &NAME) -> u8 {"),
            ("a.go", "func Other(x NAME) NAME {"),
            ("a.go", "func (s *Server) Other() NAME {"),
            ("a.c", "    NAME(x, y);"),
            ("a.c", "    else if (x < NAME(y)) {"),
            ("a.c", "static NAME *other(void)"),
            ("a.c", "static int other(struct NAME *x)"),
            ("a.c", "    return NAME(x);"),
            ("a.c", "#ifdef NAME"),
            ("a.cc", "  pool->NAME(x);"),
            ("a.java", "    throw new NAME(x);"),
            ("a.java", "    private final NAME other;"),
            ("a.ts", "  if (this.NAME(x)) {"),
            ("a.ts", "  NAME(x, () => {"),
            ("a.ts", "function other(x: NAME): NAME {"),
            ("a.js", "  const x = NAME({"),
            ("a.rb", "    NAME.each do |x|"),
        ],
    );
}

#[test]
fn imports_comments_and_sentences_come_last() {
    assert_kinds(
        i32::MIN,
        kind::NAMES,
        &[
            ("a.py", "from a.b import NAME"),
            ("a.py", "# NAME is a class"),
            ("a.py", "    Returns the usual NAME instance (see there)."),
            ("a.py", "    x = 4  # NAME = 5"),
            ("a.rs", "pub use a::NAME;"),
            ("a.rs", "    /// fn NAME"),
            ("a.rs", "    extern crate NAME;"),
            ("a.c", "#include \"NAME.h\""),
            ("a.c", " * int NAME(int x)"),
            ("a.ts", "import { NAME } from './a';"),
            ("a.ts", "export { NAME } from './a';"),
            ("a.js", "const { NAME } = require('a');"),
            ("a.go", "// NAME does it."),
            ("a.java", "import a.b.NAME;"),
            ("a.cs", "using A.NAME;"),
            ("a.sql", "-- CREATE TABLE NAME"),
            ("a.lua", "-- function NAME()"),
            ("a.html", "<!-- NAME -->"),
            ("a.ex", "  alias App.NAME"),
        ],
    );
}

#[test]
fn names_alone_and_in_strings_come_after_uses() {
    assert_kinds(
        kind::NAMES,
        kind::USES,
        &[("a.py", "    NAME,"), ("a.rs", "        NAME"), ("a.py", "    call('the NAME of it')")],
    );
}

/// The points of a line at a path, with one match of `NAME` in the file.
fn whole(path: &str, line: &str) -> i32 {
    let mut scorer = scorer(path);
    let at = line.find("NAME").unwrap();
    line_points(&mut scorer, line, at..at + 4) + scorer.file(1)
}

#[test]
fn lower_places_rank_below_others_in_their_order() {
    let paths = [
        "src/a.py",
        "tests/a.py",
        "examples/a.py",
        "docs/a.py",
        "vendor/a.py",
        "dist/a.py",
        "locale/a.py",
        "a.lock",
    ];
    for line in ["def NAME():", "NAME()", "# NAME"] {
        let points: Vec<_> = paths.iter().map(|path| whole(path, line)).collect();
        assert!(points.is_sorted_by(|one, next| one > next), "{line}: {points:?}");
    }
    // A definition rises above uses elsewhere, and not above definitions and declarations.
    assert!(whole("tests/a.py", "class NAME:") > whole("src/NAME.py", "    x(NAME)"));
    assert!(whole("tests/NAME.ts", "export class NAME {") < whole("src/a.ts", "  NAME() {"));
    assert!(whole("tests/NAME.py", "    x(NAME)") < whole("src/a.py", "# NAME"));
    for path in [
        "a/test_b.py",
        "b_test.go",
        "a/__tests__/b.ts",
        "b.spec.ts",
        "README.md",
        "a/node_modules/b/c.js",
        "a.min.js",
        "a.pb.go",
        "package-lock.json",
        "a/i18n/de.json",
        "a/de.po",
        "build/three.module.js",
        "lib/esm/a.js",
    ] {
        assert!(Place::new(path.as_bytes()).points < -400, "{path}");
    }
    for path in [
        "a/test/client.py",
        "src/testing.rs",
        "a/i18n/load.ts",
        "go/build/a.go",
        "contest/a.rs",
        "CMakeLists.txt",
        "a.rs",
    ] {
        assert_eq!(Place::new(path.as_bytes()).points, 0, "{path}");
    }
}

#[test]
fn files_of_that_name_and_with_more_matches_come_first_among_equals() {
    let line = "class UserService:";
    let score = |path: &str, matches| {
        let mut scorer = scorer(path);
        line_points(&mut scorer, line, 6..17) + scorer.file(matches)
    };
    let named = ["user_service.py", "UserService.py", "user-service/__init__.py", "user_service/index.py"];
    for path in named {
        assert!(score(path, 1) > score("user.py", 1), "{path}");
        assert_eq!(score(path, 1), score("user_service.py", 1), "{path}");
    }
    assert!(score("user.py", 1) > score("other.py", 1));
    assert!(score("other.py", 8) > score("other.py", 4));
    let step = |from: u64, to: u64| score("other.py", to) - score("other.py", from);
    assert!(step(1, 9) > step(9, 17), "of falling weight");
    assert_eq!(step(64, 100_000), 0);
}

#[test]
fn whole_names_come_before_parts_of_longer_ones() {
    let score = |line: &str, found: Range<usize>| line_points(&mut scorer("a.py"), line, found);
    let (whole, start, within) =
        (score("def pool():", 4..8), score("def pooled():", 4..8), score("def apool():", 5..9));
    assert!(whole > start && start > within && within > score("pool()", 0..4), "{whole} {start} {within}");
    // The best place in the line counts, and of a pattern that takes in more the name at its end.
    assert_eq!(score("x = pool; pool = 4", 4..8), score("x = 1; pool = 4", 7..11));
    assert_eq!(score("def pool():", 0..8), whole);
}

#[test]
fn words_of_an_alternation_that_meet_lift_line_and_file() {
    let words = Words::new(vec!["pool".into(), "connection".into()], false);
    assert_eq!(words.in_line(b"a pool of connections").count_ones(), 2);
    assert_eq!(words.in_line(b"Pool").count_ones(), 0);
    assert_eq!(Words::new(vec!["Pool".into(), "b".into()], true).in_line(b"pOOl").count_ones(), 1);
    assert_eq!(Words::new(vec!["pool".into()], false).in_line(b"pool"), 0, "no alternation");
    for ignore_case in [true, false] {
        let with_an_empty_word = Words::new(vec![String::new(), "a".into(), "b".into()], ignore_case);
        assert_eq!(with_an_empty_word.in_line(b"a c").count_ones(), 1, "an empty word is none");
    }
    let mut scorer = FileScorer::new(b"a.py", &words);
    let one = line_points(&mut scorer, "x(pool)", 2..6);
    let file_with_one = scorer.file(9);
    let both = line_points(&mut scorer, "x(pool, connection)", 2..6);
    assert!(both > one + 200 && both <= scorer.most_of_line(), "{both} {one}");
    assert!(scorer.file(9) > file_with_one && scorer.file(9) <= scorer.most_of_file());
}

#[test]
fn long_lines_come_after_short_ones() {
    let long = format!("NAME(){}", " x".repeat(250));
    assert!(whole("a.js", &long) < whole("a.js", "NAME()") - 300);
}

#[test]
fn kinds_are_further_apart_than_all_that_is_added_within_one() {
    let added = table::FILE_IS_NAMED
        + table::DOUBLED_MATCHES * i32::try_from(table::DOUBLINGS).unwrap()
        + table::AT_LINE_START
        + table::EXPORTED;
    for (kind, next) in [
        (kind::DEFINES, kind::DECLARES),
        (kind::DECLARES, kind::ASSIGNS),
        (kind::ASSIGNS, kind::USES),
        (kind::NAMES, kind::IMPORTS),
    ] {
        assert!(kind - next > added, "{kind} {next} {added}");
    }
}

mod any_line {
    use super::*;
    use proptest::prelude::*;

    /// Pieces of lines; more of them make something of a name.
    const PIECES: &[&str] = &[
        "Name",
        "Name",
        "other",
        " ",
        " ",
        "  ",
        "\t",
        "(",
        ")",
        "(",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        "=",
        "= ",
        ":",
        "::",
        ".",
        ",",
        ";",
        "*",
        "&",
        "#",
        "\"",
        "'",
        "`",
        "@",
        "!",
        "?",
        "-",
        "->",
        "=>",
        "//",
        "/*",
        "*/",
        "# ",
        "--",
        "fn ",
        "static ",
        "const ",
        "class ",
        "function ",
        "def ",
        "return ",
        "if ",
        "impl ",
        "for ",
        "struct ",
        "typedef ",
        "#define ",
        "import ",
        "from ",
        "export ",
        "pub ",
        "func ",
        "type ",
        "void ",
        "int ",
        "new ",
        "await ",
        "alias ",
        "self.",
        "this.",
        "DEFINE_X(",
        "macro(",
        "() {",
        "alias_method :",
        "attr_reader :",
        "extern ",
        "a.b.",
        "create table ",
        "exists ",
        "API_X ",
        "$",
        "\\",
        "%",
        "%Name",
        "~",
        "^",
        "|",
        "+",
        "é",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn quick_look_never_hides_more_than_a_use(
            before in prop::collection::vec(prop::sample::select(PIECES), 0..6),
            after in prop::collection::vec(prop::sample::select(PIECES), 0..4),
            ending in prop::sample::select(vec!["c", "ts", "py", "go", "rs", "java", "sql", "el", "json", "rb", "php", "x"]),
        ) {
            let before = before.concat();
            let line = format!("{before}Name{}", after.concat());
            let mut scorer = scorer(&format!("a/b.{ending}"));
            let found = before.len()..before.len() + 4;
            let points = scorer.line(line.as_bytes(), &found, i32::MIN).unwrap();
            for needed in [points - 1, points, 400, 500] {
                let exact = (points > needed).then_some(points);
                prop_assert_eq!(scorer.line(line.as_bytes(), &found, needed), exact, "{:?} needed {}", line, needed);
                let may_have_more = scorer.may_have_more(line.as_bytes(), found.end, needed);
                prop_assert!(exact.is_none() || may_have_more, "{:?} needed {}", line, needed);
            }
        }

        #[test]
        fn has_a_score_within_bounds(
            line in prop::collection::vec(prop::sample::select(b"aN_ \t(){}[]<>:;=#/*-,.\"'@!&\xC3\xA9".to_vec()), 1..60),
            ending in prop::sample::select(vec!["c", "ts", "py", "go", "rs", "java", "sql", "el", "json", "rb", "php", "x"]),
            from in 0_usize..60,
            len in 0_usize..20,
        ) {
            let start = from.min(line.len());
            let found = start..(start + len).min(line.len());
            let mut scorer = scorer(&format!("a/b.{ending}"));
            let points = scorer.line(&line, &found, i32::MIN).unwrap();
            prop_assert!(points <= scorer.most_of_line());
            for needed in [points - 1, points, points + 1, 0, 400, 700] {
                let exact = (points > needed).then_some(points);
                prop_assert_eq!(scorer.line(&line, &found, needed), exact, "needed {}", needed);
                prop_assert!(exact.is_none() || scorer.may_have_more(&line, found.end, needed), "needed {}", needed);
            }
        }
    }
}

#[test]
fn names_rank_by_whole_name_then_starts_of_words_then_letters() {
    let ranked = [
        "src/userService.ts",
        "src/user_service_test_data.ts",
        "src/superuserservices.ts",
        "src/uxsxexr_service.ts",
    ];
    let mut scorer = NameScorer::new("user service");
    let points: Vec<_> = ranked.iter().map(|path| scorer.score(path.as_bytes())).collect();
    assert!(points.iter().all(Option::is_some) && points.is_sorted_by(|one, next| one > next), "{points:?}");
    assert!(scorer.score(b"tests/user_service.ts") < points[3], "the same lower places");
    assert!(scorer.score(b"user/service_x.ts") < scorer.score(b"a/user_service_x.ts"), "folders count less");
    assert_eq!(scorer.score(b"user/service/x.ts"), None, "no word in the name");
    assert!(scorer.score(b"user/service/index.ts").is_some(), "a file that stands for its folder");
    assert_eq!(scorer.score(b"src/service.ts"), None, "all words");
    assert_eq!(scorer.score(b"resu/service.ts"), None, "letters strewn over folders");
    assert!(NameScorer::new("user/serv").score(b"user/service/x.ts").is_some(), "a word with folders");
    assert!(
        NameScorer::new("UserService").score(b"user_service.py").is_some(),
        "letters without regard to case"
    );
    assert!(NameScorer::new("src").score(b"a/src/").is_some(), "a folder");
    assert!(NameScorer::new(&"é".repeat(300)).score("é".repeat(300).as_bytes()).is_some(), "long words");
}
