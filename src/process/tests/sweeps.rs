//! Tests sweeps of saved outputs while the server runs.

use std::fs;
use std::os::unix::fs::OpenOptionsExt as _;

use super::*;

#[tokio::test(start_paused = true)]
async fn sweeps_at_the_start_and_each_hour() {
    let temp = tempfile::tempdir().unwrap();
    let max_age = Duration::from_secs(100);
    let saved =
        saved_output::Settings { dir: temp.path().to_owned(), private: false, max_age, ..Default::default() };
    let commands = Commands::new(saved, None, Environment::default());
    let old = |name: &str| {
        let path = temp.path().join(name);
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).unwrap();
        fs::File::create(&path).unwrap().set_modified(SystemTime::now() - max_age * 2).unwrap();
        path
    };
    // The clock of the test stops during a sweep and advances when all tasks wait.
    let minutes = |minutes| tokio::time::sleep(Duration::from_mins(minutes));

    let name = |hour: u32| format!("cutline-bash-hour{hour:08}.log");
    let first = old(&name(0));
    commands.start();
    minutes(1).await;
    assert!(!first.exists(), "it was not removed at the start");
    for hour in 1..=3 {
        let path = old(&name(hour));
        minutes(58).await;
        assert!(path.exists(), "it was removed before hour {hour} was over");
        minutes(2).await;
        assert!(!path.exists(), "it was not removed at hour {hour}");
    }
    commands.shutdown().await;
}
