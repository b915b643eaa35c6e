//! Checkpoints: copies of the process of a program that runs, made on its way. A worker that begins at one
//! need not run the program from its beginning.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, unbounded};

use crate::platform::{Link, ProcessCopy, own_process_memory};
use crate::recording::{Mark, Record};

use super::history::{Told, WorkerLink};
use super::position::Position;
use super::wire::{self, FromCopy, ToCopy};

/// When checkpoints are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Never.
    Never,
    /// As time goes by: so often that a step back takes little time, so seldom that it does not show.
    Timed,
    /// At every so many statements. For tests.
    Places(u64),
}

/// How many places lie between two looks at the clock.
const LOOK: u64 = 1 << 16;

/// The least and the most time between two checkpoints.
const GAP: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(100));

/// How many times as long as it takes to make a checkpoint the next one waits.
const COST: u32 = 20;

/// How many there are at most, and how many bytes of memory they may take beyond the program's.
const MOST: usize = 32;
const MEMORY: u64 = 180 << 20;

/// How many times as long as it takes to measure all memory the next time waits.
const MEASURING: u32 = 50;

/// A place of the past with a copy of the process that stands there.
#[derive(Debug)]
struct Checkpoint {
    position: Position,
    mark: Mark,
    /// How many changes of the tables of breakpoints and watches it has seen.
    known: usize,
    process: ProcessCopy,
    /// Who listens to the worker that was made last, and its number; once there was one.
    listener: Option<Arc<Mutex<Listener>>>,
}

/// Who listens to a worker.
#[derive(Debug, Default)]
struct Listener {
    number: u32,
    told: Option<Sender<Told>>,
    step: Arc<AtomicU64>,
}

/// The checkpoints of a program.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    pace: Pace,
    /// In order of their positions.
    all: Vec<Checkpoint>,
    /// The step at which the next one is thought of.
    next: u64,
    /// When the program began, when the last one was made, and how long that took.
    begun: Instant,
    made: Option<(Instant, Duration)>,
    /// How many bytes they take beyond the program's, as far as that is known.
    memory: u64,
    /// When that was measured last, and how long that took.
    measured: Option<(Instant, Duration)>,
}

impl Checkpoints {
    pub fn new(pace: Pace) -> Checkpoints {
        let begun = Instant::now();
        Checkpoints { pace, all: Vec::new(), next: u64::MAX, begun, made: None, memory: 0, measured: None }
    }

    /// `main` begins: the step at which to think of one.
    pub fn begin(&mut self, step: u64) -> u64 {
        self.begun = Instant::now();
        self.look_after(step)
    }

    fn look_after(&mut self, step: u64) -> u64 {
        self.next = match self.pace {
            Pace::Never => u64::MAX,
            Pace::Timed => step.saturating_add(LOOK),
            Pace::Places(count) => step.saturating_add(count),
        };
        self.next
    }

    /// Whether to think of one at this step.
    #[inline]
    pub fn is_due(&self, step: u64) -> bool {
        step >= self.next
    }

    /// Whether to make one now; the step at which to think of the next one.
    pub fn consider(&mut self, step: u64) -> (bool, u64) {
        let is_wanted = match self.pace {
            Pace::Never => false,
            Pace::Places(_) => true,
            Pace::Timed => {
                let (last, cost) = self.made.unwrap_or((self.begun, Duration::ZERO));
                let gap = (self.begun.elapsed() / 5).clamp(GAP.0, GAP.1).max(cost * COST);
                last.elapsed() >= gap
            }
        };
        (is_wanted, self.look_after(step))
    }

    /// Takes note of a copy that was begun to be made at `began`.
    pub fn add(
        &mut self,
        position: Position,
        mark: Mark,
        known: usize,
        process: ProcessCopy,
        began: Instant,
    ) {
        // What the one before has for itself: what was written until now. The new one will take as much.
        let written = self.all.last().map_or(0, Checkpoint::own_memory);
        self.memory = self.memory.saturating_add(written);
        self.all.push(Checkpoint { position, mark, known, process, listener: None });
        let is_too_much = |memory: u64| memory.saturating_add(written) > MEMORY;
        if is_too_much(self.memory)
            || self.measured.is_none_or(|(last, cost)| last.elapsed() >= cost * MEASURING)
        {
            self.measure();
        }
        while self.all.len() > MOST || (self.all.len() > 1 && is_too_much(self.memory)) {
            self.drop_one();
        }
        self.made = Some((Instant::now(), began.elapsed()));
    }

    /// No copy could be made: there will be no more.
    pub fn give_up(&mut self) {
        (self.pace, self.next) = (Pace::Never, u64::MAX);
    }

    /// Ends them all. The program goes on without.
    pub fn clear(&mut self) {
        self.all.clear();
        self.memory = 0;
    }

