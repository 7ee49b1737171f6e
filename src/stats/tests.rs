//! Tests records of each kind of result, and their conversion to JSON and back.

use serde_json::json;

use super::*;
use cutline_core::details::{Details, TruncationDetails};
use cutline_core::text::tokens::estimate;

/// Returns the record of a call with this outcome and the default limits.
fn record(tool: ToolName, outcome: &Result<Output, ToolError>) -> Record {
    let outcome = Outcome::of(outcome, &Limits::default());
    let time = "2026-11-20T10:00:00.000Z".to_owned();
    Record::new(time, Tool::Own(tool), Duration::from_micros(1234), outcome)
}

/// Returns details of a truncation to `output` of `total`, as `(lines, bytes)`.
fn cut(by: TruncatedBy, output: (u64, u64), total: (u64, u64)) -> TruncationDetails {
    TruncationDetails {
        truncated: true,
        truncated_by: by,
        total_lines: total.0,
        total_bytes: total.1,
        output_lines: output.0,
        output_bytes: output.1,
        max_lines: 2000,
        max_bytes: 30_000,
        last_line_partial: false,
        first_line_exceeds_limit: output.0 == 0,
        estimated_tokens: output.1.div_ceil(4),
        total_estimated_tokens: total.1.div_ceil(4),
        limit_tokens: 7500,
        total_is_lower_bound: None,
        key_lines: Vec::new(),
    }
}

/// Returns a result with this body and a notice.
fn output(body: &str, details: Details) -> Output {
    Output {
        text: format!("{body}\n\n[A notice]"),
        body_bytes: body.len(),
        image: None,
        details,
        totals: Totals::Exact,
    }
}

fn size_of(tool: ToolName, output: Output) -> ResultSize {
    match record(tool, &Ok(output)).outcome {
        Outcome::Ok(size) => size,
        other => panic!("{other:?}"),
    }
}

/// Returns a truncated result with these totals.
fn cut_output(totals: Totals, truncation: TruncationDetails) -> Output {
    let next_offset = Some(truncation.output_lines + 1);
    let details = Details { truncation: Some(truncation), next_offset, ..Details::default() };
    Output { totals, ..output("", details) }
}

#[test]
fn uncut_result_omits_nothing() {
    let size = size_of(ToolName::Bash, output("one\ntwo\n", Details::default()));
    let expected = ResultSize {
        truncated_by: None,
        count_limit_reached: false,
        output_lines: 2,
        output_bytes: 8,
        total_lines: Some(2),
        total_bytes: Some(8),
        total_is_lower_bound: false,
        limit_percent: 0,
        tokens_given: estimate("one\ntwo\n"),
        tokens_left_out: Some(0),
    };
    assert_eq!(size, expected);
}

#[test]
fn usage_is_that_of_the_fuller_limit() {
    for (body, percent) in [
        ("x\n".repeat(1500), 75),
        ("x".repeat(21_299), 70),
        ("x".repeat(21_300), 71),
        (String::new(), 0),
        ("x".repeat(40_000), 100),
    ] {
        let size = size_of(ToolName::Grep, output(&body, Details::default()));
        assert_eq!(size.limit_percent, percent, "{}", body.len());
    }
}

#[test]
fn omitted_counts_follow_from_the_totals() {
    let cut = || cut(TruncatedBy::Bytes, (374, 29_990), (5000, 400_001));
    for (totals, is_lower_bound) in [(Totals::Exact, false), (Totals::LowerBound, true)] {
        let size = size_of(ToolName::Read, cut_output(totals, cut()));
        assert_eq!(size.truncated_by, Some(TruncatedBy::Bytes));
        assert_eq!(size.left_out(), Extent { lines: 4626, bytes: 370_011 });
        assert_eq!((size.tokens_given, size.tokens_left_out), (7498, Some(92_509)));
        assert_eq!((size.limit_percent, size.count_limit_reached), (100, false));
        assert_eq!(size.total_is_lower_bound, is_lower_bound);
    }
    let unknown = size_of(ToolName::Read, cut_output(Totals::Unknown, cut()));
    assert_eq!((unknown.total_lines, unknown.total_bytes, unknown.tokens_left_out), (None, None, None));
    assert_eq!((unknown.truncated_by, unknown.output_lines), (Some(TruncatedBy::Bytes), 374));
}

#[test]
fn search_that_stopped_is_counted_as_at_a_limit() {
    let stopped = Details { next_offset: Some(100), match_limit_reached: Some(100), ..Details::default() };
    for (totals, left_out) in [(Totals::Exact, Some(0)), (Totals::Unknown, None)] {
        let output = Output { totals, ..output("a: b", stopped.clone()) };
        let size = size_of(ToolName::Grep, output);
        assert_eq!((size.count_limit_reached, size.tokens_left_out), (true, left_out));
    }
}

