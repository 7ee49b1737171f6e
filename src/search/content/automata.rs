//! A pattern as automata that are stepped byte by byte, for a text so long that the regular expression could
//! take too long over it in one call.
//!
//! After every few bytes the search can be stopped, and what it took is counted. Where a pattern looks at words and
//! the text is not ASCII, its [`threads`](super::threads) are stepped instead.

#![expect(clippy::indexing_slicing, reason = "all bytes looked at are within the text")]

use std::ops::Range;

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

/// The direction in which a text is stepped through.
#[derive(Debug, Clone, Copy)]
enum Direction {
    Forward,
    Backward,
}

/// Why the automata gave no answer.
#[derive(Debug, PartialEq, Eq)]
enum Unanswered<E> {
    /// The search was ended.
    Ended(E),
    /// The pattern looks at words, and a character beside one is not ASCII.
    NotAscii,
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
        match self.find_ascii(caches, text, at, &mut tick) {
            Ok(found) => Ok(found),
            Err(Unanswered::Ended(ended)) => Err(ended),
            Err(Unanswered::NotAscii) => {
                let nfa = self.forward.get_nfa();
                let threads = caches.threads.get_or_insert_with(|| Threads::new(nfa));
                threads.find((nfa, self.beginnings.as_ref()), text, at, &mut tick)
            }
        }
    }

    fn find_ascii<E>(
        &self,
        caches: &mut Caches,
        text: &[u8],
        at: usize,
        tick: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Span>, Unanswered<E>> {
        let ahead = at..text.len();
        let Some(end) = self.run(Direction::Forward, &mut caches.forward, text, ahead, tick)? else {
            return Ok(None);
        };
        let start = self.run(Direction::Backward, &mut caches.reverse, text, at..end, tick)?;
        Ok(start.map(|start| Span { start, end }))
    }

    /// Steps through a range of `text`. Returns the last place where a match ends, or begins where it is stepped
    /// through backward from the end of one.
    fn run<E>(
        &self,
        direction: Direction,
        cache: &mut Cache,
        text: &[u8],
        range: Range<usize>,
        tick: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<usize>, Unanswered<E>> {
        let (dfa, mut at, last) = match direction {
            Direction::Forward => (&self.forward, range.start, range.end),
            Direction::Backward => (&self.reverse, range.end, range.start),
        };
        let start_state = |cache: &mut Cache, at: usize| {
            let input = Input::new(text);
            match direction {
                Direction::Forward => dfa.start_state_forward(cache, &input.range(at..)),
                Direction::Backward => {
                    dfa.start_state_reverse(cache, &input.range(last..at).anchored(Anchored::Yes))
                }
            }
            .map_err(|_quit| Unanswered::NotAscii)
        };
        let (mut found, mut ticked) = (None, at);
        let mut state = start_state(cache, at)?;
        loop {
            // Start states are told from others only forward.
            if state.is_start()
                && let Some(beginnings) = &self.beginnings
            {
                let Some(candidate) = beginnings.find(text, Span { start: at, end: last }) else {
                    return Ok(found);
                };
                if candidate.start > at {
                    (at, ticked) = (candidate.start, candidate.start);
                    state = start_state(cache, at)?;
                }
            }
            if at.abs_diff(ticked) >= TICK_BYTES {
                tick(at.abs_diff(ticked)).map_err(Unanswered::Ended)?;
                ticked = at;
            }
            let byte = match direction {
                Direction::Forward => text.get(at),
                Direction::Backward => at.checked_sub(1).map(|before| &text[before]),
            };
            state = match byte {
                Some(&byte) => dfa.next_state(cache, state, byte),
                None => dfa.next_eoi_state(cache, state),
            }
            .map_err(|_gave_up| Unanswered::NotAscii)?;
            if state.is_match() {
                found = Some(at);
            } else if state.is_dead() || state.is_quit() {
                break;
            }
            if at == last {
                break;
            }
            at = match direction {
                Direction::Forward => at + 1,
                Direction::Backward => at - 1,
            };
        }
        tick(at.abs_diff(ticked)).map_err(Unanswered::Ended)?;
        if state.is_quit() { Err(Unanswered::NotAscii) } else { Ok(found) }
    }
}
