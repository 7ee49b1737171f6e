//! Goes through the lines of a source file and finds those in which a definition begins.
//!
//! The indentation of a line says which definition it belongs to. The body of a function is skipped: a definition inside
//! it is of no use elsewhere.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the text that they were found in")]

use std::collections::VecDeque;
use std::ops::Range;

use memchr::memmem;

use super::head::{self, Head};
use super::regions::Regions;
use super::syntax::{End, Kind};
use super::top_level::{ends_template, top_level};
use super::{Definition, Syntax};
use crate::source::line::is_name_byte;

/// Bytes of the longest head.
const HEAD_BYTES: usize = 2000;
/// Columns of a tab.
const TAB_COLUMNS: usize = 8;

/// A definition whose body is being read.
#[derive(Debug)]
struct Scope {
    indent: usize,
    /// True if its members are listed.
    has_members: bool,
    is_listed: bool,
}

/// Returns the definitions of a source file, in the order of their lines. The text is read as the iterator advances.
///
/// ```
/// use cutline_core::outline::{Syntax, definitions};
/// let all: Vec<_> = definitions(b"class Pool:\n    def size(self):\n        pass\n", Syntax::Python).collect();
/// let lines: Vec<_> = all.iter().map(|one| (one.line, one.level, one.text.as_str())).collect();
/// assert_eq!(lines, [(1, 0, "class Pool"), (2, 1, "def size")]);
/// ```
pub fn definitions(text: &[u8], syntax: Syntax) -> impl Iterator<Item = Definition> {
    definitions_after(text, 0, syntax)
}

/// Returns all definitions after the first `shown` bytes of a part of a source file, and possibly some before. The part begins
/// with the start of a line. Most of the first bytes are not read. Lines are counted from the start of the part.
pub fn definitions_after(text: &[u8], shown: usize, syntax: Syntax) -> impl Iterator<Item = Definition> {
    let regions = Regions::new(text, syntax.facts());
    let found = VecDeque::new();
    let mut scanner =
        Scanner { text, syntax, regions, scopes: Vec::new(), unclosed: 0, counted: (0, 1), found };
    let mut at = match top_level(text, shown, syntax) {
        0 if syntax == Syntax::Php => scanner.start_of_php(),
        start => start,
    };
    std::iter::from_fn(move || {
        while scanner.found.is_empty() && at < text.len() {
            at = scanner.visit(at);
        }
        scanner.found.pop_front()
    })
}

/// What ends the head of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeadEnd {
    /// The `{` of its body.
    Body(usize),
    /// The `;`, the `}` around it, or the newline.
    NoBody(usize),
    /// None is near. The next definition begins after this offset.
    Far(usize),
}

struct Scanner<'a> {
    text: &'a [u8],
    syntax: Syntax,
    regions: Regions<'a>,
    scopes: Vec<Scope>,
    /// The indentations, one bit each, for which the rest of the text has no `}`.
    unclosed: u64,
    /// An offset, and the number of its line.
    counted: (usize, u64),
    /// Definitions that the iterator has not returned yet.
    found: VecDeque<Definition>,
}

