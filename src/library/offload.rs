//! Long computations, during which the program can be paused.
//!
//! What touches no values is done by a thread while the interpreter's own waits; what makes values looks
//! every few thousand rounds whether attention is wanted. Neither may keep a value borrowed meanwhile:
//! at a pause the program's variables are read and changed.

use std::cell::Ref;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use crate::value::{Array, Elems, InterruptFlag, MapValue, ObjectCell, OrderedMap};

use super::args::text_from;
use super::{Call, Fail, Runtime};

/// Steps (about a nanosecond each) that nobody minds waiting for: handing them over takes as many.
const SHORT: u64 = 1 << 22;

/// Stack of the thread: the deepest JSON is checked by it.
const STACK: usize = 1 << 25;

/// How many rounds go by between two looks.
pub(super) const ROUNDS: u32 = 1 << 12;

/// From how many elements on it matters how long something takes for each.
const MANY: usize = 1 << 10;

/// The end of some work, unless somebody else has done it; work that has panicked does so again where
/// it was wanted.
type Done<T> = Option<std::thread::Result<T>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Call<'_> {
    /// The result of work that takes about `steps`; whoever wants the interpreter is attended to
    /// meanwhile. A program that is to end waits for it.
    pub(super) fn offload<T: Send>(
        &mut self,
        steps: u64,
        work: impl FnOnce() -> T + Send,
    ) -> Result<T, Fail> {
        let Some(interrupt) = self.interrupt_flag(steps) else { return Ok(work()) };
        let (work, result) = (Mutex::new(Some(work)), Mutex::new(None));
        std::thread::scope(|scope| {
            let thread = builder().spawn_scoped(scope, || {
                *lock(&result) = Some(carry_out(&work));
                interrupt.ring();
            });
            match thread {
                Ok(_) => wait_interruptibly(self.runtime, &interrupt, &result),
                Err(_) => ended(carry_out(&work)),
            }
        })
    }

    /// The same for work that borrows nothing. A program that is to end does not wait for it: it may
    /// take minutes.
    pub(super) fn offload_detached<T, W>(&mut self, steps: u64, work: W) -> Result<T, Fail>
    where
        T: Send + 'static,
        W: FnOnce() -> T + Send + 'static,
    {
        let Some(interrupt) = self.interrupt_flag(steps) else { return Ok(work()) };
        let shared = Arc::new((Mutex::new(Some(work)), Mutex::new(None)));
        let (theirs, bell) = (shared.clone(), interrupt.clone());
        let thread = builder().spawn(move || {
            let (work, result) = &*theirs;
            *lock(result) = Some(carry_out(work));
            bell.ring();
        });
        match thread {
            Ok(_) => wait_interruptibly(self.runtime, &interrupt, &shared.1),
            Err(_) => ended(carry_out(&shared.0)),
        }
    }

    /// The flag to look at during so many steps, if they are worth it.
    fn interrupt_flag(&mut self, steps: u64) -> Option<Arc<InterruptFlag>> {
        if steps > SHORT { self.runtime.host().interrupt_flag() } else { None }
    }

    /// The text of bytes from outside.
    pub(super) fn text_of(&mut self, bytes: Vec<u8>) -> Result<String, Fail> {
        self.offload(bytes.len() as u64, || text_from(bytes))
    }
}

fn builder() -> Builder {
    Builder::new().name("offload".into()).stack_size(STACK)
}

fn carry_out<T, W: FnOnce() -> T>(work: &Mutex<Option<W>>) -> Done<T> {
    let work = lock(work).take()?;
    Some(catch_unwind(AssertUnwindSafe(work)))
}

fn ended<T>(done: Done<T>) -> Result<T, Fail> {
    match done {
        Some(Ok(value)) => Ok(value),
        Some(Err(panic)) => resume_unwind(panic),
        None => Err(Fail::Halt),
    }
}

/// Waits for the result, attending to whoever wants the interpreter meanwhile.
fn wait_interruptibly<T>(
    runtime: &mut dyn Runtime,
    interrupt: &InterruptFlag,
    result: &Mutex<Option<Done<T>>>,
) -> Result<T, Fail> {
    loop {
        if interrupt.is_raised() {
            runtime.on_interrupt()?;
        }
        if let Some(done) = interrupt.wait_for(None, || lock(result).take()) {
            return ended(done);
        }
    }
}

/// The parts of a container that are gone through.
pub(super) enum Parts<'a, T> {
    /// As they are in the container.
    Lent(Ref<'a, T>),
    /// A copy, since there are many and the program may be paused.
    Copied(T),
}

impl<T> Deref for Parts<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Parts::Lent(parts) => parts,
            Parts::Copied(parts) => parts,
        }
    }
}

/// So many parts, and the rounds in which they may be gone through.
fn parts<'a, T: Clone>(runtime: &mut dyn Runtime, count: usize, parts: Ref<'a, T>) -> (Parts<'a, T>, Rounds) {
    let rounds = Rounds::new(runtime);
    if rounds.interrupt.is_some() && count >= MANY {
        return (Parts::Copied(parts.clone()), rounds);
    }
    (Parts::Lent(parts), Rounds { interrupt: None, count: 0 })
}

/// The elements of an array, and the rounds in which they may be gone through.
pub(super) fn elements<'a>(
    runtime: &mut dyn Runtime,
    cell: &'a ObjectCell<Array>,
) -> (Parts<'a, Elems>, Rounds) {
    let data = Ref::map(cell.borrow(), |array| &array.data);
    parts(runtime, data.len(), data)
}

/// The entries of a map, and the rounds in which they may be gone through.
pub(super) fn entries<'a>(
    runtime: &mut dyn Runtime,
    cell: &'a ObjectCell<MapValue>,
) -> (Parts<'a, OrderedMap>, Rounds) {
    let entries = Ref::map(cell.borrow(), |map| &*map.entries);
    parts(runtime, entries.len(), entries)
}

/// Looks now and then whether attention is wanted.
pub(super) struct Rounds {
    interrupt: Option<Arc<InterruptFlag>>,
    count: u32,
}

impl Rounds {
    pub(super) fn new(runtime: &mut dyn Runtime) -> Rounds {
        Rounds { interrupt: runtime.host().interrupt_flag(), count: 0 }
    }

    /// To be called on every round.
    #[inline]
    pub(super) fn next(&mut self, runtime: &mut dyn Runtime) -> Result<(), Fail> {
        self.count = self.count.wrapping_add(1);
        if self.count.is_multiple_of(ROUNDS) { self.look(runtime) } else { Ok(()) }
    }

    #[cold]
    fn look(&self, runtime: &mut dyn Runtime) -> Result<(), Fail> {
        if self.interrupt.as_ref().is_some_and(|interrupt| interrupt.is_raised()) {
            return runtime.on_interrupt();
        }
        Ok(())
    }
}

/// Attends to whoever wants the interpreter just now.
pub(super) fn poll_interrupt(runtime: &mut dyn Runtime) -> Result<(), Fail> {
    Rounds::new(runtime).look(runtime)
}
