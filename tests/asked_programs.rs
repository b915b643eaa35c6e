//! The programs below `testdata/programs` do the same when a debugger stops them at random and asks for
//! variables and evaluations.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // A test may panic.

mod corpus;
mod corpus_runs;
mod generator;
mod plain;
mod runs;

use ez_debugger::api::Resume::{Continue, StepInto, StepOut, StepOver};
use runs::Way;

#[test]
fn questions_change_nothing() {
    corpus_runs::all_are_as_plain("asked", |subject, number| {
        let way = Way {
            stop_at_entry: true,
            resumes: vec![StepInto, StepInto, StepInto, StepOver, StepOut, Continue],
            questions: 3,
            breakpoints: 4,
            seed: number as u64 + 1,
            ..Way::default()
        };
        subject.attached(way, None)
    });
}
