//! Checkpoints: copies of the process, made while the program runs, from which a worker can start instead of
//! from the program's beginning.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_channel::{Sender, unbounded};

use crate::debug::history::messages::WorkerMessage;
use crate::debug::history::position::RunPosition;
use crate::debug::history::worker::link::WorkerLink;
use crate::debug::history::worker::wire::{self, FromCopy, ToCopy};
use crate::recording::{Mark, Record};
use ez_runtime::clock::Instant;
use ez_runtime::platform::{Link, ProcessCopy, memory_usage, own_process_memory, page_faults};
use ez_runtime::sync::Mutex;
use ez_runtime::threads;
use ez_runtime::value::Stream;

/// When to make checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    Never,
    /// Depending on the time: often enough that a step back is fast, seldom enough that the program is not
    /// slowed noticeably.
    Timed,
    /// At every place whose number is divisible by this one. For tests.
    Places(u64),
}

/// Number of steps before a question that are searched first.
const NEAR: u64 = 50_000;

/// Number of steps that are searched first for the goal of a step back.
const WINDOW: u64 = 1000;

/// Number of places between two looks at the clock.
const LOOK: u64 = 1 << 16;

/// Minimum and maximum time between two checkpoints.
const GAP: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(100));

/// Minimum time until the next checkpoint, as a multiple of what the last one costs.
const COST: u32 = 30;

/// What a checkpoint costs for each page that the program writes to after it, which has to be copied then (4.2 µs were
/// measured), and the size of a page in bytes.
const PAGE: (Duration, u64) = (Duration::from_micros(4), 4096);

/// Maximum time to wait because of these pages: without a checkpoint for so long, a step back takes about twice as long.
const MOST_FOR_PAGES: Duration = Duration::from_millis(400);

/// Maximum number of checkpoints, and maximum memory in bytes that they use in addition to the program's.
const MAX: usize = 32;
const MEMORY: u64 = 180 << 20;

/// Minimum time until the memory is measured again, as a multiple of the time that a measurement takes.
const MEASURING: u32 = 50;

/// A copy of the process, with the position at which it was made.
#[derive(Debug)]
struct Checkpoint {
    position: RunPosition,
    mark: Mark,
    /// Number of settings (changes of breakpoints and watches) that it has.
    known: usize,
    process: ProcessCopy,
    /// Receives the messages of the latest worker; `None` if there was no worker yet.
    listener: Option<Arc<Mutex<Listener>>>,
}

/// Receives the messages of a worker.
#[derive(Debug, Default)]
struct Listener {
    number: u32,
    told: Option<Sender<WorkerMessage>>,
    step: Arc<AtomicU64>,
}

/// What was known when a checkpoint had been made.
#[derive(Debug)]
struct Made {
    at: Instant,
    /// How long making it took.
    cost: Duration,
    /// Memory of the program in bytes.
    used: u64,
    /// See [`page_faults`].
    faults: Option<u64>,
}

/// The checkpoints of a program.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    pace: Pace,
    /// In order of position.
    all: Vec<Checkpoint>,
    /// The one whose worker shows the client the past: a checkpoint has one worker at a time.
    busy: Option<RunPosition>,
    /// The step at which to consider the next one.
    next: u64,
    /// When the program began, and the memory that it had then, in bytes.
    begun: Instant,
    empty: u64,
    /// The last checkpoint.
    made: Option<Made>,
    /// Before this, none is made: the pages that were copied because of the last one have their price.
    not_before: Option<Instant>,
    /// Memory in bytes that they use in addition to the program's, when it was last measured.
    memory: u64,
    /// When that was measured last, and how long that took.
    measured: Option<(Instant, Duration)>,
}

impl Checkpoints {
    pub fn new(pace: Pace) -> Checkpoints {
        let begun = Instant::now();
        Checkpoints {
            pace,
            all: Vec::new(),
            busy: None,
            next: u64::MAX,
            begun,
            empty: 0,
            made: None,
            not_before: None,
            memory: 0,
            measured: None,
        }
    }

