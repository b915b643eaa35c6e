//! When the program starts: once the client has said all that has to be known before.

use std::time::Duration;

use crate::protocol::Received;
use ez_engine::api::Status;

use super::decode::RequestHeader;
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler};

/// How long to wait for further breakpoints, after the request that is usually a client's last one, if the
/// client does not send `configurationDone`.
const CONFIGURATION_GRACE: Duration = Duration::from_millis(500);

pub const REQUESTS: &[(&str, Handler)] = &[("configurationDone", DapFrontEnd::configuration_done)];

/// How far the client is with what has to be known before the program starts.
#[derive(Default)]
pub(super) struct Configuring {
    /// Whether it has sent `configurationDone`.
    pub is_done: bool,
    /// While the program waits for further breakpoints: counts the requests of the client.
    waiting: Option<u64>,
}

impl Configuring {
    /// The program is not waited for any more.
    pub fn end_wait(&mut self) {
        self.waiting = None;
    }

    /// The client has sent a request: the wait for further ones starts again.
    pub fn go_on(&mut self) {
        if let Some(count) = &mut self.waiting {
            *count += 1;
        }
    }
}

impl DapFrontEnd {
    fn configuration_done(&mut self, Call { from, work, .. }: Call) -> Result<(), Refusal> {
        if !self.end_configuration(Some(from), work) {
            self.answer_now(from, None, work);
        }
        Ok(())
    }

    /// The client has configured everything, with this request if it is known. Returns whether the program is started,
    /// so that the request is answered behind the events of its loading.
    fn end_configuration(&mut self, from: Option<&RequestHeader>, work: &mut Vec<Received>) -> bool {
        self.configuring = Configuring { is_done: true, waiting: None };
        let starts = self.phase == Status::Ready && !self.part.is_guest();
        self.ask_for_others_breakpoints(work);
        if starts {
            self.start(from, work);
        }
        starts
    }

    /// The last request has come that clients without `configurationDone` send: the program starts when
    /// nothing follows for [`CONFIGURATION_GRACE`].
    pub(super) fn expect_no_more(&mut self) {
        if self.configuring.is_done || self.configuring.waiting.is_some() {
            return;
        }
        self.configuring.waiting = Some(0);
        let mut seen = 0;
        // If there is no thread, only `configurationDone` starts the program.
        self.later("configuration", CONFIGURATION_GRACE, move |this, work| {
            let count = this.configuring.waiting?;
            if count != seen || this.phase == Status::NotInitialized {
                seen = count;
                return Some(CONFIGURATION_GRACE);
            }
            this.end_configuration(None, work);
            None
        });
    }
}
