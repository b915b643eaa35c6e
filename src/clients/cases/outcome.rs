//! What has become of a case.

use std::time::Duration;

use super::program::Place;
use crate::clients::cause::Line;
use ez_engine::api::Difference;

/// What has become of a case.
#[derive(Debug)]
pub struct Outcome {
    /// `None`: it has passed.
    pub failure: Option<Failure>,
    pub time: Duration,
    /// All that was printed, if what is expected is to become that.
    pub output: Option<String>,
}

/// In which way a case has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something else was printed.
    Output,
    /// A run-time error.
    Error,
    /// A limit of time or memory.
    Limit,
    /// Ended by a signal.
    Signal,
    /// Another exit status.
    Status,
    /// It could not be run.
    NotRun,
}

impl Kind {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Output => "output",
            Kind::Error => "error",
            Kind::Limit => "limit",
            Kind::Signal => "signal",
            Kind::Status => "status",
            Kind::NotRun => "notRun",
        }
    }
}

/// Why a case has failed.
#[derive(Debug)]
pub struct Failure {
    pub kind: Kind,
    /// What is wrong, in one line.
    pub message: String,
    /// What else there is to say.
    pub remarks: Vec<String>,
    /// How it has ended, if that is wrong, too.
    pub then: Option<String>,
    pub difference: Option<Box<Difference>>,
    /// Where that was printed, or the program has ended.
    pub place: Option<Place>,
    /// Where what is wrong comes from.
    pub cause: Vec<Line>,
}

impl Failure {
    pub fn new(kind: Kind, message: impl Into<String>) -> Failure {
        let (remarks, cause) = (Vec::new(), Vec::new());
        Failure { kind, message: message.into(), remarks, then: None, difference: None, place: None, cause }
    }
}
