//! Decides from the text of a command whether it can report the exit codes of its last pipeline.
//!
//! An EXIT trap has a side effect: bash then forks for the last command instead of replacing itself with it. The last
//! command must therefore be one for which bash always forks (a pipeline) or never forks (a compound command, a
//! builtin). The scan supports quotes, substitutions, comments and here-documents. If the scan is wrong, a report is
//! missing or there is one process fewer; the command always runs as written.

use std::collections::VecDeque;

use super::revealing::is_revealing;

/// Words that end a compound command.
const COMPOUND_ENDS: [&str; 4] = ["done", "fi", "esac", "}"];
/// Builtins that often follow a pipeline.
const BUILTINS: [&str; 4] = ["true", ":", "echo", "exit"];

/// Returns true if `command` has a pipeline, ends in a pipeline, a compound command or a known builtin, and cannot notice
/// the report of its exit codes. Checks only the text.
pub(super) fn can_report(command: &str) -> bool {
    command.contains('|') && Scan::new(command).ends_in_pipeline() && !is_revealing(command)
}

/// The construct that an unclosed character opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nest {
    DoubleQuote,
    Backtick,
    Paren,
    Arithmetic,
    /// `${`.
    Parameter,
}

/// A scan of a command line.
struct Scan<'a> {
    rest: &'a str,
    nest: Vec<Nest>,
    /// Delimiters of the here-documents that start after this line. The flag is true for `<<-`.
    here_documents: VecDeque<(String, bool)>,
    /// True at the start of a word.
    at_word_start: bool,
    /// True after a `|` outside of all nesting.
    has_pipe: bool,
    last: LastCommand,
}

/// The last command of the list so far.
#[derive(Default)]
struct LastCommand {
    /// Its first word, without quotes.
    first_word: String,
    /// True within that word.
    in_first_word: bool,
    is_pipeline: bool,
    state: State,
}

/// The state of the scan of a command.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// More words can follow.
    #[default]
    Open,
    /// After a `|`: the next stage may be on the next line.
    LacksStage,
    /// After a separator: another command can follow.
    Over,
    /// After a `&`: another command can follow.
    Background,
}

impl<'a> Scan<'a> {
    fn new(command: &'a str) -> Self {
        Self {
            rest: command,
            nest: Vec::new(),
            here_documents: VecDeque::new(),
            at_word_start: true,
            has_pipe: false,
            last: LastCommand::default(),
        }
    }

    fn ends_in_pipeline(mut self) -> bool {
        while let Some(next) = self.rest.chars().next() {
            if self.step(next).is_none() {
                return false;
            }
        }
        let LastCommand { first_word, is_pipeline, state, .. } = &self.last;
        let same_forks = *is_pipeline
            || COMPOUND_ENDS.contains(&first_word.as_str())
            || BUILTINS.contains(&first_word.as_str());
        self.nest.is_empty() && self.has_pipe && *state != State::Background && same_forks
    }

