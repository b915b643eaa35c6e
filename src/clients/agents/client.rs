//! The client: what is written to standard output.

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::Value;

use super::process::Processes;
use ez_runtime::sync::Mutex;

/// Writes messages to the client, from any thread. Clones write to the same client.
#[derive(Clone)]
pub struct ClientWriter {
    lock: Arc<Mutex<()>>,
    processes: Processes,
}

impl ClientWriter {
    /// The client at standard output. When it is gone, the processes end, and so does this one.
    pub fn new(processes: Processes) -> ClientWriter {
        ClientWriter { lock: Arc::default(), processes }
    }

    /// Writes a message as a line.
    pub fn send(&self, message: &Value) {
        let line = format!("{message}\n");
        let _writing = self.lock.lock();
        let mut out = io::stdout();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            self.processes.end();
            std::process::exit(0);
        }
    }
}