    /// Measures the memory of all: what several have in common is no one's own.
    fn measure(&mut self) {
        let began = Instant::now();
        let of_copies = self.all.iter().filter_map(|checkpoint| checkpoint.process.memory());
        let shares: u64 = of_copies.map(|memory| memory.share).sum();
        if let Some(program) = own_process_memory() {
            self.memory = (shares + program.share).saturating_sub(program.resident);
        }
        self.measured = Some((Instant::now(), began.elapsed()));
    }

    /// Ends the one that is missed least: that leaves the smallest gap, measured by how long ago it is. So
    /// they are the closer to each other the nearer they are to the present.
    fn drop_one(&mut self) {
        let steps: Vec<u64> = self.all.iter().map(|checkpoint| checkpoint.position.step).collect();
        if let Some(index) = least_missed(&steps) {
            let dropped = self.all.remove(index);
            self.memory = self.memory.saturating_sub(dropped.own_memory());
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The position of the last one before this one.
    pub fn last_before(&self, position: Position) -> Option<Position> {
        self.all.iter().rev().map(|checkpoint| checkpoint.position).find(|it| *it < position)
    }

    /// Starts a worker at the last one that is not behind a position; gives its own, too. `None` if there is
    /// no such checkpoint.
    pub fn worker(&mut self, until: Position, record: &Record) -> io::Result<Option<(Position, WorkerLink)>> {
        let Some(checkpoint) = self.all.iter_mut().rev().find(|it| it.position <= until) else {
            return Ok(None);
        };
        Ok(Some((checkpoint.position, checkpoint.worker(record)?)))
    }
}

/// The index of the step whose loss makes the least difference; the last one always stays.
fn least_missed(steps: &[u64]) -> Option<usize> {
    let now = *steps.last()?;
    let cost = |index: &usize| {
        let before = index.checked_sub(1).and_then(|index| steps.get(index)).copied().unwrap_or(0);
        let after = steps.get(index + 1).copied().unwrap_or(now);
        // The gap that it would leave, in hundredths of its age.
        (after - before).saturating_mul(100) / (now - before).max(1)
    };
    (0..steps.len().saturating_sub(1)).min_by_key(cost)
}

impl Checkpoint {
    /// How many bytes it has for itself; 0 where that cannot be known.
    fn own_memory(&self) -> u64 {
        self.process.memory().map_or(0, |memory| memory.own)
    }

    fn worker(&mut self, record: &Record) -> io::Result<WorkerLink> {
        let (tell, told) = unbounded();
        let step = Arc::<AtomicU64>::default();
        let listener = match &self.listener {
            Some(listener) => listener.clone(),
            None => {
                let listener = Arc::<Mutex<Listener>>::default();
                let (link, of_thread) = (self.process.link().try_clone()?, listener.clone());
                thread::Builder::new().name("checkpoint".into()).spawn(move || listen(link, &of_thread))?;
                self.listener.insert(listener).clone()
            }
        };
        let number = {
            let mut listener = listener.lock().unwrap_or_else(PoisonError::into_inner);
            listener.number += 1;
            (listener.told, listener.step) = (Some(tell), step.clone());
            listener.number
        };
        let mut link = self.process.link().try_clone()?;
        wire::send(&mut link, &ToCopy::Begin(number, wire::written(&record.since(self.mark))))?;
        let link = Mutex::new(link);
        let send = move |message| {
            let mut link = link.lock().unwrap_or_else(PoisonError::into_inner);
            // Whoever follows the worker sees that it has ended.
            let _ = wire::send(&mut *link, &ToCopy::Worker(message));
        };
        Ok(WorkerLink { send: Box::new(send), told, step, known: self.known, is_nested: false })
    }
}

/// Passes on what the workers of a copy tell, until the copy ends.
fn listen(mut link: Link, listener: &Mutex<Listener>) {
    let listener = || listener.lock().unwrap_or_else(PoisonError::into_inner);
    while let Some(message) = wire::receive(&mut link) {
        let mut listener = listener();
        match message {
            FromCopy::Told(told) => {
                if let Some(tell) = &listener.told {
                    let _ = tell.send(*told);
                }
            }
            FromCopy::Step(step) => listener.step.store(step, Ordering::Relaxed),
            FromCopy::Over(number) if number == listener.number => listener.told = None,
            FromCopy::Over(_) => {}
        }
    }
    listener().told = None;
}

#[cfg(test)]
mod tests {
    use super::least_missed;

    #[test]
    fn the_older_the_farther_apart() {
        let mut steps: Vec<u64> = Vec::new();
        for now in (0..100_000).step_by(100) {
            steps.push(now);
            if steps.len() > 32 {
                steps.remove(least_missed(&steps).expect("several"));
            }
        }
        let now = *steps.last().expect("some");
        assert_eq!(steps.len(), 32);
        // However far one goes back, the way from the checkpoint before is short against that.
        for (before, after) in steps.iter().zip(steps.iter().skip(1)) {
            let (gap, age) = (after - before, now - before);
            assert!(gap * 2 <= age + 400, "{before} {after} of {now}: {steps:?}");
        }
        assert_eq!((least_missed(&[]), least_missed(&[5])), (None, None));
    }
}
