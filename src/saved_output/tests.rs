//! Tests saved outputs in real folders.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;

use super::*;
use crate::fs::saved_name::is_saved_name;
use cutline_core::truncate::Bounds;

fn settings(dir: PathBuf) -> Settings {
    Settings { dir, private: true, ..Settings::default() }
}

fn create(store: &Store) -> OutputFile {
    store.create(SavedKind::COMMAND).unwrap()
}

#[test]
fn file_is_private_capped_and_removed_unless_kept() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("own");
    let store = Store::new(Settings { max_file_bytes: 5, ..settings(dir.clone()) });
    assert_eq!(store.path().unwrap().file_name(), dir.file_name());
    assert!(!dir.exists(), "the folder is made on demand only");

    let mut file = create(&store);
    file.write(b"abc").unwrap();
    file.write(b"defgh").unwrap();
    let path = fs::read_dir(&dir).unwrap().next().unwrap().unwrap().path();
    assert!(is_saved_name(path.file_name().unwrap().to_str().unwrap()), "{}", path.display());
    assert_eq!(fs::read(&path).unwrap(), b"abcde");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o777, 0o700);
    drop(file);
    assert!(!path.exists());

    let mut file = create(&store);
    file.write(b"abcdef").unwrap();
    let saved = file.keep(6);
    drop(file);
    assert_eq!((fs::read(&saved.path).unwrap(), saved.first_bytes), (b"abcde".to_vec(), Some(5)));
}

#[test]
fn bytes_count_toward_the_next_cleanup_also_after_a_file_is_kept() {
    let temp = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::new(settings(temp.path().join("own"))));
    let mut stream = SavedStream::new(Arc::clone(&store), SavedKind::COMMAND, Bounds::new(0, 0));
    stream.push(b"abc");
    stream.keep().unwrap();
    stream.keep().unwrap();
    stream.push(&[b'x'; 1000]);
    drop(stream);
    assert_eq!(store.unswept.load(Ordering::Relaxed), 1003);
}

#[test]
fn removed_configured_folder_is_created_again() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("named");
    fs::create_dir(&dir).unwrap();
    let store = Store::new(Settings { private: false, ..settings(dir.clone()) });
    for _ in 0..2 {
        let saved = create(&store).keep(0);
        assert_eq!(saved.path.parent(), Some(dir.canonicalize().unwrap().as_path()));
        fs::remove_dir_all(&dir).unwrap();
    }
    // Only root can change the owner of a folder.
    fs::create_dir(&dir).unwrap();
    if std::os::unix::fs::chown(&dir, Some(12_345), None).is_ok() {
        assert!(store.create(SavedKind::COMMAND).is_err(), "it is somebody else's");
    }
}

#[test]
fn a_folder_that_is_not_this_users_alone_is_not_used() {
    let temp = tempfile::tempdir().unwrap();
    let elsewhere = temp.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let link = temp.path().join("link");
    symlink(&elsewhere, &link).unwrap();
    let open = temp.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
    let fifo = temp.path().join("fifo");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let foreign = temp.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::set_permissions(&foreign, fs::Permissions::from_mode(0o700)).unwrap();
    let mut taken = vec![link, open, fifo];
    // Only root can change the owner of a folder.
    if std::os::unix::fs::chown(&foreign, Some(12_345), None).is_ok() {
        taken.push(foreign);
    }
    for dir in taken {
        let store = Store::new(settings(dir.clone()));
        let error = store.create(SavedKind::COMMAND).unwrap_err().to_string();
        assert!(error.ends_with("is not a folder of this user's alone"), "{error}");
        assert_eq!(store.path(), None);
        let entries =
            fs::symlink_metadata(&dir).unwrap().is_dir().then(|| fs::read_dir(&dir).unwrap().count());
        assert_eq!(entries.unwrap_or(0), 0, "{}", dir.display());
    }
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "an output was saved through the link");
}

