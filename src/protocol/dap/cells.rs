//! The requests with which notebooks debug their cells, in addition to those of editors: the debug messages of
//! Jupyter's messaging protocol (its enhancement proposal 47).
//!
//! A front end that comes late, because its page was loaded again or it is another one, learns the state from
//! `debugInfo`, which is possible at any time.

use serde_json::{Map, Value, json};

use crate::protocol::Messages;
use ez_engine::api::{
    CopyToGlobals, GetRich, GetVariables, Request, Resume, RichValue, Scope, SetDebugging, Status,
};

use super::capabilities::capabilities;
use super::client::Client;
use super::values::SHOWN;
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler, THREAD};

/// How a notebook names its cells, and what it shows.
pub struct CellConventions {
    /// What the path of a cell begins with.
    pub prefix: String,
    /// What it ends with.
    pub suffix: &'static str,
    /// The seed of the hash of a cell's text, which is between them.
    pub seed: u32,
    /// The path of the cell with this text.
    pub path: fn(&CellConventions, &str) -> String,
    /// A value as HTML, if that shows more than its text.
    pub html: fn(&RichValue) -> Option<String>,
}

/// What the front end keeps about the cells.
pub struct CellState {
    conventions: CellConventions,
    /// The breakpoints by path, as they were asked for.
    asked: Map<String, Value>,
    /// Whether a cell runs.
    pub runs: bool,
}

impl CellState {
    pub fn new(conventions: CellConventions) -> CellState {
        CellState { conventions, asked: Map::new(), runs: false }
    }

    /// Whether a path can be that of a cell.
    pub fn is_cell(&self, path: &str) -> bool {
        path.starts_with(&self.conventions.prefix) && path.ends_with(self.conventions.suffix)
    }
}

/// The requests of notebooks; those that editors make, too, have another meaning here.
pub const REQUESTS: &[(&str, Handler)] = &[
    ("debugInfo", DapFrontEnd::debug_info),
    ("initialize", DapFrontEnd::initialize_cells),
    ("attach", DapFrontEnd::attach_to_cells),
    ("disconnect", DapFrontEnd::disconnect_cells),
    ("terminate", DapFrontEnd::disconnect_cells),
    ("dumpCell", DapFrontEnd::dump_cell),
    ("inspectVariables", DapFrontEnd::inspect_variables),
    ("richInspectVariables", DapFrontEnd::rich_inspect_variables),
    ("copyToGlobals", DapFrontEnd::copy_to_globals),
];

/// Requests of editors that make no sense here.
pub const REFUSED: [&str; 2] = ["launch", "restart"];

impl DapFrontEnd {
    fn debug_info(&mut self, Call { from, work, .. }: Call) -> Result<(), Refusal> {
        let Some(CellState { conventions, asked, .. }) = &self.cells else { return Ok(()) };
        let breakpoints: Vec<Value> = asked
            .iter()
            .map(|(path, breakpoints)| json!({"source": path, "breakpoints": breakpoints}))
            .collect();
        let is_stopped = self.phase == Status::Stopped;
        let body = json!({
            "isStarted": self.phase != Status::NotInitialized,
            "hashMethod": "Murmur2",
            "hashSeed": conventions.seed,
            "tmpFilePrefix": conventions.prefix,
            "tmpFileSuffix": conventions.suffix,
            "breakpoints": breakpoints,
            "stoppedThreads": if is_stopped { vec![THREAD] } else { Vec::new() },
            "richRendering": true,
            "copyToGlobals": true,
            "exceptionPaths": [],
        });
        self.answer_now(from, Some(body), work);
        Ok(())
    }

    fn initialize_cells(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        self.client = Some(Client::new(params)?);
        // As other kernels do. A front end that asks for the state at the same time would switch the debugger off again
        // if it was not started yet.
        if self.phase == Status::NotInitialized {
            self.phase = Status::Running;
        }
        self.answer_now(from, Some(capabilities(true)), work);
        Ok(())
    }

    fn attach_to_cells(&mut self, Call { from, work, .. }: Call) -> Result<(), Refusal> {
        self.ask(from, SetDebugging(true), work, |this, from, _, out| {
            if this.phase == Status::NotInitialized {
                // Without `initialize` before it.
                this.phase = Status::Running;
            }
            this.numbering.success(out, from, None::<()>);
            this.numbering.bare_event(out, "initialized");
        });
        Ok(())
    }

