//! Keeps the most relevant match lines of a file, with their context.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicI32, Ordering};

use super::ContextLines;
use super::rows::Row;
use crate::search::best::Best;
use crate::search::relevance::{FileScorer, Words};

/// The ranking of a search, shared by all workers.
#[derive(Debug)]
pub struct Ranking {
    /// Maximum number of kept matches for each file.
    keep: usize,
    words: Words,
    /// Further matches need a score above this.
    least: AtomicI32,
}

impl Ranking {
    /// Creates a ranking that keeps `keep` matches of each file. `words` are the words of an alternation.
    pub fn new(keep: usize, words: Words) -> Self {
        Self { keep, words, least: AtomicI32::new(i32::MIN) }
    }

    /// Sets the score that further matches must exceed. Call it in path order with increasing scores, because the
    /// earlier of two matches with the same score is kept.
    pub fn require_above(&self, least: i32) {
        self.least.store(least, Ordering::Relaxed);
    }
}

/// The most relevant match lines of one file.
pub(super) struct FileRanking<'a> {
    ranking: &'a Ranking,
    path: &'a dyn Fn() -> Vec<u8>,
    /// Created at the first match, because most files have none.
    scorer: Option<FileScorer<'a>>,
    context: ContextLines,
    best: Best<i32, Vec<Row>>,
    /// The last lines, as many as a match has context lines before it.
    recent: VecDeque<Row>,
    /// Kept lines without their complete context: score, line number, and the rows so far.
    unfinished: VecDeque<(i32, u64, Vec<Row>)>,
}

impl<'a> FileRanking<'a> {
    /// Creates a ranking for a file. `path` returns the path of the file.
    pub(super) fn new(ranking: &'a Ranking, context: ContextLines, path: &'a dyn Fn() -> Vec<u8>) -> Self {
        Self {
            ranking,
            path,
            scorer: None,
            context,
            best: Best::new(ranking.keep),
            recent: VecDeque::new(),
            unfinished: VecDeque::new(),
        }
    }

    /// Returns the points of a match line, without those of its file, or `None` if it is not among the best.
    pub(super) fn line_points(&mut self, line: &[u8], found: &Range<usize>) -> Option<i32> {
        let needed = self.needed();
        self.scorer().line_points(line, found, needed)
    }

    /// Returns the points that a line must exceed.
    fn needed(&mut self) -> i32 {
        let least = self.ranking.least.load(Ordering::Relaxed);
        let needed = least.saturating_sub(self.scorer().max_file_points);
        self.best.least().map_or(needed, |least| needed.max(*least))
    }

    fn scorer(&mut self) -> &mut FileScorer<'a> {
        self.scorer.get_or_insert_with(|| FileScorer::new(&(self.path)(), &self.ranking.words))
    }

    /// Adds the line with this number. `best` is its score and row if it is one of the best matches. `as_context` is
    /// its row as context of other matches, if context is requested. That row is the same whether or not the line is
    /// one of the best matches.
    pub(super) fn add_line(&mut self, number: u64, best: Option<(i32, Row)>, as_context: Option<Row>) {
        let ContextLines { before, after } = self.context;
        while self.unfinished.front().is_some_and(|(_, matched, _)| matched + after < number) {
            self.finish_first();
        }
        while self.recent.front().is_some_and(|earlier| earlier.number + before < number) {
            self.recent.pop_front();
        }
        for (.., rows) in &mut self.unfinished {
            rows.extend(as_context.clone());
        }
        if let Some((score, row)) = best {
            let rows = self.recent.iter().cloned().chain([row]).collect();
            self.unfinished.push_back((score, number, rows));
        }
        self.recent.extend(as_context);
    }

    fn finish_first(&mut self) {
        if let Some((score, _, rows)) = self.unfinished.pop_front() {
            self.best.push(score, rows);
        }
    }

    /// Removes and returns the kept lines with their scores and context, the most relevant first. `matches` is the
    /// number of match lines in the file.
    pub(super) fn finish(&mut self, matches: u64) -> Vec<(i32, Vec<Row>)> {
        while !self.unfinished.is_empty() {
            self.finish_first();
        }
        let of_file = self.scorer.as_ref().map_or(0, |scorer| scorer.file_points(matches));
        let best = std::mem::replace(&mut self.best, Best::new(0));
        best.into_sorted().map(|(score, rows)| (score + of_file, rows)).collect()
    }

    /// Returns false only if a line with a match that ends at `end` is not among the best.
    pub(super) fn may_have_more(&mut self, line: &[u8], end: usize) -> bool {
        let needed = self.needed();
        self.scorer().may_have_more(line, end, needed)
    }
}
