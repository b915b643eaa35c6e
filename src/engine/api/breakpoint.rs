//! Breakpoints: what a client requests, and the state of each breakpoint that is set.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::question::questions;
use super::{Handle, Location, Position};

questions! {
    /// A request about breakpoints. Those that are set together are answered in the order of the request.
    BreakpointRequest: Request::Breakpoint, answers BreakpointAnswer, answered by BreakpointHandler:

    /// Sets a breakpoint; an existing one at the same place of the same file gets the new options.
    Set(SetBreakpoint) -> Breakpoint, set, "set a breakpoint";
    /// Removes all breakpoints requested for a line; succeeds if there are none, too.
    Clear(ClearBreakpoint) -> (), clear, "clear a breakpoint";
    /// Replaces all line breakpoints of a file. Those that were set before keep their number and hits.
    SetAll(SetBreakpoints) -> Vec<Breakpoint>, set_all, "set breakpoints";
    /// Replaces all function breakpoints. Those that were set before keep their number and hits.
    SetFunctions(SetFunctionBreakpoints) -> Vec<Breakpoint>, set_functions, "set breakpoints";
    /// Replaces all exception filters.
    SetExceptions(SetExceptionBreakpoints) -> Vec<ExceptionBreakpoint>, set_exceptions, "set breakpoints";
    /// Replaces all data breakpoints. Those that were set before keep their number and hits.
    SetData(SetDataBreakpoints) -> Vec<Breakpoint>, set_data, "set breakpoints";
    /// Lists line breakpoints, in order of their numbers.
    List(GetBreakpoints) -> Vec<Breakpoint>, list, "get breakpoints";
    /// Lists the places in a range of lines, in order of line and column.
    Locations(GetLocations) -> Vec<Position>, locations, "get breakpoint locations";
    /// Enables a breakpoint of any kind.
    Enable(EnableBreakpoint) -> BreakpointChange, enable, "enable a breakpoint";
    /// Disables a breakpoint of any kind.
    Disable(DisableBreakpoint) -> BreakpointChange, disable, "disable a breakpoint";
    /// Removes a breakpoint of any kind.
    Remove(RemoveBreakpoint) -> BreakpointChange, remove, "remove a breakpoint";
    /// Removes all breakpoints and exception filters.
    RemoveAll(RemoveAllBreakpoints) -> (), remove_all, "remove breakpoints";
    /// Takes back a breakpoint that was set last and is not verified.
    Withdraw(WithdrawBreakpoint) -> (), withdraw, "remove a breakpoint";
    /// Changes the options of a breakpoint of any kind.
    Change(ChangeBreakpoint) -> BreakpointChange, change, "change a breakpoint";
}

impl BreakpointRequest {
    /// Whether it may change a breakpoint or a filter.
    pub fn may_change(&self) -> bool {
        match self {
            BreakpointRequest::List(_) | BreakpointRequest::Locations(_) => false,
            BreakpointRequest::Set(_)
            | BreakpointRequest::Clear(_)
            | BreakpointRequest::SetAll(_)
            | BreakpointRequest::SetFunctions(_)
            | BreakpointRequest::SetExceptions(_)
            | BreakpointRequest::SetData(_)
            | BreakpointRequest::Enable(_)
            | BreakpointRequest::Disable(_)
            | BreakpointRequest::Remove(_)
            | BreakpointRequest::RemoveAll(_)
            | BreakpointRequest::Withdraw(_)
            | BreakpointRequest::Change(_) => true,
        }
    }
}

/// Sets a line breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetBreakpoint {
    /// The file as the client names it; relative paths start at the session's working directory.
    pub file: String,
    /// Location and options.
    pub spec: LineSpec,
}

/// Removes all breakpoints of all kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveAllBreakpoints;

/// Removes the breakpoints of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClearBreakpoint {
    /// The file as the client names it.
    pub file: String,
    /// The line in the requests that set them, from 1.
    pub line: u32,
}

/// Replaces the line breakpoints of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetBreakpoints {
    /// The file as the client names it.
    pub file: String,
    /// Places and options.
    pub specs: Vec<LineSpec>,
    /// See [`Others`].
    #[serde(default)]
    pub others: Others,
}

impl SetBreakpoints {
    /// With these places and options.
    pub fn new(file: impl Into<String>, specs: Vec<LineSpec>) -> SetBreakpoints {
        SetBreakpoints { file: file.into(), specs, others: Others::default() }
    }
}

/// What a client that replaces all breakpoints of a kind does not mean, since others have done it. The session fills it
/// in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Others {
    /// Those that the client has not been told of: they stay as they are.
    pub unknown: BTreeSet<BreakpointId>,
    /// Those that the client's user knows of, where it is told later than the client; `None`: at once. The client says so.
    pub known: Option<BTreeSet<BreakpointId>>,
    /// All that it has not set itself: options that it leaves out stay as they are.
    pub foreign: BTreeSet<BreakpointId>,
    /// Those that another client has disabled: they stay disabled.
    pub muted: BTreeSet<BreakpointId>,
    /// Whether breakpoints of others that are left out are disabled and not removed: the client leaves out those that
    /// its user has disabled. The client says so.
    pub disables: bool,
}

