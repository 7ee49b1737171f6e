//! docs/tools.md the other way round: nothing on the page that the code has not. And the numbers, on
//! every page that names them.

use cutline::limits as is;
use cutline_core::details::Details;
use cutline_core::text::Size;
use serde_json::Value;

use super::file;

const PAGE: &str = "docs/tools.md";

/// A section of the page, from its heading to the next.
fn section(page: &str, heading: &str) -> String {
    let text = file(page);
    let (_, rest) = text.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    rest.split("\n## ").next().unwrap_or_default().to_owned()
}

/// The cells of the rows of all tables in `text`.
fn rows(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    lines.map(cells).collect()
}

/// Returns the code spans of a line.
fn code(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn tools() -> Vec<Value> {
    serde_json::from_str(&file("fixtures/tools-list.json")).unwrap()
}

#[test]
fn argument_tables_match_schemas() {
    for tool in tools() {
        let name = tool["name"].as_str().unwrap();
        let schema = &tool["inputSchema"];
        let text = section(PAGE, name);
        let table = text.split("\n\n").find(|part| part.trim().starts_with("| argument")).unwrap();
        let mut shown = Vec::new();
        for row in &rows(table)[1..] {
            for argument in code(&row[0]) {
                let property = &schema["properties"][argument];
                let required =
                    schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == argument));
                assert_eq!(row[1].contains("required"), required, "{name}: {argument}");
                // The choices of an argument, or its type.
                let (choices, said) = (code(&row[1]), property["description"].as_str().unwrap());
                assert!(choices.iter().all(|choice| said.contains(choice)), "{name}: {row:?} {said}");
                assert!(
                    !choices.is_empty() || row[1].starts_with(property["type"].as_str().unwrap()),
                    "{name}: {row:?}"
                );
                shown.push(argument.to_owned());
            }
        }
        shown.sort();
        let all: Vec<_> = schema["properties"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(shown, all, "{name}");
    }
}

#[test]
fn readme_names_arguments() {
    let table = rows(&section("README.md", "The tools"));
    for tool in tools() {
        let name = format!("`{}`", tool["name"].as_str().unwrap());
        let row = table.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("no row for {name}"));
        let mut shown = code(&row[2]);
        shown.sort_unstable();
        let all: Vec<&String> = tool["inputSchema"]["properties"].as_object().unwrap().keys().collect();
        assert_eq!(shown, all, "{name}");
    }
}

#[test]
fn fields_on_page_exist() {
    let text = section(PAGE, "Details");
    let structs = file("core/src/details.rs");
    let fields: Vec<String> = structs
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(": "))
        .map(|(name, _)| super::camel(name))
        .collect();
    let (table, truncation) = text.split_once("\n\n`truncation` holds ").unwrap();
    let in_table = rows(table)
        .split_off(1)
        .into_iter()
        .flat_map(|row| code(&row[0]).into_iter().map(str::to_owned).collect::<Vec<_>>());
    let in_text =
        code(truncation.split(" The totals").next().unwrap_or_default()).into_iter().map(str::to_owned);
    let values = ["lines", "bytes", "tokens"];
    let shown: Vec<_> = in_table.chain(in_text).filter(|name| !values.contains(&name.as_str())).collect();
    assert!(shown.len() > 25, "{shown:?}");
    for name in shown {
        assert!(fields.contains(&name), "{PAGE} has {name}, no answer has");
    }
    // That the code's names are those of an answer.
    let none = serde_json::to_value(Details::default()).unwrap();
    assert_eq!(none, serde_json::json!({}));
}

