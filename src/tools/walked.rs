//! What grep and find share of a walk: how its paths are shown, and news of a long one.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::text::show;
use crate::workspace::Workspace;

use super::Progress;

/// How long a walk may last before there is news of it.
const SILENT: Duration = Duration::from_secs(1);
/// How long after that there is news again.
const APART: Duration = Duration::from_millis(500);

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
        match (self.prefix.as_str(), below.is_empty()) {
            ("", true) => ".".to_owned(),
            (prefix, true) => prefix.strip_suffix('/').unwrap_or(prefix).to_owned(),
            (prefix, false) => [prefix, &below].concat(),
        }
    }
}

/// Tells now and then how many entries a walk has visited.
pub(super) fn news(progress: &Progress) -> impl Fn(u64) + Sync + use<> {
    let due = Mutex::new(Instant::now() + SILENT);
    let progress = progress.clone();
    move |visited| {
        if !progress.is_wanted() {
            return;
        }
        let Ok(mut due) = due.try_lock() else { return };
        let now = Instant::now();
        if now >= *due {
            *due = now + APART;
            progress.report(format!("{visited} files searched"));
        }
    }
}
