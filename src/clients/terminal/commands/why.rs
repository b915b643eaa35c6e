//! The command that explains a wrong output.

use std::sync::atomic::Ordering;

use super::past::keeps_history;
use crate::clients::cause::{self, Line};
use crate::clients::past::Past;
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::stops::is_past;
use crate::clients::terminal::table::Row;
use ez_engine::api::{Event, GetState, Question, Resume, Stopped, Travel};
use ez_engine::session::Item;

/// `why`.
pub const ROW: Row = Row {
    name: "why",
    summary: "show what has caused the first wrong output",
    help: "\
Shows which statement has printed something else than is expected, and where the wrong value came from, or which
conditions have led there. Needs 'ez debug --case', or '--history' and 'expect'.

    (debug) why
",
    run: |debugger, _| explain(debugger).map(drop),
    ..Row::DEFAULT
};

/// The past of the program that is shown.
struct Shown<'a>(&'a mut TerminalDebugger);

impl Past for Shown<'_> {
    fn ask<Q: Question>(&mut self, question: Q) -> Result<Q::Answer, String> {
        self.0.ask(question).map_err(|failure| failure.message)
    }

    fn travel(&mut self, travel: Travel) -> Result<Box<Stopped>, String> {
        self.ask(Resume::Travel(travel))?;
        loop {
            let later = self.0.shown.later.iter().position(|event| matches!(event, Event::Stopped(_)));
            let event = match later.and_then(|at| self.0.shown.later.remove(at)) {
                Some(event) => Some(Item::Event(event)),
                None => self.0.shown.link.next(),
            };
            match event {
                Some(Item::Event(Event::Stopped(stop))) => return Ok(stop),
                Some(Item::Event(Event::Progress(progress))) => self.0.progress(&progress),
                Some(Item::Event(event)) => self.0.shown.later.push_back(event),
                Some(Item::Output { .. } | Item::Response(..) | Item::Reply(_)) => {}
                None => return Err(self.0.shown.link.is_gone().message),
            }
        }
    }
}

/// Shows the lines that explain the first difference. The program is then where it was before.
fn explain(debugger: &mut TerminalDebugger) -> Result<Vec<Line>, CommandError> {
    keeps_history(debugger)?;
    let difference = debugger.ask(GetState)?.output.and_then(|output| output.difference);
    let Some(difference) = difference else {
        let nothing = CommandError::new("nothing has been printed that differs from what is expected");
        return Err(match debugger.shown.named.case {
            Some(_) => nothing,
            None => nothing.help("ez debug --case NAME FILE, or: expect FILE"),
        });
    };
    let here = debugger.shown.stop.as_ref().map(|stop| (stop.stopped.step, is_past(&stop.stopped)));
    let mut past = Shown(debugger);
    let back = match here {
        Some((step, true)) => {
            past.travel(Travel::GoToPresent)?;
            Travel::GoToStep(step)
        }
        _ => Travel::GoToPresent,
    };
    past.0.interrupted.store(false, Ordering::Relaxed);
    let lines = cause::explain(&mut past, &difference);
    let is_cut = past.0.interrupted.swap(false, Ordering::Relaxed);
    past.travel(back)?;
    let lines = lines?;
    lines.iter().for_each(|line| debugger.console.say(&format!("  {line}")));
    if is_cut {
        debugger.console.say("  (interrupted: there may be more to it)");
    }
    Ok(lines)
}

/// Shows what has caused a difference at which the program has stopped, and leads to the statement that has printed it.
pub fn lead(debugger: &mut TerminalDebugger) -> Result<(), CommandError> {
    match explain(debugger)?.first() {
        Some(Line { step, .. }) => debugger.resume(Resume::Travel(Travel::GoToStep(*step))),
        None => Ok(()),
    }
}
