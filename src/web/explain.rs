//! Explains why a program writes something else than is expected: the only client of a session in which that program is run
//! again, and taken back.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use super::turns::{Turn, Turns};
use crate::clients::cause::Line;
use crate::protocol::json::parse_bytes;
use crate::protocol::{FrontEnd, Messages, Received, SharedFrontEnd};
use ez_engine::api::{
    Difference, Event, ExpectedText, Failure, Input, Launch, Limits, Location, OutputMode, OutputSource,
    Question, Request, RequestNumber, Response, SetExpectedOutput, Start, write_json,
};
use ez_engine::session::Incoming;
use ez_runtime::sync::Mutex;

/// What the page sends, as a line of JSON.
#[derive(Deserialize)]
struct Wanted {
    /// What the program reads.
    input: String,
    /// What it has to print.
    output: String,
    /// Where the difference is that is explained, in bytes of what the program writes.
    offset: u64,
    /// The line that was printed there; `None`: nothing more was.
    printed: Option<String>,
}

/// A front end for the page that gets [`Wanted`], and sends one line of JSON: `cause`, the lines of the explanation, or
/// `reason`, why there is none.
pub fn front_end() -> SharedFrontEnd {
    Arc::new(Mutex::new(Explainer::default()))
}

#[derive(Default)]
struct Explainer {
    line: Vec<u8>,
    offset: u64,
    printed: Option<String>,
    state: State,
    /// The number of the latest request.
    last: u64,
    requests: Vec<Received>,
}

#[derive(Default)]
enum State {
    /// Until the program has stopped.
    #[default]
    Starts,
    /// A response is waited for, or a stop.
    Explains {
        turns: Turns,
        waits_for_stop: bool,
    },
    IsOver,
}

impl Explainer {
    fn request(&mut self, request: Request) {
        self.last += 1;
        let id = RequestNumber::of_low_bits(self.last);
        self.requests.push(Received::Message(Incoming { id, request: Ok(request) }));
    }

    fn start(&mut self, Wanted { input, output, offset, printed }: Wanted) {
        (self.offset, self.printed) = (offset, printed);
        let expected = Some(ExpectedText::Text(output));
        let launch = Launch {
            expected: Some(SetExpectedOutput { expected, mode: OutputMode::default() }),
            history: true,
            keep_alive: true,
            stop_on_entry: Some(false),
            limits: Limits::PREVIEW,
            ..Launch::default()
        };
        self.request(launch.into_request());
        self.request(Input { text: Some(input), eof: true }.into_request());
        self.request(Start { stop_on_entry: Some(false) }.into_request());
    }

    /// Does what comes next in an explanation.
    fn go_on(&mut self, turns: Turns, out: &mut Messages) {
        let (request, waits_for_stop) = match turns.next() {
            Turn::Ask(request) => (request, false),
            Turn::Travel(request) => (request, true),
            Turn::Done(explained) => return self.end(explained, out),
        };
        self.request(request);
        self.state = State::Explains { turns, waits_for_stop };
    }

    /// Sends the only line.
    fn end(&mut self, explained: Result<Vec<Line>, String>, out: &mut Messages) {
        if let State::IsOver = std::mem::replace(&mut self.state, State::IsOver) {
            return;
        }
        let line = |Line { indent, text, location, step }: Line| {
            let Location { path, line, column } = location;
            json!({"indent": indent, "text": text, "file": path, "line": line, "column": column, "step": step})
        };
        let told = match explained {
            Ok(lines) => json!({"cause": lines.into_iter().map(line).collect::<Vec<_>>()}),
            Err(reason) => json!({ "reason": reason }),
        };
        out.add(|bytes| {
            write_json(bytes, &told);
            bytes.push(b'\n');
        });
    }

    /// The program has stopped.
    fn stopped(&mut self, difference: Option<Difference>, out: &mut Messages) {
        let is_same = |found: &Difference| {
            let printed = found.actual.map(|_| &found.actual_line);
            found.offset == self.offset && printed == self.printed.as_ref()
        };
        match difference.filter(is_same) {
            Some(difference) => self.go_on(Turns::new(difference), out),
            None => self.end(Err("this time the program has printed something else".into()), out),
        }
    }
}

impl FrontEnd for Explainer {
    fn receive(&mut self, bytes: &[u8]) -> Vec<Received> {
        self.line.extend_from_slice(bytes);
        if self.last == 0
            && let Some(line) = self.line.strip_suffix(b"\n")
            && let Ok(wanted) = parse_bytes(line)
        {
            self.start(wanted);
        }
        self.follow_up()
    }

    fn end_of_input(&mut self) -> Vec<Received> {
        Vec::new()
    }

    fn follow_up(&mut self) -> Vec<Received> {
        std::mem::take(&mut self.requests)
    }

    fn response(&mut self, id: RequestNumber, result: &Result<Response, Failure>, out: &mut Messages) {
        let result = result.clone().map_err(|failure| failure.message);
        match std::mem::take(&mut self.state) {
            State::Starts => match result {
                Ok(_) => {}
                Err(reason) => self.end(Err(reason), out),
            },
            State::Explains { mut turns, waits_for_stop } if id == RequestNumber::of_low_bits(self.last) => {
                match (waits_for_stop, result) {
                    (false, result) => turns.respond(result),
                    (true, Err(reason)) => turns.arrive(Err(reason)),
                    (true, Ok(_)) => return self.state = State::Explains { turns, waits_for_stop },
                }
                self.go_on(turns, out);
            }
            state => self.state = state,
        }
    }

    fn event(&mut self, event: &Event, out: &mut Messages) {
        match (event, std::mem::take(&mut self.state)) {
            (Event::Stopped(stop), State::Starts) => self.stopped(stop.difference.as_deref().cloned(), out),
            (Event::Stopped(stop), State::Explains { mut turns, waits_for_stop: true }) => {
                turns.arrive(Ok(stop.clone()));
                self.go_on(turns, out);
            }
            (Event::Exited(_) | Event::Failed(_) | Event::Terminated, state) => {
                self.state = state;
                self.end(Err("the program has ended".into()), out);
            }
            (_, state) => self.state = state,
        }
    }

    fn output(&mut self, _: OutputSource, _: &str, _: &mut Messages) {}
}
