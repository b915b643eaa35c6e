//! Commands that resume the program, also to another point in its history.

use crate::api::{LinePlace, Resume, Travel};
use crate::protocol::params::Params;

use super::{Ask, Command, Context, ask};

pub const COMMANDS: &[Command] = &[
    Command::new("continue", |_, _| resume(Resume::Continue)),
    Command::new("stepInto", step_into),
    Command::new("stepOver", |_, _| resume(Resume::StepOver)),
    Command::new("stepOut", |_, _| resume(Resume::StepOut)),
    Command::new("runTo", run_to),
    Command::since_2("stepBack", |_, _| travel(Travel::StepBack)),
    Command::since_2("stepBackOver", |_, _| travel(Travel::StepBackOver)),
    Command::since_2("stepBackOut", |_, _| travel(Travel::StepBackOut)),
    Command::since_2("reverseContinue", |_, _| travel(Travel::ReverseContinue)),
    Command::since_2("goToPresent", |_, _| travel(Travel::GoToPresent)),
    Command::since_2("restartFrame", |params, _| travel(Travel::RestartFrame(params.frame()?))),
    Command::since_2("goToStep", |params, _| {
        travel(Travel::GoToStep(params.required("step", params.count("step", 1)?)?))
    }),
];

/// Resumes the program. The next stop, or the end, is the answer.
fn resume(how: Resume) -> Result<Ask, String> {
    ask(how, |client, asked, _, _| client.running = Some(asked))
}

fn travel(how: Travel) -> Result<Ask, String> {
    resume(Resume::Travel(how))
}

fn step_into(params: &Params, _: Context) -> Result<Ask, String> {
    resume(match params.number("targetId", 1, u32::MAX)? {
        Some(target) => Resume::StepIntoTarget(target),
        None => Resume::StepInto,
    })
}

fn run_to(params: &Params, _: Context) -> Result<Ask, String> {
    resume(Resume::RunTo { file: params.required_file()?, place: place(params)? })
}

/// The parameters that name a line, or one statement of it.
pub fn place(params: &Params) -> Result<LinePlace, String> {
    Ok(LinePlace { line: params.line()?, column: params.number("column", 1, u32::MAX)? })
}
