//! Code that grep and find share: the walk, its results and skipped entries, the format of paths, and progress.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::fs::open::{FileKind, OpenError, OpenedPath};
use crate::search::ignore_rules::IgnoreRules;
use crate::search::names::{self, NameQuery};
use crate::search::walk::{Searched, Walk, Walked};
use crate::stop::Stop;
use crate::sys;
use cutline_core::details::Skipped;
use cutline_core::notice::{InAll, Names, Notice, StoppedAt, WhySkipped};

use super::page::{Page, PageRequest};
use super::{Context, Output, Progress, ToolError, resolve};

/// Maximum number of names, visited entries and bytes that a search without results reads to check whether ignored
/// files match.
pub(super) const IGNORED_CHECK: Searched = Searched { names: 5000, visited: 1000, bytes: 8_000_000 };
/// Maximum number of names, visited entries and bytes that a search reads only to count further results.
pub(super) const COUNTED: Searched = Searched { names: 100_000, visited: 5000, bytes: 64_000_000 };
/// Maximum number of links of which a search without results checks the target.
const LINKS: usize = 1000;
/// Time before the first progress report. Shorter walks report nothing.
const FIRST_PROGRESS_AFTER: Duration = Duration::from_secs(1);
/// Time between two reports of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// What a walk does with ignored entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ignored {
    Skipped,
    Visited,
    /// They are visited, and of the other entries only folders.
    Only,
}

impl Ignored {
    /// Returns the choice of a call with the argument `noIgnore`.
    pub(super) fn of(no_ignore: Option<bool>) -> Self {
        if no_ignore == Some(true) { Self::Visited } else { Self::Skipped }
    }

    /// Returns the rules for a walk from `base`.
    pub(super) fn rules(self, base: &Path) -> IgnoreRules {
        match self {
            Self::Skipped => IgnoreRules::for_walk_from(base),
            Self::Visited => IgnoreRules::none(),
            Self::Only => IgnoreRules::for_walk_from(base).of_ignored(),
        }
    }
}

/// A search by grep or find: its page, and what its walks counted and skipped.
pub(super) struct Search<'a> {
    pub(super) cx: &'a Context,
    pub(super) ignored: Ignored,
    pub(super) page: Page,
    /// The requested path of the current target.
    pub(super) asked: PathBuf,
    /// The requested paths of all targets of grep.
    pub(super) targets: Vec<PathBuf>,
    pub(super) counting: Counting,
    /// Number of binary files that the search skipped, in all targets. Only the details have it.
    pub(super) binary: u64,
    /// Names of the other entries that were not searched completely, by reason.
    named: BTreeMap<WhySkipped, Names>,
    /// Number of folders whose ignore rules were skipped.
    rules_skipped: u64,
    /// Linked work trees of git inside the main one, which are copies.
    pub(super) work_trees: Names,
    /// The ignore rules of the walks.
    rules: Vec<IgnoreRules>,
    /// True if the walks have listed links, ignored ones too.
    has_links: Arc<AtomicBool>,
    /// True if the search ended at its deadline before it reached the state in which it only counts.
    pub(super) is_late: bool,
    /// Everything up to this path was searched before the deadline. `None` if nothing was searched completely.
    pub(super) complete_up_to: Option<String>,
    /// True if results after `complete_up_to` follow, as in [`Walked::Late`].
    pub(super) has_later: bool,
}

impl<'a> Search<'a> {
    /// Creates a search without results.
    pub(super) fn new(cx: &'a Context, request: PageRequest, no_ignore: Option<bool>) -> Self {
        Self {
            cx,
            ignored: Ignored::of(no_ignore),
            page: Page::new(cx, request),
            asked: PathBuf::new(),
            targets: Vec::new(),
            counting: Counting::default(),
            binary: 0,
            named: BTreeMap::new(),
            rules_skipped: 0,
            work_trees: Names::default(),
            rules: Vec::new(),
            has_links: Arc::default(),
            is_late: false,
            complete_up_to: None,
            has_later: false,
        }
    }

    /// Returns a walk of the folder at `place` for this search.
    pub(super) fn walk(&mut self, place: &OpenedPath) -> Result<Walk, ToolError> {
        let walk = walk(self.cx, place, self.ignored)?;
        self.rules.push(walk.rules.clone());
        Ok(Walk { has_links: Arc::clone(&self.has_links), ..walk })
    }

    /// Returns true if the search ended neither at its deadline nor at a bound for counting.
    pub(super) fn is_complete(&self) -> bool {
        !self.is_late && !self.counting.is_at_least
    }

    /// Returns true if the search is complete and found nothing.
    pub(super) fn is_known_empty(&self) -> bool {
        self.page.found == 0 && self.is_complete()
    }

    /// Returns true if a search of the ignored files would reach its bound, because it lists the same folders again.
    pub(super) fn exceeds_ignored_check(&self) -> bool {
        self.counting.searched.names >= IGNORED_CHECK.names
    }

