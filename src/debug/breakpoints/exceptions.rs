//! The exception filters of a session.

use crate::api::{ExceptionBreakpoint, ExceptionFilter, ExceptionSpec};
use crate::interp::vm::ErrorWatch;

/// The filters, as requested. One whose condition is wrong never stops the program.
#[derive(Default)]
pub struct Exceptions {
    set: Vec<ExceptionBreakpoint>,
}

impl Exceptions {
    /// Replaces all filters; of equal ones, the last counts.
    pub fn set(&mut self, specs: Vec<ExceptionSpec>) {
        self.set = specs.into_iter().map(|spec| ExceptionBreakpoint { spec, message: None }).collect();
    }

    /// Checks all conditions: `wrong` says what is wrong with one, if anything is.
    pub fn check(&mut self, wrong: impl Fn(&str) -> Option<String>) {
        for filter in &mut self.set {
            filter.message = filter.spec.condition.as_deref().and_then(&wrong);
        }
    }

    /// The filters in the order of the request.
    pub fn all(&self) -> Vec<ExceptionBreakpoint> {
        self.set.clone()
    }

    /// What the interpreter has to report because of them.
    pub fn watch(&self) -> ErrorWatch {
        ErrorWatch {
            raised: self.get(ExceptionFilter::Uncaught).is_some(),
            values: self.get(ExceptionFilter::ErrorValue).is_some(),
        }
    }

    /// The filter for a class of errors, if it is set and can stop the program.
    pub fn get(&self, filter: ExceptionFilter) -> Option<&ExceptionSpec> {
        let last = self.set.iter().rev().find(|set| set.spec.filter == filter)?;
        last.message.is_none().then_some(&last.spec)
    }
}
