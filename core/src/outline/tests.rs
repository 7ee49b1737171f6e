//! Definitions of each language, and text that only looks like definitions.

mod around;

use super::*;
use crate::text::as_index;
use proptest::prelude::*;

/// Fails unless the definitions in `text` are `expected`: lines, levels and texts.
#[track_caller]
fn assert_outline(path: &str, text: &str, expected: &[(u64, u8, &str)]) {
    let language = Language::of_path(path).unwrap();
    let found: Vec<_> = definitions(text.as_bytes(), language).collect();
    let found: Vec<_> = found.iter().map(|one| (one.line, one.level, one.text.as_str())).collect();
    assert_eq!(found, expected, "{path}:\n{text}");
    let returns = text.replace('\n', "\r\n");
    assert_eq!(definitions(returns.as_bytes(), language).count(), expected.len(), "{path} with CRLF");
}

#[test]
fn rust() {
    let text = "use a::b;\n\npub(crate) const MAX: usize = 3;\n\n#[derive(Debug)]\npub struct Pool<T> {\n    size: T,\n}\n\n\
                impl<T> Iterator for Pool<T>\nwhere\n    T: Copy,\n{\n    fn next(&mut self) -> Option<T> {\n        fn inner() {}\n\
                \x20       let text = \"\nfn not_code() {}\n\";\n        None\n    }\n\n    const fn size() -> usize { 1 }\n}\n\n\
                /*\nfn in_comment() {}\n/* nested\nfn in_comment() {}\n*/\nmacro_rules! list {\n    () => {};\n}\n\
                static RAW: &str = r#\"\nfn in_string() { \"\n\"#;\npub unsafe extern \"C\" fn last(x: char) {\n    x == '\"'\n}\n\
                mod tests {\n    fn one() {}\n}\n";
    assert_outline(
        "a.rs",
        text,
        &[
            (6, 0, "struct Pool"),
            (10, 0, "impl<T> Iterator for Pool<T>"),
            (14, 1, "fn next"),
            (22, 1, "fn size"),
            (30, 0, "macro_rules! list"),
            (36, 0, "fn last"),
            (39, 0, "mod tests"),
            (40, 1, "fn one"),
        ],
    );
}

#[test]
fn python() {
    let text = "\"\"\"Text\nclass Fake:\n\"\"\"\nimport a\n\nif a:\n    def early():\n        pass\n\n@a.b\nclass Pool(Base):\n    X = 1\n\n\
                \x20   async def size(self):\n        def inner():\n            pass\n        sql = '''\ndef fake():\n'''\n\n    class Meta:\n        def deep(self): pass\n\n\
                def last(\n    x,\n):\n    # def fake():\n    return \"def fake(\"\n";
    assert_outline(
        "a.py",
        text,
        &[
            (7, 0, "def early"),
            (11, 0, "class Pool"),
            (14, 1, "def size"),
            (21, 1, "class Meta"),
            (22, 2, "def deep"),
            (24, 0, "def last"),
        ],
    );
}

#[test]
fn javascript_and_typescript() {
    let text = "import { a } from 'b';\nconst limit = 3;\n\nexport default class Pool extends Base {\n  #size = 0;\n  constructor(x) {\n    super(x);\n  }\n\
                \x20 static async *each(a, b) {\n    const inner = () => {\n    };\n  }\n  get size() { return 1; }\n}\n\
                const text = `\nfunction fake() {\n${a ? `function fake() {` : '}'}\n`;\nexport const make = async (x) => {\n  return /[`'\"]/.test(x);\n};\n\
                /**\nfunction fake() {\n*/\nfunction* last() {\n}\nPool.prototype.close = function () {\n};\nif (a) {\n}\n";
    assert_outline(
        "a.js",
        text,
        &[
            (4, 0, "class Pool"),
            (6, 1, "constructor()"),
            (9, 1, "each()"),
            (13, 1, "size()"),
            (19, 0, "const make"),
            (25, 0, "function* last"),
            (27, 0, "Pool.prototype.close"),
        ],
    );
    let text = "export interface Options<T> {\n  size: number;\n}\nexport type Id = string | number;\nexport const enum Kind { A, B }\n\
                declare namespace deep {\n  function inside(): void;\n}\nexport abstract class Pool {\n  private size<T>(x: T): number {\n    return 1;\n  }\n}\n\
                export function one({\n  a,\n}: Options) {\n  function inner() {}\n}\nfunction two() {}\n";
    assert_outline(
        "a.ts",
        text,
        &[
            (1, 0, "interface Options"),
            (4, 0, "type Id"),
            (5, 0, "enum Kind"),
            (6, 0, "namespace deep"),
            (7, 1, "function inside"),
            (9, 0, "class Pool"),
            (10, 1, "size()"),
            (14, 0, "function one"),
            (19, 0, "function two"),
        ],
    );
}

