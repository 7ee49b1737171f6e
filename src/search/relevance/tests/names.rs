//! Tests the order of file names for words.

use super::*;

#[test]
fn names_rank_by_complete_name_then_word_starts_then_letters() {
    let ranked = [
        "src/userService.ts",
        "src/user_service_test_data.ts",
        "src/superuserservices.ts",
        "src/uxsxexr_service.ts",
    ];
    let scorer = NameScorer::new("user service");
    let points: Vec<_> = ranked.iter().map(|path| scorer.score(path.as_bytes())).collect();
    assert!(points.iter().all(Option::is_some) && points.is_sorted_by(|one, next| one > next), "{points:?}");
    assert!(scorer.score(b"tests/user_service.ts") < points[3], "the same in lower locations");
    assert!(scorer.score(b"user/service_x.ts") < scorer.score(b"a/user_service_x.ts"), "folders count less");
    assert_eq!(scorer.score(b"user/service/x.ts"), None, "no word in the name");
    assert!(scorer.score(b"user/service/index.ts").is_some(), "a file that stands for its folder");
    assert_eq!(scorer.score(b"src/service.ts"), None, "all words");
    assert_eq!(scorer.score(b"resu/service.ts"), None, "letters strewn over folders");
    assert!(NameScorer::new("user/serv").score(b"user/service/x.ts").is_some(), "a word with folders");
    assert!(
        NameScorer::new("UserService").score(b"user_service.py").is_some(),
        "letters without regard to case"
    );
    assert!(NameScorer::new("src").score(b"a/src/").is_some(), "a folder");
    assert!(NameScorer::new(&"é".repeat(300)).score("é".repeat(300).as_bytes()).is_some(), "long words");
}

#[test]
fn names_that_are_exact_rank_before_letters_in_order_also_in_lower_places() {
    for (words, ranked) in [
        ("tests.py", ["app/tests.py", "app/tests/tests.py", "app/tests.py-tpl", "app/test_cases.py"]),
        ("Cargo.lock", ["a/Cargo.lock", "vendor/a/Cargo.lock", "a/Cargo.lock.old", "a/cargo_clock.rs"]),
    ] {
        let scorer = NameScorer::new(words);
        let points: Vec<_> = ranked.iter().map(|path| scorer.score(path.as_bytes())).collect();
        assert!(points.is_sorted_by(|one, next| one >= next), "{words}: {points:?}");
        assert!(points[1] > points[2], "{words}: {points:?}");
    }
}

#[test]
fn letters_in_order_rank_by_starts_of_words_then_by_distance() {
    let ranked = [
        "src/config_file_reader.ts", // each letter starts a word
        "src/a_cfreed.ts",           // together, but inside a word
        "src/scxfile_or.ts",         // scattered
        "src/scxxxxfixxxxxxr.ts",    // further apart
    ];
    let scorer = NameScorer::new("cfr");
    let points: Vec<_> = ranked.iter().map(|path| scorer.score(path.as_bytes())).collect();
    assert!(points.iter().all(Option::is_some), "{points:?}");
    assert_eq!(scorer.score(b"src/rfc.ts"), None, "another order");
    assert_eq!(scorer.score(b"src/cf.ts"), None, "a letter is missing");
    assert!(points[0] > points[2] && points[1] > points[2] && points[2] > points[3], "{points:?}");
    // The letters at the end continue each other, although the first ones occur earlier too.
    assert!(NameScorer::new("abc").score(b"a_xbx_cabc") > NameScorer::new("abc").score(b"a_xbx_cxxx"));
}