#[test]
fn configured_folder_is_used_unchanged() {
    let temp = tempfile::tempdir().unwrap();
    let open = temp.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
    let named = |dir| Store::new(Settings { private: false, ..settings(dir) });
    assert!(named(open.clone()).create(SavedKind::COMMAND).is_ok());
    assert_eq!(fs::metadata(&open).unwrap().permissions().mode() & 0o777, 0o755);
    let in_missing = named(temp.path().join("missing/folder"));
    assert_eq!(in_missing.create(SavedKind::COMMAND).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn missing_configured_folder_is_created_private() {
    let temp = tempfile::tempdir().unwrap();
    let missing = temp.path().join("missing");
    let store = Store::new(Settings { private: false, ..settings(missing.clone()) });
    assert!(store.create(SavedKind::COMMAND).is_ok());
    assert_eq!(fs::metadata(&missing).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn link_instead_of_the_folder_is_not_followed() {
    for private in [false, true] {
        let temp = tempfile::tempdir().unwrap();
        let (dir, moved) = (temp.path().join("dir"), temp.path().join("moved"));
        let elsewhere = temp.path().join("elsewhere");
        for folder in [&dir, &elsewhere] {
            fs::create_dir(folder).unwrap();
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
        }
        let store = Store::new(Settings { private, ..settings(dir.clone()) });
        fs::rename(&dir, &moved).unwrap();
        symlink(&elsewhere, &dir).unwrap();
        create(&store).keep(0);
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "private: {private}");
        assert_eq!(fs::read_dir(&moved).unwrap().count(), 1, "private: {private}");
        // Files are removed from the folder in which they were created, both when dropped and in a sweep.
        drop(create(&store));
        fs::write(elsewhere.join("cutline-bash-abcdefghijkl.log"), "x").unwrap();
        fs::set_permissions(
            elsewhere.join("cutline-bash-abcdefghijkl.log"),
            fs::Permissions::from_mode(0o600),
        )
        .unwrap();
        store.sweep(SystemTime::now() + SAVED_OUTPUT_KEEP * 2);
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1, "private: {private}");
        assert_eq!(fs::read_dir(&moved).unwrap().count(), 0, "private: {private}");
    }
}

#[test]
fn a_private_folder_that_was_cleared_away_is_made_again() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("own");
    let store = Store::new(settings(dir.clone()));
    drop(create(&store));
    fs::remove_dir(&dir).unwrap();
    create(&store).keep(0);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
}

#[test]
fn cleanup_removes_old_outputs_then_the_oldest() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    let now = SystemTime::now();
    let name = |name: &str| format!("cutline-bash-{name:x<12}.log");
    let write = |name: &str, age_secs: u64| {
        let path = dir.join(name);
        fs::write(&path, [b'x'; 10]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(now - Duration::from_secs(age_secs)).unwrap();
        path
    };
    write(&name("old"), 1000);
    write(&name("older"), 50);
    let mut expected = vec![name("newer"), name("newest")];
    write(&name("newer"), 40);
    write(&name("newest"), 30);
    let mut stays = |name: String| {
        let path = write(&name, 1000);
        expected.push(name);
        path
    };
    for other in ["notes.log", "outside", "cutline-bash-notes.log", "cutline-bash-with-a-hyphen.log"] {
        stays(other.to_owned());
    }
    let readable = stays(name("readable"));
    fs::set_permissions(readable, fs::Permissions::from_mode(0o644)).unwrap();
    let second = stays(name("second"));
    fs::hard_link(second, dir.join("name")).unwrap();
    let written = File::open(stays(name("written"))).unwrap();
    written.lock().unwrap();
    if sys::user() == 0 {
        std::os::unix::fs::chown(stays(name("foreign")), Some(12_345), None).unwrap();
    }
    symlink(dir.join("outside"), dir.join(name("link"))).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    let fifo = dir.join(name("fifo"));
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    expected.extend(["name".to_owned(), name("link"), name("fifo")]);

    let settings = Settings {
        private: false,
        max_total_bytes: 20,
        max_age: Duration::from_secs(100),
        ..settings(dir.to_owned())
    };
    Store::new(settings).sweep(now);

    let mut left: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    expected.sort();
    assert_eq!(left, expected);
}

#[test]
fn many_outputs_are_swept_early() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("own");
    let store = Arc::new(Store::new(Settings { max_total_bytes: 8000, ..settings(dir.clone()) }));
    for _ in 0..50 {
        let bounds = Bounds::new(0, 0);
        let mut stream = SavedStream::new(Arc::clone(&store), SavedKind::COMMAND, bounds);
        stream.push(&[b'x'; 1000]);
        stream.keep().unwrap();
    }
    let size = |entry: fs::DirEntry| entry.metadata().map_or(0, |file| file.len());
    let total = || fs::read_dir(&dir).unwrap().map(|entry| size(entry.unwrap())).sum::<u64>();
    // Another thread removes the files.
    for _ in 0..4000 {
        if total() <= 10_000 {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("{} bytes are left", total());
}
