//! Finds the lines that begin in code, not within a string or a comment of several lines.
//!
//! A line is read byte by byte only if it contains a mark by which such a string or comment may begin. Other lines are
//! found at the speed of a search for newlines.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the text that they were found in")]

use std::cell::Cell;

use memchr::memmem::{self, Finder};

use super::Syntax;

/// Levels of templates within templates that are followed.
const TEMPLATE_DEPTH: usize = 16;
/// Here documents without an end, after which `<<` counts as an operator.
const UNENDED_HEREDOCS: u32 = 8;

/// Reads the text of a file line by line.
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    syntax: Syntax,
    /// The bytes by which strings and comments begin, and newlines.
    special: [bool; 256],
    /// The marks by which strings and comments of several lines begin, and the offset of the next occurrence of each.
    marks: Vec<(Finder<'static>, usize)>,
    /// Number of here documents whose end was not found.
    unended: Cell<u32>,
}

impl<'a> Lexer<'a> {
    /// Returns a lexer for a file.
    pub(super) fn new(text: &'a [u8], syntax: Syntax) -> Self {
        let bytes: &[u8] = match syntax {
            Syntax::C | Syntax::Cpp | Syntax::Java | Syntax::Rust => b"\"'/",
            Syntax::Go | Syntax::Script => b"\"'`/",
            Syntax::Python => b"\"'#",
            Syntax::Ruby => b"\"'`#<=_",
            Syntax::Php => b"\"'`#/<?",
        };
        let mut special = [false; 256];
        for &byte in bytes.iter().chain(b"\n") {
            special[usize::from(byte)] = true;
        }
        let marks: &[&str] = match syntax {
            Syntax::C => &["/*"],
            Syntax::Cpp => &["/*", "R\""],
            Syntax::Java => &["/*", "\"\"\""],
            Syntax::Go | Syntax::Script => &["/*", "`"],
            Syntax::Rust => &["/*", "\""],
            Syntax::Python => &["\"\"\"", "'''"],
            Syntax::Ruby => &["<<", "\n=begin", "\n__END__"],
            Syntax::Php => &["/*", "\"", "'", "<<<", "?>"],
        };
        let marks = marks.iter().map(|mark| (Finder::new(*mark), usize::MAX)).collect();
        let mut lexer = Self { text, syntax, special, marks, unended: Cell::new(0) };
        lexer.find_marks(0, true);
        lexer
    }

    /// Returns the offset of the next mark by which a string or a comment of several lines may begin, from `at` on. Offsets
    /// are asked for in ascending order, except within one line.
    pub(super) fn next_mark(&mut self, at: usize) -> usize {
        self.find_marks(at, false);
        self.marks.iter().map(|(_, next)| *next).min().unwrap_or(usize::MAX)
    }

    /// Finds the marks again that are before `at`, or all of them.
    fn find_marks(&mut self, at: usize, all: bool) {
        for (finder, next) in &mut self.marks {
            if *next < at || all {
                *next = finder.find(&self.text[at..]).map_or(usize::MAX, |found| at + found);
            }
        }
    }

    /// Returns the start of the first line that begins in code.
    pub(super) fn start(&self) -> usize {
        if self.syntax == Syntax::Php { self.line_after(self.markup(0)) } else { 0 }
    }

