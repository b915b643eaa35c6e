//! What is stored for the next client while none is connected: program output, and those events that cannot
//! be derived from the state of the session.

use std::collections::VecDeque;

use crate::api::Event;

use super::item::{Item, pieces};

/// Maximum amount of stored output, in bytes.
const LIMIT: usize = 1 << 20;

/// Size in bytes of the portions in which output is stored, and the oldest is discarded.
const PORTION: usize = 16 * 1024;

/// Items stored for the next client.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    items: VecDeque<Item>,
    /// Bytes of output in `items`.
    bytes: usize,
    /// Bytes of output discarded.
    dropped: u64,
}

/// Bytes of output in an item.
fn size(item: &Item) -> usize {
    match item {
        Item::Output { text, .. } | Item::Event(Event::Log(text)) => text.len(),
        Item::Event(_) | Item::Response(..) | Item::Reply(_) => 0,
    }
}

impl Backlog {
    /// Stores an item, if a later client can use it.
    pub fn add(&mut self, item: Item) {
        match item {
            Item::Output { source, text } => {
                for piece in pieces(&text) {
                    self.bytes += piece.len();
                    match self.items.back_mut() {
                        Some(Item::Output { source: last, text: before })
                            if *last == source && before.len() + piece.len() <= PORTION =>
                        {
                            before.push_str(piece);
                        }
                        _ => self.items.push_back(Item::Output { source, text: piece.to_string() }),
                    }
                }
            }
            Item::Event(
                Event::Log(_) | Event::Failed(_) | Event::CellEnded(_) | Event::Exited(_) | Event::Terminated,
            ) => {
                self.bytes += size(&item);
                self.items.push_back(item);
            }
            // Responses to a client that is gone, and what a new client learns from the state of the session.
            Item::Response(..)
            | Item::Reply(_)
            | Item::Event(
                Event::Stopped(_)
                | Event::WrongCondition(_)
                | Event::BreakpointsChanged { .. }
                | Event::WatchChanged(_)
                | Event::Progress(_)
                | Event::InputRequested(_)
                | Event::ChildStarted(_)
                | Event::Company(_)
                | Event::ChildEnded(_),
            ) => {}
        }
        self.drop_oldest();
    }

    fn drop_oldest(&mut self) {
        while self.bytes > LIMIT
            && let Some(at) = self.items.iter().position(|item| size(item) > 0)
            && let Some(item) = self.items.remove(at)
        {
            self.bytes -= size(&item);
            self.dropped += size(&item) as u64;
        }
    }

    /// Stores items that are older than those stored so far.
    pub fn add_before(&mut self, older: VecDeque<Item>) {
        let newer = std::mem::take(&mut self.items);
        self.bytes = 0;
        older.into_iter().chain(newer).for_each(|item| self.add(item));
    }

    /// The stored items, and the bytes of output that were discarded.
    pub fn take(self) -> (VecDeque<Item>, u64) {
        (self.items, self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Exited, RequestId};
    use ez_runtime::value::Stream;

    fn output(text: &str) -> Item {
        Item::Output { source: Stream::Stdout.into(), text: text.into() }
    }

    fn text(items: &VecDeque<Item>) -> String {
        items
            .iter()
            .filter_map(|item| if let Item::Output { text, .. } = item { Some(&**text) } else { None })
            .collect()
    }

    #[test]
    fn the_newest_output_is_kept_and_what_is_dropped_is_counted() {
        let mut backlog = Backlog::default();
        let lines: String = (0..400_000).map(|i| format!("{i}\n")).collect();
        backlog.add(output(&lines));
        backlog.add(Item::Event(Event::Exited(Box::new(Exited::with_status(3)))));
        let bytes = backlog.bytes;
        let (items, dropped) = backlog.take();
        let text = text(&items);
        assert_eq!((text.len(), dropped as usize), (bytes, lines.len() - bytes));
        assert!(lines.ends_with(&text) && text.ends_with("399999\n"));
        assert!((LIMIT - PORTION..=LIMIT).contains(&bytes), "{bytes}");
        assert!(matches!(items.back(), Some(Item::Event(Event::Exited(_)))));
    }

    #[test]
    fn what_did_not_reach_a_client_stands_before_what_came_later() {
        let mut backlog = Backlog::default();
        backlog.add(output("late\n"));
        backlog.add_before(VecDeque::from([output("early\n"), Item::Reply(RequestId(1)), output("then\n")]));
        let bytes = backlog.bytes;
        let (items, dropped) = backlog.take();
        assert_eq!((text(&items).as_str(), bytes, dropped), ("early\nthen\nlate\n", 16, 0));
    }

    #[test]
    fn a_line_that_is_longer_than_all_that_is_kept_leaves_its_end() {
        let mut backlog = Backlog::default();
        backlog.add(output(&format!("{}\n", "é".repeat(LIMIT))));
        let bytes = backlog.bytes;
        let (items, dropped) = backlog.take();
        assert_eq!(bytes as u64 + dropped, 2 * LIMIT as u64 + 1);
        assert!(bytes > LIMIT - PORTION && text(&items).ends_with("é\n"));
    }
}
