//! The page of `cutline stats --html`. It is made only from the JSON of `--json`, so both have the same numbers.
//!
//! Each number is in a `data` element with its JSON pointer. The page loads nothing, and its content security policy
//! forbids scripts, images and fonts.

mod format;
mod plot;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

use format::{escaped, grouped, tenth, tick};
use plot::{Axis, Bars, GIVEN, LEFT_OUT};

/// The style sheet of the page, without the colours of the plots.
const STYLE: &str = include_str!("html/style.css");
/// The content security policy, which allows only the page's own style.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
/// Maximum length in characters of a tool's name that is not wrapped.
const SHORT_NAME_CHARS: usize = 24;
/// The text for a missing number.
const NONE: &str = "–";

/// A column of a table: the heading, and the JSON pointer of the number, relative to the row.
type Column = (&'static str, &'static str);

/// The columns of the table of totals.
const SUMS: [Column; 15] = [
    ("Calls", "/calls"),
    ("Errors", "/errors"),
    ("Cancelled", "/cancelled"),
    ("Answers", "/answers"),
    ("Cut", "/truncated/answers"),
    ("Cut, %", "/truncated/percent"),
    ("By lines", "/truncated/byLines"),
    ("By bytes", "/truncated/byBytes"),
    ("By tokens", "/truncated/byTokens"),
    ("Use of limit, %", "/limitUse/meanPercent"),
    ("Tokens given", "/given/estimatedTokens"),
    ("Tokens left out", TOKENS_LEFT_OUT),
    ("Median, ms", "/durationMs/median"),
    ("95 %, ms", "/durationMs/p95"),
    ("Longest, ms", "/durationMs/longest"),
];
/// The numbers at the top: the label, the JSON pointer in the totals of all tools, and the unit.
const TILES: [(&str, &str, &str); 6] = [
    ("Answers", "/answers", ""),
    ("Errors", "/errors", ""),
    ("Answers cut", "/truncated/percent", "%"),
    ("Use of the limit", "/limitUse/meanPercent", "%"),
    ("Tokens given", "/given/estimatedTokens", ""),
    ("Tokens left out", TOKENS_LEFT_OUT, ""),
];
/// The JSON pointer of omitted tokens. A `+` after the number means that it is a lower bound.
const TOKENS_LEFT_OUT: &str = "/leftOut/estimatedTokens";
/// The column of the table of limit use.
const USES: [Column; 1] = [("Answers", "")];
/// The columns of the table of slow calls.
const SLOWEST: [Column; 2] = [("Duration, ms", "/durationMs"), ("Ended", "/time")];
/// The columns of the table of time spans.
const SPAN: [Column; 6] = [
    ("Calls", "/calls"),
    ("Answers", "/answers"),
    ("Cut, %", "/truncatedPercent"),
    ("Use, %", "/limitPercent"),
    ("Given", "/estimatedTokensGiven"),
    ("Left out", "/estimatedTokensLeftOut"),
];

/// Returns the page for these totals.
pub(super) fn page(sums: &Value) -> anyhow::Result<String> {
    let page = HtmlPage { sums };
    let body = page.body()?;
    let style = [STYLE, &plot::style()].concat();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                link rel="icon" href="data:,";
                title { "cutline stats" }
                style { (PreEscaped(style)) }
            }
            body { (body) }
        }
    };
    Ok(page.into_string() + "\n")
}

/// Returns the name of a tool. A short name is not wrapped.
fn tool(name: &str) -> Markup {
    html! { bdi.short[name.chars().count() <= SHORT_NAME_CHARS] { (name) } }
}

struct HtmlPage<'a> {
    sums: &'a Value,
}

