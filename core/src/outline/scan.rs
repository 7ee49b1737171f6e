//! Goes through the lines of a source file and finds the definitions that begin in them, and those around them.
//!
//! The indentation of a line decides which definition it belongs to.

use std::ops::Range;

use super::code::Code;
use super::head::{self, HEAD_BYTES, Head, first_word, is_macro, is_name_byte};
use super::language::{Kind, Language, Style};
use super::{Around, DefinitionLine};

/// Lines of the longest head.
const HEAD_LINES: u64 = 50;
/// Columns of a tab.
const TAB_COLUMNS: usize = 8;

/// A definition whose body, or whose head, is being read.
#[derive(Debug)]
pub(super) struct Scope {
    indent: usize,
    pub(super) kind: Kind,
    /// The number of the line with its name.
    pub(super) line: u64,
    /// That line in the text.
    pub(super) range: Range<usize>,
    /// Its head, if it is a definition only if a body follows.
    unsure: Option<Head>,
    /// True if it ends with the name of a type of C.
    is_typedef: bool,
    /// True after the `{` of its body.
    pub(super) is_open: bool,
    /// The number of brackets that are open in its head.
    depth: usize,
}

/// A definition that was found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) line: u64,
    /// The number of types and modules around it.
    pub(super) level: usize,
    /// True if it is inside a function.
    pub(super) is_inner: bool,
    /// What it defines.
    pub(super) text: String,
}

