//! The errors at which the program stops.

use crate::api::{ExceptionBreakpoint, ExceptionFilter, ExceptionSpec};
use crate::interp::vm::ErrorWatch;

/// What a client has asked for.
#[derive(Default)]
pub(super) struct Exceptions {
    set: Vec<ExceptionSpec>,
}

impl Exceptions {
    /// Replaces all filters; of one that is named twice, the last counts.
    pub fn set(&mut self, specs: Vec<ExceptionSpec>) -> Vec<ExceptionBreakpoint> {
        self.set = specs;
        self.all()
    }

    /// The filters that are set, in the order in which they were asked for.
    pub fn all(&self) -> Vec<ExceptionBreakpoint> {
        self.set.iter().map(|spec| ExceptionBreakpoint { spec: spec.clone(), message: None }).collect()
    }

    /// What the machine has to tell because of them.
    pub fn watch(&self) -> ErrorWatch {
        ErrorWatch {
            raised: self.get(ExceptionFilter::Uncaught).is_some(),
            values: self.get(ExceptionFilter::ErrorValue).is_some(),
        }
    }

    /// The filter for this kind of error, if it is set.
    pub fn get(&self, filter: ExceptionFilter) -> Option<&ExceptionSpec> {
        self.set.iter().rev().find(|spec| spec.filter == filter)
    }
}
