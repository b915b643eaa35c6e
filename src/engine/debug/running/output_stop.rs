//! The stop where a program has written something else than is expected.

use crate::api::{
    Difference, Done, ExpectedText, Failure, FailureKind, OutputState, RequestId, Response,
    SetExpectedOutput, StopReason, WriteStatement,
};
use crate::debug::engine::Engine;
use crate::debug::history::position::{Phase, RunPosition};
use crate::debug::history::statements::question::{Deed, step_if_known};
use crate::debug::inspect::frames::location;
use crate::debug::paths;
use crate::debug::running::expected_output::ExpectedOutput;
use crate::debug::running::halt::Halt;
use ez_runtime::interp::expected_output::{self, Expectation};
use ez_runtime::interp::output_watch::{OutputObserver, Printed};
use ez_runtime::interp::vm::Vm;
use ez_runtime::platform::reason;
use ez_runtime::program::Program;
use ez_runtime::visible::visible_char;

impl Engine {
    /// Carries out [`SetExpectedOutput`].
    pub fn set_expected_output(&mut self, id: RequestId, wanted: SetExpectedOutput) {
        let answer = self.expect_output(wanted);
        if let (Ok(()), Some(launch)) = (&answer, &mut self.launch) {
            launch.expected = None;
        }
        self.respond(id, answer.map(|()| Response::Done(Done::OutputExpected)));
    }

    /// Sets what programs are to write that start from now on.
    ///
    /// # Errors
    /// If the text is in a file that cannot be read.
    pub fn expect_output(
        &mut self,
        SetExpectedOutput { expected, mode }: SetExpectedOutput,
    ) -> Result<(), Failure> {
        if self.cells.is_some() {
            return Err(Failure::wrong_state("expect an output", "a session of cells has no program"));
        }
        let text = match expected {
            None => None,
            Some(ExpectedText::Text(text)) => Some(text),
            Some(ExpectedText::File(file)) => {
                let path = paths::absolute(&self.breakpoints.borrow().directory, &file);
                let read = self.loader.read_data(&path);
                let failed =
                    |error| Failure::new(FailureKind::NotFound, format!("{file}: {}", reason(&error)));
                Some(read.map_err(failed)?)
            }
        };
        self.expected_output.set(text.map(|text| Expectation::new(text, mode)));
        Ok(())
    }

    /// Nothing is expected any more, of no program.
    pub fn expect_nothing(&mut self) {
        self.expected_output = ExpectedOutput::default();
        if let Some(launch) = &mut self.launch {
            launch.expected = None;
        }
    }

    /// Has what a program writes compared from its start on.
    pub fn compare_output(&mut self, vm: &mut Vm) {
        vm.output = self.expected_output.begin_comparison().map(OutputObserver::Comparison);
    }

    /// The stop for what was written since the last place, if that has made the first difference.
    pub fn differs(&mut self, vm: &Vm, phase: Phase) -> Option<Halt> {
        let position = RunPosition { step: vm.steps.now(), phase };
        let difference = self.expected_output.take_news(Some(position), |found| told(&vm.program, found))?;
        Some(Halt { phase, difference: Some(difference), ..StopReason::Output.into() })
    }

    /// The stop where the program is about to end, if its output differs from what is expected.
    pub fn differs_at_end(&mut self, vm: &Vm) -> Option<Halt> {
        self.expected_output.end();
        self.differs(vm, Phase::End)
    }

    /// How far the output was as it is expected, when the program has ended.
    pub fn output_at_exit(&mut self, vm: &Vm) -> Option<OutputState> {
        self.expected_output.take_news(None, |found| told(&vm.program, found));
        let mut comparison = self.expected_output.comparison()?.borrow_mut();
        if comparison.difference().is_some() {
            comparison.end();
        }
        drop(comparison);
        self.expected_output.so_far()
    }
}

/// A difference in the form of the API.
fn told(program: &Program, found: &expected_output::Difference<Printed>) -> Difference {
    let statement = |printed: &Printed| {
        let deed = Deed { after: printed.after, depth: Some(printed.depth), at: printed.at };
        WriteStatement {
            location: location(&program.sources, printed.at),
            step: step_if_known(program, &deed),
        }
    };
    let excerpt = found.excerpt.clone();
    Difference {
        offset: found.offset,
        line: found.line,
        column: excerpt.column,
        expected: found.expected,
        actual: found.actual,
        expected_line: excerpt.expected,
        actual_line: excerpt.actual,
        left_out: excerpt.left_out,
        expected_more: excerpt.expected_more,
        actual_more: excerpt.actual_more,
        is_unfinished: found.is_unfinished,
        written: found.by.as_ref().map(statement),
        within: found.within,
        before: found.before.as_ref().map(statement),
    }
}

impl Difference {
    /// What has happened, as a sentence without its period; `reads_on`: the program ends because it reads more than there
    /// is.
    pub fn sentence(&self, reads_on: bool) -> String {
        let line = self.line;
        match (self.expected, self.actual) {
            (expected, None) => {
                let why = if reads_on { "has read more than there is" } else { "is about to end" };
                let what = match expected {
                    Some('\n') => "the line end of line",
                    _ if self.actual_line.is_empty() => "line",
                    _ => "the rest of line",
                };
                format!("The program {why}, and {what} {line} of its output is missing")
            }
            (None, Some('\n')) => {
                format!("The line end of line {line} of the output is more than is expected")
            }
            (None, _) => format!("Line {line} of the output is more than is expected"),
            (Some(expected), Some(actual)) => {
                let what = |c: char| unseen(c).map_or_else(|| format!("'{c}'"), str::to_string);
                let is_unseen = unseen(expected).is_some() || unseen(actual).is_some();
                let why = if is_unseen {
                    format!(": {} is expected, not {}", what(expected), what(actual))
                } else {
                    String::new()
                };
                format!("Line {line} of the output is not as it is expected{why}")
            }
        }
    }
}

/// The name of a character that is not seen as such.
fn unseen(c: char) -> Option<&'static str> {
    Some(match c {
        '\n' => "a line end",
        '\r' => "a carriage return",
        '\t' => "a tab",
        ' ' => "a space",
        '\u{a0}' | '\u{202f}' => "a no-break space",
        '\u{feff}' => "a byte order mark",
        c if c.is_whitespace() => "another kind of space",
        c if visible_char(c) != c => "a character that is not visible",
        _ => return None,
    })
}
