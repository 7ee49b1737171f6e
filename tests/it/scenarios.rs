//! Runs every file of `fixtures/scenarios` against the real server.
//!
//! A scenario has files, flags, and calls with their expected results. `fixtures/scenarios/README.md` describes the format.
//! Paths and process ids differ from run to run, so they are replaced with `<root>`, `<base>`, `<saved>` and `<pid>`. All other
//! text is compared byte for byte. Each result must also follow the rules for all results ([`check`]).

mod check;
mod fixture;
mod run;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of scenarios that run at the same time. They wait for a server most of the time.
const WORKERS: usize = 4;

#[test]
fn every_scenario() {
    // To run only some scenarios: SCENARIO=read/line-limit cargo test every_scenario
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
