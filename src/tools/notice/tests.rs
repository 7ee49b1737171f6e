//! Tests the texts of single notices. The scenarios cover most of them.

use cutline_core::notice::{Names, Notice, Saved, WhySkipped};

fn names(all: &[&str]) -> Names {
    let mut names = Names::default();
    for name in all {
        names.push(name);
    }
    names
}

#[test]
fn skipped_files_are_listed() {
    let three = Notice::Skipped { why: WhySkipped::Unreadable, names: names(&["a", "b", "c"]) };
    assert_eq!(three.to_string(), "[3 paths could not be read: a, b, c]");
    let one = Notice::Skipped { why: WhySkipped::LongLine, names: names(&["a"]) };
    assert_eq!(one.to_string(), "[1 file has a line too long to search: a]");
}

#[test]
fn command_that_keeps_running_is_named_with_its_pid_and_file() {
    let at = Saved::At { path: "/tmp/o.log".to_owned(), first: None };
    let not = Saved::Not { reason: "No space left on device".to_owned() };
    for (saved, expected) in [
        (
            at,
            "[Still running after 55 seconds (pid 4242). Its output goes on to /tmp/o.log. Use bash to wait for it: tail --pid=4242 -f /dev/null]",
        ),
        (
            not,
            "[Still running after 55 seconds (pid 4242). Its output could not be saved: No space left on device. Use bash to wait for it: tail --pid=4242 -f /dev/null]",
        ),
    ] {
        let next = Some("Use bash to wait for it: tail --pid=4242 -f /dev/null".to_owned());
        assert_eq!(Notice::StillRunning { secs: 55, id: 4242, saved, next }.to_string(), expected);
    }
}

#[test]
fn notices_are_recognised_as_lookalikes_in_a_body() {
    for notice in [
        Notice::ImagesOff,
        Notice::ImageDamaged,
        Notice::TimeoutLowered { secs: 600 },
        Notice::RulesSkipped(2),
        Notice::BarEscaped,
        Notice::GlobRepeatsPath { argument: "glob", glob: "lib/**".to_owned() },
        Notice::ArgumentsIgnored(names(&["size"])),
        Notice::ArgumentsIgnored(names(&["size", "page"])),
        Notice::IgnoredNotSearched,
        Notice::ContextLeftOut { lines: 2, next: None },
    ] {
        assert!(Notice::part_of_text(&notice.to_string(), None).is_some(), "{notice}");
    }
}
