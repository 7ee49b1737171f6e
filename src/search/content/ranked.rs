//! Keeps the most relevant match lines of a file, with their context.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicI32, Ordering};

use super::ContextLines;
use super::rows::Row;
use crate::search::best::Best;
use crate::search::relevance::FileScorer;

/// The ranking of a search, shared by all workers.
#[derive(Debug)]
pub struct Ranking {
    /// Maximum number of matches to keep of each file.
    max_per_file: usize,
    /// Further matches of all files need a score above this.
    least: AtomicI32,
}

impl Ranking {
    /// Creates a ranking that keeps at most `max_per_file` matches of each file.
    pub fn new(max_per_file: usize) -> Self {
        Self { max_per_file, least: AtomicI32::new(i32::MIN) }
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
    /// The prefix of the path for the ranking, and the path.
    path: (&'a [u8], &'a dyn Fn() -> Vec<u8>),
    /// Created at the first match, because most files have none.
    scorer: Option<FileScorer>,
    context: ContextLines,
    best: Best<i32, Vec<Row>>,
    /// The last lines, as many as a match has context lines before it.
    recent: VecDeque<Row>,
    /// Kept lines without their complete context: score, line number, and the rows so far.
    unfinished: VecDeque<(i32, u64, Vec<Row>)>,
}

impl<'a> FileRanking<'a> {
    /// Creates a ranking for the file with this path.
    pub(super) fn new(
        ranking: &'a Ranking,
        context: ContextLines,
        path: (&'a [u8], &'a dyn Fn() -> Vec<u8>),
    ) -> Self {
        Self {
            ranking,
            path,
            scorer: None,
            context,
            best: Best::new(ranking.max_per_file),
            recent: VecDeque::new(),
            unfinished: VecDeque::new(),
        }
    }

    /// Returns the score of a match line, or `None` if it is not among the best so far.
    pub(super) fn score(&mut self, line: &[u8], found: &Range<usize>) -> Option<i32> {
        let (prefix, path) = self.path;
        let scorer = self.scorer.get_or_insert_with(|| FileScorer::new(&[prefix, &path()].concat()));
        let least = self.ranking.least.load(Ordering::Relaxed);
        let needed = self.best.least().map_or(least, |own| least.max(*own));
        Some(scorer.score(line, found)).filter(|score| *score > needed)
    }

    /// Adds the line with this number. `best` is its score and row if it is one of the best matches. `as_context` is
    /// its row as context of other matches, if context is requested. That row is the same whether or not the line is
    /// one of the best matches.
    pub(super) fn add_line(&mut self, number: u64, best: Option<(i32, Row)>, as_context: Option<Row>) {
        let ContextLines { before, after } = self.context;
        while self.unfinished.front().is_some_and(|(_, matched, _)| matched + after < number) {
            self.finish_first();
        }
        self.recent.retain(|earlier| earlier.number + before >= number);
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

    /// Returns the kept lines with their scores and context, the most relevant first.
    pub(super) fn finish(mut self) -> Vec<(i32, Vec<Row>)> {
        while !self.unfinished.is_empty() {
            self.finish_first();
        }
        self.best.into_sorted().collect()
    }
}
