//! What is recorded of a program so that its past can be run again.

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

/// What is needed to load the same program again.
#[derive(Clone)]
pub(crate) struct Origin {
    pub snapshot: Arc<Snapshot>,
    pub launch: Launch,
    /// The program's file, absolute, if the client need not name one.
    pub file: Option<PathBuf>,
    pub directory: PathBuf,
}

/// A change of breakpoints or watches, to be repeated in each instance.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Setting {
    /// With the last number that had been given to a breakpoint before.
    Breakpoint(u32, BreakpointRequest),
    Watch(WatchRequest),
}

/// A change that the client made to the program at a stop; it is repeated when an instance reaches the same
/// position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Intervention {
    pub position: Position,
    pub request: Inspect,
}

/// A journey: one run of an instance of the past, with a certain aim.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Journey {
    pub aim: Aim,
    /// The position of the live program: no instance goes further.
    pub present: Position,
    /// In order of position.
    pub interventions: Vec<Intervention>,
    /// Handles given during the journey have greater numbers.
    pub last_handle: u64,
    /// What the client saw before, if it was in the present.
    pub shown: Option<Shown>,
    /// Requests of the live engine up to this number were for earlier journeys.
    pub last_internal_request: u64,
}

impl Journey {
    /// The same journey, from a checkpoint.
    pub fn from(mut self, checkpoint: Position) -> Journey {
        self.interventions.retain(|intervention| intervention.position >= checkpoint);
        self
    }
}

/// What a journey is for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Aim {
    /// To stop at the first position not before this one, and handle requests there.
    Arrive(Position, Box<Arrival>),
    /// To record the positions from a step up to a position.
    Note(u64, Position),
    /// To record which breakpoints are hit between two positions.
    Hits(Position, Position),
    /// To find out when something was changed, up to a position.
    Search(Position, Question),
}

impl Aim {
    /// The step at which the journey ends, for reporting progress.
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
    /// The position from which on the instance has to run; `None`: from the beginning.
    pub fn start(&self) -> Option<Position> {
        match self {
            Aim::Arrive(position, _) | Aim::Hits(position, _) => Some(*position),
            Aim::Note(from, _) => Some(Position::place(*from)),
            Aim::Search(..) => None,
        }
    }
}

/// A search for changes of a variable or part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    pub query: LastChangeQuery,
    /// The position at which to resolve the expression.
    pub asked_at: Position,
    /// The data breakpoint for which all writes are wanted; `None`: only the last change is.
    pub breakpoint: Option<DataWatch>,
}

/// A data breakpoint to search for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DataWatch {
    pub id: BreakpointId,
    pub description: CompactString,
    pub condition: Option<String>,
}

/// A write that hits a data breakpoint, as it is to be reported.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Write {
    pub hit: Hit,
    pub written: Written,
    pub sentence: String,
}

/// How to report a stop in the past.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Arrival {
    pub reason: StopReason,
    pub breakpoints: Vec<BreakpointId>,
    /// The write just before the stop, and a sentence about it.
    pub written: Option<(Written, String)>,
}

impl Arrival {
    /// A stop without breakpoints.
    pub fn step(reason: StopReason) -> Arrival {
        Arrival { reason, breakpoints: Vec::new(), written: None }
    }
}

/// How a journey ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum JourneyEnd {
    /// It was cancelled.
    Left,
    /// It reached the present.
    Present,
    /// The positions (the latest, if there are too many), and the calls in progress after the last one.
    Notes(Vec<Note>, Calls),
    Hits(Vec<Hit>),
    LastChange(Box<Result<LastChange, Failure>>),
    Writes(Vec<Write>),
    /// The past cannot be reached: the instance failed, or did something else than the live program.
    Lost(String),
}

/// A message of a worker to the live engine.
#[derive(Serialize, Deserialize)]
pub(crate) enum WorkerMessage {
    Message(Message),
    /// The journey is over. With the number of the last handle given, and what the client has seen in the
    /// past, if it was there.
    Ended(JourneyEnd, u64, Option<Shown>),
}

/// The connection to a worker, in this process or in a copy.
pub(crate) struct WorkerLink {
    /// Sends it a message; has no effect if the worker has ended.
    pub send: Box<dyn Fn(ToWorker)>,
    pub messages: Receiver<WorkerMessage>,
    /// The step that the instance has reached, approximately.
    pub step: Arc<AtomicU64>,
    /// Number of settings (changes of breakpoints and watches) that it has.
    pub known: usize,
    /// Whether it is a thread of this process, which runs instances from the program's beginning.
    pub is_nested: bool,
}

/// The point at which a program is stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StopPoint {
    pub position: Position,
    pub depth: u32,
}

/// The history of a program.
pub(crate) struct History {
    pub record: Record,
    pub origin: Origin,
    /// The worker of the present, or the last, journey.
    pub worker: Option<WorkerLink>,
    /// The worker in this process, while another one is in use.
    pub nested: Option<WorkerLink>,
    pub checkpoints: Checkpoints,
    /// Number of requests that the live engine itself has made to workers.
    pub internal_requests: u64,
    /// The first step of `main`.
    pub entry: u64,
    /// Where the live program is stopped.
    pub present: StopPoint,
    /// Where the instance of the past is stopped, if the client is in the past.
    pub past: Option<StopPoint>,
    pub interventions: Vec<Intervention>,
    /// Why going back is not possible any more.
    pub lost: Option<String>,
    /// What the client has seen last, if that was in the past.
    pub shown: Option<Shown>,
    pub progress: JourneyProgress,
    /// Consecutive positions recorded by the last step back, and whether the first one is the program's
    /// beginning.
    pub notes: (Vec<Note>, bool),
}

impl History {
    pub fn new(record: Record, origin: Origin, pace: Pace) -> History {
        let present = StopPoint { position: Position::place(0), depth: 0 };
        History {
            record,
            origin,
            worker: None,
            nested: None,
            checkpoints: Checkpoints::new(pace),
            internal_requests: 0,
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

    /// Chooses a worker at the last checkpoint from which the aim can be reached; returns the checkpoint's
    /// position, or `None` if there is none.
    pub fn use_checkpoint(&mut self, aim: &Aim) -> Option<Position> {
        match self.checkpoints.worker(aim.start()?, &self.record) {
            Ok(found) => {
                let (position, worker) = found?;
                self.use_worker(worker);
                Some(position)
            }
            Err(_) => {
                self.checkpoints.clear();
                None
            }
        }
    }

    /// Chooses this worker for the next journey.
    pub fn use_worker(&mut self, worker: WorkerLink) {
        self.release_worker();
        self.worker = Some(worker);
    }

    /// Drops the worker in use; one in this process is kept for later.
    fn release_worker(&mut self) {
        self.nested = self.worker.take().filter(|worker| worker.is_nested).or(self.nested.take());
    }

    /// Chooses the worker in this process; returns `false` if there is none.
    pub fn use_nested(&mut self) -> bool {
        self.release_worker();
        self.worker = self.nested.take();
        self.worker.is_some()
    }

    /// The client's position.
    pub fn now(&self) -> StopPoint {
        self.past.unwrap_or(self.present)
    }
}
