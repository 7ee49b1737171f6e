//! The number of lines of a file and the offsets at which they begin: counted once, remembered
//! while the file is the same.
//!
//! An index is sparse: for each block of the file it holds the number of newlines before it, so
//! that any line is found by reading one block, and a line that fills many blocks is skipped
//! without reading them. It is remembered for a large file only, under all that the system says of
//! the file ([`Stat`]), and not while the file is so new that it could change again
//! without changing that. A write through a shared mapping may change content without changing
//! times: so a block that a line is looked for in has to hold as many newlines as were counted, or
//! the index is of no use any more. Such a write to an earlier block is not seen.

#![expect(clippy::indexing_slicing, reason = "a wrong range of bytes has to fail, not to read as no text")]

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use tokio_util::sync::CancellationToken;

use super::lines::{BLOCK_BYTES, TextFile};
use crate::sys::{self, Stat};
use cutline_core::text::as_index;

/// Files that are remembered: with [`MAX_BLOCKS`], a megabyte in all.
const REMEMBERED: usize = 32;
/// Blocks in an index: a larger file has larger blocks.
const MAX_BLOCKS: u64 = 4096;
/// Bytes from which a file's index is remembered: a smaller file is counted in about a millisecond.
const MIN_REMEMBERED_BYTES: u64 = 8_000_000;
/// Bytes from which a file is counted in several threads: starting them takes as long as counting less.
const MIN_PARALLEL_BYTES: u64 = 8_000_000;
/// Nanoseconds since its last change before a file is remembered: coarser than any clock of a file system.
const SETTLED_NANOS: i128 = 2_000_000_000;

/// True if another change of the file would change its times.
fn is_old_enough_to_cache(stat: &Stat) -> bool {
    let now = sys::nanos(SystemTime::now());
    now - stat.modified >= SETTLED_NANOS && now - stat.changed >= SETTLED_NANOS
}

/// The lines of one file.
#[derive(Debug, PartialEq, Eq)]
pub struct LineIndex {
    /// Lines in all.
    pub lines: u64,
    block_bytes: u64,
    /// For each block, the newlines before it; then their number in all.
    newlines_before: Vec<u64>,
}

impl LineIndex {
    /// Counts the lines of `text` in up to `workers` threads.
    pub fn count(text: &TextFile<'_>, workers: usize, cancel: &CancellationToken) -> io::Result<Self> {
        let bytes = text.end.saturating_sub(text.start);
        let block_bytes = bytes.div_ceil(MAX_BLOCKS).max(1).next_multiple_of(BLOCK_BYTES as u64);
        let blocks = bytes.div_ceil(block_bytes);
        let counts: Vec<AtomicU64> = (0..blocks).map(|_| AtomicU64::new(0)).collect();
        let next = AtomicU64::new(0);
        let work = || {
            let mut buffer = text.buffer(BLOCK_BYTES);
            loop {
                let block = next.fetch_add(1, Ordering::Relaxed);
                let Some(count) = counts.get(as_index(block)) else { return io::Result::Ok(()) };
                let part = block_of(text, block, block_bytes);
                part.blocks(part.start, &mut buffer, cancel, |_, piece| {
                    count.fetch_add(text.encoding.newlines(piece), Ordering::Relaxed);
                    ControlFlow::Continue(())
                })?;
            }
        };
        let others = if bytes < MIN_PARALLEL_BYTES { 0 } else { workers.saturating_sub(1) };
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..others)
                // Where there is no thread to be had, those that there are do all the work.
                .map_while(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok())
                .collect();
            let mine = work();
            let theirs = handles.into_iter().map(|handle| handle.join().unwrap_or(Ok(())));
            theirs.fold(mine, Result::and)
        })?;
        let (mut newlines_before, mut newlines) = (vec![0], 0);
        newlines_before.extend(counts.into_iter().map(|count| {
            newlines += count.into_inner();
            newlines
        }));
        let open_line = bytes > 0 && !text.ends_with_newline()?;
        Ok(Self { lines: newlines + u64::from(open_line), block_bytes, newlines_before })
    }

    /// Returns the offset at which `line` (from 1) begins; `None` if that is not to be found where
    /// it was counted, because the file has changed since.
    pub fn start_of(
        &self,
        text: &TextFile<'_>,
        line: u64,
        cancel: &CancellationToken,
    ) -> io::Result<Option<u64>> {
        let newline = line.saturating_sub(1);
        if newline == 0 {
            return Ok(Some(text.start));
        }
        // The last block with fewer newlines before it holds the one that this line follows.
        let block = self.newlines_before.partition_point(|before| *before < newline) - 1;
        let Some(&[before, after]) = self.newlines_before[block..].first_chunk() else { return Ok(None) };
        let (mut seen, mut found) = (before, None);
        let part = block_of(text, block as u64, self.block_bytes);
        part.blocks(part.start, &mut part.buffer(BLOCK_BYTES), cancel, |at, piece| {
            let end = found.is_none().then(|| text.encoding.nth_newline(piece, newline - seen)).flatten();
            if let Some(end) = end {
                (found, seen) = (Some(at + end as u64), newline);
            }
            seen += text.encoding.newlines(&piece[end.unwrap_or(0)..]);
            ControlFlow::Continue(())
        })?;
        Ok(found.filter(|_| seen == after))
    }
}

