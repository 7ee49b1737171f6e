//! Runs every file of `fixtures/scenarios` against the real server.
//!
//! A scenario is files, flags, and calls with the answers expected of them; `fixtures/scenarios/README.md`
//! says how one is written. Paths and process ids, which differ from run to run, are put back to
//! `<root>`, `<base>`, `<saved>` and `<pid>` in what was answered, and all the rest is compared byte for byte.
//! Beside what a fixture asks for, each answer is held to what is true of all of them ([`check`]).

mod check;
mod fixture;
mod run;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Scenarios that run at a time: most of their time is spent waiting for a server.
const WORKERS: usize = 4;

#[test]
fn every_scenario() {
    // One that is being worked on: SCENARIO=read/line-limit cargo test every_scenario
    let wanted = std::env::var("SCENARIO").unwrap_or_default();
    let scenarios: Vec<_> = fixture::all().into_iter().filter(|(name, _)| name.contains(&wanted)).collect();
    assert!(!scenarios.is_empty(), "no scenario has {wanted:?} in its name");

    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((name, scenario)) = scenarios.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = run::run(scenario) {
                        failures.lock().unwrap().push(format!("=== {name}: {}\n{why}", scenario.about));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    let count = failures.len();
    assert!(count == 0, "{}\n{count} of {} scenarios failed", failures.join("\n"), scenarios.len());
}
