//! The state of a journey.

use crate::api::Moment;
use crate::recording::Replay;

use super::super::shown::Shown;
use super::calls::Calls;
use super::history::{Aim, Intervention, Journey, JourneyEnd};
use super::plan::{Hit, Note};
use super::position::{Phase, Position};
use super::search::Search;

/// Maximum number of positions recorded; then the earliest are dropped.
pub(crate) const MAX_NOTES: usize = 1 << 18;

/// Maximum number of hits recorded; then the earliest are dropped.
const MAX_HITS: usize = 1 << 20;

/// Number of places between two reports of progress.
const STRIDE: u64 = 1 << 18;

/// The state of a journey.
pub(crate) struct JourneyState {
    pub journey: Journey,
    /// The changes still to be repeated, the next one last.
    interventions: Vec<Intervention>,
    pub has_arrived: bool,
    pub notes: Vec<Note>,
    /// The calls in progress after the last recorded position.
    pub calls: Calls,
    pub hits: Vec<Hit>,
    pub end: Option<JourneyEnd>,
    /// Reports the step that the instance has reached to the live engine.
    tell_step: Box<dyn Fn(u64)>,
    /// The step of the next report.
    report_at: u64,
    /// What the client has seen last during the journey.
    pub shown: Option<Shown>,
    /// The search for which the run is made.
    pub search: Option<Search>,
    replay: Replay,
}

impl JourneyState {
    pub fn new(journey: Journey, replay: Replay, tell_step: Box<dyn Fn(u64)>) -> JourneyState {
        tell_step(0);
        let interventions = journey.interventions.iter().rev().cloned().collect();
        JourneyState {
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

    /// The next step at which the engine has to be called.
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

    /// Reports progress if it is time.
    pub fn report(&mut self, step: u64) {
        if step >= self.report_at {
            (self.tell_step)(step);
            self.report_at = step.saturating_add(STRIDE);
        }
    }

    pub fn present(&self) -> Position {
        self.journey.present
    }

    /// Sets whether the evaluation that follows repeats one in the live program, so that the record has its
    /// calls.
    pub fn repeats(&self, repeats: bool) {
        self.replay.keep_evaluations(repeats);
    }

    /// The position of a stop in the history.
    pub fn moment(&self, phase: Phase) -> Moment {
        Moment {
            present: self.journey.present.step,
            is_past: true,
            output_length: self.replay.output_length(),
            after_return: phase.is_return(),
            error_values: phase.error_value(),
        }
    }

    /// Whether hits of breakpoints are recorded.
    pub fn looks_for_hits(&self) -> bool {
        matches!(self.journey.aim, Aim::Hits(..))
    }

    /// The result of the journey, after its run.
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

    /// Whether there is a change to be repeated at a position, or before it.
    pub fn has_intervention(&self, position: Position) -> bool {
        self.interventions.last().is_some_and(|next| next.position <= position)
    }

    pub fn take_intervention(&mut self, position: Position) -> Option<Intervention> {
        self.interventions.pop_if(|next| next.position <= position)
    }

    pub fn note(&mut self, note: Note) {
        self.calls.pass(&note);
        if self.notes.len() == MAX_NOTES {
            self.notes.drain(..MAX_NOTES / 2);
        }
        self.notes.push(note);
    }

    pub fn hit(&mut self, hit: Hit) {
        if self.hits.len() == MAX_HITS {
            self.hits.drain(..MAX_HITS / 2);
        }
        self.hits.push(hit);
    }
}
