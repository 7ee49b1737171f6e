//! Tests of each sequence, of random pieces, and of the output of real programs.

use proptest::prelude::*;

use super::*;

fn resolved(pieces: &[&str], max_bytes: u64) -> String {
    let mut shown = String::new();
    let mut terminal = Terminal::new(max_bytes);
    for piece in pieces {
        terminal.push(piece, &mut |text| shown.push_str(text));
    }
    terminal.finish(&mut |text| shown.push_str(text));
    shown
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (raw, expected) in cases {
        assert_eq!(resolved(&[raw], 1000), *expected, "{raw:?}");
    }
}

#[test]
fn plain_text_is_unchanged() {
    check(&[
        ("", ""),
        ("a\n\nb", "a\n\nb"),
        ("a\tb  \n", "a\tb  \n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\r\r\nb", "a\nb"),
        ("°é\u{1F600}\n", "°é\u{1F600}\n"),
    ]);
}

#[test]
fn carriage_returns_overwrite() {
    check(&[
        ("10%\r20%\r100%", "100%"),
        ("abcdef\rXY\n", "XYcdef\n"),
        ("abc\r", "abc"),
        ("loading...\r          \rdone\n", "done\n"),
        ("loading...\r          \r\nb", "\nb"),
        ("\rabc", "abc"),
        ("a\nbc\rd", "a\ndc"),
    ]);
}

#[test]
fn backspaces_overwrite() {
    check(&[
        ("abc\u{8}\u{8}X", "aXc"),
        ("N\u{8}NA\u{8}A_\u{8}x", "NAx"),
        ("\u{8}\u{8}a", "a"),
        ("|\u{8}/\u{8}-\u{8} \u{8}\n", "\n"),
    ]);
}

#[test]
fn erase_sequences_remove_text() {
    check(&[
        ("abc\r\u{1b}[Kd", "d"),
        ("abc\r\u{1b}[2Kd", "d"),
        ("abc\u{1b}[2K\rd", "d"),
        ("abc\u{1b}[2Kd", "   d"),
        ("abcdef\u{1b}[3D\u{1b}[K", "abc"),
        ("abcdef\u{1b}[3D\u{1b}[0J", "abc"),
        ("abcdef\u{1b}[3D\u{1b}[1K", "    ef"),
        ("abc\u{1b}[K", "abc"),
        ("\u{1b}[31m\u{1b}[Kabc  \u{1b}[m\u{1b}[K\n", "abc  \n"),
        ("abcdef\r\u{1b}[2X", "  cdef"),
        ("abc\u{1b}[2J", "abc"),
    ]);
}

#[test]
fn cursor_movements_in_the_line() {
    check(&[
        ("abc\r\u{1b}[1CX", "aXc"),
        ("abc\r\u{1b}[aX", "aXc"),
        ("abc\u{1b}[2DX", "aXc"),
        ("abc\u{1b}[2GX", "aXc"),
        ("abc\u{1b}[2`X", "aXc"),
        ("a\u{1b}[5Gb", "a   b"),
        ("a\u{1b}[9999Cb", &format!("a{}b", " ".repeat(118))),
    ]);
}

#[test]
fn other_sequences_are_removed() {
    check(&[
        ("\u{1b}[1;31mred\u{1b}[0m", "red"),
        ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "alink"),
        ("\u{1b}Pq#0\u{1b}\\a", "a"),
        ("a\u{7}\u{b}\u{c}\u{e}\u{7f}\u{9b}\u{85}b", "ab"),
        ("\u{1b}[?25la\u{1b}[?25h\u{1b}(B\u{1b}=\u{1b}7\u{1b}8", "a"),
        ("a\n\u{1b}[1A\u{1b}[5;1Hb\u{1b}[2Ac", "a\nbc"),
        ("\u{1b}[38:2:1:2:3ma", "a"),
        ("a\u{1b}[\u{18}b\u{1b}[3\u{8}1mc", "ac"),
    ]);
}

#[test]
fn newline_ends_an_unfinished_sequence() {
    check(&[
        ("\u{1b}]0;title\nnext", "\nnext"),
        ("\u{1b}[31\nm", "\nm"),
        ("\u{1b}Pdata\nnext\u{1b}", "\nnext"),
        ("a\u{1b}é", "aé"),
    ]);
}

#[test]
fn wide_characters_and_marks() {
    check(&[
        ("日本\rx", "x本"),
        ("日本\rab", "ab"),
        ("e\u{301}a\rx", "xa"),
        ("ae\u{301}\rx", "xe\u{301}"),
        ("日本\u{8}x", "日x"),
        ("a\tb\rxy", "xy      b"),
        ("ab\r\tc", "ab      c"),
        ("a\tb\rx", "x       b"),
        ("a\t\rx", "x"),
        ("abc\ra\u{301}\u{302}\u{303}\u{304}", "a\u{301}\u{302}\u{303}bc"),
    ]);
}

