//! The items of the outbox.

use crate::api::{Event, Failure, OutputSource, RequestId, RequestNumber, Response};
use ez_runtime::text::start_of;

use super::connection::ConnectionId;

/// Maximum length of a piece of an output line, in bytes.
pub const PIECE: usize = 4000;

/// Something to be sent to the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Item<Id = RequestId> {
    /// The response to a request, or why it failed.
    Response(Id, Result<Response, Failure>),
    Event(Event),
    /// Program output.
    Output {
        /// What has written it.
        source: OutputSource,
        /// Whole lines; the last one may be incomplete.
        text: String,
    },
    /// The position, among the other items, of a message that the front end creates itself.
    Reply(Id),
}

impl Item<RequestNumber> {
    /// This item within a session, for the client with this connection.
    pub fn in_session(self, connection: ConnectionId) -> Item {
        match self {
            Item::Response(id, result) => Item::Response(connection.in_session(id), result),
            Item::Event(event) => Item::Event(event),
            Item::Output { source, text } => Item::Output { source, text },
            Item::Reply(id) => Item::Reply(connection.in_session(id)),
        }
    }
}

/// About how many bytes a message has besides its text.
const FRAME: usize = 64;

impl Item {
    /// About how many bytes the messages have that are made of the item.
    pub(super) fn size(&self) -> usize {
        FRAME
            + match self {
                Item::Output { text, .. } => output_weight(text),
                Item::Event(event) => return event_size(event),
                Item::Response(_, result) => written(result),
                Item::Reply(_) => 0,
            }
    }

    /// About how many bytes the messages have; 0 if the program cannot make many of it.
    pub(super) fn weight(&self) -> usize {
        match self {
            Item::Output { text, .. } | Item::Event(Event::Log(text)) => output_weight(text),
            Item::Event(_) | Item::Response(..) | Item::Reply(_) => 0,
        }
    }
}

/// The [`Item::size`] of an event.
pub(super) fn event_size(event: &Event) -> usize {
    FRAME + if let Event::Log(text) = event { output_weight(text) } else { written(event) }
}

/// Counts bytes instead of writing them.
#[derive(Default)]
struct Counter(usize);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// About how many bytes a message has.
fn written(message: &impl serde::Serialize) -> usize {
    let mut counter = Counter::default();
    // Counting does not fail.
    let _ = serde_json::to_writer(&mut counter, message);
    counter.0
}

/// The weight of output, see [`Item::weight`]: there is a message for each line.
pub(super) fn output_weight(text: &str) -> usize {
    text.len() + FRAME * text.bytes().filter(|byte| *byte == b'\n').count().max(1)
}

/// Splits output into texts for one message each: lines, and pieces of at most [`PIECE`] bytes of longer
/// ones. Never splits a character.
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

/// Length in bytes of the first piece of a line.
pub(super) fn piece_end(line: &str) -> usize {
    start_of(line, PIECE).len()
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
