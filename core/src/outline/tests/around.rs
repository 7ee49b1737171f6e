//! Tests of the definitions around a line, and of a line alone.

use super::*;

/// Fails unless the definitions around the lines that contain a word with `!` are `expected`: the texts of the type and of the
/// function.
#[track_caller]
fn assert_around(path: &str, text: &str, expected: &[(&str, &str)]) {
    let lines: Vec<_> =
        text.lines().zip(1..).filter(|(line, _)| line.contains('!')).map(|(_, line)| line).collect();
    let found = around(text.as_bytes(), &lines, Language::of_path(path).unwrap(), || false).unwrap();
    let shown = |one: Option<DefinitionLine<'_>>| {
        one.map_or_else(String::new, |one| {
            assert_eq!(text.lines().nth(as_index(one.line) - 1).unwrap().as_bytes(), one.text);
            String::from_utf8_lossy(one.text).trim().to_owned()
        })
    };
    let found: Vec<_> = found.into_iter().map(|one| (shown(one.container), shown(one.function))).collect();
    let expected: Vec<_> = expected.iter().map(|(one, two)| ((*one).to_owned(), (*two).to_owned())).collect();
    assert_eq!(found, expected, "{path}:\n{text}");
}

#[test]
fn innermost_function_and_its_type_are_around_a_line() {
    assert_around(
        "a.rs",
        "// !\nimpl Pool {\n    // !\n    fn a(&self) { !}\n\n    pub fn b(\n        x: u8, // !\n    ) -> u8 {\n        if x {\n            // !\n\
         \u{20}       }\n    }\n}\n\nfn c() {\n    d(|| {\n        !\n    });\n}\nstruct E {\n    a: !,\n}\n!\n",
        &[
            ("", ""),
            ("impl Pool {", ""),
            ("impl Pool {", ""),
            ("impl Pool {", "pub fn b("),
            ("impl Pool {", "pub fn b("),
            ("", "fn c() {"),
            ("struct E {", ""),
            ("", ""),
        ],
    );
    assert_around(
        "a.py",
        "class A:\n    x = 1 # !\n\n    @b(!)\n    def c(self,\n          d=!):\n        \"\"\"\n    !\n        \"\"\"\n        def e():\n            !\n\
         \u{20}       !\n\n    # !\n    def f(self): pass\n\n# !\n!\n",
        &[
            ("class A:", ""),
            ("class A:", ""),
            ("class A:", "def c(self,"),
            ("class A:", "def c(self,"),
            ("class A:", "def e():"),
            ("class A:", "def c(self,"),
            ("class A:", ""),
            ("", ""),
            ("", ""),
        ],
    );
    assert_around(
        "a.ts",
        "/* !\n ! */\nexport class A {\n  get(x: string, // !\n  ): void {\n    it(\"a\", () => {\n      !\n    });\n  }\n}\n\
         function big() {\n  const small = async (a) => {\n    !\n  };\n  return {\n    run(x) {\n      !\n    },\n    go: function () {\n      !\n    },\n  };\n  !\n}\nA.b = function () {\n  !\n}\n",
        &[
            ("", ""),
            ("", ""),
            ("export class A {", ""),
            ("export class A {", "get(x: string, // !"),
            ("", "const small = async (a) => {"),
            ("", "run(x) {"),
            ("", "go: function () {"),
            ("", "function big() {"),
            ("", "A.b = function () {"),
        ],
    );
    assert_around(
        "a.c",
        "#define M(x) \\\n  ! x\nint a(int x,\n      int !)\n{\n#ifdef A\n  !\n#endif\nout:\n  !\n}\n\n/* ! */\nint b(int !);\nint c(int x,\n      int !);\n\n\
         static int\nd (int x)\n{\n  !\n",
        &[
            ("", ""),
            ("", "int a(int x,"),
            ("", "int a(int x,"),
            ("", "int a(int x,"),
            ("", ""),
            ("", ""),
            ("", ""),
            ("", "d (int x)"),
        ],
    );
    assert_around(
        "a.cc",
        "namespace a {\nclass P : Q {\n public:\n  P() : x(1) {\n    !\n  }\n  int y = !;\n};\nint P::z() const\n{\n  !\n}\n}  // !\n",
        &[("class P : Q {", "P() : x(1) {"), ("class P : Q {", ""), ("", "int P::z() const"), ("", "")],
    );
    assert_around(
        "A.java",
        "class A extends B {\n    @Override\n    public int c(int x)\n            throws D { // !\n        e(new F() {\n            public void g() {\n                !\n            }\n        });\n        !\n    }\n}\n",
        &[
            ("class A extends B {", "public int c(int x)"),
            ("class A extends B {", "public void g() {"),
            ("class A extends B {", "public int c(int x)"),
        ],
    );
    assert_around(
        "a.go",
        "func (p *Pool) Size(\n\tx int, // !\n) map[string]interface{} {\n\tgo func() {\n\t\t!\n\t}()\n}\n\n// !\nfunc b() {}\ntype C struct {\n\td int // !\n}\n",
        &[("", "func (p *Pool) Size("), ("", "func (p *Pool) Size("), ("", ""), ("type C struct {", "")],
    );
    assert_around(
        "a.rb",
        "module A\n  class B\n    def self.c(x)\n      d do\n        !\n      end\n    end\n\n    # !\n    def e; end\n  end\nend\n# !\n",
        &[("class B", "def self.c(x)"), ("class B", ""), ("", "")],
    );
    assert_around(
        "a.php",
        "<?php\nclass A {\n  public function b(\n    $x, // !\n  ): int {\n    $f = function () {\n      !\n    };\n  }\n}\nfunction c()\n{\n  !\n}\n?>\n!\n",
        &[
            ("class A {", "public function b("),
            ("class A {", "public function b("),
            ("", "function c()"),
            ("", ""),
        ],
    );
    assert_around(
        "a.kt",
        "class A(val b: Int) {\n    override fun <T> c(x: T): T {\n        !\n    }\n    fun d() = 1\n    // !\n}\n",
        &[("class A(val b: Int) {", "override fun <T> c(x: T): T {"), ("class A(val b: Int) {", "")],
    );
    assert_around(
        "a.vue",
        "<template>\n  <p>!</p>\n</template>\n<script>\nexport default {\n  methods: {\n    run(x) {\n      !\n    },\n  },\n};\n</script>\n",
        &[("", ""), ("", "run(x) {")],
    );
}

