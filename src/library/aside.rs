//! Long computations, during which the program can be paused.
//!
//! What touches no values is done by a thread while the interpreter's own waits; what makes values looks
//! every few thousand rounds whether attention is wanted. Neither may keep a value borrowed meanwhile:
//! at a pause the program's variables are read and changed.

use std::cell::{Ref, RefCell};
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::value::{Array, Attention, Elems, MapValue, OrderedMap};

use super::args::text_from;
use super::{Call, Fail, Runtime};

/// Steps (about a nanosecond each) that nobody minds waiting for: handing them over takes as many.
const SHORT: u64 = 1 << 22;

/// Stack of the thread: the deepest JSON is checked by it.
const STACK: usize = 1 << 25;

/// How many rounds go by between two looks.
const ROUNDS: u32 = 1 << 12;

/// From how many elements on it matters how long something takes for each.
const MANY: usize = 1 << 10;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Call<'_> {
    /// The result of work that takes about `steps`; whoever wants the interpreter is attended to
    /// meanwhile. (A program that is to end still waits for it: a thread outlives nobody.)
    pub(super) fn aside<T: Send>(&mut self, steps: u64, work: impl FnOnce() -> T + Send) -> Result<T, Fail> {
        aside(self.runtime, steps, work)
    }

    /// The text of bytes from outside.
    pub(super) fn text_of(&mut self, bytes: Vec<u8>) -> Result<String, Fail> {
        self.aside(bytes.len() as u64, || text_from(bytes))
    }
}

fn aside<T: Send>(runtime: &mut dyn Runtime, steps: u64, work: impl FnOnce() -> T + Send) -> Result<T, Fail> {
    let attention = if steps > SHORT { runtime.host().attention() } else { None };
    let Some(attention) = attention else { return Ok(work()) };
    let (work, result) = (Mutex::new(Some(work)), Mutex::new(None));
    let carry_out = || lock(&work).take().map(|work| catch_unwind(AssertUnwindSafe(work)));
    let done = std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("aside".into()).stack_size(STACK);
        let thread = builder.spawn_scoped(scope, || {
            let done = carry_out();
            *lock(&result) = Some(done);
            attention.ring();
        });
        if thread.is_err() {
            return Ok(carry_out());
        }
        loop {
            if attention.is_raised() {
                runtime.attend()?;
            }
            if let Some(done) = attention.wait_for(None, || lock(&result).take()) {
                return Ok(done);
            }
        }
    })?;
    match done {
        Some(Ok(value)) => Ok(value),
        Some(Err(panic)) => resume_unwind(panic),
        None => Err(Fail::Halt),
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
    if rounds.attention.is_some() && count >= MANY {
        return (Parts::Copied(parts.clone()), rounds);
    }
    (Parts::Lent(parts), Rounds { attention: None, count: 0 })
}

/// The elements of an array, and the rounds in which they may be gone through.
pub(super) fn elements<'a>(
    runtime: &mut dyn Runtime,
    cell: &'a RefCell<Array>,
) -> (Parts<'a, Elems>, Rounds) {
    let data = Ref::map(cell.borrow(), |array| &array.data);
    parts(runtime, data.len(), data)
}

/// The entries of a map, and the rounds in which they may be gone through.
pub(super) fn entries<'a>(
    runtime: &mut dyn Runtime,
    cell: &'a RefCell<MapValue>,
) -> (Parts<'a, OrderedMap>, Rounds) {
    let entries = Ref::map(cell.borrow(), |map| &*map.entries);
    parts(runtime, entries.len(), entries)
}

/// Looks now and then whether attention is wanted.
pub(super) struct Rounds {
    attention: Option<Arc<Attention>>,
    count: u32,
}

impl Rounds {
    pub(super) fn new(runtime: &mut dyn Runtime) -> Rounds {
        Rounds { attention: runtime.host().attention(), count: 0 }
    }

    /// To be called on every round.
    #[inline]
    pub(super) fn next(&mut self, runtime: &mut dyn Runtime) -> Result<(), Fail> {
        self.count = self.count.wrapping_add(1);
        if self.count.is_multiple_of(ROUNDS) { self.look(runtime) } else { Ok(()) }
    }

    #[cold]
    fn look(&self, runtime: &mut dyn Runtime) -> Result<(), Fail> {
        if self.attention.as_ref().is_some_and(|attention| attention.is_raised()) {
            return runtime.attend();
        }
        Ok(())
    }
}

/// Attends to whoever wants the interpreter just now.
pub(super) fn attend(runtime: &mut dyn Runtime) -> Result<(), Fail> {
    Rounds::new(runtime).look(runtime)
}
