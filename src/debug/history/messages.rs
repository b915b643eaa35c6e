//! Journeys: what the engine of the live program asks of a worker, and what that answers.

use serde::{Deserialize, Serialize};

use crate::api::{
    BreakpointId, BreakpointRequest, Described, Failure, Inspect, Limits, StopReason, Unfolded, WatchRequest,
    Written,
};
use crate::debug::client::Message;
use crate::debug::history::counts::{Counts, Tally};
use crate::debug::history::plan::Note;
use crate::debug::history::position::RunPosition;
use crate::debug::history::search::Findings;
use crate::debug::history::watch_subject::PortableSubject;
use crate::debug::history::writes::{ChangeQuestion, WriteFindings};
use crate::debug::inspect::variable_snapshot::VariableSnapshot;
use crate::interp::output_watch::Printed;
use crate::program::StmtId;
use crate::source::Span;

/// A change of breakpoints or watches, to be repeated in each instance.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Setting {
    /// With the last number that had been given to a breakpoint before.
    Breakpoint(u32, BreakpointRequest),
    Watch(WatchRequest),
}

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
}

impl Journey {
    /// The same journey, from a checkpoint.
    pub fn from(mut self, checkpoint: RunPosition) -> Journey {
        self.interventions.retain(|intervention| intervention.position >= checkpoint);
        self
    }
}

/// What a journey is for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Aim {
    /// To stop at the first position not before this one, and handle requests there.
    Arrive(RunPosition, Box<Arrival>),
    /// To record the positions from a step up to a position.
    Note(u64, RunPosition),
    /// To record which breakpoints are hit from a position up to another one.
    Hits(RunPosition, RunPosition),
    /// To resolve an expression at a position.
    Resolve(RunPosition, ChangeQuestion),
    /// To find the last changes of something, or a write to it that hits a data breakpoint.
    Changes(ChangeSearch),
    /// The same, from the program's beginning, for what an expression refers to that cannot be named in another
    /// process.
    Search(RunPosition, ChangeQuestion),
    /// Report what the first statement from a position on computes.
    Unfold(UnfoldJourney),
    /// To find statements that were in progress, in order of the places after which they were.
    Statements(Vec<StatementQuery>),
    /// To find what has printed some bytes of the output.
    Output(OutputSearch),
}

/// A search for what has printed bytes of the output.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OutputSearch {
    /// The numbers of the bytes, from 0, in ascending order.
    pub offsets: Vec<u64>,
    /// The last checkpoint before all of them were printed.
    pub start: Option<RunPosition>,
    /// Where to end at the latest.
    pub until: RunPosition,
}

/// A statement that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct StatementQuery {
    /// The last place before something that it did.
    pub after: u64,
    /// Number of calls in progress, `main` not counted, where it is; `None` if it is the one at that place.
    pub depth: Option<u32>,
    /// Which it is, if that is known.
    pub stmt: Option<StmtId>,
}

/// What is known about a statement at the place after which it did something, with the statement at that place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StatementFound {
    /// Its step.
    At(u64, Span),
    /// A call that it had made was in progress; that began after the place with this number.
    Before(u64, Span),
}

/// What to report about a statement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct UnfoldJourney {
    /// The place before the statement, or one before that.
    pub position: RunPosition,
    /// Where to end if the statement is still in progress; `None`: only where it needs something from outside
    /// that is not in the record.
    pub until: Option<RunPosition>,
    /// How much of each value to describe.
    pub limits: Limits,
}

/// A search for changes in a part of the past.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ChangeSearch {
    /// The run begins at the last checkpoint that is not after this position.
    pub start: RunPosition,
    /// The step from which on to watch.
    pub from: u64,
    pub until: RunPosition,
    pub question: ChangeQuestion,
    pub subject: PortableSubject,
}

impl Aim {
    /// The step at which the journey ends, for reporting progress.
    pub fn goal(&self) -> u64 {
        match self {
            Aim::Arrive(position, _)
            | Aim::Note(_, position)
            | Aim::Hits(_, position)
            | Aim::Resolve(position, _)
            | Aim::Search(position, _) => position.step,
            Aim::Changes(changes) => changes.until.step,
            Aim::Unfold(unfold) => unfold.position.step,
            Aim::Statements(all) => all.last().map_or(0, |last| last.after),
            Aim::Output(search) => search.until.step,
        }
    }
}

impl Aim {
    /// The position from which on the instance has to run; `None`: from the beginning.
    pub fn start(&self) -> Option<RunPosition> {
        match self {
            Aim::Arrive(position, _) | Aim::Hits(position, _) | Aim::Resolve(position, _) => Some(*position),
            Aim::Changes(changes) => Some(changes.start),
            Aim::Unfold(unfold) => Some(unfold.position),
            Aim::Statements(all) => all.first().map(|first| RunPosition::place(first.after)),
            Aim::Output(search) => search.start,
            Aim::Note(from, _) => Some(RunPosition::place(*from)),
            Aim::Search(..) => None,
        }
    }
}

/// How to report a stop in the past.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Arrival {
    pub reason: StopReason,
    pub breakpoints: Vec<BreakpointId>,
    /// The write just before the stop, and a sentence about it.
    pub written: Option<(Written, String)>,
    /// Numbers of hits of breakpoints so far.
    pub counts: Counts,
}

impl Arrival {
    /// A stop without breakpoints.
    pub fn step(reason: StopReason) -> Arrival {
        Arrival { reason, breakpoints: Vec::new(), written: None, counts: Counts::default() }
    }
}

/// What an expression refers to, if that can be named in another process, and its value.
pub(crate) type ResolvedElsewhere = (Option<PortableSubject>, Option<Described>);

/// How a journey ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum JourneyEnd {
    /// It was cancelled.
    Left,
    /// It reached the present.
    Present,
    /// The positions (the latest, if there are too many), and the step of the first place of each call in
    /// progress at the first one, outermost first.
    Notes(Vec<Note>, Vec<u64>),
    Hits(Box<Tally>),
    Resolved(Box<Result<ResolvedElsewhere, Failure>>),
    /// The events found.
    Changes(Box<Findings>),
    /// What was found about the first of the statements.
    Statements(Vec<StatementFound>),
    /// What has printed the first of the bytes.
    Output(Vec<Printed>),
    /// What was found about a data breakpoint.
    Write(Box<WriteFindings>),
    /// What a statement has computed.
    Unfolded(Box<Unfolded>),
    /// The past cannot be reached: the instance failed, or did something else than the live program.
    Lost(String),
}

/// A message of a worker to the live engine.
#[derive(Serialize, Deserialize)]
pub(crate) enum WorkerMessage {
    Message(Message),
    /// The journey is over. With the number of the last handle given, and what the client has seen in the
    /// past, if it was there.
    Ended(JourneyEnd, u64, Option<VariableSnapshot>),
}
