//! Frames and uncounted access to objects: with `block.rs`, the only `unsafe` code of the interpreter.
//!
//! Why it is here: with checked indices and counted borrows on every access the benchmark programs take
//! 1.3 times as long. Everything that this module lets others do is sound whatever they do with it: what
//! must hold is kept by the types' private fields, not by their users. Each use of `unsafe` names the
//! invariants it relies on.
//!
//! Slots:
//!
//! 1. A thread has at most one block of memory for slots, `4 * SLOTS` words that are never moved:
//!    `2 * SLOTS` scalars, then `2 * SLOTS` references, all of them initialised (zeroed memory is `None`
//!    for an `Option<Rc<_>>`). It has at most one [`Frames`] at a time, and they use that block. The block
//!    is released with the thread, when no `Frames` uses it and none can be made any more.
//! 2. An [`Fp`] points to a word of its thread's block, at least `HEADER` and at most `SLOTS` words behind
//!    its start: every function that makes one checks that. Neither it nor `Frames` leave their thread
//!    (pointers are not `Send`), so it points into the block of any `Frames` that it is used with.
//! 3. A [`Slot`] is less than `SLOTS`: [`Slot::new`], which alone makes them, sees to it. With 2, frame
//!    plus slot is less than `2 * SLOTS` words behind the start, so every access lies inside the block, and
//!    scalars and references never meet. A wrong slot number gives a wrong number, nothing worse.
//! 4. Slots are read through `&Frames` and written through `&mut Frames`, as the fields of any struct: a
//!    Rust reference to a slot lives no longer than the borrow of the `Frames` that it was made from.
//!
//! Objects:
//!
//! 5. The content of an [`ObjectCell`] changes only while the thread's one [`Mutator`] is borrowed
//!    mutably, or by whoever owns the whole cell exclusively (`value::object`; its fields are private).
//!    Objects never leave their thread (`Rc` is not `Send`), and neither does the mutator.
//! 6. An object lives at least as long as a reference to it stays where it is: in a slot, or in the
//!    content of an object that lives.
//! 7. [`ObjectMut`] changes no other object than its own, and gives nobody the mutator that it holds. Objects
//!    that a change releases are in no chain of references from a slot, and dropping them runs no code of
//!    the program.
#![allow(unsafe_code)]

#[cfg(debug_assertions)]
mod kinds;

mod block;

use std::ptr::NonNull;

use crate::value::memory::can_allocate;
use crate::value::{Heap, Mutator, ObjectCell, ObjectMut, Ref};

use block::Lease;
#[cfg(debug_assertions)]
use kinds::SlotKinds;

/// Slots of a program: enough for 10,000 calls with 100 slots each.
pub const SLOTS: usize = 1 << 20;

/// Words between a caller's slots and the callee's: the call site's number, and the number of the last place
/// before the call ([`super::steps`]).
pub const HEADER: usize = 2;

/// The number of a slot in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot(u32);

impl Slot {
    /// The slot with this number. Numbers that no frame has room for are brought below `SLOTS`; a
    /// function that has such slots is refused by [`Frames::enter`].
    pub const fn new(number: u32) -> Slot {
        Slot(number % SLOTS as u32)
    }

    /// Its number.
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// A frame: where its first slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fp(NonNull<u64>);

impl Fp {
    /// How many slots this frame starts above `other`; 0 if it does not.
    pub fn distance(self, other: Fp) -> u32 {
        let bytes = self.0.addr().get().saturating_sub(other.0.addr().get());
        (bytes / size_of::<u64>()) as u32
    }

    /// A number for this slot that no other slot of this thread has.
    pub fn key(self, slot: Slot) -> usize {
        self.0.addr().get() + slot.0 as usize * size_of::<u64>()
    }
}

/// The slots of a function.
#[derive(Debug)]
pub struct Layout {
    /// Slots that its frame takes, those of the arguments of calls it makes included.
    pub size: u32,
    /// How many of them are its variables.
    pub variables: u32,
    /// The first of these are its parameters.
    pub parameters: u32,
    /// Variables whose slots hold references, in order. They are empty when the function begins, and
    /// made so when it ends.
    pub references: Box<[Slot]>,
}

/// Why a program gets no memory for frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoFrames {
    #[error("too many globals")]
    TooLarge,
    #[error("there is not enough memory for the variables of a program (32 MiB)")]
    NoMemory,
    #[error("this thread runs another program")]
    Leased,
}

/// Bytes that have to be left besides, so that running out of memory is an error of the program.
const SPARE: u64 = 1 << 20;

