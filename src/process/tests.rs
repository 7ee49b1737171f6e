//! Tests commands with a blocked reader, as on a slow disk.

mod sweeps;

use super::*;
use crate::capture::{Content, View};
use cutline_core::text::Extent;
use cutline_core::truncate::{Bounds, Keep};

/// The commands, and the folders to run them in and to save in.
struct Here {
    commands: Commands,
    roots: Vec<Root>,
    _folder: tempfile::TempDir,
}

impl Here {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let saved = saved_output::Settings { dir: real.join("saved"), ..saved_output::Settings::default() };
        let commands = Commands::new(saved, None, Environment::default());
        Self { commands, roots: vec![Root::resolve(real).unwrap()], _folder: folder }
    }

    async fn run(&self, command: &str) -> Running {
        let permit = self.commands.permit().await.unwrap();
        let times = Times { timeout: Duration::from_secs(30), answer_within: None };
        let (roots, folder) = (&self.roots[..], self.roots[0].real.as_path());
        let (keep, bounds) = (Keep::Tail, Bounds::new(2, 1000));
        let view = View { keep, bounds, key_space: None, max_line_chars: None };
        self.commands.run(permit, command, roots, folder, view, times).unwrap()
    }
}

#[tokio::test]
async fn how_far_it_is_is_never_waited_for() {
    let here = Here::new();
    let mut running = here.run("echo hi; exec sleep 600").await;
    while running.bytes() == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(running.latest().unwrap().recent, b"hi\n");
    running.drain.with(|_| assert_eq!((running.latest(), running.bytes()), (None, 3)));
    running.cancel();
    let state = running.outcome().await.unwrap().state;
    assert!(matches!(state, State::Finished { cause: Cause::Cancelled, .. }), "{state:?}");
}

#[tokio::test]
async fn all_output_is_read_with_slow_saving() {
    let here = Here::new();
    // The output fits into the pipe, so the shell ends before it is read.
    let mut running = here.run("until [ -e held ]; do :; done; seq 1 20000").await;
    let drain = Arc::clone(&running.drain);
    let held = here.roots[0].real.join("held");
    let slow = std::thread::spawn(move || {
        drain.with(|_| {
            std::fs::write(held, "").unwrap();
            std::thread::sleep(Duration::from_millis(700));
        });
    });
    let mut steps_of_others = 0;
    let outcome = loop {
        tokio::select! {
            outcome = running.outcome() => break outcome.unwrap(),
            () = tokio::time::sleep(Duration::from_millis(10)) => steps_of_others += 1,
        }
    };
    slow.join().unwrap();
    assert_eq!(outcome.output.raw.extent(), Extent { lines: 20_000, bytes: 108_894 });
    let Content::Text(shown) = outcome.output.content else { panic!("it is text") };
    assert_eq!(shown.text.content, "19999\n20000");
    assert!(
        matches!(&outcome.state, State::Finished { background, .. } if background.is_empty()),
        "{:?}",
        outcome.state
    );
    assert!(steps_of_others > 5, "the runtime thread was blocked: {steps_of_others} steps");
}
