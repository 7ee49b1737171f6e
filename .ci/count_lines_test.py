#!/usr/bin/env python3
"""Tests of count_lines.py."""

import unittest

from count_lines import count, part_of, types_in


class Count(unittest.TestCase):
    def check(self, expected, text):
        self.assertEqual(count(text), expected, text)

    def test_blank_lines_and_comments_do_not_count(self):
        self.check(2, "//! A module.\n\n/// A function.\nfn a() {\n    // nothing\n}\n")
        self.check(1, "/* one /* nested */\n still */\nfn a() {}\n")
        self.check(1, "fn a() {} // with a comment\n")

    def test_comment_signs_in_literals_count(self):
        self.check(2, 'const A: &str = "// no\n/* comment";\n')
        self.check(2, 'const A: &str = r#"\n// "still" a text"#;\n')
        self.check(2, "const A: char = '\"';\nconst B: char = '\"'; // end\n")
        self.check(2, "fn a<'a>(b: &'a str) -> &'a str {\n    b }\n")
        self.check(1, "const A: char = '\\u{2028}'; // '\n")

    def test_code_after_a_single_test_item_counts(self):
        self.check(2, "mod a;\n#[cfg(test)]\nmod tests;\nmod b;\n")
        self.check(1, "#[cfg(test)]\nuse a::{b, c};\nfn d() {}\n")
        self.check(1, "#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests;\nfn d() {}\n")

    def test_test_modules_and_functions_do_not_count(self):
        self.check(1, 'fn a() {}\n#[cfg(test)]\nmod tests {\n    const B: &str = "}";\n    fn c() {}\n}\n')
        self.check(1, "#[test]\nfn a() {\n    b();\n}\nfn b() {}\n")
        self.check(1, "#[tokio::test(start_paused = true)]\nasync fn a() {\n    b();\n}\nfn b() {}\n")
        self.check(1, "#[cfg(all(test, unix))]\nfn a<B, C>(b: B) {\n}\nfn b() {}\n")

    def test_fields_and_statements_end_at_their_separator(self):
        self.check(3, "struct A {\n    #[cfg(test)]\n    b: Vec<u8>,\n    c: u8,\n}\n")
        self.check(3, "struct A {\n    #[cfg(test)]\n    b: u8\n}\nfn c() {}\n")

    def test_other_attributes_count(self):
        self.check(2, "#[cfg(unix)]\nfn a() {}\n")
        self.check(2, "#[cfg(not(test))]\nfn a() {}\n")

    def test_types_outside_tests_are_found(self):
        text = "pub(super) type A = u8;\nimpl B for C {\n    type D = u8;\n}\npub enum E<T> {}\n"
        self.assertEqual(types_in(text + "#[cfg(test)]\nmod tests {\n    struct F;\n}\n// struct G\n"), ["A", "E"])

    def test_longest_folder_decides_the_part(self):
        cases = {
            "src/cli/wrap.rs": "wrap and cli/wrap",
            "src/cli/wrapped.rs": "cli without wrap",
            "src/main.rs": "fit, limits, stop, others",
            "core/src/text/tokens.rs": "core: tokens, terminal, decode, text",
            "core/src/lib.rs": "core: notice, details",
        }
        self.assertEqual({path: part_of(path) for path in cases}, cases)


if __name__ == "__main__":
    unittest.main()
