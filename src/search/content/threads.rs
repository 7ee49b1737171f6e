//! A pattern as a nondeterministic automaton, all of whose threads are stepped byte by byte.
//!
//! It takes a step for each place that a match may have come to, but knows all that a pattern may look at, also
//! words that are not ASCII. As [`Automata`](super::automata::Automata), it can be stopped anywhere.

#![expect(clippy::indexing_slicing, reason = "states are those of the automaton, bytes are within the text")]

use regex_automata::Span;
use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::util::primitives::StateID;

use super::automata::TICK_BYTES;

/// Steps of threads that count as one byte looked at.
const STEPS_PER_LOOK: usize = 8;

/// The threads of a search.
#[derive(Debug)]
pub(super) struct Threads {
    now: ActiveStates,
    next: ActiveStates,
    /// States to follow, the one that is preferred last.
    stack: Vec<StateID>,
}

/// The states that the threads are in at one byte, each once.
#[derive(Debug)]
struct ActiveStates {
    /// The states that need a byte or end a match, with the start of each one's match, in order of preference.
    list: Vec<(StateID, usize)>,
    /// For each state of the automaton the round in which it was seen last.
    seen: Vec<usize>,
    /// The round of this list: each byte is one, and each search begins another.
    round: usize,
}

impl Threads {
    pub(super) fn new(nfa: &NFA) -> Self {
        let none = || ActiveStates { list: Vec::new(), seen: vec![0; nfa.states().len()], round: 0 };
        Self { now: none(), next: none(), stack: Vec::new() }
    }

    /// The first match from `at` on, as [`Automata::find`](super::automata::Automata::find) gives it.
    pub(super) fn find<E>(
        &mut self,
        (nfa, beginnings): (&NFA, Option<&Prefilter>),
        text: &[u8],
        mut at: usize,
        tick: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Span>, E> {
        let (mut found, mut ticked, mut steps) = (None, at, 0);
        self.now.begin(self.now.round.max(self.next.round));
        loop {
            if self.now.list.is_empty() {
                if found.is_some() {
                    break;
                }
                if let Some(beginnings) = beginnings {
                    let Some(candidate) = beginnings.find(text, Span { start: at, end: text.len() }) else {
                        break;
                    };
                    if candidate.start > at {
                        (at, ticked) = (candidate.start, candidate.start);
                        self.now.begin(self.now.round);
                    }
                }
            }
            if found.is_none() {
                // What begins later is preferred less.
                self.now.follow(nfa, &mut self.stack, (nfa.start_anchored(), at), text, at);
            }
            self.next.begin(self.now.round);
            steps += self.now.list.len();
            for &(state, start) in &self.now.list {
                let next = match nfa.state(state) {
                    State::Match { .. } => {
                        // Those after it are preferred less.
                        found = Some(Span { start, end: at });
                        break;
                    }
                    State::ByteRange { trans } => trans.matches(text, at).then_some(trans.next),
                    State::Sparse(transitions) => transitions.matches(text, at),
                    State::Dense(transitions) => transitions.matches(text, at),
                    // These are followed where they are met.
                    _ => None,
                };
                if let Some(next) = next {
                    self.next.follow(nfa, &mut self.stack, (next, start), text, at + 1);
                }
            }
            if at == text.len() {
                break;
            }
            std::mem::swap(&mut self.now, &mut self.next);
            at += 1;
            if at - ticked >= TICK_BYTES {
                tick((at - ticked).max(steps / STEPS_PER_LOOK))?;
                (ticked, steps) = (at, 0);
            }
        }
        tick((at - ticked).max(steps / STEPS_PER_LOOK))?;
        Ok(found)
    }
}

impl ActiveStates {
    /// Begins a list in the round after `last`.
    fn begin(&mut self, last: usize) {
        self.list.clear();
        self.round = last + 1;
    }

    /// Adds what `state` comes to at the byte `at` without taking one.
    fn follow(
        &mut self,
        nfa: &NFA,
        stack: &mut Vec<StateID>,
        (state, start): (StateID, usize),
        text: &[u8],
        at: usize,
    ) {
        stack.push(state);
        while let Some(state) = stack.pop() {
            if std::mem::replace(&mut self.seen[state], self.round) == self.round {
                continue;
            }
            match nfa.state(state) {
                State::Look { look, next } => {
                    if nfa.look_matcher().matches(*look, text, at) {
                        stack.push(*next);
                    }
                }
                State::Union { alternates } => stack.extend(alternates.iter().rev()),
                State::BinaryUnion { alt1, alt2 } => stack.extend([alt2, alt1]),
                State::Capture { next, .. } => stack.push(*next),
                State::Fail => {}
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) | State::Match { .. } => {
                    self.list.push((state, start));
                }
            }
        }
    }
}
