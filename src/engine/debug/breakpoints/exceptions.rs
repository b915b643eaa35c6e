//! The exception filters of a session.

use crate::api::{ExceptionBreakpoint, ExceptionFilter, ExceptionSpec, SetExceptionBreakpoints};
use ez_runtime::interp::vm::ErrorWatch;

/// The filters, as requested. One whose condition is wrong never stops the program.
#[derive(Default)]
pub struct Exceptions {
    set: Vec<ExceptionBreakpoint>,
    /// Those of other clients than the one that has set `set`.
    others: Vec<ExceptionBreakpoint>,
}

impl Exceptions {
    /// Replaces all filters.
    pub fn set(&mut self, SetExceptionBreakpoints { specs, others }: SetExceptionBreakpoints) {
        let unchecked = |spec| ExceptionBreakpoint { spec, message: None };
        self.set = specs.into_iter().map(unchecked).collect();
        self.others = others.into_iter().map(unchecked).collect();
    }

    /// Checks all conditions: `wrong` says what is wrong with one, if anything is.
    pub fn check(&mut self, wrong: impl Fn(ExceptionFilter, &str) -> Option<String>) {
        for filter in self.set.iter_mut().chain(&mut self.others) {
            let condition = filter.spec.condition.as_deref();
            filter.message = condition.and_then(|condition| wrong(filter.spec.filter, condition));
        }
    }

    /// The filters that were set last, in the order of the request.
    pub fn own(&self) -> Vec<ExceptionBreakpoint> {
        self.set.clone()
    }

    /// The filters in force: those that were set last, and then those of others that are not among them.
    pub fn all(&self) -> Vec<ExceptionBreakpoint> {
        let mut all = self.own();
        for other in &self.others {
            if !all.contains(other) {
                all.push(other.clone());
            }
        }
        all
    }

    /// What the interpreter has to report because of them.
    pub fn watch(&self) -> ErrorWatch {
        ErrorWatch {
            raised: !self.of(ExceptionFilter::Uncaught).is_empty(),
            values: !self.of(ExceptionFilter::ErrorValue).is_empty(),
        }
    }

    /// The filters for a class of errors that can stop the program: any of them does.
    pub fn of(&self, filter: ExceptionFilter) -> Vec<ExceptionSpec> {
        let last = self.set.iter().rfind(|set| set.spec.filter == filter);
        let others = self.others.iter().filter(|set| set.spec.filter == filter);
        let valid = last.into_iter().chain(others).filter(|set| set.message.is_none());
        valid.map(|set| set.spec.clone()).collect()
    }
}
