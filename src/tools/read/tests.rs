//! Tests read on real files: pages, and the file to which they belong.

use proptest::prelude::*;

use super::*;
use crate::tools::tests::{Fixture, args};
use serde_json::json;

/// Returns the text of a page without the empty line and the notices. Each line has its newline if the file has it.
fn body_of(output: &Output) -> String {
    let (text, details) = (&output.text, &output.details);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_notice = |line: &&str| {
        let line = line.trim_end();
        let is_blank = ["[File is ", "[Line ", "[Lines "].iter().any(|start| line.starts_with(start));
        is_blank && line.ends_with("white space]")
            || line.ends_with("damage it]")
            || line.starts_with("[Showing ")
    };
    let notices = lines.iter().rev().take_while(|line| is_notice(line)).count();
    if notices == 0 {
        return text.clone();
    }
    if notices == lines.len() {
        return "\n".to_owned(); // they stand alone: an empty line
    }
    let body = lines[..lines.len() - notices].concat();
    let body = body.strip_suffix('\n').expect("an empty line before the notices");
    match details.final_newline {
        Some(_) => body.strip_suffix('\n').expect("an ended line before them").to_owned(),
        None => body.to_owned(),
    }
}

/// Waits for a call on a text.
fn page(fixture: &Fixture, call: &serde_json::Value) -> Output {
    let args = args(call);
    let output = Fixture::wait(async { Ok(run(&fixture.cx, args, Load::Light).await?.unwrap()) });
    output.unwrap()
}

fn pages(fixture: &Fixture, path: &str, limit: Option<u64>) -> String {
    let mut file = String::new();
    let mut offset = Some(1);
    while let Some(at) = offset {
        let output = page(fixture, &json!({"path": path, "offset": at, "limit": limit}));
        assert!(!output.text.trim().is_empty());
        file += &body_of(&output);
        offset = output.details.next_offset;
    }
    file
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn bodies_of_all_pages_joined_are_the_file(
        file in "([ab\t ]{0,3}\n){0,9}[ab ]{0,3}|\n{1,9}[a ]?|[\u{3000} é\n]{1,12}",
        max_lines in 1_u64..4, max_bytes in 12_u64..20, limit in prop::option::of(1_u64..4), wide in any::<bool>(),
    ) {
        prop_assume!(!file.is_empty());
        let fixture = Fixture::new(&[]).with(|shared| {
            (shared.limits.max_lines, shared.limits.max_bytes) = (max_lines, max_bytes);
        });
        if wide {
            let units = [0xFEFF].into_iter().chain(file.encode_utf16());
            fixture.write("a", units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
        } else {
            fixture.write("a", &file);
        }
        // A line that exceeds the limit does not fit on any page.
        prop_assume!(file.lines().all(|line| line.len() as u64 <= max_bytes));
        prop_assert_eq!(pages(&fixture, "a", limit), file);
    }

    #[test]
    fn last_line_of_odd_utf_16_has_a_page(file in "[ab\n\u{0a61}\u{6100}]{0,9}", little in any::<bool>(), odd in prop::sample::select(&b"\n\0a"[..])) {
        let fixture = Fixture::new(&[]);
        let bytes = if little { u16::to_le_bytes } else { u16::to_be_bytes };
        let mut content: Vec<u8> = [0xFEFF].into_iter().chain(file.encode_utf16()).flat_map(bytes).collect();
        content.push(odd);
        fixture.write("a", content);
        prop_assert_eq!(pages(&fixture, "a", Some(1)), format!("{file}\u{FFFD}"));
    }
}

#[test]
fn newline_out_of_step_at_the_end_of_utf_16_ends_no_line() {
    let fixture = Fixture::new(&[]);
    // The last two bytes look like a newline, but they are not aligned to a pair.
    for (content, text) in [
        (&b"\xff\xfea\0\n\0\x0a\x0a\0"[..], "a\n\u{0a0a}\u{FFFD}"),
        (b"\xfe\xff\0a\0\n\x61\0\n", "a\n\u{6100}\u{FFFD}"),
    ] {
        fixture.write("a", content);
        assert_eq!(pages(&fixture, "a", Some(1)), text);
        assert_eq!(body_of(&page(&fixture, &json!({"path": "a", "offset": 2}))), text[2..]);
    }
}
