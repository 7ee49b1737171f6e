//! Runs each parser of untrusted text on generated hostile inputs of N and 2N bytes. `run.py` counts the instructions.
//!
//! Prints a line for each call of [`measured`]: the parser, the generator and the bytes. `growth N OF` runs each `OF`th
//! generator, from the `N`th one on.

use std::fs::{self, File};
use std::hint::black_box;
use std::os::fd::OwnedFd;
use std::path::Path;

use cutline::search::globs::Glob;
use cutline::search::ignore_rules::{IgnoreRules, RuleFilesPresent};
use cutline_core::notice::Notice;
use cutline_core::outline::{Language, around, definitions, is_name_byte, listed};
use cutline_core::text::binary::is_binary;
use cutline_core::text::decode::{Decoder, Encoding};
use cutline_core::text::terminal::resolved;
use cutline_core::truncate::{Bounds, Collector, Keep, KeyForms, KeySpace};

/// Bytes of the smaller input.
const BYTES: usize = 1_000;

/// Bytes of a glob.
const GLOB_BYTES: usize = 64;

/// A parser, and the pieces from which its inputs are generated.
struct Parser {
    name: &'static str,
    tokens: &'static [&'static [u8]],
    /// Factor for the size of the inputs, for parsers with bounds that a short input does not reach.
    factor: usize,
    run: fn(&[u8]),
}

