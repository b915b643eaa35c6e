//! Waiting where there are threads.

use std::ops::ControlFlow;
use std::sync::{self, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvError, at, never, select};

use super::Next;
use crate::clock::Instant;

pub use std::sync::MutexGuard;

/// Whether the engine has one thread only, which has to let others go on ([`take_turn`]).
pub const ALONE: bool = false;

pub(super) fn guard<'a, T: ?Sized>(_: &'a sync::Mutex<T>, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    guard
}

/// A condition variable for a [`Mutex`](super::Mutex).
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    /// A condition variable.
    pub const fn new() -> Condvar {
        Condvar(sync::Condvar::new())
    }

    /// Gives the lock back, waits for a notification (or less: wakes without one are possible), and takes it again.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// [`Condvar::wait`], for at most this time.
    pub fn wait_timeout<'a, T>(&self, guard: MutexGuard<'a, T>, most: Duration) -> MutexGuard<'a, T> {
        self.0.wait_timeout(guard, most).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Wakes one thread that waits.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Wakes all threads that wait.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// Waits for a message.
///
/// # Errors
/// If the channel is empty and closed.
pub fn receive<T>(channel: &Receiver<T>) -> Result<T, RecvError> {
    channel.recv()
}

/// Waits for a message on one of two channels, or until a time.
pub fn next_of<A, B>(first: &Receiver<A>, second: &Receiver<B>, until: Option<Instant>) -> Next<A, B> {
    let until = until.map_or_else(never, at);
    select! {
        recv(first) -> message => Next::First(message),
        recv(second) -> message => Next::Second(message),
        recv(until) -> _ => Next::TimeIsOver,
    }
}

/// Has `look` called whenever a thread that is alone takes a turn, until it breaks; it returns how long the next turn may
/// be away at most. Where there are other threads, one of them has to look instead, and this does nothing.
pub fn at_each_turn(_look: impl FnMut() -> ControlFlow<(), Option<Duration>> + 'static) {}

/// Lets others go on, on a thread that is alone; returns how many rounds of work may pass before the next call.
pub fn take_turn() -> i32 {
    i32::MAX
}

/// Does `work`, a level of a recursion whose depth comes from data: where stacks cannot be large, some levels go on on
/// new ones. `without_room` in its place, if there is no room. Where there always is, nothing is wrapped, and large results
/// are not moved.
#[inline(always)]
pub fn deeper_or<T>(work: impl FnOnce() -> T, _without_room: impl FnOnce() -> T) -> T {
    work()
}

/// Whether there is so little stack that programs cannot be nested as deeply as elsewhere.
pub fn has_small_stack() -> bool {
    false
}

/// How many levels of nodes may be in progress until [`on_new_stack`] has to be called.
pub fn levels_on_stack() -> u32 {
    u32::MAX
}

/// Does `work` on a stack of its own, where the calling thread's cannot be made as large as is needed; else on that.
/// Returns whether there was a stack with this number of bytes.
pub fn on_new_stack(_bytes: u32, work: &mut dyn FnMut()) -> bool {
    work();
    true
}
