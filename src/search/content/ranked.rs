//! Keeps the most relevant match lines of a file, with their context.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicI32, Ordering};

use super::matcher::LineFilter;
use crate::search::best::Best;
use crate::search::relevance::{FileScorer, Words};

/// A search of which the most relevant matches are wanted; one for all workers.
#[derive(Debug)]
pub struct Ranking {
    /// Matches of one file that are kept at most.
    keep: usize,
    words: Words,
    /// Score that what is still found has to be above.
    least: AtomicI32,
}

impl Ranking {
    /// Keeps so many matches of a file; `words` are those of the pattern's alternation.
    pub fn new(keep: usize, words: Words) -> Self {
        Self { keep, words, least: AtomicI32::new(i32::MIN) }
    }

    /// Lets only matches through from now on that have more than this score. Results have to be taken in path
    /// order: of two with one score the earlier stays.
    pub fn raise(&self, least: i32) {
        self.least.store(least, Ordering::Relaxed);
    }
}

/// A line of a file, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NumberedLine {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Its text, without what ends it.
    pub text: String,
    /// True if the text was cut.
    pub cut: bool,
}

/// A match line that is kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankedLine {
    /// The lines before it that are its context.
    pub before: VecDeque<NumberedLine>,
    /// It.
    pub line: NumberedLine,
    /// The lines after it that are its context.
    pub after: Vec<NumberedLine>,
}

impl RankedLine {
    /// Bytes that it holds.
    pub fn weight(&self) -> usize {
        let lines = self.before.iter().chain([&self.line]).chain(&self.after);
        lines.map(|line| size_of::<NumberedLine>() + line.text.len()).sum()
    }
}

/// The most relevant match lines of one file.
pub struct FileRanking<'a> {
    ranking: &'a Ranking,
    path: &'a dyn Fn() -> Vec<u8>,
    /// Made at the first match: most files have none.
    scorer: Option<FileScorer<'a>>,
    /// The most points that the file can have beside those of a line.
    most_of_file: i32,
    /// Lines of context on each side.
    context: usize,
    best: Best<i32, RankedLine>,
    /// The last lines, as many as are context.
    recent: VecDeque<NumberedLine>,
    /// Lines that are kept, with their score, of which the context is not complete.
    open: VecDeque<(i32, RankedLine)>,
}

impl<'a> FileRanking<'a> {
    /// Begins with a file; `path` makes its path.
    pub fn new(ranking: &'a Ranking, context: usize, path: &'a dyn Fn() -> Vec<u8>) -> Self {
        Self {
            ranking,
            path,
            scorer: None,
            most_of_file: 0,
            context,
            best: Best::new(ranking.keep),
            recent: VecDeque::new(),
            open: VecDeque::new(),
        }
    }

    /// True if lines that do not match are kept too.
    pub(super) fn has_context(&self) -> bool {
        self.context > 0
    }

    /// True if any line that follows may be among the best.
    pub(super) fn may_rank(&mut self) -> bool {
        // Not by the best of the file alone: how many words of an alternation it has is still to be seen.
        let least = self.ranking.least.load(Ordering::Relaxed);
        self.scorer().most_of_line() + self.most_of_file > least
    }

    /// Returns the score of a match line, without that of its file; `None` if it is not among the best.
    pub(super) fn score(&mut self, line: &[u8], found: &Range<usize>) -> Option<i32> {
        let needed = self.needed();
        self.scorer().line(line, found, needed)
    }

    /// Returns the points that a line has to be above.
    fn needed(&mut self) -> i32 {
        let least = self.ranking.least.load(Ordering::Relaxed);
        self.scorer();
        let needed = least.saturating_sub(self.most_of_file);
        self.best.least().map_or(needed, |least| needed.max(*least))
    }

    fn scorer(&mut self) -> &mut FileScorer<'a> {
        self.scorer.get_or_insert_with(|| {
            let scorer = FileScorer::new(&(self.path)(), &self.ranking.words);
            self.most_of_file = scorer.most_of_file();
            scorer
        })
    }

    /// Takes the next line: a match that is kept has a score.
    pub(super) fn take(&mut self, score: Option<i32>, line: NumberedLine) {
        let context = self.context as u64;
        while self.open.front().is_some_and(|(_, open)| open.line.number + context < line.number) {
            self.close_first();
        }
        for (_, open) in &mut self.open {
            open.after.push(line.clone());
        }
        while self.recent.front().is_some_and(|earlier| earlier.number + context < line.number) {
            self.recent.pop_front();
        }
        if self.context > 0 {
            self.recent.push_back(line.clone());
        }
        let Some(score) = score else { return };
        let before = self.recent.iter().take_while(|earlier| earlier.number < line.number).cloned().collect();
        self.open.push_back((score, RankedLine { before, line, after: Vec::new() }));
        if self.context == 0 {
            self.close_first();
        }
    }

    fn close_first(&mut self) {
        if let Some((score, line)) = self.open.pop_front() {
            self.best.push(score, line);
        }
    }

    /// Returns the lines with their scores, the most relevant first; `matches` is how many match in the file.
    pub fn finish(mut self, matches: u64) -> Vec<(i32, RankedLine)> {
        while !self.open.is_empty() {
            self.close_first();
        }
        let of_file = self.scorer.map_or(0, |scorer| scorer.file(matches));
        self.best.into_sorted().map(|(score, line)| (score + of_file, line)).collect()
    }
}

impl LineFilter for RefCell<FileRanking<'_>> {
    fn may_want_any(&self) -> bool {
        self.borrow_mut().may_rank()
    }

    fn may_want(&self, line: &[u8], end: usize) -> bool {
        let mut ranking = self.borrow_mut();
        let needed = ranking.needed();
        ranking.scorer().may_have_more(line, end, needed)
    }

    fn wants(&self, line: &[u8], found: &Range<usize>) -> bool {
        self.borrow_mut().score(line, found).is_some()
    }
}
