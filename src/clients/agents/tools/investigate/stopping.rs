//! Brings a program to the point at which it is to be asked.

use std::time::Duration;

use super::question::{Goal, StopAt};
use crate::clients::agents::arguments::{Program, inside};
use crate::clients::agents::call::Call;
use crate::clients::agents::session::{ProgramSession, Set, Stop};
use crate::clients::agents::tools::difference::Different;
use ez_engine::api::{
    BreakpointOptions, FunctionSpec, GetOutputSteps, Request, Resume, SetFunctionBreakpoints, StopReason,
    Stopped, Travel,
};
use ez_runtime::platform::slashed;

/// Where a program has stopped.
pub enum Reached {
    /// At this stop.
    Stopped {
        stop: Box<Stopped>,
        /// What else there is to say.
        note: Option<String>,
        /// Whether that is the place that was asked for.
        is_wanted: bool,
        /// What was printed that is not as it is expected, if that was asked for.
        different: Option<Different>,
    },
    /// It has ended.
    Exited { status: i32, why: String },
}

/// Runs a program to a place.
///
/// # Errors
/// If there is no such place: what to do.
pub fn reach(
    call: &Call,
    session: &mut ProgramSession,
    program: &Program,
    stop: &StopAt,
) -> Result<Reached, String> {
    session.stop_at_errors(call)?;
    if let Goal::Output(text) = &stop.goal {
        session.debuggee.output().lock().look_for(text);
    }
    let mut note = set_breakpoint(call, session, program, stop)?;
    let stopped = session.run(call, program.time, Request::Start(None))?;
    let mut here = match stopped {
        Stop::Stopped(here) => here,
        Stop::TimeIsOver(here) => {
            let seconds = program.time.as_secs_f64();
            note = Some(format!("The program still ran after {seconds} s and was stopped (see timeLimit)."));
            here
        }
        Stop::Exited(status) => {
            return Ok(Reached::Exited {
                status,
                why: format!("The program has ended with status {status}."),
            });
        }
    };
    let reason = here.reason;
    let mut different = here.difference.as_deref().map(|found| Different::new(found, &here.description));
    let is_wanted = match &stop.goal {
        Goal::Difference => match here.difference.take() {
            Some(difference) => {
                let found = Different::explained(call, session, &difference, &here.description)?;
                here = session.travel(call, found.step().map_or(Travel::GoToPresent, Travel::GoToStep))?;
                different = Some(found);
                true
            }
            None => false,
        },
        Goal::ErrorOrEnd => matches!(reason, StopReason::Exception | StopReason::End),
        Goal::Error => reason == StopReason::Exception,
        Goal::End => reason == StopReason::End,
        Goal::Line { .. } | Goal::Function(_) => reason.breakpoint().is_some(),
        Goal::Output(output) => match printed(call, session, output, stop.hit)? {
            Ok(step) => {
                here = session.travel(call, Travel::GoToStep(step))?;
                here.description = format!("about to print {output:?}");
                true
            }
            Err(why) => {
                note = Some(why);
                false
            }
        },
        Goal::Step(step) => {
            here = session.travel(call, Travel::GoToStep(*step))?;
            here.moment.is_some_and(|moment| moment.present >= *step)
        }
    };
    if !is_wanted && note.is_none() {
        note = Some(missed(&stop.goal, reason));
    }
    Ok(Reached::Stopped { stop: here, note, is_wanted, different })
}

/// Sets the breakpoint at a line or function. Returns what there is to say about it.
fn set_breakpoint(
    call: &Call,
    session: &mut ProgramSession,
    program: &Program,
    stop: &StopAt,
) -> Result<Option<String>, String> {
    let options = BreakpointOptions {
        condition: stop.condition.clone(),
        hit_condition: (stop.hit > 1).then(|| format!("== {}", stop.hit)),
        ..BreakpointOptions::default()
    };
    let set = match &stop.goal {
        Goal::Line { line, file } => {
            let root = &call.shared.root;
            let file = match file {
                Some(file) => slashed(&inside(root, file)?),
                None => program.name(),
            };
            session.set_breakpoints(call, file, vec![(*line, options)])?.into_iter().next()
        }
        Goal::Function(name) => {
            let spec = FunctionSpec { name: name.clone(), options };
            session.ask(call, SetFunctionBreakpoints::new(vec![spec]))?.into_iter().next().map(Set::new)
        }
        Goal::ErrorOrEnd | Goal::Error | Goal::End | Goal::Output(_) | Goal::Difference | Goal::Step(_) => {
            return Ok(None);
        }
    };
    match set.unwrap_or(Set::There) {
        Set::Moved(moved) => Ok(Some(format!("About the place to stop at: {moved}."))),
        Set::There => Ok(None),
        Set::Not(why) => Err(format!("the program cannot stop there: {why}")),
    }
}

/// The step of the statement that has printed a text for the nth time; or why there is none.
fn printed(
    call: &Call,
    session: &mut ProgramSession,
    output: &str,
    hit: u32,
) -> Result<Result<u64, String>, String> {
    let found = {
        let output = session.debuggee.output().lock();
        let found = output.found();
        (found.get(hit as usize - 1).copied(), found.len())
    };
    match found {
        (Some(offset), _) => {
            let steps = session.ask(call, GetOutputSteps { offsets: vec![offset], stream: None })?;
            let step = steps.first().map(|found| found.step);
            Ok(step.ok_or_else(|| format!("It is not known what has printed {output:?}.")))
        }
        (None, 0) => {
            Ok(Err(format!("Up to here, where the program stopped instead, it had not printed {output:?}.")))
        }
        (None, times) => Ok(Err(format!(
            "Up to here, where the program stopped instead, it had printed {output:?} {times} times only."
        ))),
    }
}

fn missed(goal: &Goal, reason: StopReason) -> String {
    let instead = match reason {
        StopReason::Exception => "it failed before",
        StopReason::End => "it came to its end",
        StopReason::Output => "it printed something else than is expected before",
        _ => "it stopped before",
    };
    match goal {
        Goal::Error => format!("There was no run-time error; {instead}."),
        Goal::End => format!("The program did not come to its end: {instead}."),
        Goal::Line { line, .. } => format!("The program did not stop in line {line}; {instead}."),
        Goal::Function(name) => format!("The program did not stop in {name}; {instead}."),
        Goal::Difference if reason == StopReason::End => "All that was printed is as expected.".into(),
        Goal::Difference => format!("Up to here, all is printed as expected; {instead}."),
        Goal::Step(step) => format!("The run has no step {step}; {instead}."),
        Goal::ErrorOrEnd | Goal::Output(_) => format!("Stopped elsewhere: {instead}."),
    }
}

/// The step at which a line of the file of the stop was executed last.
///
/// # Errors
/// If it was never executed.
pub fn last_step_of_line(
    call: &Call,
    session: &mut ProgramSession,
    line: u32,
    stop: &Stopped,
) -> Result<u64, String> {
    let file = stop.location.path.to_string_lossy().into_owned();
    session.ask(call, SetFunctionBreakpoints::new(Vec::new()))?;
    session.set_breakpoints(call, file, vec![(line, BreakpointOptions::default())])?;
    let back = Request::Resume(Resume::Travel(Travel::ReverseContinue));
    let found = session.run(call, Duration::from_secs(20), back)?;
    let result = match found {
        Stop::Stopped(here) if matches!(here.reason, StopReason::Breakpoint(_)) => Ok(here.step),
        _ => Err(format!("line {line} was not executed before this stop")),
    };
    session.travel(call, Travel::GoToStep(stop.step))?;
    result
}
