//! Commands that resume the program, also to another point in its history.

use crate::protocol::parameter::{Counted, Optional, Required, Whole, parameters};
use crate::protocol::params::Params;
use ez_engine::api::{Resume, Travel};

use super::parameters::{COLUMN, FILE, FRAME_INDEX, LINE, RUN, SOURCE, frame, place, required_file};
use super::{Ask, Command, Context, ask};

pub const COMMANDS: &[Command] = &[
    Command::new("continue", "Runs on.", |_, _| resume(Resume::Continue)).answered_by(RUN),
    Command::new("stepInto", "Runs to the next place, in a called function, too.", step_into)
        .takes(&[&TARGET_ID])
        .answered_by(RUN),
    Command::new("stepOver", "Runs to the next place that is not in a called function.", |_, _| {
        resume(Resume::StepOver)
    })
    .answered_by(RUN),
    Command::new("stepOut", "Runs until the function has returned.", |_, _| resume(Resume::StepOut))
        .answered_by(RUN),
    Command::since_2("runTo", "Runs to a line.", run_to)
        .takes(&[&FILE, &LINE, &COLUMN, &SOURCE])
        .answered_by(RUN)
        .capability("runTo"),
    back("stepBack", "Goes to the position before, in a called function, too.", |_, _| {
        travel(Travel::StepBack)
    }),
    back("stepBackOver", "Goes to the position before in this call, or to the call itself.", |_, _| {
        travel(Travel::StepBackOver)
    }),
    back("stepBackOut", "Goes to the call of this function.", |_, _| travel(Travel::StepBackOut)),
    back("reverseContinue", "Goes to the last breakpoint before.", |_, _| travel(Travel::ReverseContinue)),
    back("goToPresent", "Goes to where the program stands.", |_, _| travel(Travel::GoToPresent)),
    back("restartFrame", "Goes to the first position in the call of a frame.", |params, _| {
        travel(Travel::RestartFrame(frame(params)?))
    })
    .takes(&[&FRAME_INDEX]),
    back("goToStep", "Goes to the first position from a step on.", |params, _| {
        travel(Travel::GoToStep(STEP.read(params)?))
    })
    .takes(&[&STEP]),
];

parameters! {
    /// The call to step into, of `stepTargets`.
    TARGET_ID: Optional<Whole> = "targetId", Whole::POSITIVE, since_2();
    /// The step.
    STEP: Required<Counted> = "step", Counted(1);
}

/// A command that goes to another point of the history.
const fn back(
    name: &'static str,
    about: &'static str,
    ask: fn(&Params, Context) -> Result<Ask, String>,
) -> Command {
    Command::only_2(name, about, ask).answered_by(RUN).capability("history")
}

/// Resumes the program. The next stop, or the end, is the answer.
fn resume(how: Resume) -> Result<Ask, String> {
    ask(how, |client, asked, _, _| client.running = Some(asked))
}

fn travel(how: Travel) -> Result<Ask, String> {
    resume(Resume::Travel(how))
}

fn step_into(params: &Params, _: Context) -> Result<Ask, String> {
    resume(match TARGET_ID.read(params)? {
        Some(target) => Resume::StepIntoTarget(target),
        None => Resume::StepInto,
    })
}

fn run_to(params: &Params, _: Context) -> Result<Ask, String> {
    resume(Resume::RunTo { file: required_file(params)?, place: place(params)? })
}
