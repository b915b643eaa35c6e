//! The programs below `testdata/programs`, each stepped back from its end, and forward again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // A test may panic.

mod corpus;
mod corpus_runs;
mod generator;
mod plain;
mod runs;

use ez_debugger::debug::Pace;
use runs::Return;

/// How many steps back are made from the end of each program.
const STEPS: usize = 12;

#[test]
fn programs_can_be_stepped_back_from_their_ends() {
    corpus_runs::all_are_as_plain("returned", |subject, number| {
        let checkpoints = match number.is_multiple_of(8) {
            true => Pace::Places(500 + number as u64 % 100),
            false => Pace::Never,
        };
        let plan = Return { errors: true, stops: 20, steps: STEPS, ..Return::default() };
        subject.returned(plan, checkpoints)
    });
}
