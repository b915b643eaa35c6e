//! Counts the memory that is in use: that of an instance never shrinks, and does not tell.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

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

/// The allocator of the system does everything; the caller promises what it demands.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size(), unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size(), unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) };
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let at = unsafe { System.realloc(at, layout, size) };
        if !at.is_null() {
            // Wraps where less is kept.
            HELD.fetch_add(size.wrapping_sub(layout.size()), Ordering::Relaxed);
        }
        at
    }
}
