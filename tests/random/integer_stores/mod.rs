//! Whatever is stored in an integer variable, and however, fits its type: random stores of all integer types into
//! all others, in every form that the language has for it, and operations on operands of all kinds, compared with a model
//! of numbers without a size: results, and errors with their places.
//!
//! A short run has seeds of its own. For a long one, `EZ_SEED` is the first seed and `EZ_COUNT` the number of
//! programs.

mod model;
mod operations;
mod ways;

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use crate::plain::{checked, errors, on_big_stack};
use ez_runtime::interp::{self, Outcome, STACK_SIZE, Vm, compile_attached, compile_plain};
use ez_runtime::value::{Host, HostAnswer, HostRequest, Job, JobResult, Stream, SystemError, Waited};
use ways::Case;

/// Programs of a short run.
const COUNT: u64 = 4000;

/// Keeps what is printed.
struct Kept(Rc<RefCell<String>>);

impl Host for Kept {
    fn write(&mut self, _: Stream, text: &str) -> io::Result<()> {
        self.0.borrow_mut().push_str(text);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        Ok(Waited::Done(None))
    }

    fn sleep(&mut self, _: Duration) -> Option<Duration> {
        None
    }

    fn now(&mut self) -> (i64, u32) {
        (0, 0)
    }

    fn random(&mut self) -> u64 {
        0
    }

    fn request(&mut self, _: HostRequest) -> Result<HostAnswer, SystemError> {
        panic!("no program asks for anything")
    }

    fn start(&mut self, _: Job) -> Result<u64, JobResult> {
        panic!("no program has jobs")
    }

    fn finish(&mut self, _: u64) -> Waited<JobResult> {
        panic!("no program has jobs")
    }

    fn cancel(&mut self, _: u64) {}
}

/// Line and column of a byte of a text.
fn place(text: &str, at: usize) -> String {
    let before = &text[..at];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    format!("{}:{}", before.matches('\n').count() + 1, at - line + 1)
}

/// The output of a program, and the code and the place of the error that ended it.
fn result(text: &str, attached: bool) -> String {
    let checked = checked(text);
    let found = errors(&checked);
    let Some(program) = checked.program else { return format!("does not check: {found:?}") };
    let out = Rc::new(RefCell::new(String::new()));
    let host = Box::new(Kept(out.clone()));
    let mut vm = Vm::new(program.clone(), host, STACK_SIZE - STACK_SIZE / 8).unwrap();
    let code = if attached { compile_attached(&program) } else { compile_plain(&program) };
    let end = match interp::run(&mut vm, &code) {
        Outcome::Failed(error) => {
            format!("{} {}\n", error.code.as_str(), place(text, error.span.start as usize))
        }
        other => format!("ended {}\n", other.status()),
    };
    let out = out.borrow();
    format!("{out}{end}")
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn whatever_is_stored_fits_its_type() {
    on_big_stack(|| {
        let first = number("EZ_SEED").unwrap_or(1);
        let mut wrong = Vec::new();
        for seed in first..first + number("EZ_COUNT").unwrap_or(COUNT) {
            let mut rng = fastrand::Rng::with_seed(seed);
            let case = if rng.u8(..3) == 0 { operations::random(&mut rng) } else { None };
            let Case { text, wanted } = case.unwrap_or_else(|| Case::random(&mut rng));
            let got = result(&text, seed % 2 == 0);
            // Where an error of a declaration, a call or a literal is, is not in the model.
            let is_same = got.trim_end().rsplit_once(' ').is_some_and(|(got, _)| got == wanted.trim_end());
            if got != wanted && !is_same {
                wrong.push(format!("seed {seed}:\n{text}gives\n{got}wanted\n{wanted}"));
            }
        }
        let shown = wrong.iter().take(10).map(String::as_str).collect::<Vec<_>>().join("\n");
        assert!(wrong.is_empty(), "{} differ:\n{shown}", wrong.len());
    });
}