#[test]
fn limits_match_constants() {
    let kib = |bytes: u64| format!("{} KB", bytes / 1024);
    let spaced = |bytes: u64| {
        let size = Size(bytes).to_string();
        let unit = size.find(|c: char| c.is_ascii_uppercase()).unwrap();
        format!("{} {}", &size[..unit], &size[unit..])
    };
    let of = |bytes: usize| u64::try_from(bytes).unwrap();
    let (lines, bytes) = (is::MAX_LINES, Size(is::MAX_BYTES));
    let (timeout, longest) = (is::BASH_TIMEOUT_SECS, is::BASH_MAX_TIMEOUT_SECS);
    let (spill, spills) = (is::SPILL_MAX_FILE_BYTES, is::SPILL_MAX_TOTAL_BYTES);
    let days = is::SPILL_KEEP.as_secs() / 86400;
    for (page, expected) in [
        ("README.md", format!("| {lines} lines, {bytes} |")),
        ("README.md", format!("| {lines} lines, {bytes}; {timeout} seconds, at most {longest} |")),
        (
            "README.md",
            format!("| {} matches, {} characters a line, {bytes} |", is::GREP_LIMIT, is::MAX_LINE_CHARS),
        ),
        ("README.md", format!("| {} results, {bytes} |", is::FIND_LIMIT)),
        ("README.md", format!("| {} entries, {bytes} |", is::LS_LIMIT)),
        ("README.md", format!("`CUTLINE_MAX_LINES` | {lines} |")),
        ("README.md", format!("`CUTLINE_MAX_BYTES` | {bytes} |")),
        ("README.md", format!("`CUTLINE_MAX_LINE_CHARS` | {} |", is::MAX_LINE_CHARS)),
        ("README.md", format!("`CUTLINE_BASH_TIMEOUT` | {timeout} |")),
        ("README.md", format!("`CUTLINE_BASH_MAX_TIMEOUT` | {longest} |")),
        ("README.md", format!("`CUTLINE_SPILL_MAX_FILE` | {} |", Size(spill))),
        ("README.md", format!("`CUTLINE_SPILL_MAX_TOTAL` | {} |", Size(spills))),
        ("README.md", format!("`CUTLINE_SPILL_KEEP` | {days}d |")),
        (PAGE, format!("lines at most; {}", is::GREP_LIMIT).replace("lines", "matches")),
        (PAGE, format!("results at most ({}, by relevance {})", is::FIND_LIMIT, is::RANKED_LIMIT)),
        (PAGE, format!("entries at most ({})", is::LS_LIMIT)),
        (PAGE, format!("matches at most; {}, by relevance {}", is::GREP_LIMIT, is::RANKED_LIMIT)),
        (PAGE, format!("must be at most {} together", is::RANKED_AT_ONCE)),
        (PAGE, format!("integer, 0 to {} |", is::MAX_CONTEXT)),
        (PAGE, format!("its first {} characters", is::MAX_LINE_CHARS)),
        (PAGE, format!("one over {} pixels a side or {}", is::IMAGE_MAX_SIDE, Size(is::IMAGE_MAX_BYTES))),
        (PAGE, format!("one over {} megapixels", is::IMAGE_MAX_PIXELS / 1_000_000)),
        (PAGE, format!("up to {} or {} seconds", Size(is::PSEUDO_FILE_BYTES), is::PSEUDO_FILE_SECS)),
        (PAGE, format!("at most {})", is::ARGUMENTS_BYTES)),
        (PAGE, format!("Paths over {} characters", cutline_core::text::show::PATH_CHARS)),
        (
            "docs/security.md",
            format!("| one message | {} and 10,000 values,", spaced(of(is::MAX_MESSAGE_BYTES))),
        ),
        ("docs/security.md", format!("its `_meta` | {} each;", spaced(of(is::ARGUMENTS_BYTES)))),
        (
            "docs/security.md",
            format!("| {}, and {} of messages;", is::CALLS_AT_ONCE, spaced(of(is::OUTSTANDING_BYTES))),
        ),
        ("docs/security.md", format!("or {}, past which", spaced(of(is::WAITING_BYTES)))),
        ("docs/security.md", format!("(pings, lists) | {};", is::REQUESTS_AT_ONCE)),
        ("docs/security.md", format!("not read | {};", spaced(of(is::UNREAD_ANSWER_BYTES)))),
        (
            "docs/security.md",
            format!(
                "| a regular expression, a literal pattern | {}, {} |",
                kib(of(is::PATTERN_BYTES)),
                kib(of(is::LITERAL_BYTES))
            ),
        ),
        ("docs/security.md", format!("| a compiled pattern | {} |", spaced(of(is::REGEX_BYTES)))),
        (
            "docs/security.md",
            format!("{}, in a glob braces {} deep;", kib(of(is::GLOB_BYTES)), is::GLOB_DEPTH),
        ),
        ("docs/security.md", format!("| an ignore file | {}; a larger one", spaced(is::RULES_BYTES))),
        (
            "docs/security.md",
            format!("| ignore rules in force in one folder | {},", spaced(of(is::RULES_IN_FORCE_BYTES))),
        ),
        (
            "docs/security.md",
            format!("| a line that grep searches in one piece | {} |", spaced(of(is::GREP_LINE_BYTES))),
        ),
        ("docs/security.md", format!("| a file for `multiline` | {} |", spaced(is::GREP_MULTILINE_BYTES))),
        (
            "docs/security.md",
            format!(
                "{} megapixels, one at a time, in up to {}",
                is::IMAGE_MAX_PIXELS / 1_000_000,
                spaced(is::IMAGE_DECODED_BYTES)
            ),
        ),
        (
            "docs/security.md",
            format!(
                "| a file of `/proc` | {} or {} seconds |",
                spaced(is::PSEUDO_FILE_BYTES),
                is::PSEUDO_FILE_SECS
            ),
        ),
        ("docs/security.md", format!("| {}, {}, {days} days |", spaced(spill), spaced(spills))),
        ("docs/security.md", format!("| a command | {timeout} seconds, at most {longest} |")),
    ] {
        assert!(file(page).contains(&expected), "{page} does not have: {expected}");
    }
}
