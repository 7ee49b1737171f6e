//! Texts that become much longer when they are escaped as JSON.

/// Length of the JSON that Cline passes to the model, in UTF-16 code units.
const CLINE_UNITS: usize = 8000;

/// Returns file names with texts. Most have many characters that JSON escapes. Each is over all limits.
pub(crate) fn escaped_texts() -> [(&'static str, String); 6] {
    let lines = |line: fn(usize) -> String| (1..=4000).map(line).collect::<String>();
    [
        ("plain.txt", lines(|n| format!("line {n} of a text that has nothing to escape\n"))),
        ("quoted.csv", lines(|n| format!("\"{n}\",\"a\",\"b\",\"\",\"\",\"c\"\n"))),
        ("coloured.log", lines(|n| format!("\u{1b}[32mINFO\u{1b}[0m \u{1b}[1m{n}\u{1b}[0m\n"))),
        ("short.txt", lines(|n| format!("{}\n", n % 10))),
        ("flat.json", lines(|n| format!("{{\n\"n\":{n},\n\"path\":\"C:\\\\a\\\\b\"\n}},\n"))),
        ("emoji.txt", lines(|n| format!("\u{1F600}\t{n}\u{7f}\u{2028}\n"))),
    ]
}

/// Fails if Cline would truncate the JSON of `result`.
#[track_caller]
pub(crate) fn assert_fits_cline(result: &serde_json::Value, about: &str) {
    // JavaScript writes a number such as 1e+20 with all digits.
    let json = result.to_string().replace("1e+20", &format!("1{}", "0".repeat(20)));
    let units = json.encode_utf16().count();
    assert!(units <= CLINE_UNITS, "{about}: {units} units\n{result}");
}