#[test]
fn a_line_alone_shows_which_name_it_defines() {
    let defines = |path: &str, line: &str| {
        let at = line.find("NAME").unwrap();
        let line = line.replace("NAME", "Name");
        Language::of_path(path).unwrap().defines(line.as_bytes(), &(at..at + 4))
    };
    for (path, line) in [
        ("a.rs", "    pub(crate) async fn NAME<T>(x: T) -> u8 {"),
        ("a.rs", "#[derive(Debug)] pub struct NAME;"),
        ("a.rs", "macro_rules! NAME {"),
        ("a.rs", "pub unsafe extern \"C\" fn NAME(x: c_int)"),
        ("a.py", "    async def NAME(self):"),
        ("a.py", "class NAME(Base):"),
        ("a.go", "func (s *Server) NAME(x int) error {"),
        ("a.go", "type NAME struct {"),
        ("a.c", "static inline int NAME(const char *s)"),
        ("a.c", "#define NAME(x) ((x) + 1)"),
        ("a.h", "typedef struct name_st NAME;"),
        ("a.h", "typedef int (*NAME)(void *);"),
        ("a.h", "struct NAME {"),
        ("a.cc", "class API_EXPORT NAME : public Base {"),
        ("a.cc", "  int NAME() const { return 1; }"),
        ("a.java", "    public static <T> List<T> NAME(Map<String, T> map) throws IOException {"),
        ("a.java", "    public @interface NAME {"),
        ("a.ts", "export interface NAME<T> extends Base {"),
        ("a.ts", "export const NAME = async (x: string): Promise<void> => {"),
        ("a.ts", "  private async NAME<T>(x: T): Promise<T> {"),
        ("a.js", "  NAME: function (x) {"),
        ("a.js", "  exports.NAME = class extends Other {"),
        ("a.rb", "  alias_method :NAME, :other"),
        ("a.php", "    public static function &NAME(array $x): ?string"),
        ("a.kt", "    override suspend fun <T> List<T>.NAME(x: T): T = x"),
        ("a.swift", "    @discardableResult public func NAME(_ x: Int) -> Int {"),
        ("a.ex", "  defp NAME(x), do: x"),
        ("a.sh", "NAME() {"),
    ] {
        assert!(defines(path, line), "{path}: {line}");
    }
    for (path, line) in [
        ("a.rs", "impl NAME for Other {"),
        ("a.rs", "    let x = NAME(1);"),
        ("a.rs", "// fn NAME() {"),
        ("a.c", "struct NAME *made(void) {"),
        ("a.c", "int NAME(int x);"),
        ("a.c", "    NAME(x);"),
        ("a.c", "struct NAME;"),
        ("a.ts", "    return NAME(x);"),
        ("a.ts", "  if (NAME(x)) {"),
        ("a.ts", "const text = \"function NAME() {\";"),
        ("a.java", "        return NAME(x);"),
        ("a.py", "    x = NAME  # def NAME"),
    ] {
        assert!(!defines(path, line), "{path}: {line}");
    }
}

#[test]
fn stopped_search_for_definitions_has_none() {
    let lines = std::cell::Cell::new(0);
    let is_stopped = || lines.replace(lines.get() + 1) == 1;
    let python = Language::of_path("a.py").unwrap();
    assert_eq!(around(b"def a():\n    x\n    x\n    x\n", &[4], python, is_stopped), None);
    assert_eq!(lines.get(), 2);
}
