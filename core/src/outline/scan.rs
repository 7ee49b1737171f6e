//! Goes through the lines of a source file and finds the definitions that begin in them, and those around them.
//!
//! The indentation of a line decides which definition it belongs to.

use super::code::Code;
use super::head::{self, HEAD_BYTES, Head, first_word, is_macro, is_name_byte};
use super::language::{Kind, Language, Style};
use super::{Around, Definition, DefinitionLine};

/// Lines of the longest head.
const HEAD_LINES: u64 = 50;
/// The largest number of definitions around a line. Of more, the outermost ones are forgotten: namespaces of C++ nest
/// without an indentation, and each line can look at all definitions around it.
const SCOPES: usize = 32;
/// Columns of a tab.
const TAB_COLUMNS: usize = 8;

/// A definition whose head or body is being read.
#[derive(Debug)]
struct Scope<'a> {
    indent: usize,
    kind: Kind,
    /// The line with its name.
    line: DefinitionLine<'a>,
    /// Its head, if it is a definition only if a body follows.
    unsure: Option<Head>,
    /// True if it ends with the name of a type of C.
    is_typedef: bool,
    /// True after the `{` of its body.
    is_open: bool,
    /// The number of brackets that are open in its head.
    depth: usize,
}

/// Reads a text line by line.
pub(super) struct Scanner<'a> {
    language: &'static Language,
    /// The text after the last line.
    rest: &'a [u8],
    code: Code,
    /// Memory for the code of a line.
    buffer: Vec<u8>,
    pub(super) line: DefinitionLine<'a>,
    /// True if the last line begins with code, and not in a string or a comment.
    is_code: bool,
    /// True if the last line begins in a string or a comment.
    is_inside: bool,
    /// True if the next line continues a directive of C's preprocessor.
    is_directive: bool,
    /// The definitions around the last line, at most [`SCOPES`].
    scopes: Vec<Scope<'a>>,
    /// Definitions found in the last line, or that the last line made sure. True for those inside a function.
    pub(super) found: Vec<(Definition, bool)>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8], language: &'static Language) -> Self {
        Self {
            language,
            rest: text,
            code: Code::new(language),
            buffer: Vec::new(),
            line: DefinitionLine { line: 0, text: b"" },
            is_code: false,
            is_inside: false,
            is_directive: false,
            scopes: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Reads the next line. Returns false at the end of the text.
    pub(super) fn advance(&mut self) -> bool {
        if self.rest.is_empty() {
            return false;
        }
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        self.line = DefinitionLine { line: self.line.line + 1, text };
        (self.is_code, self.is_inside) = (false, self.code.is_inside());
        self.found.clear();
        let mut code = std::mem::take(&mut self.buffer);
        self.code.strip(text, &mut code);
        self.read(&code);
        self.buffer = code;
        true
    }

    fn is_c(&self) -> bool {
        self.language.style == Style::C
    }

    /// Reads the code of a line.
    fn read(&mut self, code: &[u8]) {
        let trimmed = code.trim_ascii();
        let is_continued = std::mem::take(&mut self.is_directive);
        let Some(&first) = trimmed.first() else { return };
        let is_directive = is_continued || self.is_c() && first == b'#' && !self.is_inside;
        self.is_directive = is_directive && trimmed.ends_with(b"\\");
        let is_label = self.is_c() && trimmed.ends_with(b":") && !trimmed.contains(&b' ');
        if is_continued || is_label {
            return;
        }
        let indent = columns(code);
        if !self.is_inside && !is_directive {
            self.is_code = true;
            self.leave(indent, trimmed, first);
        }
        let is_in_head = self.scopes.last().is_some_and(|scope| !scope.is_open);
        if is_in_head && !is_directive {
            self.feed(code);
        } else if !is_in_head && !self.is_inside {
            let is_member = self.scopes.last().is_some_and(|scope| scope.kind != Kind::Function);
            let head = head::find(code.get(..HEAD_BYTES).unwrap_or(code), self.language, is_member);
            self.enter(head, indent, code);
        }
    }

    /// Leaves the definitions that end before a line.
    fn leave(&mut self, indent: usize, code: &[u8], first: u8) {
        let word = first_word(code);
        let continues = matches!(word, b"where" | b"noexcept" | b"const" | b"requires" | b"throws")
            || self.is_c() && is_macro(word);
        while let Some(scope) = self.scopes.last() {
            let is_head =
                !scope.is_open && (continues || !is_name_byte(first) && (first != b'}' || scope.depth > 0));
            let is_over = indent <= scope.indent && !b"{)]".contains(&first) && !is_head;
            let is_far = !scope.is_open && self.line.line > scope.line.line + HEAD_LINES;
            // The lines of a namespace of C++ are often not indented.
            let is_block = self.is_c() && scope.kind == Kind::Module && scope.is_open;
            if !is_over && !is_far || is_block && first != b'}' {
                break;
            }
            let is_typedef = scope.is_typedef && first == b'}';
            self.scopes.pop();
            if let Some(head) = head::typedef(code).filter(|_| is_typedef) {
                self.report(self.line.line, indent, head.text(code));
            }
            if is_block {
                break;
            }
        }
    }

    /// Enters the definition that begins in a line.
    fn enter(&mut self, head: Option<Head>, indent: usize, code: &[u8]) {
        let is_typedef = self.is_c() && code.starts_with(b"typedef ");
        let is_open = self.language.style == Style::Indented;
        // The type in a `typedef` may have no name.
        let Some(kind) = head.as_ref().map(|head| head.kind).or(is_typedef.then_some(Kind::Type)) else {
            return;
        };
        let line = self.line;
        if let Some(head) = head.as_ref().filter(|head| head.is_certain) {
            self.report(line.line, indent, head.text(line.text));
        }
        if kind != Kind::Alias || !is_open && !self.is_c() {
            let unsure = head.filter(|head| !head.is_certain);
            if self.scopes.len() == SCOPES {
                self.scopes.remove(0);
            }
            self.scopes.push(Scope { indent, kind, line, unsure, is_typedef, is_open, depth: 0 });
            self.feed(code);
        }
    }

    /// Looks in a line for the body of the innermost definition.
    fn feed(&mut self, code: &[u8]) {
        let Some(scope) = self.scopes.last_mut().filter(|scope| !scope.is_open) else { return };
        let (mut braces, mut before) = (0_usize, 0);
        for &byte in code.iter().filter(|byte| !byte.is_ascii_whitespace()) {
            match byte {
                b'{' if scope.is_open => braces += 1,
                b'}' if scope.is_open => braces = braces.saturating_sub(1),
                _ if scope.is_open => {}
                b'{' if scope.depth == 0 => (scope.is_open, braces) = (true, 1),
                // Without a body. A function in the arguments of a call has its own.
                b';' | b'{'
                    if scope.depth == 0
                        || byte == b'{' && scope.unsure.is_some() && b")>".contains(&before) =>
                {
                    self.scopes.pop();
                    return;
                }
                b'(' | b'[' | b'{' => scope.depth += 1,
                b')' | b']' | b'}' => scope.depth = scope.depth.saturating_sub(1),
                _ => {}
            }
            before = byte;
        }
        let (line, indent, is_over) = (scope.line, scope.indent, scope.is_open && braces == 0);
        if let Some(head) = scope.unsure.take_if(|_| scope.is_open) {
            self.report(line.line, indent, head.text(line.text));
        }
        if is_over {
            self.scopes.pop();
        }
    }

    /// Reports a definition in a line that is indented by `indent`.
    fn report(&mut self, line: u64, indent: usize, text: String) {
        let around = || self.scopes.iter().filter(|scope| scope.line.line != line);
        // Namespaces of C++ are no levels.
        let is_level =
            |scope: &&Scope<'_>| scope.indent < indent && !(self.is_c() && scope.kind == Kind::Module);
        let level = u8::try_from(around().filter(is_level).count()).unwrap_or(u8::MAX);
        let is_inner = around().any(|scope| scope.kind == Kind::Function);
        self.found.push((Definition { line, level, text }, is_inner));
    }

    /// Returns the line of the innermost definition if its body did not begin yet, so that it may be none.
    pub(super) fn unsure_line(&self) -> Option<u64> {
        self.scopes.last().filter(|scope| scope.unsure.is_some()).map(|scope| scope.line.line)
    }

    /// Returns the innermost definitions around the last line. `in_head` is true if the innermost one counts although its body
    /// did not begin yet.
    pub(super) fn around(&self, in_head: bool) -> Around<'a> {
        let is_indented = self.language.style == Style::Indented;
        let is_around = |scope: &&Scope<'_>| {
            let has_begun = if self.is_code {
                scope.unsure.is_none() || in_head
            } else {
                // A comment is no part of a head. An indentation that is less than that of the body ends it.
                scope.is_open && (!is_indented || self.is_inside || columns(self.line.text) > scope.indent)
            };
            has_begun && scope.line != self.line && !scope.is_typedef
        };
        let mut scopes = self.scopes.iter().rev().filter(is_around).peekable();
        let function = scopes.next_if(|scope| scope.kind == Kind::Function).map(|scope| scope.line);
        let container = scopes.find(|scope| scope.kind == Kind::Type).map(|scope| scope.line);
        Around { container, function }
    }
}

/// Returns the columns of the white space at the start of a line.
fn columns(line: &[u8]) -> usize {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.map(|byte| if *byte == b'\t' { TAB_COLUMNS } else { 1 }).sum()
}