impl Scanner<'_> {
    /// Returns the start of the first line of code. There is no code before the first `<?`, unless a `?>` precedes it.
    fn start_of_php(&self) -> usize {
        let find = |mark: &[u8]| memmem::find(self.text, mark);
        match (find(b"<?"), find(b"?>")) {
            (Some(open), close) if close.is_none_or(|close| open < close) => self.regions.line_end(open) + 1,
            _ => 0,
        }
    }

    /// Reads the line at `at`, or the definition that begins there. Returns the start of the next line to read.
    fn visit(&mut self, at: usize) -> usize {
        let (indent, code) = indentation(self.text, at);
        let Some(&first) = self.text.get(code) else { return self.text.len() };
        if first == b'\n' {
            return code + 1;
        }
        match self.regions.comment(code) {
            Some(End::Line) => return self.regions.line_end(code) + 1,
            Some(_) => return self.regions.next_line(code),
            None => {}
        }
        if let Some(scope) = self.scopes.last()
            && !scope.has_members
            && indent > scope.indent
        {
            let next = self.regions.next_line(code);
            return self.regions.next_outer(next, scope.indent);
        }
        if matches!(first, b'\r' | b')' | b']') {
            return self.regions.next_line(code);
        }
        if self.syntax.is_c() && first == b'#' {
            return self.directive(code);
        }
        if self.syntax.is_c() && self.is_label(code) || first == b'@' && self.is_annotation(code) {
            return self.regions.next_line(code);
        }
        while self.scopes.last().is_some_and(|scope| indent <= scope.indent) {
            self.scopes.pop();
        }
        match self.syntax {
            _ if first == b'}' => self.regions.next_line(code),
            Syntax::C | Syntax::Cpp | Syntax::Java => self.statement(indent, at..code),
            _ => self.line(indent, at..code),
        }
    }

    /// Reads a line of a language whose definitions begin with a keyword, or of JavaScript. `margin` is its indentation.
    fn line(&mut self, indent: usize, margin: Range<usize>) -> usize {
        let code = margin.end;
        let end = self.regions.line_end(code);
        let line = &self.text[code..end.min(code + HEAD_BYTES)];
        let is_member = self.scopes.last().is_some_and(|scope| scope.has_members);
        if self.syntax == Syntax::Go && indent > 0 && !is_member {
            return self.regions.next_line_after(code, end);
        }
        if self.syntax == Syntax::Go && line.starts_with(b"type (") {
            self.scopes.push(Scope { indent, has_members: true, is_listed: false });
            return self.regions.next_line_after(code, end);
        }
        let by_keyword = head::keyword(line, self.syntax);
        let is_script = self.syntax == Syntax::Script;
        let other = match self.syntax {
            Syntax::Script if is_member => head::method(line).or_else(|| head::assigned(line)),
            Syntax::Script if indent == 0 => head::assigned(line),
            Syntax::Go if is_member => head::go_type(line),
            _ => None,
        };
        let is_outer = indent == 0 || is_member;
        let by_keyword = by_keyword.filter(|head| head.kind != Kind::Variable || is_outer);
        let is_method = by_keyword.is_none();
        let Some(mut head) = by_keyword.or(other) else { return self.regions.next_line_after(code, end) };
        if !self.syntax.has_braces() {
            self.push(code, &mut head);
            self.enter(indent, &head);
            return self.regions.next_line_after(code, end);
        }
        let newline_ends = self.syntax == Syntax::Go || head.kind == Kind::Alias;
        match self.head_end(code + head.name.end, if newline_ends { usize::MAX } else { indent }) {
            HeadEnd::Body(brace) => {
                self.push(code, &mut head);
                self.body(indent, margin, brace, &head)
            }
            _ if is_script && is_method && head.kind == Kind::Closed => self.regions.next_line(code),
            HeadEnd::NoBody(end) => {
                self.push(code, &mut head);
                self.regions.next_line(end)
            }
            HeadEnd::Far(_) => {
                self.push(code, &mut head);
                self.regions.next_line(code)
            }
        }
    }

    /// Reads a statement of C, C++ or Java, whose definitions may have several lines.
    fn statement(&mut self, indent: usize, margin: Range<usize>) -> usize {
        let code = margin.end;
        match self.head_end(code, 0) {
            HeadEnd::Far(end) => self.regions.next_line(end),
            HeadEnd::NoBody(end) => {
                let statement = &self.text[code..end];
                if self.text[end] == b'}' && statement.contains(&b'\n') {
                    // The brace ends what is around it.
                    return end - self.text[..end].iter().rev().take_while(|&&byte| byte != b'\n').count();
                }
                if let Some(mut head) = head::alias(statement) {
                    self.push(code, &mut head);
                }
                self.regions.next_line(end)
            }
            HeadEnd::Body(brace) => {
                let statement = &self.text[code..brace];
                if head::is_block(statement, self.syntax) {
                    return self.regions.next_line(brace);
                }
                let by_keyword = head::keyword(statement, self.syntax)
                    .filter(|head| !self.syntax.is_c() || head::is_tag(statement, head));
                let mut found = by_keyword.or_else(|| head::function(statement));
                if let Some(head) = &mut found {
                    self.push(code, head);
                }
                let is_typedef = statement.starts_with(b"typedef");
                if is_typedef && let Some(close) = self.close(margin.clone(), brace) {
                    if let Some(mut head) = head::typedef_end(&self.text[close..self.regions.line_end(close)])
                    {
                        self.push(close, &mut head);
                    }
                    return self.regions.next_line(close);
                }
                match found {
                    Some(head) => self.body(indent, margin, brace, &head),
                    None => match self.balanced(brace) {
                        Some(close) => self.regions.next_line(close),
                        None => self.skip_body(indent, margin, brace),
                    },
                }
            }
        }
    }

    /// Reads a directive of C's preprocessor. Returns the start of the line after it.
    fn directive(&mut self, code: usize) -> usize {
        let mut end = self.regions.line_end(code);
        if let Some(mut head) = head::define(&self.text[code..end]) {
            self.push(code, &mut head);
        }
        while self.text[..end].trim_ascii_end().ends_with(b"\\") && end < self.text.len() {
            end = self.regions.line_end(end + 1);
        }
        end + 1
    }

    /// Returns true for a label of C: `public:`.
    fn is_label(&self, code: usize) -> bool {
        let line = self.text[code..self.regions.line_end(code)].trim_ascii_end();
        line.ends_with(b":") && !line.ends_with(b"::") && !line.contains(&b' ')
    }

    /// Returns true if there is only an annotation in a line.
    fn is_annotation(&self, code: usize) -> bool {
        let end = self.regions.line_end(code);
        let rest = code + head::after_annotation(&self.text[code..end], 0);
        let rest = rest + self.text[rest..end].len() - self.text[rest..end].trim_ascii_start().len();
        rest == end || self.regions.is_comment(rest)
    }

    /// Returns what ends the head of a definition whose name ends at `from`. Except in C, C++ and Java, a line that begins
    /// with a word and is not indented more than `indent` belongs to the next statement.
    fn head_end(&self, from: usize, indent: usize) -> HeadEnd {
        let mut depth = 0_usize;
        let (mut at, mut far) = (from, from);
        let limit = self.text.len().min(from + HEAD_BYTES);
        loop {
            at = self.regions.next_stop(at, limit);
            let Some(&stop) = self.text.get(at).filter(|_| at < limit) else { return HeadEnd::Far(far) };
            match stop {
                b'{' if depth == 0 => return HeadEnd::Body(at),
                b';' | b'}' if depth == 0 => return HeadEnd::NoBody(at),
                b'\n' if depth == 0 && self.ends_head(at + 1, indent) => return HeadEnd::NoBody(at),
                b'\n' if depth == 0 && at < from + HEAD_BYTES / 2 => far = at,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            at = self.regions.after(at);
        }
    }

    /// Returns true if the line at `at` does not belong to the head before it.
    fn ends_head(&self, at: usize, indent: usize) -> bool {
        let (columns, code) = indentation(self.text, at);
        let rest = &self.text[code..];
        match self.syntax {
            Syntax::C | Syntax::Cpp => rest.starts_with(b"#"),
            Syntax::Java => false,
            _ if indent == usize::MAX => true,
            _ => {
                columns <= indent
                    && rest.first().is_some_and(|&byte| is_name_byte(byte))
                    && !rest.starts_with(b"where")
            }
        }
    }

    /// Goes into the body at `brace`, or over it.
    fn body(&mut self, indent: usize, margin: Range<usize>, brace: usize, head: &Head) -> usize {
        if head.kind != Kind::Container {
            return self.skip_body(indent, margin, brace);
        }
        let end = self.regions.line_end(brace);
        if self.text[brace + 1..end].trim_ascii().is_empty()
            || self.balanced(brace).is_none_or(|close| close > end)
        {
            self.enter(indent, head);
        }
        self.regions.next_line(brace)
    }

    /// Returns the start of the line after the body at `brace`, or of its first line if its end is unknown.
    fn skip_body(&mut self, indent: usize, margin: Range<usize>, brace: usize) -> usize {
        if let Some(close) = self.close(margin, brace) {
            return self.regions.next_line(close);
        }
        self.scopes.push(Scope { indent, has_members: false, is_listed: false });
        self.regions.next_line(brace)
    }

    /// Returns the offset after the `}` of the body at `brace`. In a body of several lines, it has the same indentation as the
    /// head, which is `margin`, or as the `{`.
    fn close(&mut self, mut margin: Range<usize>, brace: usize) -> Option<usize> {
        let text = self.text;
        let end = self.regions.line_end(brace);
        if !text[brace + 1..end].trim_ascii().is_empty() {
            return self.balanced(brace);
        }
        let line = brace - text[..brace].iter().rev().take_while(|&&byte| byte != b'\n').count();
        if text[line..brace].trim_ascii().is_empty() {
            margin = line..brace;
        }
        let unclosed = 1_u64.checked_shl(u32::try_from(margin.len()).unwrap_or(u32::MAX))?;
        if unclosed & self.unclosed != 0 {
            return None;
        }
        let closer = [b"\n", &text[margin], b"}"].concat();
        let mut ends = memmem::find_iter(&text[end..], &closer).map(|found| end + found + closer.len());
        let found = ends.find(|&end| !ends_template(&text[end..]));
        if found.is_none() {
            self.unclosed |= unclosed;
        }
        found
    }

    /// Returns the offset after the brace that closes the one at `brace`, if it is near.
    fn balanced(&self, brace: usize) -> Option<usize> {
        let (mut at, mut depth) = (brace, 0_usize);
        let limit = self.text.len().min(brace + HEAD_BYTES);
        loop {
            at = self.regions.next_stop(at, limit);
            match self.text.get(at).filter(|_| at < limit)? {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            at = self.regions.after(at);
            if depth == 0 {
                return Some(at);
            }
        }
    }

    fn enter(&mut self, indent: usize, head: &Head) {
        let has_members = head.kind == Kind::Container;
        self.scopes.push(Scope { indent, has_members, is_listed: true });
    }

    /// Lists a definition whose head begins at `code`.
    fn push(&mut self, code: usize, head: &mut Head) {
        let at = code + head.name.start;
        let (counted, number) = self.counted;
        let line = number + memchr::memchr_iter(b'\n', &self.text[counted..at]).count() as u64;
        if line == number && counted > 0 {
            // The same line has another definition.
            return;
        }
        self.counted = (at, line);
        let level = self.scopes.iter().filter(|scope| scope.is_listed).count();
        let level = u8::try_from(level).unwrap_or(u8::MAX);
        self.found.push_back(Definition { line, level, text: std::mem::take(&mut head.text) });
    }
}

/// Returns the columns of the white space at `at`, and the offset after it.
pub(super) fn indentation(text: &[u8], at: usize) -> (usize, usize) {
    let mut columns = 0;
    for (len, byte) in text[at..].iter().enumerate() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += TAB_COLUMNS,
            _ => return (columns, at + len),
        }
    }
    (columns, text.len())
}
