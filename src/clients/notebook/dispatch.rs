//! The kernel's loop: takes what arrives from front ends and from the session, and hands it out.

use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use crossbeam_channel::{Receiver, at, never, select_biased};
use serde::Serialize;
use serde_json::{Value, json};

use super::Restrictions;
use super::asked::{Asked, Progress, error_content};
use super::cell_debugger::{self, CellDebugger};
use super::history::History;
use super::output::Output;
use super::running_cell::RunningCell;
use crate::protocol::dap::CellConventions;
use crate::protocol::jupyter::content::{ErrorContent, Nothing, Reply, ShutdownRequest, Status};
use crate::protocol::jupyter::{Arrival, Channel, Message, Outlet, Rejected, Signer};
use crate::protocol::{Pending, Sender};
use ez_engine::api::{CellSettings, Done, Event, Failure, Launch, Question, Request, RequestId, Response};
use ez_engine::session::{Item, Session};

/// How long the last messages may take to leave.
const FAREWELL: Duration = Duration::from_secs(2);

/// How many messages that had to be ignored are reported on standard error.
const REPORTED: u32 = 20;

/// Something that the operating system reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// Ctrl+C.
    Interrupt,
    /// The process that has started the kernel is gone.
    ParentIsGone,
}

/// Where everything comes from.
pub(super) struct Inputs {
    pub arrivals: Receiver<Result<Arrival, Rejected>>,
    pub items: Receiver<Item>,
    pub signals: Receiver<Signal>,
}

/// What to do with the response to a request to the session.
pub(super) type Then = Box<dyn FnOnce(&mut Kernel, Result<Response, Failure>)>;

/// A kernel: the state of its conversation with all front ends.
pub(super) struct Kernel {
    pub sender: Sender,
    pub outlet: Outlet,
    signer: Signer,
    inputs: Inputs,
    /// What follows the responses of the session.
    then: Pending<Then, RequestId>,
    /// Requests over the shell channel that are not begun.
    pub waiting: VecDeque<Asked>,
    pub running: Option<RunningCell>,
    /// The header of the cell that runs, or ran last.
    pub parent: Option<Bytes>,
    /// Number of the last cell.
    pub count: u64,
    pub history: History,
    pub output: Output,
    /// How cells are named.
    pub conventions: CellConventions,
    pub debugger: CellDebugger,
    /// How many messages had to be ignored.
    ignored: u32,
    /// What cells must not do.
    pub restrictions: Restrictions,
    /// The exit status, once the kernel is to end.
    ended: Option<u8>,
}

impl Kernel {
    pub fn new(
        sender: Sender,
        session: &Session,
        outlet: Outlet,
        signer: Signer,
        inputs: Inputs,
        folder: &Path,
    ) -> Kernel {
        let debugger = CellDebugger::new(session, cell_debugger::conventions(folder));
        Kernel {
            sender,
            outlet,
            signer,
            inputs,
            then: Pending::default(),
            waiting: VecDeque::new(),
            running: None,
            parent: None,
            count: 0,
            history: History::default(),
            output: Output::default(),
            conventions: cell_debugger::conventions(folder),
            debugger,
            ignored: 0,
            restrictions: Restrictions::default(),
            ended: None,
        }
    }

    /// Serves front ends until one of them ends the kernel; returns the exit status.
    pub fn run(&mut self, restrictions: &Restrictions) -> u8 {
        self.restrictions = restrictions.clone();
        self.status(None, "starting");
        let launch = Launch {
            cells: Some(CellSettings { colours: true, json: false }),
            keep_alive: true,
            deny: restrictions.deny.clone(),
            memory_limit: restrictions.memory,
            ..Launch::default()
        };
        self.ask(launch, |kernel, launched| {
            if let Err(failure) = launched {
                eprintln!("Error: {}", failure.message);
                kernel.ended = Some(1);
            }
        });
        let status = loop {
            if let Some(status) = self.ended {
                break status;
            }
            self.begin_waiting();
            self.wait();
        };
        self.flush_output();
        self.outlet.flush(FAREWELL);
        self.sender.send(Request::Terminate);
        status
    }

