//! Searches for what was written to a variable or part, by the engine of the live program.
//!
//! What has changed lately is found soon: the search begins a few thousand steps before the question, and goes
//! back to earlier checkpoints only as long as it has not found enough.

use crate::api::{Change, ChangeCause, Changes, Described, Failure, GetChanges, LastChange, LastChangeQuery};
use crate::debug::history::changes::aims::{FindChanges, Resolve, SearchWholePast};
use crate::debug::history::changes::resolve::resolved;
use crate::debug::history::changes::search::{Event, Findings, Found, ResolvedElsewhere, SearchFound};
use crate::debug::history::changes::subject::{PortableSubject, Subject};
use crate::debug::history::changes::writes::ChangeQuestion;
use crate::debug::history::position::RunPosition;
use crate::debug::history::relay::{NOT_FOUND, Outcome};
use crate::debug::history::statements::question::{Deed, made_at_end};
use crate::debug::history::time_machine::TimeMachine;
use crate::debug::inspect::frames::location;
use ez_runtime::interp::vm::Vm;

impl TimeMachine<'_> {
    /// Answers the question what gave something the value it has at the client's position.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn last_change_of(&mut self, query: LastChangeQuery) -> Result<Box<LastChange>, Failure> {
        let verb = "tell the last change";
        let LastChangeQuery { expression, frame, limits } = query;
        let query = GetChanges { expression, frame, before: None, count: 1, limits };
        let (changes, value) = self.changes_found(query, verb)?;
        last(changes, value).map(Box::new).ok_or_else(|| Failure::wrong_state(verb, NOT_FOUND))
    }

    /// Answers the question what was written to something before the client's position.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn changes_of(&mut self, query: GetChanges) -> Result<Box<Changes>, Failure> {
        self.changes_found(query, "tell the changes").map(|(changes, _)| Box::new(changes))
    }

    /// The changes that a query asks for, and the present value.
    fn changes_found(
        &mut self,
        query: GetChanges,
        verb: &str,
    ) -> Result<(Changes, Option<Described>), Failure> {
        let title = format!("Looking for changes of {}", query.expression.trim());
        let asked_at = self.history.now().position;
        let question = ChangeQuestion { query, asked_at, breakpoint: None };
        self.answer(verb, title, |machine| {
            machine.search_for(&question).map_err(|refusal| refusal.failure(verb))
        })
    }

    fn search_for(&mut self, question: &ChangeQuestion) -> Result<(Changes, Option<Described>), Refusal> {
        let (subject, value) = self.meaning(question)?;
        if let Some(PortableSubject::Local(_, _, _, Some(begin))) = &subject
            && question.query.before.is_some_and(|before| before <= *begin)
        {
            let expression = question.query.expression.trim().into();
            return Ok((Changes { expression, changes: Vec::new(), next: None }, value));
        }
        let found = match &subject {
            Some(subject) => {
                let until = question.until(subject);
                let found = self.find_changes(question, subject, until)?;
                // The value that something began with is the one before its first change.
                let is_known = found.origin.as_ref().is_some_and(|origin| origin.new.is_some());
                let is_unknown = found.are_complete() && found.first_old.is_none() && !is_known;
                if is_unknown && until < question.asked_at {
                    self.find_changes(question, subject, question.asked_at)?
                } else {
                    found
                }
            }
            None => {
                let (until, question) = (question.asked_at, question.clone());
                changes(self.find_until(SearchWholePast { until, question }, until))?
            }
        };
        let declared = || declared(self.vm, subject.clone().map(Subject::from)?);
        let found =
            if found.is_whole { Findings { origin: found.origin.or_else(declared), ..found } } else { found };
        let found = self.with_declaration(found)?;
        let (mut page, next) = page(found, &question.query, value.as_ref());
        if let Some(subject) = &subject {
            for found in page.iter_mut().filter(|found| found.cause == ChangeCause::Created) {
                (found.cause, found.event) = self.creation(question, subject, found.event)?;
            }
        }
        let mut rows = self.rows(page)?;
        // What was watched knows values only.
        if let Some(Described { declared_type, .. }) = &value {
            let values = rows.iter_mut().flat_map(|row| [&mut row.old, &mut row.new]).flatten();
            values.for_each(|value| value.declare(declared_type));
        }
        let expression = question.query.expression.trim().into();
        Ok((Changes { expression, changes: rows, next }, value))
    }

    /// Completes the declaration by its step, if it was being executed where the run began to watch: whether it counts depends
    /// on that.
    fn with_declaration(&mut self, mut found: Findings) -> Result<Findings, Refusal> {
        if let Some(Found { cause: ChangeCause::Declared, event, .. }) = &mut found.origin
            && event.depth.is_some()
        {
            let deed = Deed { after: event.step, depth: event.depth, at: event.at };
            let steps = self.statement_steps(&[deed]).map_err(not_found)?;
            if let Some((step, _)) = steps.into_iter().next() {
                *event = Event { step, depth: None, at: event.at };
            }
        }
        Ok(found)
    }

    /// What the expression refers to at the position of the question.
    fn meaning(&mut self, question: &ChangeQuestion) -> Result<ResolvedElsewhere, Refusal> {
        if self.history.present.position == question.asked_at {
            let resolved = resolved(&mut self.engine.inspection, self.vm, self.view, &question.query);
            let resolved = resolved.map_err(Refusal::Expression)?;
            return Ok((resolved.subject.portable(), resolved.value));
        }
        match self.find_until(Resolve(question.clone()), question.asked_at).map_err(not_found)? {
            SearchFound::Meaning(resolved) => resolved.map_err(Refusal::Expression),
            SearchFound::Changes(_) | SearchFound::Write(_) => Err(Refusal::Search(NOT_FOUND.into())),
        }
    }

    /// The last events before a position: first of the last few thousand steps, then between one checkpoint and the
    /// next, further and further back, until enough is found.
    fn find_changes(
        &mut self,
        question: &ChangeQuestion,
        subject: &PortableSubject,
        until: RunPosition,
    ) -> Result<Findings, Refusal> {
        if let Some(found) = self.only_write(question, subject, until)? {
            return Ok(found);
        }
        let is_enough =
            |found: &Findings| found.are_complete() || found.changes.len() >= question.query.count;
        let near = until.step.saturating_sub(self.history.checkpoints.near());
        let near = self.changes_between(question, subject, (until, near, until))?;
        if is_enough(&near) {
            return Ok(near);
        }
        let (mut found, mut end) = (Findings::default(), until);
        let mut start = self.checkpoint_before(until);
        loop {
            let earlier = self.changes_between(question, subject, (start, start.step, end))?;
            // What is watched may be held by a statement in progress only. Then the run has to begin before that.
            if !earlier.is_blind || start == RunPosition::BEGINNING {
                found = found.after(earlier, if end == until { u64::MAX } else { end.step });
                end = start;
            }
            if is_enough(&found) || start == RunPosition::BEGINNING {
                return Ok(found);
            }
            start = self.checkpoint_before(start);
        }
    }

    /// What began the life of a variable to which nothing else writes: it is found from there on, however long ago that
    /// was. `None` if it has to be looked for as for any other.
    fn only_write(
        &mut self,
        question: &ChangeQuestion,
        subject: &PortableSubject,
        until: RunPosition,
    ) -> Result<Option<Findings>, Refusal> {
        let begin = match subject {
            PortableSubject::Local(_, _, _, Some(begin)) => *begin,
            PortableSubject::Global(_) => 0,
            PortableSubject::Local(_, _, _, None) | PortableSubject::Part(..) => return Ok(None),
        };
        let variable = Subject::from(subject.clone());
        if !self.history.interventions.is_empty() || !variable.is_written_once(&self.vm.program) {
            return Ok(None);
        }
        let cause = match variable.declaring(&self.vm.program) {
            Some(_) => ChangeCause::Declared,
            None => ChangeCause::Passed,
        };
        let start = RunPosition::place(begin);
        let mut reach = self.history.checkpoints.near();
        while let Some(end) = begin.checked_add(reach).filter(|end| *end < until.step) {
            let found = self.changes_between(question, subject, (start, begin, RunPosition::place(end)))?;
            let is_it = found.origin.as_ref().is_some_and(|origin| origin.cause == cause);
            if is_it && !found.is_declaring {
                return Ok(Some(found));
            }
            reach = reach.saturating_mul(8);
        }
        Ok(None)
    }

    /// The position of the last checkpoint before this one, or the beginning.
    fn checkpoint_before(&self, position: RunPosition) -> RunPosition {
        self.history.checkpoints.last_before(position).unwrap_or(RunPosition::BEGINNING)
    }

    /// What a run finds that begins at a checkpoint, and watches from a step to a position.
    fn changes_between(
        &mut self,
        question: &ChangeQuestion,
        subject: &PortableSubject,
        (start, from, until): (RunPosition, u64, RunPosition),
    ) -> Result<Findings, Refusal> {
        let (question, subject) = (question.clone(), subject.clone());
        changes(self.find_until(FindChanges { start, from, until, question, subject }, until))
    }

    /// The creation of a part with the statement that made it, which another run finds that watches closely.
    fn creation(
        &mut self,
        question: &ChangeQuestion,
        subject: &PortableSubject,
        event: Event,
    ) -> Result<(ChangeCause, Event), Refusal> {
        let start = RunPosition::place(event.step);
        let until = RunPosition::place(event.step.saturating_add(1)).min(question.asked_at);
        let (question, subject) = (question.clone(), subject.clone());
        let aim = FindChanges { start, from: event.step, until, question, subject };
        let found = changes(self.find_until(aim, until))?;
        Ok(found.origin.map_or((ChangeCause::Created, event), |origin| (origin.cause, origin.event)))
    }

    /// Completes events by the steps of the statements that made them.
    fn rows(&mut self, events: Vec<Found>) -> Result<Vec<Change>, Refusal> {
        // The statement at the place before a creation is not known yet.
        let is_open = |found: &Found| found.event.depth.is_some() || found.cause == ChangeCause::Created;
        let deed = |found: &Found| {
            let Event { step: after, depth, at } = found.event;
            Deed { after, depth, at }
        };
        let deeds: Vec<Deed> = events.iter().filter(|found| is_open(found)).map(deed).collect();
        let mut steps = self.statement_steps(&deeds).map_err(not_found)?.into_iter();
        let mut row = |found: Found| {
            let statement = if is_open(&found) { steps.next() } else { None };
            let Found { cause, event, old, new } = found;
            let (step, at) = statement.unwrap_or((event.step, event.at));
            let at = match cause {
                // The place at which the program was stopped; the call.
                ChangeCause::Client | ChangeCause::Passed => event.at,
                ChangeCause::Created if event.depth.is_none() => at,
                ChangeCause::Written | ChangeCause::Declared | ChangeCause::Created => {
                    let stmt = self.vm.program.statement_around(event.at);
                    stmt.and_then(|stmt| self.vm.program.statement(stmt)).map_or(event.at, |info| info.at)
                }
            };
            let at_end = statement.is_some() && made_at_end(&self.vm.program, at);
            Change { cause, step, location: location(&self.vm.program.sources, at), at_end, old, new }
        };
        Ok(events.into_iter().map(&mut row).collect())
    }
}

