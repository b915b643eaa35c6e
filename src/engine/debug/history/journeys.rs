//! Makes journeys: chooses where an instance of the past comes from, and has it run.

use crate::api::{Failure, read_binary};
use crate::debug::history::aim::Aim;
use crate::debug::history::messages::Journey;
use crate::debug::history::position::RunPosition;
use crate::debug::history::relay::{Outcome, lost};
use crate::debug::history::time_machine::TimeMachine;
use crate::debug::history::visit::{Finds, JourneyEnd};
use crate::debug::history::worker;
use crate::debug::history::worker::wire::ToWorker;

impl TimeMachine<'_> {
    /// Answers a question about the past, by journeys of another worker than the one that the client looks at. `verb`
    /// says what is asked, and `title` what is done.
    ///
    /// # Errors
    /// Why the program cannot be run again, or that of `work`.
    pub fn answer<T>(
        &mut self,
        verb: &str,
        title: impl Into<String>,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.history.check(verb)?;
        self.history.progress.begin(title, 2);
        let answer = self.with_other_worker(work);
        self.end_progress();
        answer
    }

    /// Makes a journey to find something, which ends at the present at the latest.
    ///
    /// # Errors
    /// The outcome, if that is another one.
    pub fn find<A: Finds + Into<Aim>>(&mut self, aim: A) -> Result<A::Found, Outcome> {
        self.find_until(aim, self.history.present.position)
    }

    /// Makes a journey to find something, which ends at `last` at the latest.
    pub fn find_until<A: Finds + Into<Aim>>(
        &mut self,
        aim: A,
        last: RunPosition,
    ) -> Result<A::Found, Outcome> {
        match self.go(aim.into(), last) {
            Outcome::Ended(JourneyEnd::Found(found)) => {
                read_binary(&found).map_err(|error| lost(error.to_string()))
            }
            other => Err(other),
        }
    }

    /// Makes a journey that ends at `last` at the latest.
    pub fn go(&mut self, aim: Aim, last: RunPosition) -> Outcome {
        let shown = if aim.itinerary().is_shown() { self.history.shown.take() } else { None };
        let journey = Journey {
            aim,
            present: last,
            interventions: self.history.interventions.clone(),
            raised: self.history.raised.clone(),
            last_handle: self.engine.inspection.handles.last(),
            shown,
            last_internal_request: self.history.internal_requests,
            last_breakpoint: self.engine.breakpoints.borrow().table.last(),
        };
        if let Some(checkpoint) = self.history.use_checkpoint(&journey.aim) {
            let outcome = self.make_journey(journey.clone().from(checkpoint));
            if !matches!(outcome, Outcome::Ended(JourneyEnd::Lost(_))) {
                return outcome;
            }
            // The checkpoint's process may have died. The journey can be made from the beginning.
            self.history.checkpoints.clear();
        }
        if !self.history.use_nested() {
            match worker::start(self.history.origin.clone(), self.history.record.clone()) {
                Ok(worker) => self.history.use_worker(worker),
                Err(why) => return lost(why),
            }
        }
        self.make_journey(journey)
    }

    /// Lets the chosen worker make a journey.
    fn make_journey(&mut self, journey: Journey) -> Outcome {
        let news = self.take_new_settings();
        self.history.progress.next_run(journey.aim.itinerary().last_step());
        if let Some(worker) = &self.history.worker {
            (worker.send)(ToWorker::Go(news, Box::new(journey)));
        }
        self.relay_until_stop()
    }

    /// Calls `work`, which uses another worker; the one that the client looks at stays stopped where it is.
    pub fn with_other_worker<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let saved = self.history.past.take().map(|past| {
            let worker = self.history.worker.take();
            self.history.checkpoints.reserve(worker.as_ref().and_then(|worker| worker.checkpoint));
            (past, worker, self.history.shown.take())
        });
        let result = work(self);
        if let Some((past, worker, shown)) = saved {
            self.history.checkpoints.reserve(None);
            (self.history.past, self.history.shown) = (Some(past), shown);
            match worker {
                Some(worker) if worker.is_nested() => self.history.worker = Some(worker),
                Some(worker) => self.history.use_worker(worker),
                None => self.history.worker = None,
            }
        }
        result
    }
}
