//! What the owner of a session is sent, also for its guests.

use std::sync::Arc;

use crate::api::{Event, OutputSource};

use super::connection::ConnectionId;
use super::item::event_size;

/// Who gets a copy: a guest. Nothing here may block.
pub(super) trait Copied: std::fmt::Debug + Send + Sync {
    /// Its connection.
    fn connection(&self) -> ConnectionId;

    /// Sends it an event; with its size in bytes as an item of a queue.
    fn tell(&self, event: Event, size: usize);

    /// Sends it what the program has written.
    fn write(&self, source: OutputSource, text: &str);

    /// Sends it the line that is not complete.
    fn finish_line(&self);

    /// Whether it was dismissed because it did not read.
    fn is_dismissed(&self) -> bool;
}

/// The guests that get a copy of what the owner is sent.
#[derive(Debug, Default)]
pub(super) struct Copies(Vec<Arc<dyn Copied>>);

impl Copies {
    pub fn add(&mut self, guest: Arc<dyn Copied>) {
        self.0.push(guest);
    }

    pub fn remove(&mut self, connection: ConnectionId) {
        self.0.retain(|guest| guest.connection() != connection);
    }

    /// Sends the guests an event, but not the one with this connection.
    pub fn tell(&mut self, event: &Event, except: Option<ConnectionId>) {
        if self.0.is_empty() {
            return;
        }
        let size = event_size(event);
        for guest in self.0.iter().filter(|guest| Some(guest.connection()) != except) {
            guest.tell(event.clone(), size);
        }
        self.0.retain(|guest| !guest.is_dismissed());
    }

    /// Sends the guests what the program has written.
    pub fn write(&mut self, source: OutputSource, text: &str) {
        self.0.iter().for_each(|guest| guest.write(source, text));
        self.0.retain(|guest| !guest.is_dismissed());
    }

    /// Sends the guests the line that is not complete.
    pub fn finish_line(&mut self) {
        self.0.iter().for_each(|guest| guest.finish_line());
    }
}
