//! The programs below `testdata/programs`, each stepped back from its end, and forward again.

use crate::runs::Return;
use ez_engine::debug::Pace;

/// How many steps back are made from the end of each program.
const STEPS: usize = 12;

#[test]
fn programs_can_be_stepped_back_from_their_ends() {
    crate::corpus_runs::all_are_as_plain(|subject, number| {
        let checkpoints = match number.is_multiple_of(8) {
            true => Pace::Places(500 + number as u64 % 100),
            false => Pace::Never,
        };
        let plan = Return { errors: true, stops: 20, steps: STEPS, ..Return::default() };
        subject.returned(plan, checkpoints)
    });
}
