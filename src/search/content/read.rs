//! Reading as much as is wanted at once.

#![expect(clippy::indexing_slicing, reason = "no more is read than there is room for")]

use std::io::{self, Read};

/// Bytes that are read at once of a line that does not fit in the searcher's buffer.
pub(super) const READ_BYTES: usize = 256 * 1024;

/// Reads what there is, at least a byte but at the end.
pub(super) fn read_some(source: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Reads until the room is full or `source` ends.
pub(super) fn read_full(source: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    while len < room.len() {
        match read_some(source, &mut room[len..])? {
            0 => break,
            read => len += read,
        }
    }
    Ok(len)
}
