//! The search of `find`: entries of a tree by name.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;

use super::globs::{Glob, any_or_none, components, none_excludes};
use super::relevance::NameScorer;
use super::walk::{Emit, Entry, Visit, Walk, Walked};
use crate::stop::Stop;
use crate::sys::FileKind;

/// The parameters of a search for names, by default for all entries.
#[derive(Debug, Clone, Default)]
pub struct NameQuery {
    /// Entries must match one of these globs. Empty for all entries.
    pub globs: Vec<Glob>,
    /// Negated globs. An entry that one of them excludes is omitted, with everything below it.
    pub exclude: Vec<Glob>,
    /// Maximum number of components of a path.
    pub max_depth: Option<usize>,
    /// The kind of entries to return.
    pub kind: EntryKind,
    /// True to return only links: those that the walk would enter if they were folders. `kind` then has no effect.
    pub only_links: bool,
    /// True to omit links.
    pub no_links: bool,
    /// The sort key that each entry gets.
    pub key: Key,
    /// Set once a folder matches while only files are returned, or a link while only folders are.
    pub other_matches: Arc<AtomicBool>,
}

/// The sort key of entries. The caller sorts them.
#[derive(Debug, Clone, Default)]
pub enum Key {
    /// The path.
    #[default]
    Path,
    /// The modification time.
    Modified,
    /// The score. Entries without a score are omitted.
    Relevance(NameScorer),
}

/// The kind of entries to return: regular files and links, folders, or all entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "a documented variant would not be a plain enum in the schema")]
pub enum EntryKind {
    File,
    Dir,
    #[default]
    Any,
}

/// A found entry.
#[derive(Debug)]
pub struct FoundEntry {
    /// The path, relative to the root of the walk. The path of a folder ends with `/`.
    pub path: Vec<u8>,
    /// The value of the sort key: the modification time in nanoseconds since 1970, or the score. 0 if entries are
    /// sorted by path.
    pub key: i128,
}

/// Searches a tree. Passes entries to `sink` in path order, whatever the sort key, until it breaks.
pub fn search_tree(walk: Walk, query: NameQuery, sink: impl FnMut(Walked<FoundEntry>) -> ControlFlow<()>) {
    walk.run(move || query.clone(), sink);
}

impl NameQuery {
    /// Returns true if an entry below a folder can match.
    pub fn can_match_below(&self, folder: &[u8]) -> bool {
        self.max_depth.is_none_or(|depth| components(folder) < depth)
            && any_or_none(&self.globs, |glob| glob.can_select_below(folder))
            && none_excludes(&self.exclude, folder, true)
    }

    /// Returns true if entries of this kind are returned.
    fn is_of_kind(&self, kind: FileKind) -> bool {
        match self.kind {
            _ if kind == FileKind::Link && self.no_links => false,
            EntryKind::File => matches!(kind, FileKind::File | FileKind::Link),
            EntryKind::Dir => kind == FileKind::Folder,
            EntryKind::Any => true,
        }
    }
}

/// Returns the entries that match the query.
impl Visit for NameQuery {
    type Result = FoundEntry;

    fn wants(&self, path: &[u8], kind: FileKind) -> bool {
        if self.only_links {
            return kind == FileKind::Link && self.enters(path);
        }
        let is_folder = kind == FileKind::Folder;
        let is_other = match self.kind {
            EntryKind::File => is_folder,
            EntryKind::Dir => kind == FileKind::Link,
            EntryKind::Any => false,
        };
        let is_wanted = self.is_of_kind(kind) || is_other && !self.other_matches.load(Ordering::Relaxed);
        is_wanted
            && any_or_none(&self.globs, |glob| glob.selects(path, is_folder))
            && none_excludes(&self.exclude, path, is_folder)
    }

    fn enters(&self, path: &[u8]) -> bool {
        self.can_match_below(path)
    }

    fn visit(
        &mut self,
        entry: &mut Entry<'_, '_>,
        stop: &Stop,
        emit: &mut Emit<'_, FoundEntry>,
    ) -> io::Result<u64> {
        if !self.only_links && !self.is_of_kind(entry.kind()) {
            self.other_matches.store(true, Ordering::Relaxed);
            return Ok(0);
        }
        let mut path = entry.path();
        if entry.kind() == FileKind::Folder {
            path.push(b'/');
        }
        let key = match &self.key {
            Key::Path => 0,
            Key::Relevance(scorer) => match scorer.score(&path) {
                Some(score) => score.into(),
                None => return Ok(0),
            },
            Key::Modified => {
                stop.check()?;
                // An entry that no longer exists is sorted as the oldest.
                entry.stat().map_or(i128::MIN, |stat| stat.modified)
            }
        };
        let _either = emit(FoundEntry { path, key }); // nothing follows
        Ok(0)
    }

    fn weight(found: &FoundEntry) -> usize {
        found.path.len()
    }
}
