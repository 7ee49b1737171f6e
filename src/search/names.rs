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
    /// The glob that they match; `None` for all names.
    pub glob: Option<Glob>,
    /// Negated globs: an entry that one of them does not match is omitted, with everything below it.
    pub exclude: Vec<Glob>,
    /// The number of components of a path at most.
    pub max_depth: Option<usize>,
    /// The kind of the entries.
    pub kind: Kind,
    /// The sort key of the entries.
    pub key: Key,
}

/// The sort key of entries.
#[derive(Debug)]
pub enum Key {
    /// Their path.
    Path,
    /// The time at which they were modified.
    Modified,
    /// The score for these words. Entries without a score are omitted.
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

/// A requested entry.
#[derive(Debug)]
pub struct Found {
    /// Its path, relative to the start of the walk. The path of a folder ends with `/`.
    pub path: Vec<u8>,
    /// Its modification time in nanoseconds since 1970, or its score. 0 if entries are sorted by path.
    pub key: i128,
}

/// Returns the search of a tree. It passes entries to `sink` in path order until `sink` returns a break.
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
        let is_folder = kind == FileKind::Folder;
        is_of_kind
            && self.query.glob.as_ref().is_none_or(|glob| glob.names(path, is_folder))
            && self.query.exclude.iter().all(|glob| glob.names(path, is_folder))
    }

    fn enters(&self, path: &[u8]) -> bool {
        self.query.max_depth.is_none_or(|depth| components(path) < depth)
            && self.query.glob.as_ref().is_none_or(|glob| glob.names_below(path))
            && self.query.exclude.iter().all(|glob| glob.names(path, true))
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

/// Returns the number of components of a path.
fn components(path: &[u8]) -> usize {
    memchr::memchr_iter(b'/', path).count() + 1
}
