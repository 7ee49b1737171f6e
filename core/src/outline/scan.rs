//! Goes through the lines of a source file and finds those in which a definition begins.
//!
//! The indentation of a line says which definition it belongs to. The body of a function is skipped: a definition inside
//! it is of no use elsewhere.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the text that they were found in")]

use std::cell::Cell;
use std::collections::HashSet;

use memchr::memmem::Finder;

use super::head::{Head, Place, head};
use super::lexer::Lexer;
use super::{Definition, Syntax, c_head};

/// Bytes of a line that are read.
const LINE_BYTES: usize = 400;
/// Columns of a tab.
const TAB_COLUMNS: usize = 8;
/// Bytes that may be read ahead for each byte of the file, to see whether a body follows.
const AHEAD_FACTOR: usize = 2;

/// A definition whose body may follow.
#[derive(Debug)]
struct Scope {
    indent: usize,
    /// True if its members are listed.
    has_members: bool,
    /// The indentation of its members, once the first one was read.
    member_indent: Option<usize>,
    is_listed: bool,
}

/// Returns the definitions of a source file, in the order of their lines.
///
/// ```
/// use cutline_core::outline::{Syntax, definitions};
/// let all = definitions(b"class Pool:\n    def size(self):\n        pass\n", Syntax::Python);
/// let lines: Vec<_> = all.iter().map(|one| (one.line, one.level, one.text.as_str())).collect();
/// assert_eq!(lines, [(1, 0, "class Pool"), (2, 1, "def size")]);
/// ```
pub fn definitions(text: &[u8], syntax: Syntax) -> Vec<Definition> {
    let mut scanner = Scanner {
        text,
        syntax,
        scopes: Vec::new(),
        typedef: None,
        not_closed: HashSet::new(),
        ahead: Cell::new(text.len().saturating_mul(AHEAD_FACTOR)),
        found: Vec::new(),
    };
    scanner.scan();
    scanner.found
}

/// A `typedef` of C whose name is still to come.
struct Typedef {
    indent: usize,
    /// True for an enumeration, whose name may follow its last value in the same line.
    is_enum: bool,
}

struct Scanner<'a> {
    text: &'a [u8],
    syntax: Syntax,
    scopes: Vec<Scope>,
    typedef: Option<Typedef>,
    /// Ends of bodies that do not occur in the rest of the text.
    not_closed: HashSet<Vec<u8>>,
    /// Bytes that may still be read ahead.
    ahead: Cell<usize>,
    found: Vec<Definition>,
}

