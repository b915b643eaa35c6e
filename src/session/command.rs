//! What a front end asks of a session: plain data.

use crate::host::Capability;

/// What a front end put on a command. It comes back, unread, on the event that answers the command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(pub Box<str>);

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Names the program, loads and checks it.
    Initialize {
        /// Its file; the one that the server was started with, if there is none.
        file: Option<String>,
        /// The program's working directory, and the base of relative paths.
        working_dir: Option<String>,
        /// Highest version of the protocol that the client knows, if it said so.
        version: Option<u32>,
        /// What the program is to be kept from.
        deny: Vec<Capability>,
    },
    /// Starts the program; goes on when it is stopped.
    Start,
    /// To the next place, wherever it is.
    StepInto,
    /// To the next place in this function or a caller.
    StepOver,
    /// To the caller.
    StepOut,
    /// To the next breakpoint.
    Continue,
    /// Sets a breakpoint.
    SetBreakpoint {
        /// The file as the client names it.
        file: String,
        /// The line, from 1.
        line: u32,
        /// A bool expression: it stops only where that is true.
        condition: Option<String>,
    },
    /// Removes a breakpoint.
    ClearBreakpoint {
        /// The file as the client names it.
        file: String,
        /// The line that was asked for when it was set.
        line: u32,
    },
    /// Asks for the variables of a frame.
    GetVariables {
        /// Its number, 0 for the innermost.
        frame: usize,
    },
    /// Asks for the frames.
    GetStackTrace,
    /// Asks for the value of an expression.
    Evaluate {
        /// The expression.
        expression: String,
        /// Number of the frame that it is looked at from.
        frame: usize,
    },
    /// Gives the program something to read.
    Input {
        /// Lines of input; a missing last line end is added.
        text: Option<String>,
        /// Whether nothing comes after that.
        eof: bool,
    },
    /// Stops a running program before its next statement.
    Pause,
    /// Ends the program and the session.
    Terminate,
}

impl Command {
    /// Its name, as front ends of lines write it.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Initialize { .. } => "initialize",
            Command::Start => "start",
            Command::StepInto => "stepInto",
            Command::StepOver => "stepOver",
            Command::StepOut => "stepOut",
            Command::Continue => "continue",
            Command::SetBreakpoint { .. } => "setBreakpoint",
            Command::ClearBreakpoint { .. } => "clearBreakpoint",
            Command::GetVariables { .. } => "getVariables",
            Command::GetStackTrace => "getStackTrace",
            Command::Evaluate { .. } => "evaluate",
            Command::Input { .. } => "input",
            Command::Pause => "pause",
            Command::Terminate => "terminate",
        }
    }

    /// What it does, in the words of `Cannot …`.
    pub fn verb(&self) -> &'static str {
        match self {
            Command::Initialize { .. } => "initialize",
            Command::Start => "start",
            Command::StepInto | Command::StepOver | Command::StepOut => "step",
            Command::Continue => "continue",
            Command::SetBreakpoint { .. } => "set a breakpoint",
            Command::ClearBreakpoint { .. } => "clear a breakpoint",
            Command::GetVariables { .. } => "get variables",
            Command::GetStackTrace => "get the stack trace",
            Command::Evaluate { .. } => "evaluate",
            Command::Input { .. } => "give input",
            Command::Pause => "pause",
            Command::Terminate => "terminate",
        }
    }
}

/// One message of a client.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    /// What it asks; an `Err` for one that cannot be understood.
    pub command: Result<Command, DecodeError>,
    /// What the answer has to carry.
    pub tag: Option<RequestId>,
}

/// Why a message is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// What is wrong with it.
    pub message: String,
    /// The command that it names, if it does.
    pub command: Option<String>,
}
