//! Keeps long library calls interruptible.
//!
//! Work that touches no values is done on another thread, while the interpreter's thread waits for it or for
//! an interrupt; work on values polls the interrupt flag every few thousand rounds. Neither may keep a value
//! borrowed meanwhile: while the program is paused, its variables can be read and changed. Where there is no other
//! thread ([`ALONE`]), work that touches no values is not interrupted.

use std::cell::Ref;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;

use crate::diagnostics::Code;
use crate::sync::{ALONE, Mutex};
use crate::text::text_from;
use crate::value::{
    self, Array, Elems, Heap, Inspection, InterruptFlag, MapValue, ObjectCell, OrderedMap, Value, display,
    memory,
};

use super::{Call, Fail, Runtime};

/// Number of steps (of about a nanosecond) below which another thread is not worth while.
const SHORT: u64 = 1 << 22;

/// Stack size of the thread in bytes, enough to check the deepest JSON.
const STACK: usize = 1 << 25;

/// Number of steps that take as long as a round of a loop of the program.
const STEPS_A_ROUND: u64 = 8;

/// Rounds between two polls.
pub const ROUNDS: u32 = 1 << 12;

/// Number of elements from which on a container is copied instead of borrowed.
const MANY: usize = 1 << 10;

/// The result of the work, or its panic; `None` if it was not done.
type Done<T> = Option<std::thread::Result<T>>;

impl Call<'_> {
    /// The result of work that takes about `steps` (of a nanosecond), done on another thread if that is
    /// long. Interrupts are handled meanwhile. A program that is to end waits for it.
    pub(super) fn offload<T: Send>(
        &mut self,
        steps: u64,
        work: impl FnOnce() -> T + Send,
    ) -> Result<T, Fail> {
        let Some(interrupt) = interrupt_flag(self.runtime, steps) else { return Ok(work()) };
        let (mut work, mut done) = (Some(work), None);
        run_apart(self.runtime, &interrupt, &mut || done = carry_out(&mut work))?;
        ended(done)
    }

    /// Like [`Call::offload`], for work that borrows nothing: see [`offload_detached`].
    pub(super) fn offload_detached<T, W>(&mut self, steps: u64, work: W) -> Result<T, Fail>
    where
        T: Send + 'static,
        W: FnOnce() -> T + Send + 'static,
    {
        offload_detached(self.runtime, steps, work)
    }

    /// The text of bytes from outside.
    pub(super) fn text_of(&mut self, bytes: Vec<u8>) -> Result<String, Fail> {
        self.offload(bytes.len() as u64, || text_from(bytes))
    }
}

/// Bits of a number from which on its digits take more than a few milliseconds.
const LONG_NUMBER: u64 = 1 << 17;

/// The digits of an integer of any size.
///
/// # Errors
/// [`Fail::Halt`] when the program is to end.
pub fn number_text(runtime: &mut dyn Runtime, value: &Value) -> Result<String, Fail> {
    let Value::Ref(r) = value else { return Ok(display(value)) };
    let Heap::Big(number) = &**r else { return Ok(display(value)) };
    let words = number.bits() / 64;
    if number.bits() <= LONG_NUMBER {
        return Ok(number.to_string());
    }
    let number = number.clone();
    offload_detached(runtime, words.saturating_mul(words).max(SHORT + 1), move || number.to_string())
}

/// Appends the text of a value as `print` writes it. Interrupts are handled meanwhile.
///
/// # Errors
/// [`Fail::Halt`] when the program is to end; an error when it has no more memory.
pub fn write_display(runtime: &mut dyn Runtime, text: &mut String, value: &Value) -> Result<(), Fail> {
    let Value::Ref(r) = value else {
        value::write_display(text, value);
        return Ok(());
    };
    match &**r {
        Heap::Big(_) => text.push_str(&number_text(runtime, value)?),
        Heap::Array(_) | Heap::Map(_) | Heap::Struct(_) | Heap::Tuple(_) => {
            let mut inspection = Inspection::begin(text, value);
            while inspection.write_parts(text, ROUNDS) {
                poll_interrupt(runtime)?;
            }
        }
        Heap::Reference(_) | Heap::Scalar(_) => write_display(runtime, text, &value.follow())?,
        Heap::Enum(_) | Heap::Str(_) | Heap::Range(_) | Heap::Handle(_) | Heap::Type(_) => {
            value::write_display(text, value);
        }
    }
    Ok(())
}

/// The result of work that takes about `steps` (of a nanosecond) and borrows nothing, done on another
/// thread if that is long. Interrupts are handled meanwhile; a program that is to end does not wait for
/// the work, which may take minutes.
///
/// # Errors
/// [`Fail::Halt`] when the program is to end.
pub fn offload_detached<T, W>(runtime: &mut dyn Runtime, steps: u64, work: W) -> Result<T, Fail>
where
    T: Send + 'static,
    W: FnOnce() -> T + Send + 'static,
{
    let Some(interrupt) = interrupt_flag(runtime, steps) else { return Ok(work()) };
    let result = Arc::new(Mutex::new(None));
    let (mut work, theirs) = (Some(work), result.clone());
    run_detached(runtime, &interrupt, Box::new(move || *theirs.lock() = carry_out(&mut work)))?;
    let done = result.lock().take();
    ended(done)
}

// What follows is not generic, since what the standard library makes of each type of closure is long.

/// Does work that does not panic on another thread, or here if none can be created; waits until it is done.
fn run_apart(
    runtime: &mut dyn Runtime,
    interrupt: &InterruptFlag,
    work: &mut (dyn FnMut() + Send),
) -> Result<(), Fail> {
    let (work, done) = (Mutex::new(work), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let thread = builder().spawn_scoped(scope, || {
            (work.lock())();
            done.store(true, Ordering::Release);
            interrupt.notify();
        });
        match thread {
            Ok(_) => wait_interruptibly(runtime, interrupt, &done),
            Err(_) => {
                (work.lock())();
                Ok(())
            }
        }
    })
}

