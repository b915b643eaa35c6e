//! The state of a search for the last change of something.
//!
//! It takes two runs of the program. The first one resolves the expression at the position of the question:
//! to a variable of a certain call, or a part of the object with a certain creation number
//! ([`CreationObserver`]). The second one watches that from its creation on.

use std::sync::Arc;

use crate::api::{ChangeCause, Described};
use crate::interp::flags::{BREAKPOINT, StatementFlags};
use crate::interp::watch::{Declared, declaration};
use crate::program::{FuncId, GlobalId, LocalId, Program, Stmt, StmtId};
use crate::source::Span;
use crate::value::{CreationObserver, CreationQuery, PartKey};

use super::history::{Question, Write};

/// Number of places between two records of how many objects have been created.
const STRIDE: u64 = 1 << 16;

/// What to watch, in a form that is the same in every run.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// A local, of a call at this depth: the one that began at step `begin` or, if that is `None`, the last
    /// one.
    Local { func: FuncId, local: LocalId, depth: u32, begin: Option<u64> },
    /// A global.
    Global(GlobalId),
    /// A part of the object with this creation number, which was created after the step `after`.
    Part { number: u64, key: PartKey, after: u64 },
}

/// The result of resolving an expression.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub subject: Subject,
    /// Its value at the position of the question.
    pub value: Option<Described>,
}

/// Why a run could not resolve the expression.
#[derive(Clone, Debug)]
pub(crate) enum Unresolved {
    /// The object was created before those whose numbers are known: repeat with numbers below this one.
    Before(u64),
    Failed(crate::api::Failure),
}

/// A statement that did something, and the step of the last place before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub step: u64,
    pub at: Span,
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

/// The state of a search in one run.
#[derive(Debug)]
pub(crate) struct Search {
    pub question: Question,
    /// The result of the first run.
    pub outcome: Option<Result<Resolved, Unresolved>>,
    /// What the second run watches.
    pub subject: Option<Subject>,
    pub statements: Statements,
    pub observer: Option<CreationObserver>,
    /// Pairs of a step and the number of objects created by then.
    marks: Vec<(u64, u64)>,
    /// The previous place, while every place is checked.
    pub previous: Option<Event>,
    /// Whether the next change may be made by the declaration.
    pub is_declaring: bool,
    /// The first event: the declaration, the call, or the creation of the object.
    pub origin: Option<(ChangeCause, Event)>,
    /// The last change after that, and the value before it.
    pub last: Option<(Event, Option<Described>)>,
    /// The step at which the call of a local began.
    pub begin: Option<u64>,
    /// Whether all writes are recorded, for a data breakpoint.
    pub collects: bool,
    /// The writes recorded.
    pub writes: Vec<Write>,
    /// The next step at which the search is to be called.
    pub next: u64,
}

impl Search {
    /// The first run; `last` is the greatest creation number that it has to record.
    pub fn for_meaning(question: Question, last: u64) -> Search {
        let observer = CreationObserver::new(CreationQuery::NumbersUpTo(last));
        Search { observer: Some(observer), next: STRIDE, ..Search::new(question) }
    }

    /// The second run.
    pub fn for_changes(question: Question, resolved: Resolved) -> Search {
        let subject = resolved.subject.clone();
        let (observer, next) = match &subject {
            Subject::Part { number, after, .. } => {
                (Some(CreationObserver::new(CreationQuery::Object(*number))), (*after).max(1))
            }
            Subject::Global(_) => (None, 1),
            Subject::Local { .. } => (None, u64::MAX),
        };
        let outcome = Some(Ok(resolved));
        Search { observer, next, subject: Some(subject), outcome, ..Search::new(question) }
    }

    fn new(question: Question) -> Search {
        Search {
            question,
            outcome: None,
            subject: None,
            statements: Statements::default(),
            observer: None,
            marks: Vec::new(),
            previous: None,
            is_declaring: false,
            origin: None,
            last: None,
            begin: None,
            collects: false,
            writes: Vec::new(),
            next: u64::MAX,
        }
    }

    /// Sets the flags of the statements that matter, so that the second run is called there.
    pub fn begin(&mut self, flags: &Arc<StatementFlags>, program: &Program) {
        let (variable, first) = match &self.subject {
            Some(Subject::Local { func, local, .. }) => {
                let stmts = program.function(*func).map(|function| &function.body.stmts);
                let steppable = |stmt: &&Stmt| program.statement(stmt.id).is_some_and(|info| info.steppable);
                let first = stmts.and_then(|stmts| stmts.iter().find(steppable)).map(|stmt| stmt.id);
                (Declared::Local(*func, *local), first)
            }
            Some(Subject::Global(global)) => (Declared::Global(*global), None),
            Some(Subject::Part { .. }) | None => return,
        };
        self.statements = Statements::new(flags.clone(), first, declaration(program, variable));
    }

    /// Whether this is the first run.
    pub fn asks_for_meaning(&self) -> bool {
        self.subject.is_none()
    }

    /// Records the number of objects created by a step.
    pub fn mark(&mut self, step: u64) {
        if let Some(observer) = self.observer.as_ref().filter(|_| step >= self.next) {
            self.marks.push((step, observer.count()));
            self.next = step.saturating_add(STRIDE);
        }
    }

    /// The last recorded step at which the object with this number did not exist; 0 if there is none.
    pub fn before(&self, number: u64) -> u64 {
        let known = self.marks.partition_point(|(_, count)| *count < number);
        known.checked_sub(1).and_then(|index| self.marks.get(index)).map_or(0, |(step, _)| *step)
    }
}

#[cfg(test)]
mod tests {
    use super::super::position::Position;
    use super::*;
    use crate::api::{LastChangeQuery, Limits};

    #[test]
    fn creation_is_looked_for_behind_the_last_place_without_the_object() {
        let query = LastChangeQuery { expression: "x".into(), frame: 0, limits: Limits::PREVIEW };
        let question = Question { query, asked_at: Position::place(9), breakpoint: None };
        let mut search = Search::for_meaning(question, u64::MAX);
        search.marks = vec![(100, 0), (200, 3), (300, 7)];
        assert_eq!([1, 3, 4, 7, 8].map(|number| search.before(number)), [100, 100, 200, 200, 300]);
        search.marks.clear();
        assert_eq!(search.before(1), 0);
    }
}
