//! Everything in docs/tools.md exists in the code, and all limits on the pages match the constants.

use cutline::limits as is;
use cutline_core::details::Details;
use cutline_core::text::Size;
use serde_json::Value;

use super::file;

const PAGE: &str = "docs/tools.md";

/// Returns a section of the page, from its heading to the next one.
fn section(page: &str, heading: &str) -> String {
    let text = file(page);
    let (_, rest) = text.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    rest.split("\n## ").next().unwrap_or_default().to_owned()
}

/// Returns the cells of all tables in `text`, by row.
fn rows(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    lines.map(cells).collect()
}

/// Returns the items of all lists in `text`: the part before the first `: `, and the rest.
fn items(text: &str) -> Vec<(&str, &str)> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("- "));
    lines.filter_map(|line| line.split_once(": ")).collect()
}

/// Returns the code spans of a line.
fn code(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn tools() -> Vec<Value> {
    serde_json::from_str(&file("fixtures/tools-list.json")).unwrap()
}

#[test]
fn arguments_match_schemas() {
    for tool in tools() {
        let name = tool["name"].as_str().unwrap();
        let schema = &tool["inputSchema"];
        let text = section(PAGE, name);
        let (_, list) = text.split_once("Arguments:\n\n").unwrap();
        let mut shown = Vec::new();
        for (item, _) in items(list.split("\n\n").next().unwrap()) {
            let (names, kind) = item.split_once(" (").unwrap_or_else(|| panic!("{name}: no type: {item}"));
            for argument in code(names) {
                let property = &schema["properties"][argument];
                let required =
                    schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == argument));
                assert_eq!(kind.contains("required"), required, "{name}: {argument}");
                // The page has the choices of an argument, or its type.
                let (choices, description) = (code(kind), property["description"].as_str().unwrap());
                assert!(
                    choices.iter().all(|choice| description.contains(choice)),
                    "{name}: {item} {description}"
                );
                assert!(
                    !choices.is_empty() || kind.starts_with(property["type"].as_str().unwrap()),
                    "{name}: {item}"
                );
                shown.push(argument.to_owned());
            }
        }
        shown.sort();
        let mut all: Vec<_> = schema["properties"].as_object().unwrap().keys().cloned().collect();
        all.sort();
        assert_eq!(shown, all, "{name}");
    }
}

#[test]
fn readme_lists_tools() {
    let table = rows(&section("README.md", "The tools"));
    let listed: Vec<&str> = table[1..].iter().flat_map(|row| code(&row[0])).collect();
    let tools = tools();
    let all: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(listed, all);
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
    let (lists, truncation) = text.split_once("\n\n`truncation` holds ").unwrap();
    let in_lists = items(lists).into_iter().flat_map(|(names, _)| code(names));
    let in_text = code(truncation.split("The totals").next().unwrap_or_default());
    let values = ["lines", "bytes", "tokens"];
    let shown: Vec<_> =
        in_lists.chain(in_text).filter(|name| !values.contains(name)).map(str::to_owned).collect();
    assert!(shown.len() > 25, "{shown:?}");
    for name in shown {
        assert!(fields.contains(&name), "{PAGE} has {name}, but no result has it");
    }
    // Fields without a value are omitted from a result.
    let none = serde_json::to_value(Details::default()).unwrap();
    assert_eq!(none, serde_json::json!({}));
}

