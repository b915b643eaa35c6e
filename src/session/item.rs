//! What is told to clients.

use crate::api::{Event, Failure, RequestId, Response};
use crate::value::Stream;

/// How long a piece of an output line may be, in bytes.
pub const PIECE: usize = 4000;

/// Something that waits to be told.
#[derive(Debug, PartialEq)]
pub enum Item {
    /// The answer to a request.
    Response(RequestId, Result<Response, Failure>),
    /// An event.
    Event(Event),
    /// Program output.
    Output {
        /// Where the program wrote it.
        stream: Stream,
        /// Whole lines, except perhaps the last one.
        text: String,
    },
    /// The answer to a request that the front end answers by itself.
    Reply(RequestId),
}

/// Splits output into what single messages hold: lines, and pieces of long ones. No character is split.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').flat_map(|line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (piece, tail) = rest.split_at_checked(piece_end(rest)).unwrap_or((rest, ""));
            rest = tail;
            Some(piece)
        })
    })
}

/// Where the first piece of a line ends.
pub(super) fn piece_end(line: &str) -> usize {
    if line.len() <= PIECE {
        return line.len();
    }
    (0..=PIECE).rev().find(|end| line.is_char_boundary(*end)).unwrap_or(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_lines_and_short() {
        let split: Vec<&str> = pieces("a\n\nb").collect();
        assert_eq!(split, ["a\n", "\n", "b"]);
        let long = format!("{}é{}\n", "x".repeat(PIECE - 1), "y".repeat(PIECE));
        let lengths: Vec<usize> = pieces(&long).map(str::len).collect();
        assert_eq!(lengths, [PIECE - 1, PIECE, 3]);
        assert_eq!(pieces(&long).collect::<String>(), long);
        assert_eq!(pieces("").count(), 0);
    }
}
