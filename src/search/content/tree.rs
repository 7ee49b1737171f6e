//! The search of `grep`: in the contents of the files of a tree, or of one file.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;

use super::{FileSearcher, Found, Query, Row};
use crate::search::file_filter::FileFilter;
use crate::search::walk::{Emit, Entry, Visit, Walk, Walked};
use crate::stop::Stop;
use crate::sys::FileKind;

/// The visitor: searches the content of each file.
struct ContentVisitor {
    searcher: FileSearcher,
    filter: FileFilter,
}

/// Searches the files of a tree that pass `filter`. Passes results to `sink` in path order, until it breaks.
pub fn search_tree(
    walk: Walk,
    query: Query,
    filter: FileFilter,
    sink: impl FnMut(Walked<Found>) -> ControlFlow<()>,
) {
    let visitor = move || ContentVisitor { searcher: FileSearcher::new(&query), filter: filter.clone() };
    walk.run(visitor, sink);
}

/// Searches one file without a walk. `size` is its size in bytes when it was opened. The path in the results is empty.
///
/// # Errors
///
/// Returns the errors of [`FileSearcher::search`].
pub fn search_file(
    query: &Query,
    file: &File,
    size: u64,
    stop: &Stop,
    mut sink: impl FnMut(Walked<Found>) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut emit = |found| sink(Walked::Found(found));
    FileSearcher::new(query).search(file, size, stop, &Vec::new, &mut emit).map(drop)
}

impl Visit for ContentVisitor {
    type Result = Found;

    fn wants(&self, path: &[u8], kind: FileKind) -> bool {
        kind == FileKind::File && self.filter.selects(path)
    }

    fn enters(&self, path: &[u8]) -> bool {
        self.filter.enters(path)
    }

    fn visit(
        &mut self,
        entry: &mut Entry<'_, '_>,
        stop: &Stop,
        emit: &mut Emit<'_, Found>,
    ) -> io::Result<u64> {
        stop.check()?;
        let Some((file, stat)) = entry.open()? else { return Ok(0) };
        self.searcher.search(&file, stat.bytes, stop, &|| entry.path(), emit)
    }

    fn weight(found: &Found) -> usize {
        let of_row = |row: &Row| size_of::<Row>() + row.text.len();
        match found {
            Found::Row(path, row) => path.len() + row.text.len(),
            Found::Ranked(path, _, lines) => {
                path.len() + lines.iter().flat_map(|(_, rows)| rows).map(of_row).sum::<usize>()
            }
            Found::File(path, _) | Found::Incomplete(path, _) => path.len(),
        }
    }
}
