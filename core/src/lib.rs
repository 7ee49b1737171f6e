//! Truncates text to the context of a language model, with exact totals and a notice about the omitted part.
//!
//! [`truncate()`] cuts a text in memory. A [`Collector`](truncate::Collector) does the same for a stream, piece by piece and
//! in bounded memory. Both keep the start of the text, its end, or both ([`Keep`](truncate::Keep)), in complete lines. A
//! [`Notice`](notice::Notice) reports what is missing and how to get it; [`details`] has the same facts as data. This example
//! shows the output of a command to an agent:
//!
//! ```
//! use cutline_core::notice::{Notice, ResultText, Saved, Shown};
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
//! // Pieces as they come from a pipe: bytes, with a progress bar and colours.
//! for piece in [&b"compiling\n 10%\r"[..], b" 99%\r100%\n\x1b[31merr", b"or\x1b[0m: no such crate\n"] {
//!     raw.push(piece);
//!     decoder.push(piece, &mut |text| terminal.push(text, &mut |shown| tail.push(shown)));
//! }
//! decoder.finish(&mut |text| terminal.push(text, &mut |shown| tail.push(shown)));
//! terminal.finish(&mut |shown| tail.push(shown));
//!
//! let kept = tail.finish();
//! let saved = Saved::At { path: "/tmp/build.log".into(), first: None };
//! let shown = Shown::of_text(&kept, raw.extent().lines, &raw, bounds);
//! let notices = shown.map(|shown| Notice::Output { shown, saved }).into_iter().collect();
//! let result = ResultText { is_cut: kept.cut.is_some(), body: kept.content, notices, ..ResultText::default() };
//! assert_eq!(
//!     result.into_text(),
//!     "100%\nerror: no such crate\n\n[Showing lines 2-3 of 3. Full output: /tmp/build.log]",
//! );
//! ```
//!
//! [`Notice`](notice::Notice) names no tool. The runtime provides the sentence with its next call:
//!
//! ```
//! use cutline_core::notice::{Notice, ResultText};
//! use cutline_core::text::Total;
//! use cutline_core::truncate::{Bounds, Keep, Limit, truncate};
//!
//! let kept = truncate("one\ntwo\nthree\n", Bounds::new(2, 30_000), Keep::Head);
//! let (last, total) = (kept.output.lines, Total::Exact(kept.total.lines));
//! let next = Some(format!("Call view_file with start_line {} for more", last + 1));
//! let page = Notice::Page { first: 1, last, total, limit: Limit::Lines(2), next };
//! let result = ResultText { is_cut: kept.cut.is_some(), body: kept.content, notices: vec![page], ..ResultText::default() };
//! assert_eq!(
//!     result.into_text(),
//!     "one\ntwo\n\n[Showing lines 1-2 of 3. Call view_file with start_line 3 for more]",
//! );
//! ```
//!
//! A failure is often reported far from the end of an output. A collector with
//! [key lines](truncate::Collector::with_key_lines) also shows the lines that report it, and lines around them:
//!
//! ```
//! use cutline_core::details::Details;
//! use cutline_core::notice::{Notice, Saved, Shown};
//! use cutline_core::text::Counter;
//! use cutline_core::truncate::{Bounds, Collector, Keep, KeyForms, KeySpace};
//!
//! let bounds = Bounds::new(8, 30_000);
//! let mut raw = Counter::default();
//! let mut tail = Collector::new(bounds, Keep::Tail).with_key_lines(KeySpace::Shared);
//! let passing: String = (1..=30).map(|n| format!("test case_{n} ... ok\n")).collect();
//! for piece in ["error[E0308]: mismatched types\n  --> src/main.rs:10:5\n", &passing] {
//!     raw.push(piece.as_bytes());
//!     tail.push(piece);
//! }
//! // The command failed, so use all forms of key lines.
//! let kept = tail.finish_with(KeyForms::All);
//! assert_eq!(
//!     kept.content,
//!     "error[E0308]: mismatched types\n  --> src/main.rs:10:5\n[...lines 3-27 omitted...]\n\
//!      test case_26 ... ok\ntest case_27 ... ok\ntest case_28 ... ok\ntest case_29 ... ok\ntest case_30 ... ok",
//! );
//! let saved = Saved::At { path: "/tmp/test.log".into(), first: None };
//! let notice = Shown::of_text(&kept, 32, &raw, bounds).map(|shown| Notice::Output { shown, saved });
//! assert_eq!(
//!     notice.unwrap().to_string(),
//!     "[Showing lines 28-32 and 2 key lines before them of 32. Full output: /tmp/test.log]",
//! );
//! let mut details = Details::default();
//! details.add_cut(&kept, raw.extent(), false, bounds);
//! let key_line = details.truncation.unwrap().key_lines[0];
//! assert_eq!((key_line.line, key_line.count), (1, 1));
//! ```
//!
//! This crate does not use a runtime, a protocol, the file system, processes, a clock or the environment, and no function
//! returns an error. In reading order: [`text`], [`truncate`](mod@truncate), [`notice`],
//! [`details`], [`outline`].

pub mod details;
mod key_lines;
pub mod notice;
pub mod outline;
pub mod text;
pub mod truncate;

pub use truncate::truncate;

/// Tests the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