/// The declaration of a variable, as the event that began its life.
fn declared(vm: &Vm, subject: Subject) -> Option<Found> {
    let at = vm.program.statement(subject.declaring(&vm.program)?)?.at;
    let event = Event { step: 1, depth: None, at };
    Some(Found { cause: ChangeCause::Declared, event, old: None, new: None })
}

/// The events that a query asks for, the latest first, with what began the life of the variable or part as the
/// last; and [`GetChanges::before`] for those before them. `value` is the present value.
fn page(found: Findings, query: &GetChanges, value: Option<&Described>) -> (Vec<Found>, Option<u64>) {
    let is_complete = found.are_complete();
    let Findings { changes: mut page, origin, first_old, .. } = found;
    let all = page.len();
    // Those after the same place are not divided, since pages begin at places.
    let oldest = page.get(query.count.saturating_sub(1)).map(|found| found.event.step);
    page.retain(|found| oldest.is_none_or(|oldest| found.event.step >= oldest));
    let origin = origin.filter(|origin| query.before.is_none_or(|before| origin.event.step < before));
    let is_last = is_complete && page.len() == all;
    match origin {
        Some(mut origin) if is_last && page.len() < query.count => {
            // The first change has replaced it. Without one, it is still there.
            origin.new = origin.new.or(first_old.unwrap_or_else(|| value.cloned()));
            page.push(origin);
            (page, None)
        }
        None if is_last => (page, None),
        _ => {
            let next = page.last().map(|found| found.event.step);
            (page, next)
        }
    }
}

