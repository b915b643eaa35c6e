//! Frames, and unchecked access to what their slots refer to: the only `unsafe` code of the crate.
//!
//! Why it is here: with checked indexing and reference counting on every access the benchmark programs
//! take 1.3 times as long (`benches/README.md`). Why it is sound:
//!
//! * **Slots.** One allocation, never moved: `N` scalars, then `N` optional references. An [`Fp`] is
//!   made only by [`Slots::base`] and [`Slots::above`], which check that the frame's whole frame_size lies
//!   inside; a slot number is below the frame_size of its function (the builder computes the frame_size as the
//!   highest slot it ever used, plus one). Scalars and references never share memory, so a wrong slot
//!   number could at worst give a wrong number. Debug builds check every access.
//! * **Borrows.** [`Borrowed`] points to an object that a slot, or an object reachable from it, keeps
//!   alive. It is obtained after all operands are evaluated and dropped before anything else runs, so
//!   nothing can release or change the object meanwhile. [`peek`] reads a `RefCell` without counting
//!   the borrow, under the same rule; it refuses (gives `None`) while the cell is borrowed mutably.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

use crate::value::{Heap, Place, Ref, Value};

/// Slots of a program: enough for 10,000 calls with 100 slots each.
pub(crate) const SLOTS: usize = 1 << 20;

/// Words between a caller's slots and the callee's: the call site's number.
pub(crate) const HEADER: u32 = 1;

/// The memory of all frames.
pub(crate) struct Slots {
    scalars: Box<[u64]>,
    /// Only owns the references; access goes through `Fp`.
    refs: *mut Option<Ref>,
}

/// A frame: pointer to its first scalar slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fp(*mut u64);

impl Slots {
    /// All scalars 0, all references empty.
    pub fn new() -> Slots {
        // Zeroed memory: 0 for scalars and `None` for references (the null pointer optimisation of
        // `Option<Rc<_>>` is guaranteed). Pages are only touched when used.
        let mut scalars = vec![0u64; 2 * SLOTS].into_boxed_slice();
        // SAFETY: SLOTS is inside the allocation of 2 * SLOTS words.
        let refs = unsafe { scalars.as_mut_ptr().add(SLOTS) }.cast::<Option<Ref>>();
        Slots { scalars, refs }
    }

    /// The lowest frame, if it has room for `frame_size` slots.
    pub fn base(&mut self, frame_size: u32) -> Option<Fp> {
        (frame_size as usize + (HEADER as usize) < SLOTS)
            // SAFETY: just checked.
            .then(|| Fp(unsafe { self.scalars.as_mut_ptr().add(HEADER as usize) }))
    }

    /// One past the last scalar.
    pub fn end(&mut self) -> Fp {
        // SAFETY: one past the first half of the allocation.
        Fp(unsafe { self.scalars.as_mut_ptr().add(SLOTS) })
    }

    /// Number of the slot `slot` of `fp` in the whole memory: a key for tables.
    pub fn address(fp: Fp, slot: u32) -> usize {
        fp.0 as usize / 8 + slot as usize
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        // Frames lie without gaps from the bottom and clear their own slots: what is left after an
        // error lies below the first stretch of nothing, and memory never used is not touched.
        const STRETCH: usize = 1 << 14;
        let mut empty = 0;
        for i in 0..SLOTS {
            // SAFETY: `refs` covers SLOTS initialised entries, which nobody uses any more.
            match unsafe { (*self.refs.add(i)).take() } {
                Some(_) => empty = 0,
                None if empty > STRETCH => return,
                None => empty += 1,
            }
        }
    }
}

impl Fp {
    #[inline(always)]
    fn scalar(self, slot: u32) -> *mut u64 {
        // SAFETY: slot lies in the frame's frame_size, which lies in the allocation.
        unsafe { self.0.add(slot as usize) }
    }

    #[inline(always)]
    fn reference(self, slot: u32) -> *mut Option<Ref> {
        // SAFETY: as for scalars, in the second half of the allocation.
        unsafe { self.0.add(slot as usize + SLOTS) }.cast()
    }

    /// The frame that starts `offset` slots above this one's start. Whether it has room is checked
    /// by the caller (`fits`) before anything but its arguments, which lie in this frame's frame_size,
    /// is stored in it.
    #[inline(always)]
    pub fn above(self, offset: u32) -> Fp {
        Fp(self.scalar(offset))
    }

    /// The frame that starts `offset` slots below.
    pub fn below(self, offset: u32) -> Fp {
        // SAFETY: the inverse of `above`, called with the same offset (it comes from the call site).
        Fp(unsafe { self.0.sub(offset as usize) })
    }

    /// Whether `frame_size` slots from here lie below `end`.
    #[inline(always)]
    pub fn fits(self, frame_size: u32, end: Fp) -> bool {
        (self.0 as usize) + (frame_size as usize) * 8 < end.0 as usize
    }

