//! Interrupts evaluations that take too long.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::debug::control::InterruptHandle;
use ez_runtime::clock::Instant;
use ez_runtime::sync::{ALONE, Condvar, Mutex, at_each_turn};
use ez_runtime::threads;

/// How often the thread checks for a new deadline while evaluations are frequent, so that they do not have to
/// wake it.
const POLL: Duration = Duration::from_millis(20);

/// How long after the last evaluation the thread continues to do so.
const ACTIVE: Duration = Duration::from_secs(1);

/// A thread that raises the program's interrupt at the deadline of an evaluation (where there is only one, that looks at
/// each turn). It is started at the first evaluation, and ends when this is dropped.
pub struct Watchdog {
    interrupt: InterruptHandle,
    shared: Option<Arc<Shared>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    deadline: Option<(Instant, Arc<AtomicBool>)>,
    /// When the last evaluation began.
    last: Option<Instant>,
    /// Whether the thread has to be woken for a new deadline.
    asleep: bool,
    ended: bool,
}

/// Ends the supervision of an evaluation when dropped.
pub struct Watching {
    shared: Arc<Shared>,
}

impl State {
    /// Raises the interrupt if the deadline is reached; returns how far away it is, if there is one.
    fn look(&mut self, now: Instant, interrupt: &InterruptHandle) -> Option<Duration> {
        let (deadline, timed_out) = self.deadline.as_ref()?;
        let left = deadline.saturating_duration_since(now);
        if !left.is_zero() {
            return Some(left);
        }
        timed_out.store(true, Ordering::SeqCst);
        self.deadline = None;
        interrupt.raise();
        None
    }
}

impl Shared {
    /// Body of the thread.
    fn run(&self, interrupt: &InterruptHandle) {
        let mut state = self.state.lock();
        while !state.ended {
            let now = Instant::now();
            let wait = match state.look(now, interrupt) {
                Some(left) => POLL.min(left),
                None if state.last.is_some_and(|last| now < last + ACTIVE) => POLL,
                None => {
                    state.asleep = true;
                    state = self.changed.wait(state);
                    state.asleep = false;
                    continue;
                }
            };
            state = self.changed.wait_timeout(state, wait);
        }
    }

    /// Looks once, where there is no thread.
    fn look(&self, interrupt: &InterruptHandle) -> ControlFlow<(), Option<Duration>> {
        let mut state = self.state.lock();
        if state.ended {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(state.look(Instant::now(), interrupt))
    }
}

impl Watchdog {
    /// Supervises evaluations of the program with this handle.
    pub fn new(interrupt: InterruptHandle) -> Watchdog {
        Watchdog { interrupt, shared: None }
    }

    /// Supervises an evaluation that begins now: after `limit`, sets `timed_out` and raises the interrupt. If no
    /// thread can be created, the evaluation has no limit, and ends when the client pauses the program.
    pub fn watch(&mut self, limit: Duration, timed_out: Arc<AtomicBool>) -> Watching {
        let Some(shared) = self.shared.clone().or_else(|| self.start()) else {
            return Watching { shared: Arc::default() };
        };
        let now = Instant::now();
        let mut state = shared.state.lock();
        state.deadline = Some((now + limit, timed_out));
        state.last = Some(now);
        if state.asleep {
            shared.changed.notify_one();
        }
        drop(state);
        Watching { shared }
    }

    /// Starts what supervises.
    fn start(&mut self) -> Option<Arc<Shared>> {
        let shared = Arc::<Shared>::default();
        let (watched, interrupt) = (shared.clone(), self.interrupt.clone());
        if ALONE {
            at_each_turn(move || watched.look(&interrupt));
        } else {
            threads::spawn("watchdog", move || watched.run(&interrupt)).ok()?;
        }
        self.shared = Some(shared.clone());
        Some(shared)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.shared.state.lock().deadline = None;
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.state.lock().ended = true;
            shared.changed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_interrupted() {
        let interrupt = InterruptHandle::new();
        let mut watchdog = Watchdog::new(interrupt.clone());
        drop(watchdog.watch(Duration::from_secs(100), Arc::default()));
        let timed_out = Arc::<AtomicBool>::default();
        let watching = watchdog.watch(Duration::from_millis(1), timed_out.clone());
        assert!(interrupt.wait(Duration::from_secs(60)), "the interrupt comes");
        assert!(timed_out.load(Ordering::SeqCst));
        drop(watching);
    }
}
