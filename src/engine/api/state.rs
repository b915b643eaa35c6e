//! Which requests are possible in which state.

use std::fmt;

use super::{Failure, Request, Status};

/// The state of a session, as far as it decides which requests are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// No program was named.
    Empty,
    /// The program that was named could not be loaded.
    NotLoaded,
    /// A program is being read and checked.
    Loading,
    /// A program is loaded and not started.
    Ready,
    /// In a session of cells: none runs.
    Idle,
    /// The program runs.
    Running,
    /// The program is stopped.
    Stopped,
    /// The program is stopped, and something is being evaluated.
    Evaluating,
    /// The program has ended.
    Exited,
}

/// In which states a request is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// In every state. While the program runs it is answered without stopping it, after a short wait.
    Nothing,
    /// Only before the session has a program.
    NoProgram,
    /// Once a program was named, also if it could not be loaded.
    Program,
    /// When a program is loaded and not started, or is stopped.
    ReadyOrStopped,
    /// While the program is stopped.
    Stopped,
    /// While the program is stopped, or no cell runs.
    Inspectable,
    /// While no cell runs.
    Idle,
    /// While the program runs or is stopped.
    Started,
    /// While the program or an evaluation runs.
    Running,
}

/// Why a request is not possible at present. Displayed as the reason in `Cannot VERB: REASON`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// There is no program.
    NotInitialized,
    /// There is a program already.
    AlreadyInitialized,
    /// The program is not started.
    NotStarted,
    /// The program runs.
    NotStopped,
    /// The program is stopped.
    Stopped,
    /// The program has ended.
    Ended,
    /// It is not a session of cells.
    NoCells,
    NoCellRuns,
    /// The cell that runs was started without a debugger.
    NotDebugged,
    /// The program's history is not kept.
    NoHistory,
    /// The client has attached already.
    AlreadyAttached,
    /// The client has disconnected, or is about to.
    Disconnecting,
    /// No other client can connect to the session.
    OnlyClient,
    /// The program has its own standard input.
    OwnInput,
    /// The end of the program's input has been announced.
    InputEnded,
    /// The client is a guest.
    NotOwner,
    /// The client is a guest that only observes.
    Observing,
    /// The session is not shared.
    NotShared,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Obstacle::NotInitialized => "not initialized",
            Obstacle::AlreadyInitialized => "already initialized",
            Obstacle::NotStarted => "program not started",
            Obstacle::NotStopped => "program is not stopped",
            Obstacle::Stopped => "program is stopped",
            Obstacle::Ended => "program has ended",
            Obstacle::NoCells => "not a session of cells",
            Obstacle::NotDebugged => "the cell was started without a debugger",
            Obstacle::NoCellRuns => "no cell runs",
            Obstacle::NoHistory => "no history is kept ('history' in initialize)",
            Obstacle::AlreadyAttached => "already attached",
            Obstacle::Disconnecting => "the client disconnects",
            Obstacle::OnlyClient => "no other client could come",
            Obstacle::OwnInput => "the program reads from its own terminal",
            Obstacle::InputEnded => "the end of the input was sent",
            Obstacle::NotOwner => "only the owner of the session can",
            Obstacle::Observing => "an observer changes nothing",
            Obstacle::NotShared => "not shared",
        })
    }
}

impl SessionState {
    /// What the program does, for clients.
    pub fn status(self) -> Status {
        match self {
            SessionState::Empty | SessionState::NotLoaded | SessionState::Loading => Status::NotInitialized,
            SessionState::Ready | SessionState::Idle => Status::Ready,
            SessionState::Running => Status::Running,
            SessionState::Stopped | SessionState::Evaluating => Status::Stopped,
            SessionState::Exited => Status::Exited,
        }
    }

    /// Why requests that this state does not allow are refused.
    fn obstacle(self) -> Obstacle {
        match self {
            SessionState::Empty | SessionState::NotLoaded => Obstacle::NotInitialized,
            SessionState::Loading | SessionState::Ready => Obstacle::NotStarted,
            SessionState::Idle => Obstacle::NoCellRuns,
            SessionState::Running => Obstacle::NotStopped,
            SessionState::Stopped | SessionState::Evaluating => Obstacle::Stopped,
            SessionState::Exited => Obstacle::Ended,
        }
    }

    /// Why a request is not possible in this state, if it is not.
    pub fn obstacle_to(self, request: &Request) -> Option<Obstacle> {
        use SessionState::*;
        let needs = request.needs();
        let is_allowed = match needs {
            Needs::Nothing => true,
            Needs::NoProgram => matches!(self, Empty | NotLoaded),
            Needs::Program => !matches!(self, Empty),
            Needs::ReadyOrStopped => matches!(self, Ready | Stopped | Evaluating),
            Needs::Stopped => matches!(self, Stopped | Evaluating),
            Needs::Inspectable => matches!(self, Stopped | Evaluating | Idle),
            Needs::Idle => matches!(self, Idle),
            Needs::Started => matches!(self, Running | Stopped | Evaluating),
            Needs::Running => matches!(self, Running | Evaluating),
        };
        match needs {
            _ if is_allowed => None,
            Needs::NoProgram => Some(Obstacle::AlreadyInitialized),
            Needs::Idle if matches!(self, Loading | Ready | Exited) => Some(Obstacle::NoCells),
            _ => Some(self.obstacle()),
        }
    }

