//! The part of a text that fits a language model's context, exact counts of all of it, and the
//! notice that says what was left out.
//!
//! One call cuts a text in memory ([`truncate()`]); a [`Collector`](truncate::Collector) does the
//! same to a stream, piece by piece and in bounded memory, and keeps its start, its end or both
//! ([`Keep`](truncate::Keep)), in whole lines. A [`Notice`](notice::Notice) says what is missing and
//! how to get it, and [`details`] has the same facts as data. Here is the output of a command, as an agent should see it:
//!
//! ```
//! use cutline_core::notice::{Answer, BodyEnd, Notice, Saved, Shown};
//! use cutline_core::text::decode::{Decoder, Encoding};
//! use cutline_core::text::terminal::Terminal;
//! use cutline_core::text::Counter;
//! use cutline_core::truncate::{Bounds, Collector, Keep};
//!
//! let bounds = Bounds::new(2, 30_000);
//! let mut raw = Counter::default();
//! let mut decoder = Decoder::new(Encoding::Utf8);
//! let mut terminal = Terminal::new(bounds.bytes);
//! let mut tail = Collector::new(bounds, Keep::Tail);
//! // Pieces as a pipe gives them: bytes, with a progress bar and colours.
//! for piece in [&b"compiling\n 10%\r"[..], b" 99%\r100%\n\x1b[31merr", b"or\x1b[0m: no such crate\n"] {
//!     raw.push(piece);
//!     decoder.push(piece, &mut |text| terminal.push(text, &mut |shown| tail.push(shown)));
//! }
//! decoder.finish(&mut |text| terminal.push(text, &mut |shown| tail.push(shown)));
//! terminal.finish(&mut |shown| tail.push(shown));
//!
//! let kept = tail.finish();
//! let total = kept.total.lines;
//! let saved = Saved::At { path: "/tmp/build.log".into(), first: None };
//! let shown = kept.cut.map(|cut| Shown::of(cut, kept.output, (1, total), total, &raw, bounds));
//! let notices = shown.map(|shown| Notice::Output { shown, saved }).into_iter().collect();
//! let answer = Answer { end: BodyEnd::of(&kept), body: kept.content, notices, ..Answer::default() };
//! assert_eq!(
//!     answer.into_text(),
//!     "100%\nerror: no such crate\n\n[Showing lines 2-3 of 3. Full output: /tmp/build.log]",
//! );
//! ```
//!
//! Nothing here knows a runtime, a protocol, a file system, a process, a clock or the environment,
//! and nothing can fail. In reading order: [`text`], [`truncate`](mod@truncate), [`notice`], [`details`].

pub mod details;
pub mod notice;
pub mod text;
pub mod truncate;

pub use truncate::truncate;
