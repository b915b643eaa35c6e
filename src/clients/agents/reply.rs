//! Responses to the client.

use std::sync::Arc;

use serde_json::{Value, json};

use super::client::ClientWriter;
use super::versions::{RpcError, Version};
use ez_runtime::sync::Mutex;

/// Where the response to a request goes. Each request has one, and it is used once.
pub struct Reply {
    client: ClientWriter,
    id: Value,
    batch: Option<Arc<Batch>>,
}

/// A batch, which is answered by one list when all of its requests are.
#[derive(Default)]
pub struct Batch(Mutex<Answers>);

#[derive(Default)]
struct Answers {
    left: usize,
    done: Vec<Value>,
}

impl Batch {
    /// A batch of this many requests that are answered.
    pub fn new(requests: usize) -> Batch {
        Batch(Mutex::new(Answers { left: requests, done: Vec::new() }))
    }
}

impl Reply {
    /// For a request with this `id`, which may be in a batch.
    pub fn new(client: &ClientWriter, id: Value, batch: Option<&Arc<Batch>>) -> Reply {
        Reply { client: client.clone(), id, batch: batch.cloned() }
    }

    /// Sends a result. `is_constant`: it is always the same.
    pub fn result(self, version: Version, mut result: Value, is_constant: bool) {
        if let Some(members) = result.as_object_mut() {
            version.complete(members, is_constant);
        }
        let response = json!({"jsonrpc": "2.0", "id": self.id, "result": result});
        self.send(Some(response));
    }

    /// Sends an error.
    pub fn error(self, error: RpcError) {
        let mut members = json!({"code": error.code, "message": error.message});
        if let (Some(data), Some(members)) = (error.data, members.as_object_mut()) {
            members.insert("data".into(), data);
        }
        let response = json!({"jsonrpc": "2.0", "id": self.id, "error": members});
        self.send(Some(response));
    }

    /// Sends nothing, because the client has cancelled the request.
    pub fn nothing(self) {
        self.send(None);
    }

    fn send(self, response: Option<Value>) {
        let Some(batch) = self.batch else {
            if let Some(response) = response {
                self.client.send(&response);
            }
            return;
        };
        let done = {
            let mut answers = batch.0.lock();
            answers.done.extend(response);
            answers.left = answers.left.saturating_sub(1);
            if answers.left > 0 {
                return;
            }
            std::mem::take(&mut answers.done)
        };
        if !done.is_empty() {
            self.client.send(&done.into());
        }
    }
}