    /// The scalar in `slot`.
    #[inline(always)]
    pub fn get(self, slot: u32) -> u64 {
        // SAFETY: see the module's comment.
        unsafe { *self.scalar(slot) }
    }

    /// Sets the scalar in `slot`.
    #[inline(always)]
    pub fn set(self, slot: u32, value: u64) {
        // SAFETY: see the module's comment.
        unsafe { *self.scalar(slot) = value }
    }

    /// Sets the header word (the call site's number).
    #[inline(always)]
    pub fn set_header(self, site: u32) {
        // SAFETY: every frame starts at least one word above the start of memory.
        unsafe { *self.0.sub(1) = u64::from(site) }
    }

    /// The header word.
    pub fn header(self) -> u32 {
        // SAFETY: as for `set_header`.
        unsafe { *self.0.sub(1) as u32 }
    }

    /// A copy of the reference in `slot`.
    #[inline(always)]
    pub fn get_ref(self, slot: u32) -> Option<Ref> {
        // SAFETY: initialised memory; nobody holds a Rust reference to it.
        unsafe { (*self.reference(slot)).clone() }
    }

    /// Sets the reference in `slot`; gives back the old one so that it is dropped afterwards.
    #[inline(always)]
    pub fn replace_ref(self, slot: u32, value: Option<Ref>) -> Option<Ref> {
        // SAFETY: as for `get_ref`; nothing is dropped while the slot is written.
        unsafe { std::ptr::replace(self.reference(slot), value) }
    }

    /// The object that the reference in `slot` leads to; `None` for nil.
    #[inline(always)]
    pub fn borrow(self, slot: u32) -> Option<Borrowed> {
        // SAFETY: as for `get_ref`.
        unsafe { (*self.reference(slot)).as_ref() }.map(Borrowed::of)
    }

    /// As [`Fp::borrow`] for a boxed variable: the object that stands in it.
    #[inline(always)]
    pub fn borrow_boxed(self, slot: u32) -> Option<Borrowed> {
        // SAFETY: as for `get_ref`; `peek` keeps the rule of borrows.
        let place = unsafe { (*self.reference(slot)).as_ref() }?;
        match &**place {
            Heap::Place(Place::Variable(variable)) => match &peek(variable)?.value {
                Value::Ref(r) if !matches!(&**r, Heap::Place(_) | Heap::Scalar(_)) => Some(Borrowed::of(r)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// An object, for the length of one operation.
#[derive(Clone, Copy)]
pub(crate) struct Borrowed(*const Heap);

impl Borrowed {
    /// The object of `r`, which outlives the operation.
    #[inline(always)]
    pub fn of(r: &Ref) -> Borrowed {
        Borrowed(Rc::as_ptr(r))
    }

    /// A counted reference to it.
    #[inline(always)]
    pub fn own(self) -> Ref {
        // SAFETY: the pointer came from an `Rc` that is still alive.
        unsafe {
            Rc::increment_strong_count(self.0);
            Rc::from_raw(self.0)
        }
    }
}

impl Deref for Borrowed {
    type Target = Heap;

    #[inline(always)]
    fn deref(&self) -> &Heap {
        // SAFETY: see the module's comment.
        unsafe { &*self.0 }
    }
}

/// The content of a cell without counting the borrow; `None` while it is borrowed mutably.
#[inline(always)]
pub(crate) fn peek<T>(cell: &RefCell<T>) -> Option<&T> {
    // SAFETY: see the module's comment.
    unsafe { cell.try_borrow_unguarded() }.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_keep_scalars_and_references_apart() {
        let mut slots = Slots::new();
        let fp = slots.base(10).expect("room");
        fp.set(3, 42);
        assert!(fp.get_ref(3).is_none());
        let text = Value::str("x");
        drop(fp.replace_ref(3, text.as_ref().cloned()));
        assert_eq!(fp.get(3), 42);
        assert!(fp.borrow(3).is_some());
        let above = fp.above(4);
        above.set_header(7);
        assert_eq!((above.header(), above.below(4)), (7, fp));
        assert!(above.fits(5, slots.end()));
        assert!(!above.fits(SLOTS as u32, slots.end()));
        assert!(slots.base(SLOTS as u32).is_none());
    }

    #[test]
    fn references_are_released_with_the_memory() {
        let text = Value::str("x");
        let r = text.as_ref().expect("a string").clone();
        let mut slots = Slots::new();
        let fp = slots.base(10).expect("room");
        drop(fp.replace_ref(9, Some(r.clone())));
        let again = fp.borrow(9).expect("there").own();
        assert_eq!(Rc::strong_count(&r), 4);
        drop(again);
        drop(slots);
        assert_eq!(Rc::strong_count(&r), 2);
    }

    #[test]
    fn peek_refuses_while_borrowed_mutably() {
        let cell = RefCell::new(1);
        assert_eq!(peek(&cell), Some(&1));
        let _guard = cell.borrow_mut();
        assert_eq!(peek(&cell), None);
    }
}
