//! The history of a program: what is kept so that its past can be run again, and where the client is in it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::api::{Failure, Launch};
use crate::debug::history::aim::Aim;
use crate::debug::history::checkpoints::{Checkpoints, Pace};
use crate::debug::history::hits::counts::Counts;
use crate::debug::history::messages::Intervention;
use crate::debug::history::position::RunPosition;
use crate::debug::history::positions::aim::Recorded;
use crate::debug::history::positions::plan::Back;
use crate::debug::history::progress::JourneyProgress;
use crate::debug::history::worker::link::WorkerLink;
use crate::debug::inspect::variable_snapshot::VariableSnapshot;
use crate::recording::Record;
use ez_language::modules::Snapshot;

/// What is needed to load the same program again.
#[derive(Clone)]
pub(crate) struct Origin {
    pub snapshot: Arc<Snapshot>,
    pub launch: Launch,
    /// The program's file, absolute, if the client need not name one.
    pub file: Option<PathBuf>,
    pub directory: PathBuf,
}

/// The point at which a program is stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StopPoint {
    pub position: RunPosition,
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
    /// The first step of `main`; 0 until that begins.
    pub entry: u64,
    /// Where the live program is stopped.
    pub present: StopPoint,
    /// Where the instance of the past is stopped, if the client is in the past.
    pub past: Option<StopPoint>,
    /// Whether it is stopped in a wait for something outside.
    pub waits: bool,
    pub interventions: Vec<Intervention>,
    /// The steps at which run-time errors were raised; ensured calls run after them.
    pub raised: Vec<u64>,
    /// Why going back is not possible any more.
    pub lost: Option<String>,
    /// What the client has seen last, if that was in the past.
    pub shown: Option<VariableSnapshot>,
    pub progress: JourneyProgress,
    /// The positions recorded by the last step back.
    pub notes: Notes,
    /// Where the numbers of hits were counted last.
    pub counted: Option<Counted>,
}

/// Numbers of hits up to a position.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    /// Hits at this position are included.
    pub through: RunPosition,
    pub counts: Counts,
    /// Number of settings (changes of breakpoints and watches) at that time.
    pub settings: usize,
}

/// Consecutive positions that a journey has recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// The positions from a step up to a position.
    pub from: u64,
    pub until: Option<RunPosition>,
    /// Whether the first one is the beginning of the program, or of `main`.
    pub is_whole: bool,
    pub recorded: Recorded,
}

impl Notes {
    /// Whether the positions between a step and a position are known.
    pub fn cover(&self, from: u64, until: RunPosition, is_whole: bool) -> bool {
        self.from <= from && self.until.is_some_and(|known| known >= until) && (self.is_whole || !is_whole)
    }

    /// The step of the first place of the call whose beginning is wanted, if it began before these notes.
    pub fn beginning(&self, back: Back) -> Option<u64> {
        let Back::ToBeginning(depth) = back else { return None };
        self.recorded.begins.get(depth as usize).copied()
    }

    /// Where to look further for the goal of a step back from `until`, which is before these notes: the
    /// position up to which to look, and whether that is far from them. `depth` is that of the client's
    /// position, `lowest` the least on the way.
    pub fn before(&self, back: Back, until: RunPosition, depth: u32, lowest: u32) -> (RunPosition, bool) {
        // Calls deeper than the goal are passed over as a whole.
        let deepest = match back {
            Back::Into => None,
            Back::Over | Back::Previous => Some(lowest),
            Back::Out => depth.checked_sub(1).map(|outer| outer.min(lowest)),
            Back::ToBeginning(_) => None,
        };
        let call = deepest.and_then(|deepest| self.recorded.begins.get(deepest as usize + 1));
        if let Some(begin) = call.filter(|begin| **begin < self.from) {
            return (RunPosition::place(*begin), true);
        }
        // The first position was not decided on, since the one before it is not known.
        let second = self.recorded.notes.get(1).map(|note| note.position).filter(|second| *second < until);
        (second.unwrap_or(RunPosition::place(self.from)), false)
    }
}

impl History {
    pub fn new(record: Record, origin: Origin, pace: Pace) -> History {
        let present = StopPoint { position: RunPosition::BEGINNING, depth: 0 };
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
            waits: false,
            interventions: Vec::new(),
            raised: Vec::new(),
            lost: None,
            shown: None,
            progress: JourneyProgress::default(),
            notes: Notes::default(),
            counted: None,
        }
    }

    /// Chooses a worker at the last checkpoint from which the aim can be reached; returns the checkpoint's
    /// position, or `None` if there is none.
    pub fn use_checkpoint(&mut self, aim: &Aim) -> Option<RunPosition> {
        match self.checkpoints.worker(aim.itinerary().start()?, &self.record) {
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
        self.nested = self.worker.take().filter(WorkerLink::is_nested).or(self.nested.take());
    }

    /// Chooses the worker in this process; returns `false` if there is none.
    pub fn use_nested(&mut self) -> bool {
        self.release_worker();
        self.worker = self.nested.take();
        self.worker.is_some()
    }

    /// The live program has stopped.
    pub fn note_present(&mut self, present: StopPoint) {
        self.present = present;
        self.waits = self.record.is_waiting();
        self.past = None;
    }

    /// Checks that the program can be run again; `verb` is for the message.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn check(&self, verb: &str) -> Result<(), Failure> {
        match (&self.lost, self.record.is_whole()) {
            (None, true) => Ok(()),
            (lost, _) => {
                let why = lost.as_deref().unwrap_or("the record is too large");
                Err(Failure::wrong_state(verb, why))
            }
        }
    }

    /// The client's position.
    pub fn now(&self) -> StopPoint {
        self.past.unwrap_or(self.present)
    }

    /// The step of the first place: of `main` if the position is in it, else of the program.
    pub fn first_step(&self, position: RunPosition) -> u64 {
        if self.entry > 0 && position.step >= self.entry { self.entry } else { 1 }
    }
}
