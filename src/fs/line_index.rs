//! The number of lines of a file and the offsets of its lines. They are counted once, and cached while the file is
//! unchanged.
//!
//! An index is sparse: it has the number of newlines before each block of the file. Any line is found by reading one
//! block, and blocks inside a long line are not read. Only indexes of large files are cached. The key is the metadata
//! of the file ([`Stat`]). If a file is so new that it could change without changing its metadata, it is not cached. A
//! write through a shared mapping can change the content without changing times. A block must therefore have the
//! counted number of newlines when it is read; otherwise the index is discarded. Such a write to an earlier block is
//! not detected.

#![expect(clippy::indexing_slicing, reason = "a wrong range of bytes has to fail, not to read as no text")]

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::lines::{BLOCK_BYTES, Bytes, TextFile};
use crate::stop::{Stop, Stopped, stopped_by};
use crate::sys::{self, Stat};
use cutline_core::text::as_index;
use cutline_core::text::decode::Encoding;

/// Maximum number of cached indexes. With [`MAX_BLOCKS`], they take one megabyte.
const REMEMBERED: usize = 32;
/// Maximum number of blocks in an index. A larger file has larger blocks.
const MAX_BLOCKS: u64 = 4096;
/// Number of bytes that are read at a time to find a line in a block. A larger buffer costs more to clear than it
/// saves.
const PIECE_BYTES: usize = 64 * 1024;
/// Minimum size in bytes of a file that is counted by several threads, and whose index is cached. A smaller file is
/// counted in about a millisecond.
const LARGE_BYTES: u64 = 8_000_000;
/// Minimum age in nanoseconds of a file's last change for caching. It is coarser than the clock of any file system.
const SETTLED_NANOS: i128 = 2_000_000_000;

/// Returns true if the file is so old that another change would change its times.
pub(crate) fn is_old_enough_to_cache(stat: &Stat) -> bool {
    let now = sys::nanos(SystemTime::now());
    now - stat.modified >= SETTLED_NANOS && now - stat.changed >= SETTLED_NANOS
}

/// The lines of a file, or of its start if the deadline passed before all were counted.
#[derive(Debug, PartialEq, Eq)]
pub struct LineIndex {
    /// The number of lines in the counted part. A line that only starts there counts too.
    pub lines: u64,
    /// True if all lines were counted.
    pub is_complete: bool,
    /// The offset after the last counted byte.
    pub end: u64,
    /// The offset of the first byte of the text, after the byte order mark.
    start: u64,
    /// The encoding in which the lines were counted.
    encoding: Encoding,
    block_bytes: u64,
    /// The number of newlines before each block, followed by their total number.
    newlines_before: Vec<u64>,
}

/// The counted part of a block.
#[derive(Debug, Default)]
struct Counted {
    bytes: AtomicU64,
    newlines: AtomicU64,
}

