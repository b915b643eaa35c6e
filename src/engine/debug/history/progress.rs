//! The progress of a move through the history, which may take several journeys.

use std::time::Duration;

use crate::api::Progress;
use ez_runtime::clock::Instant;

/// Time until the first report to the client, and between reports.
const TICK: Duration = Duration::from_millis(100);

/// The progress of a move.
#[derive(Debug, Default)]
pub(crate) struct JourneyProgress {
    title: String,
    /// The expected number of runs, and the index of the present one, from 0.
    runs: u64,
    run: Option<u64>,
    /// The step at which the present run ends.
    goal: u64,
    told: Option<u32>,
    /// When the next report is due.
    due: Option<Instant>,
}

impl JourneyProgress {
    /// A move begins that will probably take this many runs.
    pub fn begin(&mut self, title: impl Into<String>, runs: u64) {
        let due = Some(Instant::now() + TICK);
        *self = JourneyProgress { title: title.into(), runs, due, ..JourneyProgress::default() };
    }

    /// When the next report is due; `None` if there is no move under way.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// A run begins that ends at this step.
    pub fn next_run(&mut self, goal: u64) {
        let run = self.run.map_or(0, |run| run + 1);
        (self.run, self.goal) = (Some(run), goal);
        self.runs = self.runs.max(run + 1);
    }

    /// The report to send when the run has reached a step.
    pub fn at(&mut self, step: u64) -> Option<Progress> {
        self.due = Some(Instant::now() + TICK);
        let run = self.run.unwrap_or(0);
        let part = step.min(self.goal).saturating_mul(100) / self.goal.max(1);
        let percentage = (run.saturating_mul(100).saturating_add(part) / self.runs.max(1)).min(99) as u32;
        if self.told.is_some_and(|told| told >= percentage) {
            return None;
        }
        self.told = Some(percentage);
        Some(Progress { title: self.title.clone(), percentage, is_over: false })
    }

    /// The move is over: the last report to send, if any was sent before.
    pub fn end(&mut self) -> Option<Progress> {
        self.due = None;
        let percentage = self.told.take()?;
        Some(Progress { title: std::mem::take(&mut self.title), percentage, is_over: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_never_goes_back() {
        let mut progress = JourneyProgress::default();
        progress.begin("Going back", 2);
        progress.next_run(1000);
        let mut percentage = |step| progress.at(step).map(|progress| progress.percentage);
        assert_eq!([0, 100, 100, 1000, 2000].map(&mut percentage), [Some(0), Some(5), None, Some(50), None]);
        progress.next_run(1000);
        let mut percentage = |step| progress.at(step).map(|progress| progress.percentage);
        assert_eq!([0, 500, 1000].map(&mut percentage), [None, Some(75), Some(99)]);
        progress.next_run(10);
        assert_eq!(progress.at(5), None, "a run more than was thought");
        assert!(progress.end().is_some_and(|progress| progress.is_over));
        assert_eq!(progress.end(), None);
    }
}
