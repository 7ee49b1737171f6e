//! The totals as text, logged when a server ends.

use cutline_core::notice::Count;
use cutline_core::text::Size;

use super::{Stats, Sums};

/// Returns one line for each called tool if there are several, and one for all tools.
pub fn summary(stats: &Stats) -> Vec<String> {
    let tools: Vec<_> = stats.tools.iter().map(|(tool, sums)| line(tool.as_str(), sums)).collect();
    let all = match tools.as_slice() {
        [_] => return tools,
        _ => line("all", &stats.total),
    };
    tools.into_iter().chain([all]).collect()
}

fn line(name: &str, sums: &Sums) -> String {
    let counts = &sums.counts;
    if counts.calls.0 == 0 {
        return "0 calls".to_owned();
    }
    let mut parts = vec![
        Count(counts.calls.0, "call", "calls").to_string(),
        Count(counts.errors.0, "error", "errors").to_string(),
    ];
    if counts.cancelled.0 > 0 {
        parts.push(format!("{} cancelled", counts.cancelled));
    }
    let limits = [(counts.by_lines, "lines"), (counts.by_bytes, "bytes"), (counts.by_tokens, "tokens")];
    let named = limits.iter().filter(|(cut, limit)| cut.0 > 0 || *limit != "tokens");
    let named: Vec<_> = named.map(|(cut, limit)| format!("{cut} by {limit}")).collect();
    parts.push(match counts.truncated() {
        0 => "0 truncated".to_owned(),
        cut => format!("{cut} truncated ({})", named.join(", ")),
    });
    let more = if counts.left_out_open.0 > 0 { "+" } else { "" };
    let (given, left_out) = (Size(counts.bytes_given.0), Size(counts.bytes_left_out.0));
    parts.push(format!("{given} given and {left_out}{more} left out"));
    let tokens = (counts.tokens_given, counts.tokens_left_out);
    parts.push(format!("about {} and {}{more} tokens", tokens.0, tokens.1));
    parts.extend(counts.limit_percent().map(|used| format!("{used:.0}% of the limit used on average")));
    let quantiles = (sums.durations.quantile(50), sums.durations.quantile(95));
    if let (Some(median), Some(most)) = quantiles {
        parts.push(format!("median {median:.1?}, 95% within {most:.1?}"));
    }
    format!("{name}: {}", parts.join(", "))
}
