//! Stops: reports to the client why the program has stopped.

use crate::api::{BreakpointId, Event, Limits, Returned, StopReason, Stopped, StoppedAt, Variable};
use crate::debug::engine::Engine;
use crate::debug::inspect::frames::{self, FrameView};
use crate::debug::inspect::handles::Origin;
use crate::debug::inspect::inspection::Inspection;
use crate::debug::running::halt::Halt;
use crate::debug::running::stepper::{Mode, StepOrigin};
use ez_runtime::interp::vm::Vm;

impl Engine {
    /// Reports a stop to the client.
    pub fn tell_stop(&mut self, vm: &mut Vm, view: &FrameView, halt: Halt) {
        let description = self.description(vm, view, &halt);
        let Inspection { tracker, handles, shown_before, .. } = &mut self.inspection;
        let mut changed = tracker.changed(vm, handles, view);
        if let Some(before) = shown_before.take() {
            changed = before.changed(vm, handles, view, tracker.limits());
        }
        self.inspection.changed = changed.iter().map(|variable| variable.name.clone()).collect();
        if halt.reason == StopReason::Entry {
            changed.clear();
        }
        changed.iter_mut().for_each(|variable| variable.changed = true);
        let stopped = self.stopped(vm, view, halt, description, changed);
        self.state.set_stop(Some(StoppedAt {
            reason: stopped.reason,
            location: stopped.location.clone(),
            description: stopped.description.clone(),
            frame_count: stopped.frame_count,
            step: stopped.step,
            moment: stopped.moment,
        }));
        self.event(Event::Stopped(Box::new(stopped)));
    }

    fn stopped(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        halt: Halt,
        description: String,
        changed: Vec<Variable>,
    ) -> Stopped {
        let Halt {
            reason,
            text,
            breakpoints,
            hits,
            returned,
            written,
            raised,
            difference,
            phase,
            sentence: _,
        } = halt;
        let described = |id| self.breakpoints.borrow().described(id).ok();
        let hits = hits.or_else(|| reason.breakpoint().and_then(described)?.hits);
        let returned = returned.and_then(|(call, result)| {
            let (value, ty) = result?;
            let origin = Origin { frame: 0, name: None };
            let value = self.inspection.handles.describe(&value.follow(), &ty, Limits::PREVIEW, origin);
            Some(Returned { function: frames::function_name(&vm.program, call.callee), value })
        });
        Stopped {
            reason,
            by: None,
            location: frames::location(&vm.program.sources, view.at),
            text,
            description,
            frame_count: frames::frame_count(vm),
            step: vm.steps.now(),
            moment: self.moment(vm.steps.now(), phase),
            hits,
            breakpoints,
            returned,
            written,
            raised,
            difference,
            changed,
            computed: self.debugged().map_or(Vec::new(), |program| program.computed(vm, reason)),
        }
    }

    /// The reason as a sentence.
    fn description(&self, vm: &Vm, view: &FrameView, halt: &Halt) -> String {
        let line = vm.program.sources.line(view.at);
        let hit = |id: BreakpointId, what: &str| match (&halt.text, self.breakpoints.borrow().table.hits(id))
        {
            (Some(why), _) => format!("{what} {}, {why}", id.0),
            (None, Some(hits)) => format!("{what} {}, {} hit", id.0, ordinal(hits)),
            (None, None) => format!("{what} {}", id.0),
        };
        if let Some(sentence) = &halt.sentence {
            return sentence.clone();
        }
        match halt.reason {
            StopReason::Entry => "Stopped at the first statement".into(),
            StopReason::Breakpoint(id) => hit(id, "Breakpoint"),
            StopReason::FunctionBreakpoint(id) => {
                let function = frames::function_name(&vm.program, view.func);
                format!("{} was called: {}", function, hit(id, "breakpoint"))
            }
            StopReason::DataBreakpoint(id) => format!("Data breakpoint {}", id.0),
            StopReason::Present => "Back in the present".into(),
            StopReason::End if vm.ends_without_input => {
                "The program is about to end: its input has ended".into()
            }
            StopReason::End => "The program is about to end".into(),
            StopReason::Restart => {
                format!("Back at the beginning of {}", frames::function_name(&vm.program, view.func))
            }
            StopReason::Exception => {
                halt.raised.as_ref().map_or("An error".into(), |raised| raised.message.clone())
            }
            StopReason::Output => {
                let reads_on = vm.ends_without_input;
                halt.difference.as_ref().map_or(String::new(), |difference| difference.sentence(reads_on))
            }
            StopReason::RunTo => format!("Ran to line {line}"),
            StopReason::Pause => format!("Paused in line {line}"),
            StopReason::Step => match (&halt.returned, self.step_origin()) {
                (Some((call, _)), _) => {
                    format!("Returned from {}", frames::function_name(&vm.program, call.callee))
                }
                (None, Some(origin)) if vm.depth() > origin.depth => {
                    format!("Stepped into {}", frames::function_name(&vm.program, view.func))
                }
                (None, _) => format!("Stepped to line {line}"),
            },
        }
    }

    fn step_origin(&self) -> Option<StepOrigin> {
        match self.run.mode {
            Mode::Stepping(_, origin) => Some(origin),
            Mode::ToEntry | Mode::OutToMain | Mode::Running => None,
        }
    }
}

/// An ordinal number in words: "third".
fn ordinal(number: u32) -> String {
    const WORDS: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    if let Some(word) = number.checked_sub(1).and_then(|index| WORDS.get(index as usize)) {
        return (*word).to_string();
    }
    let ending = match (number % 10, number % 100) {
        (1..=3, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_counted_in_words() {
        let words: Vec<String> = [1, 3, 10, 11, 12, 21, 42, 103, 111, 0].map(ordinal).to_vec();
        let expected = ["first", "third", "tenth", "11th", "12th", "21st", "42nd", "103rd", "111th", "0th"];
        assert_eq!(words, expected);
    }
}
