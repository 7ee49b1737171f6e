//! Tests ls on real folders.

use super::*;
use crate::tools::tests::{Fixture, args};
use cutline_core::details::Details;
use serde_json::{Value, json};

fn ls(fixture: &Fixture, arguments: &Value) -> Result<Output, ToolError> {
    Fixture::wait(run(&fixture.cx, args(arguments)))
}

fn text(fixture: &Fixture, arguments: &Value) -> String {
    ls(fixture, arguments).unwrap().text
}

#[test]
fn names_without_regard_to_case_and_folders_with_a_slash() {
    let fixture = Fixture::new(&[
        ("b.txt", ""),
        ("A.txt", ""),
        ("a.txt", ""),
        (".env", ""),
        ("Src/x", ""),
        ("É", ""),
        ("é", ""),
    ]);
    std::os::unix::fs::symlink("Src", fixture.at("link")).unwrap();
    std::os::unix::fs::symlink("nowhere", fixture.at("dangling")).unwrap();
    std::os::unix::fs::symlink(fixture.outside(), fixture.at("out")).unwrap();
    assert_eq!(text(&fixture, &json!({})), ".env\nA.txt\na.txt\nb.txt\ndangling\nlink/\nout\nSrc/\nÉ\né");
    assert_eq!(ls(&fixture, &json!({})).unwrap().details, Details::default());
}

#[test]
fn empty_folder_and_file() {
    let fixture = Fixture::new(&[("file", "")]);
    std::fs::create_dir(fixture.at("none")).unwrap();
    assert_eq!(text(&fixture, &json!({"path": "none"})), "(empty directory)");
    let error = |path: &str| ls(&fixture, &json!({ "path": path })).unwrap_err().to_string();
    assert_eq!(text(&fixture, &json!({"path": "file"})), "file");
    assert!(error("nono").starts_with("Directory not found: nono"), "{}", error("nono"));
    assert_eq!(ls(&fixture, &json!({"path": "none", "offset": 0})).unwrap().text, "(empty directory)");
}

fn many(count: usize) -> Fixture {
    let fixture = Fixture::new(&[]);
    for n in 0..count {
        fixture.write(&format!("f{n:04}"), "");
    }
    fixture
}

#[test]
fn entry_limit_is_reported_and_pages_join() {
    let fixture = many(25);
    let output = ls(&fixture, &json!({"limit": 10})).unwrap();
    let notices =
        "\n\n[10 entries limit reached. Use limit=20 for more]\n[25 entries. Use offset=10 to continue]";
    assert!(output.text.ends_with(&format!("f0009{notices}")), "{}", output.text);
    let details = Details {
        entry_limit_reached: Some(10),
        total_entries: Some(25),
        next_offset: Some(10),
        ..Details::default()
    };
    assert_eq!(output.details, details);
    let page = |offset: u64| text(&fixture, &json!({"limit": 10, "offset": offset}));
    let body = |page: String| page.split("\n\n").next().unwrap().to_owned();
    let joined = [body(page(0)), body(page(10)), body(page(20))].join("\n");
    assert_eq!(joined, text(&fixture, &json!({})));
    assert_eq!(text(&fixture, &json!({"limit": 25})), joined);
    let error = ls(&fixture, &json!({"offset": 25})).unwrap_err().to_string();
    assert_eq!(error, "Offset 25 is beyond the last entry (25 in all)");
}

#[test]
fn the_byte_limit_cuts_at_a_name() {
    let fixture = many(25).with(|shared| shared.limits.max_bytes = 20);
    let output = ls(&fixture, &json!({})).unwrap();
    assert_eq!(
        output.text,
        "f0000\nf0001\nf0002\n\n[20B limit reached]\n[25 entries. Use offset=3 to continue]"
    );
    let truncation = output.details.truncation.unwrap();
    assert_eq!((truncation.output_lines, truncation.output_bytes), (3, 17));
    assert_eq!((truncation.total_lines, truncation.total_bytes), (25, 149));
    assert_eq!((output.details.total_entries, output.details.next_offset), (Some(25), Some(3)));
    assert_eq!(output.details.entry_limit_reached, None);
}

#[test]
fn one_name_over_the_limit_is_shown() {
    let fixture = Fixture::new(&[("a-name-of-24-characters-", ""), ("b", "")])
        .with(|shared| shared.limits.max_bytes = 10);
    let notices = "[10B limit reached]\n[2 entries. Use offset=1 to continue]";
    assert_eq!(text(&fixture, &json!({})), format!("a-name-of-24-characters-\n\n{notices}"));
    assert_eq!(text(&fixture, &json!({"offset": 1})), "b");
    std::fs::remove_file(fixture.at("b")).unwrap();
    assert_eq!(text(&fixture, &json!({})), "a-name-of-24-characters-\n\n[10B limit reached]");
}

#[test]
fn names_of_white_space_have_a_notice() {
    let fixture = Fixture::new(&[(" ", ""), ("\u{3000}", "")]);
    assert_eq!(text(&fixture, &json!({})), " \n\u{3000}\n\n[Results are 2 names of white space]");
    let page = " \n\n[Result is 1 name of white space]\n[1 entry limit reached. Use limit=2 for more]\n[2 entries. Use offset=1 to continue]";
    assert_eq!(text(&fixture, &json!({"limit": 1})), page);
    fixture.write("a", "");
    assert_eq!(text(&fixture, &json!({})), " \na\n\u{3000}");
}
