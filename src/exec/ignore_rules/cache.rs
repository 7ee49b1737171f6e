//! Compiled rules by what their file says: the same rules stand in many folders, and in every call.
//!
//! Compiling takes far longer than reading. Rules are compiled without a place, and matched against
//! paths relative to their folder, so that one compilation serves them all.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// How many are kept; when there are more, all are let go.
const KEPT: usize = 256;
/// Bytes of a file whose rules are kept.
const KEPT_BYTES: usize = 64 * 1024;

type Compiled = HashMap<Box<[u8]>, Option<Arc<Gitignore>>>;

static CACHE: LazyLock<Mutex<Compiled>> = LazyLock::new(Mutex::default);

/// The rules that `content` says; `None` where it says none.
pub(super) fn compiled(content: &[u8]) -> Option<Arc<Gitignore>> {
    if content.len() > KEPT_BYTES {
        return compile(content);
    }
    let known = lock().get(content).cloned();
    known.unwrap_or_else(|| {
        let rules = compile(content);
        let mut cache = lock();
        if cache.len() >= KEPT {
            cache.clear();
        }
        cache.insert(content.into(), rules.clone());
        rules
    })
}

fn lock() -> std::sync::MutexGuard<'static, Compiled> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A line that is no glob is passed over, as git does; the others count.
fn compile(content: &[u8]) -> Option<Arc<Gitignore>> {
    let text = String::from_utf8_lossy(content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content));
    let mut builder = GitignoreBuilder::new(".");
    for line in text.lines() {
        let _not_a_glob = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty()).map(Arc::new)
}
