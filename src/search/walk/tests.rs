//! Compares the walk with a simple recursive one, for any number of workers.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::*;
use crate::stop::{Deadline, Stopped};
use crate::sys::{self, FileKind};
use tokio_util::sync::CancellationToken;

/// Finds every entry. Returns those whose path ends with `ending`: the path, and `weight`.
struct All {
    ending: &'static [u8],
    weight: usize,
}

const ALL: All = All { ending: b"", weight: 1 };

impl Visit for All {
    /// The path, and the weight.
    type Result = (Vec<u8>, usize);

    fn wants(&self, _: &[u8], _: FileKind) -> bool {
        true
    }
    fn enters(&self, _: &[u8]) -> bool {
        true
    }
    fn visit(
        &mut self,
        entry: &mut Entry<'_, '_>,
        _: &Stop,
        emit: &mut Emit<'_, Self::Result>,
    ) -> io::Result<u64> {
        if entry.path().ends_with(self.ending) {
            let _either = emit((entry.path(), self.weight));
        }
        Ok(10)
    }
    fn weight((_, weight): &Self::Result) -> usize {
        *weight
    }
}

fn walk_of(dir: &Path, workers: usize, stop: Stop) -> Walk {
    let root = sys::open_folder(dir).unwrap();
    let threads = Threads::default();
    Walk {
        root,
        rules: IgnoreRules::none(),
        workers,
        threads,
        stop,
        has_links: Arc::default(),
        progress: Box::new(|_| {}),
    }
}