    /// Waits for something, and handles it. What front ends say comes first: the program may print for ever.
    fn wait(&mut self) {
        // While a front end is behind, the program's output waits in the session, and then the program.
        let items = if self.outlet.is_full() { never() } else { self.inputs.items.clone() };
        let due = self.output.due().map_or_else(never, at);
        select_biased! {
            recv(self.inputs.arrivals) -> arrival => match arrival {
                Ok(arrival) => self.arrived(arrival),
                Err(_) => self.ended = Some(1),
            },
            recv(self.inputs.signals) -> signal => match signal {
                Ok(Signal::Interrupt) => self.interrupt(),
                Ok(Signal::ParentIsGone) => self.ended = Some(0),
                Err(_) => {}
            },
            recv(due) -> _ => self.flush_output(),
            recv(items) -> item => match item {
                Ok(item) => self.item(item),
                Err(_) => self.ended = Some(1),
            },
            recv(self.outlet.has_room()) -> _ => {}
        }
    }

    /// Handles what has arrived and was not handled yet.
    pub fn take_arrivals(&mut self) {
        while let Ok(arrival) = self.inputs.arrivals.try_recv() {
            self.arrived(arrival);
        }
    }

    fn arrived(&mut self, arrival: Result<Arrival, Rejected>) {
        let decoded = arrival.and_then(|Arrival { channel, frames }| {
            Ok(Asked { channel, message: self.signer.decode(frames)? })
        });
        let asked = match decoded {
            Ok(asked) => asked,
            Err(why) => {
                self.ignored = self.ignored.saturating_add(1);
                if self.ignored <= REPORTED {
                    eprintln!("ez kernel: {why}; it is ignored");
                }
                return;
            }
        };
        match asked.channel {
            Channel::Shell => self.waiting.push_back(asked),
            Channel::Control => self.carry_out(asked),
            Channel::Stdin => self.input_arrived(&asked),
        }
    }

    /// Begins waiting requests. While a cell runs, only those that need no other cell, and only while it is
    /// stopped by the debugger: then the front end shows what they answer.
    fn begin_waiting(&mut self) {
        loop {
            let next = match &self.running {
                None => self.waiting.pop_front(),
                Some(running) if running.is_stopped() => {
                    let at = self.waiting.iter().position(|asked| asked.kind() != "execute_request");
                    at.and_then(|at| self.waiting.remove(at))
                }
                Some(_) => None,
            };
            match next {
                Some(asked) => self.carry_out(asked),
                None => return,
            }
        }
    }

    fn carry_out(&mut self, asked: Asked) {
        let parent = asked.message.raw_header.clone();
        self.status(Some(&parent), "busy");
        let progress = match asked.kind() {
            "kernel_info_request" => self.kernel_info(&asked),
            "execute_request" if asked.channel == Channel::Shell => self.execute(&asked),
            "complete_request" => self.complete(&asked),
            "inspect_request" => self.inspect(&asked),
            "is_complete_request" => self.is_complete(&asked),
            "history_request" => self.history(&asked),
            "comm_info_request" => self.comm_info(&asked),
            "comm_open" => self.comm_open(&asked),
            "debug_request" if asked.channel == Channel::Control => self.debug(&asked),
            "interrupt_request" => self.interrupt_request(&asked),
            "shutdown_request" => self.shutdown(&asked),
            kind if kind.ends_with("_request") => {
                Err(error_content("BadRequest", &format!("this kernel knows no {kind}")))
            }
            // A message that expects no reply, such as `comm_msg`.
            _ => Ok(Progress::Replied),
        };
        match progress {
            Ok(Progress::Later) => {}
            Ok(Progress::Replied) => self.status(Some(&parent), "idle"),
            Err(error) => {
                self.reply(&asked, &Reply::<Nothing>::Error(error));
                self.status(Some(&parent), "idle");
            }
        }
    }

    fn shutdown(&mut self, asked: &Asked) -> Result<Progress, ErrorContent> {
        let ShutdownRequest { restart } = asked.content()?;
        let content = json!({ "status": "ok", "restart": restart });
        self.reply(asked, &content);
        self.tell(Some(&asked.message.raw_header), "shutdown_reply", &content);
        self.ended = Some(0);
        Ok(Progress::Replied)
    }

