//! UTF-16 as UTF-8, piece by piece.

use std::io::{self, Read};

use cutline_core::text::decode::{Decoder, Encoding};

/// Bytes that are decoded at once.
const PIECE_BYTES: usize = 64 * 1024;

/// Reads UTF-16, without its mark, as UTF-8.
pub(super) struct Utf8Reader<R> {
    inner: R,
    decoder: Decoder,
    piece: Vec<u8>,
    decoded: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> Utf8Reader<R> {
    pub(super) fn new(inner: R, encoding: Encoding) -> Self {
        let decoder = Decoder::new(encoding);
        Self { inner, decoder, piece: vec![0; PIECE_BYTES], decoded: Vec::new(), given: 0, ended: false }
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        while self.given == self.decoded.len() && !self.ended {
            self.decoded.clear();
            self.given = 0;
            let read = self.inner.read(&mut self.piece)?;
            let decoded = &mut self.decoded;
            let mut take = |text: &str| decoded.extend_from_slice(text.as_bytes());
            match self.piece.get(..read) {
                None | Some([]) => {
                    self.decoder.finish(&mut take);
                    self.ended = true;
                }
                Some(piece) => self.decoder.push(piece, &mut take),
            }
        }
        let ready = self.decoded.get(self.given..).unwrap_or_default();
        let given = ready.len().min(room.len());
        for (to, from) in room.iter_mut().zip(ready) {
            *to = *from;
        }
        self.given += given;
        Ok(given)
    }
}
