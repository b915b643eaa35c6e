//! Where a value came from.

use super::{Explaining, short};
use crate::clients::computation::{Computation, Read, past};
use crate::clients::past::Past;
use ez_engine::api::{
    Change, ChangeCause, Children, Evaluate, GetChanges, GetChildren, Limits, Position, Purpose, Travel,
};

/// How many changes of a value are asked for, and how many of the values before are shown.
const MAX_CHANGES: usize = 200;
const MAX_BEFORE: usize = 4;

/// How many values that a statement has read are followed.
const MAX_READS: usize = 2;

/// How many parts of an array, map or struct are asked for their last change.
const MAX_PARTS: usize = 24;

/// How far values are followed.
const MAX_DEPTH: usize = 3;

/// Time limit of an evaluation, in milliseconds.
const EVALUATION: u32 = 1000;

/// A part of an array, map or struct that was written.
struct Part {
    /// An expression for it.
    name: String,
    /// Its value where the program is stopped.
    value: String,
    /// Its last write.
    change: Change,
}

/// The values before the last change, and before earlier ones: `   (before: 6, 3, 1, 0)`.
fn before(latest: &Change, earlier: &[Change]) -> String {
    let all = std::iter::once(latest).chain(earlier).map_while(|change| past(change.old.as_ref()));
    let mut old: Vec<String> = all.take(MAX_BEFORE + 1).map(|old| short(&old)).collect();
    if old.len() > MAX_BEFORE {
        old.truncate(MAX_BEFORE);
        old.push("…".into());
    }
    if old.is_empty() { String::new() } else { format!("   (before: {})", old.join(", ")) }
}