impl LineIndex {
    /// Counts the lines of `text` with up to `workers` threads. Stops counting at the deadline.
    ///
    /// # Errors
    ///
    /// Returns [`Stopped::Cancelled`] after a cancellation, or the error of the system.
    pub fn count(text: &TextFile<'_>, workers: usize, stop: &Stop) -> io::Result<Self> {
        let bytes = text.end.saturating_sub(text.start);
        let block_bytes = bytes.div_ceil(MAX_BLOCKS).max(1).next_multiple_of(BLOCK_BYTES as u64);
        let blocks: Vec<Counted> = (0..bytes.div_ceil(block_bytes)).map(|_| Counted::default()).collect();
        let (next, is_late) = (AtomicU64::new(0), AtomicBool::new(false));
        let work = || {
            let mut buffer = text.buffer(BLOCK_BYTES);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(counted) = blocks.get(as_index(number)) else { return io::Result::Ok(()) };
                let part = block_of(text, number, block_bytes);
                let done = part.blocks(part.start, &mut buffer, stop, |_, piece| {
                    counted.newlines.fetch_add(text.encoding.newlines(piece), Ordering::Relaxed);
                    counted.bytes.fetch_add(piece.len() as u64, Ordering::Relaxed);
                    ControlFlow::Continue(())
                });
                if done.as_ref().is_err_and(|error| stopped_by(error) == Some(Stopped::Late)) {
                    is_late.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                done?;
            }
        };
        let others = if bytes < LARGE_BYTES { 0 } else { workers.saturating_sub(1) };
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..others)
                // If the system refuses to start a thread, the other threads do all the work.
                .map_while(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok())
                .collect();
            let mine = work();
            let theirs = handles.into_iter().map(|handle| handle.join().unwrap_or(Ok(())));
            theirs.fold(mine, Result::and)
        })?;
        let is_complete = !is_late.into_inner();
        let (mut newlines_before, mut newlines, mut end) = (vec![0], 0, text.end);
        for (number, counted) in (0..).zip(blocks) {
            newlines += counted.newlines.into_inner();
            newlines_before.push(newlines);
            let (part, bytes) = (block_of(text, number, block_bytes), counted.bytes.into_inner());
            if !is_complete && bytes < part.end - part.start {
                end = part.start + bytes;
                break;
            }
        }
        // In an incomplete part, a line follows the last newline.
        let open_line = !is_complete || bytes > 0 && !text.ends_with_newline()?;
        let lines = newlines + u64::from(open_line);
        let TextFile { start, encoding, .. } = *text;
        Ok(Self { lines, is_complete, end, start, encoding, block_bytes, newlines_before })
    }

    /// Returns the text of `file`, which has this index and `bytes` bytes.
    pub fn text_of<'a>(&self, file: &'a File, bytes: u64) -> TextFile<'a> {
        TextFile { bytes: Bytes::Open(file), encoding: self.encoding, start: self.start, end: bytes }
    }

    /// Returns the offset of `line` (from 1), or `None` if the file has changed since it was counted.
    pub fn start_of(&self, text: &TextFile<'_>, line: u64, stop: &Stop) -> io::Result<Option<u64>> {
        let newline = line.saturating_sub(1);
        if newline == 0 {
            return Ok(Some(text.start));
        }
        // The newline before this line is in the last block with fewer newlines before it.
        let block = self.newlines_before.partition_point(|before| *before < newline) - 1;
        let Some(&[before, after]) = self.newlines_before[block..].first_chunk() else { return Ok(None) };
        let (mut seen, mut found) = (before, None);
        let counted = TextFile { end: self.end.min(text.end), ..*text };
        let part = block_of(&counted, block as u64, self.block_bytes);
        part.blocks(part.start, &mut part.buffer(PIECE_BYTES), stop, |at, piece| {
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

/// Returns the block of `text` with this index.
fn block_of<'a>(text: &TextFile<'a>, number: u64, block_bytes: u64) -> TextFile<'a> {
    let start = text.start + number * block_bytes;
    TextFile { start, end: (start + block_bytes).min(text.end), ..*text }
}

/// The indexes of the last counted large files. They take at most one megabyte.
#[derive(Debug, Default)]
pub struct Cache(Mutex<VecDeque<(Stat, Arc<LineIndex>)>>);

impl Cache {
    /// Counts the lines of `text`, a file with the metadata `stat`. Caches the index, and replaces an older one of this
    /// file.
    ///
    /// # Errors
    ///
    /// As [`LineIndex::count`].
    pub fn count(
        &self,
        stat: Stat,
        text: &TextFile<'_>,
        workers: usize,
        stop: &Stop,
    ) -> io::Result<Arc<LineIndex>> {
        let index = Arc::new(LineIndex::count(text, workers, stop)?);
        if stat.bytes >= LARGE_BYTES && is_old_enough_to_cache(&stat) {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|(other, _)| other.id != stat.id);
            kept.truncate(REMEMBERED - 1);
            kept.push_front((stat, Arc::clone(&index)));
        }
        Ok(index)
    }

    /// Returns the cached index of a file with the same metadata.
    pub fn get(&self, stat: Stat) -> Option<Arc<LineIndex>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(other, _)| *other == stat).map(|(_, index)| Arc::clone(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stop::Deadline;
    use crate::sys::FileKind;
    use proptest::prelude::*;
    use std::io::Write;
    use std::time::{Duration, Instant};
    use tokio_util::sync::CancellationToken;

    fn text(bytes: &[u8]) -> TextFile<'_> {
        TextFile { bytes: Bytes::Held(bytes), encoding: Encoding::Utf8, start: 0, end: bytes.len() as u64 }
    }

    proptest! {
        #[test]
        fn lines_begin_after_newlines(body in "[ab\n]{0,60}") {
            let stop = Stop::default();
            let utf16: Vec<u8> = body.encode_utf16().flat_map(u16::to_be_bytes).collect();
            let wide = TextFile { encoding: Encoding::Utf16Be, ..text(&utf16) };
            let starts: Vec<usize> = body.split_inclusive('\n').scan(0, |at, line| {
                let start = *at;
                *at += line.len();
                Some(start)
            }).collect();
            for (text, unit) in [(text(body.as_bytes()), 1), (wide, 2)] {
                let index = LineIndex::count(&text, 2, &stop).unwrap();
                prop_assert_eq!(index.lines, starts.len() as u64);
                for (n, start) in starts.iter().enumerate() {
                    let found = index.start_of(&text, n as u64 + 1, &stop).unwrap();
                    prop_assert_eq!(found, Some((start * unit) as u64));
                }
            }
        }
    }

    /// As with a write through a shared mapping: the content changes, the metadata does not.
    #[test]
    fn remembered_block_with_another_count_of_newlines_serves_no_line() {
        let file = tempfile::tempfile().unwrap();
        let content = b"0123456\n".repeat(1_100_000);
        std::os::unix::fs::FileExt::write_all_at(&file, &content, 0).unwrap();
        let end = content.len() as u64;
        let text = TextFile { bytes: Bytes::Open(&file), encoding: Encoding::Utf8, start: 0, end };
        let (kind, owner, is_private, links) = (FileKind::File, 0, false, 1);
        let stat = Stat { kind, bytes: end, id: (1, 1), modified: 0, changed: 0, owner, is_private, links };
        let (cache, stop) = (Cache::default(), Stop::default());
        cache.count(stat, &text, 2, &stop).unwrap();
        let remembered = cache.get(stat).unwrap();
        assert_eq!(remembered.start_of(&text, 500_001, &stop).unwrap(), Some(4_000_000));
        // In the same block, once after that line and once before it.
        for at in [4_000_003, 3_999_003] {
            std::os::unix::fs::FileExt::write_all_at(&file, b"\n", at).unwrap();
            assert_eq!(remembered.start_of(&text, 500_001, &stop).unwrap(), None, "{at}");
        }
        assert_eq!(remembered.start_of(&text, 1, &stop).unwrap(), Some(0));
        let again = cache.count(stat, &text, 2, &stop).unwrap();
        assert_eq!(again.start_of(&text, 500_001, &stop).unwrap(), Some(3_999_992));
        assert_eq!(cache.get(stat), Some(again));
    }

    #[test]
    fn index_keeps_the_encoding_and_the_mark() {
        let file = tempfile::tempfile().unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, b"\xff\xfea\0\n\0b\0", 0).unwrap();
        let text = TextFile { bytes: Bytes::Open(&file), encoding: Encoding::Utf16Le, start: 2, end: 8 };
        let stop = Stop::default();
        let index = LineIndex::count(&text, 1, &stop).unwrap();
        let again = index.text_of(&file, 8);
        assert_eq!((again.encoding, again.start, again.end), (text.encoding, text.start, text.end));
        assert_eq!(index.start_of(&again, 2, &stop).unwrap(), Some(6));
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
        let stop = Stop::default();
        let index = LineIndex::count(&text, 4, &stop).unwrap();
        assert_eq!(index.lines, 120_000);
        for line in [1, 2, 2622, 2623, 60_000, 120_000] {
            assert_eq!(index.start_of(&text, line, &stop).unwrap(), Some((line - 1) * 100), "{line}");
        }
        stop.cancel();
        assert!(LineIndex::count(&text, 4, &stop).is_err());
    }

    #[test]
    fn lines_counted_until_the_deadline_are_a_lower_bound() {
        let late = Stop::new(CancellationToken::new(), Deadline::new(Instant::now(), Duration::ZERO));
        let file = tempfile::tempfile().unwrap();
        io::copy(&mut &b"line\n".repeat(200_000)[..], &mut &file).unwrap();
        let text = TextFile { bytes: Bytes::Open(&file), encoding: Encoding::Utf8, start: 0, end: 1_000_000 };
        let index = LineIndex::count(&text, 2, &late).unwrap();
        assert_eq!((index.lines, index.is_complete, index.end), (1, false, 0));
        let later = Stop::default();
        assert_eq!(index.start_of(&text, 1, &later).unwrap(), Some(0));
        assert_eq!(index.start_of(&text, 2, &later).unwrap(), None);
        let part = LineIndex { lines: 3, end: 12, newlines_before: vec![0, 2], ..index };
        assert_eq!(part.start_of(&text, 3, &later).unwrap(), Some(10));
        assert_eq!(part.start_of(&text, 4, &later).unwrap(), None);
        assert_eq!(LineIndex::count(&text, 2, &later).unwrap().lines, 200_000);
    }
}
