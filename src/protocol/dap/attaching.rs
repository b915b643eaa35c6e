//! The request `attach`. Messages that come after it wait for its answer: what they mean depends on the state of the
//! program, which the front end learns from that.

use std::collections::VecDeque;

use serde_json::{Map, Value};

use crate::protocol::params::Params;
use crate::protocol::{Messages, Received};
use ez_engine::api::{Attach, Attached, Launch, Limits, Status};
use ez_engine::session::ORDER_GRACE;

use super::decode::{Message, RequestHeader, decode};
use super::lifecycle::Debugging;
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler, Origin};

pub const REQUESTS: &[(&str, Handler)] = &[("attach", DapFrontEnd::attach)];

/// How far a request to attach has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Progress {
    /// There is none, or everything that waited for its answer was passed on.
    #[default]
    Over,
    /// It is not answered.
    Asked,
    /// It is answered; messages that waited for it, or have come since, are still to be passed on.
    Answered,
}

/// A request to attach, and the messages that came after it, in order.
#[derive(Default)]
pub struct Attaching {
    progress: Progress,
    waiting: VecDeque<Vec<u8>>,
}

/// How a client attaches.
pub struct Options {
    origin: Origin,
    /// The arguments of `launch`, if the program was launched to be attached to.
    configuration: Map<String, Value>,
    debugging: Debugging,
    name: Option<String>,
    tells_guests: bool,
}

impl Options {
    /// From the arguments of `attach` or `launch`.
    ///
    /// # Errors
    /// If one of them is wrong.
    pub fn new(
        params: &Params,
        origin: Origin,
        configuration: Map<String, Value>,
    ) -> Result<Options, String> {
        let debugging = Debugging::new(params)?;
        let name = params.text("name")?.map(str::to_string);
        let tells_guests = params.flag("guestEvents")?;
        Ok(Options { name, tells_guests, origin, configuration, debugging })
    }
}

impl DapFrontEnd {
    fn attach(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        self.begins()?;
        // Editors that connect to a socket themselves repeat its address here.
        if !self.listens {
            if self.is_confined {
                return Err(
                    "a program that runs already may reach files outside of --root: 'launch' it".into()
                );
            }
            return self.attach_elsewhere(from, params);
        }
        self.ask_to_attach(from, Options::new(params, Origin::Attached, Map::new())?, work);
        // Behind it, since it has to be the first request of a connection.
        if self.debugging.off {
            self.forget_breakpoints(work);
        }
        self.ask_for_files(work);
        Ok(())
    }

    /// Asks a session to let the client attach; messages that come after it wait for the answer.
    pub(super) fn ask_to_attach(&mut self, from: &RequestHeader, options: Options, work: &mut Vec<Received>) {
        let Options { name, tells_guests, origin, configuration, debugging } = options;
        (self.part.name, self.part.is_told) = (name, tells_guests);
        self.origin = origin;
        self.configuration = configuration;
        self.debugging = debugging;
        let launch = Launch {
            stop_on_entry: Some(debugging.stops_on_entry),
            // Clients of the other protocols may attach to the same session.
            limits: Limits::PREVIEW,
            ..Launch::default()
        };
        let attach = Attach { launch: Some(launch), name: self.part.name.clone(), shows_breakpoints: false };
        self.ask_or(
            from,
            attach,
            work,
            |this, from, attached, out| {
                this.attach_is_answered();
                this.attached(from, attached, out);
            },
            |this, from, failure, refusal, out| {
                this.attach_is_answered();
                this.origin = Origin::None;
                this.leave();
                if failure.kind.blames_program() {
                    this.not_loaded(from, failure, refusal, Status::NotInitialized, out)
                } else {
                    this.numbering.failure(out, from, &refusal)
                }
            },
        );
        self.attaching.progress = Progress::Asked;
    }