impl<P: Past> Explaining<'_, P> {
    /// Shows where the values came from of which a part of a statement was computed.
    pub(super) fn parts(
        &mut self,
        indent: usize,
        statement: &Computation,
        part: usize,
    ) -> Result<(), String> {
        self.reads(indent, statement.step(), statement.reads_below(Some(part)))
    }

    /// Shows where the values came from that a statement has read.
    pub(super) fn reads_of(&mut self, indent: usize, statement: &Computation) -> Result<(), String> {
        self.reads(indent, statement.step(), statement.reads())
    }

    /// Calls come first: they are where to look next.
    fn reads(&mut self, indent: usize, step: u64, mut reads: Vec<Read>) -> Result<(), String> {
        reads.sort_by_key(|read| read.returned_at.is_none());
        reads.into_iter().take(MAX_READS).try_for_each(|read| self.read(indent, step, read))
    }

    /// Shows where a value came from that the statement at this step has read.
    fn read(&mut self, indent: usize, step: u64, read: Read) -> Result<(), String> {
        if !self.has_room() || indent > MAX_DEPTH {
            return Ok(());
        }
        match read.returned_at {
            Some(last) => self.returned(indent, step, &read, last),
            // What a call before it has changed is not known.
            None if read.is_after_call => Ok(()),
            None => self.changed(indent, step, &read),
        }
    }

    /// Shows which `return` gave the result of a call, and where that came from.
    fn returned(&mut self, indent: usize, caller: u64, read: &Read, last: u64) -> Result<(), String> {
        let (mut caller, mut last, mut read, mut begin) = (caller, last, read.clone(), "");
        let statement = loop {
            self.looks_at_one_more()?;
            let Ok(found) = self.past.return_statement(caller, last) else { return Ok(()) };
            let statement = Computation::new(*found);
            let next = statement.reads().into_iter().find_map(|read| Some((read.returned_at?, read)));
            match next.filter(|_| self.is_shown(&statement.unfolded().location)) {
                Some((returned_at, inner)) => {
                    (caller, last, read) = (statement.step(), returned_at, inner);
                    begin = "where the calls end, ";
                }
                None => break statement,
            }
        };
        let what = format!("{begin}{} = {}", short(&read.text), short(&read.value));
        let Some(inner) = self.computed(indent, &what, &statement, "") else { return Ok(()) };
        if statement.reads().is_empty() {
            return self.decisions(inner, &statement, true);
        }
        self.reads_of(inner, &statement)
    }

    /// Adds a line about a statement that gave something its value.
    fn computed(
        &mut self,
        indent: usize,
        what: &str,
        statement: &Computation,
        before: &str,
    ) -> Option<usize> {
        let values = statement.with_values().map(|text| format!(" → {}", short(text))).unwrap_or_default();
        self.add(indent, statement, |at, text| format!("{what}  ⟵ {at}: {text}{values}{before}"))
    }

    /// Shows the last change of something that the statement at this step has read.
    fn changed(&mut self, indent: usize, step: u64, read: &Read) -> Result<(), String> {
        self.past.travel(Travel::GoToStep(step))?;
        let Ok(changes) = self.changes(&read.text, MAX_CHANGES) else { return Ok(()) };
        let Some((latest, earlier)) = changes.split_first() else { return Ok(()) };
        if latest.at_end {
            let what = format!("{} = {}", short(&read.text), short(&read.value));
            self.line(indent, latest.location.clone(), latest.step, |at| {
                format!("{what}, by the ensure in {at}")
            });
            return Ok(());
        }
        // The parameters are those of the call that has read it, where the program is now.
        let parameter = self.past.parameter_index(&read.text, latest)?;
        let statement = self.statement(latest.step)?;
        if let Some(Part { name, value, change }) = self.changed_part(&read.text, latest.step) {
            let statement = self.statement(change.step)?;
            return self.change(indent, &name, &value, &change, &[], statement);
        }
        // The statement itself may have changed it before it was read.
        let is_it = past(latest.new.as_ref()).is_some_and(|value| value == read.value);
        if latest.cause == ChangeCause::Client || !is_it {
            return Ok(());
        }
        match latest.cause {
            ChangeCause::Passed => self.passed(indent, read, parameter, latest, &statement),
            ChangeCause::Created => self.created(indent, step, read, &statement),
            ChangeCause::Written | ChangeCause::Declared | ChangeCause::Client => {
                self.change(indent, &read.text, &read.value, latest, earlier, statement)
            }
        }
    }

    /// The changes of an expression where the program is stopped, the latest first.
    fn changes(&mut self, expression: &str, count: usize) -> Result<Vec<Change>, String> {
        self.goes_on()?;
        let asked = GetChanges {
            expression: expression.into(),
            frame: 0,
            before: None,
            count,
            limits: Limits::PREVIEW,
        };
        Ok(self.past.ask(asked)?.changes)
    }

    /// Shows the statement that has written a value, then what it was computed from, then why it was executed.
    fn change(
        &mut self,
        indent: usize,
        name: &str,
        value: &str,
        latest: &Change,
        earlier: &[Change],
        statement: Computation,
    ) -> Result<(), String> {
        let accumulates = statement.reads_itself(latest, name);
        let first = earlier.iter().position(|change| change.location != latest.location);
        let (same, others) = earlier.split_at_checked(first.unwrap_or(earlier.len())).unwrap_or_default();
        // A line about what was before these follows.
        let before = before(latest, if accumulates { same } else { earlier });
        let what = format!("{} = {}", short(name), short(value));
        let Some(inner) = self.computed(indent, &what, &statement, &before) else { return Ok(()) };
        let mut reads = statement.reads();
        // Of what is computed from the value before, that value is shown already.
        reads.retain(|read| if accumulates { read.returned_at.is_some() } else { read.text != name });
        self.reads(inner, statement.step(), reads)?;
        if let Some(head) = statement.unfolded().conditions.last().and_then(|condition| condition.step) {
            let head = self.computed_at(head)?;
            self.head(inner, &head, "in");
        }
        let first = others.first().filter(|first| accumulates && first.cause != ChangeCause::Client);
        if let Some((first, value)) = first.and_then(|first| Some((first, past(first.new.as_ref())?))) {
            let statement = self.computed_at(first.step)?;
            let (name, value) = (short(name), short(&value));
            let when = if same.is_empty() { "before that" } else { "before these changes" };
            self.add(inner, &statement, |at, text| format!("{when} {name} = {value}  ⟵ {at}: {text}"));
        }
        Ok(())
    }

    /// Shows the call that has passed a parameter, and where the argument came from.
    fn passed(
        &mut self,
        indent: usize,
        read: &Read,
        parameter: Option<usize>,
        change: &Change,
        statement: &Computation,
    ) -> Result<(), String> {
        let (name, value) = (short(&read.text), short(&read.value));
        let added =
            self.add(indent, statement, |at, text| format!("{name} = {value}, passed in {at}: {text}"));
        let Some(inner) = added else { return Ok(()) };
        let at = Position { line: change.location.line, column: change.location.column };
        let argument = parameter.and_then(|index| statement.argument(at, index));
        match argument {
            Some(argument) if argument.by_reference => {
                let Some(text) = argument.text else { return Ok(()) };
                let argument = Read { text, value: read.value.clone(), ..Read::default() };
                self.read(inner, change.step, argument)
            }
            Some(argument) => self.reads(inner, change.step, argument.reads),
            None => Ok(()),
        }
    }

    /// Shows where a part of an object was created that has not changed since, and what else of the object has.
    fn created(
        &mut self,
        indent: usize,
        step: u64,
        read: &Read,
        statement: &Computation,
    ) -> Result<(), String> {
        let (name, value) = (short(&read.text), short(&read.value));
        let added =
            self.add(indent, statement, |at, text| format!("{name} = {value}, unchanged since {at}: {text}"));
        let Some(inner) = added else { return Ok(()) };
        let Some(whole) = &read.whole else { return Ok(()) };
        self.past.travel(Travel::GoToStep(step))?;
        let mut parts = self.changed_parts(whole, statement.step());
        // An entry with another key may be the one that was meant.
        parts.sort_by_key(|part| part.change.old.is_some());
        for Part { name: part, change, .. } in parts.into_iter().take(MAX_READS) {
            let writing = self.computed_at(change.step)?;
            let (part, done) = (short(&part), if change.old.is_none() { "added" } else { "changed" });
            self.add(inner, &writing, |at, text| format!("since then {part} was {done} in {at}: {text}"));
        }
        self.reads(inner, step, read.index.clone())
    }

    /// The part of an array, map or struct that was written last, after a step, or a part of that part; `None` if none was,
    /// or the expression is something else.
    fn changed_part(&mut self, expression: &str, after: u64) -> Option<Part> {
        let mut found: Option<Part> = None;
        for _ in 0..MAX_DEPTH {
            let (within, after) =
                found.as_ref().map_or((expression, after), |part| (part.name.as_str(), part.change.step));
            let Some(inner) = self.changed_parts(within, after).into_iter().next() else { break };
            found = Some(inner);
        }
        // A part of it that was not looked at may have been written since.
        found.filter(|part| past(part.change.new.as_ref()).as_ref() == Some(&part.value))
    }

    /// The parts of an array, map or struct that were written after a step, the latest first; empty if the expression is
    /// something else.
    fn changed_parts(&mut self, expression: &str, after: u64) -> Vec<Part> {
        let asked = Evaluate {
            expression: expression.into(),
            frame: 0,
            purpose: Purpose::Look,
            timeout_ms: Some(EVALUATION),
            limits: Limits::PREVIEW,
        };
        let handle = self.past.ask(asked).ok().and_then(|described| described.handle);
        let asked = |handle| GetChildren { handle, start: 0, count: MAX_PARTS, limits: Limits::PREVIEW };
        let parts = handle.and_then(|handle| self.past.ask(asked(handle)).ok());
        let mut changed = Vec::new();
        for part in parts.into_iter().flat_map(|parts: Children| parts.children) {
            let (Some(name), Some(value)) = (part.evaluate_name, past(Some(&part.held))) else { continue };
            let change = self.changes(&name, 1).ok().and_then(|changes| changes.into_iter().next());
            let written =
                change.filter(|it| it.cause == ChangeCause::Written && !it.at_end && it.step > after);
            changed.extend(written.map(|change| Part { name: name.into(), value, change }));
        }
        changed.sort_by_key(|part| std::cmp::Reverse(part.change.step));
        changed
    }
}
