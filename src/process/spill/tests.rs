//! Saved outputs, against real folders.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::process;

fn settings(dir: PathBuf) -> Settings {
    Settings { dir, private: true, ..Settings::default() }
}

#[cfg(unix)]
#[test]
fn a_file_is_private_capped_and_removed_unless_kept() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("own");
    let store = Store::new(Settings { max_file_bytes: 5, ..settings(dir.clone()) });
    assert_eq!(store.folder_real().unwrap().file_name(), dir.file_name());
    assert!(!dir.exists(), "the folder is made on demand only");

    let mut file = store.create().unwrap();
    file.write(b"abc").unwrap();
    file.write(b"defgh").unwrap();
    let path = file.path().to_owned();
    assert_eq!((file.written(), fs::read(&path).unwrap()), (5, b"abcde".to_vec()));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o777, 0o700);
    drop(file);
    assert!(!path.exists());

    let mut file = store.create().unwrap();
    file.keep();
    let path = file.path().to_owned();
    drop(file);
    assert!(path.exists());
}

#[cfg(unix)]
#[test]
fn a_private_folder_is_nobody_elses() {
    let temp = tempfile::tempdir().unwrap();
    let elsewhere = temp.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let link = temp.path().join("link");
    std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
    assert!(Store::new(settings(link.clone())).create().is_err(), "a link is not followed");

    let open = temp.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(Store::new(settings(open.clone())).create().is_err(), "others can look into it");

    let as_it_is = Settings { private: false, ..settings(open.clone()) };
    assert!(Store::new(as_it_is).create().is_ok());
    assert_eq!(fs::metadata(&open).unwrap().permissions().mode() & 0o777, 0o755);
    let missing = Settings { private: false, ..settings(temp.path().join("missing")) };
    assert_eq!(Store::new(missing).create().unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[cfg(unix)]
#[test]
fn a_sweep_takes_the_old_then_the_oldest_and_nothing_else() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    let now = SystemTime::now();
    let write = |name: &str, age_secs: u64| {
        let path = dir.join(name);
        fs::write(&path, [b'x'; 10]).unwrap();
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(now - Duration::from_secs(age_secs))
            .unwrap();
    };
    write("cutline-bash-old.log", 1000);
    write("cutline-bash-older.log", 50);
    write("cutline-bash-newer.log", 40);
    write("cutline-bash-newest.log", 30);
    write("notes.log", 1000);
    write("outside", 1000);
    std::os::unix::fs::symlink(dir.join("outside"), dir.join("cutline-bash-link.log")).unwrap();
    write("cutline-bash-written.log", 1000);
    let written = fs::File::open(dir.join("cutline-bash-written.log")).unwrap();
    written.lock().unwrap();

    let settings = Settings {
        private: false,
        max_total_bytes: 30,
        keep: Duration::from_secs(100),
        ..settings(dir.to_owned())
    };
    Store::new(settings).sweep(now);

    let mut left: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    let expected = [
        "cutline-bash-link.log",
        "cutline-bash-newer.log",
        "cutline-bash-newest.log",
        "cutline-bash-written.log",
        "notes.log",
        "outside",
    ];
    assert_eq!(left, expected);
}

#[tokio::test(start_paused = true)]
async fn a_sweep_comes_at_the_start_and_with_each_hour() {
    let temp = tempfile::tempdir().unwrap();
    let keep = Duration::from_secs(100);
    let spill = Settings { private: false, keep, ..settings(temp.path().to_owned()) };
    let commands = process::Commands::new(process::Settings { spill, sandbox: None });
    let old = |name: &str| {
        let path = temp.path().join(name);
        fs::File::create(&path).unwrap().set_modified(SystemTime::now() - keep * 2).unwrap();
        path
    };
    // In the time of the test, which stands still while a sweep works, and leaps when all wait.
    let minutes = |minutes| tokio::time::sleep(Duration::from_mins(minutes));

    let first = old("cutline-bash-0.log");
    commands.start();
    minutes(1).await;
    assert!(!first.exists(), "it stayed at the start");
    for hour in 1..=3 {
        let path = old(&format!("cutline-bash-{hour}.log"));
        minutes(58).await;
        assert!(path.exists(), "it went before hour {hour} was over");
        minutes(2).await;
        assert!(!path.exists(), "it stayed at hour {hour}");
    }
    commands.shutdown().await;
}
