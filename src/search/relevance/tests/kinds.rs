//! Tests lines of many languages that use a name in different ways.

use super::*;

/// Returns the points of a line for the `NAME` in it, without the points of the location.
fn points(path: &str, line: &str) -> i32 {
    let at = line.find("NAME").unwrap_or_else(|| panic!("no NAME in {line}"));
    let language = PathFacts::new(path.as_bytes()).language;
    line::points(line.replace("NAME", "Name").as_bytes(), &(at..at + 4), language, i32::MIN)
}

/// Fails for each line that is not of the kind under which it is listed.
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
fn declarations_rank_after_definitions() {
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
fn values_rank_between_declarations_and_uses() {
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
fn imports_comments_and_sentences_rank_last() {
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
fn names_alone_and_in_strings_rank_after_uses() {
    assert_kinds(
        kind::NAMES,
        kind::USES,
        &[("a.py", "    NAME,"), ("a.rs", "        NAME"), ("a.py", "    call('the NAME of it')")],
    );
}
