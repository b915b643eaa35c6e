//! The locks of the standard library without poisoning.
//!
//! Panics are caught where the work of one library call, one request or one client ends, and are reported there.
//! What that work shares with other threads stays usable, so that the session can go on or end in order.
//!
//! How to wait: natively for other threads ([`system`] is `threads.rs`). A page gives the engine one thread
//! ([`ALONE`], and [`system`] is `page.rs`): there, waiting is to let the page go on, which a long computation has to do
//! as well, from time to time ([`take_turn`]).

#[cfg(target_family = "wasm")]
#[path = "page.rs"]
mod system;
#[cfg(not(target_family = "wasm"))]
#[path = "threads.rs"]
mod system;

use std::sync::{self, PoisonError, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use crossbeam_channel::RecvError;

pub use system::{
    ALONE, Condvar, MutexGuard, at_each_turn, deeper_or, has_small_stack, levels_on_stack, next_of,
    on_new_stack, receive, take_turn,
};

/// What is said where [`deeper_or`] has found no room.
pub const NO_ROOM: &str = "nested too deeply for what this browser's stack has left";

/// What [`next_of`] has found.
pub enum Next<A, B> {
    First(Result<A, RecvError>),
    Second(Result<B, RecvError>),
    TimeIsOver,
}

/// A mutex that can be locked again after a thread has panicked while it held the lock.
#[derive(Debug, Default)]
pub struct Mutex<T: ?Sized>(sync::Mutex<T>);

impl<T> Mutex<T> {
    /// A mutex that is not locked.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until no other thread holds the lock, and takes it.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        system::guard(&self.0, self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the lock if no thread holds it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(system::guard(&self.0, guard)),
            Err(TryLockError::Poisoned(poisoned)) => Some(system::guard(&self.0, poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The value, which nobody else can have locked.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lock for several readers or one writer, which can be taken again after a thread has panicked with it.
#[derive(Debug, Default)]
pub struct RwLock<T: ?Sized>(sync::RwLock<T>);

impl<T: ?Sized> RwLock<T> {
    /// Waits until no thread writes, and takes the lock for reading.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other thread holds the lock, and takes it for writing.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_does_not_lock_out_others() {
        let mutex = Mutex::new(1);
        let panicked = std::thread::scope(|scope| {
            scope
                .spawn(|| {
                    let mut value = mutex.lock();
                    *value = 2;
                    std::panic::resume_unwind(Box::new("on purpose"));
                })
                .join()
        });
        assert!(panicked.is_err());
        assert_eq!(*mutex.lock(), 2);
    }
}
