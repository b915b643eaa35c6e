//! A random program, made of the choices that the input is: plain, and under the debug engine with a client that stops,
//! asks and resumes as the first bytes say, it has the same output, status and error.

use std::sync::Arc;

use ez_engine::api::Resume::{Continue, StepInto, StepOut, StepOver};

use crate::generator::{CHOICES, Choices, Program};
use crate::runs::{Subject, Way};

/// The bytes that say how the client proceeds.
const HEAD: usize = 4;

/// A choice is that many bytes.
const CHOICE: usize = 2;

pub fn target(data: &[u8]) {
    let Some((&[seed, stops, questions, breakpoints], rest)) = data.split_first_chunk::<HEAD>() else {
        return;
    };
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
    let choices = rest.chunks_exact(CHOICE).map(number).take(CHOICES).collect();
    let program = Program::new(Choices::new(choices));
    let subject = Arc::new(Subject::generated(&program, &std::env::temp_dir()));
    let errors = subject.errors();
    assert!(errors.is_empty(), "a generated program has errors: {errors:?}\n{}", program.listing());
    let plain = subject.plain(None).expect("an outcome");
    let resumes = [Continue, StepInto, StepOver, StepOut].into_iter().enumerate();
    let resumes = resumes.filter(|(bit, _)| stops & (1 << bit) != 0).map(|(_, resume)| resume);
    let way = Way {
        stop_at_entry: stops & 16 != 0,
        resumes: resumes.chain([Continue]).collect(),
        questions: usize::from(questions % 3),
        breakpoints: usize::from(breakpoints % 5),
        seed: u64::from(seed),
        ..Way::default()
    };
    let attached = subject.attached(way, None).expect("an outcome");
    assert_eq!(attached, plain, "attached, it does something else\n{}", program.listing());
}