/// Reads a text line by line.
pub(super) struct Scanner<'a> {
    pub(super) text: &'a [u8],
    language: &'static Language,
    code: Code,
    /// The start of the next line.
    at: usize,
    /// The number of the last line.
    pub(super) line: u64,
    /// The last line.
    range: Range<usize>,
    /// True if the last line begins with code.
    is_code: bool,
    /// True if the last line begins in a string or a comment.
    is_inside: bool,
    /// The definitions around the last line.
    pub(super) scopes: Vec<Scope>,
    /// True if the next line continues a directive of C's preprocessor.
    is_directive: bool,
    /// Definitions found in the last line, or that the last line made sure.
    pub(super) found: Vec<Found>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8], language: &'static Language) -> Self {
        Self {
            text,
            language,
            code: Code::new(language),
            at: 0,
            line: 0,
            range: 0..0,
            is_code: false,
            is_inside: false,
            scopes: Vec::new(),
            is_directive: false,
            found: Vec::new(),
        }
    }

    /// Reads the next line. Returns false at the end of the text.
    pub(super) fn advance(&mut self) -> bool {
        let Some(rest) = self.text.get(self.at..).filter(|rest| !rest.is_empty()) else { return false };
        let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let range = self.at..self.at + len;
        self.at = range.end + 1;
        self.line += 1;
        self.range = range.clone();
        self.is_code = false;
        self.found.clear();
        self.is_inside = self.code.is_inside();
        let is_continued = std::mem::take(&mut self.is_directive);
        let code = self.code.take(rest.get(..len).unwrap_or_default());
        self.read(range, &code, is_continued);
        self.code.put_back(code);
        true
    }

    /// Reads a line with this code. `is_continued` is true if it continues a directive.
    fn read(&mut self, range: Range<usize>, code: &[u8], is_continued: bool) {
        let is_c = self.language.style == Style::C;
        let trimmed = code.trim_ascii();
        let Some(&first) = trimmed.first() else { return };
        let is_directive = is_continued || is_c && first == b'#' && !self.is_inside;
        self.is_directive = is_directive && trimmed.ends_with(b"\\");
        let is_label = is_c && trimmed.ends_with(b":") && !trimmed.contains(&b' ');
        if is_continued || is_label {
            return;
        }
        let indent = columns(code);
        if !self.is_inside && !is_directive {
            self.is_code = true;
            self.leave(indent, code);
        }
        if !is_directive && self.scopes.last().is_some_and(|scope| !scope.is_open) {
            return self.feed(code);
        }
        if self.is_inside {
            return;
        }
        let is_member = self.scopes.last().is_some_and(|scope| scope.kind != Kind::Function);
        if let Some(head) = head::find(code.get(..HEAD_BYTES).unwrap_or(code), self.language, is_member) {
            self.enter(head, indent, range, code);
        } else if is_c && code.starts_with(b"typedef ") && !head::names_type(code) {
            let kind = Kind::Type;
            self.scopes.push(Scope {
                indent,
                kind,
                line: self.line,
                range,
                unsure: None,
                is_typedef: true,
                is_open: false,
                depth: 0,
            });
            self.feed(code);
        }
    }

    /// Leaves the definitions that end before a line.
    fn leave(&mut self, indent: usize, code: &[u8]) {
        let rest = code.trim_ascii_start();
        let first = rest.first().copied().unwrap_or_default();
        let word = first_word(rest);
        while let Some(scope) = self.scopes.last() {
            let continues_head = !scope.is_open
                && (!is_name_byte(first) && (first != b'}' || scope.depth > 0)
                    || matches!(word, b"where" | b"noexcept" | b"const" | b"requires" | b"throws")
                    || self.language.style == Style::C && is_macro(word));
            // The lines of a namespace are often not indented.
            let is_block = self.language.style == Style::C && scope.kind == Kind::Module && scope.is_open;
            let is_over = indent <= scope.indent && !b"{)]".contains(&first) && !continues_head;
            let is_far = !scope.is_open && self.line > scope.line + HEAD_LINES;
            if !is_over && !is_far || is_block && first != b'}' {
                break;
            }
            if scope.is_typedef
                && first == b'}'
                && let Some(head) = head::typedef(rest)
            {
                self.scopes.pop();
                self.report(self.line, indent, head.text(rest));
            } else {
                self.scopes.pop();
            }
            if is_block {
                break;
            }
        }
    }

    /// Enters the definition that begins in a line.
    fn enter(&mut self, head: Head, indent: usize, range: Range<usize>, code: &[u8]) {
        let line = self.text.get(range.clone()).unwrap_or_default();
        if head.is_certain {
            self.report(self.line, indent, head.text(line));
        }
        let is_indented = self.language.style == Style::Indented;
        if head.kind == Kind::Alias && (is_indented || self.language.style == Style::C) {
            return;
        }
        let kind = head.kind;
        let unsure = (!head.is_certain).then_some(head);
        let is_typedef = self.language.style == Style::C && code.starts_with(b"typedef ");
        self.scopes.push(Scope {
            indent,
            kind,
            line: self.line,
            range,
            unsure,
            is_typedef,
            is_open: is_indented,
            depth: 0,
        });
        self.feed(code);
    }

    /// Looks in a line for the body of the innermost definition.
    fn feed(&mut self, code: &[u8]) {
        let Some(scope) = self.scopes.last_mut().filter(|scope| !scope.is_open) else { return };
        let mut braces = 0_usize;
        let mut before = 0;
        for &byte in code {
            match byte {
                _ if scope.is_open => match byte {
                    b'{' => braces += 1,
                    b'}' => braces = braces.saturating_sub(1),
                    _ => {}
                },
                b'{' if scope.depth == 0 => (scope.is_open, braces) = (true, 1),
                // A function in the arguments of a call.
                b'{' if scope.unsure.is_some() && matches!(before, b')' | b'>') => {
                    self.scopes.pop();
                    return;
                }
                b';' if scope.depth == 0 => {
                    self.scopes.pop();
                    return;
                }
                b'(' | b'[' | b'{' => scope.depth += 1,
                b')' | b']' | b'}' => scope.depth = scope.depth.saturating_sub(1),
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                before = byte;
            }
        }
        if !scope.is_open {
            return;
        }
        let (line, indent, range) = (scope.line, scope.indent, scope.range.clone());
        let unsure = scope.unsure.take();
        if let Some(head) = unsure {
            let text = head.text(self.text.get(range).unwrap_or_default());
            let scope = self.scopes.pop();
            self.report(line, indent, text);
            self.scopes.extend(scope);
        }
        if braces == 0 {
            self.scopes.pop();
        }
    }

    /// Returns the line of the innermost definition if its body did not begin yet, so that it may be none.
    pub(super) fn unsure_line(&self) -> Option<u64> {
        self.scopes.last().filter(|scope| scope.unsure.is_some()).map(|scope| scope.line)
    }

    /// Returns the innermost definitions around the last line. `in_head` is true if the innermost one counts although its body
    /// did not begin yet.
    pub(super) fn around(&self, in_head: bool) -> Around<'a> {
        let line = self.text.get(self.range.clone()).unwrap_or_default();
        let is_indented = self.language.style == Style::Indented;
        let is_around = |scope: &&Scope| {
            let has_begun = if self.is_code {
                scope.unsure.is_none() || in_head
            } else {
                // A comment is no part of a head. An indentation that is less than that of the body ends it.
                scope.is_open && (!is_indented || self.is_inside || columns(line) > scope.indent)
            };
            has_begun && scope.line != self.line && !scope.is_typedef
        };
        let line_of = |scope: &Scope| DefinitionLine {
            line: scope.line,
            text: self.text.get(scope.range.clone()).unwrap_or_default(),
        };
        let mut scopes = self.scopes.iter().rev().filter(is_around).peekable();
        let function = scopes.next_if(|scope| scope.kind == Kind::Function).map(line_of);
        let container = scopes.find(|scope| scope.kind == Kind::Type).map(line_of);
        Around { container, function }
    }

    fn report(&mut self, line: u64, indent: usize, text: String) {
        // Namespaces of C++ are often not indented, so they are no levels.
        let is_c = self.language.style == Style::C;
        let is_level = |scope: &&Scope| scope.indent < indent && !(is_c && scope.kind == Kind::Module);
        let level = self.scopes.iter().filter(is_level).count();
        let is_inner = self.scopes.iter().any(|scope| scope.kind == Kind::Function);
        self.found.push(Found { line, level, is_inner, text });
    }
}

/// Returns the columns of the white space at the start of a line.
fn columns(line: &[u8]) -> usize {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.map(|byte| if *byte == b'\t' { TAB_COLUMNS } else { 1 }).sum()
}
