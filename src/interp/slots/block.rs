//! The block of memory that a thread keeps for slots (invariant 1 of [`super`]).

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::SLOTS;

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
    fn start(&self) -> NonNull<u64> {
        self.start.get().unwrap_or_else(|| {
            // SAFETY: the size is not 0.
            let Some(start) = NonNull::new(unsafe { alloc_zeroed(LAYOUT) }) else {
                handle_alloc_error(LAYOUT)
            };
            let start = start.cast();
            self.start.set(Some(start));
            start
        })
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
    /// `None` while there is one already, and when the thread is about to end.
    pub fn new() -> Option<Lease> {
        let start = BLOCK.try_with(|block| (!block.leased.replace(true)).then(|| block.start()));
        Some(Lease { start: start.ok()??, stays_here: PhantomData })
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
        assert!(Lease::new().is_none(), "there is one already");
        let other = std::thread::spawn(|| Lease::new().expect("of that thread").start().addr());
        assert_ne!(other.join().expect("joins"), start.addr());
        drop(lease);
        assert_eq!(Lease::new().expect("the next").start(), start);
    }
}