/// Walks with `visitor`. Returns the first `max` results that the sink gets.
fn walk_by<V: Visit>(
    walk: Walk,
    max: usize,
    visitor: impl Fn() -> V + Send + Sync + 'static,
) -> Vec<Walked<V::Result>> {
    let mut got = Vec::new();
    walk.run(visitor, |walked| {
        if !matches!(walked, Walked::Searched(_)) {
            got.push(walked);
        }
        if got.len() == max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    got
}

fn walk(dir: &Path, workers: usize, weight: usize, max: usize) -> Vec<Vec<u8>> {
    let found = walk_by(walk_of(dir, workers, Stop::default()), max, move || All { weight, ..ALL });
    let path = |walked| match walked {
        Walked::Found((path, _)) => path,
        walked => panic!("{walked:?}"),
    };
    found.into_iter().map(path).collect()
}

/// Lists the tree by the definition of the order: the names of each folder by their bytes, each folder directly
/// followed by its contents.
fn oracle(dir: &Path, below: &Path, all: &mut Vec<Vec<u8>>) {
    let mut names: Vec<_> =
        std::fs::read_dir(dir.join(below)).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
    for name in names.into_iter().filter(|name| name != ".git") {
        let path = below.join(&name);
        all.push(crate::fs::workspace::shown(&path).to_owned());
        if dir.join(&path).symlink_metadata().unwrap().is_dir() {
            oracle(dir, &path, all);
        }
    }
}

/// Creates a tree of `files` files in folders of many shapes. The same number creates the same tree.
fn tree(files: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut seed = 42_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let mut folders = vec![dir.path().to_path_buf()];
    for n in 0..files {
        if n % 7 == 0 {
            let folder = &folders[random(folders.len())];
            let folder = folder.join(format!("{}{n}", ["d", "D-", ".x", "é"][random(4)]));
            std::fs::create_dir(&folder).unwrap();
            folders.push(folder);
        }
        let folder = &folders[random(folders.len())];
        std::fs::write(folder.join(format!("{}{n}", ["d", "a.", "z", "-"][random(4)])), "").unwrap();
    }
    std::fs::create_dir(dir.path().join(".git")).unwrap();
    std::os::unix::fs::symlink(".", dir.path().join("loop")).unwrap();
    dir
}

#[test]
fn order_is_the_same_for_any_workers() {
    let dir = tree(1500);
    let mut expected = Vec::new();
    oracle(dir.path(), Path::new(""), &mut expected);
    for workers in 1..=8 {
        // Nothing is buffered; a part is buffered; each file alone exceeds the buffer.
        for weight in [1, 50_000, 2_000_000] {
            assert!(walk(dir.path(), workers, weight, usize::MAX) == expected, "{workers} {weight}");
        }
        for max in [1, 10, 700] {
            assert!(walk(dir.path(), workers, 1, max) == expected[..max], "{workers} {max}");
        }
    }
}

#[test]
fn progress_includes_folders_without_files() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..50 {
        std::fs::create_dir(dir.path().join(format!("{n}"))).unwrap();
    }
    let (calls, visited) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
    let told = (Arc::clone(&calls), Arc::clone(&visited));
    let progress = Box::new(move |more| {
        told.0.fetch_add(1, Ordering::Relaxed);
        told.1.fetch_add(more, Ordering::Relaxed);
    });
    let walk = Walk { progress, ..walk_of(dir.path(), 2, Stop::default()) };
    walk_by(walk, usize::MAX, || ALL);
    assert_eq!(visited.load(Ordering::Relaxed), 50);
    assert!(calls.load(Ordering::Relaxed) >= 51, "each folder was listed");
}

#[test]
fn repeated_walks_are_equal() {
    let dir = tree(20_000);
    let first = walk(dir.path(), 1, 1, 5000);
    for n in 0..50 {
        assert!(walk(dir.path(), n % 8 + 1, 5000, 5000) == first, "{n}");
    }
}

#[test]
fn deep_and_wide_trees_are_walked() {
    use rustix::fs::{Mode, OFlags};

    let dir = tempfile::tempdir().unwrap();
    let deep: std::path::PathBuf = (0..200).map(|n| format!("folder-{n:0>20}")).collect();
    let mut fd = sys::open_folder(dir.path()).unwrap();
    for name in &deep {
        rustix::fs::mkdirat(&fd, name, Mode::RWXU).unwrap();
        fd = rustix::fs::openat(&fd, name, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    rustix::fs::openat(&fd, "end", OFlags::WRONLY | OFlags::CREATE, Mode::RUSR).unwrap();
    for n in 0..2000 {
        std::fs::create_dir(dir.path().join(format!("w{n:05}"))).unwrap();
    }
    let found = walk(dir.path(), 4, 1, usize::MAX);
    assert_eq!(found.len(), 200 + 1 + 2000);
    assert_eq!(found[200], deep.join("end").as_os_str().as_encoded_bytes());
    assert_eq!(found[2200], b"w01999");
}

#[test]
fn cancelled_walk_ends() {
    let dir = tree(100);
    let stop = Stop::default();
    stop.cancel();
    assert!(walk_by(walk_of(dir.path(), 4, stop), 1, || ALL).is_empty());
}

#[test]
fn panic_ends_walk_of_all_workers() {
    let dir = tree(500);
    let panicked = std::panic::catch_unwind(|| {
        let mut left = 300;
        let sink = move |_| {
            left -= 1;
            assert!(left > 0);
            ControlFlow::Continue(())
        };
        walk_of(dir.path(), 4, Stop::default()).run(|| ALL, sink);
    });
    assert!(panicked.is_err());
    let visitor = || panic!("no visitor");
    let walk = AssertUnwindSafe(|| {
        walk_of(dir.path(), 4, Stop::default()).run::<All>(visitor, |_| ControlFlow::Continue(()));
    });
    assert!(std::panic::catch_unwind(walk).is_err());
}

/// Finds every entry. The visit of a `slow` entry ends at the deadline after it has found something. The visit of a
/// `blocked` entry does not end until the channel is closed.
struct UntilDeadline {
    blocked: Arc<Mutex<Receiver<()>>>,
    /// The paths of all results.
    emitted: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Visit for UntilDeadline {
    type Result = Vec<u8>;

    fn wants(&self, _: &[u8], kind: FileKind) -> bool {
        kind == FileKind::File
    }
    fn enters(&self, _: &[u8]) -> bool {
        true
    }
    fn visit(
        &mut self,
        entry: &mut Entry<'_, '_>,
        stop: &Stop,
        emit: &mut Emit<'_, Self::Result>,
    ) -> io::Result<u64> {
        let path = entry.path();
        self.emitted.lock().unwrap().push(path.clone());
        let _either = emit(path.clone());
        if path.ends_with(b"slow") {
            while stop.check().is_ok() {
                std::thread::yield_now();
            }
            return Err(Stopped::Late.into());
        }
        if path.ends_with(b"blocked") {
            let _closed = self.blocked.lock().unwrap().recv();
        }
        Ok(1)
    }
    fn weight(found: &Self::Result) -> usize {
        found.len()
    }
}

/// Creates files in three folders. One in each folder is called `special`.
fn special(special: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["a", "b", "c"] {
        std::fs::create_dir(dir.path().join(folder)).unwrap();
        for n in 0..100 {
            std::fs::write(dir.path().join(folder).join(format!("{n:02}")), "").unwrap();
        }
        std::fs::write(dir.path().join(folder).join(format!("50{special}")), "").unwrap();
    }
    dir
}

/// Checks that the results are all files up to the reported path, and at most those of the next one. Returns the path.
fn assert_prefix(got: Vec<Walked<Vec<u8>>>, dir: &Path) -> Option<Vec<u8>> {
    let (mut paths, mut reached) = (Vec::new(), None);
    for walked in got {
        match walked {
            Walked::Found(path) => paths.push(path),
            Walked::Late { complete, has_later } => reached = Some((complete, has_later, paths.len())),
            walked => panic!("{walked:?}"),
        }
    }
    let (reached, has_later, complete) = reached.expect("it reports how far it got");
    assert_eq!(has_later, paths.len() > complete);
    let mut all = Vec::new();
    oracle(dir, Path::new(""), &mut all);
    all.retain(|path| path.len() > 1);
    let before =
        reached.as_ref().map_or(0, |reached| all.iter().position(|path| path == reached).unwrap() + 1);
    assert_eq!(complete, before, "all up to the stated path is complete");
    assert!(paths.len() <= before + 1 && all.starts_with(&paths), "{paths:?}");
    reached
}

#[test]
fn results_at_the_deadline_are_complete_up_to_the_stated_path() {
    for (name, last) in [("slow", &b"a/50"[..]), ("blocked", b"a/")] {
        let dir = special(name);
        for workers in 1..=4 {
            let stop =
                Stop::new(CancellationToken::new(), Deadline::new(Instant::now(), Duration::from_secs(1)));
            let (open, blocked) = channel();
            let (emitted, blocked) = (Arc::default(), Arc::new(Mutex::new(blocked)));
            let walk = walk_of(dir.path(), workers, stop);
            let got = walk_by(walk, usize::MAX, move || UntilDeadline {
                blocked: Arc::clone(&blocked),
                emitted: Arc::clone(&emitted),
            });
            let reached = assert_prefix(got, dir.path()).unwrap();
            assert!(reached.starts_with(last) && *reached < b"a/50x"[..], "{name} {reached:?}");
            drop(open);
        }
    }
}

#[test]
fn what_was_searched_does_not_depend_on_the_workers() {
    let dir = tree(3000);
    let mut first = None;
    for workers in 1..=4 {
        let (mut up_to, mut last) = (Vec::new(), Searched::default());
        let walk = walk_of(dir.path(), workers, Stop::default());
        walk.run(
            || All { ending: b"00", ..ALL },
            |walked| {
                match walked {
                    Walked::Searched(searched) => last = searched,
                    Walked::Found((path, _)) => up_to.push((path, last)),
                    walked => panic!("{walked:?}"),
                }
                ControlFlow::Continue(())
            },
        );
        assert_eq!(last.bytes, last.visited * 10);
        assert_eq!(last.names, last.visited);
        assert!(up_to.len() > 20, "{}", up_to.len());
        assert!(first.get_or_insert_with(|| up_to.clone()) == &up_to, "{workers}");
    }
}