const PARSERS: &[Parser] = &[
    Parser {
        name: "terminal",
        tokens: &[
            b"\r",
            b"a\r",
            b"\x08",
            b"\x1b[K",
            b"\x1b[1K",
            b"\x1b[2K",
            b"\x1b[J",
            b"\x1b[999X",
            b"\x1b[9999C",
            b"\x1b[9D",
            b"\x1b[99G",
            b"\x1b[",
            b"\x1b]0;",
            b"\x1bP",
            b"\x1b[31m",
            b"\x18",
            "日".as_bytes(),
            "e\u{301}".as_bytes(),
            b"\t",
            "\u{9b}".as_bytes(),
            b"1;",
        ],
        factor: 4,
        run: |input| {
            black_box(resolved(&String::from_utf8_lossy(input), 30_000));
        },
    },
    Parser {
        name: "decode",
        tokens: &[
            b"\xff",
            b"\xe9 ",
            "é".as_bytes(),
            b"\xe2\x82",
            b"\xf0\x9f",
            b"\xa4\xa2",
            b"\x80\n",
            "é\n".as_bytes(),
            b"\0",
            b"\x01",
        ],
        factor: 4,
        run: |input| {
            let encoding = Encoding::detect(input, input.len() as u64).unwrap_or(Encoding::Utf8);
            let mut decoder = Decoder::new(encoding);
            decoder.push(input, &mut |text| assert!(!black_box(text).is_empty()));
            decoder.finish(&mut |text| assert!(!black_box(text).is_empty()));
            black_box(is_binary(input));
        },
    },
    Parser {
        name: "key lines",
        tokens: &[
            b"error: ",
            b"Error-  ",
            b"XXXXXXXX Q  Error-  ",
            b"panicked at ",
            b"a.c:1:1: error: x\n",
            b"FAILED ",
            b"E   a\n",
            b"Traceback (most recent call last):\n",
            b"  File \"a\", line 1\n",
            b"\tat a.B(C.java:1)\n",
            b"\"error",
            b"0 errors ",
            b"warning: ",
            b"Caused by: ",
            b"not ok 1 ",
            b"fatal: ",
            b"| ",
            b"-----\n",
            b"  ^~~~\n",
            b"\n",
        ],
        factor: 4,
        run: |input| {
            let bounds = Bounds::new(200, 4000);
            let mut tail = Collector::new(bounds, Keep::Tail).with_key_lines(KeySpace::Shared);
            tail.push(&String::from_utf8_lossy(input));
            black_box(tail.finish_with(KeyForms::All));
        },
    },
    Parser {
        name: "outline",
        tokens: &[
            b"#define A \\\n\n\n",
            b"(",
            b"{",
            b"fn a() {\n",
            b"class A:\n",
            b"\"",
            b"'",
            b"/*",
            b"//",
            b"`",
            b"(/[",
            b"@a(",
            b"template<",
            b" operator(",
            b"R\"(",
            b"AA(b)",
            b"typedef (*",
            b"impl<",
            b"a.b.",
            b" = ",
            b"export const a = (",
            b"int a(int b)\n",
            b"  def a\n",
            b"end\n",
            b"}\n",
            b"?>",
            b"<?",
            b"r#\"",
            b"\"\"\"",
            b"=begin\n",
            b"struct a\n",
            b"namespace a\n",
            b"func (a) ",
            b" \n",
            b"  ",
            b"\t{\n",
            b"public: ",
            b"[",
            b"<",
            b"->",
            b";",
            b"\\",
        ],
        factor: 1,
        run: |input| {
            for ending in LANGUAGES {
                let language = Language::of_path(ending).unwrap();
                black_box(listed(definitions(input, language), 1000));
            }
        },
    },
    Parser {
        name: "definitions",
        tokens: &[
            b"#define A \\\n",
            b"(\n",
            b"{\n",
            b"fn a() {\n",
            b" fn a(\n",
            b"class A:\n",
            b"  def a(\n",
            b"int a(int b)\n",
            b"a(b,\n",
            b"}\n",
            b"\"\n",
            b"/*\n",
            b" \n",
            b"x\n",
            b"public a(\n",
            b"foo(x) {\n",
            b"typedef struct {\n",
            b"} a;\n",
            b"namespace a{\n",
            b"mod a {\n",
            b"class A {\n",
        ],
        factor: 4,
        run: |input| {
            let lines: Vec<u64> = (1..=memchr_lines(input)).collect();
            for ending in LANGUAGES {
                let language = Language::of_path(ending).unwrap();
                black_box(around(input, &lines, language, || false));
                for line in input.split(|byte| *byte == b'\n').take(100) {
                    let end = line.iter().position(|byte| !is_name_byte(*byte)).unwrap_or(line.len());
                    black_box(language.defines(line, &(0..end)));
                }
            }
        },
    },
    Parser {
        name: "globs",
        tokens: &[
            b"*", b"**/", b"a*", b"?", b"{a,", b"{a,b}", b"}", b"[a", b"[!a-z]", b"]", b"\\", b"!", b"a/",
            b".", b"/", b"+(",
        ],
        factor: 8,
        run: |input| {
            let text = String::from_utf8_lossy(input);
            // Globs have a limit of their own, so only the path grows.
            let (glob, path) = text.split_at(text.floor_char_boundary(GLOB_BYTES));
            if let Ok(glob) = Glob::new(glob, Path::new("/a"), false) {
                black_box((
                    glob.selects(path.as_bytes(), false),
                    glob.can_select_content_below(path.as_bytes()),
                ));
            }
        },
    },
    Parser {
        name: "folders of globs",
        tokens: &[b"*/", b"a/", b"**/", b"?*/", b"{a,b}/", b"[a]/"],
        factor: 1,
        run: |input| {
            // The larger input is as long as a glob may be. The last component can be incomplete.
            let glob = String::from_utf8_lossy(&input[..input.len() / 2]);
            let glob = glob.rsplit_once('/').map_or("", |(folders, _)| folders);
            black_box(Glob::new(glob, Path::new("/a"), false).is_ok());
        },
    },
    Parser {
        name: "ignore rules",
        tokens: &[
            b"*a\n",
            b"**/a\n",
            b"!a\n",
            b"/a/**/b\n",
            b"[a",
            b"[!a]*\n",
            b"{a,b}\n",
            b"a/\n",
            b"\\\n",
            b"#\n",
            b" \n",
            b"*",
            b"**/",
            b"?",
            b"a",
            b"*.a\n",
            b"a*b*c*\n",
            b"\xff\n",
        ],
        factor: 1,
        run: |input| {
            let folder = std::env::temp_dir().join(format!("cutline-growth-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(".gitignore"), input).unwrap();
            let mut files = RuleFilesPresent::default();
            files.see(b".gitignore");
            let open = OwnedFd::from(File::open(&folder).unwrap());
            let mut rules = IgnoreRules::for_walk_from(&folder);
            let base = [folder.as_os_str().as_encoded_bytes(), b"/"].concat();
            black_box(rules.enter(&open, base.len(), files));
            for name in [&b"a"[..], b"aaaaaaaaaaaaaaaaaaaaaaaab", b"x/y/z/a/b/c/d/e"] {
                black_box(rules.ignores(&[&*base, name].concat(), false));
            }
            fs::remove_dir_all(&folder).unwrap();
        },
    },
    Parser {
        name: "notices",
        tokens: &[
            b"[Showing lines 1-2 of 3]\n",
            b"[Full output: /a]\n",
            b"[",
            b"]",
            b"[a]\n",
            b"[\n",
            b"\n",
            b" ",
            b"[...",
            b"1-2 of ",
            b"[Exit code: 1]",
            b".",
        ],
        factor: 4,
        run: |input| {
            black_box(Notice::part_of_text(&String::from_utf8_lossy(input), None));
        },
    },
];

/// A file of each form of languages.
const LANGUAGES: &[&str] = &["a.cc", "a.java", "a.js", "a.php", "a.py", "a.rs"];

fn memchr_lines(input: &[u8]) -> u64 {
    input.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Runs a parser. callgrind writes its counts after this function.
#[inline(never)]
fn measured(parser: &Parser, input: &[u8]) {
    counted(parser, input);
}

/// callgrind counts from the start of this function. It accepts only one of the two options for a function.
#[inline(never)]
fn counted(parser: &Parser, input: &[u8]) {
    (parser.run)(black_box(input));
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|number| number.parse::<usize>().unwrap());
    let (part, parts) = (arguments.next().unwrap_or(0), arguments.next().unwrap_or(1));
    let mut number = 0;
    for parser in PARSERS {
        let mut inputs: Vec<(String, Box<dyn Fn(usize) -> Vec<u8>>)> = vec![
            ("a long line".into(), Box::new(|bytes| vec![b'a'; bytes])),
            ("blank lines".into(), Box::new(|bytes| vec![b'\n'; bytes])),
            ("short lines".into(), Box::new(|bytes| repeated(b"a b\n", bytes))),
            ("long lines".into(), Box::new(|bytes| repeated(&[&[b'a'; 1000][..], b"\n"].concat(), bytes))),
            (
                "nesting".into(),
                Box::new(|bytes| [repeated(b"({[<", bytes / 2), repeated(b">]})", bytes / 2)].concat()),
            ),
        ];
        for (n, token) in parser.tokens.iter().enumerate() {
            let shown = String::from_utf8_lossy(token).escape_debug().to_string();
            let next = parser.tokens[(n + 1 + n % 3) % parser.tokens.len()];
            let pair = [*token, next].concat();
            let line = [*token, b" a\n"].concat();
            let late = [token, &b"x"[..]].concat();
            inputs.push((format!("{shown} in a line"), Box::new(|bytes| repeated(token, bytes))));
            inputs.push((format!("{shown} in each line"), Box::new(move |bytes| repeated(&line, bytes))));
            inputs.push((format!("{shown} and the next one"), Box::new(move |bytes| repeated(&pair, bytes))));
            // A token, and a long text without its end.
            inputs.push((
                format!("{shown} once"),
                Box::new(move |bytes| [&late[..], &repeated(b"a(b) ", bytes)].concat()),
            ));
            if token.starts_with(b"\x1b") {
                // The sequence changes a long line again and again.
                let change = [token, &b"x\x08"[..]].concat();
                inputs.push((
                    format!("{shown} after a long text"),
                    Box::new(move |bytes| [repeated(b"x", bytes / 2), repeated(&change, bytes / 2)].concat()),
                ));
            }
        }
        for (name, generate) in &inputs {
            number += 1;
            if number % parts != part {
                continue;
            }
            for size in [BYTES * parser.factor, 2 * BYTES * parser.factor] {
                let input = generate(size);
                measured(parser, &input);
                println!("{}\t{name}\t{size}", parser.name);
            }
        }
    }
}

fn repeated(token: &[u8], bytes: usize) -> Vec<u8> {
    token.iter().copied().cycle().take(bytes).collect()
}
