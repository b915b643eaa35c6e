//! Counts the memory that is in use: that of an instance never shrinks, and does not tell. And takes the one large block
//! of zeros that an instance begins with (`interp/slots/block.rs`) as it comes from the system, which has zeroed it: the
//! browser gives only those pages that are written to.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::arch::wasm32::memory_grow;
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

/// Size in bytes from which a block of zeros is taken from the system.
const LARGE: usize = 16 << 20;

/// Size of a page of WebAssembly in bytes.
const PAGE: usize = 1 << 16;

/// The large block of zeros; there is one at most, for good.
static ZEROS: AtomicUsize = AtomicUsize::new(0);

/// Bytes that are in use.
pub fn held() -> u64 {
    HELD.load(Ordering::Relaxed) as u64
}

fn add(bytes: usize, at: *mut u8) -> *mut u8 {
    if !at.is_null() {
        HELD.fetch_add(bytes, Ordering::Relaxed);
    }
    at
}

/// Whether a block is the large one of zeros. Its size decides first: mostly that is known when this is compiled.
fn is_zeros(at: *mut u8, layout: Layout) -> bool {
    layout.size() >= LARGE && at.addr() == ZEROS.load(Ordering::Relaxed)
}

/// New pages of the system, which are zero: the large block of zeros. Null if there are none.
fn fresh(layout: Layout) -> *mut u8 {
    let before = memory_grow(0, layout.size().div_ceil(PAGE));
    if before == usize::MAX {
        return null_mut();
    }
    ZEROS.store(before * PAGE, Ordering::Relaxed);
    with_exposed_provenance_mut(before * PAGE)
}

/// The allocator of the system does the rest; the caller promises what it demands.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size(), unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let is_first = layout.size() >= LARGE && layout.align() <= PAGE && ZEROS.load(Ordering::Relaxed) == 0;
        add(layout.size(), if is_first { fresh(layout) } else { unsafe { System.alloc_zeroed(layout) } })
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        if !is_zeros(at, layout) {
            unsafe { System.dealloc(at, layout) };
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_zeros(at, layout) {
            return unsafe { self.moved(at, layout, size) };
        }
        let at = unsafe { System.realloc(at, layout, size) };
        if !at.is_null() {
            // Wraps where less is kept.
            HELD.fetch_add(size.wrapping_sub(layout.size()), Ordering::Relaxed);
        }
        at
    }
}

impl Counting {
    /// Reallocates the large block of zeros.
    unsafe fn moved(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as for `realloc`, the size is not 0, and possible with this alignment. The blocks are two, and as long
        // as what is copied.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(at, size.min(layout.size()));
                self.dealloc(at, layout);
            }
            moved
        }
    }
}
