//! The exception filters of a session.

use crate::api::{ExceptionBreakpoint, ExceptionFilter, ExceptionSpec};
use crate::interp::vm::ErrorWatch;

/// The filters, as requested.
#[derive(Default)]
pub struct Exceptions {
    set: Vec<ExceptionSpec>,
}

impl Exceptions {
    /// Replaces all filters; of equal ones, the last counts.
    pub fn set(&mut self, specs: Vec<ExceptionSpec>) -> Vec<ExceptionBreakpoint> {
        self.set = specs;
        self.all()
    }

    /// The filters in the order of the request.
    pub fn all(&self) -> Vec<ExceptionBreakpoint> {
        self.set.iter().map(|spec| ExceptionBreakpoint { spec: spec.clone(), message: None }).collect()
    }

    /// What the interpreter has to report because of them.
    pub fn watch(&self) -> ErrorWatch {
        ErrorWatch {
            raised: self.get(ExceptionFilter::Uncaught).is_some(),
            values: self.get(ExceptionFilter::ErrorValue).is_some(),
        }
    }

    /// The filter for a class of errors, if it is set.
    pub fn get(&self, filter: ExceptionFilter) -> Option<&ExceptionSpec> {
        self.set.iter().rev().find(|spec| spec.filter == filter)
    }
}
