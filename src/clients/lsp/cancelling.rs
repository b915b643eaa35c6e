//! Requests that the client has cancelled before they were carried out.

use std::collections::HashSet;

use memchr::memmem;
use serde::Deserialize;
use serde_json::Value;

use crate::protocol::framing::Frame;
use ez_runtime::sync::Mutex;

pub const CANCEL: &str = "$/cancelRequest";

/// The ids of requests that have been cancelled, as far as the server has not come to the message yet that says so.
#[derive(Debug, Default)]
pub struct Cancelled(Mutex<HashSet<String>>);

#[derive(Deserialize)]
struct Notification {
    method: String,
    params: Params,
}

#[derive(Deserialize)]
struct Params {
    id: Value,
}

impl Cancelled {
    /// Notes it if a message cancels a request. Called when it comes, by the thread that reads.
    pub fn note(&self, frame: &Frame) {
        if let Frame::Message(body) = frame
            && memmem::find(body, CANCEL.as_bytes()).is_some()
            && let Ok(Notification { method, params }) = serde_json::from_slice(body)
            && method == CANCEL
        {
            self.0.lock().insert(params.id.to_string());
        }
    }

    /// Whether a request is cancelled by a message that waits.
    pub fn has(&self, id: &Value) -> bool {
        self.0.lock().contains(&id.to_string())
    }

    /// The server has come to the message that cancels a request.
    pub fn forget(&self, id: &Value) {
        self.0.lock().remove(&id.to_string());
    }
}
