//! find's search: entries of a tree by their names.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::globs::Glob;
use super::relevance::NameScorer;
use super::walk::{Emit, Entry, TreeSearch, Visit, Walk, Walked};
use crate::stop::Stop;
use crate::sys::FileKind;

/// A search for names.
#[derive(Debug)]
pub struct Query {
    /// The glob that names them; `None` where all names will do.
    pub glob: Option<Glob>,
    /// The kind of the entries.
    pub kind: Kind,
    /// The key by which they are to be sorted.
    pub key: Key,
}

/// The key by which entries are to be sorted.
#[derive(Debug)]
pub enum Key {
    /// Their path.
    Path,
    /// The time at which they were modified.
    Modified,
    /// The score by these words; entries without one are left out.
    Relevance(String),
}

/// The kind of the entries that are searched for: regular files and links, folders, or all there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "a documented variant would not be a plain enum in the schema")]
pub enum Kind {
    File,
    Dir,
    Any,
}

/// An entry that is asked for.
#[derive(Debug)]
pub struct Found {
    /// Its path, relative to where the walk began; a folder's ends with `/`.
    pub path: Vec<u8>,
    /// When it was modified, in nanoseconds since 1970, or its score; 0 where it is not sorted by either.
    pub key: i128,
}

/// Returns the search of a tree. What is found goes to `sink`, in path order, until that breaks.
pub fn tree(
    walk: Walk,
    query: Query,
    sink: impl FnMut(Walked<Found>) -> ControlFlow<()> + Send + 'static,
) -> Arc<dyn TreeSearch> {
    let (query, stop) = (Arc::new(query), walk.stop.clone());
    let search = move || {
        let scorer = match &query.key {
            Key::Relevance(words) => Some(NameScorer::new(words)),
            Key::Path | Key::Modified => None,
        };
        Search { query: Arc::clone(&query), scorer, stop: stop.clone() }
    };
    walk.search(search, sink)
}

/// A search under way.
struct Search {
    query: Arc<Query>,
    scorer: Option<NameScorer>,
    stop: Stop,
}

impl Visit for Search {
    type Found = Found;
    const COUNTS_NAMES: bool = true;

    fn wants(&self, path: &[u8], kind: FileKind) -> bool {
        let is_of_kind = match self.query.kind {
            Kind::File => matches!(kind, FileKind::File | FileKind::Link),
            Kind::Dir => kind == FileKind::Folder,
            Kind::Any => true,
        };
        is_of_kind && self.query.glob.as_ref().is_none_or(|glob| glob.names(path, kind == FileKind::Folder))
    }

    fn enters(&self, path: &[u8]) -> bool {
        self.query.glob.as_ref().is_none_or(|glob| glob.names_below(path))
    }

    fn visit(&mut self, entry: &mut Entry<'_, '_>, emit: &mut Emit<'_, Found>) -> io::Result<()> {
        let mut path = entry.path();
        if entry.kind() == FileKind::Folder {
            path.push(b'/');
        }
        let key = match &mut self.scorer {
            Some(scorer) => match scorer.score(&path) {
                Some(score) => score.into(),
                None => return Ok(()),
            },
            // One that is gone by now is the oldest of all.
            None if matches!(self.query.key, Key::Modified) => {
                self.stop.check()?;
                entry.stat().map_or(i128::MIN, |stat| stat.modified)
            }
            None => 0,
        };
        let _either = emit(Found { path, key }); // nothing follows
        Ok(())
    }

    fn weight(found: &Found) -> usize {
        found.path.len()
    }
}
