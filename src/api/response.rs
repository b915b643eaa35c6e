//! Responses to successful requests.

use serde::{Deserialize, Serialize};

use super::{
    Attached, Breakpoint, BreakpointChange, CellStarted, Changes, Children, Completion, Described,
    ExceptionBreakpoint, Failure, LastChange, ModuleInfo, OutputStep, Position, Problem, RichValue,
    SourceFile, StackTrace, State, Status, StepTarget, TypeText, Unfolded, Variable, Watch, WatchAdded,
};

/// The content of a successful response. Each type of answer has one variant of [`Response`].
pub trait Answer: Sized {
    /// The response that contains it.
    fn into_response(self) -> Response;

    /// The answer in a response.
    ///
    /// # Errors
    /// If the response contains another answer.
    fn in_response(response: &Response) -> Result<&Self, Failure>;

    /// The answer from a response.
    ///
    /// # Errors
    /// If the response contains another answer.
    fn from_response(response: Response) -> Result<Self, Failure>;
}

/// Defines [`Response`], and for each variant the type of its content as an [`Answer`].
macro_rules! responses {
    ($(#[$about:meta])* pub enum Response { $($(#[$doc:meta])* $variant:ident($answer:ty),)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum Response {
            $($(#[$doc])* $variant($answer),)*
        }

        $(impl Answer for $answer {
            fn into_response(self) -> Response {
                Response::$variant(self)
            }

            fn in_response(response: &Response) -> Result<&Self, Failure> {
                match response {
                    Response::$variant(answer) => Ok(answer),
                    _ => Err(Failure::another_answer()),
                }
            }

            fn from_response(response: Response) -> Result<Self, Failure> {
                match response {
                    Response::$variant(answer) => Ok(answer),
                    _ => Err(Failure::another_answer()),
                }
            }
        })*
    };
}

responses! {
    /// The response to a successful request. The comment of each variant names the requests.
    pub enum Response {
        /// To requests about which there is nothing to say but that they are carried out.
        Done(Done),
        /// To [`super::Request::Initialize`]: the program is loaded and has no errors.
        Initialized(Initialized),
        /// To [`super::Request::RunCell`].
        CellStarted(CellStarted),
        /// To [`super::Request::Restart`]: the program was loaded again and is about to run.
        Restarted(Restarted),
        /// To [`super::Request::Attach`].
        Attached(Box<Attached>),
        /// To [`super::BreakpointRequest::Set`].
        BreakpointSet(Breakpoint),
        /// To [`super::BreakpointRequest::SetAll`], `SetFunctions` and `SetData`: the breakpoints in the order of
        /// the request; to `List`: in order of their numbers.
        Breakpoints(Vec<Breakpoint>),
        /// To [`super::BreakpointRequest::Enable`], `Disable`, `Remove` and `Change`.
        BreakpointChanged(BreakpointChange),
        /// To [`super::BreakpointRequest::Locations`]: in order of line and column.
        Locations(Vec<Position>),
        /// To [`super::BreakpointRequest::SetExceptions`]: in the order of the request.
        Exceptions(Vec<ExceptionBreakpoint>),
        /// To [`super::WatchRequest::Add`].
        WatchAdded(WatchAdded),
        /// To [`super::WatchRequest::List`].
        Watches(Vec<Watch>),
        /// To [`super::Query::State`].
        State(Box<State>),
        /// To [`super::Query::Threads`].
        Threads(Status),
        /// To [`super::Query::Source`].
        Source(SourceFile),
        /// To [`super::Query::Modules`].
        Modules(Vec<ModuleInfo>),
        /// To [`super::Inspect::Variables`].
        Variables(Vec<Variable>),
        /// To [`super::Inspect::Children`].
        Children(Children),
        /// To [`super::Inspect::StackTrace`].
        StackTrace(StackTrace),
        /// To [`super::Inspect::StepTargets`]: in order of execution.
        StepTargets(Vec<StepTarget>),
        /// To [`super::Inspect::Evaluate`].
        Evaluated(Described),
        /// To [`super::Inspect::SetVariable`].
        VariableSet(Variable),
        /// To [`super::Inspect::LastChange`].
        LastChange(Box<LastChange>),
        /// To [`super::Inspect::Changes`].
        Changes(Box<Changes>),
        /// To [`super::Inspect::OutputSteps`]: in the order of the request.
        OutputSteps(Vec<OutputStep>),
        /// To [`super::Inspect::Unfold`].
        Unfolded(Box<Unfolded>),
        /// To [`super::Inspect::Rich`].
        Rich(Box<RichValue>),
        /// To [`super::Inspect::TypeOf`].
        TypeOf(TypeText),
        /// To [`super::Inspect::Completions`].
        Completions(Vec<Completion>),
    }
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
    /// To [`super::Request::Disconnect`].
    Disconnected,
    /// To [`super::Request::Input`].
    InputTaken,
    /// To [`super::Request::SetDebugging`].
    DebuggingSet,
    /// To [`super::Inspect::CopyToGlobals`].
    Copied,
    /// To [`super::BreakpointRequest::Clear`].
    BreakpointCleared,
    /// To [`super::WatchRequest::Remove`].
    WatchRemoved,
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
