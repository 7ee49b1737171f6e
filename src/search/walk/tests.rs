//! The walk against a plain recursive one, for any number of workers.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::sys::{self, FileKind};

/// Finds every entry; gives the path of each, and a piece of its own weight.
struct All {
    weight: usize,
}

impl Visit for All {
    /// The path, and the weight.
    type Found = (Vec<u8>, usize);
    const COUNTS_NAMES: bool = false;

    fn wants(&self, _: &[u8], _: FileKind) -> bool {
        true
    }
    fn enters(&self, _: &[u8]) -> bool {
        true
    }
    fn visit(&mut self, entry: &mut Entry<'_, '_>, emit: &mut Emit<'_, Self::Found>) -> std::io::Result<()> {
        let _either = emit((entry.path(), self.weight));
        Ok(())
    }
    fn weight((_, weight): &Self::Found) -> usize {
        *weight
    }
}

fn walk_of(dir: &Path, workers: usize, stop: Stop) -> Walk {
    let root = sys::open_folder(dir).unwrap();
    Walk { root, rules: Rules::none(), workers, stop, progress: Box::new(|_| {}) }
}

fn walk(dir: &Path, workers: usize, weight: usize, max: usize) -> Vec<Vec<u8>> {
    let walk = walk_of(dir, workers, Stop::default());
    let mut found = Vec::new();
    walk.run(
        || All { weight },
        |walked| {
            let Walked::Found((path, _)) = walked else { panic!("{walked:?}") };
            found.push(path);
            if found.len() == max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    found
}

/// The order by its definition: each folder's names by their bytes, what is in a folder after it.
fn oracle(dir: &Path, below: &Path, all: &mut Vec<Vec<u8>>) {
    let mut names: Vec<_> =
        std::fs::read_dir(dir.join(below)).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
    for name in names.into_iter().filter(|name| name != ".git") {
        let path = below.join(&name);
        all.push(crate::fs::workspace::shown(&path).into_owned());
        if dir.join(&path).symlink_metadata().unwrap().is_dir() {
            oracle(dir, &path, all);
        }
    }
}

/// A tree of `files` files in folders of many shapes, the same for the same number.
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
    #[cfg(unix)]
    std::os::unix::fs::symlink(".", dir.path().join("loop")).unwrap();
    dir
}

#[test]
fn order_is_the_same_for_any_workers() {
    let dir = tree(1500);
    let mut expected = Vec::new();
    oracle(dir.path(), Path::new(""), &mut expected);
    for workers in 1..=8 {
        // Nothing is held; a part is; each file alone is more than may be held.
        for weight in [1, 50_000, 2_000_000] {
            assert!(walk(dir.path(), workers, weight, usize::MAX) == expected, "{workers} {weight}");
        }
        for max in [1, 10, 700] {
            assert!(walk(dir.path(), workers, 1, max) == expected[..max], "{workers} {max}");
        }
    }
}

#[test]
fn progress_is_told_of_folders_without_files_too() {
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
    walk.run(|| All { weight: 1 }, |_| ControlFlow::Continue(()));
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

#[cfg(unix)] // elsewhere no path so long can be made
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
    walk_of(dir.path(), 4, stop).run(|| All { weight: 1 }, |_| panic!("nothing is handed over"));
}

#[test]
fn panic_ends_walk_of_all_workers() {
    let dir = tree(500);
    let panicked = std::panic::catch_unwind(|| {
        let walk = walk_of(dir.path(), 4, Stop::default());
        let mut count = 0;
        walk.run(
            || All { weight: 1 },
            |_| {
                count += 1;
                assert!(count < 300);
                ControlFlow::Continue(())
            },
        );
    });
    assert!(panicked.is_err());
}
