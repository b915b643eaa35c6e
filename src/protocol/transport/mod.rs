//! Transport of messages between a client and a session: the threads that read and write.

mod inline;
mod reader;
mod serve;
mod writer;

pub use inline::InlineTransport;
pub use reader::Reader;
pub use serve::{Begin, Connection, STALL, run_here, serve, serve_stdio};
pub use writer::Writer;
