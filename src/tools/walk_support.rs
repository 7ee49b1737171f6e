//! Code for grep and find: the walk, the format of its paths, skipped entries, and progress.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::fs::open::OpenedPath;
use crate::fs::workspace::Workspace;
use crate::limits::PSEUDO_FILE_BYTES;
use crate::search::ignore_rules::IgnoreRules;
use crate::search::walk::{TreeSearch, Walk, Walked};
use crate::stop::Stop;
use cutline_core::details::{Details, Skipped};
use cutline_core::notice::Names;
use cutline_core::text::show;

use super::notice::{Notice, StoppedAt, Unit};
use super::{Context, Progress, ToolError, resolve};

/// Time before the first progress: shorter walks report none.
const FIRST_PROGRESS_AFTER: Duration = Duration::from_secs(1);
/// Time between two reports of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// Shows the paths of a walk as the workspace shows them.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    prefix: String,
}

impl Paths {
    /// Formats the paths below `folder`, a path without links. For a single file, the path below it is empty.
    pub(super) fn below(workspace: &Workspace, folder: &Path) -> Self {
        let prefix = match workspace.show(folder) {
            here if here == "." => String::new(),
            top if top.ends_with('/') => top,
            folder => folder + "/",
        };
        Self { prefix }
    }

    /// Returns the path of the folder with a `/` after it, or of a file that is searched alone.
    pub(super) fn of_place(&self, is_folder: bool) -> String {
        if is_folder { self.prefix.clone() } else { self.show(b"") }
    }

    /// Formats a path below the folder.
    pub(super) fn show(&self, path: &[u8]) -> String {
        let below = show::name(path);
        let shown = match (self.prefix.as_str(), below.is_empty()) {
            ("", true) => ".".to_owned(),
            (prefix, true) => prefix.strip_suffix('/').unwrap_or(prefix).to_owned(),
            (prefix, false) => [prefix, &below].concat(),
        };
        // read takes a leading `~` for the home folder.
        if shown.starts_with('~') { ["./", &shown].concat() } else { shown }
    }
}

/// The files and folders that were not searched.
#[derive(Debug, Default)]
pub(super) struct Aside {
    /// Files that are not text.
    pub(super) binary: u64,
    /// Files with a line that is too long to search.
    pub(super) long_line: Names,
    /// Files too large for a search across lines.
    pub(super) too_large: Names,
    /// Files that say no size, of which no more is searched.
    pub(super) searched_in_part: Names,
    unreadable: Names,
    ignore_rules: u64,
    /// Bytes of a file that a search across lines takes.
    multiline_bytes: u64,
    /// How far the search came, if it stopped at its deadline.
    stopped: Option<StoppedSearch>,
}

/// A search that stopped at its deadline.
#[derive(Debug)]
struct StoppedSearch {
    /// Everything up to this path was searched; `None` if no path was searched completely.
    path: Option<String>,
    /// True if results of later paths are included.
    has_later: bool,
}

impl Aside {
    /// Returns an empty list. `multiline_bytes` is the largest file for matches across lines.
    pub(super) fn new(multiline_bytes: u64) -> Self {
        Self { multiline_bytes, ..Self::default() }
    }

    /// Returns a result, or records a skipped entry.
    pub(super) fn take<F>(&mut self, walked: Walked<F>, paths: &Paths) -> Option<F> {
        match walked {
            Walked::Found(found) => {
                if let Some(stopped) = &mut self.stopped {
                    stopped.has_later = true;
                }
                return Some(found);
            }
            Walked::Stopped(path) => {
                let path = path.map(|path| paths.show(&path));
                self.stopped = Some(StoppedSearch { path, has_later: false });
            }
            Walked::Unreadable(path) => self.unreadable.push(&paths.show(&path)),
            Walked::RulesLeftAside => self.ignore_rules += 1,
        }
        None
    }

    /// Returns true if the search stopped at its deadline.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Returns how far the search came, if it stopped at its deadline.
    pub(super) fn stopped_at(&self, found: bool, unit: Unit) -> Option<StoppedAt> {
        let StoppedSearch { path, has_later } = self.stopped.as_ref()?;
        Some(StoppedAt::Path { path: path.clone(), found, has_later: *has_later, unit })
    }

    /// Returns the notices about skipped entries, with one about ignored files if `nothing_but_ignored` is true. Adds the
    /// counts to `details`.
    pub(super) fn notices(
        self,
        nothing_but_ignored: bool,
        details: &mut Details,
    ) -> impl Iterator<Item = Notice> {
        let Self {
            binary,
            long_line,
            too_large,
            searched_in_part,
            unreadable,
            ignore_rules,
            multiline_bytes,
            ..
        } = self;
        let counted = |count: u64| (count > 0).then_some(count);
        let skipped = Skipped {
            binary: counted(binary),
            too_long: counted(long_line.count() + too_large.count() + searched_in_part.count()),
            unreadable: counted(unreadable.count()),
            ignore_rules: counted(ignore_rules),
        };
        details.skipped = (skipped != Skipped::default()).then_some(skipped);
        let named = [
            (!unreadable.is_empty()).then_some(Notice::Unreadable(unreadable)),
            (!long_line.is_empty()).then_some(Notice::TooLong(long_line)),
            (!too_large.is_empty()).then_some(Notice::TooLarge { names: too_large, limit: multiline_bytes }),
            (!searched_in_part.is_empty())
                .then_some(Notice::SearchedUpTo { names: searched_in_part, limit: PSEUDO_FILE_BYTES }),
            (ignore_rules > 0).then_some(Notice::RulesLeftAside(ignore_rules)),
            nothing_but_ignored.then_some(Notice::IgnoredNotSearched),
        ];
        named.into_iter().flatten()
    }
}