#[test]
fn go() {
    let text = "package a\n\nimport \"b\"\n\ntype Pool struct {\n\tsize int\n}\n\ntype Named interface {\n\tName() string\n}\n\n\
                type Size int\n\nfunc (p *Pool) Size() int {\n\tf := func() int {\n\t\treturn 1\n\t}\n\treturn f()\n}\n\n\
                var text = `\nfunc fake() {\n`\n\nfunc New[T any](x T) *Pool {\n\treturn nil\n}\n";
    assert_outline(
        "a.go",
        text,
        &[
            (5, 0, "type Pool"),
            (9, 0, "type Named"),
            (13, 0, "type Size"),
            (15, 0, "func (p *Pool) Size"),
            (26, 0, "func New"),
        ],
    );
}

#[test]
fn c_and_cpp() {
    let text = "#include <a.h>\n#define MAX(x) \\\n  int fake(int x) {\n\nint declared(int a,\n             int b);\nstruct pool;\nstatic struct pool *made(void)\n{\n\
                \x20   if (x) {\n    }\nout:\n    return 0;\n}\n\ntypedef struct {\n    int size;\n} pool_t;\n\ntypedef enum { A, B } kind_t;\n\
                struct pool {\n    int (*call)(int);\n};\n\nstatic int\ngnu_style (int x)\n{\n#define LOCAL 1\n  return x;\n}\n\n\
                /*\nint fake(void) {\n*/\nstatic const char *names[] = {\n    \"a\",\n};\nenum color { RED };\n";
    assert_outline(
        "a.c",
        text,
        &[
            (2, 0, "#define MAX"),
            (8, 0, "made()"),
            (18, 0, "typedef pool_t"),
            (20, 0, "typedef kind_t"),
            (21, 0, "struct pool"),
            (26, 0, "gnu_style()"),
            (38, 0, "enum color"),
        ],
    );
    let text = "namespace a {\nnamespace b\n{\ntemplate <typename T>\nclass API_EXPORT Pool final : public Base<T> {\n public:\n  Pool(int x)\n      : size_(x),\n        other_(x) {}\n\
                \x20 ~Pool() override {\n  }\n  int size() const { return size_; }\n  int declared(int x);\n private:\n  int size_;\n};\n\n\
                template <class T>\nint Pool<T>::size() const\n{\n    call(1);\n    return 1;\n}\nbool operator==(const A& a, const B& b) {\n  return true;\n}\n\
                const char* text = R\"(\nint fake() {\n)\";\n}\n}\n";
    assert_outline(
        "a.cc",
        text,
        &[
            (1, 0, "namespace a"),
            (2, 0, "namespace b"),
            (5, 0, "class API_EXPORT Pool"),
            (7, 1, "Pool()"),
            (10, 1, "~Pool()"),
            (12, 1, "size()"),
            (19, 0, "Pool<T>::size()"),
            (24, 0, "operator==()"),
        ],
    );
}

