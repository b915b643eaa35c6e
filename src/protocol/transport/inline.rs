//! Lets the interpreter's thread read and write while the program is stopped.
//!
//! A step then needs no switch to another thread: the interpreter's thread reads the command, carries it out
//! and writes the response.

use std::sync::Arc;

use ez_engine::session;

use super::reader::Reader;
use super::writer::Writer;

/// The transport, as the interpreter's thread uses it.
pub struct InlineTransport {
    /// Reads, if this thread may.
    pub reader: Arc<Reader>,
    /// Writes, if no other thread is writing.
    pub writer: Arc<Writer>,
}

impl session::InlineTransport for InlineTransport {
    fn flush(&self) {
        self.writer.flush();
    }

    fn flush_soon(&self) {
        // If the reader's thread reads again, it wakes the writer.
        if !self.reader.is_lent() {
            self.writer.flush();
        }
    }

    fn wait(&self, pending: &dyn Fn() -> bool) -> bool {
        let has_read = self.reader.read_inline(pending);
        // The front end, or the session, may have answered without the engine.
        self.writer.flush();
        has_read
    }
}
