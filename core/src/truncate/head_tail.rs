//! Keeping both ends of a text, with a gap between them.

use crate::text::{Counter, Extent};

use super::{Bounds, Collector, Cut, Head, Meter, Tail, TruncatedBy, Truncation, as_index};

/// Keeps the first and the last lines that fit.
///
/// Everything is kept while it is within the lines of both ends together and within the bytes.
/// Past that, the head gets its share of the bytes, in proportion to its lines and its newlines
/// counted, and the tail all that the head did not use. A first line over the head's share is left
/// out; of a last line over the tail's, the end is kept.
///
/// ```
/// use cutline_core::truncate::{Bounds, Collector, HeadTail};
/// let mut ends = HeadTail::new(Bounds::new(3, 100), 1);
/// ends.push("one\ntwo\nthree\nfour\nfive\n");
/// let kept = ends.finish();
/// assert_eq!(kept.content, "one\nfour\nfive");
/// assert_eq!(kept.cut.unwrap().head.bytes, 4);
/// ```
#[derive(Debug)]
pub struct HeadTail {
    bounds: Bounds,
    head_lines: u64,
    total: Counter,
    /// The measure of what is whole so far.
    meter: Meter,
    state: State,
}

#[derive(Debug)]
enum State {
    /// All there is so far: within the limits.
    Whole(String),
    /// The first lines, each with its newline, and a collector of all that came after them.
    Split {
        head: String,
        /// The limit that ended the first lines.
        head_by: Option<TruncatedBy>,
        tail: Tail,
    },
}

impl HeadTail {
    /// Returns a collector that keeps `head_lines` from the start, and the others, at least one, from the end.
    pub fn new(bounds: Bounds, head_lines: u64) -> Self {
        Self {
            bounds,
            head_lines: head_lines.min(bounds.lines.saturating_sub(1)),
            total: Counter::default(),
            meter: Meter::new(bounds),
            state: State::Whole(String::new()),
        }
    }

    fn tail_lines(&self) -> u64 {
        self.bounds.lines - self.head_lines
    }

    fn fits(&self, text: &str) -> bool {
        let body = text.strip_suffix('\n').unwrap_or(text);
        body.len() as u64 <= self.bounds.bytes
            && Extent::of(text).lines <= self.bounds.lines
            && (self.meter.exceeded().is_none() || self.bounds.exceeded_by(body).is_none())
    }

    /// Returns the head's part of a limit.
    fn head_share(&self, limit: u64) -> u64 {
        let share = u128::from(limit) * u128::from(self.head_lines) / u128::from(self.bounds.lines.max(1));
        u64::try_from(share).unwrap_or(limit)
    }

    /// Parts `text`, which is over the limits, into the first lines and the collector of the rest.
    ///
    /// The head's share is within what `text` holds at least: a line that is still open in it
    /// reaches beyond the byte limit, or `text` has more lines than both ends.
    fn split(&self, text: &str) -> State {
        let newline = self.bounds.bytes_of("\n");
        let (used, head_by) = match self.head_share(self.bounds.bytes).checked_sub(newline) {
            None => (0, None),
            // The newline that ends the head is part of its share: so much less for its inside.
            Some(bytes) => {
                let tokens = self.bounds.tokens.map(|tokens| self.head_share(tokens));
                let mut head = Head::new(Bounds { lines: self.head_lines, bytes, tokens, ..self.bounds });
                head.push(text);
                let kept = head.finish();
                let used = if kept.output.lines == 0 { 0 } else { kept.content.len() + 1 };
                (used, kept.cut.map(|cut| cut.by))
            }
        };
        // A newline may cost more than the line before it left.
        let used = if self.bounds.exceeded_by(&text[..used]).is_none() { used } else { 0 };
        let (head, rest) = text.split_at(used);
        let mut tail = Tail::new(Bounds { lines: self.tail_lines(), ..self.bounds.less(head) });
        tail.push(rest);
        State::Split { head: head.to_owned(), head_by, tail }
    }
}

impl Collector for HeadTail {
    fn push(&mut self, text: &str) {
        self.total.push(text.as_bytes());
        let mut rest = text;
        while let State::Whole(all) = &mut self.state {
            if rest.is_empty() {
                return;
            }
            // One piece may be far larger than the limits: take in no more than decides.
            let room = as_index(self.bounds.bytes).saturating_add(2).saturating_sub(all.len());
            let (now, later) = rest.split_at(rest.floor_char_boundary(room.max(4)));
            all.push_str(now);
            self.meter.push(now);
            rest = later;
            let all = std::mem::take(all);
            self.state = if self.fits(&all) { State::Whole(all) } else { self.split(&all) };
        }
        if let State::Split { tail, .. } = &mut self.state {
            tail.push(rest);
        }
    }

    fn finish(&mut self) -> Truncation {
        let total = self.total.extent();
        let tail_lines = self.tail_lines();
        let (head, head_by, tail) = match std::mem::replace(&mut self.state, State::Whole(String::new())) {
            State::Whole(content) => return Truncation::new(content, total.lines, total, None),
            State::Split { head, head_by, mut tail } => (head, head_by, tail.finish()),
        };
        let kept = Extent::of(&head);
        let is_full = kept.lines == self.head_lines && tail.output.lines == tail_lines;
        let partial = tail.cut.and_then(|cut| cut.partial);
        let by = if is_full && partial.is_none() {
            TruncatedBy::Lines
        } else {
            let ends = [tail.cut.map(|cut| cut.by), head_by].into_iter().flatten();
            ends.into_iter().find(|by| *by != TruncatedBy::Lines).unwrap_or(TruncatedBy::Bytes)
        };
        let lines = kept.lines + tail.output.lines;
        Truncation::new(head + tail.body(), lines, total, Some(Cut { by, partial, head: kept }))
    }
}