/// The memory of all frames.
pub struct Frames {
    /// Where the thread's block starts.
    memory: NonNull<u64>,
    _lease: Lease,
    #[cfg(debug_assertions)]
    kinds: SlotKinds,
}

/// Slots between a scalar and the reference of the same number.
const REFERENCES: usize = 2 * SLOTS;

// SAFETY: any initialised pointer may be looked at as a number. It shows that zeroed memory is `None` (1).
const _: () = assert!(unsafe { std::mem::transmute::<Option<Ref>, usize>(None) } == 0);

impl Frames {
    /// Memory whose lowest frame has this layout, and that frame.
    ///
    /// # Errors
    /// If the memory is too small for the frame, if there is none, or if this thread has frames already.
    pub fn new(lowest: &Layout) -> Result<(Frames, Fp), NoFrames> {
        let lease = Lease::new()?;
        let mut frames = Frames {
            memory: lease.start(),
            #[cfg(debug_assertions)]
            kinds: SlotKinds::new(lease.start().addr().get()).ok_or(NoFrames::NoMemory)?,
            _lease: lease,
        };
        if !can_allocate(SPARE) {
            return Err(NoFrames::NoMemory);
        }
        // SAFETY: 1.
        let below = Fp(unsafe { frames.memory.add(HEADER) });
        frames.arguments(below, Slot(0), lowest);
        let frame = frames.enter(below, Slot(0), lowest, u32::MAX, 0).ok_or(NoFrames::TooLarge)?;
        Ok((frames, frame))
    }

    /// The last word at which a frame may start, with no room left for it.
    #[inline(always)]
    fn end(&self) -> NonNull<u64> {
        // SAFETY: 1.
        unsafe { self.memory.add(SLOTS) }
    }

    /// The frame of a call at `offset` slots above a frame's start. It is brought inside the memory where
    /// that ends: then [`Frames::enter`] refuses it.
    #[inline(always)]
    fn above(&self, fp: Fp, offset: Slot) -> Fp {
        // SAFETY: 2, 3.
        Fp(unsafe { fp.0.add(offset.0 as usize) }.min(self.end()))
    }

    /// The frame whose call at `offset` made a frame.
    pub fn caller(&self, fp: Fp, offset: Slot) -> Fp {
        // SAFETY: 1, 2.
        let below = unsafe { fp.0.offset_from(self.memory) } as usize;
        let start = below.saturating_sub(offset.0 as usize).max(HEADER);
        // SAFETY: 1, 2: no more than the frame that was given.
        Fp(unsafe { self.memory.add(start) })
    }

    #[inline(always)]
    fn scalar_at(&self, fp: Fp, slot: Slot) -> *mut u64 {
        #[cfg(debug_assertions)]
        self.kinds.expect_scalar(fp, slot);
        // SAFETY: 1, 2, 3.
        unsafe { fp.0.as_ptr().add(slot.0 as usize) }
    }

    #[inline(always)]
    fn reference_at(&self, fp: Fp, slot: Slot) -> *mut Option<Ref> {
        #[cfg(debug_assertions)]
        self.kinds.expect_reference(fp, slot);
        // SAFETY: 1, 2, 3: the second half of the memory is as large as the first.
        unsafe { fp.0.as_ptr().add(REFERENCES + slot.0 as usize) }.cast()
    }

    /// The scalar in a slot.
    #[inline(always)]
    pub fn get(&self, fp: Fp, slot: Slot) -> u64 {
        // SAFETY: 1 to 4.
        unsafe { *self.scalar_at(fp, slot) }
    }

    /// Sets the scalar in a slot.
    #[inline(always)]
    pub fn set(&mut self, fp: Fp, slot: Slot, value: u64) {
        // SAFETY: 1 to 4.
        unsafe { *self.scalar_at(fp, slot) = value }
    }

    /// The reference in a slot; `None` for nil.
    #[inline(always)]
    pub fn reference(&self, fp: Fp, slot: Slot) -> Option<&Ref> {
        // SAFETY: 1 to 4.
        unsafe { (*self.reference_at(fp, slot)).as_ref() }
    }

    /// A counted copy of the reference in a slot.
    #[inline(always)]
    pub fn get_ref(&self, fp: Fp, slot: Slot) -> Option<Ref> {
        self.reference(fp, slot).cloned()
    }

    /// Sets the reference in a slot; gives back the old one, to be dropped by the caller.
    #[inline(always)]
    pub fn replace_ref(&mut self, fp: Fp, slot: Slot, value: Option<Ref>) -> Option<Ref> {
        // SAFETY: 1 to 4.
        unsafe { std::ptr::replace(self.reference_at(fp, slot), value) }
    }

