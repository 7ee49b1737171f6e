//! Patterns of grep: compares the search of a file with matching each line.
//!
//! The first byte is settings (see [`Settings`]). The parts of the input are a pattern and the content of the file. The oracle
//! matches each line alone, without its line ending, with the simplest engine. It refuses the same invalid patterns.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;

use cutline::limits::PATTERN_BYTES;
use cutline::search::content::pattern::{Refused, Source};
use cutline::search::content::{
    BinaryFiles, ContextLines, FileSearcher, Found, IncompleteReason, OutputMode, Pattern, Query, RowKind,
};
use cutline::stop::Stop;
use cutline_core::text::binary::{is_binary_file, without_controls};
use cutline_core::text::decode::Encoding;
use regex_automata::nfa::thompson::{self, pikevm::PikeVM};
use regex_automata::util::syntax;

use crate::input::{parts, setting};

/// Maximum number of bytes of a compiled pattern for the oracle, which is slow.
const ORACLE_BYTES: usize = 100_000;
/// Characters of a line that are shown.
const LINE_CHARS: usize = 20;

thread_local! {
    static FILE: RefCell<File> = RefCell::new(tempfile::tempfile().unwrap());
}

/// Settings in the first byte.
#[derive(Debug, Clone, Copy)]
struct Settings {
    /// Bit 0.
    ignore_case: bool,
    /// Bit 1.
    literal: bool,
    /// Bit 2.
    multiline: bool,
    /// Bits 3 and 4.
    context: usize,
}

/// Checks one input.
pub fn run(bytes: &[u8]) {
    let (byte, rest) = setting(bytes);
    let settings = Settings {
        ignore_case: byte & 1 != 0,
        literal: byte & 2 != 0,
        multiline: byte & 4 != 0,
        context: usize::from(byte >> 3 & 3),
    };
    let (pattern, text) = parts(rest);
    let Ok(pattern) = str::from_utf8(pattern) else { return };
    if pattern.len() <= PATTERN_BYTES {
        check(settings, pattern, text);
    }
}

fn check(settings: Settings, pattern: &str, text: &[u8]) {
    let Settings { ignore_case, literal, multiline, context } = settings;
    let oracle = oracle(settings, pattern);
    let compiled = match Pattern::new(&Source { pattern, literal, ignore_case, word: false, multiline }) {
        Ok(compiled) => compiled,
        Err(Refused::Wrong(message)) => {
            // A comment of `(?x)` at the end hides the parenthesis with which grep-regex encloses the pattern.
            assert!(oracle.is_none() || pattern.contains('#'), "{pattern:?}: {message}");
            return;
        }
        Err(Refused::TooLarge) => return,
        Err(Refused::Newline) => {
            assert!(!multiline, "{pattern:?}");
            return;
        }
    };
    let (rows, searched) = search(&compiled, OutputMode::Content, context as u64, text);
    let counted = |mode| search(&compiled, mode, 0, text).1.matches;
    assert_eq!(counted(OutputMode::Count), searched.matches);
    assert_eq!(counted(OutputMode::Files), searched.matches.min(1));
    let (encoding, mark) = Encoding::of(text);
    let is_legacy = mark == 0 && Encoding::detect(text, text.len() as u64) != Some(Encoding::Utf8);
    if encoding != Encoding::Utf8 || is_legacy {
        return;
    }
    if is_binary_file(text) {
        assert_eq!(searched, Searched { matches: 0, incomplete: Some(IncompleteReason::Binary) });
        return;
    }
    let text = &text[mark..];
    let has_returns = text.contains(&b'\r');
    let Some(oracle) = oracle else { return };
    if has_returns && (multiline || can_match_return(settings, pattern)) {
        return;
    }
    // If a match can span lines, these refer to the file, otherwise to the line.
    if multiline && ["\\A", "\\z", "(?"].iter().any(|of_text| pattern.contains(of_text)) {
        return;
    }
    let is_match = if multiline { across_lines(&oracle, text) } else { by_line(&oracle, text) };
    assert_eq!(
        searched.matches,
        is_match.iter().filter(|is| **is).count() as u64,
        "{settings:?} {pattern:?}"
    );
    let expected = near(&is_match, context);
    let found: Vec<(usize, bool)> = rows.iter().map(|row| (row.0, row.1)).collect();
    assert_eq!(found, expected, "{settings:?} {pattern:?}");
    let all = lines_of(text);
    for (number, _, shown, cut) in rows {
        let line = String::from_utf8_lossy(all[number - 1]);
        assert_eq!(cut, line.chars().count() > LINE_CHARS, "{line:?} as {shown:?}");
        assert!(cut || shown == without_controls(&line), "{line:?} as {shown:?}");
    }
}

/// Outcome of the search of a file, without its rows.
#[derive(Debug, PartialEq, Eq)]
struct Searched {
    matches: u64,
    incomplete: Option<IncompleteReason>,
}