#[test]
fn java() {
    let text = "package a;\n\nimport b.C;\n\n/** class Fake { */\n@Size(min = 1)\npublic final class Pool<T> extends Base {\n    private int size = 1;\n\n    public Pool(int x) {\n    }\n\n\
                \x20   @Override\n    public <T> List<T> all(Map<String, T> map)\n            throws IOException {\n        Runnable r = new Runnable() {\n            public void run() {\n            }\n        };\n    }\n\n\
                \x20   String text = \"\"\"\n    void fake() {\n    \"\"\";\n\n    enum Kind { A, B }\n\n    interface Named {\n        String name();\n    }\n}\n";
    assert_outline(
        "Pool.java",
        text,
        &[
            (7, 0, "class Pool"),
            (10, 1, "Pool()"),
            (14, 1, "all()"),
            (26, 1, "enum Kind"),
            (28, 1, "interface Named"),
        ],
    );
}

#[test]
fn ruby() {
    let text = "module A\n  class Pool < Base\n    attr_reader :size\n\n    def self.[](x)\n      text = <<~SQL\n        def fake\n      SQL\n    end\n\n    def short = 1\n\n    def size?; true; end\n\n\
                \x20   private\n\n      def hidden\n        begin\n        end\n      rescue => e\n        nil\n      end\n\n    alias_method :other, :size\n  end\nend\n\n=begin\ndef fake\n=end\n\ndef last(x)\nend\n__END__\ndef fake\n";
    assert_outline(
        "a.rb",
        text,
        &[
            (1, 0, "module A"),
            (2, 1, "class Pool"),
            (5, 2, "def self.[]"),
            (11, 2, "def short"),
            (13, 2, "def size?"),
            (17, 2, "def hidden"),
            (24, 2, "alias_method :other"),
            (32, 0, "def last"),
        ],
    );
}

#[test]
fn php() {
    let text = "<p>function fake() {\n<?php\nnamespace A;\n\nuse function b;\n\nabstract class Pool {\n    const X = 1;\n\n    public static function &size(array $x): ?int {\n        $f = function ($y) {\n        };\n    }\n}\n\n\
                $sql = \"\nfake() {\n\";\n\n\n\n?>\nfunction fake() {\n<?php\nif (!function_exists('a')) {\n    function a() {\n    }\n}\n\nfunction last() {\n}\n";
    assert_outline(
        "a.php",
        text,
        &[
            (3, 0, "namespace A"),
            (7, 0, "class Pool"),
            (10, 1, "function &size"),
            (26, 0, "function a"),
            (30, 0, "function last"),
        ],
    );
}

#[test]
fn brace_in_a_template_does_not_end_a_function() {
    let text = "function a() {\n  return `{\n}`;\n}\n\nfunction b() {\n  return `${c(`d`)}(e, {\n})`;\n}\n\nfunction f() {\n  g(`\n}\n\n`);\n}\n\nfunction h() {\n}\n";
    assert_outline(
        "a.js",
        text,
        &[(1, 0, "function a"), (6, 0, "function b"), (11, 0, "function f"), (18, 0, "function h")],
    );
}

#[test]
fn constants_of_a_long_enum_are_no_definitions() {
    let constant = |n| format!("    /** Constant. */\n    NAME_{n}(\n        \"name\",\n        {n}),\n");
    let constants: String = (0..200).map(constant).collect();
    let text = format!(
        "enum Kind {{\n{constants}    LAST(\"\", 0);\n\n    int number() {{\n    }}\n}}\n\nclass Other {{\n}}\n"
    );
    assert_outline("Kind.java", &text, &[(1, 0, "enum Kind"), (804, 1, "number()"), (808, 0, "class Other")]);
}

#[test]
fn outermost_definitions_around_many_are_forgotten() {
    let text: String = (0..150).map(|n| " ".repeat(n) + "class A:\n").collect();
    let last = definitions(text.as_bytes(), Language::of_path("a.py").unwrap()).last().unwrap();
    assert_eq!((last.line, last.level), (150, 32));
    // Namespaces that are not closed do not hide the definitions after them.
    let text = "namespace a {\n".repeat(150) + "class B {\n    void c();\n    void d() {\n    }\n};\n";
    let all = definitions(text.as_bytes(), Language::of_path("a.cc").unwrap());
    let last: Vec<_> = all.skip(150).map(|one| (one.line, one.level, one.text)).collect();
    assert_eq!(last, [(151, 0, "class B".to_owned()), (153, 1, "d()".to_owned())]);
}

