//! `ez test PROGRAM...`: which programs are meant, and what is done with their cases.

use crate::clients::cases::{Form, Mode, Options, denied};

use super::args::{Comparing, TestArgs};
use super::check::{ProgramFile, programs_of};
use super::options::Usage;
use super::run::STDIN;

/// What the arguments ask for.
///
/// # Errors
/// What is wrong with them: flags that do not go together, a path without a program.
pub(super) fn options(given: TestArgs) -> Result<Options, Usage> {
    let mode = match (given.mode, given.float_error) {
        (Comparing::Tokens, error) => Mode::Tokens(error),
        (_, Some(_)) => return Err(Usage::error("--float-error is of no use without --mode tokens")),
        (Comparing::Lines, None) => Mode::Lines,
        (Comparing::Exact, None) => Mode::Exact,
    };
    let mut programs = Vec::new();
    for path in &given.programs {
        let found = programs_of(path).map_err(|message| Usage::error(&message))?;
        programs.extend(found.into_iter().map(|ProgramFile { file, .. }| file));
    }
    if programs.iter().any(|program| program == STDIN) {
        return Err(Usage::error("a program on standard input has no cases: it is in no folder"));
    }
    if given.update && programs.len() > 1 {
        return Err(Usage::error("--update takes one program: what it prints becomes what is expected"));
    }
    Ok(Options {
        programs,
        cases: given.cases,
        only: given.only,
        mode,
        time: given.time,
        memory: given.memory,
        deny: denied(given.deny, given.allow_net),
        jobs: given.jobs.map(|jobs| jobs as usize),
        fail_fast: given.fail_fast,
        update: given.update,
        form: match (given.csv, given.json, given.each) {
            (true, _, _) => Form::Csv,
            (_, _, true) => Form::Each,
            (_, true, false) => Form::Json,
            (false, false, false) => Form::Text,
        },
        list: given.list,
        junit: given.junit,
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::clients::cases::MEMORY;

    #[test]
    fn a_tested_program_has_the_memory_of_a_debugged_one() {
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            given: TestArgs,
        }
        assert_eq!(Line::parse_from(["ez", "a.ez"]).given.memory, MEMORY);
    }
}