    /// Returns true if ignore rules excluded an entry that the walk would visit or enter otherwise.
    pub(super) fn ignored_any(&self) -> bool {
        self.rules.iter().any(IgnoreRules::ignored_any)
    }

    /// Returns the notice about links that the search of the folder at `place` did not follow: to folders, to files, or
    /// else out of the roots. If there are both, it is about the kind `first`. `counts` gets the path of a link, what
    /// it leads to, and true if that is not in the folder.
    pub(super) fn links_not_searched(
        &self,
        place: &OpenedPath,
        first: FileKind,
        counts: impl Fn(&[u8], FileKind, bool) -> bool,
    ) -> Option<Notice> {
        let listed = self.has_links.load(Ordering::Relaxed).then_some(self.ignored);
        let others = (self.ignored == Ignored::Skipped && self.ignored_any()).then_some(Ignored::Only);
        listed.into_iter().chain(others).find_map(|ignored| links_of(self.cx, place, ignored, first, &counts))
    }

    /// Formats a path of the current target.
    pub(super) fn show(&self, path: &[u8]) -> String {
        self.cx.workspace.show_below(&self.asked, path)
    }

    /// Records a skipped entry of the current target.
    pub(super) fn skip(&mut self, why: WhySkipped, path: &[u8]) {
        let path = self.show(path);
        self.named.entry(why).or_default().push(&path);
    }

    /// Takes an item of a walk. Returns a result, or breaks if no more are needed.
    pub(super) fn take<F>(&mut self, walked: Walked<F>) -> ControlFlow<(), Option<F>> {
        match walked {
            Walked::Found(found) => return ControlFlow::Continue(Some(found)),
            Walked::Searched(searched) => self.counting.record(searched)?,
            Walked::Late { .. } if self.counting.is_counting() => {
                // The page has all requested results.
                self.counting.is_at_least = true;
                return ControlFlow::Break(());
            }
            Walked::Late { complete, has_later } => {
                (self.is_late, self.has_later) = (true, has_later);
                // If no path of this target was searched completely, the earlier targets were.
                self.complete_up_to = complete.map(|path| self.show(&path)).or(self.complete_up_to.take());
            }
            Walked::Unreadable(path) => self.skip(WhySkipped::Unreadable, &path),
            Walked::RulesSkipped => self.rules_skipped += 1,
            Walked::WorkTree(path) => {
                let folder = self.asked.join(sys::name(&path));
                if !self.targets.contains(&folder) {
                    self.work_trees.push(&self.show(&path));
                }
            }
        }
        ControlFlow::Continue(None)
    }

    /// Builds the result of the call: `all` results were counted. Adds the notices about skipped entries.
    pub(super) fn finish(mut self, all: InAll) -> Result<Output, ToolError> {
        let found = self.page.found > 0;
        if self.is_late && self.page.stopped.is_none() {
            let (path, has_later) = (self.complete_up_to, self.has_later);
            self.page.stopped = Some(StoppedAt::Path { path, found, has_later, unit: all.unit });
        }
        self.page.in_all = all;
        let counted = |count: u64| (count > 0).then_some(count);
        let count = |why| self.named.get(&why).map_or(0, Names::count);
        let (unreadable, mixed) = (count(WhySkipped::Unreadable), count(WhySkipped::Mixed));
        let skipped = Skipped {
            binary: counted(self.binary),
            too_long: counted(self.named.values().map(Names::count).sum::<u64>() - unreadable - mixed),
            unreadable: counted(unreadable),
            mixed: counted(mixed),
            ignore_rules: counted(self.rules_skipped),
        };
        let Page { notices, details, .. } = &mut self.page;
        notices.extend(self.named.into_iter().map(|(why, names)| Notice::Skipped { why, names }));
        notices.extend(skipped.ignore_rules.map(Notice::RulesSkipped));
        details.skipped = (skipped != Skipped::default()).then_some(skipped);
        notices.extend(self.work_trees.reported_as(Notice::WorkTreesNotSearched));
        self.page.into_output(self.cx, None)
    }
}

/// Counts what a search finds beyond its page, within bounds that do not depend on time: the walk reports what it searched
/// before each result, and ends when that is enough. Within a file, `content::Query::counted_bytes` is the bound. grep
/// searches no further target after either.
#[derive(Debug, Default)]
pub(super) struct Counting {
    /// What was searched in all targets so far.
    pub(super) searched: Searched,
    /// What was searched in the targets before the current one.
    before: Searched,
    /// What the search may read in all, once it only counts.
    most: Option<Searched>,
    /// True if the search ended before it counted everything, so that there are at least as many results as counted.
    pub(super) is_at_least: bool,
}

impl Counting {
    /// Counts from the start, within these bounds.
    pub(super) fn within(most: Searched) -> Self {
        Self { most: Some(most), ..Self::default() }
    }

    /// Starts the next target.
    pub(super) fn begin_target(&mut self) {
        self.before = self.searched;
    }