/// Replaces the function breakpoints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetFunctionBreakpoints {
    /// Functions and options.
    pub specs: Vec<FunctionSpec>,
    /// See [`Others`].
    #[serde(default)]
    pub others: Others,
}

impl SetFunctionBreakpoints {
    /// With these functions and options.
    pub fn new(specs: Vec<FunctionSpec>) -> SetFunctionBreakpoints {
        SetFunctionBreakpoints { specs, others: Others::default() }
    }
}

/// Replaces the exception filters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetExceptionBreakpoints {
    /// The filters; of several for one class, the last counts.
    pub specs: Vec<ExceptionSpec>,
    /// Those that other clients of a shared session have set, which stay in force. The session fills it in.
    #[serde(default)]
    pub others: Vec<ExceptionSpec>,
}

impl SetExceptionBreakpoints {
    /// These filters.
    pub fn new(specs: Vec<ExceptionSpec>) -> SetExceptionBreakpoints {
        SetExceptionBreakpoints { specs, others: Vec::new() }
    }
}

/// Replaces the data breakpoints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetDataBreakpoints {
    /// What to watch, and options.
    pub specs: Vec<DataSpec>,
    /// See [`Others`].
    #[serde(default)]
    pub others: Others,
}

impl SetDataBreakpoints {
    /// With these targets and options.
    pub fn new(specs: Vec<DataSpec>) -> SetDataBreakpoints {
        SetDataBreakpoints { specs, others: Others::default() }
    }
}

/// Asks for line breakpoints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetBreakpoints {
    /// Restricts the list to this file, as the client names it; `None`: all files.
    pub file: Option<String>,
}

/// Asks for the places in a range of lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetLocations {
    /// The file as the client names it.
    pub file: String,
    /// First line, from 1.
    pub first: u32,
    /// Last line, inclusive.
    pub last: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnableBreakpoint(pub BreakpointId);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisableBreakpoint(pub BreakpointId);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveBreakpoint(pub BreakpointId);

/// Removes a breakpoint that was set last and is not verified, as if it had not been set: the next one gets its
/// number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithdrawBreakpoint(pub BreakpointId);

/// Changes the options of a breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeBreakpoint(pub BreakpointId, pub OptionsChange);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakpointChange {
    /// The breakpoint as it is now; if it was removed, as it was.
    pub breakpoint: Breakpoint,
    /// Whether it was removed.
    pub removed: bool,
}

/// Number of a breakpoint of any kind: from 1, unique within a session, never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BreakpointId(pub u32);

/// What a breakpoint does when execution reaches it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakpointOptions {
    /// A `bool` expression, evaluated in the frame that reached the breakpoint; only `true` counts as a hit.
    /// `None`: every time.
    pub condition: Option<String>,
    /// Which hits stop the program: `N` or `== N`, `>= N`, `> N`, `<= N`, `< N`, `% N` (every N-th). `None`:
    /// all.
    pub hit_condition: Option<String>,
    /// For a log point: the text to send as [`super::Event::Log`] instead of stopping. `{expression}` is
    /// replaced by its value; doubled braces stand for themselves. Data breakpoints have none.
    pub log_message: Option<String>,
    /// `false`: never hit, but kept.
    pub enabled: bool,
}

impl BreakpointRequest {
    /// What a request that replaces breakpoints says of those of others; `None`: it replaces none, or only exception
    /// filters.
    pub fn others_mut(&mut self) -> Option<&mut Others> {
        match self {
            BreakpointRequest::SetAll(set) => Some(&mut set.others),
            BreakpointRequest::SetFunctions(set) => Some(&mut set.others),
            BreakpointRequest::SetData(set) => Some(&mut set.others),
            BreakpointRequest::Set(_)
            | BreakpointRequest::Clear(_)
            | BreakpointRequest::SetExceptions(_)
            | BreakpointRequest::List(_)
            | BreakpointRequest::Locations(_)
            | BreakpointRequest::Enable(_)
            | BreakpointRequest::Disable(_)
            | BreakpointRequest::Remove(_)
            | BreakpointRequest::RemoveAll(_)
            | BreakpointRequest::Withdraw(_)
            | BreakpointRequest::Change(_) => None,
        }
    }
}

impl Others {
    /// The options that a breakpoint gets from a request for these, given those that it has.
    pub fn options(
        &self,
        id: BreakpointId,
        wanted: BreakpointOptions,
        present: &BreakpointOptions,
    ) -> BreakpointOptions {
        let options = if self.foreign.contains(&id) { wanted.over(present) } else { wanted };
        BreakpointOptions { enabled: options.enabled && !self.muted.contains(&id), ..options }
    }
}

impl BreakpointOptions {
    /// These options; where they say nothing, those that the breakpoint has.
    fn over(self, present: &BreakpointOptions) -> BreakpointOptions {
        BreakpointOptions {
            condition: self.condition.or_else(|| present.condition.clone()),
            hit_condition: self.hit_condition.or_else(|| present.hit_condition.clone()),
            log_message: self.log_message.or_else(|| present.log_message.clone()),
            enabled: self.enabled,
        }
    }
}