/// Returns the part of `text` that is its block of that number.
fn block_of<'a>(text: &TextFile<'a>, number: u64, block_bytes: u64) -> TextFile<'a> {
    let start = text.start + number * block_bytes;
    TextFile { start, end: (start + block_bytes).min(text.end), ..*text }
}

/// The indexes of the large files that were counted last; at most a megabyte in all.
#[derive(Debug, Default)]
pub struct Cache(Mutex<VecDeque<(Stat, Arc<LineIndex>)>>);

impl Cache {
    /// Counts the lines of `text`, a file of which the system says `stat`, and remembers the index in place of an
    /// earlier one of that file.
    pub fn count(
        &self,
        stat: Stat,
        text: &TextFile<'_>,
        workers: usize,
        cancel: &CancellationToken,
    ) -> io::Result<Arc<LineIndex>> {
        let index = Arc::new(LineIndex::count(text, workers, cancel)?);
        if stat.bytes >= MIN_REMEMBERED_BYTES && is_old_enough_to_cache(&stat) {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|(other, _)| other.id != stat.id);
            kept.truncate(REMEMBERED - 1);
            kept.push_front((stat, Arc::clone(&index)));
        }
        Ok(index)
    }

    /// Returns the index that is remembered of a file of which the system says the same as then.
    pub fn get(&self, stat: Stat) -> Option<Arc<LineIndex>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(other, _)| *other == stat).map(|(_, index)| Arc::clone(index))
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Bytes;
    use super::*;
    use crate::sys::FileKind;
    use cutline_core::text::decode::Encoding;
    use proptest::prelude::*;
    use std::io::Write;

    fn text(bytes: &[u8]) -> TextFile<'_> {
        TextFile { bytes: Bytes::Held(bytes), encoding: Encoding::Utf8, start: 0, end: bytes.len() as u64 }
    }

    proptest! {
        #[test]
        fn lines_begin_after_newlines(body in "[ab\n]{0,60}") {
            let cancel = CancellationToken::new();
            let utf16: Vec<u8> = body.encode_utf16().flat_map(u16::to_be_bytes).collect();
            let wide = TextFile { encoding: Encoding::Utf16Be, ..text(&utf16) };
            let starts: Vec<usize> = body.split_inclusive('\n').scan(0, |at, line| {
                let start = *at;
                *at += line.len();
                Some(start)
            }).collect();
            for (text, unit) in [(text(body.as_bytes()), 1), (wide, 2)] {
                let index = LineIndex::count(&text, 2, &cancel).unwrap();
                prop_assert_eq!(index.lines, starts.len() as u64);
                for (n, start) in starts.iter().enumerate() {
                    let found = index.start_of(&text, n as u64 + 1, &cancel).unwrap();
                    prop_assert_eq!(found, Some((start * unit) as u64));
                }
            }
        }
    }

    /// As by a write through a shared mapping: the content changes, the stat does not.
    #[test]
    #[cfg(unix)]
    fn remembered_block_with_another_count_of_newlines_serves_no_line() {
        let file = tempfile::tempfile().unwrap();
        let content = b"0123456\n".repeat(1_100_000);
        std::os::unix::fs::FileExt::write_all_at(&file, &content, 0).unwrap();
        let end = content.len() as u64;
        let text = TextFile { bytes: Bytes::Open(&file), encoding: Encoding::Utf8, start: 0, end };
        let (kind, owner, is_private, links) = (FileKind::File, 0, false, 1);
        let stat = Stat { kind, bytes: end, id: (1, 1), modified: 0, changed: 0, owner, is_private, links };
        let (cache, cancel) = (Cache::default(), CancellationToken::new());
        cache.count(stat, &text, 2, &cancel).unwrap();
        let remembered = cache.get(stat).unwrap();
        assert_eq!(remembered.start_of(&text, 500_001, &cancel).unwrap(), Some(4_000_000));
        // In the same block, once after that line and once before it.
        for at in [4_000_003, 3_999_003] {
            std::os::unix::fs::FileExt::write_all_at(&file, b"\n", at).unwrap();
            assert_eq!(remembered.start_of(&text, 500_001, &cancel).unwrap(), None, "{at}");
        }
        assert_eq!(remembered.start_of(&text, 1, &cancel).unwrap(), Some(0));
        let again = cache.count(stat, &text, 2, &cancel).unwrap();
        assert_eq!(again.start_of(&text, 500_001, &cancel).unwrap(), Some(3_999_992));
        assert_eq!(cache.get(stat), Some(again));
    }

    #[test]
    fn many_blocks_in_several_threads() {
        let mut file = tempfile::tempfile().unwrap();
        let line = [b"x".repeat(99), b"\n".to_vec()].concat();
        for _ in 0..120_000 {
            file.write_all(&line).unwrap();
        }
        let end = 12_000_000;
        let text = TextFile { bytes: Bytes::Open(&file), encoding: Encoding::Utf8, start: 0, end };
        let cancel = CancellationToken::new();
        let index = LineIndex::count(&text, 4, &cancel).unwrap();
        assert_eq!(index.lines, 120_000);
        for line in [1, 2, 2622, 2623, 60_000, 120_000] {
            assert_eq!(index.start_of(&text, line, &cancel).unwrap(), Some((line - 1) * 100), "{line}");
        }
        cancel.cancel();
        assert!(LineIndex::count(&text, 4, &cancel).is_err());
    }
}