    /// Notes whether the object of a dead variable was handed on to another place instead of being copied.
    /// The note is kept in the scalar of the slot's number, which a reference variable does not use; it
    /// means nothing before it was set in this frame.
    #[inline(always)]
    pub fn set_handed_on(&mut self, fp: Fp, slot: Slot, handed_on: bool) {
        self.reference_at(fp, slot);
        // SAFETY: 1 to 4: scalars are where `scalar_at` says, whatever the slot is used for.
        unsafe { *fp.0.as_ptr().add(slot.0 as usize) = u64::from(handed_on) }
    }

    /// What [`Frames::set_handed_on`] has noted.
    pub fn is_handed_on(&self, fp: Fp, slot: Slot) -> bool {
        self.reference_at(fp, slot);
        // SAFETY: as above.
        unsafe { *fp.0.as_ptr().add(slot.0 as usize) == 1 }
    }

    /// The object that the reference in a slot leads to; `None` for nil. No slot can be written as long
    /// as it is borrowed.
    #[inline(always)]
    pub fn object(&self, fp: Fp, slot: Slot) -> Option<&Heap> {
        self.reference(fp, slot).map(|r| &**r)
    }

    /// The frame for the arguments of a call at `offset` above `fp`, to be entered or abandoned.
    #[inline(always)]
    #[cfg_attr(not(debug_assertions), allow(unused_variables))]
    pub fn arguments(&mut self, fp: Fp, offset: Slot, callee: &Layout) -> Fp {
        let frame = self.above(fp, offset);
        #[cfg(debug_assertions)]
        self.kinds.begin(frame, callee);
        frame
    }

    /// Enters the frame at `offset` above `fp`, whose arguments may be there already, for a call from
    /// `site` after the place `step`; `None` if there is no room for it.
    #[inline(always)]
    pub fn enter(&mut self, fp: Fp, offset: Slot, callee: &Layout, site: u32, step: u64) -> Option<Fp> {
        let frame = self.above(fp, offset);
        // SAFETY: 1, 2.
        let room = unsafe { self.end().offset_from(frame.0) } as usize;
        if callee.size as usize >= room {
            return None;
        }
        #[cfg(debug_assertions)]
        self.kinds.enter(frame, callee);
        // SAFETY: 1, 2, 4: a frame begins at least `HEADER` words above the start of the memory.
        unsafe {
            *frame.0.as_ptr().sub(HEADER) = u64::from(site);
            *frame.0.as_ptr().sub(HEADER - 1) = step;
        }
        Some(frame)
    }

    /// Releases what a frame holds: at its end, or when the call is abandoned after its arguments.
    #[inline(always)]
    pub fn leave(&mut self, frame: Fp, callee: &Layout) {
        for slot in &callee.references {
            drop(self.replace_ref(frame, *slot, None));
        }
        #[cfg(debug_assertions)]
        self.kinds.end(frame);
    }

    /// Releases the arguments of a call that is not entered.
    #[cold]
    pub fn abandon(&mut self, frame: Fp, callee: &Layout) {
        for slot in callee.references.iter().take_while(|slot| slot.0 < callee.parameters) {
            drop(self.replace_ref(frame, *slot, None));
        }
        #[cfg(debug_assertions)]
        self.kinds.end(frame);
    }

    /// The number of the call site that a frame was entered from.
    pub fn site(&self, frame: Fp) -> u32 {
        // SAFETY: 1, 2, 4: as in `enter`.
        unsafe { *frame.0.as_ptr().sub(HEADER) as u32 }
    }

    /// The number of the last place before a frame was entered: the first place in it has the next number.
    pub fn step_before(&self, frame: Fp) -> u64 {
        // SAFETY: 1, 2, 4: as in `enter`.
        unsafe { *frame.0.as_ptr().sub(HEADER - 1) }
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        // Frames empty their slots when they are left, so references are left in the lowest two only: that of
        // the globals and that of `main`. Should there be any above this stretch of empty slots, their objects
        // are never released. The memory beyond was most likely never used, and looking at it would have the
        // system provide it. The next frames of this thread begin with what is left there, which is wrong but
        // not unsafe.
        const STRETCH: usize = 1 << 14;
        let mut empty = 0;
        for i in REFERENCES..REFERENCES + 2 * SLOTS {
            // Numbers that are shown before they are set are 0.
            // SAFETY: 1; these frames are the only ones that use the block, and are borrowed mutably.
            unsafe { *self.memory.as_ptr().add(i - REFERENCES) = 0 };
            // SAFETY: as above.
            match unsafe { (*self.memory.as_ptr().add(i).cast::<Option<Ref>>()).take() } {
                Some(_) => empty = 0,
                None if empty > STRETCH => break,
                None => empty += 1,
            }
        }
    }
}

