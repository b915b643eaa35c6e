//! A call of a tool that is in progress.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use super::client::ClientWriter;
use super::process::Cancellation;
use super::server::Shared;
use ez_runtime::sync::Mutex;

/// A call in progress. It is carried out on a thread of its own.
pub struct Call {
    /// Whether the client has cancelled it.
    pub cancellation: Cancellation,
    pub shared: Arc<Shared>,
    progress: Option<Progress>,
}

/// Reports to the client how far a call is.
struct Progress {
    /// The client's name for it.
    token: Value,
    client: ClientWriter,
    started: Instant,
    /// When it was last reported, in milliseconds since the start: the value has to increase.
    last: Mutex<u128>,
}

/// The least time between two reports, in milliseconds.
const INTERVAL: u128 = 500;

impl Call {
    /// A call whose progress is reported if the client gave a `token` for it.
    pub fn new(shared: Arc<Shared>, cancellation: Cancellation, token: Option<Value>) -> Call {
        let progress = token.map(|token| Progress {
            token,
            client: shared.client.clone(),
            started: Instant::now(),
            last: Mutex::new(0),
        });
        Call { cancellation, shared, progress }
    }

    /// Reports that the call is in progress, if the client wants that and the last report was long ago.
    pub fn report_progress(&self, message: &str) {
        let Some(Progress { token, client, started, last }) = &self.progress else { return };
        let now = started.elapsed().as_millis();
        let mut last = last.lock();
        if now < *last + INTERVAL || self.cancellation.is_cancelled() {
            return;
        }
        *last = now;
        client.send(&json!({
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": token, "progress": now as u64, "message": message},
        }));
    }
}
