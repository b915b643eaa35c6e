//! What the other clients of a joined session have done, in sentences.

use std::collections::BTreeSet;

use super::answer::Text;
use super::shown::SourceLine;
use super::sources::Sources;
use ez_engine::api::{Breakpoint, BreakpointId, BreakpointLocation, ChangeReason, Company, Event};
use ez_runtime::visible::{quoted, visible_line};

/// How many of the breakpoints that a request has changed are told one by one.
const MAX_CHANGES: usize = 20;

/// What others have done, from the events of a session. `own` is the name of this client; `told` gets the breakpoints
/// that are told one by one.
pub fn others(
    events: &[Event],
    own: &str,
    sources: &mut Sources,
    told: &mut BTreeSet<BreakpointId>,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for event in events {
        for sentence in sentences(event, own, sources, told) {
            let sentence = visible_line(&sentence).into_owned();
            // The same person evaluates several times.
            if found.last() != Some(&sentence) {
                found.push(sentence);
            }
        }
    }
    found
}

pub fn write_others(others: &[String], out: &mut Text) {
    if !others.is_empty() {
        out.line("Since the last answer:");
        others.iter().for_each(|other| out.line(format_args!("  {other}")));
        out.gap();
    }
}

fn sentences(
    event: &Event,
    own: &str,
    sources: &mut Sources,
    told: &mut BTreeSet<BreakpointId>,
) -> Vec<String> {
    let Event::BreakpointsChanged { changes, by } = event else {
        return sentence(event, own, sources).into_iter().collect();
    };
    let Some(name) = by.as_deref().filter(|name| *name != own) else { return Vec::new() };
    let shown = changes.iter().take(MAX_CHANGES);
    told.extend(shown.clone().map(|(breakpoint, _)| breakpoint.id));
    let change = |(breakpoint, reason): &_| change(breakpoint, *reason, sources);
    let mut found: Vec<String> =
        shown.map(change).map(|change| format!("{} {change}.", quoted(name))).collect();
    if let Some(left @ 1..) = changes.len().checked_sub(found.len()) {
        found.push(format!("{} changed {left} more breakpoints.", quoted(name)));
    }
    found
}

fn sentence(event: &Event, own: &str, sources: &mut Sources) -> Option<String> {
    Some(match event {
        Event::Company(Company::Joined(guest)) => {
            format!("{} has joined ({}).", quoted(&guest.name), guest.role.name())
        }
        Event::Company(Company::Left(guest)) => format!("{} has left.", quoted(&guest.name)),
        Event::Company(Company::Resumed(name)) => format!("{} let the program go on.", quoted(name)),
        Event::Company(Company::Restarted(name)) => {
            format!("{} restarted the program, whose text was read again.", quoted(name))
        }
        Event::Company(Company::Changed(name)) => format!("{} may have changed values.", quoted(name)),
        Event::Stopped(stop) => {
            let name = stop.by.as_deref().filter(|name| *name != own)?;
            let SourceLine { file, line, .. } = SourceLine::new(&stop.location, sources);
            let description = quoted(stop.description.trim_end_matches('.'));
            format!("{description} at {file}:{line} ({}).", quoted(name))
        }
        Event::Failed(message) => format!("{}.", message.trim_end_matches('.')),
        Event::Exited(exited) => format!("The program has ended with status {}.", exited.status),
        Event::Company(Company::Dismissed(_))
        | Event::BreakpointsChanged { .. }
        | Event::WrongCondition(_)
        | Event::Log(_)
        | Event::WatchChanged(_)
        | Event::Progress(_)
        | Event::InputRequested(_)
        | Event::CellEnded(_)
        | Event::ChildStarted(_)
        | Event::ChildEnded(_)
        | Event::Terminated => return None,
    })
}

/// What became of a breakpoint: `set breakpoint 2 at sort.ez:11 if x == 2`.
fn change(breakpoint: &Breakpoint, reason: ChangeReason, sources: &mut Sources) -> String {
    let id = breakpoint.id.0;
    let what = match reason {
        ChangeReason::Removed => return format!("removed breakpoint {id}"),
        ChangeReason::New => "set",
        ChangeReason::Changed => "changed",
    };
    let place = match &breakpoint.place {
        BreakpointLocation::Line { file, place, .. } => {
            format!("at {}:{}", sources.name(file.as_ref()), place.line)
        }
        BreakpointLocation::Function { name } => format!("at the function {}", quoted(name)),
        BreakpointLocation::Data { description } => format!("on {}", quoted(description)),
    };
    let options = &breakpoint.options;
    let condition = options.condition.as_ref().map(|condition| format!(" if {}", quoted(condition)));
    let muted = if options.enabled { "" } else { ", disabled" };
    format!("{what} breakpoint {id} {place}{}{muted}", condition.unwrap_or_default())
}
