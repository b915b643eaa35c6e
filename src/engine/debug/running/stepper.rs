//! Decides when a step ends, from call depths, lines and back edges of loops alone.

use ez_runtime::source::{FileId, Span};

/// A point at which a step can begin or end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepOrigin {
    /// Number of calls in progress.
    pub depth: u32,
    /// File and line of the statement.
    pub line: (FileId, u32),
}

/// How far the program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// To the first statement of `main`.
    ToEntry,
    /// To the first statement of `main`, as the end of a `StepOut` from the initialisers of globals, which have no
    /// caller.
    OutToMain,
    /// To a breakpoint, a pause, or the end.
    #[default]
    Running,
    /// To the end of a step that began at this point.
    Stepping(StepKind, StepOrigin),
}

/// The kinds of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepKind {
    Into,
    /// Into the call with this opening parenthesis, and no other.
    IntoCall(Span),
    Over,
    Out,
}

impl Mode {
    /// Whether the engine has to be called before every statement.
    pub fn polls_statements(self) -> bool {
        match self {
            Mode::ToEntry | Mode::OutToMain | Mode::Stepping(..) => true,
            Mode::Running => false,
        }
    }

    /// Whether the step ends before a statement at `now`; `back_edge`: the statement is a loop header reached
    /// by the back edge.
    pub fn ends_at(self, now: StepOrigin, back_edge: bool) -> bool {
        match self {
            Mode::ToEntry | Mode::OutToMain | Mode::Running | Mode::Stepping(StepKind::Out, _) => false,
            Mode::Stepping(StepKind::Over | StepKind::IntoCall(_), origin) if now.depth > origin.depth => {
                false
            }
            Mode::Stepping(StepKind::Into | StepKind::Over | StepKind::IntoCall(_), origin) => {
                back_edge || now.depth != origin.depth || now.line != origin.line
            }
        }
    }

    /// Whether the step ends at the beginning of the function that the call at `at` has called, at this
    /// depth.
    pub fn ends_in_call(self, at: Span, depth: u32) -> bool {
        match self {
            Mode::Stepping(StepKind::IntoCall(wanted), origin) => wanted == at && depth == origin.depth + 1,
            Mode::ToEntry | Mode::OutToMain | Mode::Running | Mode::Stepping(..) => false,
        }
    }

    /// Whether the step ends when a call has returned to a frame of this depth: that in which the step began has
    /// returned.
    pub fn ends_at_return(self, depth: u32) -> bool {
        match self {
            Mode::Stepping(
                StepKind::Into | StepKind::IntoCall(_) | StepKind::Over | StepKind::Out,
                origin,
            ) => depth < origin.depth,
            Mode::ToEntry | Mode::OutToMain | Mode::Running => false,
        }
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
        let into = Mode::Stepping(StepKind::Into, at(1, 5));
        assert!(!into.ends_at(at(1, 5), false), "a second statement on the line");
        assert!(into.ends_at(at(1, 5), true), "the back edge");
        assert!(into.ends_at(at(1, 6), false));
        assert!(into.ends_at(at(2, 5), false), "recursion on the same line");
    }

    #[test]
    fn into_a_call_passes_all_others() {
        let call = |start| Span { file: FileId(0), start, end: start + 1 };
        let into = Mode::Stepping(StepKind::IntoCall(call(7)), at(1, 5));
        assert!(into.ends_in_call(call(7), 2));
        assert!(!into.ends_in_call(call(9), 2), "another call of the statement");
        assert!(!into.ends_in_call(call(7), 3), "the same call, deeper in a recursion");
        assert!(!into.ends_at(at(2, 9), false));
        assert!(into.ends_at(at(1, 6), false), "the call was not made");
    }

    #[test]
    fn over_passes_calls_and_out_waits_for_the_return() {
        let over = Mode::Stepping(StepKind::Over, at(1, 5));
        assert!(!over.ends_at(at(2, 9), false));
        assert!(over.ends_at(at(1, 6), false));
        assert!(over.ends_at_return(0) && !over.ends_at_return(1));
        let out = Mode::Stepping(StepKind::Out, at(1, 5));
        assert!(!out.ends_at(at(1, 6), false));
        assert!(out.ends_at_return(0) && !out.ends_at_return(1));
        assert!(!Mode::Running.ends_at_return(0));
    }
}
