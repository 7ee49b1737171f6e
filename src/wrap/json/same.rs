//! Compares two JSON texts that may have the same value in different layouts.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};

use super::scan::tokens;
use super::string::unescaped;

/// Returns true if both texts, which are valid, have the same value. Ignores white space, escapes, the order of members
/// and the spelling of fractions.
pub(in crate::wrap) fn is_same(one: &str, other: &str) -> bool {
    let hashes = RandomState::new();
    one == other || hash_of(one, &hashes) == hash_of(other, &hashes)
}

/// An array or object that is not closed yet.
struct Open {
    is_object: bool,
    hash: u64,
    /// The hash of a key before its value was read.
    key: Option<u64>,
}

/// Returns a hash of the value. Not recursive, because a server chooses the depth. The keys of `hashes` are random, so
/// a server cannot create two values with the same hash.
fn hash_of(text: &str, hashes: &RandomState) -> u64 {
    let mut open: Vec<Open> = Vec::new();
    let mut last = 0;
    for token in tokens(text) {
        last = match token.as_bytes()[0] {
            kind @ (b'{' | b'[') => {
                open.push(Open { is_object: kind == b'{', hash: 0, key: None });
                continue;
            }
            b',' | b':' => continue,
            b'}' | b']' => open.pop().map_or(0, |ended| hashes.hash_one((ended.is_object, ended.hash))),
            b'"' => hashes.hash_one(unescaped(token).unwrap_or_default()),
            b'-' | b'0'..=b'9' => number_hash(token, hashes),
            _ => hashes.hash_one((token, 0)),
        };
        if let Some(parent) = open.last_mut() {
            parent.add(last, hashes);
        }
    }
    last
}

impl Open {
    /// Adds the hash of a value or a key.
    fn add(&mut self, hash: u64, hashes: &RandomState) {
        if !self.is_object {
            self.hash = hashes.hash_one((self.hash, hash));
        } else if let Some(key) = self.key.take() {
            // A sum does not depend on the order.
            self.hash = self.hash.wrapping_add(hashes.hash_one((key, hash)));
        } else {
            self.key = Some(hash);
        }
    }
}

/// Returns the hash of a number. `1.0` and `1` are equal. Integers of any size are compared by their digits.
fn number_hash(raw: &str, hashes: &RandomState) -> u64 {
    let is_whole = !raw.contains(['.', 'e', 'E']);
    let value = raw.parse::<f64>().unwrap_or(f64::INFINITY);
    let text: Cow<'_, str> =
        if is_whole || value.is_infinite() { raw.into() } else { value.to_string().into() };
    hashes.hash_one((text, 1))
}
