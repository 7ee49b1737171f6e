//! Code that grep and find share: the walk, the format of paths, skipped entries, and progress.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::fs::open::OpenedPath;
use crate::fs::workspace::Workspace;
use crate::search::ignore_rules::IgnoreRules;
use crate::search::walk::{Walk, Walked};
use crate::stop::Stop;
use cutline_core::details::{Details, Skipped};
use cutline_core::notice::Names;
use cutline_core::text::show;

use super::notice::{Notice, StoppedAt, Unit, WhySkipped};
use super::{Context, Progress, ToolError, resolve};

/// Time before the first progress report. Shorter walks report nothing.
const FIRST_PROGRESS_AFTER: Duration = Duration::from_secs(1);
/// Time between two reports of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// Formats the paths of a walk as the workspace does.
#[derive(Debug, Clone, Default)]
pub(super) struct Paths {
    prefix: String,
}

impl Paths {
    /// Creates a formatter for paths below `folder`, as it is shown. For a single file, the path below it is
    /// empty.
    pub(super) fn below(workspace: &Workspace, folder: &Path) -> Self {
        let prefix = match workspace.show(folder) {
            here if here == "." => String::new(),
            top if top.ends_with('/') => top,
            folder => folder + "/",
        };
        Self { prefix }
    }

    /// Returns the path of the folder with a `/` at the end, or of a file that is searched alone.
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
        // read expands a leading `~` to the home folder.
        if shown.starts_with('~') { ["./", &shown].concat() } else { shown }
    }
}

/// The files and folders that were not searched completely.
#[derive(Debug, Default)]
pub(super) struct SkippedEntries {
    /// The number of binary files.
    pub(super) binary: u64,
    /// Names of the others, by reason.
    named: BTreeMap<WhySkipped, Names>,
    ignore_rules: u64,
    /// How far the search got, if it stopped at its deadline.
    pub(super) stopped: Option<StoppedSearch>,
}

/// A search that stopped at its deadline.
#[derive(Debug, Default)]
pub(super) struct StoppedSearch {
    /// Everything up to this path was searched. `None` if nothing was searched completely.
    pub(super) path: Option<String>,
    /// True if results of later paths are included.
    has_later: bool,
}

impl StoppedSearch {
    /// Returns how far the search came. `found` is true if it has results.
    pub(super) fn at(self, found: bool, unit: Unit) -> StoppedAt {
        StoppedAt::Path { path: self.path, found, has_later: self.has_later, unit }
    }
}

impl SkippedEntries {
    /// Records a skipped entry.
    pub(super) fn skip(&mut self, why: WhySkipped, path: &str) {
        self.named.entry(why).or_default().push(path);
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
            Walked::Unreadable(path) => self.skip(WhySkipped::Unreadable, &paths.show(&path)),
            Walked::RulesSkipped => self.ignore_rules += 1,
        }
        None
    }

    /// Returns the notices about skipped entries, with a notice about ignored files if `nothing_but_ignored`. Adds the
    /// counts to `details`.
    pub(super) fn notices(
        self,
        nothing_but_ignored: bool,
        details: &mut Details,
    ) -> impl Iterator<Item = Notice> {
        let counted = |count: u64| (count > 0).then_some(count);
        let named = |is_unreadable: bool| {
            let of_reason =
                self.named.iter().filter(|(why, _)| (**why == WhySkipped::Unreadable) == is_unreadable);
            counted(of_reason.map(|(_, names)| names.count()).sum())
        };
        let skipped = Skipped {
            binary: counted(self.binary),
            too_long: named(false),
            unreadable: named(true),
            ignore_rules: counted(self.ignore_rules),
        };
        details.skipped = (skipped != Skipped::default()).then_some(skipped);
        let named = self.named.into_iter().map(|(why, names)| Notice::Skipped { why, names });
        let rules = (self.ignore_rules > 0).then_some(Notice::RulesSkipped(self.ignore_rules));
        named.chain(rules).chain(nothing_but_ignored.then_some(Notice::IgnoredNotSearched))
    }
}

/// Returns a walk of the folder at `place`, with or without ignore rules.
pub(super) fn walk(cx: &Context, place: &OpenedPath, no_ignore: bool) -> Result<Walk, ToolError> {
    Ok(Walk {
        root: resolve::folder(cx, place)?,
        rules: if no_ignore { IgnoreRules::none() } else { IgnoreRules::for_walk_from(&place.real) },
        workers: cx.shared.workers,
        stop: Stop::new(cx.cancel.child_token(), cx.deadline),
        progress: Box::new(progress(&cx.progress)),
    })
}

/// The results of a search. Several threads add results, and one removes them at the end.
#[derive(Debug)]
pub(super) struct Shared<R>(Mutex<Option<R>>);

impl<R> Shared<R> {
    pub(super) fn new(results: R) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(results))))
    }

    /// Returns a function that adds results. It breaks after the results were taken.
    pub(super) fn sink<F, A: Fn(&mut R, F) -> ControlFlow<()>>(
        self: &Arc<Self>,
        add: A,
    ) -> impl Fn(F) -> ControlFlow<()> + use<F, R, A> {
        let results = Arc::clone(self);
        move |found| results.with(|results| add(results, found)).unwrap_or(ControlFlow::Break(()))
    }

    /// Changes the results. Returns `None` if they were taken.
    pub(super) fn with<T>(&self, change: impl FnOnce(&mut R) -> T) -> Option<T> {
        self.lock().as_mut().map(change)
    }

    /// Removes and returns the results.
    ///
    /// # Errors
    ///
    /// Returns an error if the results were already removed.
    pub(super) fn take(&self) -> Result<R, ToolError> {
        self.lock().take().ok_or(ToolError::Cancelled)
    }

    fn lock(&self) -> MutexGuard<'_, Option<R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the entries that a walk has listed, and reports their number now and then.
fn progress(progress: &Progress) -> impl Fn(usize) + Send + Sync + use<> {
    let (due, listed) = (Mutex::new(Instant::now() + FIRST_PROGRESS_AFTER), AtomicUsize::new(0));
    let progress = progress.clone();
    move |more| {
        let listed = listed.fetch_add(more, Ordering::Relaxed) + more;
        if !progress.is_wanted() {
            return;
        }
        let Ok(mut due) = due.try_lock() else { return };
        let now = Instant::now();
        if now >= *due {
            *due = now + PROGRESS_INTERVAL;
            progress.report(format!("{listed} entries listed"));
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
                assert_eq!(*one, format!("{visited} entries listed"));
            }
            drop(heard);
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(heard.lock().unwrap().len(), 1);
        assert!(told.is_some());
    }
}
