//! A pattern as automata that are stepped byte by byte, for a text so long that the regular expression could
//! take too long over it in one call.
//!
//! After every few bytes the search can be stopped, and what it took is counted. Where a pattern looks at words and
//! the text is not ASCII, or a match's beginning is too costly to find from its end, its [`threads`](super::threads) are
//! stepped instead.

#![expect(clippy::indexing_slicing, reason = "bytes before a place in the text are in it")]

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::{Anchored, Input, MatchKind, Span};
use regex_syntax::hir::Hir;

use super::threads::Threads;
use crate::limits::REGEX_BYTES;

/// Bytes of the tables that a search builds as it goes, for each thread.
pub(super) const TABLE_BYTES: usize = 4_000_000;
/// Bytes after which it is asked whether to go on. Each may need a new state of the automaton, which takes
/// some tens of microseconds for the costliest pattern.
pub(super) const TICK_BYTES: usize = 256;
/// Bytes for each state of an automaton's tables below which it gives up, once they were full.
const BYTES_PER_STATE: usize = 10;

/// The automata of a pattern.
#[derive(Debug)]
pub(super) struct Automata {
    /// Finds where a match ends.
    forward: DFA,
    /// Finds where it begins, backward from its end.
    reverse: DFA,
    /// Finds where a match may begin, by its first literals.
    beginnings: Option<Prefilter>,
}

/// The states that were made in one search.
#[derive(Debug)]
pub(super) struct Caches {
    forward: Cache,
    reverse: Cache,
    threads: Option<Threads>,
}

/// Why the lazy automata gave no answer.
#[derive(Debug, PartialEq, Eq)]
enum Unanswered<E> {
    /// The search was ended.
    Ended(E),
    /// The pattern looks at words, and a character beside one is not ASCII; or each byte back to a match's beginning
    /// needs a state of its own.
    GaveUp,
}

impl Automata {
    /// Makes those of `hir`; none where they would be too large.
    pub(super) fn new(hir: &Hir) -> Option<Self> {
        let build = |reverse: bool, kind: MatchKind| {
            let bounds =
                thompson::Config::new().utf8(false).reverse(reverse).which_captures(WhichCaptures::None);
            let nfa = thompson::Compiler::new()
                .configure(bounds.nfa_size_limit(Some(REGEX_BYTES)))
                .build_from_hir(hir)
                .ok()?;
            let config =
                DFA::config().match_kind(kind).unicode_word_boundary(true).cache_capacity(TABLE_BYTES);
            let config = config.skip_cache_capacity_check(true).specialize_start_states(!reverse);
            // What needs a state for each few bytes is left to the threads once the tables were full.
            let config = config.minimum_cache_clear_count(reverse.then_some(1));
            let config = config.minimum_bytes_per_state(Some(BYTES_PER_STATE));
            DFA::builder().configure(config).build_from_nfa(nfa).ok()
        };
        Some(Self {
            forward: build(false, MatchKind::LeftmostFirst)?,
            reverse: build(true, MatchKind::All)?,
            beginnings: Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, hir),
        })
    }

    pub(super) fn caches(&self) -> Caches {
        let (forward, reverse) = (self.forward.create_cache(), self.reverse.create_cache());
        Caches { forward, reverse, threads: None }
    }

    /// The first match from `at` on. `tick` is told how many bytes were looked at since it was asked before,
    /// and ends the search by an error.
    pub(super) fn find<E>(
        &self,
        caches: &mut Caches,
        text: &[u8],
        at: usize,
        mut tick: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Span>, E> {
        match self.find_lazily(caches, text, at, &mut tick) {
            Ok(found) => Ok(found),
            Err(Unanswered::Ended(ended)) => Err(ended),
            Err(Unanswered::GaveUp) => {
                let nfa = self.forward.get_nfa();
                let threads = caches.threads.get_or_insert_with(|| Threads::new(nfa));
                threads.find((nfa, self.beginnings.as_ref()), text, at, &mut tick)
            }
        }
    }

    fn find_lazily<E>(
        &self,
        caches: &mut Caches,
        text: &[u8],
        at: usize,
        tick: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Span>, Unanswered<E>> {
        let Some(end) = self.end_of_match(&mut caches.forward, text, at, tick)? else { return Ok(None) };
        let start = self.start_of_match(&mut caches.reverse, text, Span { start: at, end }, tick)?;
        Ok(start.map(|start| Span { start, end }))
    }

    /// Steps back through `text` from the end of a match to the start of `range`. Returns the place where it begins.
    fn start_of_match<E>(
        &self,
        cache: &mut Cache,
        text: &[u8],
        range: Span,
        tick: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<usize>, Unanswered<E>> {
        let input = Input::new(text).span(range).anchored(Anchored::Yes);
        let start_state = self.reverse.start_state_reverse(cache, &input);
        let mut state = start_state.map_err(|_quit| Unanswered::GaveUp)?;
        let (mut found, mut at, mut ticked) = (None, range.end, range.end);
        // By the bytes that were passed it is known whether too many states are made.
        cache.search_start(at);
        loop {
            state = match at.checked_sub(1) {
                Some(before) => self.reverse.next_state(cache, state, text[before]),
                None => self.reverse.next_eoi_state(cache, state),
            }
            .map_err(|_gave_up| Unanswered::GaveUp)?;
            if state.is_match() {
                found = Some(at);
            } else if state.is_quit() {
                return Err(Unanswered::GaveUp);
            }
            if state.is_dead() || at == range.start {
                break;
            }
            at -= 1;
            if ticked - at >= TICK_BYTES {
                cache.search_update(at);
                tick(ticked - at).map_err(Unanswered::Ended)?;
                ticked = at;
            }
        }
        cache.search_finish(at);
        tick(ticked - at).map_err(Unanswered::Ended)?;
        Ok(found)
    }

    /// Steps through `text` from `at` on. Returns the place where the first match ends.
    fn end_of_match<E>(
        &self,
        cache: &mut Cache,
        text: &[u8],
        mut at: usize,
        tick: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<usize>, Unanswered<E>> {
        let start_state = |cache: &mut Cache, at: usize| {
            let input = Input::new(text).range(at..);
            self.forward.start_state_forward(cache, &input).map_err(|_quit| Unanswered::GaveUp)
        };
        let (mut found, mut ticked) = (None, at);
        let mut state = start_state(cache, at)?;
        loop {
            if state.is_start()
                && let Some(beginnings) = &self.beginnings
            {
                let Some(candidate) = beginnings.find(text, Span::from(at..text.len())) else {
                    return Ok(found);
                };
                if candidate.start > at {
                    (at, ticked) = (candidate.start, candidate.start);
                    state = start_state(cache, at)?;
                }
            }
            if at - ticked >= TICK_BYTES {
                tick(at - ticked).map_err(Unanswered::Ended)?;
                ticked = at;
            }
            state = match text.get(at) {
                Some(&byte) => self.forward.next_state(cache, state, byte),
                None => self.forward.next_eoi_state(cache, state),
            }
            .map_err(|_gave_up| Unanswered::GaveUp)?;
            if state.is_match() {
                found = Some(at);
            } else if state.is_quit() {
                return Err(Unanswered::GaveUp);
            }
            if state.is_dead() || at == text.len() {
                break;
            }
            at += 1;
        }
        tick(at - ticked).map_err(Unanswered::Ended)?;
        Ok(found)
    }
}