    /// The client has attached to an existing session.
    fn attached(&mut self, from: &RequestHeader, attached: &Attached, out: &mut Messages) {
        let Attached { state, stop, dropped_output, process, guest } = attached;
        self.part.guest = guest.clone();
        self.phase = match state.status {
            Status::NotInitialized if guest.is_some() => Status::Exited,
            Status::NotInitialized => {
                self.origin = Origin::None;
                self.leave();
                let refusal = "no program is launched here".into();
                return self.numbering.failure(out, from, &refusal);
            }
            Status::Ready => Status::Ready,
            // The end of a program is reported by an event, after its output.
            Status::Running | Status::Exited => Status::Running,
            Status::Stopped => Status::Stopped,
        };
        self.debugging.keeps_history = state.keeps_history;
        self.program = state.file.clone();
        self.elsewhere.process = Some(*process).filter(|process| *process > 0);
        self.numbering.success(out, from, None::<()>);
        self.begin_elsewhere(out);
        self.process_event(if self.origin == Origin::Launched { "launch" } else { "attach" }, out);
        self.withdraw_going_back(out);
        if *dropped_output > 0 {
            let text = format!("The program has written {dropped_output} bytes more, which were not kept.\n");
            self.numbering.output(out, "console", &text);
        }
        if let Some(stop) = stop {
            self.stopped(stop, out);
        }
        if state.status == Status::NotInitialized {
            self.has_no_program("No program is loaded", out);
        }
        if self.phase == Status::Ready && self.configuring.is_done && !self.part.is_guest() {
            let mut work = Vec::new();
            self.start(None, &mut work);
            self.follow_up.append(&mut work);
        }
    }

    /// Handles a message of the client, at once or when its turn comes.
    pub(super) fn take_in(&mut self, bytes: Vec<u8>, work: &mut Vec<Received>) {
        if self.attaching.progress == Progress::Over {
            return self.message(&bytes, work);
        }
        if self.elsewhere.is_connecting() {
            match decode(&bytes) {
                Message::Response(..) => return self.message(&bytes, work),
                Message::Request(from, _) if from.command == "disconnect" => {
                    self.give_up_to_leave();
                    return self.message(&bytes, work);
                }
                Message::Request(..) | Message::WrongRequest(..) | Message::Wrong(_) => {}
            }
        }
        let is_asked = self.attaching.progress == Progress::Asked;
        if is_asked && matches!(decode(&bytes), Message::Request(from, _) if from.command == "disconnect") {
            self.wait_no_longer_than_a_moment();
        }
        self.attaching.waiting.push_back(bytes);
    }

    /// The request to attach was answered, whether it has succeeded or not.
    fn attach_is_answered(&mut self) {
        if self.attaching.progress == Progress::Asked {
            self.attaching.progress = Progress::Answered;
        }
    }

    /// Handles the messages that have waited, if they need not wait any more. Those that come meanwhile wait until
    /// the result was delivered and this was called again, so that no message overtakes another one.
    pub(super) fn handle_waiting(&mut self, work: &mut Vec<Received>) {
        while self.attaching.progress == Progress::Answered {
            match self.attaching.waiting.pop_front() {
                Some(bytes) => self.message(&bytes, work),
                None if work.is_empty() => self.attaching.progress = Progress::Over,
                None => return,
            }
        }
    }

    /// The client disconnects, which must be possible if the program does not answer. As in the session, that
    /// request waits for those before it for [`ORDER_GRACE`].
    fn wait_no_longer_than_a_moment(&self) {
        // If there is no thread, the client can still close the connection.
        self.later("disconnecting", ORDER_GRACE, |this, work| {
            if this.attaching.progress == Progress::Asked {
                this.attach_is_answered();
                this.handle_waiting(work);
            }
            None
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::protocol::FrontEnd;
    use crate::protocol::dap::new;
    use serde_json::json;

    fn framed(seq: i64, command: &str) -> Vec<u8> {
        let body = json!({"seq": seq, "type": "request", "command": command}).to_string();
        format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
    }

    #[test]
    fn a_client_can_leave_a_program_that_does_not_answer() {
        let front_end = new(true, false);
        // Answers of the adapter itself, and requests to the session.
        let made = || {
            let front_end = front_end.lock();
            (front_end.own.len(), front_end.asked.in_order().len())
        };
        let requests = [framed(1, "initialize"), framed(2, "attach"), framed(3, "threads")];
        front_end.lock().receive(&requests.concat());
        let before = made();
        assert_eq!(before.0, 1);
        front_end.lock().receive(&framed(4, "disconnect"));
        while made() == before {
            std::thread::yield_now();
        }
        assert_eq!(made(), (before.0 + 1, before.1 + 1));
    }
}
