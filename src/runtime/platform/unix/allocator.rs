//! An allocator in place of the system's that leaves large blocks to the system; and what the system's is told.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::ptr::null_mut;

use rustix::mm::{MapFlags, MremapFlags, ProtFlags, mmap_anonymous, mremap, munmap};

/// Blocks from this size on, in bytes, are mapped.
const LARGE: usize = 16 << 20;

/// What mapped blocks are aligned to in bytes: the smallest page of any system.
const PAGE: usize = 4096;

/// Small blocks come from another allocator; large ones are mapped, as the C library of GNU does it: their zeros cost
/// nothing where they are not used, and growing one moves no bytes. Other allocators may write the zeros (`ez` begins
/// with a block of 32 MiB, see `interp/slots/block.rs`).
pub struct LargeFromSystem<A>(pub A);

fn is_mapped(layout: Layout) -> bool {
    layout.size() >= LARGE && layout.align() <= PAGE
}

fn address<E>(mapped: Result<*mut std::ffi::c_void, E>) -> *mut u8 {
    mapped.map_or(null_mut(), |at| at.cast())
}

// SAFETY: a block is mapped or the other allocator's as its layout tells, all its life; what these demand, the caller
// promises.
unsafe impl<A: GlobalAlloc> GlobalAlloc for LargeFromSystem<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { if is_mapped(layout) { map(layout.size()) } else { self.0.alloc(layout) } }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { if is_mapped(layout) { map(layout.size()) } else { self.0.alloc_zeroed(layout) } }
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if is_mapped(layout) {
            // SAFETY: mapped with this size, and not used any more.
            let done = unsafe { munmap(at.cast(), layout.size()) };
            debug_assert!(done.is_ok());
        } else {
            unsafe { self.0.dealloc(at, layout) }
        }
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size is not 0, and possible with this alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_mapped(layout), is_mapped(wanted)) {
            (false, false) => unsafe { self.0.realloc(at, layout, size) },
            // SAFETY: mapped with this size; where it is then, the caller asks.
            (true, true) => unsafe { address(mremap(at.cast(), layout.size(), size, MremapFlags::MAYMOVE)) },
            (true, false) | (false, true) => unsafe { self.moved(at, layout, wanted) },
        }
    }
}

fn map(size: usize) -> *mut u8 {
    // SAFETY: where nothing is.
    address(unsafe {
        mmap_anonymous(null_mut(), size, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
    })
}

impl<A: GlobalAlloc> LargeFromSystem<A> {
    /// Reallocates a block that was not mapped and will be, or the other way round.
    #[cold]
    unsafe fn moved(&self, at: *mut u8, layout: Layout, wanted: Layout) -> *mut u8 {
        // SAFETY: as in `realloc`. The blocks are two, and as long as what is copied.
        unsafe {
            let moved = self.alloc(wanted);
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(at, wanted.size().min(layout.size()));
                self.dealloc(at, layout);
            }
            moved
        }
    }
}

/// To be called before there are other threads: they allocate from the heap of the first one. Without it, glibc reserves
/// 64 MiB of address space for each thread while there are that many left, and then lacks what a thread needs to start.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_one_heap() {
    // SAFETY: sets a number of the allocator, before there are other threads.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_one_heap() {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::System;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts the bytes that it has given.
    struct Small(AtomicUsize);

    // SAFETY: the system's.
    unsafe impl GlobalAlloc for Small {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            self.0.fetch_add(layout.size(), Ordering::Relaxed);
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
            self.0.fetch_sub(layout.size(), Ordering::Relaxed);
            unsafe { System.dealloc(at, layout) }
        }
    }

    #[test]
    fn blocks_keep_their_bytes_on_both_sides_of_the_limit() {
        let both = LargeFromSystem(Small(AtomicUsize::new(0)));
        let sizes = [100, LARGE - 1, LARGE, LARGE + 5, 200, 3 * LARGE, LARGE, LARGE - 1, 1];
        let layout = |size| Layout::from_size_align(size, 16).expect("a layout");
        let mut size = 10;
        // SAFETY: blocks are used with the layouts with which they were allocated, within their sizes.
        unsafe {
            let mut at = both.alloc_zeroed(layout(size));
            for next in sizes {
                assert_eq!((0..10).map(|i| *at.add(i)).max(), Some(0));
                at = both.realloc(at, layout(size), next);
                size = next;
                assert_eq!(both.0.0.load(Ordering::Relaxed), if size < LARGE { size } else { 0 });
                if size > 10 {
                    at.add(10).write_bytes(7, size - 10);
                }
                if size == 1 {
                    break;
                }
            }
            both.dealloc(at, layout(size));
            let zeros = both.alloc_zeroed(layout(LARGE));
            assert!((0..LARGE).step_by(4000).all(|i| *zeros.add(i) == 0));
            both.dealloc(zeros, layout(LARGE));
        }
        assert_eq!(both.0.0.load(Ordering::Relaxed), 0);
    }
}