    fn line_after(&self, at: usize) -> usize {
        memchr::memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |newline| at + newline + 1)
    }

    /// Returns the start of the next line that begins in code, from one that does; `None` if there is none.
    pub(super) fn next_line(&mut self, start: usize) -> Option<usize> {
        let text = self.text;
        let end = start + memchr::memchr(b'\n', &text[start..])?;
        if self.next_mark(start.saturating_sub(1)) > end {
            return Some(end + 1).filter(|next| *next < text.len());
        }
        self.line_after_tokens(start)
    }

    /// The same, by reading the tokens of the line.
    fn line_after_tokens(&self, start: usize) -> Option<usize> {
        let text = self.text;
        if self.syntax == Syntax::Ruby
            && (text[start..].starts_with(b"=begin") || text[start..].starts_with(b"__END__"))
        {
            let end =
                if text[start] == b'=' { memmem::find(&text[start..], b"\n=end")? } else { return None };
            return Some(self.line_after(start + end + 1)).filter(|at| *at < text.len());
        }
        let mut heredoc: Option<&[u8]> = None;
        let mut at = start;
        loop {
            at += text[at..].iter().position(|&byte| self.special[usize::from(byte)])?;
            at = match text[at] {
                b'\n' => {
                    let next = heredoc.map_or(at + 1, |id| self.heredoc_end(at + 1, id));
                    return Some(next).filter(|next| *next < text.len());
                }
                b'/' => self.slash(at, start),
                b'#' => self.hash(at, start),
                b'<' => self.angle(at, &mut heredoc),
                b'?' if self.text[at..].starts_with(b"?>") => self.markup(at),
                b'"' | b'\'' | b'`' => self.quote(at),
                _ => at + 1,
            };
            if at >= text.len() {
                return None;
            }
        }
    }

    fn line_end(&self, at: usize) -> usize {
        memchr::memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |newline| at + newline)
    }

    /// Returns the offset after the next `<?`: before it is markup.
    fn markup(&self, at: usize) -> usize {
        memmem::find(&self.text[at..], b"<?").map_or(self.text.len(), |open| at + open + 2)
    }

    fn slash(&self, at: usize, line: usize) -> usize {
        match self.text.get(at + 1) {
            Some(b'/') => self.line_end(at),
            Some(b'*') => self.comment_end(at + 2),
            _ if self.syntax == Syntax::Script && self.begins_regex(at, line) => self.regex_end(at + 1),
            _ => at + 1,
        }
    }

    fn comment_end(&self, mut at: usize) -> usize {
        let mut depth = 1;
        while depth > 0 {
            let Some(star) = memmem::find(&self.text[at..], b"*/") else { return self.text.len() };
            let inside = &self.text[at..at + star];
            depth -= 1;
            if self.syntax == Syntax::Rust {
                depth += memmem::find_iter(inside, b"/*").count();
            }
            at += star + 2;
        }
        at
    }

    /// Returns true if a slash begins a regular expression: there is no value before it.
    fn begins_regex(&self, at: usize, line: usize) -> bool {
        let before = self.text[line.min(at)..at].trim_ascii_end();
        let Some(last) = before.last() else { return true };
        let is_word = |word: &[u8]| before.ends_with(word);
        b"(,=:[!&|?{};+-*%<>~^".contains(last) || is_word(b"return") || is_word(b"typeof") || is_word(b"case")
    }

    fn regex_end(&self, mut at: usize) -> usize {
        let mut in_class = false;
        while let Some(&byte) = self.text.get(at) {
            match byte {
                b'\n' => return at,
                b'\\' => at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => return at + 1,
                _ => {}
            }
            at += 1;
        }
        at
    }

    fn hash(&self, at: usize, line: usize) -> usize {
        let is_comment = match self.syntax {
            Syntax::Php => self.text.get(at + 1) != Some(&b'['),
            // `#{` in what is no string here.
            Syntax::Ruby => at == line || self.text[at - 1].is_ascii_whitespace(),
            _ => true,
        };
        if is_comment { self.line_end(at) } else { at + 1 }
    }

    fn quote(&self, at: usize) -> usize {
        let text = self.text;
        let quote = text[at];
        let rest = &text[at..];
        let before = &text[..at];
        match self.syntax {
            Syntax::Python | Syntax::Java
                if rest.starts_with(b"\"\"\"")
                    || self.syntax == Syntax::Python && rest.starts_with(b"'''") =>
            {
                self.long_end(at + 3, &[quote; 3])
            }
            Syntax::Go if quote == b'`' => {
                memchr::memchr(b'`', &text[at + 1..]).map_or(text.len(), |end| at + end + 2)
            }
            Syntax::Script if quote == b'`' => self.template_end(at + 1, 0),
            Syntax::Rust if quote == b'\'' => self.rust_char(at),
            Syntax::Rust => self.rust_string(at),
            Syntax::Cpp | Syntax::C if quote == b'"' && before.ends_with(b"R") => {
                let open = rest.iter().take(20).position(|&byte| byte == b'(');
                let Some(open) = open else { return self.short_end(at) };
                let close = [b")", &rest[1..open], b"\""].concat();
                memmem::find(&rest[open..], &close).map_or(text.len(), |end| at + open + end + close.len())
            }
            Syntax::Cpp | Syntax::C
                if quote == b'\'' && before.last().is_some_and(u8::is_ascii_alphanumeric) =>
            {
                at + 1
            }
            Syntax::Php => self.long_end(at + 1, &[quote]),
            _ => self.short_end(at),
        }
    }

    /// Returns the end of a string that ends in its line at the latest.
    fn short_end(&self, at: usize) -> usize {
        let quote = self.text[at];
        let mut end = at + 1;
        while let Some(&byte) = self.text.get(end) {
            match byte {
                b'\n' => return end,
                b'\\' if self.text.get(end + 1) != Some(&b'\n') => end += 1,
                byte if byte == quote => return end + 1,
                _ => {}
            }
            end += 1;
        }
        end
    }

    /// Returns the end of a string that may have several lines, from `at`, which is after its start.
    fn long_end(&self, mut at: usize, close: &[u8]) -> usize {
        let text = self.text;
        while let Some(found) = memchr::memchr2(b'\\', close[0], text.get(at..).unwrap_or_default()) {
            at += found;
            if text[at] == b'\\' {
                at += 2;
            } else if text[at..].starts_with(close) {
                return at + close.len();
            } else {
                at += 1;
            }
        }
        text.len()
    }

    fn rust_char(&self, at: usize) -> usize {
        let rest = &self.text[at + 1..];
        if rest.first() == Some(&b'\\') {
            return self.short_end(at);
        }
        let end = rest.iter().take(5).position(|&byte| byte == b'\'');
        match end {
            Some(1) => at + 3,
            Some(end) if end > 1 && rest[0] >= 0x80 => at + end + 2,
            _ => at + 1,
        }
    }

    fn rust_string(&self, at: usize) -> usize {
        let before = &self.text[..at];
        let hashes = before.iter().rev().take_while(|&&byte| byte == b'#').count();
        if before[..at - hashes].last() != Some(&b'r') {
            return self.long_end(at + 1, b"\"");
        }
        let close = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
        memmem::find(&self.text[at + 1..], &close).map_or(self.text.len(), |end| at + 1 + end + close.len())
    }

    fn template_end(&self, mut at: usize, depth: usize) -> usize {
        let text = self.text;
        while let Some(&byte) = text.get(at) {
            match byte {
                b'\\' => at += 2,
                b'`' => return at + 1,
                b'$' if text.get(at + 1) == Some(&b'{') && depth < TEMPLATE_DEPTH => {
                    at = self.expression_end(at + 2, depth);
                }
                _ => at += 1,
            }
        }
        text.len()
    }

    fn expression_end(&self, mut at: usize, depth: usize) -> usize {
        let mut braces = 0;
        let start = at;
        while let Some(&byte) = self.text.get(at) {
            match byte {
                b'{' => braces += 1,
                b'}' if braces == 0 => return at + 1,
                b'}' => braces -= 1,
                b'`' => {
                    at = self.template_end(at + 1, depth + 1);
                    continue;
                }
                b'"' | b'\'' => {
                    at = self.short_end(at);
                    continue;
                }
                b'/' => {
                    at = self.slash(at, start);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        self.text.len()
    }

    /// Returns the offset after a `<`. Sets the identifier of the here document that it begins: `<<ID`, `<<~ID` and `<<-ID` of
    /// Ruby, `<<<ID` of PHP.
    fn angle(&self, at: usize, heredoc: &mut Option<&'a [u8]>) -> usize {
        let mark: &[u8] = if self.syntax == Syntax::Php { b"<<<" } else { b"<<" };
        let Some(rest) = self.text[at..].strip_prefix(mark) else { return at + 1 };
        let (is_marked, rest) = match rest {
            [b'~' | b'-', rest @ ..] => (true, rest),
            _ => (self.syntax == Syntax::Php, rest),
        };
        let rest = if self.syntax == Syntax::Php { rest.trim_ascii_start() } else { rest };
        let (is_quoted, rest) = match rest {
            [b'"' | b'\'' | b'`', rest @ ..] => (true, rest),
            _ => (false, rest),
        };
        let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let id = &rest[..len];
        let is_sure = is_marked
            || is_quoted
            || id.first().is_some_and(u8::is_ascii_uppercase)
                && at > 0
                && self.text[at - 1].is_ascii_whitespace();
        if len > 0 && is_sure && !id[0].is_ascii_digit() {
            *heredoc = heredoc.or(Some(id));
        }
        // Past a quote of the identifier.
        let end = self.text.len() - rest.len() + len;
        end + usize::from(is_quoted)
    }

    /// Returns the start of the line after the here document that begins at `start`, or `start` if it has no end.
    fn heredoc_end(&self, start: usize, id: &[u8]) -> usize {
        let mut at = start;
        while at < self.text.len() && self.unended.get() < UNENDED_HEREDOCS {
            let end = self.line_end(at);
            let line = self.text[at..end].trim_ascii();
            let is_end = line.strip_prefix(id).is_some_and(|rest| match rest.first() {
                None => true,
                Some(byte) => self.syntax == Syntax::Php && !byte.is_ascii_alphanumeric() && *byte != b'_',
            });
            if is_end && self.syntax == Syntax::Php {
                // The rest of that line is code.
                return self.line_after_tokens(at + id.len()).unwrap_or(self.text.len());
            } else if is_end {
                return (end + 1).min(self.text.len());
            }
            at = end + 1;
        }
        self.unended.set(self.unended.get() + 1);
        start
    }
}
