//! Runs a program under the engine on a thread of its own and talks to it as a session would.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use ez_debugger::debug::{self, BreakpointSpec, Event, InterruptHandle, Request, Resume, StopReason};
use ez_debugger::host::SystemHost;
use ez_debugger::interp::STACK_SIZE;
use ez_debugger::modules::MemoryLoader;
use ez_debugger::value::{Host, HostAnswer, Job, JobResult, Stream, SystemError, Waited};

/// A test that waits longer than this hangs.
const HANG: Duration = Duration::from_secs(60);

const FILE: &str = "/program/main.ez";

pub struct Driver {
    requests: Sender<Request>,
    events: Receiver<Event>,
    control: InterruptHandle,
    output: Arc<Mutex<String>>,
    changed: String,
}

struct Capture {
    output: Arc<Mutex<String>>,
    inner: SystemHost,
}

impl Host for Capture {
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
    fn sleep(&mut self, time: Duration) -> Option<Duration> {
        self.inner.sleep(time)
    }
    fn now(&mut self) -> (i64, u32) {
        self.inner.now()
    }
    fn random(&mut self) -> u64 {
        self.inner.random()
    }
    fn request(&mut self, request: ez_debugger::value::HostRequest) -> Result<HostAnswer, SystemError> {
        self.inner.request(request)
    }
    fn start(&mut self, job: Job) -> u64 {
        self.inner.start(job)
    }
    fn finish(&mut self, job: u64) -> Waited<JobResult> {
        self.inner.finish(job)
    }
    fn cancel(&mut self, job: u64) {
        self.inner.cancel(job)
    }
}

impl Driver {
    /// Starts a program with breakpoints (numbered from 1) at these lines.
    pub fn start(program: &str, stop_at_entry: bool, lines: &[u32]) -> Driver {
        let (requests, from_session) = unbounded();
        let (to_session, events) = unbounded();
        let control = InterruptHandle::new();
        let output = Arc::new(Mutex::new(String::new()));
        for (i, line) in lines.iter().enumerate() {
            let spec = BreakpointSpec { id: i as u32 + 1, path: FILE.into(), line: *line, condition: None };
            requests.send(Request::SetBreakpoint(spec)).expect("open");
        }
        let (text, thread_control, capture) = (program.to_string(), control.clone(), output.clone());
        std::thread::Builder::new()
            .stack_size(STACK_SIZE)
            .spawn(move || {
                let mut loader = MemoryLoader::new();
                loader.add(FILE, text);
                let path = PathBuf::from(FILE);
                let loaded = match debug::load(&loader, debug::Source::File(&path, "main.ez")) {
                    Ok(loaded) => loaded,
                    Err(failure) => panic!("{failure:?}"),
                };
                let inner = SystemHost::new(Some(thread_control.interrupt_flag()));
                let host = Box::new(Capture { output: capture, inner });
                let tell = move |event| drop(to_session.send(event));
                debug::run(&loaded, host, from_session, tell, thread_control);
            })
            .expect("a thread");
        requests.send(Request::Start { stop_at_entry }).expect("open");
        let mut driver = Driver { requests, events, control, output, changed: String::new() };
        for _ in lines {
            match driver.event() {
                Event::BreakpointSet(Ok(_)) => {}
                other => panic!("{other:?}"),
            }
        }
        driver
    }

    fn event(&mut self) -> Event {
        self.events.recv_timeout(HANG).expect("an event")
    }

    pub fn send(&self, request: Request) {
        self.requests.send(request).expect("open");
    }

    /// The next stop or end, as text.
    pub fn next(&mut self) -> String {
        match self.event() {
            Event::Stopped(stop) => {
                let changed: Vec<String> =
                    stop.changed.iter().map(|v| format!("{}={}", v.name, v.value)).collect();
                self.changed = changed.join(" ");
                let reason = match stop.reason {
                    StopReason::Entry => "entry".into(),
                    StopReason::Step => "step".into(),
                    StopReason::Pause => "pause".into(),
                    StopReason::Breakpoint(id) => format!("breakpoint {id}"),
                };
                let function = self.frames().first().map(|f| f.0.clone()).unwrap_or_default();
                format!("{reason} {function}:{}", stop.location.line)
            }
            Event::Ended(end) if end.terminated => "terminated".into(),
            Event::Ended(end) => match end.error {
                None => format!("ended {}", end.status),
                Some(e) => {
                    let line = e.location.map_or(0, |l| l.line);
                    let stack: Vec<String> =
                        e.stack.iter().map(|f| format!("{}:{}", f.function, f.location.line)).collect();
                    format!(
                        "ended {} {} {} at {line} [{}]",
                        end.status,
                        e.code.as_str(),
                        e.message,
                        stack.join(" ")
                    )
                }
            },
            other => panic!("{other:?}"),
        }
    }

    pub fn resume(&mut self, how: Resume) -> String {
        self.send(Request::Resume(how));
        self.next()
    }

    /// Resumes until the end; what happened at each stop.
    pub fn walk(&mut self, how: Resume, limit: usize) -> Vec<String> {
        let mut seen = vec![self.next()];
        while seen.last().is_some_and(|s| !s.starts_with("ended")) && seen.len() < limit {
            let next = self.resume(how);
            seen.push(next);
        }
        seen
    }

    fn frames(&mut self) -> Vec<(String, u32)> {
        self.send(Request::StackTrace);
        match self.event() {
            Event::StackTrace { frames, .. } => {
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
        self.send(Request::Variables { frame });
        match self.event() {
            Event::Variables(Ok(all)) => {
                let all: Vec<String> = all.iter().map(|v| format!("{}={}", v.name, v.value)).collect();
                all.join(" ")
            }
            other => panic!("{other:?}"),
        }
    }

    pub fn evaluate(&mut self, expression: &str, frame: usize) -> String {
        self.send(Request::Evaluate { expression: expression.into(), frame });
        match self.event() {
            Event::Evaluated(Ok(e)) => format!("{}: {}", e.result, e.type_name),
            Event::Evaluated(Err(message)) => format!("error: {message}"),
            other => panic!("{other:?}"),
        }
    }

    pub fn breakpoint(&mut self, id: u32, line: u32, condition: Option<&str>) {
        let condition = condition.map(str::to_string);
        self.send(Request::SetBreakpoint(BreakpointSpec { id, path: FILE.into(), line, condition }));
        match self.event() {
            Event::BreakpointSet(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    }

    pub fn pause(&self) {
        self.send(Request::Pause);
        self.control.raise();
    }

    pub fn terminate(&self) {
        self.send(Request::Terminate);
        self.control.raise();
    }

    pub fn changed(&self) -> String {
        self.changed.clone()
    }

    pub fn output(&self) -> String {
        self.output.lock().expect("not poisoned").clone()
    }
}