impl Scanner<'_> {
    fn scan(&mut self) {
        let mut lexer = Lexer::new(self.text, self.syntax);
        let mut at = lexer.start();
        let mut number = 1 + newlines(&self.text[..at]);
        let mut is_continued = false;
        while at < self.text.len() {
            let (indent, code) = indentation(&self.text[at..]);
            let start = at + code;
            let begins_body = !is_continued
                && self.may_define(indent, start)
                && self.visit(number, indent, start)
                && self.scopes.last().is_some_and(|scope| !scope.has_members);
            let skipped = if begins_body { self.after_body(&mut lexer, at, start) } else { None };
            let Some(next) = skipped.or_else(|| lexer.next_line(at)) else { break };
            number += newlines(&self.text[at..next]);
            let line = &self.text[..next - 1];
            is_continued = line.ends_with(b"\\") || line.ends_with(b"\\\r");
            at = next;
        }
    }

    /// Returns false only if no definition that counts begins in a line, by its indentation and first character.
    fn may_define(&self, indent: usize, start: usize) -> bool {
        let Some(&first) = self.text.get(start) else { return false };
        if matches!(first, b'\n' | b'\r') {
            return false;
        }
        if self.syntax.is_c() && (first == b'#' || self.typedef.is_some()) {
            return true;
        }
        match self.scopes.last() {
            None => indent == 0 || self.syntax != Syntax::C,
            Some(scope) if indent <= scope.indent => true,
            Some(scope) => {
                let is_deeper = scope.member_indent.is_some_and(|members| indent > members);
                scope.has_members && !(is_deeper && self.syntax == Syntax::Java)
            }
        }
    }

    /// Reads a line. Returns true if a body may begin in it.
    fn visit(&mut self, number: u64, indent: usize, start: usize) -> bool {
        let rest = &self.text[start..];
        let line = &rest[..rest.len().min(LINE_BYTES)];
        let line = line[..memchr::memchr(b'\n', line).unwrap_or(line.len())].trim_ascii_end();
        if self.syntax.is_comment(line) {
            return false;
        }
        if self.syntax.is_c() && line.starts_with(b"#") {
            if let Some(text) = c_head::define(line) {
                self.push(number, text);
            }
            return false;
        }
        while let Some(scope) = self.scopes.last() {
            if indent > scope.indent {
                break;
            }
            if indent == scope.indent && self.syntax.continues(line) {
                return true;
            }
            self.scopes.pop();
        }
        // C++ is indented in too many ways: there braces of namespaces often indent nothing.
        let is_any_indent = self.syntax == Syntax::Cpp;
        let is_outer = match self.scopes.last_mut() {
            None => indent == 0 || is_any_indent,
            Some(scope) if !scope.has_members => return false,
            Some(_) if self.syntax.is_c() && line.ends_with(b":") && !line.contains(&b' ') => return false,
            Some(scope) => *scope.member_indent.get_or_insert(indent) >= indent || is_any_indent,
        };
        if self.syntax.is_c() && self.ends_typedef(number, indent, line) {
            return false;
        }
        let place = Place {
            syntax: self.syntax,
            rest,
            before: self.before(start),
            is_outer,
            in_type: !self.scopes.is_empty(),
            at_line_start: indent == 0,
            ahead: &self.ahead,
        };
        let Some(Head { text, has_members }) = head(line, &place) else { return false };
        let is_listed = !text.is_empty();
        if is_listed {
            self.push(number, text);
        }
        self.scopes.push(Scope { indent, has_members, member_indent: None, is_listed });
        true
    }

    /// Returns true if a line of C closes braces. Adds the name of a `typedef` that it ends.
    fn ends_typedef(&mut self, number: u64, indent: usize, line: &[u8]) -> bool {
        let closes = line.starts_with(b"}");
        let ends = self.typedef.as_ref().is_some_and(|typedef| {
            if closes { typedef.indent == indent } else { typedef.is_enum && line.contains(&b'}') }
        });
        if ends {
            self.typedef = None;
            let close = memchr::memchr(b'}', line).unwrap_or(0);
            if let Some(text) = c_head::typedef_end(&line[close..]) {
                self.push(number, text);
            }
        } else if line.starts_with(b"typedef") && !line.contains(&b';') {
            self.typedef = Some(Typedef { indent, is_enum: line.starts_with(b"typedef enum") });
        }
        closes || ends
    }

    /// Returns the start of the line that closes the body which the line at `at` opens. The indentation of both is the
    /// same. `start` is the offset after the indentation.
    fn after_body(&mut self, lexer: &mut Lexer<'_>, at: usize, start: usize) -> Option<usize> {
        let text = self.text;
        let end = start + memchr::memchr(b'\n', &text[start..])?;
        let opener = text[start..end].trim_ascii_end();
        let closer: &[u8] = match self.syntax {
            Syntax::Ruby if is_long_method(opener) => b"end",
            Syntax::Ruby | Syntax::Python => return None,
            _ if opener.ends_with(b"{") => b"}",
            _ => return None,
        };
        let closer = [b"\n", &text[at..start], closer].concat();
        if self.not_closed.contains(&closer) {
            return None;
        }
        let finder = Finder::new(&closer);
        let Some(mut close) = finder.find(&text[end..]).map(|found| end + found) else {
            self.not_closed.insert(closer);
            return None;
        };
        // Strings and comments of several lines may contain what looks like the end.
        let mut line = at;
        loop {
            let mark = lexer.next_mark(line);
            if mark > close {
                return Some(close + 1);
            }
            let of_mark =
                memchr::memrchr(b'\n', &text[line..mark]).map_or(line, |newline| line + newline + 1);
            line = lexer.next_line(of_mark)?;
            if line - 1 > close {
                close = line - 1 + finder.find(&text[line - 1..])?;
            }
        }
    }

    /// Returns the last line before `start` that is not blank.
    fn before(&self, start: usize) -> &[u8] {
        let text = self.text[start.saturating_sub(LINE_BYTES)..start].trim_ascii_end();
        text[memchr::memrchr(b'\n', text).map_or(0, |at| at + 1)..].trim_ascii()
    }

    fn push(&mut self, line: u64, text: String) {
        let level = self.scopes.iter().filter(|scope| scope.is_listed).count();
        self.found.push(Definition { line, level: u8::try_from(level).unwrap_or(u8::MAX), text });
    }
}

/// Returns true for a method of Ruby that has a body: not for `def a; end` and `def a = 1`.
fn is_long_method(line: &[u8]) -> bool {
    let has = |text: &[u8]| memchr::memmem::find(line, text).is_some();
    has(b"def ") && !line.ends_with(b"end") && !has(b" = ") && !has(b";")
}

fn newlines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

/// Returns the columns and the bytes of white space at the start of a text.
fn indentation(text: &[u8]) -> (usize, usize) {
    let mut columns = 0;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += TAB_COLUMNS,
            _ => return (columns, at),
        }
    }
    (columns, text.len())
}
