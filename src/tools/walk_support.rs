//! What grep and find share: the walk, how its paths are shown, and news of a long one.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::fs::open::OpenedPath;
use crate::fs::workspace::Workspace;
use crate::search::ignore_rules::Rules;
use crate::search::walk::{Stop, Visit, Walk};
use cutline_core::text::{self, show};

use super::resolve::refused;
use super::{Context, Progress, ToolError};

/// How long a walk may last before there is news of it.
const FIRST_PROGRESS_AFTER: Duration = Duration::from_secs(1);
/// How long after that there is news again.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// How the paths of a walk are shown: as the workspace shows them.
#[derive(Debug)]
pub(super) struct Paths {
    prefix: String,
}

impl Paths {
    /// The paths below `folder`, a real place.
    pub(super) fn below(workspace: &Workspace, folder: &Path) -> Self {
        let prefix = match workspace.show(folder) {
            here if here == "." => String::new(),
            top if top.ends_with('/') => top,
            folder => folder + "/",
        };
        Self { prefix }
    }

    /// The one path of a file that is searched alone.
    pub(super) fn of_file(workspace: &Workspace, file: &Path) -> Self {
        Self { prefix: workspace.show(file) }
    }

    /// A path below the folder, as it is shown.
    pub(super) fn show(&self, path: &[u8]) -> String {
        let below = show::name(path);
        let shown = match (self.prefix.as_str(), below.is_empty()) {
            ("", true) => ".".to_owned(),
            (prefix, true) => prefix.strip_suffix('/').unwrap_or(prefix).to_owned(),
            (prefix, false) => [prefix, &below].concat(),
        };
        // A `~` at the start is a home, where it is handed to read.
        if shown.starts_with('~') { ["./", &shown].concat() } else { shown }
    }
}

/// Walks the folder at `place` but for what `rules` leave out; what `visit` finds goes to `take` in path
/// order, until that breaks. Whether the rules left anything out.
pub(super) fn walk<V: Visit>(
    cx: &Context,
    place: &OpenedPath,
    rules: &Rules,
    stop: &Stop,
    visit: &V,
    take: impl FnMut(V::Found) -> ControlFlow<()> + Send,
) -> Result<bool, ToolError> {
    let root = place.folder().map_err(|error| refused(cx, &place.real.to_string_lossy(), error))?;
    let news = news(&cx.progress);
    let workers = cx.shared.workers;
    Walk { root: &root, rules: rules.clone(), workers, stop, progress: &news }.run(visit, take);
    if stop.is_cancelled() {
        return Err(ToolError::Cancelled);
    }
    Ok(rules.ignored_any())
}

/// A path, or both its ends around `…` where it has more than `max_bytes` bytes.
pub(super) fn shortened(path: &str, max_bytes: u64) -> Cow<'_, str> {
    let max_bytes = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    if path.len() <= max_bytes {
        return Cow::Borrowed(path);
    }
    let kept = max_bytes.saturating_sub('…'.len_utf8());
    Cow::Owned([text::prefix(path, kept - kept / 2), "…", text::suffix(path, kept / 2)].concat())
}

/// Tells now and then how many entries a walk has visited.
fn news(progress: &Progress) -> impl Fn(u64) + Sync + use<> {
    let due = Mutex::new(Instant::now() + FIRST_PROGRESS_AFTER);
    let progress = progress.clone();
    move |visited| {
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
    use std::sync::Arc;

    #[test]
    fn paths_as_the_workspace_shows_them() {
        let root = Root::new("/data/repo", "/data/repo");
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
        assert_eq!(Paths::of_file(&workspace, Path::new("/data/repo/a.rs")).show(b""), "a.rs");
        for (folder, path, shown) in [
            ("/data/repo", "~/a", "./~/a"),
            ("/data/repo", "~", "./~"),
            ("/data/repo/~", "a", "./~/a"),
            ("/data/repo/b", "~", "b/~"),
            ("/~", "a", "/~/a"),
        ] {
            assert_eq!(Paths::below(&workspace, Path::new(folder)).show(path.as_bytes()), shown);
        }
        assert_eq!(Paths::of_file(&workspace, Path::new("/data/repo/~")).show(b""), "./~");
    }

    #[test]
    fn a_path_cut_to_bytes_keeps_both_ends() {
        assert_eq!(shortened("abcdefghij", 10), "abcdefghij");
        assert_eq!(shortened("abcdefghij", 9), "abc…hij");
        assert_eq!(shortened("éééééé", 9), "é…é");
        assert_eq!(shortened("abcdefghij", 2), "…");
    }

    #[test]
    fn news_of_long_walks_alone_and_not_too_often() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&heard);
        let news = news(&Progress::new(move |message| listener.lock().unwrap().push(message)));
        let start = Instant::now();
        let mut visited = 0;
        while start.elapsed() < Duration::from_millis(1300) {
            visited += 1;
            news(visited);
            if start.elapsed() < Duration::from_millis(900) {
                assert!(heard.lock().unwrap().is_empty());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let heard = heard.lock().unwrap();
        assert!(matches!(heard.as_slice(), [one] if one.ends_with(" files searched")), "{heard:?}");
    }
}
