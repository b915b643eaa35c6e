//! The programs below `testdata/programs` do the same when a debugger stops them at random and asks for
//! variables and evaluations.

use crate::runs::Way;
use ez_engine::api::Resume::{Continue, StepInto, StepOut, StepOver};

// invariant 5
#[test]
fn questions_change_nothing() {
    crate::corpus_runs::all_are_as_plain(|subject, number| {
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
