//! grep's search: what the files of a tree hold, or one file.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::content::{
    FileRanking, OutputMode, PassedOver, Query, RankedLine, Rows, Searched, Searcher, Target,
};
use super::globs::Glob;
use super::walk::{Emit, Entry, ProgressUnit, Stop, Visit, Walk, Walked};
use crate::sys::FileKind;

/// A search of the files that a walk comes by.
struct Files<'a> {
    query: &'a Query,
    glob: Option<&'a Glob>,
    stop: &'a Stop,
}

/// Something found, or not. Paths are relative to where the walk began.
#[derive(Debug)]
pub enum Found {
    /// Rows of a file.
    Rows(Arc<[u8]>, Rows),
    /// A file that has so many match lines (any number above 0, where they are not counted).
    File(Vec<u8>, u64),
    /// A file that has so many match lines, and the most relevant of them with their scores.
    Ranked(Arc<[u8]>, u64, Vec<(i32, RankedLine)>),
    /// A file that was not searched in full, and why.
    PassedOver(Vec<u8>, PassedOver),
}

/// Searches the files of a tree that `glob` lets through; gives what is found to `sink`, in path order,
/// until that breaks.
pub fn tree(
    walk: &Walk,
    query: &Query,
    glob: Option<&Glob>,
    sink: impl FnMut(Walked<Found>) -> ControlFlow<()> + Send,
) {
    walk.run(&Files { query, glob, stop: &walk.stop }, sink);
}

/// Searches one file, of `size` bytes when it was opened; its path is the empty one.
pub fn file(
    query: &Query,
    file: File,
    size: u64,
    stop: &Stop,
    mut sink: impl FnMut(Walked<Found>) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut emit = |found| {
        let flow = sink(Walked::Found(found));
        if flow.is_break() {
            stop.stop();
        }
        flow
    };
    search(&mut Searcher::new(query), query, file, size, stop, &Vec::new, &mut emit).map(|_| ())
}

/// State of one worker.
struct Worker {
    searcher: Searcher,
    /// Match lines in this run of files.
    matches: u64,
}

impl Visit for Files<'_> {
    type Found = Found;
    type Worker = Worker;
    const PROGRESS_UNIT: ProgressUnit = ProgressUnit::Visits;

    fn worker(&self) -> Worker {
        Worker { searcher: Searcher::new(self.query), matches: 0 }
    }

    fn wants(&self, path: &[u8], kind: FileKind) -> bool {
        kind == FileKind::File && self.glob.is_none_or(|glob| glob.lets_through(path))
    }

    fn enters(&self, path: &[u8]) -> bool {
        self.glob.is_none_or(|glob| glob.reaches_into(path))
    }

    fn begin(&self, worker: &mut Worker) {
        worker.matches = 0;
    }

    fn visit(
        &self,
        worker: &mut Worker,
        entry: &mut Entry<'_, '_>,
        emit: &mut Emit<'_, Found>,
    ) -> io::Result<()> {
        // The sink stops within what this run has given already.
        let lines = matches!(self.query.what, OutputMode::Lines { .. });
        if lines && worker.matches >= self.query.enough {
            return Ok(());
        }
        let Some((file, stat)) = entry.open()? else { return Ok(()) };
        let path = || entry.path();
        let searched = search(&mut worker.searcher, self.query, file, stat.bytes, self.stop, &path, emit)?;
        worker.matches += searched.matches;
        Ok(())
    }

    fn weight(&self, found: &Found) -> usize {
        match found {
            Found::Rows(path, rows) => path.len() + rows.weight(),
            Found::Ranked(path, _, lines) => {
                path.len() + lines.iter().map(|(_, line)| line.weight()).sum::<usize>()
            }
            Found::File(path, _) | Found::PassedOver(path, _) => path.len(),
        }
    }
}

fn search(
    searcher: &mut Searcher,
    query: &Query,
    file: File,
    size: u64,
    stop: &Stop,
    path: &dyn Fn() -> Vec<u8>,
    emit: &mut Emit<'_, Found>,
) -> io::Result<Searched> {
    let mut flow = ControlFlow::Continue(());
    let done = if let Some(ranking) = &query.ranking {
        let ranking = RefCell::new(FileRanking::new(ranking, query.context(), path));
        let done = searcher.search(file, size, stop, Target::Ranking(&ranking))?;
        if done.matches > 0 {
            let lines = ranking.into_inner().finish(done.matches);
            flow = emit(Found::Ranked(path().into(), done.matches, lines));
        }
        done
    } else {
        let mut shared: Option<Arc<[u8]>> = None;
        let mut emit_rows = |rows| {
            if flow.is_continue() {
                let path = shared.get_or_insert_with(|| path().into());
                flow = emit(Found::Rows(Arc::clone(path), rows));
            }
            flow
        };
        let done = searcher.search(file, size, stop, Target::Rows(&mut emit_rows))?;
        if flow.is_continue() && done.matches > 0 && !matches!(query.what, OutputMode::Lines { .. }) {
            flow = emit(Found::File(path(), done.matches));
        }
        done
    };
    if let (Some(reason), ControlFlow::Continue(())) = (done.passed_over, flow) {
        let _either = emit(Found::PassedOver(path(), reason)); // nothing follows
    }
    Ok(done)
}
