//! The state of a journey.

use std::rc::Rc;

use crate::api::{Moment, Unfolded};
use crate::debug::history::counts::{Hit, Tally};
use crate::debug::history::messages::{Aim, ChangeSearch, Intervention, Journey, JourneyEnd, Occasion};
use crate::debug::history::plan::Note;
use crate::debug::history::position::{Phase, RunPosition};
use crate::debug::history::search::Search;
use crate::debug::history::statement_search::StatementSearch;
use crate::debug::history::unfold::observation::Unfolding;
use crate::debug::history::watch_subject::Subject;
use crate::debug::inspect::variable_snapshot::VariableSnapshot;
use crate::interp::vm::Vm;
use crate::recording::Replay;

/// Maximum number of positions recorded; then the earliest are dropped.
pub(crate) const MAX_NOTES: usize = 1 << 18;

/// Number of places between two reports of progress.
const STRIDE: u64 = 1 << 18;

/// The state of a journey.
pub(crate) struct JourneyState {
    pub journey: Journey,
    /// The changes still to be repeated, the next one last.
    interventions: Vec<Intervention>,
    pub has_arrived: bool,
    pub notes: Vec<Note>,
    /// The step of the first place of each call in progress at the first recorded position, outermost first.
    pub begins: Vec<u64>,
    /// The hits found, if the journey is for these.
    pub tally: Tally,
    pub end: Option<JourneyEnd>,
    /// Reports the step that the instance has reached to the live engine.
    tell_step: Box<dyn Fn(u64)>,
    /// The step of the next report.
    report_at: u64,
    /// What the client has seen last during the journey.
    pub shown: Option<VariableSnapshot>,
    /// The search for which the run is made.
    pub search: Option<Search>,
    /// The statements that are looked for.
    pub statements: Option<StatementSearch>,
    /// What is found about a statement, once the journey has come to it.
    pub unfolding: Option<Rc<Unfolding>>,
    replay: Replay,
}

impl JourneyState {
    pub fn new(journey: Journey, replay: Replay, tell_step: Box<dyn Fn(u64)>) -> JourneyState {
        tell_step(0);
        let interventions = journey.interventions.iter().rev().cloned().collect();
        let search = match &journey.aim {
            Aim::Resolve(_, question) => Some(Search::for_meaning(question.clone())),
            Aim::Changes(ChangeSearch { question, subject, from, .. }) => {
                let subject = Subject::from(subject.clone());
                Some(Search::for_changes(question.clone(), subject, *from))
            }
            Aim::Arrive(..)
            | Aim::Note(..)
            | Aim::Hits(..)
            | Aim::Search(..)
            | Aim::Unfold(_)
            | Aim::Statements(_)
            | Aim::Output(_) => None,
        };
        let statements = match &journey.aim {
            Aim::Statements(queries) => Some(StatementSearch::new(queries)),
            _ => None,
        };
        let state = JourneyState {
            journey,
            interventions,
            has_arrived: false,
            notes: Vec::new(),
            begins: Vec::new(),
            tally: Tally::default(),
            end: None,
            tell_step,
            report_at: STRIDE,
            shown: None,
            search,
            statements,
            unfolding: None,
            replay,
        };
        state.expect_wait();
        state
    }

    /// Lets the program be interrupted in the wait in which the client has made the next change, if it was in one.
    fn expect_wait(&self) {
        let calls = self.interventions.last().and_then(|next| match next.occasion {
            Occasion::Wait { calls } => Some(calls),
            Occasion::Position | Occasion::Error => None,
        });
        self.replay.interrupt_after(calls);
    }

    /// The next step, after the step `now`, at which the engine has to be called.
    pub fn goal(&self, now: u64) -> u64 {
        let goal = match &self.journey.aim {
            _ if self.has_arrived => self.journey.present.step,
            Aim::Arrive(position, _) => position.step,
            Aim::Unfold(unfold) if self.unfolding.is_some() => {
                unfold.until.map_or(u64::MAX, |until| until.step)
            }
            Aim::Unfold(unfold) => unfold.position.step,
            Aim::Note(from, _) => *from,
            Aim::Statements(_) => {
                self.statements.as_ref().and_then(StatementSearch::next).map_or(0, |next| next.after)
            }
            Aim::Output(search) => search.until.step,
            Aim::Hits(_, until) => until.step,
            Aim::Resolve(until, _) | Aim::Search(until, _) | Aim::Changes(ChangeSearch { until, .. }) => {
                self.search.as_ref().map_or(until.step, |search| search.next().min(until.step))
            }
        };
        let goal = goal.min(self.report_at);
        let mut interventions = self.interventions.iter().rev();
        let next = interventions.find(|next| next.occasion == Occasion::Position);
        // A place after the change shows that it was missed.
        next.map_or(goal, |next| goal.min(next.position.step.max(now + 1)))
    }