#[test]
fn regular_expressions_far_in_a_line_are_not_recognised() {
    let outline = |blanks: usize| {
        let text = format!("{}a(/`/)\nfunction b() {{\n}}\n", " ".repeat(blanks));
        definitions(text.as_bytes(), Language::of_path("a.js").unwrap()).count()
    };
    assert_eq!([outline(90_000), outline(110_000)], [1, 0]);
}

#[test]
fn only_known_endings_have_an_outline() {
    for path in ["a", "a.txt", ".rs/a", "a.json", "Makefile", "a.rs.bak", "rs"] {
        assert_eq!(Language::of_path(path), None, "{path}");
    }
    assert_eq!(Language::of_path("dir.x/A.RS"), Language::of_path("a.rs"));
}

#[test]
fn outermost_definitions_are_listed_first() {
    let definition = |line, level, text: &str| Definition { line, level, text: text.to_owned() };
    let all = [definition(5, 0, "struct A"), definition(7, 1, "fn a"), definition(90, 0, "struct B")];
    let shown = |max_bytes| {
        let rest = listed(all.iter().cloned(), max_bytes);
        let text = rest.to_string();
        assert!(rest.entries.is_empty() || text.len() <= max_bytes, "{text} in {max_bytes}");
        assert_eq!(rest.entries.len() as u64 + rest.more, 3);
        text
    };
    let whole = "[Definitions in the rest: 5 struct A, 7 fn a, 90 struct B]";
    assert_eq!(shown(whole.len()), whole);
    assert_eq!(shown(whole.len() - 1), "[Definitions in the rest: 5 struct A, … 2 more]");
    assert_eq!(shown(whole.len() + 5), whole);
    assert_eq!(shown(52), "[Definitions in the rest: 5 struct A, … 2 more]");
    assert_eq!(listed(all.iter().cloned(), 30).entries, []);
    let wide = [
        definition(5, 1, "fn a"),
        definition(7, 0, "impl B"),
        definition(9, 1, "fn a_long_name_of_a_function"),
    ];
    assert_eq!(
        listed(wide.iter().cloned(), 56).to_string(),
        "[Definitions in the rest: 5 fn a, 7 impl B, … 1 more]"
    );
    let in_part = Listed { is_at_least: true, ..listed(wide.iter().cloned(), 56) };
    assert_eq!(in_part.to_string(), "[Definitions in the rest: 5 fn a, 7 impl B, … at least 1 more]");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_has_an_outline(
        parts in prop::collection::vec(prop::sample::select(vec![
            "\n", "\n", "\n", "\r\n", " ", "    ", "\t", "fn a() {", "}", "{", "def b", "end", "class C:", "function d() {",
            "`", "${", "\"", "'", "\"\"\"", "'''", "/*", "*/", "//", "#", "<<~E", "<<<E", "E", "<?php", "?>", "=begin", "=end",
            "typedef struct {", "} e;", "struct f", "(", ")", ";", "=", "\\", "R\"x(", "r#\"", "template <", ">", "operator==(",
            "int g(int x)", "#define H", "namespace i", "impl J for K", "func (l *M) N(", "type (", "é", "\0", "public:", ",",
        ]), 0..60),
        path in prop::sample::select(vec!["a.c", "a.cc", "a.go", "a.java", "a.php", "a.py", "a.rb", "a.rs", "a.ts"]),
        invalid in any::<bool>(),
    ) {
        let mut text = parts.concat().into_bytes();
        if invalid {
            text.push(0xff);
        }
        let found = definitions(&text, Language::of_path(path).unwrap());
        let lines = text.split(|&byte| byte == b'\n').count() as u64;
        let mut last = 0;
        for definition in found {
            prop_assert!(definition.line > last && definition.line <= lines, "{:?}", definition);
            prop_assert!(!definition.text.is_empty() && definition.text.len() <= 100, "{:?}", definition);
            prop_assert!(!definition.text.contains(char::is_control), "{:?}", definition);
            last = definition.line;
        }
    }
}
