//! Reading and writing on the program's own thread while the program is stopped.
//!
//! A step then needs no other thread: the program's takes the command, carries it out and writes the
//! answer, as fast as a program that only echoes lines.

use std::sync::Arc;

use crate::session;

use super::reader::Reader;
use super::writer::Writer;

/// The transport as the interpreter's thread uses it.
pub struct InlineTransport {
    /// Reads, when it is this thread's turn.
    pub reader: Arc<Reader>,
    /// Writes, unless another thread is writing.
    pub writer: Arc<Writer>,
}

impl session::InlineTransport for InlineTransport {
    fn flush(&self) {
        self.writer.flush();
    }

    fn flush_soon(&self) {
        // The reader's thread calls the writer when it takes the reading back.
        if !self.reader.is_lent() {
            self.writer.flush();
        }
    }

    fn wait(&self, pending: &dyn Fn() -> bool) -> bool {
        let has_read = self.reader.read_inline(pending);
        // The front end, or the session, may have answered by itself.
        self.writer.flush();
        has_read
    }
}
