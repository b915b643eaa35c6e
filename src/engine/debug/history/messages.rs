//! Journeys: what the engine of the live program asks of a worker, and what that answers.

use serde::{Deserialize, Serialize};

use crate::api::Inspect;
use crate::debug::client::Message;
use crate::debug::history::aim::Aim;
use crate::debug::history::position::RunPosition;
use crate::debug::history::visit::JourneyEnd;
use crate::debug::inspect::inspection::Inspection;
use crate::debug::inspect::variable_snapshot::VariableSnapshot;

/// Where, at a position, the client has changed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Occasion {
    /// At the position itself.
    Position,
    /// In a wait, after this number of calls of the host.
    Wait { calls: usize },
    /// When a run-time error was raised.
    Error,
}

/// A change that the client made to the program at a stop; it is repeated when an instance comes to the same
/// point.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Intervention {
    pub position: RunPosition,
    pub occasion: Occasion,
    pub request: Inspect,
}

/// A journey: one run of an instance of the past, with a certain aim.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Journey {
    pub aim: Aim,
    /// The position of the live program: no instance goes further.
    pub present: RunPosition,
    /// In order of time.
    pub interventions: Vec<Intervention>,
    /// The steps at which run-time errors were raised.
    pub raised: Vec<u64>,
    /// Handles given during the journey have greater numbers.
    pub last_handle: u64,
    /// What the client saw before, if it was in the present.
    pub shown: Option<VariableSnapshot>,
    /// Requests of the live engine up to this number were for earlier journeys.
    pub last_internal_request: u64,
    /// The last number given to a breakpoint, of whatever kind.
    pub last_breakpoint: u32,
}

impl Journey {
    /// This journey, from a checkpoint.
    pub fn from(mut self, checkpoint: RunPosition) -> Journey {
        self.interventions.retain(|intervention| intervention.position >= checkpoint);
        self
    }
}

/// A message of a worker to the live engine.
#[derive(Serialize, Deserialize)]
pub(crate) enum WorkerMessage {
    Message(Message),
    /// The journey is over. With the number of the last handle given, and what the client has seen in the
    /// past, if it was there.
    Ended(JourneyEnd, u64, Option<VariableSnapshot>),
}

impl WorkerMessage {
    /// The message at the end of a journey.
    pub fn ended(inspection: &mut Inspection, end: JourneyEnd) -> WorkerMessage {
        WorkerMessage::Ended(end, inspection.handles.last(), inspection.shown_before.take())
    }
}
