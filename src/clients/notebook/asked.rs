//! What front ends ask for.

use serde::de::DeserializeOwned;

use crate::protocol::jupyter::content::ErrorContent;
use crate::protocol::jupyter::{Channel, Message};
use ez_engine::api::Failure;

/// A request of a front end.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub channel: Channel,
    pub message: Message,
}

impl Asked {
    pub fn kind(&self) -> &str {
        &self.message.header.msg_type
    }

    /// The content.
    ///
    /// # Errors
    /// The error to reply with, if it is not what the protocol prescribes.
    pub fn content<T: DeserializeOwned>(&self) -> Result<T, ErrorContent> {
        serde_json::from_slice(self.message.content.get().as_bytes())
            .map_err(|error| error_content("BadRequest", &format!("{}: {error}", self.kind())))
    }
}

/// An error with its message as report.
pub(super) fn error_content(name: &str, message: &str) -> ErrorContent {
    ErrorContent { ename: name.into(), evalue: message.into(), traceback: vec![message.into()] }
}

/// The error for a request to the session that failed.
pub(super) fn failure_content(failure: &Failure) -> ErrorContent {
    let name = failure.wrong.map_or("Failure", |wrong| wrong.code.as_str());
    error_content(name, &failure.message)
}

/// How far a request has been carried out.
pub(super) enum Progress {
    Replied,
    /// The reply follows.
    Later,
}