/// Returns a walk of the folder at `place`, with or without ignore rules.
pub(super) fn walk(cx: &Context, place: &OpenedPath, no_ignore: bool) -> Result<Walk, ToolError> {
    Ok(Walk {
        root: resolve::folder(cx, place)?,
        rules: if no_ignore { IgnoreRules::none() } else { IgnoreRules::above(&place.real) },
        workers: cx.shared.workers,
        stop: Stop::new(cx.cancel.child_token(), cx.deadline),
        progress: Box::new(progress(&cx.progress)),
    })
}

/// The search of one of several targets, so that another thread can conclude it at the deadline.
#[derive(Default)]
pub(super) struct CurrentSearch(Mutex<Option<Arc<dyn TreeSearch>>>);

impl CurrentSearch {
    /// Runs a search.
    pub(super) fn run(&self, search: &Arc<dyn TreeSearch>) {
        *lock(&self.0) = Some(Arc::clone(search));
        search.run();
    }

    /// Concludes the latest search.
    pub(super) fn conclude(&self) {
        let search = lock(&self.0).take();
        if let Some(search) = search {
            search.conclude();
        }
    }
}

/// The results of a search. Several threads add results, and one takes them at the end.
#[derive(Debug)]
pub(super) struct Shared<R>(Arc<Mutex<Option<R>>>);

impl<R> Shared<R> {
    pub(super) fn new(results: R) -> Self {
        Self(Arc::new(Mutex::new(Some(results))))
    }

    /// Returns a function that adds results. It breaks after the results were taken.
    pub(super) fn sink<F, A: Fn(&mut R, F) -> ControlFlow<()>>(
        &self,
        add: A,
    ) -> impl Fn(F) -> ControlFlow<()> + use<F, R, A> {
        let results = Arc::clone(&self.0);
        move |found| lock(&results).as_mut().map_or(ControlFlow::Break(()), |results| add(results, found))
    }

    /// Changes the results. Returns `None` if they were taken.
    pub(super) fn with<T>(&self, change: impl FnOnce(&mut R) -> T) -> Option<T> {
        lock(&self.0).as_mut().map(change)
    }

    /// Takes the results out.
    ///
    /// # Errors
    ///
    /// Returns an error if the results were already taken.
    pub(super) fn take(&self) -> Result<R, ToolError> {
        lock(&self.0).take().ok_or(ToolError::Cancelled)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts the entries that a walk has visited, and reports their number now and then.
fn progress(progress: &Progress) -> impl Fn(usize) + Send + Sync + use<> {
    let (due, visited) = (Mutex::new(Instant::now() + FIRST_PROGRESS_AFTER), AtomicUsize::new(0));
    let progress = progress.clone();
    move |more| {
        let visited = visited.fetch_add(more, Ordering::Relaxed) + more;
        if !progress.is_wanted() {
            return;
        }
        let Ok(mut due) = due.try_lock() else { return };
        let now = Instant::now();
        if now >= *due {
            *due = now + PROGRESS_INTERVAL;
            progress.report(format!("{visited} files searched"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::workspace::{Boundary, Root};

    #[test]
    fn paths_as_the_workspace_shows_them() {
        let root = Root::followed("/data/repo".into());
        let workspace = Workspace::new(vec![root], Boundary::None).unwrap();
        for (folder, path, shown) in [
            ("/data/repo", "a/b", "a/b"),
            ("/data/repo/src", "a/b", "src/a/b"),
            ("/other", "a", "/other/a"),
            ("/", "a", "/a"),
            ("/data/repo/src", "", "src"),
            ("/data/repo", "", "."),
        ] {
            let paths = Paths::below(&workspace, Path::new(folder));
            assert_eq!(paths.show(path.as_bytes()), shown);
            let joined = workspace.show(&Path::new(folder).join(path));
            assert_eq!(joined.trim_end_matches('/'), shown, "{folder} {path}");
        }
        assert_eq!(Paths::below(&workspace, Path::new("/data/repo/a.rs")).show(b""), "a.rs");
        for (folder, path, shown) in [
            ("/data/repo", "~/a", "./~/a"),
            ("/data/repo", "~", "./~"),
            ("/data/repo/~", "a", "./~/a"),
            ("/data/repo/b", "~", "b/~"),
            ("/~", "a", "/~/a"),
        ] {
            assert_eq!(Paths::below(&workspace, Path::new(folder)).show(path.as_bytes()), shown);
        }
        assert_eq!(Paths::below(&workspace, Path::new("/data/repo/~")).show(b""), "./~");
    }

    #[test]
    fn progress_is_of_long_walks_and_in_intervals() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&heard);
        let report = progress(&Progress::new(move |message| listener.lock().unwrap().push(message)));
        let start = Instant::now();
        let (mut visited, mut told) = (0, None);
        while start.elapsed() < Duration::from_millis(1300) {
            visited += 2;
            report(2);
            let heard = heard.lock().unwrap();
            if start.elapsed() < Duration::from_millis(900) {
                assert!(heard.is_empty());
            } else if let ([one], None) = (heard.as_slice(), &told) {
                told = Some(visited);
                assert_eq!(*one, format!("{visited} files searched"));
            }
            drop(heard);
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(heard.lock().unwrap().len(), 1);
        assert!(told.is_some());
    }
}
