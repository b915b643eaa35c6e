//! Cells, divided by lines `%%%%`, one after the other in one session.
//!
//! Each cell is refused with a report, or runs to its end, or can be ended; a refused cell changes nothing; between cells
//! all variables can be listed; and whether a text is complete is answered for any.

use std::collections::VecDeque;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ez_engine::api::{
    Cell, CellSettings, Event, Failure, GetVariables, InspectAnswer, Kill, Launch, Limits, Question, Request,
    RequestId, Response, RunCell,
};
use ez_engine::session::{Incoming, Item, Outgoing, Session, TERMINATE_GRACE, Waited, new_thread};
use ez_language::cells::completeness;
use ez_runtime::host::Commands;

use super::serving::engine;
use super::texts::PART;

/// Most cells of an input.
const CELLS: usize = 12;

/// How long a cell runs before it is ended.
const PATIENCE: Duration = Duration::from_millis(100);

/// What takes longer than this hangs.
const HANG: Duration = Duration::from_secs(20);

/// The memory limit of programs, in bytes.
const MEMORY: u64 = 200 << 20;

struct Notebook {
    session: Session,
    waiting: JoinHandle<u8>,
    last: u64,
    items: VecDeque<Item>,
}

pub fn target(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut notebook = Notebook::new();
    for (number, cell) in text.split(PART).take(CELLS).enumerate() {
        completeness(cell);
        let before = notebook.variables();
        if !notebook.run(number, cell) {
            assert_eq!(notebook.variables(), before, "a refused cell changes something: {cell}");
        }
    }
    notebook.variables();
    notebook.end();
}

impl Notebook {
    fn new() -> Notebook {
        let session = Session::new(Duration::ZERO, Commands::unguarded());
        session.start_engine(Box::new(engine("")), &new_thread);
        let to_end = session.clone();
        let waiting = std::thread::spawn(move || to_end.wait(Duration::from_secs(1), TERMINATE_GRACE));
        let mut notebook = Notebook { session, waiting, last: 0, items: VecDeque::new() };
        let cells = Some(CellSettings::default());
        let launch = Launch {
            cells,
            limits: Limits::PREVIEW,
            keep_alive: true,
            memory_limit: Some(MEMORY),
            ..Launch::default()
        };
        notebook.ask(launch.into_request()).expect("begins");
        notebook
    }

    /// Ends the session. Until all has been read, it waits, without limit.
    fn end(mut self) {
        self.ask(Request::Terminate).expect("terminated");
        while self.session.outbox().wait() {
            self.items.clear();
            self.session.outbox().take(&mut self.items);
            self.session.outbox().done();
        }
        self.waiting.join().expect("the session ends");
    }

    fn send(&mut self, request: Request) -> RequestId {
        self.last += 1;
        let id = RequestId(self.last);
        self.session.receive(vec![Incoming { id, request: Ok(request) }], false, || ());
        id
    }

    /// The next item, unless none comes in this time.
    fn next(&mut self, patience: Duration) -> Option<Item> {
        if self.items.is_empty() {
            let until = Instant::now() + patience;
            match self.session.outbox().wait_until(Some(until)) {
                Waited::Items => {
                    self.session.outbox().take(&mut self.items);
                    self.session.outbox().done();
                }
                Waited::TimeIsOver => return None,
                Waited::Closed => panic!("the session is over"),
            }
        }
        self.items.pop_front()
    }

    fn ask(&mut self, request: Request) -> Result<Response, Failure> {
        let id = self.send(request);
        let mut others = VecDeque::new();
        loop {
            match self.next(HANG).expect("an answer") {
                Item::Response(of, result) if of == id => {
                    others.append(&mut self.items);
                    self.items = others;
                    return result;
                }
                other => others.push_back(other),
            }
        }
    }

    fn variables(&mut self) -> String {
        let limits = Limits { parts: 20, bytes: 400 };
        match self.ask(GetVariables { frame: 0, scope: None, limits }.into_request()) {
            Ok(Response::Inspect(InspectAnswer::Variables(all))) => {
                let shown = all.iter().map(|it| format!("{} {:?}", it.name, it.held.value));
                shown.collect::<Vec<_>>().join("\n")
            }
            other => panic!("{other:?}"),
        }
    }

    /// Runs a cell until it ends, or ends it; whether it was not refused.
    fn run(&mut self, number: usize, text: &str) -> bool {
        let cell = Cell {
            text: text.into(),
            name: format!("Cell [{number}]"),
            path: format!("/cells/{number}.ez"),
            shows_value: number.is_multiple_of(2),
            stops_on_entry: false,
            refuses_input: true,
        };
        match self.ask(RunCell(cell).into_request()) {
            Ok(_) => {}
            Err(failure) => {
                assert!(failure.report.is_some_and(|report| !report.is_empty()), "refused without a report");
                return false;
            }
        }
        let mut is_ended = false;
        loop {
            match self.next(if is_ended { HANG } else { PATIENCE }) {
                Some(Item::Event(Event::CellEnded(_))) => return true,
                Some(_) => {}
                None => {
                    assert!(!is_ended, "it cannot be ended: {text}");
                    is_ended = true;
                    // It may have ended by itself.
                    self.send(Kill.into_request());
                }
            }
        }
    }
}
