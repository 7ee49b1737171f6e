//! Throughput of the core: counting, decoding, resolving, collecting.
//!
//! `cargo bench --bench collectors`. Each line of the first part is a pass over the same 200 MB of text in pieces of
//! 128 KB. The second part measures what truncation adds to a result: the collector, the notice with its details, and
//! the record of the call.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a program that is only run by hand")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use cutline::call_stats::StatsFile;
use cutline::limits::Limits;
use cutline::stats::{Outcome, Record, Stats, Tool};
use cutline::tools::notice::continue_after;
use cutline::tools::{Output, ToolName};
use cutline_core::details::Details;
use cutline_core::notice::{Notice, ResultText};
use cutline_core::text::decode::{Decoder, Encoding};
use cutline_core::text::terminal::Terminal;
use cutline_core::text::{Counter, Size, Total};
use cutline_core::truncate::{Bounds, Collector, Keep, KeyForms, KeySpace, Limit, Truncation};

const PIECE: usize = 128 * 1024;
const PIECES: usize = 1600;
const BOUNDS: Bounds = Bounds::new(2000, 30_000);

/// A line for repeated errors of one kind. `{}` becomes a number.
const ONE_ERROR: &str = "src/module.c:{}:5: error: no member named 'size' in 'struct buffer'\n";
/// A line for errors of different kinds. `{w}` becomes a word.
const MANY_ERRORS: &str = "src/module.c:7:5: error: no member named '{w}' in 'struct buffer'\n";

fn main() {
    let line = "000000042 a line of a log, of the usual length, with nothing special in it\n";
    let text: String = line.chars().cycle().take(PIECE).collect();
    report("count", || {
        let mut counter = Counter::default();
        pieces(&text, |piece| counter.push(piece.as_bytes()));
        black_box(counter.extent());
    });
    report("decode", || {
        let mut decoder = Decoder::new(Encoding::Utf8);
        let mut passed = 0;
        pieces(&text, |piece| decoder.push(piece.as_bytes(), &mut |part| passed += part.len()));
        black_box(passed);
    });
    report("as a terminal shows it", || {
        let mut terminal = Terminal::new(30_000);
        let mut passed = 0;
        pieces(&text, |piece| terminal.push(piece, &mut |part| passed += part.len()));
        black_box(passed);
    });
    report("head", || collect(Collector::new(BOUNDS, Keep::Head), &text));
    report("tail", || collect(Collector::new(BOUNDS, Keep::Tail), &text));
    let with_key_lines = || Collector::new(BOUNDS, Keep::Tail).with_key_lines(KeySpace::Shared);
    report("tail, key lines", || collect(with_key_lines(), &text));
    report("head and tail", || {
        collect(Collector::new(Bounds { lines: 1000, ..BOUNDS }, Keep::Both { head: 200 }), &text);
    });
    for (name, line) in [("one error", ONE_ERROR), ("many errors", MANY_ERRORS)] {
        let text = errors(line);
        report(&format!("tail, {name}"), || collect(Collector::new(BOUNDS, Keep::Tail), &text));
        report("  and key lines", || collect(with_key_lines(), &text));
    }
    println!();
    for (name, unit) in
        [("ordinary lines", line), ("one line", "x"), ("empty lines", "\n"), ("Chinese", "一二三四五\n")]
    {
        let source = |bytes: usize| -> String { unit.repeat(bytes / unit.len()) };
        for bounds in [BOUNDS, Bounds::new(66_000, 1_000_000)] {
            let text = source(as_index(bounds.bytes) * 4 / 3);
            let of = format!("{}, {}", Size(bounds.bytes), name);
            adds(&format!("a result of {of}: start"), || {
                collected(Collector::new(bounds, Keep::Head), &text, bounds)
            });
            adds(&format!("a result of {of}: end"), || {
                collected(Collector::new(bounds, Keep::Tail), &text, bounds)
            });
        }
    }
    for pieces in [80, PIECES] {
        let bytes = Size((pieces * PIECE) as u64);
        let mut tail = Collector::new(BOUNDS, Keep::Tail);
        let during = timed(|| (0..pieces).for_each(|_| tail.push(black_box(&text))));
        println!("{:<44} {during:>10.2?}", format!("a command's output of {bytes}, while it runs"));
        let after = timed(|| drop(black_box(answer_of(tail.finish(), BOUNDS))));
        println!("{:<44} {after:>10.2?}", "  and after its end");
    }
    counting(line);
}