#[test]
fn a_line_is_read_as_it_was_written() {
    let truncation = cut(TruncatedBy::Lines, (2000, 8893), (3000, 13_893));
    let details = Details { truncation: Some(truncation), next_offset: Some(2001), ..Details::default() };
    let outcomes = [
        Ok(output("", details)),
        Ok(output("a", Details::default())),
        Err(ToolError::Cancelled),
        Err(ToolError::Argument("secret".to_owned())),
    ];
    let records = outcomes.map(|outcome| record(ToolName::Read, &outcome));
    let lines = records.clone().map(|record| serde_json::to_string(&record).unwrap());
    assert_eq!(
        lines[0],
        r#"{"time":"2026-11-20T10:00:00.000Z","tool":"read","durationMs":1.234,"outcome":"ok","truncatedBy":"lines","countLimitReached":false,"outputLines":2000,"outputBytes":8893,"totalLines":3000,"totalBytes":13893,"totalIsLowerBound":false,"limitPercent":100,"tokensGiven":2224,"tokensLeftOut":1251}"#
    );
    assert_eq!(
        lines[2],
        r#"{"time":"2026-11-20T10:00:00.000Z","tool":"read","durationMs":1.234,"outcome":"cancelled"}"#
    );
    for (record, line) in records.iter().zip(&lines) {
        assert_eq!(serde_json::from_str::<Record>(line).unwrap(), *record, "{line}");
    }
    assert!(!lines[3].contains("secret"), "{}", lines[3]);
}

#[test]
fn sums_are_those_of_the_records() {
    let mut stats = Stats::default();
    let [read, grep] = [ToolName::Read, ToolName::Grep].map(Tool::Own);
    let page = cut(TruncatedBy::Bytes, (374, 29_990), (5000, 400_001));
    let details = Details { truncation: Some(page), next_offset: Some(375), ..Details::default() };
    let stopped = Details { next_offset: Some(100), ..Details::default() };
    for (tool, outcome) in [
        (ToolName::Read, Ok(output("", details))),
        (ToolName::Read, Ok(output("abcde", Details::default()))),
        (ToolName::Read, Err(ToolError::Argument(String::new()))),
        (ToolName::Grep, Ok(Output { totals: Totals::Unknown, ..output("a: b", stopped) })),
        (ToolName::Grep, Err(ToolError::Cancelled)),
    ] {
        stats.add(&record(tool, &outcome));
    }
    let (total, read, grep) =
        (stats.total.to_value(), stats.tools[&read].to_value(), stats.tools[&grep].to_value());
    assert_eq!(
        (&total["calls"], &total["errors"], &total["cancelled"], &total["answers"]),
        (&json!(5), &json!(1), &json!(1), &json!(3))
    );
    assert_eq!(
        total["truncated"],
        json!({"answers": 1, "percent": 33.3, "byLines": 0, "byBytes": 1, "byTokens": 0})
    );
    assert_eq!(
        total["given"],
        json!({"lines": 376, "bytes": 29_999, "estimatedTokens": 7498 + estimate("abcde") + estimate("a: b")})
    );
    assert_eq!(
        read["leftOut"],
        json!({"lines": 4626, "bytes": 370_011, "estimatedTokens": 92_509, "isLowerBound": false})
    );
    assert_eq!(grep["leftOut"]["isLowerBound"], true);
    assert_eq!(total["limitUse"], json!({"meanPercent": 33.3}));
    assert_eq!(total["durationMs"], json!({"median": 1.234, "p95": 1.234, "longest": 1.234}));
    assert_eq!(Stats::default().total.to_value()["durationMs"]["median"], Value::Null);
}

#[test]
fn quantiles_are_those_of_the_calls_that_were_not_cancelled() {
    let mut stats = Stats::default();
    for n in (1..=100).rev() {
        let outcome = if n > 40 { Outcome::Cancelled } else { Outcome::Error };
        stats.add(&Record::new(String::new(), Tool::Own(ToolName::Ls), Duration::from_millis(n), outcome));
    }
    assert_eq!(
        [0, 50, 95, 100].map(|percent| stats.total.quantile_ms(percent)),
        [1.0, 20.0, 38.0, 40.0].map(Some)
    );
}

#[test]
fn sums_stop_at_the_largest_number() {
    let size = ResultSize {
        output_bytes: u64::MAX,
        total_bytes: Some(0),
        limit_percent: u64::MAX,
        tokens_left_out: Some(u64::MAX),
        ..size_of(ToolName::Ls, output("a", Details::default()))
    };
    let mut stats = Stats::default();
    for _ in 0..2 {
        stats.add(&Record::new(String::new(), Tool::Own(ToolName::Ls), Duration::MAX, Outcome::Ok(size)));
    }
    let total = stats.total.to_value();
    assert_eq!((&total["given"]["bytes"], &total["leftOut"]["bytes"]), (&json!(u64::MAX), &json!(0)));
    assert_eq!(total["leftOut"]["estimatedTokens"], u64::MAX);
    assert_eq!(total["limitUse"]["meanPercent"], 100.0);
}