    /// The failure of a request that is not possible in this state; `None` if it is possible.
    pub fn refusal(self, request: &Request) -> Option<Failure> {
        self.obstacle_to(request).map(|obstacle| Failure::wrong_state(request.verb(), obstacle))
    }
}

impl Request {
    /// What it does, as the verb phrase in `Cannot …: …`, and in which states it is allowed.
    fn about(&self) -> (&'static str, Needs) {
        match self {
            Request::Session(request) => (request.verb(), Needs::Nothing),
            Request::Initialize(_) => ("initialize", Needs::NoProgram),
            Request::Start(_) => ("start", Needs::ReadyOrStopped),
            Request::RunCell(_) => ("run a cell", Needs::Idle),
            Request::SetDebugging(_) => ("switch debugging", Needs::Nothing),
            Request::SetExpectedOutput(_) => ("expect an output", Needs::Program),
            Request::Restart(_) => ("restart", Needs::Program),
            Request::Resume(how) => (how.verb(), Needs::Stopped),
            Request::Pause => ("pause", Needs::Running),
            Request::Kill => ("kill the program", Needs::Started),
            Request::Terminate => ("terminate", Needs::Nothing),
            Request::Detach => ("detach", Needs::Nothing),
            Request::Breakpoint(request) => (request.verb(), Needs::Nothing),
            Request::Watch(request) => (request.verb(), Needs::Nothing),
            Request::Query(request) => (request.verb(), Needs::Nothing),
            Request::Inspect(request) => (request.verb(), Needs::Inspectable),
            Request::Investigate(request) => (request.verb(), Needs::Inspectable),
        }
    }

    /// What it does, as the verb phrase in `Cannot …: …`.
    pub fn verb(&self) -> &'static str {
        self.about().0
    }

    /// In which states it is allowed.
    pub fn needs(&self) -> Needs {
        self.about().1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{GetStackTrace, GetState, Question, Resume};

    /// A row for each state; a column for each request: whether it is possible, or why not.
    const TABLE: &str = "
                   getState  initialize  restart  start  continue  getStackTrace  kill  pause  runCell
        Empty      yes       yes         NI       NI     NI        NI             NI    NI     NI
        NotLoaded  yes       yes         yes      NI     NI        NI             NI    NI     NI
        Loading    yes       AI          yes      NS     NS        NS             NS    NS     NC
        Ready      yes       AI          yes      yes    NS        NS             NS    NS     NC
        Idle       yes       AI          yes      no     no        yes            no    no     yes
        Running    yes       AI          yes      R      R         R              yes   yes    R
        Stopped    yes       AI          yes      yes    yes       yes            yes   S      S
        Evaluating yes       AI          yes      yes    yes       yes            yes   yes    S
        Exited     yes       AI          yes      E      E         E              E     E      NC
    ";

    fn word(obstacle: Option<Obstacle>) -> &'static str {
        match obstacle {
            None => "yes",
            Some(Obstacle::NotInitialized) => "NI",
            Some(Obstacle::AlreadyInitialized) => "AI",
            Some(Obstacle::NotStarted) => "NS",
            Some(Obstacle::NotStopped) => "R",
            Some(Obstacle::Stopped) => "S",
            Some(Obstacle::Ended) => "E",
            Some(Obstacle::NoCells) => "NC",
            Some(Obstacle::NoCellRuns) => "no",
            Some(_) => "another",
        }
    }

    #[test]
    fn what_is_refused_in_which_state() {
        use SessionState::*;
        let requests = [
            GetState.into_request(),
            Request::Initialize(Box::default()),
            Request::Restart(Box::default()),
            Request::Start(None),
            Resume::Continue.into_request(),
            GetStackTrace { start: 0, count: 1 }.into_request(),
            Request::Kill,
            Request::Pause,
            Request::RunCell(Box::default()),
        ];
        let mut rows = TABLE.trim().lines().skip(1);
        for state in [Empty, NotLoaded, Loading, Ready, Idle, Running, Stopped, Evaluating, Exited] {
            let words = requests.iter().map(|request| word(state.obstacle_to(request)));
            let row: Vec<String> =
                std::iter::once(format!("{state:?}")).chain(words.map(String::from)).collect();
            let expected: Vec<&str> = rows.next().unwrap().split_whitespace().collect();
            assert_eq!(row, expected);
        }
    }
}
