//! A buffer of encoded messages.

use std::ops::Range;

/// Encoded messages in one buffer, with the position where each ends.
#[derive(Debug, Default)]
pub struct Messages {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Messages {
    /// Adds a message; `encode` appends its bytes.
    pub fn add(&mut self, encode: impl FnOnce(&mut Vec<u8>)) {
        encode(&mut self.bytes);
        self.ends.push(self.bytes.len());
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Removes all messages.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Splits the bytes into ranges of whole messages with at most `most` bytes each; a longer message is a
    /// range of its own.
    pub fn pieces(&self, most: usize) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        let mut next = 0;
        std::iter::from_fn(move || {
            let mut end = *self.ends.get(next)?;
            next += 1;
            while let Some(more) = self.ends.get(next).filter(|more| **more - start <= most) {
                end = *more;
                next += 1;
            }
            let piece = start..end;
            start = end;
            Some(piece)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_whole_messages() {
        let mut messages = Messages::default();
        for length in [40, 40, 40, 150, 60, 40, 1] {
            messages.add(|bytes| bytes.extend(vec![b'x'; length]));
        }
        let lengths: Vec<usize> = messages.pieces(100).map(|piece| piece.len()).collect();
        assert_eq!(lengths, [80, 40, 150, 100, 1]);
        messages.clear();
        assert_eq!(messages.pieces(100).count(), 0);
    }
}