    /// Records what the walk of the current target has searched. Breaks if the search may count no more.
    pub(super) fn record(&mut self, in_target: Searched) -> ControlFlow<()> {
        self.searched = self.before + in_target;
        let Searched { names, visited, bytes } = self.searched;
        if self.most.is_none_or(|most| visited < most.visited && bytes < most.bytes && names < most.names) {
            return ControlFlow::Continue(());
        }
        self.is_at_least = true;
        ControlFlow::Break(())
    }

    /// From now on, results are only counted, within these bounds.
    pub(super) fn only_count(&mut self, more: Searched) {
        self.most.get_or_insert(self.searched + more);
    }

    /// Returns true if results are only counted.
    pub(super) fn is_counting(&self) -> bool {
        self.most.is_some()
    }
}

/// Returns a walk of the folder at `place`.
pub(super) fn walk(cx: &Context, place: &OpenedPath, ignored: Ignored) -> Result<Walk, ToolError> {
    Ok(Walk {
        root: resolve::folder(cx, place)?,
        rules: ignored.rules(&place.real),
        workers: cx.shared.workers,
        threads: cx.shared.threads.clone(),
        stop: Stop::new(cx.cancel.child_token(), cx.deadline),
        has_links: Arc::default(),
        progress: Box::new(progress(&cx.progress)),
    })
}

/// Like [`Search::links_not_searched`], for the links that a walk visits. Ignored links out of the roots do not count,
/// because environments of Python have them.
pub(super) fn links_of(
    cx: &Context,
    place: &OpenedPath,
    ignored: Ignored,
    first: FileKind,
    counts: &impl Fn(&[u8], FileKind, bool) -> bool,
) -> Option<Notice> {
    let only_ignored = ignored == Ignored::Only;
    let query = NameQuery { only_links: true, ..NameQuery::default() };
    let most = only_ignored.then_some(IGNORED_CHECK);
    let (links, _) = first_paths(walk(cx, place, ignored).ok()?, query, most, LINKS);
    let (mut folders, mut files, mut outside) = (Names::default(), Names::default(), Names::default());
    let may_count =
        |path: &&Vec<u8>| counts(path, FileKind::Folder, true) || counts(path, FileKind::File, true);
    for path in links.iter().filter(may_count) {
        // A path through long links takes milliseconds.
        if cx.stop().check().is_err() {
            break;
        }
        let names = match OpenedPath::open(&cx.workspace, &place.join(path)) {
            Ok(target) if !place.real.starts_with(&target.real) => match target.stat.kind {
                kind if !counts(path, kind, !target.real.starts_with(&place.real)) => continue,
                FileKind::Folder => &mut folders,
                _ => &mut files,
            },
            // What it leads to is not checked.
            Err(OpenError::Outside) if !only_ignored => &mut outside,
            _ => continue,
        };
        names.push(&cx.workspace.show_below(&place.asked, path));
    }
    let files = files.reported_as(Notice::LinkedFilesNotSearched);
    let folders = folders.reported_as(Notice::LinksNotSearched);
    if first == FileKind::File { files.or(folders) } else { folders.or(files) }
        .or_else(|| outside.reported_as(Notice::LinksOutside))
}

/// Returns true if a search for names finds an entry, or `None` if it stops before that, because it has read `most` or at
/// its deadline.
pub(super) fn finds_any(walk: Walk, query: NameQuery, most: Option<Searched>) -> Option<bool> {
    let (found, is_complete) = first_paths(walk, query, most, 1);
    (is_complete || !found.is_empty()).then_some(!found.is_empty())
}

/// Returns the first `limit` paths that a search for names finds, and false if it stops before it finds them, because it
/// has read `most` or at its deadline.
fn first_paths(walk: Walk, query: NameQuery, most: Option<Searched>, limit: usize) -> (Vec<Vec<u8>>, bool) {
    let (mut paths, mut counting) = (Vec::new(), Counting { most, ..Counting::default() });
    names::search_tree(walk, query, |walked| {
        match walked {
            Walked::Found(found) => paths.push(found.path),
            Walked::Searched(searched) => counting.record(searched)?,
            Walked::Late { .. } => counting.is_at_least = true,
            _ => {}
        }
        let is_done = paths.len() >= limit || counting.is_at_least;
        if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (paths, !counting.is_at_least)
}

/// Counts the entries that a walk has listed, and reports their number now and then.
fn progress(progress: &Progress) -> impl Fn(usize) + Send + Sync + use<> {
    let (progress, state) = (progress.clone(), Mutex::new((0, Instant::now() + FIRST_PROGRESS_AFTER)));
    move |more| {
        if !progress.is_wanted() {
            return;
        }
        let Ok(mut state) = state.lock() else { return };
        let ((listed, due), now) = (&mut *state, Instant::now());
        *listed += more;
        if now >= *due {
            *due = now + PROGRESS_INTERVAL;
            progress.report(format!("{listed} entries listed"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
