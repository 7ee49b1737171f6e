//! Runs each input of `fixtures/fuzz` through its target.

use std::fs;
use std::path::Path;

#[track_caller]
fn replay(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/fuzz").join(target);
    let mut inputs: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    assert!(!inputs.is_empty(), "{} is empty", folder.display());
    for input in inputs {
        println!("{}", input.display()); // shown on failure
        run(&fs::read(&input).unwrap());
    }
}

macro_rules! targets {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            replay(stringify!($name), super::$name::run);
        }
    )*

        #[test]
        fn every_target_is_here() {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            for (folder, ending) in [("fuzz_targets", ".rs"), ("../fixtures/fuzz", "")] {
                let entries = fs::read_dir(root.join(folder)).unwrap();
                let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
                let mut names: Vec<String> = names.filter(|name| name != "README.md").collect();
                names.sort();
                assert_eq!(names, [$(concat!(stringify!($name))),*].map(|name| format!("{name}{ending}")));
            }
        }
    };
}

targets!(arguments, calls, collectors, decoder, globs, images, regex, terminal);
