//! The search for the last change of something, as data.
//!
//! It takes two runs of the program. The first one goes to where the question was asked and finds out what
//! the expression means there: a variable of a certain call, or a part of the object with a certain number
//! ([`CreationObserver`]). The second one watches that from its beginning on.

use std::sync::Arc;

use crate::api::{ChangeCause, Described};
use crate::interp::flags::{BREAKPOINT, StatementFlags};
use crate::interp::watch::{Declared, declaration};
use crate::program::{FuncId, GlobalId, LocalId, Program, Stmt, StmtId};
use crate::source::Span;
use crate::value::{CreationObserver, CreationQuery, PartKey};

use super::history::{Question, Write};

/// How many places lie between two notes of how many objects there were.
const STRIDE: u64 = 1 << 16;

/// What is searched for.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// A local in its slot, of the call that has so many calls below it: the last such call, if it is not
    /// known at which step it began.
    Local { func: FuncId, local: LocalId, depth: u32, begin: Option<u64> },
    /// A global in its slot.
    Global(GlobalId),
    /// A part of the object with this number, which was created behind the place `after`.
    Part { number: u64, key: PartKey, after: u64 },
}

/// What the expression means.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub subject: Subject,
    /// Its value where the question was asked.
    pub value: Option<Described>,
}

/// Why a run could not tell what the expression means.
#[derive(Clone, Debug)]
pub(crate) enum Unresolved {
    /// The object is one of those before this number: another run has to keep these.
    Before(u64),
    Failed(crate::api::Failure),
}

/// A statement that did something, and the step of the last place before that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub step: u64,
    pub at: Span,
}

/// The statements that matter for a variable. Their flags are set while this lives.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    /// The first statement of the function.
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
        // The next journey is made with the same code.
        self.set_flags(false);
    }
}

/// A search under way in one run.
#[derive(Debug)]
pub(crate) struct Search {
    pub question: Question,
    /// What the first run has found; the second one is given it.
    pub outcome: Option<Result<Resolved, Unresolved>>,
    /// What the second run looks for.
    pub subject: Option<Subject>,
    pub statements: Statements,
    pub observer: Option<CreationObserver>,
    /// How many objects there were at some steps.
    marks: Vec<(u64, u64)>,
    /// The place before this one, while every place counts.
    pub previous: Option<Event>,
    /// Whether the next change may be that of the declaration.
    pub is_declaring: bool,
    /// Where it began: the declaration, the call, or the creation of the object.
    pub origin: Option<(ChangeCause, Event)>,
    /// The last change since, and what was there before.
    pub last: Option<(Event, Option<Described>)>,
    /// Where the call began, if the subject is a local.
    pub begin: Option<u64>,
    /// Whether all writes are wanted, for a breakpoint.
    pub collects: bool,
    /// These writes.
    pub writes: Vec<Write>,
    /// The next place at which the search is to be asked.
    pub next: u64,
}

impl Search {
    /// The first run; `last` is the greatest number of an object that it has to know.
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

    /// Sets flags of the statements that matter, so that the second run is asked there.
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

    /// Whether this is the run that finds out what the expression means.
    pub fn asks_for_meaning(&self) -> bool {
        self.subject.is_none()
    }

    /// Notes how many objects there are at a step.
    pub fn mark(&mut self, step: u64) {
        if let Some(observer) = self.observer.as_ref().filter(|_| step >= self.next) {
            self.marks.push((step, observer.count()));
            self.next = step.saturating_add(STRIDE);
        }
    }

    /// The last step noted at which the object with this number did not exist; 0 if there is none.
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
