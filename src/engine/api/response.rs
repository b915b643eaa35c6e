//! Responses to successful requests.

use serde::{Deserialize, Serialize};

use super::{
    Attached, BreakpointAnswer, CellStarted, Guest, InspectAnswer, InvestigateAnswer, Problem, Processes,
    QueryAnswer, Shared, WatchAnswer,
};

/// The response to a successful request. The comment of each variant names the requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// To requests about which there is nothing to say but that they are carried out.
    Done(Done),
    /// To [`super::Request::Initialize`]: the program is loaded and has no errors.
    Initialized(Initialized),
    /// To [`super::Request::RunCell`].
    CellStarted(CellStarted),
    /// To [`super::Request::Restart`]: the program was loaded again and is about to run.
    Restarted(Restarted),
    /// To [`super::SessionRequest::Attach`].
    Attached(Box<Attached>),
    /// To [`super::SessionRequest::Share`].
    Shared(Shared),
    /// To [`super::SessionRequest::GetGuests`].
    Guests(Vec<Guest>),
    /// To [`super::SessionRequest::GetProcesses`].
    Processes(Processes),
    /// To [`super::Request::Breakpoint`].
    Breakpoint(BreakpointAnswer),
    /// To [`super::Request::Watch`].
    Watch(WatchAnswer),
    /// To [`super::Request::Query`].
    Query(QueryAnswer),
    /// To [`super::Request::Inspect`].
    Inspect(InspectAnswer),
    /// To [`super::Request::Investigate`].
    Investigate(InvestigateAnswer),
}

/// What was, or is being, done. The comment of each variant names the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Done {
    /// To [`super::Request::Start`]: the program is about to run.
    Started,
    /// To [`super::Request::Resume`], and to `Start` while the program is stopped: the program is about to
    /// run.
    Resumed,
    /// To [`super::Request::Pause`]: the program will stop, or the evaluation will be interrupted, soon.
    Pausing,
    /// To [`super::Request::Kill`]: the program has ended.
    Killed,
    /// To [`super::Request::Terminate`]: the session will end soon.
    Terminating,
    /// To [`super::SessionRequest::Disconnect`].
    Disconnected,
    /// To [`super::Request::Detach`].
    Detached,
    /// To [`super::SessionRequest::Unshare`].
    Unshared,
    /// To [`super::SessionRequest::ReleaseChild`].
    ChildReleased,
    /// To [`super::SessionRequest::Input`].
    InputTaken,
    /// To [`super::Request::SetDebugging`].
    DebuggingSet,
    /// To [`super::Request::SetExpectedOutput`].
    OutputExpected,
}

/// A program that was loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Initialized {
    /// Its main file, as the client (or the command line of the server) named it.
    pub file: String,
    /// Warnings of the checker, in source order.
    pub warnings: Vec<Problem>,
}

/// A program that was loaded again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Restarted(pub Initialized);
