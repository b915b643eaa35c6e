//! What is kept of a program that runs, so that it can be run again: as data.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use compact_str::CompactString;
use crossbeam_channel::Receiver;

use crate::api::{
    BreakpointId, BreakpointRequest, Failure, Inspect, LastChange, LastChangeQuery, Launch, StopReason,
    WatchRequest, Written,
};
use crate::modules::Snapshot;
use crate::recording::Record;

use super::super::client::Message;
use super::super::shown::Shown;
use super::calls::Calls;
use super::checkpoints::{Checkpoints, Pace};
use super::plan::{Hit, Note};
use super::position::Position;
use super::progress::JourneyProgress;
use super::wire::ToWorker;

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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Setting {
    /// With the number that was used last before.
    Breakpoint(u32, BreakpointRequest),
    Watch(WatchRequest),
}

/// What the debugger did to the program at a stop; it is done again where the program runs again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Intervention {
    pub position: Position,
    pub request: Inspect,
}

/// What an instance is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
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

impl Journey {
    /// The same for an instance that begins at a checkpoint.
    pub fn from(mut self, checkpoint: Position) -> Journey {
        self.interventions.retain(|intervention| intervention.position >= checkpoint);
        self
    }
}

/// What an instance runs for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Aim {
    /// To stop at the first position from this one on, and to answer requests there.
    Arrive(Position, Box<Arrival>),
    /// To note positions, from this step on, up to a position.
    Note(u64, Position),
    /// To note which breakpoints are hit from a position on up to another one.
    Hits(Position, Position),
    /// To find out, up to a position, when something has changed.
    Search(Position, Question),
}

impl Aim {
    /// The step to which it leads.
    pub fn goal(&self) -> u64 {
        match self {
            Aim::Arrive(position, _)
            | Aim::Note(_, position)
            | Aim::Hits(_, position)
            | Aim::Search(position, _) => position.step,
        }
    }
}

impl Aim {
    /// Before which position nothing is wanted; `None` if everything is.
    pub fn start(&self) -> Option<Position> {
        match self {
            Aim::Arrive(position, _) | Aim::Hits(position, _) => Some(*position),
            Aim::Note(from, _) => Some(Position::place(*from)),
            Aim::Search(..) => None,
        }
    }
}

/// A variable or part, and what is to be known of its changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    pub query: LastChangeQuery,
    /// Where the expression means what is meant.
    pub asked_at: Position,
    /// The breakpoint for which all writes are wanted; the last change alone, if there is none.
    pub breakpoint: Option<DataWatch>,
}

/// A breakpoint on writes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DataWatch {
    pub id: BreakpointId,
    pub description: CompactString,
    pub condition: Option<String>,
}

/// A write that a breakpoint watches, as its stop is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Write {
    pub hit: Hit,
    pub written: Written,
    pub sentence: String,
}

/// What is said of a stop in the past.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum JourneyEnd {
    /// It was told to.
    Left,
    /// It came to the present.
    Present,
    /// The positions, without the first ones if there are too many, and the calls in progress behind them.
    Notes(Vec<Note>, Calls),
    Hits(Vec<Hit>),
    LastChange(Box<Result<LastChange, Failure>>),
    Writes(Vec<Write>),
    /// The program does not do what it did before.
    Lost(String),
}

/// What a worker tells.
#[derive(Serialize, Deserialize)]
pub(crate) enum Told {
    Message(Message),
    /// The journey is over; the number of the last handle that was given, and what the client has seen in the
    /// past, if it was there.
    Ended(JourneyEnd, u64, Option<Shown>),
}

/// The way to a worker, wherever it runs.
pub(crate) struct WorkerLink {
    /// Tells it something; nothing happens if it has ended.
    pub send: Box<dyn Fn(ToWorker)>,
    pub told: Receiver<Told>,
    /// The step to which it has come, about.
    pub step: Arc<AtomicU64>,
    /// How many settings it has.
    pub known: usize,
    /// Whether it begins where the program does, rather than at a checkpoint.
    pub is_nested: bool,
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
    /// The worker that makes the journey under way, or has made the last one.
    pub worker: Option<WorkerLink>,
    /// The worker on a thread of this process, which begins where the program does, while another one has
    /// its place.
    pub nested: Option<WorkerLink>,
    pub checkpoints: Checkpoints,
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
    pub fn new(record: Record, origin: Origin, pace: Pace) -> History {
        let present = Standing { position: Position::place(0), depth: 0 };
        History {
            record,
            origin,
            worker: None,
            nested: None,
            checkpoints: Checkpoints::new(pace),
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

    /// Gives the next journey to a worker at the checkpoint that is nearest to where it leads; `None` if
    /// there is none.
    pub fn employ_checkpoint(&mut self, aim: &Aim) -> Option<Position> {
        match self.checkpoints.worker(aim.start()?, &self.record) {
            Ok(found) => {
                let (position, worker) = found?;
                self.employ(worker);
                Some(position)
            }
            Err(_) => {
                self.checkpoints.clear();
                None
            }
        }
    }

    /// Gives the next journey to another worker.
    pub fn employ(&mut self, worker: WorkerLink) {
        self.retire();
        self.worker = Some(worker);
    }

    /// Gives the next journey to nobody so far.
    fn retire(&mut self) {
        self.nested = self.worker.take().filter(|worker| worker.is_nested).or(self.nested.take());
    }

    /// Gives the next journey to the worker that begins where the program does; `false` if there is none.
    pub fn employ_nested(&mut self) -> bool {
        self.retire();
        self.worker = self.nested.take();
        self.worker.is_some()
    }

    /// Where the client is.
    pub fn now(&self) -> Standing {
        self.past.unwrap_or(self.present)
    }
}