    /// Reports progress if it is time.
    pub fn report(&mut self, step: u64) {
        if step >= self.report_at {
            (self.tell_step)(step);
            self.report_at = step.saturating_add(STRIDE);
        }
    }

    pub fn present(&self) -> RunPosition {
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

    /// Lets the program go on after the end of the record, as far as it needs no answers.
    pub fn may_go_beyond_the_record(&self) {
        self.replay.go_beyond();
    }

    /// Whether hits of breakpoints are recorded.
    pub fn looks_for_hits(&self) -> bool {
        matches!(self.journey.aim, Aim::Hits(..))
    }

    /// The result of the journey, after its run.
    pub fn ended(mut self, step: u64) -> JourneyEnd {
        let unfolded = self.unfolding.as_ref().and_then(|unfolding| unfolding.result.take());
        if let Some(unfolded) = unfolded {
            let incomplete = unfolded.incomplete.or(self.replay.problem());
            return JourneyEnd::Unfolded(Box::new(Unfolded { incomplete, ..unfolded }));
        }
        if let Some(problem) = self.replay.problem() {
            return JourneyEnd::Lost(problem);
        }
        if let Some(end) = self.end.take() {
            return end;
        }
        match self.journey.aim {
            Aim::Note(_, until) if step >= until.step => JourneyEnd::Notes(self.notes, self.begins),
            Aim::Hits(_, until) if step >= until.step => JourneyEnd::Hits(Box::new(self.tally)),
            Aim::Statements(_) => {
                let found = self.statements.as_mut().map(|search| std::mem::take(&mut search.found));
                JourneyEnd::Statements(found.unwrap_or_default())
            }
            _ => JourneyEnd::Left,
        }
    }

    /// Bytes of output so far.
    pub fn output_length(&self) -> u64 {
        self.replay.output_length()
    }

    /// Ends a search for what has printed the output, if the journey is for that.
    pub fn end_output(&mut self, vm: &mut Vm) {
        if let Some(watch) = vm.output_watch.take() {
            self.end = Some(JourneyEnd::Output(watch.into_found()));
        }
    }

    /// Whether there is a change to be repeated at a position.
    pub fn has_intervention(&self, position: RunPosition) -> bool {
        self.interventions.last().is_some_and(|next| is_at(next, position))
    }

    /// Takes the next change, if it is to be repeated at a position.
    pub fn take_intervention(&mut self, position: RunPosition) -> Option<Intervention> {
        let taken = self.interventions.pop_if(|next| is_at(next, position));
        self.expect_wait();
        taken
    }

    /// Takes the next change, if it is to be repeated in the wait in which the program was interrupted.
    pub fn take_intervention_in_wait(&mut self) -> Option<Intervention> {
        let calls = self.replay.lines();
        let taken = self.interventions.pop_if(|next| next.occasion == Occasion::Wait { calls });
        self.expect_wait();
        taken
    }

    /// Takes the next change, if it is to be repeated at a run-time error after this step.
    pub fn take_intervention_at_error(&mut self, step: u64) -> Option<Intervention> {
        let taken =
            self.interventions.pop_if(|next| next.occasion == Occasion::Error && next.position.step == step);
        self.expect_wait();
        taken
    }

    /// Whether the next change is to be repeated after this step, but before the next one.
    pub fn intervenes_within(&self, step: u64) -> bool {
        self.interventions.last().is_some_and(|next| next.position.step == step)
    }

    /// The step at which a change was to be repeated that was not, if there is one before this position.
    pub fn missed(&self, position: RunPosition) -> Option<u64> {
        self.interventions.last().filter(|next| next.position < position).map(|next| next.position.step)
    }

    /// Whether the live program has raised a run-time error after this step, and has gone on with ensured calls.
    pub fn goes_on_after_error(&self, step: u64) -> bool {
        self.journey.raised.contains(&step) && step < self.journey.present.step
    }

    pub fn note(&mut self, note: Note) {
        if self.notes.len() == MAX_NOTES {
            self.notes.drain(..MAX_NOTES / 2);
        }
        self.notes.push(note);
    }

    pub fn hit(&mut self, hit: Hit) {
        if let Aim::Hits(from, until) = self.journey.aim {
            self.tally.add(hit, from, until);
        }
    }
}

/// Whether a change is to be repeated at a position.
fn is_at(intervention: &Intervention, position: RunPosition) -> bool {
    intervention.occasion == Occasion::Position && intervention.position == position
}
