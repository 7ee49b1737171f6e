//! Prints what a model should see of a log: `cargo run -p cutline-core --example model_view -- build.log [EXIT_CODE]`.
//!
//! With an exit code other than 0, key lines of all grades are shown. Else key lines are shown if one has the structure of a
//! failure report.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

use std::fs::File;
use std::io::{self, Read as _};

use cutline_core::details::Details;
use cutline_core::notice::{Notice, ResultText, Saved, Shown};
use cutline_core::text::Counter;
use cutline_core::text::decode::{Decoder, Encoding};
use cutline_core::text::terminal::Terminal;
use cutline_core::truncate::{Bounds, Collector, Keep, KeyForms, KeySpace};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = || io::Error::new(io::ErrorKind::InvalidInput, "usage: model_view FILE [EXIT_CODE]");
    let path = arguments.next().ok_or_else(usage)?;
    let forms = match arguments.next().as_deref() {
        None | Some("0") => KeyForms::Strong,
        Some(_) => KeyForms::All,
    };
    let bounds = Bounds::new(2000, 30_000);
    let mut raw = Counter::default();
    let mut decoder = Decoder::new(Encoding::Utf8);
    let mut terminal = Terminal::new(bounds.bytes);
    let mut tail = Collector::new(bounds, Keep::Tail).with_key_lines(KeySpace::Shared);
    let (mut file, mut buffer) = (File::open(&path)?, vec![0; 65_536]);
    loop {
        let read = file.read(&mut buffer)?;
        let Some(piece) = buffer.get(..read).filter(|piece| !piece.is_empty()) else { break };
        raw.push(piece);
        decoder.push(piece, &mut |text| terminal.push(text, &mut |shown| tail.push(shown)));
    }
    decoder.finish(&mut |text| terminal.push(text, &mut |shown| tail.push(shown)));
    terminal.finish(&mut |shown| tail.push(shown));

    let kept = tail.finish_with(forms);
    let mut details = Details::default();
    details.add_cut(&kept, raw.extent(), false, bounds);
    let shown = Shown::of_text(&kept, raw.extent().lines, &raw, bounds);
    let saved = Saved::At { path, first: None };
    let notices = shown.map(|shown| Notice::Output { shown, saved }).into_iter().collect();
    let result =
        ResultText { is_cut: kept.cut.is_some(), body: kept.content, notices, ..ResultText::default() };
    println!("{}", result.into_text());
    // For a client that takes facts as data.
    for key in details.truncation.iter().flat_map(|cut| &cut.key_lines) {
        eprintln!("line {} ({} like it)", key.line, key.count);
    }
    Ok(())
}
