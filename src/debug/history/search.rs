//! The state of a search for changes of something, in one run of the program.
//!
//! An expression is resolved first, at the position of the question: to a variable of a certain call, or a
//! part of the object with a certain number (see [`object_number`](crate::value::object_number)). A run then
//! watches that from some step on.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::api::{ChangeCause, Described, Failure};
use crate::debug::history::writes::{ChangeQuestion, Write};
use crate::interp::flags::{BREAKPOINT, StatementFlags};
use crate::interp::watch::{Declared, declaration};
use crate::program::{FuncId, GlobalId, LocalId, Program, Stmt, StmtId};
use crate::source::Span;
use crate::value::{CreationObserver, PartKey, Value};

/// What to watch, in a form that is the same in every run.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// A local, of a call at this depth: the one that began at step `begin` or, if that is `None`, the last
    /// one.
    Local { func: FuncId, local: LocalId, depth: u32, begin: Option<u64> },
    /// A global.
    Global(GlobalId),
    /// A part of the object with this number.
    Part { number: u64, key: PartKey },
}

/// The same in a form that can be sent to other processes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum PortableSubject {
    Local(FuncId, LocalId, u32),
    Global(GlobalId),
    Part(u64, PortableKey),
}

/// A part of an object, in that form.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum PortableKey {
    Element(usize),
    Field(u32),
    Variable,
    Text(String),
    Int(i64),
    Byte(u8),
    Char(char),
    Bool(bool),
}

impl Subject {
    /// `None` for entries whose keys are of other kinds: big integers, and members of enums.
    pub fn portable(&self) -> Option<PortableSubject> {
        Some(match self {
            Subject::Local { func, local, depth, .. } => PortableSubject::Local(*func, *local, *depth),
            Subject::Global(global) => PortableSubject::Global(*global),
            Subject::Part { number, key } => {
                let key = match key {
                    PartKey::Element(index) => PortableKey::Element(*index),
                    PartKey::Field(field) => PortableKey::Field(*field),
                    PartKey::Variable => PortableKey::Variable,
                    PartKey::Entry(Value::Int(key)) => PortableKey::Int(*key),
                    PartKey::Entry(Value::Byte(key)) => PortableKey::Byte(*key),
                    PartKey::Entry(Value::Char(key)) => PortableKey::Char(*key),
                    PartKey::Entry(Value::Bool(key)) => PortableKey::Bool(*key),
                    PartKey::Entry(key) => PortableKey::Text(key.as_str()?.to_string()),
                };
                PortableSubject::Part(*number, key)
            }
        })
    }
}

impl Subject {
    /// The variable, if it is one.
    fn variable(&self) -> Option<Declared> {
        match self {
            Subject::Local { func, local, .. } => Some(Declared::Local(*func, *local)),
            Subject::Global(global) => Some(Declared::Global(*global)),
            Subject::Part { .. } => None,
        }
    }

    /// The statement that declares it, if it is a variable.
    pub fn declaring(&self, program: &Program) -> Option<StmtId> {
        declaration(program, self.variable()?)
    }
}

impl From<PortableSubject> for Subject {
    fn from(subject: PortableSubject) -> Subject {
        match subject {
            PortableSubject::Local(func, local, depth) => Subject::Local { func, local, depth, begin: None },
            PortableSubject::Global(global) => Subject::Global(global),
            PortableSubject::Part(number, key) => {
                let key = match key {
                    PortableKey::Element(index) => PartKey::Element(index),
                    PortableKey::Field(field) => PartKey::Field(field),
                    PortableKey::Variable => PartKey::Variable,
                    PortableKey::Text(key) => PartKey::Entry(Value::str(key)),
                    PortableKey::Int(key) => PartKey::Entry(Value::Int(key)),
                    PortableKey::Byte(key) => PartKey::Entry(Value::Byte(key)),
                    PortableKey::Char(key) => PartKey::Entry(Value::Char(key)),
                    PortableKey::Bool(key) => PartKey::Entry(Value::Bool(key)),
                };
                Subject::Part { number, key }
            }
        }
    }
}

/// The result of resolving an expression.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub subject: Subject,
    /// Its value at the position of the question.
    pub value: Option<Described>,
}

/// The depth of an event whose statement is the one at its step, but is not known.
pub(crate) const ANY_DEPTH: u32 = u32::MAX - 1;

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

