//! How many lines a file has and where they begin: counted once, remembered while it is the same.
//!
//! An index is sparse: for each block of the file it holds how many newlines stand before it, so
//! that any line is found by reading one block, and a line that fills many blocks is skipped
//! without reading them. What is remembered never serves wrong lines: it is kept under all that
//! changes with a file's content ([`Identity`]), and not at all while the file is so new that it
//! could change again without changing that.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio_util::sync::CancellationToken;

use super::buffer::Buffer;
use super::lines::{BLOCK_BYTES, Bytes, TextFile, read_at};
use crate::sys::Stat;
use cutline_core::text::as_index;

/// Files that are remembered.
const REMEMBERED: usize = 32;
/// Blocks in an index: a larger file has larger blocks.
const MAX_BLOCKS: u64 = 4096;
/// Bytes of a file that is worth remembering.
const MIN_REMEMBERED_BYTES: u64 = 1_000_000;
/// Bytes of a file that is worth counting in several threads.
const MIN_PARALLEL_BYTES: u64 = 8_000_000;
/// Nanoseconds since its last change before a file is remembered: coarser than any clock of a file system.
const SETTLED_NANOS: i128 = 2_000_000_000;

/// What a file is told by, and its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    id: (u64, u64),
    bytes: u64,
    modified: i128,
    changed: i128,
}

impl Identity {
    /// The identity of an open file.
    pub fn of(stat: &Stat) -> Self {
        let Stat { id, bytes, modified, changed, .. } = *stat;
        Self { id, bytes, modified, changed }
    }

    fn is_old_enough_to_cache(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let now = i128::try_from(now).unwrap_or(i128::MAX);
        now - self.modified >= SETTLED_NANOS && now - self.changed >= SETTLED_NANOS
    }
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
        let block_bytes = bytes.div_ceil(MAX_BLOCKS).next_multiple_of(BLOCK_BYTES as u64);
        let block_bytes = block_bytes.max(BLOCK_BYTES as u64);
        let blocks = bytes.div_ceil(block_bytes);
        let counts: Vec<AtomicU64> = (0..blocks).map(|_| AtomicU64::new(0)).collect();
        let next = AtomicU64::new(0);
        let work = || count_blocks(text, block_bytes, &next, &counts, cancel);
        let others = if bytes < MIN_PARALLEL_BYTES { 0 } else { workers.saturating_sub(1) };
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..others).map(|_| scope.spawn(work)).collect();
            let mine = work();
            let theirs = handles.into_iter().map(|handle| handle.join().unwrap_or(Ok(())));
            theirs.fold(mine, Result::and)
        })?;
        let mut newlines_before = Vec::with_capacity(counts.len() + 1);
        let mut newlines = 0;
        newlines_before.push(0);
        for count in &counts {
            newlines += count.load(Ordering::Relaxed);
            newlines_before.push(newlines);
        }
        let open_line = bytes > 0 && !text.ends_with_newline()?;
        Ok(Self { lines: newlines + u64::from(open_line), block_bytes, newlines_before })
    }

    /// The offset at which `line` (from 1) begins; `None` where the file has become shorter since.
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
        let block = self.newlines_before.partition_point(|before| *before < newline).saturating_sub(1);
        let before = self.newlines_before.get(block).copied().unwrap_or(0);
        let from = text.start + block as u64 * self.block_bytes;
        text.after_newline(from, newline - before, cancel)
    }
}

fn count_blocks(
    text: &TextFile<'_>,
    block_bytes: u64,
    next: &AtomicU64,
    counts: &[AtomicU64],
    cancel: &CancellationToken,
) -> io::Result<()> {
    let mut buffer = match text.bytes {
        Bytes::Held(_) => Buffer::new(0),
        Bytes::Open(_) => Buffer::new(BLOCK_BYTES),
    };
    loop {
        let block = next.fetch_add(1, Ordering::Relaxed);
        let Some(count) = counts.get(as_index(block)) else { return Ok(()) };
        let from = text.start + block * block_bytes;
        let to = (from + block_bytes).min(text.end);
        let file = match text.bytes {
            Bytes::Held(bytes) => {
                let held = bytes.get(as_index(from)..as_index(to)).unwrap_or_default();
                count.store(text.encoding.newlines(held), Ordering::Relaxed);
                continue;
            }
            Bytes::Open(file) => file,
        };
        let mut at = from;
        while at < to {
            if cancel.is_cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let block = buffer.first(as_index(to - at).min(BLOCK_BYTES));
            let read = read_at(file, block, at)?;
            if read == 0 {
                return Ok(()); // it has become shorter since
            }
            let newlines = text.encoding.newlines(block.get(..read).unwrap_or_default());
            count.fetch_add(newlines, Ordering::Relaxed);
            at += read as u64;
        }
    }
}

/// The indexes of the files that were read last; at most a megabyte in all.
#[derive(Debug, Default)]
pub struct Cache(Mutex<VecDeque<(Identity, Arc<LineIndex>)>>);

impl Cache {
    /// The index of `text`, a file of that identity: remembered, or counted now.
    pub fn get_or_count(
        &self,
        identity: Identity,
        text: &TextFile<'_>,
        workers: usize,
        cancel: &CancellationToken,
    ) -> io::Result<Arc<LineIndex>> {
        if let Some(index) = self.get(identity) {
            return Ok(index);
        }
        let index = Arc::new(LineIndex::count(text, workers, cancel)?);
        if identity.bytes >= MIN_REMEMBERED_BYTES && identity.is_old_enough_to_cache() {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|(other, _)| other.id != identity.id);
            kept.truncate(REMEMBERED - 1);
            kept.push_front((identity, Arc::clone(&index)));
        }
        Ok(index)
    }

    fn get(&self, identity: Identity) -> Option<Arc<LineIndex>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(other, _)| *other == identity)?;
        let found = kept.remove(at)?;
        let index = Arc::clone(&found.1);
        kept.push_front(found);
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