/// The answer to the question about the last change, given the one found, and the present value.
fn last(changes: Changes, value: Option<Described>) -> Option<LastChange> {
    let Changes { expression, changes, .. } = changes;
    let Change { cause, step, location, at_end, old, .. } = changes.into_iter().next()?;
    let line = location.line;
    let description = match cause {
        ChangeCause::Written if at_end => {
            format!("{expression} was changed by the ensure in line {line}, when its function ended")
        }
        ChangeCause::Written => format!("{expression} was changed in line {line}"),
        ChangeCause::Client => format!("{expression} was changed in the debugger at step {step}"),
        ChangeCause::Declared => format!("{expression} has not changed since its declaration in line {line}"),
        ChangeCause::Passed => format!("{expression} has not changed since the call in line {line}"),
        ChangeCause::Created => {
            format!("{expression} has not changed since it was created in line {line}")
        }
    };
    Some(LastChange { expression, cause, step, location, description, old, new: value })
}

/// Why a question about changes has no answer.
enum Refusal {
    /// The expression refers to nothing that changes.
    Expression(Failure),
    Search(String),
}

impl Refusal {
    fn failure(self, verb: &str) -> Failure {
        match self {
            Refusal::Expression(failure) => failure,
            Refusal::Search(why) => Failure::wrong_state(verb, why),
        }
    }
}

/// What a search has found, if it is changes.
fn changes(found: Result<SearchFound, Outcome>) -> Result<Findings, Refusal> {
    match found.map_err(not_found)? {
        SearchFound::Changes(found) => Ok(found),
        SearchFound::Meaning(Err(failure)) => Err(Refusal::Expression(failure)),
        SearchFound::Meaning(Ok(_)) | SearchFound::Write(_) => Err(Refusal::Search(NOT_FOUND.into())),
    }
}

/// The failure of a search that ended without a result.
fn not_found(outcome: Outcome) -> Refusal {
    Refusal::Search(outcome.why_nothing_was_found())
}