/// The content of an object, which does not change while the mutator is shared.
#[inline(always)]
pub fn peek<'a, T>(cell: &'a ObjectCell<T>, _: &'a Mutator) -> &'a T {
    // SAFETY: 5: the mutator is borrowed for as long as what is given back, so nobody can borrow it
    // mutably meanwhile; nor does anybody own the whole cell, which is borrowed as well.
    unsafe { &*cell.as_ptr() }
}

/// The object that `find` comes to from the frames, to be changed.
#[inline(always)]
pub fn object_mut<'a>(
    frames: &'a Frames,
    mutator: &'a mut Mutator,
    find: impl for<'x> FnOnce(&'x Frames, &'x Mutator) -> Option<&'x Heap>,
) -> Option<ObjectMut<'a>> {
    let heap: *const Heap = find(frames, mutator)?;
    // SAFETY: `find` has only the frames and the content of objects to borrow from (or what lives for good),
    // so the object is at the end of a chain: a slot (or what lives for good) refers to its first object, the
    // content of each one to the next. While
    // the result lives no slot is written (4), as the frames are borrowed, and no object of the chain is
    // changed but the last one (5, 7), as the mutator is. A change of the last one breaks no link before
    // it, unless it is in the chain twice: then what comes before its first place still leads to it. So
    // all links that lead to it stay, and it lives (6).
    let heap = unsafe { &*heap };
    Some(ObjectMut::new(heap, mutator))
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::value::{Elems, ObjectPart, Type, Value, exchange_object};

    fn layout(size: u32, parameters: u32, references: &[u32]) -> Layout {
        let references = references.iter().map(|number| Slot::new(*number)).collect();
        Layout { size, variables: size, parameters, references }
    }

    fn object(values: impl IntoIterator<Item = Value>, elem: &Type) -> Ref {
        Value::array(elem, values).as_ref().expect("an object").clone()
    }

    const CALLEE: Slot = Slot::new(3);

    // invariant 4
    #[test]
    fn frames_keep_scalars_and_references_apart() {
        let (mut frames, lowest) = Frames::new(&layout(3, 0, &[1])).expect("room");
        let text = object([], &Type::Any);
        frames.set(lowest, Slot::new(0), 7);
        assert!(frames.replace_ref(lowest, Slot::new(1), Some(text.clone())).is_none());
        frames.set(lowest, Slot::new(2), u64::MAX);
        assert_eq!((frames.get(lowest, Slot::new(0)), frames.get(lowest, Slot::new(2))), (7, u64::MAX));
        assert!(frames.object(lowest, Slot::new(1)).is_some_and(|found| std::ptr::eq(found, &*text)));
        assert_eq!(Rc::strong_count(&text), 2);
        drop(frames);
        assert_eq!(Rc::strong_count(&text), 1, "what the lowest frame holds is released with the memory");
    }

    // invariant 4
    #[test]
    fn a_frame_that_is_left_holds_nothing() {
        let (mut frames, lowest) = Frames::new(&layout(10, 0, &[])).expect("room");
        let callee = layout(2, 1, &[0, 1]);
        let given = object([], &Type::Any);
        let arguments = frames.arguments(lowest, CALLEE, &callee);
        drop(frames.replace_ref(arguments, Slot::new(0), Some(given.clone())));
        let frame = frames.enter(lowest, CALLEE, &callee, 42, 7).expect("room");
        assert_eq!((frame, frames.site(frame), frames.caller(frame, CALLEE)), (arguments, 42, lowest));
        assert_eq!((frame.distance(lowest), lowest.distance(frame)), (3, 0));
        drop(frames.replace_ref(frame, Slot::new(1), Some(given.clone())));
        assert_eq!(Rc::strong_count(&given), 3);
        frames.leave(frame, &callee);
        assert_eq!(Rc::strong_count(&given), 1);
        let arguments = frames.arguments(lowest, CALLEE, &callee);
        drop(frames.replace_ref(arguments, Slot::new(0), Some(given.clone())));
        frames.abandon(arguments, &callee);
        assert_eq!(Rc::strong_count(&given), 1, "nor does one that was not entered");
    }

    #[test]
    fn frames_that_do_not_fit_are_refused() {
        assert_eq!(Frames::new(&layout(SLOTS as u32, 0, &[])).err(), Some(NoFrames::TooLarge));
        let (mut frames, lowest) = Frames::new(&layout(2, 0, &[])).expect("room");
        let large = layout(SLOTS as u32 - 10, 0, &[]);
        assert!(frames.enter(lowest, Slot::new(20), &large, 0, 0).is_none());
        assert!(frames.enter(lowest, Slot::new(u32::MAX), &layout(1, 0, &[]), 0, 0).is_none());
        assert!(Slot::new(u32::MAX).number() < SLOTS as u32);
        assert!(frames.caller(lowest, Slot::new(1000)).distance(lowest) == 0);
    }

    /// Debug builds find what would be a wrong value otherwise.
    #[cfg(debug_assertions)]
    mod checked {
        use super::*;

        #[test]
        #[should_panic(expected = "lies outside")]
        fn a_slot_of_another_frame() {
            let (frames, lowest) = Frames::new(&layout(2, 0, &[])).expect("room");
            frames.get(lowest, Slot::new(2));
        }

        #[test]
        #[should_panic(expected = "is Reference, not Scalar")]
        fn a_slot_of_another_kind() {
            let (mut frames, lowest) = Frames::new(&layout(2, 0, &[1])).expect("room");
            frames.set(lowest, Slot::new(1), 0);
        }

        #[test]
        #[should_panic(expected = "lies outside")]
        fn a_frame_that_was_left() {
            let (mut frames, lowest) = Frames::new(&layout(9, 0, &[])).expect("room");
            let callee = layout(1, 0, &[]);
            let frame = frames.enter(lowest, CALLEE, &callee, 0, 0).expect("room");
            frames.leave(frame, &callee);
            frames.get(frame, Slot::new(0));
        }
    }

    #[test]
    fn an_object_at_the_end_of_a_chain_is_changed_in_place() {
        let (mut frames, lowest) = Frames::new(&layout(1, 0, &[0])).expect("room");
        let mut mutator = Mutator::new().expect("the only one");
        let inner = object([Value::Int(1)], &Type::INT);
        let outer = object([Value::Ref(inner.clone())], &Type::array(Type::INT));
        drop(frames.replace_ref(lowest, Slot::new(0), Some(outer)));
        let first = |heap: &Heap| match heap {
            Heap::Array(array) => array.borrow().data.get(0),
            _ => None,
        };
        let changed = object_mut(&frames, &mut mutator, |frames, mutator| {
            let Heap::Array(outer) = frames.object(lowest, Slot::new(0))? else { return None };
            match &peek(outer, mutator).data {
                Elems::Values(all) => match all.first()? {
                    Value::Ref(inner) => Some(&**inner),
                    _ => None,
                },
                _ => None,
            }
        });
        assert!(changed.expect("found").set_element(0, 5_i64).is_some());
        assert!(matches!(first(&inner), Some(Value::Int(5))));
        let found = object_mut(&frames, &mut mutator, |_, _| None);
        assert!(found.is_none());
    }

    #[test]
    fn an_object_that_contains_itself_can_let_go_of_itself() {
        let (mut frames, lowest) = Frames::new(&layout(1, 0, &[0])).expect("room");
        let mut mutator = Mutator::new().expect("the only one");
        let array = object([], &Type::array(Type::Any));
        ObjectMut::new(&array, &mut mutator).push(&Value::Ref(array.clone()));
        if let Heap::Array(cell) = &*array {
            let mut change = cell.change(&mut mutator, crate::value::Part::All).expect("may change");
            change.data.push(Value::Ref(array.clone()));
        }
        drop(frames.replace_ref(lowest, Slot::new(0), Some(array.clone())));
        let text = Value::str("x").as_ref().expect("an object").clone();
        let find = |frames: &Frames, _: &Mutator| frames.object(lowest, Slot::new(0)).map(std::ptr::from_ref);
        assert!(find(&frames, &mutator).is_some());
        let holder = object_mut(&frames, &mut mutator, |frames, mutator| {
            let Heap::Array(cell) = frames.object(lowest, Slot::new(0))? else { return None };
            match &peek(cell, mutator).data {
                Elems::Values(all) => all.first()?.as_ref().map(|found| &**found),
                _ => None,
            }
        });
        // Its element type does not allow the text: nothing is stored, and it is still there.
        let mut new = Some(text.clone());
        let replaced = holder
            .expect("found")
            .change_part(ObjectPart::Element(0), |place, _| exchange_object(place, &mut new));
        assert!(replaced.is_none());
        drop(new);
        if let Heap::Array(cell) = &*array {
            let mut change = cell.change(&mut mutator, crate::value::Part::All).expect("may change");
            let old = std::mem::replace(&mut change.data, Elems::Values(Vec::new()));
            drop(change);
            drop(old);
        }
        assert_eq!(Rc::strong_count(&array), 2);
    }
}
