//! The state of a search for changes of something, in one run of the program.
//!
//! An expression is resolved first, at the position of the question: to a variable of a certain call, or a
//! part of the object with a certain number (see [`object_number`](ez_runtime::value::object_number)). A run then
//! watches that from some step on.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::api::{ChangeCause, Described, Failure};
use crate::debug::history::changes::subject::{PortableSubject, Subject};
use crate::debug::history::changes::write_search::WriteSearch;
use crate::debug::history::changes::writes::{ChangeQuestion, WantedWrite, WriteFindings};
use crate::debug::history::position::RunPosition;
use ez_runtime::interp::flags::{BREAKPOINT, StatementFlags};
use ez_runtime::program::{Program, Stmt, StmtId};
use ez_runtime::source::Span;
use ez_runtime::value::{CreationObserver, Value};

/// The result of resolving an expression.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub subject: Subject,
    /// Its value at the position of the question.
    pub value: Option<Described>,
}

/// An event in the life of what is watched.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Event {
    /// The last place before it, which may belong to a call that the statement has made.
    pub step: u64,
    /// Number of calls in progress, `main` not counted, where the statement is that did it; `None` if it is
    /// the one at `step`.
    pub depth: Option<u32>,
    /// Where it happened.
    pub at: Span,
}

/// An event that a run has found, with the value before and after it, in a form that depends on the use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found<V = Described> {
    pub cause: ChangeCause,
    pub event: Event,
    /// The value before a change.
    pub old: Option<V>,
    /// The value after it; of what began the life of the variable or part, `None` if it is not known.
    pub new: Option<V>,
}

/// What a run has found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Findings {
    /// The latest changes, the latest first: as many as are wanted, with all others after the same place as the
    /// last of these, and possibly more.
    pub changes: Vec<Found>,
    /// What began the life of the variable or part, if the run has watched from there.
    pub origin: Option<Found>,
    /// The value before the first change after that; `None` if there was no change.
    pub first_old: Option<Option<Described>>,
    /// Whether the run has watched from the program's beginning.
    pub is_whole: bool,
    /// Whether what is watched existed where the run began to watch, but was not found: changes may be missing.
    pub is_blind: bool,
    /// Whether the run has ended while the variable's declaration was being executed, whose value is then not known.
    pub is_declaring: bool,
}

impl Findings {
    /// Whether nothing that happened earlier can be missing.
    pub fn are_complete(&self) -> bool {
        self.is_whole || self.origin.is_some()
    }

    /// These findings together with those of an earlier run, which has ended at the step at which the run with these began to watch.
    pub fn after(self, earlier: Findings, step: u64) -> Findings {
        let Findings { mut changes, first_old, .. } = self;
        // What the client has changed at that place, both runs have seen.
        changes.extend(earlier.changes.into_iter().filter(|found| found.event.step < step));
        Findings { changes, first_old: earlier.first_old.or(first_old), ..earlier }
    }
}

/// What an expression refers to, if that can be named in another process, and its value.
pub(crate) type ResolvedElsewhere = (Option<PortableSubject>, Option<Described>);

/// What a run is for, with what it has found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum SearchFound {
    Meaning(Result<ResolvedElsewhere, Failure>),
    /// The events.
    Changes(Findings),
    /// About a data breakpoint.
    Write(WriteFindings),
}

/// A value at the time of a change.
#[derive(Clone, Debug)]
pub(crate) enum ValueThen {
    /// One that nothing can change.
    Fixed(Value),
    Described(Described),
}

/// The statements that matter for a variable. Their flags are set until this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    /// The first statement of the function of a local.
    pub first: Option<StmtId>,
    /// The statement that declares the variable.
    pub declaring: Option<StmtId>,
    flags: Arc<StatementFlags>,
}

impl Statements {
    fn new(flags: Arc<StatementFlags>, first: Option<StmtId>, declaring: Option<StmtId>) -> Statements {
        let statements = Statements { first, declaring, flags };
        statements.set_flags(true);
        statements
    }

    fn set_flags(&self, on: bool) {
        for stmt in [self.first, self.declaring].into_iter().flatten() {
            self.flags.set_own(stmt.0 as usize, BREAKPOINT, on);
        }
    }
}

impl Drop for Statements {
    fn drop(&mut self) {
        // Later journeys use the same compiled code.
        self.set_flags(false);
    }
}

/// A statement that may be creating the object that is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maker {
    /// The last place.
    pub step: u64,
    /// Number of calls in progress, `main` not counted, where the statement is.
    pub depth: u32,
    pub at: Span,
}

/// The state of a search in one run.
#[derive(Debug)]
pub(crate) struct Search {
    pub question: ChangeQuestion,
    /// What is watched; `None` in a run that resolves the expression.
    pub subject: Option<Subject>,
    /// The result of resolving the expression.
    pub resolved: Rc<OnceCell<Result<Resolved, Failure>>>,
    /// Where the run ends.
    pub until: RunPosition,
    /// The step from which on to watch, until that has begun.
    pub from: Option<u64>,
    /// Whether the run has begun at the program's beginning, and watches from there.
    pub is_whole: bool,
    /// Whether what is watched existed where the run began to watch, but was not found.
    pub is_blind: bool,
    pub statements: Statements,
    /// Waits for the creation of the object.
    pub observer: Option<CreationObserver>,
    /// The statement that creates it, if that happens before the next place.
    pub maker: Option<Maker>,
    /// Whether the next change may be made by the declaration.
    pub is_declaring: bool,
    /// The first event: the declaration, the call, or the creation of the object.
    pub origin: Option<Found<ValueThen>>,
    /// The value before the first change after that, if there was one.
    pub first_old: Option<Option<ValueThen>>,
    /// The latest changes, the latest last.
    pub recent: VecDeque<Found<ValueThen>>,
    /// The step at which the call of a local began.
    pub begin: Option<u64>,
    /// The search for a write that hits a data breakpoint, if that is what is wanted.
    pub writes: Option<WriteSearch>,
    /// What was found, when the run is over.
    pub found: Option<SearchFound>,
}