#[test]
fn limits_match_constants() {
    let kib = |bytes: usize| format!("{} KB", bytes / 1024);
    let spaced = |bytes: u64| {
        let size = Size(bytes).to_string();
        let unit = size.find(|c: char| c.is_ascii_uppercase()).unwrap();
        format!("{} {}", &size[..unit], &size[unit..])
    };
    let of = |bytes: usize| spaced(bytes.try_into().unwrap());
    let (lines, bytes, chars) = (is::MAX_LINES, Size(is::MAX_BYTES), is::MAX_LINE_CHARS);
    let (timeout, longest) = (is::BASH_TIMEOUT_SECS, is::BASH_MAX_TIMEOUT_SECS);
    let (spill, spills) = (is::SAVED_OUTPUT_MAX_BYTES, is::SAVED_OUTPUTS_MAX_BYTES);
    let (days, ranked) = (is::SAVED_OUTPUT_KEEP.as_secs() / 86400, is::RANKED_LIMIT);
    let (pixels, side) = (is::IMAGE_MAX_PIXELS / 1_000_000, is::IMAGE_MAX_SIDE);
    let (pseudo, secs) = (is::PSEUDO_FILE_BYTES, is::PSEUDO_FILE_SECS);
    let readme = [format!("at most {lines} lines and {bytes} by default")];
    let configuration = [
        format!("`--max-lines N` ({lines}):"),
        format!("`--max-bytes SIZE` ({bytes}):"),
        format!("`--max-line-chars N` ({chars}):"),
        format!("`--bash-timeout SECONDS` ({timeout}):"),
        format!("`--bash-max-timeout SECONDS` ({longest}):"),
        format!("`--search-timeout SECONDS` ({}, or the client's limit):", is::SEARCH_TIMEOUT_SECS),
        format!("`--spill-max-file SIZE` ({}):", Size(spill)),
        format!("`--spill-max-total SIZE` ({}):", Size(spills)),
        format!("`--spill-keep TIME` ({days}d):"),
    ];
    let tools = [
        format!("maximum number of results; default: {}, by relevance {ranked}", is::FIND_LIMIT),
        format!("maximum number of entries; default: {}", is::LS_LIMIT),
        format!("maximum number of matches; default: {}, by relevance {ranked}", is::GREP_LIMIT),
        format!("must be at most {} together", is::RANKED_AT_ONCE),
        format!("(integer, 0 to {})", is::MAX_CONTEXT),
        format!("its first {chars} characters"),
        format!("image over {side} pixels a side or {}", Size(is::IMAGE_MAX_BYTES)),
        format!("image over {pixels} megapixels or {}", Size(is::IMAGE_FILE_BYTES)),
        format!("up to {} or {secs} seconds", Size(pseudo)),
        format!("at most {})", is::ARGUMENTS_BYTES),
        format!("Paths over {} characters", cutline_core::text::show::PATH_CHARS),
    ];
    let security = [
        format!("- one message: {};", of(is::MAX_MESSAGE_BYTES)),
        format!("its `_meta`: {} each;", of(is::ARGUMENTS_BYTES)),
        format!("- requests without an answer: {};", is::REQUESTS_AT_ONCE),
        format!("- a pattern: {};", kib(is::PATTERN_BYTES)),
        format!("hold their output open: {};", is::BACKGROUND_COMMANDS),
        format!("; {} when compiled;", of(is::REGEX_BYTES)),
        format!("- a glob: {}; {} globs", kib(is::GLOB_BYTES), is::GLOBS),
        format!("a file {} KB and {} `[`, the files", is::RULES_BYTES / 1024, is::RULES_CLASSES),
        format!("for a folder {} KB;", is::RULES_IN_FORCE_BYTES / 1024),
        format!("; a line with its context {};", of(is::GREP_LINE_BYTES)),
        format!("- `multiline`: files of {};", spaced(is::GREP_MULTILINE_BYTES)),
        format!("{} divided by the positions", of(is::GREP_STEPS)),
        format!("decoded: {pixels} megapixels and {};", spaced(is::IMAGE_FILE_BYTES)),
        format!("- a file of `/proc`: {} or {secs} seconds", spaced(pseudo)),
        format!("their age: {}, {}, {days} days", spaced(spill), spaced(spills)),
        format!("then SIGKILL (after a timeout, up to {} seconds later)", is::TIMEOUT_GRACE.as_secs()),
        format!("- commands: {timeout} seconds, at most {longest}; {} at once,", is::COMMANDS_AT_ONCE),
    ];
    for (page, wanted) in [
        ("README.md", &readme[..]),
        ("docs/configuration.md", &configuration),
        (PAGE, &tools),
        ("docs/security.md", &security),
    ] {
        // The text of a page can continue on the next line.
        let text = file(page).split_whitespace().collect::<Vec<_>>().join(" ");
        let missing: Vec<_> = wanted.iter().filter(|wanted| !text.contains(*wanted)).collect();
        assert!(missing.is_empty(), "{page} does not have {missing:#?}");
    }
}