    /// Removes all breakpoints; a cell that is stopped goes on.
    fn disconnect_cells(&mut self, Call { from, work, .. }: Call) -> Result<(), Refusal> {
        self.forget_breakpoints(work);
        if let Some(cells) = &mut self.cells {
            cells.asked.clear();
        }
        if self.phase == Status::Stopped {
            self.ask_silently(Request::Resume(Resume::Continue), work);
            self.references.clear();
        }
        self.phase = Status::NotInitialized;
        self.ask(from, SetDebugging(false), work, DapFrontEnd::done);
        Ok(())
    }

    fn dump_cell(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let code = params.required_text("code")?;
        let Some(CellState { conventions, .. }) = &self.cells else { return Ok(()) };
        let path = (conventions.path)(conventions, &code);
        self.answer_now(from, Some(json!({ "sourcePath": path })), work);
        Ok(())
    }

    /// Records breakpoints as they are asked for.
    pub(super) fn note_breakpoints(&mut self, path: &str, breakpoints: Option<&Value>) {
        let Some(cells) = &mut self.cells else { return };
        match breakpoints.filter(|all| all.as_array().is_some_and(|all| !all.is_empty())) {
            Some(all) => drop(cells.asked.insert(path.into(), all.clone())),
            None => drop(cells.asked.remove(path)),
        }
    }

    /// Refuses a request that needs variables, if the program is not stopped and a cell runs.
    pub(super) fn needs_variables(&self) -> Result<(), Refusal> {
        match &self.cells {
            Some(cells) if !cells.runs => Ok(()),
            Some(_) | None => self.needs_stop(),
        }
    }

    fn inspect_variables(&mut self, Call { from, work, .. }: Call) -> Result<(), Refusal> {
        if self.needs_variables().is_err() {
            // Notebooks ask while a cell runs, too, and cannot do with a failure.
            self.answer_now(from, Some(json!({ "variables": [] })), work);
            return Ok(());
        }
        let question = GetVariables { frame: 0, scope: Some(Scope::Global), limits: SHOWN };
        self.ask(from, question, work, |this, from, all, out| {
            let variables = this.variables_shown(all.iter(), Default::default());
            this.numbering.success(out, from, Some(json!({ "variables": variables })));
        });
        Ok(())
    }

    fn rich_inspect_variables(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let expression = params.required_text("variableName")?;
        self.needs_variables()?;
        let frame = self.frame(params)?;
        self.ask(from, GetRich { expression, frame }, work, |this, from, value, out| {
            let html = this.cells.as_ref().and_then(|cells| (cells.conventions.html)(value));
            let mut data = json!({ "text/plain": value.text });
            if let (Some(html), Value::Object(data)) = (html, &mut data) {
                data.insert("text/html".into(), html.into());
            }
            this.numbering.success(out, from, Some(json!({ "data": data, "metadata": {} })));
        });
        Ok(())
    }

    fn copy_to_globals(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let expression = params.required_text("srcVariableName")?;
        let name = params.required_text("dstVariableName")?;
        let id = params.required("srcFrameId", params.number("srcFrameId", 0, u32::MAX)?)?;
        self.needs_stop()?;
        let frame = self.references.frame(id)?;
        self.ask(from, CopyToGlobals { expression, frame, name }, work, DapFrontEnd::done);
        Ok(())
    }

    /// A cell is about to run: what was inspected before it is not valid any more.
    pub(super) fn cell_starts(&mut self) {
        self.references.clear();
        if let Some(cells) = &mut self.cells {
            cells.runs = true;
        }
    }

    /// The cell that ran has ended.
    pub(super) fn cell_ended(&mut self, out: &mut Messages) {
        self.references.clear();
        if let Some(cells) = &mut self.cells {
            cells.runs = false;
        }
        self.waits_for_input = false;
        if self.phase == Status::Stopped {
            self.phase = Status::Running;
            self.tell_continued(out);
        }
    }

    /// Tells a notebook that the program goes on; editors know that from the response. A notebook's page goes by the
    /// event alone.
    pub(super) fn tell_continued(&mut self, out: &mut Messages) {
        if self.cells.is_some() {
            let body = json!({"threadId": THREAD, "allThreadsContinued": true});
            self.numbering.event(out, "continued", body);
        }
    }
}
