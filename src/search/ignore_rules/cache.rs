//! Compiled rules by what their file says: the same rules stand in many folders, and in every call.
//!
//! Compiling takes far longer than reading. Rules are compiled without a place, and matched against
//! paths relative to their folder, so that one compilation serves them all.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::search::globs::is_bounded;

/// Bytes of the files whose rules are kept; when there are more, all are let go. Compiled they take
/// some hundred times as much.
const KEPT_BYTES: usize = 64 * 1024;

/// The rules that are kept, and the bytes of the files that said them.
#[derive(Default)]
struct Compiled {
    rules: HashMap<Box<[u8]>, Option<Arc<Gitignore>>>,
    bytes: usize,
}

static CACHE: LazyLock<Mutex<Compiled>> = LazyLock::new(Mutex::default);

/// The rules that `content` says; `None` where it says none.
pub(super) fn compiled(content: &[u8]) -> Option<Arc<Gitignore>> {
    if content.len() > KEPT_BYTES {
        return compile(content);
    }
    let known = lock().rules.get(content).cloned();
    known.unwrap_or_else(|| {
        let rules = compile(content);
        let mut cache = lock();
        if cache.bytes + content.len() > KEPT_BYTES {
            *cache = Compiled::default();
        }
        cache.bytes += content.len();
        cache.rules.insert(content.into(), rules.clone());
        rules
    })
}

fn lock() -> std::sync::MutexGuard<'static, Compiled> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A line that is no glob, or too large for one, is passed over, as git does; the others count.
fn compile(content: &[u8]) -> Option<Arc<Gitignore>> {
    let text = String::from_utf8_lossy(content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content));
    let lines: Vec<&str> = text.lines().filter(|line| is_bounded(line)).collect();
    // One line that fails only where all are put together would take the others with it.
    let alone = |line: &&str| build(&[*line]).is_some();
    let rules = build(&lines).or_else(|| build(&lines.iter().copied().filter(alone).collect::<Vec<_>>()));
    rules.filter(|rules| !rules.is_empty()).map(Arc::new)
}

fn build(lines: &[&str]) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(".");
    for line in lines {
        let _not_a_glob = builder.add_line(None, line);
    }
    builder.build().ok()
}