/// Like [`run_apart`], but does not wait for the work if the program is to end.
fn run_detached(
    runtime: &mut dyn Runtime,
    interrupt: &Arc<InterruptFlag>,
    work: Box<dyn FnMut() + Send>,
) -> Result<(), Fail> {
    let shared = Arc::new((Mutex::new(work), AtomicBool::new(false)));
    let (theirs, notified) = (shared.clone(), interrupt.clone());
    let thread = builder().spawn(move || {
        (theirs.0.lock())();
        theirs.1.store(true, Ordering::Release);
        notified.notify();
    });
    match thread {
        Ok(_) => wait_interruptibly(runtime, interrupt, &shared.1),
        Err(_) => {
            (shared.0.lock())();
            Ok(())
        }
    }
}

/// Waits until the work is done, and handles interrupts meanwhile.
fn wait_interruptibly(
    runtime: &mut dyn Runtime,
    interrupt: &InterruptFlag,
    done: &AtomicBool,
) -> Result<(), Fail> {
    loop {
        if interrupt.is_raised() {
            runtime.on_interrupt()?;
        }
        if interrupt.wait_for(None, || done.load(Ordering::Acquire).then_some(())).is_some() {
            return Ok(());
        }
    }
}

/// The flag to poll during this many steps, if they are worth it.
fn interrupt_flag(runtime: &mut dyn Runtime, steps: u64) -> Option<Arc<InterruptFlag>> {
    if ALONE {
        memory::pass_rounds(steps / STEPS_A_ROUND);
        return None;
    }
    if steps > SHORT { runtime.host().interrupt_flag() } else { None }
}

fn builder() -> Builder {
    Builder::new().name("offload".into()).stack_size(STACK)
}

fn carry_out<T, W: FnOnce() -> T>(work: &mut Option<W>) -> Done<T> {
    Some(catch_unwind(AssertUnwindSafe(work.take()?)))
}

fn ended<T>(done: Done<T>) -> Result<T, Fail> {
    match done {
        Some(Ok(value)) => Ok(value),
        Some(Err(panic)) => resume_unwind(panic),
        None => Err(Fail::Halt),
    }
}

/// The parts of a container to iterate over.
pub(super) enum Parts<'a, T> {
    /// Borrowed from the container.
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

/// The parts to iterate over, and the object that polls for interrupts.
fn parts<'a, T: Clone>(runtime: &mut dyn Runtime, count: usize, parts: Ref<'a, T>) -> (Parts<'a, T>, Rounds) {
    let rounds = Rounds::new(runtime);
    if rounds.interrupt.is_some() && count >= MANY {
        return (Parts::Copied(parts.clone()), rounds);
    }
    (Parts::Lent(parts), Rounds { interrupt: None, count: 0 })
}

/// The elements of an array, and the object that polls for interrupts.
pub(super) fn elements<'a>(
    runtime: &mut dyn Runtime,
    cell: &'a ObjectCell<Array>,
) -> (Parts<'a, Elems>, Rounds) {
    let data = Ref::map(cell.borrow(), |array| &array.data);
    parts(runtime, data.len(), data)
}

/// The entries of a map, and the object that polls for interrupts.
pub(super) fn entries<'a>(
    runtime: &mut dyn Runtime,
    cell: &'a ObjectCell<MapValue>,
) -> (Parts<'a, OrderedMap>, Rounds) {
    let entries = Ref::map(cell.borrow(), |map| &*map.entries);
    parts(runtime, entries.len(), entries)
}

/// Polls the interrupt flag every [`ROUNDS`] rounds.
pub(super) struct Rounds {
    interrupt: Option<Arc<InterruptFlag>>,
    count: u32,
}

impl Rounds {
    pub(super) fn new(runtime: &mut dyn Runtime) -> Rounds {
        Rounds { interrupt: runtime.host().interrupt_flag(), count: 0 }
    }

    /// The parts of a container to iterate over between polls.
    pub(super) fn share<'a, T: Clone>(&self, parts: Ref<'a, T>) -> Parts<'a, T> {
        if self.interrupt.is_some() { Parts::Copied(parts.clone()) } else { Parts::Lent(parts) }
    }

    /// To be called in every round.
    #[inline]
    pub(super) fn next(&mut self, runtime: &mut dyn Runtime) -> Result<(), Fail> {
        self.count = self.count.wrapping_add(1);
        if self.count.is_multiple_of(ROUNDS) { self.poll(runtime) } else { Ok(()) }
    }

    #[cold]
    fn poll(&self, runtime: &mut dyn Runtime) -> Result<(), Fail> {
        memory::pass_rounds(ROUNDS.into());
        memory::take_turn_if_due();
        if self.interrupt.as_ref().is_some_and(|interrupt| interrupt.is_raised()) {
            runtime.on_interrupt()?;
        }
        if !memory::check() {
            return Err(out_of_memory());
        }
        Ok(())
    }
}

/// The error of a program that has reached its limit of memory.
pub(super) fn out_of_memory() -> Fail {
    Fail::new(Code::E5018Memory, "out of memory")
}

/// Handles an interrupt, if there is one.
///
/// # Errors
/// [`Fail::Halt`] when the program is to end; an error when it has no more memory.
pub fn poll_interrupt(runtime: &mut dyn Runtime) -> Result<(), Fail> {
    Rounds::new(runtime).poll(runtime)
}
