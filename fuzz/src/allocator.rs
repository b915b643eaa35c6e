//! Counts what is allocated, for `targets/cost.rs`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::Ordering::Relaxed;

use crate::targets::cost::{HELD, MOST};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn more(size: usize) {
    let now = HELD.fetch_add(size, Relaxed) + size;
    MOST.fetch_max(now, Relaxed);
}

// SAFETY: all is done by the system's allocator; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.fetch_sub(layout.size(), Relaxed);
        more(size);
        unsafe { System.realloc(at, layout, size) }
    }
}
