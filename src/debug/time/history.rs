//! What is kept of a program that runs, so that it can be run again: as data.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use compact_str::CompactString;
use crossbeam_channel::{Receiver, Sender};

use crate::api::{
    BreakpointId, BreakpointRequest, Failure, Inspect, LastChange, LastChangeQuery, Launch, Request,
    RequestId, StopReason, WatchRequest, Written,
};
use crate::modules::Snapshot;
use crate::recording::Record;

use super::super::client::Message;
use super::super::control::InterruptHandle;
use super::super::shown::Shown;
use super::plan::{Hit, Note};
use super::position::Position;
use super::progress::JourneyProgress;

/// What makes the same program again.
#[derive(Clone)]
pub(crate) struct Origin {
    pub snapshot: Arc<Snapshot>,
    pub launch: Launch,
    /// The program's file, if the client need not name it.
    pub file: Option<PathBuf>,
    pub directory: PathBuf,
}

/// A change of what the debugger has set, to be made in each instance.
#[derive(Clone, Debug)]
pub(crate) enum Setting {
    /// With the number that was used last before.
    Breakpoint(u32, BreakpointRequest),
    Watch(WatchRequest),
}

/// What the debugger did to the program at a stop; it is done again where the program runs again.
#[derive(Clone, Debug)]
pub(crate) struct Intervention {
    pub position: Position,
    pub request: Inspect,
}

/// What an instance is to do.
#[derive(Clone, Debug)]
pub(crate) struct Journey {
    pub aim: Aim,
    /// Where the live program is: no instance goes beyond.
    pub present: Position,
    /// In order of their positions.
    pub interventions: Vec<Intervention>,
    /// Handles given are greater than this.
    pub last_handle: u64,
    /// What the client saw before, if it was the present.
    pub shown: Option<Shown>,
    /// Requests of the live engine's own up to this one are about earlier journeys.
    pub last_order: u64,
}

/// What an instance runs for.
#[derive(Clone, Debug)]
pub(crate) enum Aim {
    /// To stop at the first position from this one on, and to answer requests there.
    Arrive(Position, Box<Arrival>),
    /// To note positions, from this step on, up to a position.
    Note(u64, Position),
    /// To note which breakpoints are hit up to a position.
    Hits(Position),
    /// To find out, up to a position, when something has changed.
    Search(Position, Question),
}

impl Aim {
    /// The step to which it leads.
    pub fn goal(&self) -> u64 {
        match self {
            Aim::Arrive(position, _)
            | Aim::Note(_, position)
            | Aim::Hits(position)
            | Aim::Search(position, _) => position.step,
        }
    }
}

/// A variable or part, and what is to be known of its changes.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub query: LastChangeQuery,
    /// Where the expression means what is meant.
    pub asked_at: Position,
    /// The breakpoint for which all writes are wanted; the last change alone, if there is none.
    pub breakpoint: Option<DataWatch>,
}

/// A breakpoint on writes.
#[derive(Clone, Debug)]
pub(crate) struct DataWatch {
    pub id: BreakpointId,
    pub description: CompactString,
    pub condition: Option<String>,
}

/// A write that a breakpoint watches, as its stop is told.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub hit: Hit,
    pub written: Written,
    pub sentence: String,
}

/// What is said of a stop in the past.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub reason: StopReason,
    pub breakpoints: Vec<BreakpointId>,
    /// The write that was made just before, and a sentence that says so.
    pub written: Option<(Written, String)>,
}

impl Arrival {
    /// That of a step.
    pub fn step(reason: StopReason) -> Arrival {
        Arrival { reason, breakpoints: Vec::new(), written: None }
    }
}

/// How a journey ended.
#[derive(Clone, Debug)]
pub(crate) enum JourneyEnd {
    /// It was told to.
    Left,
    /// It came to the present.
    Present,
    Notes(Vec<Note>),
    Hits(Vec<Hit>),
    LastChange(Box<Result<LastChange, Failure>>),
    Writes(Vec<Write>),
    /// The program does not do what it did before.
    Lost(String),
}

/// What a worker tells.
pub(crate) enum Told {
    Message(Message),
    /// The journey is over; the number of the last handle that was given, and what the client has seen in the
    /// past, if it was there.
    Ended(JourneyEnd, u64, Option<Shown>),
}

/// What a worker is told, besides requests.
pub(crate) enum Order {
    /// Kept by the table of breakpoints and watches.
    Set(Vec<Setting>),
    Go(Box<Journey>),
}

/// The way to a worker. It ends when this is dropped.
pub(crate) struct WorkerLink {
    pub orders: Sender<Order>,
    pub requests: Sender<(RequestId, Request)>,
    pub told: Receiver<Told>,
    pub interrupt: InterruptHandle,
    /// The step to which it has come, about.
    pub step: Arc<AtomicU64>,
}

impl Drop for WorkerLink {
    fn drop(&mut self) {
        let (requests, _) = crossbeam_channel::bounded(0);
        self.requests = requests;
        self.interrupt.raise();
    }
}

/// Where an instance of the past stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub position: Position,
    pub depth: u32,
}

/// The history of a program.
pub(crate) struct History {
    pub record: Record,
    pub origin: Origin,
    pub worker: Option<WorkerLink>,
    /// How many settings the worker has.
    pub known: usize,
    /// How many requests the live engine itself has made of it.
    pub orders: u64,
    /// The first step of `main`.
    pub entry: u64,
    /// Where the live program stands.
    pub present: Standing,
    /// Where the past stands, if the client is there.
    pub past: Option<Standing>,
    pub interventions: Vec<Intervention>,
    /// Why one cannot go back any more.
    pub lost: Option<String>,
    /// What the client has seen last, if that was the past.
    pub shown: Option<Shown>,
    pub progress: JourneyProgress,
    /// Positions noted by the last step back: without a gap, and whether from the beginning on.
    pub notes: (Vec<Note>, bool),
}

impl History {
    pub fn new(record: Record, origin: Origin) -> History {
        let present = Standing { position: Position::place(0), depth: 0 };
        History {
            record,
            origin,
            worker: None,
            known: 0,
            orders: 0,
            entry: 0,
            present,
            past: None,
            interventions: Vec::new(),
            lost: None,
            shown: None,
            progress: JourneyProgress::default(),
            notes: (Vec::new(), false),
        }
    }

    /// Where the client is.
    pub fn now(&self) -> Standing {
        self.past.unwrap_or(self.present)
    }
}
