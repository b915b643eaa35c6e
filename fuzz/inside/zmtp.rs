//! Fuzzing of what a ZeroMQ peer sends: the same messages come of its bytes however they are divided into reads, they
//! have all bytes of their frames, and no more memory is taken than has been sent.

use super::{CHUNK, Closed, Decoder, FRAME, Item, KEPT, LIMIT, introduced};

/// What comes of bytes that are read in pieces of this size.
fn decoded(data: &[u8], piece: usize) -> (Vec<Item>, Option<Closed>) {
    let mut decoder = Decoder::default();
    let mut items = Vec::new();
    let mut read = 0;
    for piece in data.chunks(piece) {
        read += piece.len();
        decoder.buffer.extend_from_slice(piece);
        loop {
            match decoder.next() {
                Ok(Some(item)) => items.push(item),
                Ok(None) => break,
                Err(why) => return (items, Some(why)),
            }
        }
        let held = decoder.buffer.capacity() + decoder.frames.iter().map(|it| it.len()).sum::<usize>();
        assert!(held <= 4 * read + KEPT + CHUNK, "{held} bytes are held of {read}");
        assert!(decoder.size <= LIMIT);
    }
    (items, None)
}

/// Decodes the bytes; the first one says how they are divided.
///
/// # Panics
/// If something is not as it is to be.
pub fn target(data: &[u8]) {
    let Some((piece, data)) = data.split_first() else { return };
    let whole = decoded(data, data.len().max(1));
    let parts = decoded(data, usize::from(*piece).max(1));
    assert_eq!(whole, parts, "it depends on the reads");
    let mut bytes = 0;
    for item in &whole.0 {
        match item {
            Item::Message(frames) => {
                assert!(!frames.is_empty());
                bytes += frames.iter().map(|frame| 2 + frame.len()).sum::<usize>();
                assert!(frames.iter().map(|frame| frame.len() + FRAME).sum::<usize>() <= LIMIT);
            }
            Item::Command(command) => {
                bytes += 2 + command.len();
                if let Some((kind, identity)) = introduced(command) {
                    assert!(kind.len() + identity.map_or(0, <[u8]>::len) < command.len());
                }
            }
        }
    }
    assert!(bytes <= data.len(), "{bytes} bytes of {}", data.len());
    // A command as such: none begins like this by chance.
    let command = [b"\x05READY", data].concat();
    if let Some((kind, _)) = introduced(&command) {
        assert!(kind.len() <= data.len());
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_corpus_holds() {
        crate::replay::replay("zmtp", super::target);
    }
}
