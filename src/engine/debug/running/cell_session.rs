//! The state of a session of cells, and the cell that runs.

use std::path::Path;

use crate::api::{Cell, CellOutcome, CellSettings, CellStarted, Failure, FailureKind};
use crate::debug::inspect::failure_report::{ReportForm, failure_report};
use crate::debug::inspect::frames::{FrameView, runtime_problem};
use crate::debug::inspect::rich::rich_value;
use crate::debug::load::{is_error, problem};
use ez_language::cells::{CellText, Cells, CheckedCell};
use ez_runtime::diagnostics::{Colour, Diagnostic, render_all, render_json};
use ez_runtime::interp::Outcome;
use ez_runtime::interp::vm::Vm;
use ez_runtime::value::{Host, Value};

/// The state of a session of cells.
pub struct CellSession {
    pub cells: Cells,
    settings: CellSettings,
    /// The host of all cells, while none runs or is inspected.
    pub host: Option<Box<dyn Host>>,
    /// Whether cells stop at breakpoints.
    pub is_debugging: bool,
    /// The cell that runs.
    pub current: Option<CheckedCell>,
}

/// The program in which things are evaluated between cells.
pub struct Inspected {
    pub cell: CheckedCell,
    pub vm: Vm,
    /// A frame of its `main`.
    pub view: FrameView,
}

impl CellSession {
    /// Without declarations.
    pub fn new(settings: CellSettings, host: Box<dyn Host>) -> CellSession {
        CellSession { cells: Cells::new(), settings, host: Some(host), is_debugging: false, current: None }
    }

    fn colour(&self) -> Colour {
        if self.settings.colours { Colour::On } else { Colour::Off }
    }

    /// Reports as a terminal shows them.
    fn report(&self, found: &[Diagnostic]) -> String {
        let sources = self.cells.sources();
        if self.settings.json {
            found.iter().map(|diagnostic| render_json(diagnostic, sources) + "\n").collect()
        } else {
            render_all(found, sources, self.colour())
        }
    }

    /// The failure of a cell with these errors.
    pub fn failure(&self, found: &[Diagnostic]) -> Failure {
        let problems = found.iter().map(|diagnostic| problem(self.cells.sources(), diagnostic));
        let problems = problems.filter(is_error).collect();
        let why = Failure::new(FailureKind::NoProgram, "the cell has errors");
        Failure { problems, report: Some(self.report(found)), ..why }
    }

    /// Checks a cell.
    ///
    /// # Errors
    /// If it has errors.
    pub fn check(&mut self, cell: &Cell) -> Result<(CheckedCell, CellStarted), Failure> {
        let text = CellText { text: &cell.text, name: &cell.name, path: Path::new(&cell.path) };
        let checked = self.cells.check(text, cell.shows_value).map_err(|found| self.failure(&found))?;
        let sources = self.cells.sources();
        let warnings = checked.warnings.iter().map(|diagnostic| problem(sources, diagnostic)).collect();
        let started = CellStarted { warnings, report: self.report(&checked.warnings) };
        Ok((checked, started))
    }

    /// What a cell has ended with, for clients; keeps its variables.
    pub fn leave(&mut self, vm: &mut Vm, outcome: Outcome) -> CellOutcome {
        let cell = self.current.take();
        let value = cell.and_then(|cell| self.cells.leave(cell, vm));
        match outcome {
            Outcome::Terminated => CellOutcome::Interrupted,
            Outcome::Exited(status) => CellOutcome::Exited(status),
            Outcome::Finished => {
                let value = value.filter(|value| !matches!(value, Value::Nil));
                CellOutcome::Finished { value: value.map(|value| rich_value(&value)) }
            }
            Outcome::Failed(error) => {
                let problem = runtime_problem(&vm.program, &error);
                let mut diagnostic = Diagnostic::new(error.code, error.span, error.message.clone());
                diagnostic.help = error.help.clone();
                let form =
                    if self.settings.json { ReportForm::Json } else { ReportForm::Text(self.colour()) };
                let report = failure_report(&diagnostic, &problem.stack, self.cells.sources(), form);
                CellOutcome::Failed { problem, report }
            }
        }
    }
}
