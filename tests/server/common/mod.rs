//! Runs a program under the engine on a thread of its own and talks to it as a session would.

use std::io;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use ez_debugger::protocol::value_text::{type_text, whole_text};
use ez_engine::api::{
    BreakpointRequest, Done, Evaluate, Event, Failure, GetStackTrace, GetVariables, Inspect, InspectAnswer,
    Launch, Limits, LineSpec, Purpose, Request, RequestId, Response, Resume, SetBreakpoint, StackTrace,
    StopReason, Variable,
};
use ez_engine::debug::{self, HostSetup, InterruptHandle, Message, Pace, Setup};
use ez_language::modules::MemoryLoader;
use ez_runtime::host::SystemHost;
use ez_runtime::interp::STACK_SIZE;
use ez_runtime::value::{Host, Stream, Waited, WrapsHost};

/// A test that waits longer than this hangs.
const HANG: Duration = Duration::from_secs(60);

const FILE: &str = "/program/main.ez";

pub struct Driver {
    requests: Sender<(RequestId, Request)>,
    messages: Receiver<Message>,
    interrupt: InterruptHandle,
    /// What is sent at the next stop, before the watches are computed.
    at_stop: Arc<Mutex<Vec<(RequestId, Request)>>>,
    output: Arc<Mutex<String>>,
    changed: String,
    last: u64,
}

struct Capture {
    output: Arc<Mutex<String>>,
    inner: SystemHost,
}

impl WrapsHost for Capture {
    fn inner(&self) -> &dyn Host {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Host {
        &mut self.inner
    }

    fn write(&mut self, _: Stream, text: &str) -> io::Result<()> {
        self.output.lock().expect("not poisoned").push_str(text);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        Ok(Waited::Done(None))
    }
}

impl Driver {
    /// Starts a program with breakpoints (numbered from 1) at these lines.
    pub fn start(program: &str, stop_at_entry: bool, lines: &[u32]) -> Driver {
        Driver::start_with(Launch { stop_on_entry: Some(stop_at_entry), ..Launch::default() }, program, lines)
    }

    /// Starts a program in this way.
    pub fn start_with(launch: Launch, program: &str, lines: &[u32]) -> Driver {
        let (requests, from_session) = unbounded();
        let (to_session, messages) = unbounded();
        let interrupt = InterruptHandle::new();
        let output = Arc::new(Mutex::new(String::new()));
        let (text, handle, capture) = (program.to_string(), interrupt.clone(), output.clone());
        let at_stop: Arc<Mutex<Vec<_>>> = Arc::default();
        let (sender, sent_at_stop, waker) = (requests.clone(), at_stop.clone(), interrupt.clone());
        let client = move |message| {
            let stops = matches!(message, Message::Event(Event::Stopped(_)));
            let _ = to_session.send(message);
            let due =
                if stops { std::mem::take(&mut *sent_at_stop.lock().expect("not poisoned")) } else { vec![] };
            for request in due {
                let _ = sender.send(request);
                waker.raise();
            }
        };
        let make_host = move |setup: HostSetup| -> Box<dyn Host> {
            let inner = SystemHost::new(Some(setup.interrupt.interrupt_flag()));
            Box::new(Capture { output: capture.clone(), inner })
        };
        std::thread::Builder::new()
            .stack_size(STACK_SIZE)
            .spawn(move || {
                let mut loader = MemoryLoader::new();
                loader.add(FILE, text);
                let setup = Setup {
                    loader: Rc::new(loader),
                    make_host: Box::new(make_host),
                    file: Some(FILE.into()),
                    directory: "/".into(),
                    checkpoints: Pace::Never,
                };
                debug::serve(setup, from_session, client, handle);
            })
            .expect("a thread");
        let mut driver =
            Driver { requests, messages, interrupt, at_stop, output, changed: String::new(), last: 0 };
        driver.ask(Request::Initialize(Box::new(launch)));
        for line in lines {
            driver.breakpoint(*line, None);
        }
        driver.ask(Request::Start(None));
        driver
    }

    fn message(&mut self) -> Message {
        self.messages.recv_timeout(HANG).expect("a message")
    }

    pub fn send(&mut self, request: Request) {
        self.last += 1;
        self.requests.send((RequestId(self.last), request)).expect("open");
    }

    /// Sends requests at the next stop, before the watches are computed.
    pub fn send_at_stop(&mut self, requests: &[Request]) {
        for request in requests {
            self.last += 1;
            self.at_stop.lock().expect("not poisoned").push((RequestId(self.last), request.clone()));
        }
    }

    /// The next messages up to this one: the numbers of the requests that are answered, and reasons of stops.
    pub fn until(&mut self, end: &str) -> Vec<String> {
        let mut seen = Vec::new();
        while seen.last().is_none_or(|last| last != end) {
            seen.extend(match self.message() {
                Message::Response(id, Ok(_)) => Some(id.0.to_string()),
                Message::Response(id, Err(failure)) => Some(format!("{}: {}", id.0, failure.message)),
                Message::Event(Event::Stopped(stop)) => Some(format!("{:?}", stop.reason)),
                Message::Event(_) => None,
            });
        }
        seen
    }

