//! When a step ends: a pure state machine. It knows depths, lines and rounds, nothing else.

use crate::source::FileId;

use super::messages::Resume;

/// Where a program stands, as far as stepping cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepOrigin {
    /// Calls under way.
    pub depth: u32,
    /// The line.
    pub line: (FileId, u32),
}

/// What the program is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Running to the first statement of `main`.
    ToEntry,
    /// Running to a breakpoint.
    Running,
    /// A step that began at this place.
    Stepping(Resume, StepOrigin),
}

impl Mode {
    /// The mode after resuming from `at`.
    pub fn resumed(how: Resume, at: StepOrigin) -> Mode {
        match how {
            Resume::Continue => Mode::Running,
            step => Mode::Stepping(step, at),
        }
    }

    /// Whether every statement has to ask.
    pub fn asks_everywhere(self) -> bool {
        self != Mode::Running
    }

    /// Whether the step ends before a statement at `now`; `back_edge`: a loop's header that comes back_edge.
    pub fn ends_at(self, now: StepOrigin, back_edge: bool) -> bool {
        match self {
            Mode::ToEntry | Mode::Running | Mode::Stepping(Resume::Continue | Resume::Out, _) => false,
            Mode::Stepping(Resume::Over, start) if now.depth > start.depth => false,
            Mode::Stepping(Resume::Into | Resume::Over, start) => {
                back_edge || now.depth != start.depth || now.line != start.line
            }
        }
    }

    /// Whether the step ends when the frame it began in has returned.
    pub fn ends_at_return(self) -> bool {
        matches!(self, Mode::Stepping(Resume::Into | Resume::Over | Resume::Out, _))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(depth: u32, line: u32) -> StepOrigin {
        StepOrigin { depth, line: (FileId(0), line) }
    }

    #[test]
    fn steps_end_on_other_lines_and_rounds() {
        let into = Mode::resumed(Resume::Into, at(1, 5));
        assert!(!into.ends_at(at(1, 5), false), "a second statement on the line");
        assert!(into.ends_at(at(1, 5), true), "the header came back_edge");
        assert!(into.ends_at(at(1, 6), false));
        assert!(into.ends_at(at(2, 5), false), "recursion on the same line");
    }

    #[test]
    fn over_passes_calls_and_out_waits_for_the_return() {
        let over = Mode::resumed(Resume::Over, at(1, 5));
        assert!(!over.ends_at(at(2, 9), false));
        assert!(over.ends_at(at(1, 6), false));
        assert!(over.ends_at_return());
        let out = Mode::resumed(Resume::Out, at(1, 5));
        assert!(!out.ends_at(at(1, 6), false));
        assert!(out.ends_at_return());
        assert!(!Mode::resumed(Resume::Continue, at(1, 5)).ends_at_return());
    }
}