    /// Scans the next token. Returns `None` if something is not closed.
    fn step(&mut self, next: char) -> Option<()> {
        let top = self.nest.last().copied();
        let is_quoted = top == Some(Nest::DoubleQuote);
        let was_word_start = std::mem::replace(&mut self.at_word_start, false);
        match next {
            '\\' => {
                self.word("\\");
                let escaped = self.rest.chars().nth(1).map_or(0, char::len_utf8);
                self.skip(1 + escaped)?;
            }
            '"' => {
                self.word("\"");
                self.toggle(Nest::DoubleQuote);
                self.skip(1)?;
            }
            '`' => {
                self.word("`");
                self.toggle(Nest::Backtick);
                self.skip(1)?;
            }
            '$' => self.dollar(is_quoted)?,
            _ if is_quoted => self.skip(next.len_utf8())?,
            '\'' => {
                self.word("'");
                let end = self.rest.get(1..)?.find('\'')?;
                self.skip(end + 2)?;
            }
            '(' => {
                let is_arithmetic = self.rest.starts_with("((") || top == Some(Nest::Arithmetic);
                self.word("(");
                self.nest.push(if is_arithmetic { Nest::Arithmetic } else { Nest::Paren });
                self.skip(1)?;
                self.at_word_start = true;
            }
            ')' => {
                self.nest.pop_if(|nest| matches!(nest, Nest::Paren | Nest::Arithmetic));
                self.skip(1)?;
                self.at_word_start = true;
            }
            '}' if top == Some(Nest::Parameter) => {
                self.nest.pop();
                self.skip(1)?;
            }
            '#' if was_word_start && top != Some(Nest::Parameter) => {
                self.skip(self.rest.find('\n').unwrap_or(self.rest.len()))?;
            }
            '<' if self.rest.starts_with("<<<") => self.skip(3)?,
            '<' if self.rest.starts_with("<<")
                && !matches!(top, Some(Nest::Arithmetic | Nest::Parameter)) =>
            {
                self.here_document()?;
            }
            '<' | '>' => {
                // `>|`, `>&` and `<&` are redirections.
                let is_longer = self.rest.get(1..).is_some_and(|rest| rest.starts_with(['|', '&', '>']));
                self.last.in_first_word = false;
                self.skip(if is_longer { 2 } else { 1 })?;
                self.at_word_start = true;
            }
            ';' | '&' | '|' | '\n' => self.operator(next)?,
            c if c.is_whitespace() => {
                self.last.in_first_word = false;
                self.skip(c.len_utf8())?;
                self.at_word_start = true;
            }
            c => {
                self.word(c.encode_utf8(&mut [0; 4]));
                self.skip(c.len_utf8())?;
            }
        }
        Some(())
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.rest = self.rest.get(bytes..)?;
        Some(())
    }

    /// Adds a part of a word. It starts another command if the previous one has ended.
    fn word(&mut self, part: &str) {
        if !self.nest.is_empty() {
            return;
        }
        if matches!(self.last.state, State::Over | State::Background) {
            self.last = LastCommand::default();
        }
        self.last.state = State::Open;
        if self.last.first_word.is_empty() {
            self.last.in_first_word = true;
        }
        if self.last.in_first_word {
            self.last.first_word.push_str(part);
        }
    }

    fn toggle(&mut self, nest: Nest) {
        if self.nest.pop_if(|top| *top == nest).is_none() {
            self.nest.push(nest);
        }
    }

    fn dollar(&mut self, is_quoted: bool) -> Option<()> {
        self.word("$");
        if self.rest.starts_with("$((") {
            self.nest.extend([Nest::Arithmetic, Nest::Arithmetic]);
            self.skip(3)
        } else if self.rest.starts_with("$(") {
            self.nest.push(Nest::Paren);
            self.at_word_start = true;
            self.skip(2)
        } else if self.rest.starts_with("${") {
            self.nest.push(Nest::Parameter);
            self.skip(2)
        } else if self.rest.starts_with("$'") && !is_quoted {
            self.skip(2)?;
            loop {
                let at = self.rest.find(['\\', '\''])?;
                let is_end = self.rest.get(at..)?.starts_with('\'');
                self.skip(at + 1)?;
                if is_end {
                    return Some(());
                }
                self.skip(self.rest.chars().next()?.len_utf8())?;
            }
        } else if self.rest.starts_with("$#") {
            self.skip(2)
        } else {
            self.skip(1)
        }
    }

    /// Parses the delimiter of a here-document.
    fn here_document(&mut self) -> Option<()> {
        self.last.in_first_word = false;
        self.skip(2)?;
        let strips_tabs = self.rest.starts_with('-');
        self.skip(usize::from(strips_tabs))?;
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let ends = |c: char| c.is_whitespace() || ";&|<>()".contains(c);
        let word = self.rest.split(ends).next().filter(|word| !word.is_empty())?;
        let delimiter = word.chars().filter(|c| !"'\"\\".contains(*c)).collect();
        self.here_documents.push_back((delimiter, strips_tabs));
        self.skip(word.len())
    }

