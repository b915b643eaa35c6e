//! A journey under way, as data.

use crate::api::Moment;
use crate::recording::Replay;

use super::super::shown::Shown;
use super::calls::Calls;
use super::history::{Aim, Intervention, Journey, JourneyEnd};
use super::plan::{Hit, Note};
use super::position::{Phase, Position};
use super::search::Search;

/// How many positions are noted at most; the first ones are forgotten.
pub(crate) const MOST_NOTES: usize = 1 << 18;

/// How many hits are noted at most; the first ones are forgotten.
const MOST_HITS: usize = 1 << 20;

/// How many places lie between two reports.
const STRIDE: u64 = 1 << 18;

/// A journey under way.
pub(crate) struct Underway {
    pub journey: Journey,
    /// Those that are still to be made, the next one last.
    interventions: Vec<Intervention>,
    pub has_arrived: bool,
    pub notes: Vec<Note>,
    /// The calls in progress behind the last note.
    pub calls: Calls,
    pub hits: Vec<Hit>,
    pub end: Option<JourneyEnd>,
    /// Tells the live engine how far this has come.
    tell_step: Box<dyn Fn(u64)>,
    /// The step at which that is told next.
    report_at: u64,
    /// What the client has seen last of it.
    pub shown: Option<Shown>,
    /// The search that this run is made for.
    pub search: Option<Search>,
    replay: Replay,
}

impl Underway {
    pub fn new(journey: Journey, replay: Replay, tell_step: Box<dyn Fn(u64)>) -> Underway {
        tell_step(0);
        let interventions = journey.interventions.iter().rev().cloned().collect();
        Underway {
            journey,
            interventions,
            has_arrived: false,
            notes: Vec::new(),
            calls: Calls::default(),
            hits: Vec::new(),
            end: None,
            tell_step,
            report_at: STRIDE,
            shown: None,
            search: None,
            replay,
        }
    }

    /// The next step at which something is to be done.
    pub fn goal(&self) -> u64 {
        let goal = match &self.journey.aim {
            _ if self.has_arrived => self.journey.present.step,
            Aim::Arrive(position, _) => position.step,
            Aim::Note(from, _) => *from,
            Aim::Hits(_, until) => until.step,
            Aim::Search(until, _) => {
                self.search.as_ref().map_or(until.step, |search| search.next.min(until.step))
            }
        };
        let goal = goal.min(self.report_at);
        self.interventions.last().map_or(goal, |next| goal.min(next.position.step))
    }

    /// Tells how far this has come.
    pub fn report(&mut self, step: u64) {
        if step >= self.report_at {
            (self.tell_step)(step);
            self.report_at = step.saturating_add(STRIDE);
        }
    }

    pub fn present(&self) -> Position {
        self.journey.present
    }

    /// Whether what is evaluated now was evaluated by the debugger of the live program.
    pub fn repeats(&self, repeats: bool) {
        self.replay.keep_evaluations(repeats);
    }

    /// Where a stop is in the history.
    pub fn moment(&self, phase: Phase) -> Moment {
        Moment {
            present: self.journey.present.step,
            is_past: true,
            output_length: self.replay.output_length(),
            after_return: phase.is_return(),
            error_values: phase.error_value(),
        }
    }

    /// Whether the hits of breakpoints are looked for.
    pub fn looks_for_hits(&self) -> bool {
        matches!(self.journey.aim, Aim::Hits(..))
    }

    /// How the journey ended, when its run is over.
    pub fn ended(mut self, step: u64) -> JourneyEnd {
        if let Some(problem) = self.replay.problem() {
            return JourneyEnd::Lost(problem);
        }
        if let Some(end) = self.end.take() {
            return end;
        }
        match self.journey.aim {
            Aim::Note(_, until) if step >= until.step => JourneyEnd::Notes(self.notes, self.calls),
            Aim::Hits(_, until) if step >= until.step => JourneyEnd::Hits(self.hits),
            _ => JourneyEnd::Left,
        }
    }

    /// Whether the debugger changed something at a position, or before and not yet again.
    pub fn has_intervention(&self, position: Position) -> bool {
        self.interventions.last().is_some_and(|next| next.position <= position)
    }

    pub fn take_intervention(&mut self, position: Position) -> Option<Intervention> {
        self.interventions.pop_if(|next| next.position <= position)
    }

    pub fn note(&mut self, note: Note) {
        self.calls.pass(&note);
        if self.notes.len() == MOST_NOTES {
            self.notes.drain(..MOST_NOTES / 2);
        }
        self.notes.push(note);
    }

    pub fn hit(&mut self, hit: Hit) {
        if self.hits.len() == MOST_HITS {
            self.hits.drain(..MOST_HITS / 2);
        }
        self.hits.push(hit);
    }
}