    /// Called when `main` begins; returns the step at which to consider the first checkpoint.
    pub fn begin(&mut self, step: u64) -> u64 {
        self.begun = Instant::now();
        self.empty = used_memory();
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

    /// Whether to consider one at this step.
    #[inline]
    pub fn is_due(&self, step: u64) -> bool {
        step >= self.next
    }

    /// Whether to make one now, and the step at which to consider the next.
    pub fn consider(&mut self, step: u64) -> (bool, u64) {
        let is_wanted = match self.pace {
            Pace::Never => false,
            Pace::Places(_) => true,
            Pace::Timed => self.is_time(),
        };
        (is_wanted, self.look_after(step))
    }

    fn is_time(&mut self) -> bool {
        let (last, cost) =
            self.made.as_ref().map_or((self.begun, Duration::ZERO), |made| (made.at, made.cost));
        let gap = (self.begun.elapsed() / 5).clamp(GAP.0, GAP.1).max(cost * COST);
        if last.elapsed() < gap || self.not_before.is_some_and(|time| Instant::now() < time) {
            return false;
        }
        let until = last + self.gap_for_pages();
        self.not_before = Some(until);
        Instant::now() >= until
    }

    /// How long to wait after the last checkpoint because of the pages that had to be copied since. Where that says
    /// nothing about the next one, since the program has grown, because of all pages.
    fn gap_for_pages(&self) -> Duration {
        let used = used_memory();
        let pages = match &self.made {
            Some(Made { used: before, faults: Some(known), .. }) if used <= before + before / 4 => {
                let faults = page_faults().map_or(0, |now| now.saturating_sub(*known));
                // New memory would have had to be given anyway.
                faults.saturating_sub(used.saturating_sub(*before) / PAGE.1)
            }
            _ => used.saturating_sub(self.empty) / PAGE.1,
        };
        (PAGE.0 * COST * u32::try_from(pages).unwrap_or(u32::MAX)).min(MOST_FOR_PAGES)
    }

    /// Adds a copy; making it was begun at `began`.
    pub fn add(
        &mut self,
        position: RunPosition,
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
        while self.all.len() > MAX || (self.all.len() > 1 && is_too_much(self.memory)) {
            self.drop_one();
        }
        let (cost, used) = (began.elapsed(), used_memory());
        self.made = Some(Made { at: Instant::now(), cost, used, faults: page_faults() });
        self.not_before = None;
    }

    /// A copy could not be made: no more are tried.
    pub fn give_up(&mut self) {
        (self.pace, self.next) = (Pace::Never, u64::MAX);
    }

    /// Ends all checkpoints, and makes no more.
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

    /// Ends the least useful checkpoint: the one that leaves the smallest gap in proportion to its age. So
    /// gaps grow with the distance from the present.
    fn drop_one(&mut self) {
        let steps: Vec<u64> = self.all.iter().map(|checkpoint| checkpoint.position.step).collect();
        if let Some(index) = least_missed(&steps) {
            let dropped = self.all.remove(index);
            self.memory = self.memory.saturating_sub(dropped.own_memory());
        }
    }

    /// Reserves the checkpoint at this position, so that no other worker is started there; `None`: none is
    /// reserved.
    pub fn reserve(&mut self, position: Option<RunPosition>) {
        self.busy = position;
    }

    /// Number of steps before a question about changes that are searched first: what has changed lately is found soon.
    pub fn near(&self) -> u64 {
        self.searched_first(NEAR, 2)
    }

    /// Number of steps before the present one that are searched first for the goal of a step back.
    pub fn window(&self) -> u64 {
        self.searched_first(WINDOW, 4)
    }

    /// `usual` steps, and in tests so small a share of those from one checkpoint to the next that there are several windows.
    fn searched_first(&self, usual: u64, share: u64) -> u64 {
        match self.pace {
            Pace::Never | Pace::Timed => usual,
            Pace::Places(count) => (count / share).max(1),
        }
    }

    /// Number of checkpoints.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The position of the last checkpoint before this one.
    pub fn last_before(&self, position: RunPosition) -> Option<RunPosition> {
        self.all.iter().rev().map(|checkpoint| checkpoint.position).find(|it| *it < position)
    }

    /// The position of the last checkpoint that was made when at most this many bytes were written ([`OutputSize::to`](crate::recording::OutputSize::to)).
    pub fn last_with_output_until(&self, bytes: u64, stream: Option<Stream>) -> Option<RunPosition> {
        let found =
            self.all.iter().rev().find(|checkpoint| checkpoint.mark.output_size().to(stream) <= bytes);
        found.map(|checkpoint| checkpoint.position)
    }

    /// Starts a worker at the last checkpoint that is not after a position and not reserved; returns its
    /// position, too. `None` if there is no such checkpoint.
    pub fn worker(
        &mut self,
        until: RunPosition,
        record: &Record,
    ) -> io::Result<Option<(RunPosition, WorkerLink)>> {
        let busy = self.busy;
        let is_usable = |it: &&mut Checkpoint| it.position <= until && Some(it.position) != busy;
        let Some(checkpoint) = self.all.iter_mut().rev().find(is_usable) else { return Ok(None) };
        Ok(Some((checkpoint.position, checkpoint.worker(record)?)))
    }
}

/// Memory of this process in bytes; 0 if the system does not tell.
fn used_memory() -> u64 {
    memory_usage().map_or(0, |usage| usage.resident)
}

/// The index of the least useful checkpoint, given their steps; never the last one.
fn least_missed(steps: &[u64]) -> Option<usize> {
    let now = *steps.last()?;
    let cost = |index: &usize| {
        let before = index.checked_sub(1).and_then(|index| steps.get(index)).copied().unwrap_or(0);
        let after = steps.get(index + 1).copied().unwrap_or(now);
        // The gap that it would leave, in percent of its age.
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
                threads::spawn("checkpoint", move || listen(link, &of_thread))?;
                self.listener.insert(listener).clone()
            }
        };
        let number = {
            let mut listener = listener.lock();
            listener.number += 1;
            (listener.told, listener.step) = (Some(tell), step.clone());
            listener.number
        };
        let mut link = self.process.link().try_clone()?;
        wire::send(&mut link, &ToCopy::Begin(number, record.since(self.mark)))?;
        let link = Mutex::new(link);
        let send = move |message| {
            let mut link = link.lock();
            // If the checkpoint has died, the messages of the worker end.
            let _ = wire::send(&mut *link, &ToCopy::Worker(message));
        };
        let (known, checkpoint) = (self.known, Some(self.position));
        Ok(WorkerLink { send: Box::new(send), messages: told, step, known, checkpoint })
    }
}

/// Forwards the messages of a copy's workers until the copy ends.
fn listen(mut link: Link, listener: &Mutex<Listener>) {
    let listener = || listener.lock();
    while let Some(message) = wire::receive(&mut link) {
        let mut listener = listener();
        match message {
            FromCopy::Worker(told) => {
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
    use crate::debug::history::checkpoints::least_missed;

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
        // However far one goes back, the distance to the checkpoint before is small in proportion.
        for (before, after) in steps.iter().zip(steps.iter().skip(1)) {
            let (gap, age) = (after - before, now - before);
            assert!(gap * 2 <= age + 400, "{before} {after} of {now}: {steps:?}");
        }
        assert_eq!((least_missed(&[]), least_missed(&[5])), (None, None));
    }
}