    /// The number of the request that was sent last.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Sends a request, and gives what it is answered.
    fn result(&mut self, request: Request) -> Result<Response, Failure> {
        self.send(request);
        match self.message() {
            Message::Response(_, result) => result,
            Message::Event(event) => panic!("{event:?}"),
        }
    }

    pub fn ask(&mut self, request: Request) -> Response {
        self.result(request).unwrap_or_else(|failure| panic!("{failure:?}"))
    }

    /// The next stop or end, as text.
    pub fn next(&mut self) -> String {
        match self.message() {
            Message::Event(Event::Stopped(stop)) => {
                self.changed = texts(&stop.changed);
                let reason = match stop.reason {
                    StopReason::Entry => "entry".into(),
                    StopReason::Step => "step".into(),
                    StopReason::Pause => "pause".into(),
                    StopReason::Breakpoint(id) => format!("breakpoint {}", id.0),
                    other => format!("{other:?}"),
                };
                let function = self.frames().first().map(|f| f.0.clone()).unwrap_or_default();
                format!("{reason} {function}:{}", stop.location.line)
            }
            Message::Event(Event::Exited(end)) => match end.error {
                None => format!("ended {}", end.status),
                Some(e) => {
                    let line = e.location.map_or(0, |l| l.line);
                    let stack: Vec<String> =
                        e.stack.iter().map(|f| format!("{}:{}", f.function, f.location.line)).collect();
                    let (code, stack) = (e.code.as_str(), stack.join(" "));
                    format!("ended {} {code} {} at {line} [{stack}]", end.status, e.message)
                }
            },
            // What was sent without waiting for its answer.
            Message::Response(_, Ok(Response::Done(Done::Pausing | Done::Resumed | Done::Detached))) => {
                self.next()
            }
            Message::Response(_, Ok(Response::Done(Done::Terminating))) => "terminated".into(),
            other => panic!("{other:?}"),
        }
    }

    pub fn resume(&mut self, how: Resume) -> String {
        self.ask(Request::Resume(how));
        self.next()
    }

    /// Resumes until the end; what happened at each stop.
    pub fn walk(&mut self, how: Resume, limit: usize) -> Vec<String> {
        let mut seen = vec![self.next()];
        while seen.last().is_some_and(|s| !s.starts_with("ended")) && seen.len() < limit {
            let next = self.resume(how.clone());
            seen.push(next);
        }
        seen
    }

    fn frames(&mut self) -> Vec<(String, u32)> {
        match self.ask(Request::Inspect(Inspect::StackTrace(GetStackTrace { start: 0, count: 100 }))) {
            Response::Inspect(InspectAnswer::StackTrace(StackTrace { frames, .. })) => {
                frames.into_iter().map(|f| (f.function, f.location.line)).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    pub fn stack(&mut self) -> String {
        let frames: Vec<String> = self.frames().into_iter().map(|(f, l)| format!("{f}:{l}")).collect();
        frames.join(" ")
    }

    pub fn variables(&mut self, frame: usize) -> String {
        match self.ask(Request::Inspect(Inspect::Variables(GetVariables {
            frame,
            scope: None,
            limits: Limits::PREVIEW,
        }))) {
            Response::Inspect(InspectAnswer::Variables(all)) => texts(&all),
            other => panic!("{other:?}"),
        }
    }

    pub fn evaluate(&mut self, expression: &str, frame: usize) -> String {
        let expression = expression.to_string();
        let (purpose, limits) = (Purpose::Plain, Limits::PREVIEW);
        let request = Evaluate { expression, frame, purpose, timeout_ms: None, limits };
        match self.result(Request::Inspect(Inspect::Evaluate(request))) {
            Ok(Response::Inspect(InspectAnswer::Evaluate(held))) => {
                format!("{}: {}", whole_text(&held.value), type_text(&held))
            }
            Err(failure) => format!("error: {}", failure.message),
            other => panic!("{other:?}"),
        }
    }

    /// Sets a breakpoint, which gets the next number unless there is one at that line.
    pub fn breakpoint(&mut self, line: u32, condition: Option<&str>) {
        let condition = condition.map(str::to_string);
        let mut spec = LineSpec::from(line);
        spec.options.condition = condition;
        self.ask(Request::Breakpoint(BreakpointRequest::Set(SetBreakpoint { file: FILE.into(), spec })));
    }

    /// Sends a request to a program that runs.
    pub fn interrupt(&mut self, request: Request) {
        self.send(request);
        self.interrupt.raise();
    }

    pub fn pause(&mut self) {
        self.interrupt(Request::Pause);
    }

    pub fn detach(&mut self) {
        self.interrupt(Request::Detach);
    }

    pub fn terminate(&mut self) {
        self.interrupt(Request::Terminate);
    }

    pub fn changed(&self) -> String {
        self.changed.clone()
    }

    pub fn output(&self) -> String {
        self.output.lock().expect("not poisoned").clone()
    }
}

fn texts(variables: &[Variable]) -> String {
    let texts: Vec<String> =
        variables.iter().map(|v| format!("{}={}", v.name, whole_text(&v.held.value))).collect();
    texts.join(" ")
}
