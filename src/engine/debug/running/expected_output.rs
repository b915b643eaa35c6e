//! What programs are expected to write, and what has come of it.

use std::cell::RefCell;
use std::rc::Rc;

use crate::api::{Difference, OutputState};
use crate::debug::history::position::RunPosition;
use ez_runtime::interp::expected_output::{self, Comparison, Expectation};
use ez_runtime::interp::output_watch::Printed;

/// What programs are expected to write, and what has come of it.
#[derive(Default)]
pub struct ExpectedOutput {
    /// For programs that start from now on.
    expectation: Option<Expectation>,
    /// The comparison of the program that was started last.
    comparison: Option<Rc<RefCell<Comparison<Printed>>>>,
    /// The first difference, once it was told, and where the program was stopped for it, if it was.
    found: Option<(Box<Difference>, Option<RunPosition>)>,
}

impl ExpectedOutput {
    /// Whether a difference was found that was not told yet.
    pub fn has_news(&self) -> bool {
        self.comparison.as_ref().is_some_and(|comparison| comparison.borrow().has_news())
    }

    /// How far the output is as it is expected.
    pub fn so_far(&self) -> Option<OutputState> {
        let matched = match (&self.comparison, &self.expectation) {
            (Some(comparison), _) => comparison.borrow().matched_lines(),
            (None, expectation) => expectation.as_ref().map(|_| 0)?,
        };
        Some(OutputState {
            matched,
            difference: self.found.as_ref().map(|(found, _)| self.up_to_date(found)),
        })
    }

    /// The difference that was told, with what was written behind it in its line since.
    fn up_to_date(&self, found: &Difference) -> Box<Difference> {
        let mut found = Box::new(found.clone());
        if let Some(comparison) = &self.comparison
            && let Some(now) = comparison.borrow().difference()
        {
            found.actual_line.clone_from(&now.excerpt.actual);
            found.actual_more = now.excerpt.actual_more;
            found.is_unfinished = now.is_unfinished;
        }
        found
    }

    /// The difference for which the program was stopped, and where.
    pub fn difference_stop(&self) -> Option<(&Difference, RunPosition)> {
        let (found, position) = self.found.as_ref()?;
        Some((found, (*position)?))
    }

    /// The difference, if the program was stopped there for it.
    pub fn difference_at(&self, position: RunPosition) -> Option<Box<Difference>> {
        let (found, stop) = self.found.as_ref()?;
        (*stop == Some(position)).then(|| found.clone())
    }

    /// The difference that was not told yet, in the form that `tell` gives it; from now on it was told, at a stop if that
    /// is where the program is.
    pub fn take_news(
        &mut self,
        stop: Option<RunPosition>,
        tell: impl FnOnce(&expected_output::Difference<Printed>) -> Difference,
    ) -> Option<Box<Difference>> {
        let mut comparison = self.comparison.as_ref()?.borrow_mut();
        let found = Box::new(tell(comparison.take_news()?));
        self.found = Some((found.clone(), stop));
        Some(found)
    }

    /// Sets what programs are to write that start from now on.
    pub fn set(&mut self, expectation: Option<Expectation>) {
        self.expectation = expectation;
    }

    /// Begins the comparison of a program that starts, if something is expected.
    pub fn begin_comparison(&mut self) -> Option<Rc<RefCell<Comparison<Printed>>>> {
        let comparison = self.expectation.as_ref().map(Comparison::new);
        self.comparison = comparison.map(|comparison| Rc::new(RefCell::new(comparison)));
        self.found = None;
        self.comparison.clone()
    }

    /// The program that was started last writes nothing more; what is missing is a difference.
    pub fn end(&self) {
        if let Some(comparison) = &self.comparison {
            comparison.borrow_mut().end();
        }
    }

    /// The comparison of the program that was started last.
    pub fn comparison(&self) -> Option<&RefCell<Comparison<Printed>>> {
        self.comparison.as_deref()
    }
}
