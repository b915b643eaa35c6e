//! The debugger: requests over the control channel, answered by the adapter for notebooks.

use std::path::{MAIN_SEPARATOR, Path};

use serde_json::Value;

use super::dispatch::{Asked, Kernel, Progress};
use crate::protocol::dap::{CellConventions, DebugMessage, NotebookDebugger};
use crate::protocol::jupyter::content::ErrorContent;
use crate::protocol::jupyter::{html, murmur2};
use crate::protocol::{ClientLink, Pending};
use ez_engine::api::{Event, Failure, RequestId, RequestNumber, Response};
use ez_engine::session::Session;
use ez_runtime::platform::text_of;

/// The seed of the hashes in the paths of cells: that of other kernels.
const HASH_SEED: u32 = 0xc70f_6907;

/// How cells are named whose files would be in `folder`, if they had files.
pub(super) fn conventions(folder: &Path) -> CellConventions {
    CellConventions {
        prefix: format!("{}{MAIN_SEPARATOR}", text_of(folder.as_os_str())),
        suffix: ".ez",
        seed: HASH_SEED,
        path: cell_path,
        html: |value| html(&value.tree),
    }
}

/// The path by which front ends know the cell with this text.
pub(super) fn cell_path(conventions: &CellConventions, code: &str) -> String {
    let CellConventions { prefix, suffix, seed, .. } = conventions;
    format!("{prefix}{}{suffix}", murmur2(code.as_bytes(), *seed))
}

/// The adapter, and its connection to the session.
pub(super) struct CellDebugger {
    adapter: NotebookDebugger,
    link: ClientLink,
    /// The requests that are not answered yet, by the token that the adapter knows them by.
    asked: Pending<Asked>,
}

impl CellDebugger {
    pub fn new(session: &Session, conventions: CellConventions) -> CellDebugger {
        let link = ClientLink::new(session, session.new_connection());
        let mut adapter = NotebookDebugger::new(conventions);
        adapter.begin(link.clone());
        CellDebugger { adapter, link, asked: Pending::default() }
    }

    /// The number by which the adapter knows a request to the session; `None` if it is not one of its own.
    pub fn own(&self, id: RequestId) -> Option<RequestNumber> {
        self.link.connection().in_front_end(id)
    }

    /// A cell is about to run.
    pub fn cell_starts(&mut self) {
        self.adapter.cell_starts();
    }
}

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