    fn interrupt_request(&mut self, asked: &Asked) -> Result<Progress, ErrorContent> {
        self.interrupt();
        self.reply(asked, &Reply::Ok(Nothing {}));
        Ok(Progress::Replied)
    }

    fn item(&mut self, item: Item) {
        match item {
            Item::Response(id, result) => {
                if result == Ok(Response::Done(Done::Resumed)) {
                    self.set_stopped(false);
                }
                if let Some(id) = self.debugger.own(id) {
                    self.debug_response(id, &result);
                } else if let Some(then) = self.then.take(id) {
                    then(self, result);
                }
            }
            Item::Event(event) => self.event(event),
            Item::Output { source, text } => self.printed(source.stream, &text),
            Item::Reply(id) => {
                if let Some(id) = self.debugger.own(id) {
                    self.debug_reply(id);
                }
            }
        }
    }

    fn event(&mut self, event: Event) {
        // What was printed before it comes first.
        self.flush_output();
        self.debug_event(&event);
        match event {
            Event::InputRequested(_) => self.request_input(),
            Event::CellEnded(ended) => self.cell_ended(*ended),
            Event::Stopped(_) => self.set_stopped(true),
            Event::Failed(why) => {
                eprintln!("ez kernel: {why}");
                self.ended = Some(1);
            }
            Event::Exited(_) | Event::Terminated => self.ended = Some(1),
            Event::Log(text) => self.printed(ez_runtime::value::Stream::Stdout, &text),
            Event::WrongCondition(_)
            | Event::BreakpointsChanged { .. }
            | Event::WatchChanged(_)
            | Event::ChildStarted(_)
            | Event::Company(_)
            | Event::ChildEnded(_)
            | Event::Progress(_) => {}
        }
    }

    /// Makes a request to the session; `then` gets the answer.
    pub fn ask<Q: Question>(
        &mut self,
        question: Q,
        then: impl FnOnce(&mut Kernel, Result<Q::Answer, Failure>) + 'static,
    ) {
        let id = self.sender.send(question.into_request());
        let then = |kernel: &mut Kernel, result: Result<Response, Failure>| {
            then(kernel, result.and_then(Q::answer_from));
        };
        self.then.insert(id, Box::new(then));
    }

    /// Replies to a request.
    pub fn reply(&self, to: &Asked, content: &impl Serialize) {
        let kind = to.kind().strip_suffix("_request").unwrap_or(to.kind());
        let Message { identities, raw_header, .. } = &to.message;
        let kind = format!("{kind}_reply");
        let frames = self.signer.encode(identities, &kind, Some(raw_header), &json!({}), content);
        self.outlet.send(to.channel, frames);
    }

    /// Sends a message over the stdin channel to the front end that has sent a request.
    pub fn request(&self, of: &Message, kind: &str, content: &impl Serialize) {
        let frames = self.signer.encode(&of.identities, kind, Some(&of.raw_header), &json!({}), content);
        self.outlet.send(Channel::Stdin, frames);
    }

    /// Tells all front ends something that belongs to the request with the header `parent`.
    pub fn tell(&self, parent: Option<&Bytes>, kind: &str, content: &impl Serialize) {
        let topic = Bytes::copy_from_slice(kind.as_bytes());
        self.outlet.publish(self.signer.encode(&[topic], kind, parent, &json!({}), content));
    }

    /// Tells all front ends what the kernel does about a request.
    pub fn status(&self, parent: Option<&Bytes>, execution_state: &'static str) {
        self.tell(parent, "status", &Status { execution_state });
    }

    /// Sends the output that is held back.
    pub fn flush_output(&mut self) {
        if let Some(text) = self.output.take() {
            self.tell(self.parent.as_ref(), "stream", &text);
        }
    }
}

/// The message for a new subscriber of the iopub socket.
pub(super) fn welcome(signer: &Signer, topic: &[u8]) -> Vec<Bytes> {
    let subscription: Value = String::from_utf8_lossy(topic).into();
    let content = json!({ "subscription": subscription });
    signer.encode(&[Bytes::copy_from_slice(topic)], "iopub_welcome", None, &json!({}), &content)
}
