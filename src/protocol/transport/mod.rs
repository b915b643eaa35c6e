//! What carries messages between a client and a session: the threads that read and write, and the ends
//! of byte streams.

mod inline;
mod reader;
mod serve;
mod writer;

pub use serve::{Connection, serve, serve_stdio};
pub use writer::Writer;
