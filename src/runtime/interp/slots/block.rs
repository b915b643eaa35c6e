//! The block of memory that a thread keeps for slots (invariant 1 of [`super`]).

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::{NoFrames, SLOTS};

/// Zeroed by the system, and only there where it is used.
const LAYOUT: Layout = Layout::new::<[u64; 4 * SLOTS]>();

/// A thread's block.
struct Block {
    /// Its start, once it was needed.
    start: Cell<Option<NonNull<u64>>>,
    leased: Cell<bool>,
}

thread_local! {
    static BLOCK: Block = const { Block { start: Cell::new(None), leased: Cell::new(false) } };
}

impl Block {
    /// Its start; `None` if there is no memory for it.
    fn start(&self) -> Option<NonNull<u64>> {
        if self.start.get().is_none() {
            // SAFETY: the size is not 0.
            self.start.set(NonNull::new(unsafe { alloc_zeroed(LAYOUT) }).map(NonNull::cast));
        }
        self.start.get()
    }

    fn lend(&self) -> Result<NonNull<u64>, NoFrames> {
        if self.leased.get() {
            return Err(NoFrames::Leased);
        }
        let start = self.start().ok_or(NoFrames::NoMemory)?;
        self.leased.set(true);
        Ok(start)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // Frames that outlive the thread's variables keep the block for good.
        if let Some(start) = self.start.get().filter(|_| !self.leased.get()) {
            // SAFETY: allocated in `start` with this layout. Nobody uses it: there is no lease, and no new
            // one, since the thread's variables are gone.
            unsafe { dealloc(start.as_ptr().cast(), LAYOUT) }
        }
    }
}

/// The right to use this thread's block, which at most one has.
pub(super) struct Lease {
    start: NonNull<u64>,
    /// Not to be sent to another thread, which has a block of its own.
    stays_here: PhantomData<*const ()>,
}

impl Lease {
    /// A lease of this thread's block, which is allocated if there is none yet.
    ///
    /// # Errors
    /// While there is a lease already, when the thread is about to end, and if there is no memory.
    pub fn new() -> Result<Lease, NoFrames> {
        let start = BLOCK.try_with(Block::lend).map_err(|_| NoFrames::Leased)??;
        Ok(Lease { start, stays_here: PhantomData })
    }

    /// Where the block starts.
    pub fn start(&self) -> NonNull<u64> {
        self.start
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let _ = BLOCK.try_with(|block| block.leased.set(false));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_one_block_and_lends_it_to_one() {
        let lease = Lease::new().expect("the first");
        let start = lease.start();
        assert_eq!(Lease::new().err(), Some(NoFrames::Leased));
        let other = std::thread::spawn(|| Lease::new().expect("of that thread").start().addr());
        assert_ne!(other.join().expect("joins"), start.addr());
        drop(lease);
        assert_eq!(Lease::new().expect("the next").start(), start);
    }
}
