//! The search of `find`: entries of a tree by name.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::globs::{Glob, any_or_none, components};
use super::relevance::NameScorer;
use super::walk::{Emit, Entry, TreeSearch, Visit, Walk, Walked};
use crate::stop::Stop;
use crate::sys::FileKind;

/// The parameters of a search for names, by default for all entries.
#[derive(Debug, Default)]
pub struct Query {
    /// Entries must match one of these globs. Empty for all entries.
    pub globs: Vec<Glob>,
    /// Negated globs. An entry that one of them excludes is omitted, with everything below it.
    pub exclude: Vec<Glob>,
    /// Maximum number of components of a path.
    pub max_depth: Option<usize>,
    /// The kind of entries to return.
    pub kind: Kind,
    /// The sort key.
    pub key: Key,
}

/// The sort key of entries.
#[derive(Debug, Default)]
pub enum Key {
    /// The path.
    #[default]
    Path,
    /// The modification time.
    Modified,
    /// The score for these words. Entries without a score are omitted.
    Relevance(String),
}

/// The kind of entries to return: regular files and links, folders, or all entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "a documented variant would not be a plain enum in the schema")]
pub enum Kind {
    File,
    Dir,
    #[default]
    Any,
}

/// A found entry.
#[derive(Debug)]
pub struct Found {
    /// The path, relative to the root of the walk. The path of a folder ends with `/`.
    pub path: Vec<u8>,
    /// The modification time in nanoseconds since 1970, or the score. 0 if entries are sorted by path.
    pub key: i128,
}

/// Creates the search of a tree, without starting it. It passes entries to `sink` in path order until `sink` breaks.
pub fn tree(
    walk: Walk,
    query: Query,
    sink: impl FnMut(Walked<Found>) -> ControlFlow<()> + Send + 'static,
) -> Arc<dyn TreeSearch> {
    let query = Arc::new(query);
    let visitor = move || {
        let scorer = match &query.key {
            Key::Relevance(words) => Some(NameScorer::new(words)),
            Key::Path | Key::Modified => None,
        };
        NameVisitor { query: Arc::clone(&query), scorer }
    };
    walk.into_search(visitor, sink)
}

/// The visitor: returns the entries that match the query.
struct NameVisitor {
    query: Arc<Query>,
    scorer: Option<NameScorer>,
}

impl Visit for NameVisitor {
    type Found = Found;

    fn wants(&self, path: &[u8], kind: FileKind) -> bool {
        let is_of_kind = match self.query.kind {
            Kind::File => matches!(kind, FileKind::File | FileKind::Link),
            Kind::Dir => kind == FileKind::Folder,
            Kind::Any => true,
        };
        let is_folder = kind == FileKind::Folder;
        is_of_kind
            && any_or_none(&self.query.globs, |glob| glob.selects(path, is_folder))
            && self.query.exclude.iter().all(|glob| glob.selects(path, is_folder))
    }

    fn enters(&self, path: &[u8]) -> bool {
        self.query.max_depth.is_none_or(|depth| components(path) < depth)
            && any_or_none(&self.query.globs, |glob| glob.selects_below(path))
            && self.query.exclude.iter().all(|glob| glob.selects(path, true))
    }

    fn visit(
        &mut self,
        entry: &mut Entry<'_, '_>,
        stop: &Stop,
        emit: &mut Emit<'_, Found>,
    ) -> io::Result<()> {
        let mut path = entry.path();
        if entry.kind() == FileKind::Folder {
            path.push(b'/');
        }
        let key = match &self.scorer {
            Some(scorer) => match scorer.score(&path) {
                Some(score) => score.into(),
                None => return Ok(()),
            },
            // An entry that no longer exists is sorted as the oldest.
            None if matches!(self.query.key, Key::Modified) => {
                stop.check()?;
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