/// Searches a file. Returns its rows (line number, true for a match, text, true if the text is truncated) and the outcome.
fn search(
    pattern: &Pattern,
    mode: OutputMode,
    context: u64,
    text: &[u8],
) -> (Vec<(usize, bool, String, bool)>, Searched) {
    let (pattern, enough) = (pattern.clone(), u64::MAX);
    let query = Query {
        pattern,
        invert: false,
        binary: BinaryFiles::Skip,
        mode,
        context: ContextLines { before: context, after: context },
        enough,
        is_counting: Arc::default(),
        counted_bytes: u64::MAX,
        max_line_chars: LINE_CHARS,
        ranking: None,
        ranking_prefix: Arc::default(),
    };
    let (mut rows, mut matches, mut incomplete) = (Vec::new(), 0, None);
    let mut take = |found| {
        match found {
            Found::Row(_, row) => {
                let (number, is_match) = (usize::try_from(row.number).unwrap(), row.kind == RowKind::Match);
                matches += u64::from(is_match);
                rows.push((number, is_match, row.text, row.cut_line_bytes.is_some()));
            }
            Found::Incomplete(_, reason) => incomplete = Some(reason),
            Found::File(_, of_file) | Found::Ranked(_, of_file, _) => matches += of_file,
        }
        ControlFlow::Continue(())
    };
    let (size, stop) = (text.len() as u64, Stop::default());
    FileSearcher::new(&query).search(&file_of(text), size, &stop, &Vec::new, &mut take).unwrap();
    (rows, Searched { matches, incomplete })
}

fn file_of(text: &[u8]) -> File {
    FILE.with_borrow_mut(|file| {
        file.set_len(0).unwrap();
        file.rewind().unwrap();
        file.write_all(text).unwrap();
        file.rewind().unwrap();
        file.try_clone().unwrap()
    })
}

fn oracle(settings: Settings, pattern: &str) -> Option<PikeVM> {
    let text = if settings.literal {
        pattern.chars().map(|c| format!("\\x{{{:X}}}", u32::from(c))).collect()
    } else {
        pattern.to_owned()
    };
    // Lines can end with a carriage return, so `.` does not match it, and `$` matches before it.
    let flags = syntax::Config::new().utf8(false).multi_line(true).crlf(!settings.multiline);
    let flags = flags.case_insensitive(settings.ignore_case).dot_matches_new_line(settings.multiline);
    let bounds = thompson::Config::new().utf8(false).nfa_size_limit(Some(ORACLE_BYTES));
    PikeVM::builder().syntax(flags).thompson(bounds).build(&text).ok()
}

/// Returns true if a pattern can match a carriage return. Lines then keep theirs.
fn can_match_return(settings: Settings, pattern: &str) -> bool {
    let escapes = ["\\r", "\\x", "\\u", "\\U"];
    let escaped = !settings.literal && escapes.iter().any(|escape| pattern.contains(escape));
    pattern.contains('\r') || escaped
}

/// Returns for each line if it matches alone.
fn by_line(oracle: &PikeVM, text: &[u8]) -> Vec<bool> {
    let mut cache = oracle.create_cache();
    lines_of(text).into_iter().map(|line| oracle.is_match(&mut cache, line)).collect()
}

/// Returns for each line if a match covers it. Matches can span lines.
fn across_lines(oracle: &PikeVM, text: &[u8]) -> Vec<bool> {
    let mut cache = oracle.create_cache();
    let mut covered = vec![false; lines_of(text).len()];
    let line_of = |at: usize| text[..at].iter().filter(|byte| **byte == b'\n').count();
    let mut from = 0;
    while from < text.len() {
        let input = regex_automata::Input::new(text).span(from..text.len());
        let Some(found) = oracle.find_iter(&mut cache, input).next() else { break };
        from = found.end().max(found.start() + 1);
        if found.start() < text.len() {
            covered[line_of(found.start())..=line_of(from - 1)].fill(true);
        }
    }
    covered
}

/// Returns the lines of a text without their line endings.
fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    let ended = |line: &'_ [u8]| {
        line.strip_suffix(b"\n")
            .map_or(line.len(), |line| line.strip_suffix(b"\r").map_or(line.len(), <[u8]>::len))
    };
    text.split_inclusive(|byte| *byte == b'\n').map(|line| &line[..ended(line)]).collect()
}

/// Returns the numbers of the shown lines, each with true for a match.
fn near(is_match: &[bool], context: usize) -> Vec<(usize, bool)> {
    let shown = |line: &usize| {
        let around = line.saturating_sub(context)..(line + context + 1).min(is_match.len());
        is_match[around].contains(&true)
    };
    (0..is_match.len()).filter(shown).map(|line| (line + 1, is_match[line])).collect()
}