impl HtmlPage<'_> {
    fn value(&self, pointer: &str) -> &Value {
        self.sums.pointer(pointer).unwrap_or(&Value::Null)
    }

    fn is_zero(&self, pointer: &str) -> bool {
        self.value(pointer) == 0
    }

    fn items(&self, pointer: &str) -> std::slice::Iter<'_, Value> {
        self.value(pointer).as_array().map_or(&[][..], Vec::as_slice).iter()
    }

    /// Returns the number at `pointer`.
    fn number(&self, pointer: &str) -> Markup {
        let text = match self.value(pointer) {
            Value::Null => return html! { span.none { (NONE) } },
            number => grouped(&number.to_string()),
        };
        html! { data value=(self.value(pointer)) data-of=(pointer) { (text) } }
    }

    /// Returns the number of a total at `of`, with a `+` if it is a lower bound.
    fn sum(&self, of: &str, part: &str) -> Markup {
        let more = part == TOKENS_LEFT_OUT && self.value(&format!("{of}/leftOut/isLowerBound")) == true;
        html! { (self.number(&[of, part].concat())) @if more { span.more title="at least" { "+" } } }
    }

    fn time(&self, pointer: &str) -> Markup {
        let time = self.value(pointer).as_str().unwrap_or(NONE);
        html! { time datetime=(time) data-of=(pointer) { (to_the_second(time)) } }
    }

    fn body(&self) -> anyhow::Result<Markup> {
        if self.is_zero("/total/calls") {
            return Ok(html! { header { h1 { "cutline stats" } p { "No calls" } } (self.broken()) });
        }
        Ok(html! {
            header {
                h1 { "cutline stats" }
                p {
                    (self.number("/total/calls")) " calls, "
                    (self.time("/firstCall")) " to " (self.time("/lastCall")) " UTC"
                }
            }
            main {
                (self.broken())
                (self.tiles())
                section aria-labelledby="tools" {
                    h2 #tools { "Tools" }
                    (self.tools())
                    p.note { "Tokens are estimated. A + means that at least this much was left out. Durations do not include cancelled calls." }
                }
                @if !self.is_zero("/total/answers") { (self.plots()?) }
                @if self.items("/slowestCalls").next().is_some() {
                    section aria-labelledby="slowest" { h2 #slowest { "Slowest calls" } (self.slowest()) }
                }
            }
            footer { "Made by cutline stats. A record of a call contains sizes, limits and times, but no content." }
        })
    }

    fn broken(&self) -> Markup {
        html! {
            @if !self.is_zero("/brokenLines") {
                p.warning { "Skipped lines that are not records: " (self.number("/brokenLines")) }
            }
        }
    }

    fn tiles(&self) -> Markup {
        html! {
            dl.tiles {
                @for (label, part, unit) in TILES {
                    div {
                        dt { (label) }
                        dd { (self.sum("/total", part)) @if !unit.is_empty() { span.unit { (unit) } } }
                    }
                }
            }
        }
    }

    fn tools(&self) -> Markup {
        let names = self.value("/tools").as_object().into_iter().flat_map(serde_json::Map::keys);
        let row = |name: &String| (tool(name), format!("/tools/{}", escaped(name)));
        let tools: Vec<_> = names.map(row).collect();
        let all = (tools.len() > 1).then(|| (html! { bdi { "All" } }, "/total".to_owned()));
        let rows = html! {
            tbody { (self.rows(tools, &SUMS)) }
            @if all.is_some() { tfoot { (self.rows(all, &SUMS)) } }
        };
        table("Sums for each tool", "sums", "Tool", &SUMS, &rows)
    }

    /// Returns the rows of a table from their headings and JSON pointers.
    fn rows(&self, rows: impl IntoIterator<Item = (Markup, String)>, columns: &[Column]) -> Markup {
        html! {
            @for (heading, of) in rows {
                tr {
                    th scope="row" { (heading) }
                    @for (heading, part) in columns { td data-label=(heading) { span { (self.sum(&of, part)) } } }
                }
            }
        }
    }

    fn plots(&self) -> anyhow::Result<Markup> {
        let by_tenth: Vec<Option<f64>> =
            self.items("/total/limitUse/answersByTenth").map(Value::as_f64).collect();
        let tenths: Vec<String> = (0..by_tenth.len()).map(tenth).collect();
        let use_bars = Bars { labels: &tenths, axis: Axis::Count, series: vec![(&GIVEN, by_tenth)] };
        let span_ms = self.value("/overTime/spanMs").as_u64().unwrap_or(0);
        let each = humantime::format_duration(std::time::Duration::from_millis(span_ms)).to_string();
        Ok(html! {
            section aria-labelledby="use" {
                h2 #use { "Answers by use of the limit" }
                div.columns {
                    (figure("Number of answers for each tenth of the limit that they used", &use_bars)?)
                    (self.uses(&tenths))
                }
            }
            section aria-labelledby="time" {
                h2 #time { "Over time" }
                p.note { "Each column is " (each) " (UTC). Columns without results (for the number of calls: without calls) have no line below them." }
                div.grid { (self.over_time(span_ms)?) }
                details { summary { "Numbers for columns with calls" } (self.spans()) }
            }
        })
    }

    fn over_time(&self, span_ms: u64) -> anyhow::Result<Markup> {
        let spans = || self.items("/overTime/spans");
        let starts: Vec<&str> = spans().filter_map(|span| span["start"].as_str()).collect();
        let labels: Vec<String> = starts.iter().map(|start| tick(start, &starts, span_ms)).collect();
        // Returns a field of each span in which the count `of` is not 0.
        let part = |part: &str, of: &str| -> Vec<Option<f64>> {
            spans().map(|span| span[part].as_f64().filter(|_| span[of] != 0)).collect()
        };
        let of_answers = |name| part(name, "answers");
        let plot = |name, axis, series| figure(name, &Bars { labels: &labels, axis, series });
        let tokens = vec![
            (&GIVEN, of_answers("estimatedTokensGiven")),
            (&LEFT_OUT, of_answers("estimatedTokensLeftOut")),
        ];
        Ok(html! {
            div {
                h3 { "Calls" }
                (plot("Number of calls, over time", Axis::Count, vec![(&GIVEN, part("calls", "calls"))])?)
            }
            div {
                h3 { "Answers cut" }
                (plot("Percent of the answers that a limit cut, over time", Axis::Percent, vec![(&LEFT_OUT, of_answers("truncatedPercent"))])?)
            }
            div {
                h3 { "Use of the limit" }
                (plot("Percent of the limit that answers used on average, over time", Axis::Percent, vec![(&GIVEN, of_answers("limitPercent"))])?)
            }
            div {
                h3 { "Tokens given and left out" }
                p.legend { span.given { "given" } " " span.left-out { "left out" } }
                (plot("Tokens given, and on top of them tokens left out, over time", Axis::Count, tokens)?)
            }
        })
    }

    fn uses(&self, tenths: &[String]) -> Markup {
        let row = |(n, tenth)| (html! { (tenth) " %" }, format!("/total/limitUse/answersByTenth/{n}"));
        let rows = html! { tbody { (self.rows(tenths.iter().enumerate().map(row), &USES)) } };
        table("Answers by use of the limit", "", "Use of the limit", &USES, &rows)
    }

    fn spans(&self) -> Markup {
        let with_calls = self.items("/overTime/spans").enumerate().filter(|(_, span)| span["calls"] != 0);
        let rows = with_calls.map(|(n, _)| format!("/overTime/spans/{n}"));
        let rows = rows.map(|of| (self.time(&[&of, "/start"].concat()), of));
        table("Sums over time", "", "Start", &SPAN, &html! { tbody { (self.rows(rows, &SPAN)) } })
    }

    fn slowest(&self) -> Markup {
        let longest = self.value("/slowestCalls/0/durationMs").as_f64().unwrap_or(0.0);
        let rows = html! {
            tbody {
                @for (n, call) in self.items("/slowestCalls").enumerate() {
                    @let of = format!("/slowestCalls/{n}");
                    @let part = call["durationMs"].as_f64().unwrap_or(0.0) / longest.max(f64::MIN_POSITIVE);
                    tr {
                        th scope="row" {
                            (tool(call["tool"].as_str().unwrap_or(NONE)))
                            @if call["outcome"] == "error" { " " span.error { "error" } }
                        }
                        td {
                            (self.number(&[&of, "/durationMs"].concat()))
                            span.bar aria-hidden="true" style=(format!("width:{:.1}%", part * 100.0)) {}
                        }
                        td { (self.time(&[&of, "/time"].concat())) }
                    }
                }
            }
        };
        table("Slowest calls", "slowest", "Tool", &SLOWEST, &rows)
    }
}

/// Returns a table in a scrollable region.
fn table(name: &str, class: &str, first: &str, columns: &[Column], rows: &Markup) -> Markup {
    let headings = [first].into_iter().chain(columns.iter().map(|(heading, _)| *heading));
    html! {
        div.table tabindex="0" role="region" aria-label=(name) {
            table class=[Some(class).filter(|class| !class.is_empty())] {
                thead { tr { @for heading in headings { th scope="col" { (heading) } } } }
                (rows)
            }
        }
    }
}

/// Returns a plot for wide and for narrow pages, so that its text has the same size on both.
fn figure(name: &str, bars: &Bars<'_>) -> anyhow::Result<Markup> {
    let wide = bars.draw((620, 230))?;
    let narrow = bars.draw((350, 210))?;
    Ok(html! {
        figure role="img" aria-label=(name) {
            div.wide aria-hidden="true" { (PreEscaped(wide)) }
            div.narrow aria-hidden="true" { (PreEscaped(narrow)) }
        }
    })
}

/// Formats an RFC 3339 time to the second, with a space between date and time.
fn to_the_second(time: &str) -> String {
    time.chars().take(19).map(|c| if c == 'T' { ' ' } else { c }).collect()
}