impl Default for BreakpointOptions {
    fn default() -> BreakpointOptions {
        BreakpointOptions { condition: None, hit_condition: None, log_message: None, enabled: true }
    }
}

/// A line, or one statement of it, where the program is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineLocation {
    /// Line, from 1.
    pub line: u32,
    /// Column in code points, from 1, to select one of several statements on the line; `None`: the first one.
    pub column: Option<u32>,
}

/// A line breakpoint as a client requests it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineSpec {
    /// Where to stop.
    pub place: LineLocation,
    /// What to do there.
    pub options: BreakpointOptions,
}

/// A function breakpoint as a client requests it. It stops before the first statement of the function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionSpec {
    /// Name of the function: `f`, or `module.f` in an imported module.
    pub name: String,
    /// What to do there.
    pub options: BreakpointOptions,
}

/// Where to look up a variable or a part of a value by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Container {
    /// The variables visible in the frame with this index.
    Frame(usize),
    /// The parts of the value with this handle.
    Value(Handle),
}

/// A data breakpoint (stop on a write) as a client requests it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataSpec {
    /// What to watch.
    pub target: DataTarget,
    /// What to do when it is written.
    pub options: BreakpointOptions,
}

/// What a data breakpoint watches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DataTarget {
    /// A variable or part, looked up now: only while the program is stopped.
    Named {
        /// Where the name is looked for.
        container: Container,
        /// Name of the variable, or of the part: `x`, `[3]`, `["key"]`.
        name: String,
    },
    /// Whatever the existing breakpoint with this number watches; that one is kept and gets the new options.
    Same(BreakpointId),
}

/// Changes to the options of a breakpoint. `None` leaves an option as it is, `Some(None)` removes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionsChange {
    /// See [`BreakpointOptions::condition`].
    #[serde(default, with = "text_change")]
    pub condition: Option<Option<String>>,
    /// See [`BreakpointOptions::hit_condition`].
    #[serde(default, with = "text_change")]
    pub hit_condition: Option<Option<String>>,
    /// See [`BreakpointOptions::log_message`].
    #[serde(default, with = "text_change")]
    pub log_message: Option<Option<String>>,
}

/// The change of a text as a list of what is new, if anything: JSON has one `null` only.
mod text_change {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(change: &Option<Option<String>>, to: S) -> Result<S::Ok, S::Error> {
        change.as_slice().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<String>>, D::Error> {
        Vec::deserialize(from).map(|mut change| change.pop())
    }
}

/// What a breakpoint is attached to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BreakpointLocation {
    Line {
        /// The file as the client named it in the latest request for it.
        file: String,
        /// Absolute path of that file; symbolic links are not resolved.
        path: PathBuf,
        /// The line that the client requested.
        place: LineLocation,
    },
    /// The first statement of a function.
    Function {
        /// The name of the function in the client's words.
        name: String,
    },
    /// Writes to a variable or a part of a value.
    Data {
        /// What is watched, in words: `field x of p`.
        description: String,
    },
}

/// A breakpoint that is set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakpoint {
    /// Its number.
    pub id: BreakpointId,
    /// What it is attached to.
    pub place: BreakpointLocation,
    /// What it does when execution reaches it.
    pub options: BreakpointOptions,
    /// Whether the program can stop there.
    pub verified: bool,
    /// Where it stops: the statement on the line, or the one that the line stands for. `None` if it is not
    /// verified, or is a data breakpoint.
    pub location: Option<Location>,
    /// Number of hits since the program started, or since the breakpoint was set, if that was later. In the past
    /// always since the program started; `None` where finding it would mean running much of the program again.
    pub hits: Option<u32>,
    /// Why it cannot stop the program, or that it stops on another line than requested.
    pub message: Option<String>,
}

/// A class of errors at which the program can be made to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ExceptionFilter {
    /// A run-time error, at the time it is raised, before it ends the program.
    Uncaught,
    /// An `Error` value, at the time it is created.
    ErrorValue,
}

/// An exception filter as a client asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionSpec {
    /// The class of errors.
    pub filter: ExceptionFilter,
    /// A `bool` expression, evaluated in the frame of the error; it may use the variable `error`. `None`:
    /// always stop.
    pub condition: Option<String>,
}

impl ExceptionSpec {
    /// Stops at every run-time error that would end the program.
    pub const UNCAUGHT: ExceptionSpec = ExceptionSpec { filter: ExceptionFilter::Uncaught, condition: None };
}

/// An exception filter in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionBreakpoint {
    /// The filter as requested.
    pub spec: ExceptionSpec,
    /// Why it never stops the program; `None` if it can.
    pub message: Option<String>,
}

/// A breakpoint without options at the first statement of a line.
impl From<u32> for LineSpec {
    fn from(line: u32) -> LineSpec {
        LineSpec { place: LineLocation { line, column: None }, options: BreakpointOptions::default() }
    }
}