/// Makes a result from its text: the kept part, the details, the notice.
fn collected(mut collector: Collector, text: &str, bounds: Bounds) -> Output {
    collector.push(black_box(text));
    answer_of(collector.finish(), bounds)
}

fn answer_of(kept: Truncation, bounds: Bounds) -> Output {
    let mut details = Details::default();
    details.add_cut(&kept, kept.total, false, bounds);
    let (last, total) = (kept.output.lines, kept.total.lines);
    let next = continue_after(last, total);
    let limit = Limit::Bytes(bounds.bytes);
    let page = Notice::Page { first: 1, last, total: Total::Exact(total), limit, next };
    let notices = vec![page];
    let is_cut = kept.cut.is_some();
    let result = ResultText { body: kept.content, is_cut, notices, ..ResultText::default() };
    Output { body_bytes: result.body.len(), text: result.into_text(), details, ..Output::default() }
}

/// Measures the statistics of a call: its record, the sums, and a line in the file of records.
fn counting(line: &str) {
    let output = collected(Collector::new(BOUNDS, Keep::Head), &line.repeat(600), BOUNDS);
    let outcome = Ok(Output { details: Details::default(), ..output });
    let record_of = |outcome| {
        let counted = Outcome::of(outcome, &Limits::default());
        Record::new(String::new(), Tool::Own(ToolName::Read), Duration::ZERO, counted)
    };
    let mut stats = Stats::default();
    adds("the record of a result of 30KB, and its sums", || {
        stats.add(&record_of(black_box(&outcome)));
    });
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut file = StatsFile::open(&folder.path().join("calls.jsonl")).expect("a file of records");
    let record = record_of(&outcome);
    adds("its line in a file of records", || file.append(&record));
}

/// Runs `work` a thousand times. Prints the median and the maximum of the times.
fn adds<T>(name: &str, mut work: impl FnMut() -> T) {
    let mut times: Vec<Duration> = (0..1000).map(|_| timed(|| drop(black_box(work())))).collect();
    times.sort_unstable();
    let (median, longest) = (times.get(500).copied(), times.last().copied());
    let (median, longest) = (median.unwrap_or_default(), longest.unwrap_or_default());
    println!("{name:<44} {median:>10.2?}, at most {longest:.2?}");
}

fn as_index(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Returns a piece of text with lines made from `line`.
fn errors(line: &str) -> String {
    let word =
        |n: usize| -> String { n.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect() };
    let all = (0..PIECE / line.len()).map(|n| line.replace("{}", &n.to_string()).replace("{w}", &word(n)));
    all.collect()
}

fn pieces(text: &str, mut take: impl FnMut(&str)) {
    for _ in 0..PIECES {
        take(black_box(text));
    }
}

fn collect(mut collector: Collector, text: &str) {
    pieces(text, |piece| collector.push(piece));
    black_box(collector.finish_with(KeyForms::All));
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

fn report(name: &str, mut work: impl FnMut()) {
    let mut times: Vec<Duration> = (0..5).map(|_| timed(&mut work)).collect();
    times.sort_unstable();
    let median = times.get(2).copied().unwrap_or_default();
    #[allow(clippy::cast_precision_loss, reason = "a rate, to be read")]
    let rate = (PIECE * PIECES) as f64 / median.as_secs_f64() / 1e9;
    println!("{name:<24} {median:>10.2?} {rate:>6.1} GB/s");
}
