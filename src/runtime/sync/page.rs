//! Waiting in a page: nobody else runs until the only thread lets the page go on.

use std::ops::{Deref, DerefMut};
use std::sync::{self, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvError, TryRecvError};

use super::Next;
use crate::clock::Instant;
use crate::page;

pub use page::stacks::{deeper_or, has_small_stack, levels_on_stack, on_new_stack};
pub use page::turns::{at_each_turn, take_turn};

/// Whether the engine has one thread only, which has to let others go on ([`take_turn`]).
pub const ALONE: bool = true;

/// The lock of a [`Mutex`](super::Mutex).
pub struct MutexGuard<'a, T: ?Sized> {
    of: &'a sync::Mutex<T>,
    inner: sync::MutexGuard<'a, T>,
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

pub(super) fn guard<'a, T: ?Sized>(
    of: &'a sync::Mutex<T>,
    inner: sync::MutexGuard<'a, T>,
) -> MutexGuard<'a, T> {
    MutexGuard { of, inner }
}

/// A condition variable for a [`Mutex`](super::Mutex): whatever happens may be what is waited for.
#[derive(Debug, Default)]
pub struct Condvar(());

impl Condvar {
    /// A condition variable.
    pub const fn new() -> Condvar {
        Condvar(())
    }

    /// Gives the lock back, lets the page go on until something happens, and takes the lock again.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        wait_without(guard, None)
    }

    /// [`Condvar::wait`], for at most this time.
    pub fn wait_timeout<'a, T>(&self, guard: MutexGuard<'a, T>, most: Duration) -> MutexGuard<'a, T> {
        wait_without(guard, Some(most))
    }

    /// Nobody waits while this is called.
    pub fn notify_one(&self) {}

    /// Nobody waits while this is called.
    pub fn notify_all(&self) {}
}

fn wait_without<T>(guard: MutexGuard<'_, T>, most: Option<Duration>) -> MutexGuard<'_, T> {
    let of = guard.of;
    drop(guard);
    page::turns::wait(most);
    MutexGuard { of, inner: of.lock().unwrap_or_else(PoisonError::into_inner) }
}

/// Waits for a message.
///
/// # Errors
/// If the channel is empty and closed.
pub fn receive<T>(channel: &Receiver<T>) -> Result<T, RecvError> {
    loop {
        match channel.try_recv() {
            Ok(message) => return Ok(message),
            Err(TryRecvError::Disconnected) => return Err(RecvError),
            Err(TryRecvError::Empty) => page::turns::wait(None),
        }
    }
}

/// Waits for a message on one of two channels, or until a time.
pub fn next_of<A, B>(first: &Receiver<A>, second: &Receiver<B>, until: Option<Instant>) -> Next<A, B> {
    loop {
        match first.try_recv() {
            Ok(message) => return Next::First(Ok(message)),
            Err(TryRecvError::Disconnected) => return Next::First(Err(RecvError)),
            Err(TryRecvError::Empty) => {}
        }
        match second.try_recv() {
            Ok(message) => return Next::Second(Ok(message)),
            Err(TryRecvError::Disconnected) => return Next::Second(Err(RecvError)),
            Err(TryRecvError::Empty) => {}
        }
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return Next::TimeIsOver;
        }
        page::turns::wait(left);
    }
}