/// The last event that a run has found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub cause: ChangeCause,
    pub event: Event,
    /// The value before a change.
    pub old: Option<Described>,
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
    pub question: ChangeQuestion,
    /// What is watched; `None` in a run that resolves the expression.
    pub subject: Option<Subject>,
    /// The result of resolving the expression.
    pub resolved: Option<Result<Resolved, Failure>>,
    /// The step from which on to watch, until that has begun.
    pub from: Option<u64>,
    /// Whether the run has begun at the program's beginning, and watches from there.
    pub is_whole: bool,
    /// Whether every place is visited from `from` on, so that the statements of events are known.
    pub polls: bool,
    /// The last place at each depth, outermost first, while every place is visited.
    places: Vec<Option<u64>>,
    pub statements: Statements,
    /// Waits for the creation of the object.
    pub observer: Option<CreationObserver>,
    /// The previous place, if every place is visited.
    pub previous: Option<Event>,
    /// Whether the next change may be made by the declaration.
    pub is_declaring: bool,
    /// The first event: the declaration, the call, or the creation of the object.
    pub origin: Option<(ChangeCause, Event)>,
    /// The last change after that, and the value before it.
    pub last: Option<Found>,
    /// The step at which the call of a local began.
    pub begin: Option<u64>,
    /// Whether all writes are recorded, for a data breakpoint.
    pub collects: bool,
    /// The writes recorded.
    pub writes: Vec<Write>,
}

impl Search {
    /// A run that resolves the expression.
    pub fn for_meaning(question: ChangeQuestion) -> Search {
        Search {
            question,
            subject: None,
            resolved: None,
            from: None,
            is_whole: false,
            polls: false,
            places: Vec::new(),
            statements: Statements::default(),
            observer: None,
            previous: None,
            is_declaring: false,
            origin: None,
            last: None,
            begin: None,
            collects: false,
            writes: Vec::new(),
        }
    }

    /// A run that watches from a step on; it visits every place if `polls`.
    pub fn for_changes(question: ChangeQuestion, subject: Subject, from: u64, polls: bool) -> Search {
        Search { subject: Some(subject), from: Some(from.max(1)), polls, ..Search::for_meaning(question) }
    }

    /// Called before the run continues after the place `now` (0: from the program's beginning). Sets the flags
    /// of the statements that matter, so that the engine is called there.
    pub fn begin(&mut self, flags: &Arc<StatementFlags>, program: &Program, now: u64) {
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

    /// Whether this run resolves the expression.
    pub fn asks_for_meaning(&self) -> bool {
        self.subject.is_none()
    }

    /// The next step at which the search has to be called.
    pub fn next(&self) -> u64 {
        self.from.unwrap_or(u64::MAX)
    }

    /// Whether every place is to be visited after this step.
    pub fn visits_all_after(&self, step: u64) -> bool {
        self.polls && self.from.is_none_or(|from| step >= from)
    }

    /// A place is passed, with so many calls in progress.
    pub fn pass(&mut self, step: u64, depth: u32) {
        if self.visits_all_after(step) {
            self.places.resize(depth as usize + 1, None);
            if let Some(last) = self.places.last_mut() {
                *last = Some(step);
            }
        }
    }

    /// An event of a statement at this depth, after the place `step`.
    pub fn event(&self, step: u64, depth: u32, at: Span) -> Event {
        match self.places.get(depth as usize) {
            Some(Some(place)) => Event { step: *place, depth: None, at },
            _ => Event { step, depth: Some(depth), at },
        }
    }

    /// The last event, if there was one.
    pub fn found(&mut self) -> Option<Found> {
        let origin = self.origin.map(|(cause, event)| Found { cause, event, old: None });
        self.last.take().or(origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{LastChangeQuery, Limits};
    use crate::debug::history::position::RunPosition;
    use crate::source::FileId;

    #[test]
    fn statements_of_events_are_known_where_every_place_was_visited() {
        let query = LastChangeQuery { expression: "x".into(), frame: 0, limits: Limits::PREVIEW };
        let question = ChangeQuestion { query, asked_at: RunPosition::place(9), breakpoint: None };
        let mut search = Search::for_changes(question, Subject::Global(GlobalId(0)), 5, true);
        let at = Span { file: FileId(0), start: 0, end: 1 };
        for (step, depth) in [(4, 0), (5, 1), (6, 0), (7, 1), (8, 2)] {
            search.pass(step, depth);
        }
        let told = |depth| {
            let event = search.event(8, depth, at);
            (event.step, event.depth)
        };
        assert_eq!([told(0), told(1), told(2), told(3)], [(6, None), (7, None), (8, None), (8, Some(3))]);
    }

    #[test]
    fn subjects_are_the_same_elsewhere() {
        for key in [
            PartKey::Element(3),
            PartKey::Field(2),
            PartKey::Variable,
            PartKey::Entry(Value::str("a")),
            PartKey::Entry(Value::Int(-1)),
            PartKey::Entry(Value::Byte(9)),
            PartKey::Entry(Value::Char('é')),
            PartKey::Entry(Value::Bool(true)),
        ] {
            let subject = Subject::Part { number: 7, key };
            let portable = subject.portable().expect("is portable");
            assert_eq!(format!("{:?}", Subject::from(portable)), format!("{subject:?}"));
        }
    }
}