impl Search {
    /// A run that resolves the expression where the question was asked.
    pub fn for_meaning(question: ChangeQuestion) -> Search {
        Search {
            until: question.asked_at,
            question,
            subject: None,
            resolved: Rc::default(),
            from: None,
            is_whole: false,
            is_blind: false,
            statements: Statements::default(),
            observer: None,
            maker: None,
            is_declaring: false,
            origin: None,
            first_old: None,
            recent: VecDeque::new(),
            begin: None,
            writes: None,
            found: None,
        }
    }

    /// A run that watches from a step up to a position.
    pub fn for_changes(question: ChangeQuestion, subject: Subject, from: u64, until: RunPosition) -> Search {
        let writes = question.breakpoint.as_ref().map(|_| WriteSearch::default());
        let (subject, from) = (Some(subject), Some(from.max(1)));
        Search { subject, from, until, writes, ..Search::for_meaning(question) }
    }

    /// To be called before the run continues after the place `now` (0: from the program's beginning). Sets the flags
    /// of the statements that matter, so that the engine is called there.
    pub fn set_up(&mut self, flags: &Arc<StatementFlags>, program: &Program, now: u64) {
        self.is_whole = now == 0 && self.from.is_some_and(|from| from <= 1);
        let first = match &self.subject {
            Some(Subject::Local { func, .. }) => {
                let stmts = program.function(*func).map(|function| &function.body.stmts);
                let steppable = |stmt: &&Stmt| program.statement(stmt.id).is_some_and(|info| info.steppable);
                stmts.and_then(|stmts| stmts.iter().find(steppable)).map(|stmt| stmt.id)
            }
            Some(Subject::Global(_)) => None,
            Some(Subject::Part { .. }) | None => return,
        };
        let declaring = self.subject.as_ref().and_then(|subject| subject.declaring(program));
        self.statements = Statements::new(flags.clone(), first, declaring);
    }

    /// Whether a data breakpoint is searched for.
    pub fn collects(&self) -> bool {
        self.writes.is_some()
    }

    /// Whether nothing that comes later matters.
    pub fn is_over(&self) -> bool {
        let is_first = self.question.breakpoint.as_ref().is_some_and(|watch| match watch.wanted {
            WantedWrite::After(_) | WantedWrite::From(_) => true,
            WantedWrite::Last => false,
        });
        is_first && self.writes.as_ref().is_some_and(|writes| writes.has_found())
    }

    /// A call has returned to the statement at `at`: unless the object exists by now, that may create it.
    pub fn returned_to(&mut self, step: u64, depth: u32, at: Span) {
        let exists = self.observer.as_ref().is_some_and(CreationObserver::has_object);
        if let Some(maker) = self.maker.as_mut().filter(|maker| maker.step == step && !exists) {
            (maker.depth, maker.at) = (depth, at);
        }
    }

    /// Whether this run resolves the expression.
    pub fn asks_for_meaning(&self) -> bool {
        self.subject.is_none()
    }

    /// Begins the life of what is watched anew: what was found about an earlier one does not count.
    pub fn begins(&mut self, cause: ChangeCause, event: Event) {
        self.origin = Some(Found { cause, event, old: None, new: None });
        self.first_old = None;
        self.recent.clear();
    }

    /// Adds a change, and drops those that are not wanted any more.
    pub fn add(&mut self, found: Found<ValueThen>) {
        self.first_old.get_or_insert_with(|| found.old.clone());
        let query = &self.question.query;
        if query.before.is_some_and(|before| found.event.step >= before) {
            return;
        }
        self.recent.push_back(found);
        let step = |index: usize, recent: &VecDeque<Found<ValueThen>>| {
            recent.get(index).map(|found| found.event.step)
        };
        while self.recent.len() > query.count + 1
            && step(1, &self.recent) < step(self.recent.len() - query.count.max(1), &self.recent)
        {
            self.recent.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{GetChanges, Limits};
    use ez_runtime::program::GlobalId;
    use ez_runtime::source::FileId;

    #[test]
    fn the_latest_changes_are_kept_with_those_of_the_same_step() {
        let query = |count, before| GetChanges {
            expression: "x".into(),
            frame: 0,
            before,
            count,
            limits: Limits::PREVIEW,
        };
        let kept = |count, before, steps: &[u64]| {
            let asked_at = RunPosition::place(9);
            let question = ChangeQuestion { query: query(count, before), asked_at, breakpoint: None };
            let mut search = Search::for_changes(question, Subject::Global(GlobalId(0)), 1, asked_at);
            let at = Span { file: FileId(0), start: 0, end: 1 };
            for step in steps {
                let event = Event { step: *step, depth: Some(0), at };
                search.add(Found { cause: ChangeCause::Written, event, old: None, new: None });
            }
            search.recent.iter().map(|found| found.event.step).collect::<Vec<u64>>()
        };
        assert_eq!(kept(2, None, &[1, 2, 3, 4]), [2, 3, 4], "one more than wanted");
        assert_eq!(kept(2, None, &[1, 2, 3, 3, 3, 4]), [2, 3, 3, 3, 4]);
        assert_eq!(kept(2, Some(4), &[1, 2, 3, 4, 5]), [1, 2, 3]);
        assert_eq!(kept(2, None, &[7, 7, 7, 7]), [7, 7, 7, 7]);
        assert_eq!(kept(1, None, &[1, 2, 3]), [2, 3]);
    }
}