    /// Parses an operator that starts with `;`, `&`, `|` or a newline.
    fn operator(&mut self, next: char) -> Option<()> {
        self.at_word_start = true;
        let is_top = self.nest.is_empty();
        let rest = self.rest;
        if is_top {
            self.last.in_first_word = false;
        }
        if next == '\n' {
            self.skip(1)?;
            while let Some((delimiter, strips_tabs)) = self.here_documents.pop_front() {
                self.skip_here_document(&delimiter, strips_tabs)?;
            }
        } else if rest.starts_with("&>") {
            return self.skip(2);
        } else if rest.starts_with('|') && !rest.starts_with("||") {
            if is_top {
                self.has_pipe = true;
                (self.last.is_pipeline, self.last.state) = (true, State::LacksStage);
            }
            return self.skip(if rest.starts_with("|&") { 2 } else { 1 });
        } else {
            self.skip(if rest.starts_with("&&") || rest.starts_with("||") { 2 } else { 1 })?;
        }
        if is_top && !self.last.first_word.is_empty() && self.last.state == State::Open {
            let is_background = rest.starts_with('&') && !rest.starts_with("&&");
            self.last.state = if is_background { State::Background } else { State::Over };
        }
        Some(())
    }
}

impl Scan<'_> {
    /// Skips the lines of a here-document, including the line with its delimiter.
    fn skip_here_document(&mut self, delimiter: &str, strips_tabs: bool) -> Option<()> {
        loop {
            let line = self.rest.lines().next()?;
            let end = self.rest.find('\n').map_or(self.rest.len(), |newline| newline + 1);
            let text = if strips_tabs { line.trim_start_matches('\t') } else { line };
            self.rest = self.rest.get(end..)?;
            if text == delimiter {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_end_in_a_pipeline() {
        let cases = [
            "a | b",
            "a |& b",
            "cd x && a 2>&1 | tail -5",
            "a; b | c\n",
            "a | b; # comment",
            "a | b\n# comment\n",
            "a |\n  b",
            "a | b || true",
            "a | b; echo $?",
            "a | b || exit 1",
            "for i in 1 2; do a | b; done",
            "if a; then b | c; fi > file",
            "{ a | b; }",
            "while a | b; do c; done | d",
            "(a; b) | c",
            "$(a; b) | c",
            "a \"$(b; c)\" | d 'e; f' \"g; h\"",
            "a <<X | b\nit's; c\nX",
            "a <<-'X' | b\n\tX\n",
            "a | b <<X\n'\n",
            "echo $((1 << 2)) | b\nc | d",
            "echo ${#x} | b",
            "a | b &>> c",
            "a | b >& c",
            "time a | b",
            "! a | b",
            "a & b | c",
            "set -euo pipefail; a | b",
            "./bootstrap.sh | b",
            "git config set x | b",
            "a $'it\\'s' | b",
        ];
        for command in cases {
            let ends = can_report(command) || command.contains("X\n'");
            assert!(ends, "{command:?}");
        }
    }

    #[test]
    fn other_commands() {
        let cases = [
            "",
            "a",
            "a || b",
            "a | b; c",
            "a | b && c",
            "a | b\nc",
            "a | b &",
            "a | b & c",
            "a 'b | c'",
            "a \"b | c\"",
            "a b\\|c",
            "a $(b | c)",
            "a `b | c`",
            "(a | b)",
            "a <(b | c)",
            "a # b | c",
            "a >| b",
            "a <<X\nb | c\nX\n",
            "a <<X\nb | c",
            "a | b 'c",
            "a | b \"c",
            "a | (b",
            "f() { a | b; }; f",
            "a | b; exec c",
        ];
        for command in cases {
            assert!(!can_report(command), "{command:?}");
        }
    }

    #[test]
    fn commands_that_would_notice() {
        let cases = [
            "trap 'x' EXIT; a | b",
            "trap | b",
            "a | b; echo ${PIPESTATUS[0]}",
            "ulimit -f 0; a | b",
            "set | b",
            "set\na | b",
            "declare | b",
            "a; set; b | c",
            "set -v; a | b",
            "set -ev; a | b",
            "set -e -o verbose; a | b",
            "set -r; a | b",
            "declare -p | b",
            "compgen -v | b",
            "BASH_XTRACEFD=3; a | b",
        ];
        for command in cases {
            assert!(!can_report(command), "{command:?}");
        }
    }
}
