//! Code that grep and find share: the walk, the format of paths, skipped entries, and progress.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::fs::open::{FileKind, OpenedPath};
use crate::fs::workspace::Workspace;
use crate::search::ignore_rules::IgnoreRules;
use crate::search::names;
use crate::search::walk::{Searched, Walk, Walked};
use crate::stop::Stop;
use crate::sys;
use cutline_core::details::{Details, Skipped};
use cutline_core::notice::{Names, NotEntered};
use cutline_core::text::show;

use super::notice::{Notice, StoppedAt, Unit, WhySkipped};
use super::{Context, Progress, ToolError, resolve};

/// Maximum number of names, files and bytes that a search without results reads to check whether ignored files match.
pub(super) const IGNORED_CHECK: Searched = Searched { names: 2000, files: 200, bytes: 2_000_000 };
/// Maximum number of names, files and bytes that a search reads only to count further results.
pub(super) const COUNTED: Searched = Searched { names: 100_000, files: 5000, bytes: 64_000_000 };
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
    /// Linked work trees of git, which are copies.
    work_trees: Names,
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
            Walked::WorkTree(path) => self.work_trees.push(&paths.show(&path)),
            Walked::Searched(_) => {}
        }
        None
    }

    /// Returns the notices about skipped entries. Adds the counts to `details`.
    pub(super) fn notices(self, details: &mut Details) -> impl Iterator<Item = Notice> {
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
        let work_trees = Notice::NotEntered { kind: NotEntered::WorkTree, names: self.work_trees };
        let has_work_trees = matches!(&work_trees, Notice::NotEntered { names, .. } if !names.is_empty());
        named.chain(rules).chain(has_work_trees.then_some(work_trees))
    }
}

/// Counts what a search finds beyond its page, within bounds that do not depend on time: the walk reports what it searched
/// before each result, and ends when that is enough. Of a single file, `Query::counted_bytes` is the bound.
#[derive(Debug)]
pub(super) struct Counting {
    /// The bounds.
    most: Searched,
    /// What was searched in all places so far.
    searched: Searched,
    /// What was searched in the places before the current one.
    before: Searched,
    /// What was searched when the page was full.
    from: Option<Searched>,
    /// True if the search stopped before it counted everything.
    pub(super) is_at_least: bool,
}

impl Default for Counting {
    fn default() -> Self {
        let (before, searched) = Default::default();
        Self { most: COUNTED, searched, before, from: None, is_at_least: false }
    }
}

impl Counting {
    /// Counts from the start, within these bounds.
    pub(super) fn within(most: Searched) -> Self {
        Self { most, from: Some(Searched::default()), ..Self::default() }
    }

    /// Starts the next place.
    pub(super) fn begin_place(&mut self) {
        self.before = self.searched;
    }

    /// Returns the number of files that were visited.
    pub(super) fn files(&self) -> u64 {
        self.searched.files
    }

    /// Records what the walk of the current place has searched. Breaks if the search may count no more.
    pub(super) fn searched(&mut self, in_place: Searched) -> ControlFlow<()> {
        self.searched = self.before;
        self.searched += in_place;
        let Some(from) = self.from else { return ControlFlow::Continue(()) };
        let Searched { names, files, bytes } = self.searched;
        if files - from.files < self.most.files
            && bytes - from.bytes < self.most.bytes
            && names - from.names < self.most.names
        {
            return ControlFlow::Continue(());
        }
        self.is_at_least = true;
        ControlFlow::Break(())
    }

    /// Takes an item of a walk. Returns a result, or breaks if no more are needed. Skipped entries are recorded.
    pub(super) fn take<F>(
        &mut self,
        walked: Walked<F>,
        skipped: &mut SkippedEntries,
        paths: &Paths,
    ) -> ControlFlow<(), Option<F>> {
        if let Walked::Searched(searched) = walked {
            return self.searched(searched).map_continue(|()| None);
        }
        if matches!(walked, Walked::Stopped(_)) && self.is_counting() {
            // The page is complete.
            self.is_at_least = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(skipped.take(walked, paths))
    }

    /// The page is full: from now on, results are only counted, within the bounds.
    pub(super) fn page_is_full(&mut self) {
        self.from.get_or_insert(self.searched);
    }

    /// Returns true if the page is full.
    pub(super) fn is_counting(&self) -> bool {
        self.from.is_some()
    }
}

/// Maximum number of links of which a search without results checks the target.
const LINKS: usize = 1000;

/// Returns the notice about links to folders that a search of the folder at `place` did not follow. `reaches` is true for
/// paths that the search would reach. Links to folders that the search reached otherwise count only with `is_by_path`.
pub(super) fn linked_folders(
    cx: &Context,
    place: &OpenedPath,
    no_ignore: bool,
    is_by_path: bool,
    reaches: impl Fn(&[u8]) -> bool,
) -> Option<Notice> {
    let mut links = Vec::new();
    let query = names::Query { only_links: true, ..names::Query::default() };
    names::tree(walk(cx, place, no_ignore).ok()?, query, |walked| {
        links.extend(if let Walked::Found(found) = walked { Some(found.path) } else { None });
        if links.len() < LINKS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let (paths, mut names) = (Paths::below(&cx.workspace, &place.asked), Names::default());
    for link in links.into_iter().filter(|link| reaches(link)) {
        let target = OpenedPath::open(&cx.workspace, &place.real.join(&*sys::name(&link)));
        let is_elsewhere = |target: &OpenedPath| {
            target.stat.kind == FileKind::Folder
                && (is_by_path || !target.real.starts_with(&place.real))
                && !place.real.starts_with(&target.real)
        };
        if target.is_ok_and(|target| is_elsewhere(&target)) {
            names.push(&paths.show(&link));
        }
    }
    (!names.is_empty()).then_some(Notice::NotEntered { kind: NotEntered::Link, names })
}

/// Returns a walk of the folder at `place`, with or without ignore rules.
pub(super) fn walk(cx: &Context, place: &OpenedPath, no_ignore: bool) -> Result<Walk, ToolError> {
    Ok(Walk {
        root: resolve::folder(cx, place)?,
        rules: if no_ignore { IgnoreRules::none() } else { IgnoreRules::for_walk_from(&place.real) },
        workers: cx.shared.workers,
        threads: cx.shared.threads.clone(),
        stop: Stop::new(cx.cancel.child_token(), cx.deadline),
        report_after: COUNTED,
        has_links: Arc::default(),
        progress: Box::new(progress(&cx.progress)),
    })
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
