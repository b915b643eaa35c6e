//! The debugger: requests over the control channel, answered by the adapter for notebooks.

use serde_json::Value;

use super::asked::{Asked, Progress};
use super::dispatch::Kernel;
use crate::protocol::dap::DebugMessage;
use crate::protocol::jupyter::content::ErrorContent;
use ez_engine::api::{Event, Failure, RequestNumber, Response};

impl Kernel {
    pub fn debug(&mut self, asked: &Asked) -> Result<Progress, ErrorContent> {
        let message: Value = asked.content()?;
        let debugger = &mut self.debugger;
        let token = debugger.asked.number();
        match debugger.adapter.request(token.get(), message) {
            Ok(work) => {
                debugger.asked.insert(token, asked.clone());
                debugger.link.deliver(work, || ());
                Ok(Progress::Later)
            }
            Err(response) => {
                self.reply(asked, &response);
                Ok(Progress::Replied)
            }
        }
    }

    /// The session has answered a request of the debugger.
    pub fn debug_response(&mut self, id: RequestNumber, result: &Result<Response, Failure>) {
        let messages = self.debugger.adapter.response(id, result);
        self.send_debug_messages(messages);
    }

    /// A message of the debugger itself is due.
    pub fn debug_reply(&mut self, id: RequestNumber) {
        let messages = self.debugger.adapter.reply(id);
        self.send_debug_messages(messages);
    }

    /// The session has sent an event.
    pub fn debug_event(&mut self, event: &Event) {
        let messages = self.debugger.adapter.event(event);
        self.send_debug_messages(messages);
    }

    fn send_debug_messages(&mut self, messages: Vec<DebugMessage>) {
        for message in messages {
            match message {
                DebugMessage::Response(token, message) => {
                    if let Some(asked) = self.debugger.asked.take(RequestNumber::of_low_bits(token)) {
                        self.reply(&asked, &message);
                        self.status(Some(&asked.message.raw_header), "idle");
                    }
                }
                DebugMessage::Event(message) => self.tell(self.parent.as_ref(), "debug_event", &message),
            }
        }
        let work = self.debugger.adapter.follow_up();
        if !work.is_empty() {
            self.debugger.link.deliver(work, || ());
        }
    }
}