#[test]
fn end_of_a_long_line_can_be_overwritten() {
    let line: String = ('a'..='z').collect();
    let shown = resolved(&[&line, "\rX\n", "b\rc\n"], 5);
    assert_eq!(shown, "abcdefghijklmnopqrstXvwxyz\nc\n");
}

#[test]
fn long_erasures_are_ignored() {
    let erased = |columns: usize| resolved(&[&"a".repeat(3000), &format!("\r\u{1b}[{columns}X")], 1_000_000);
    assert_eq!(erased(1024), format!("{}{}", " ".repeat(1024), "a".repeat(1976)));
    assert_eq!(erased(1025), "a".repeat(3000));
    let next = |columns: usize| resolved(&[&"a".repeat(columns), "\u{1b}[2Kb"], 1_000_000);
    assert_eq!(next(1024), format!("{}b", " ".repeat(1024)));
    assert_eq!(next(3000), next(1024));
    let start = resolved(&[&"a".repeat(3000), "\u{8}\u{1b}[1K"], 1_000_000);
    assert_eq!(start, "a".repeat(3000));
}

/// Returns random text with many control characters and sequences.
fn drawn() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ab ]{1,4}",
        1 => Just("\n".to_owned()),
        2 => Just("\r".to_owned()),
        1 => Just("\u{8}".to_owned()),
        1 => Just("\t".to_owned()),
        1 => "[日é\u{301}\u{1F600}°\u{85}\u{FFFD}]{1,2}",
        2 => "\u{1b}\\[[0-9;?]{0,3}[KJCDGPX@amHh]",
        1 => "\u{1b}[\\]P_][a\n;]{0,3}(\u{7}|\u{1b}\\\\)?",
        1 => "\u{1b}P[0-9;]{0,2}q[a日\u{18}本é✜]{0,4}(\u{1b}\\\\)?",
        2 => "\u{1b}\\[[0-9;:]{0,6}m(\r\n)?",
        1 => "[\u{0}-\u{1f}\u{1b}]",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn in_pieces<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    for cut in cuts {
        let (now, later) = rest.split_at(rest.floor_char_boundary(*cut));
        pieces.push(now);
        rest = later;
    }
    pieces.push(rest);
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn lines_keep_their_numbers_and_pieces_do_not_matter(
        text in drawn(), cuts in prop::collection::vec(0_usize..6, 0..30), max_bytes in 1_u64..40,
    ) {
        let whole = resolved(&[&text], max_bytes);
        prop_assert_eq!(whole.matches('\n').count(), text.matches('\n').count());
        prop_assert!(!whole.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
        prop_assert_eq!(resolved(&in_pieces(&text, &cuts), max_bytes), whole);
    }

    #[test]
    fn text_without_control_characters_is_unchanged(
        text in "[a-c \t\né日]{0,80}", cuts in prop::collection::vec(0_usize..9, 0..30), max_bytes in 1_u64..40,
    ) {
        prop_assert_eq!(resolved(&in_pieces(&text, &cuts), max_bytes), text);
    }

    #[test]
    fn memory_is_bounded(piece in "[ab\r\u{301}日]{1,9}(\u{1b}\\[2[CG])?", max_bytes in 1_u64..40) {
        let mut terminal = Terminal::new(max_bytes);
        for _ in 0..100 {
            terminal.push(&piece, &mut |_| {});
        }
        let held = format!("{terminal:?}").len();
        prop_assert!(held < 5000 + 100 * as_index(max_bytes), "{}", held);
    }
}

/// Returns the streams of a folder, each with the text on the screen after it.
macro_rules! streams {
    ($folder:literal: $($name:ident),*) => {
        [$((
            concat!($folder, "/", stringify!($name)),
            include_str!(concat!("../../../fixtures/terminal/", $folder, "/", stringify!($name), ".txt")),
            include_str!(concat!("../../../fixtures/terminal/", $folder, "/", stringify!($name), ".expected.txt")),
        )),*]
    };
}

#[track_caller]
fn check_streams(streams: &[(&str, &str, &str)]) {
    for (name, raw, expected) in streams {
        similar_asserts::assert_eq!(resolved(&[raw], 30_000), *expected, "{name}");
    }
}

#[test]
fn recorded_output_of_programs() {
    check_streams(&streams!("recorded": cargo, npm, pip, apt, wget, curl, curl_bar));
}

#[test]
fn constructed_output_of_programs() {
    check_streams(&streams!("by_hand": cargo, npm, pip, docker, apt, wget));
}
