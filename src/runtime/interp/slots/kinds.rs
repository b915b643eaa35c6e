//! Tracks what each slot is used for; debug builds check every access.

use super::{Fp, Layout, SLOTS, Slot};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// In no frame, or not a variable of the frame's function.
    #[default]
    Free,
    Scalar,
    Reference,
}

/// A frame that has not ended.
struct Begun {
    frame: Fp,
    entered: bool,
    /// The previous kinds of its slots: arguments evaluated later may overlap them.
    before: Vec<Kind>,
}

/// The kinds of all slots.
pub struct SlotKinds {
    /// The address of the memory.
    address: usize,
    /// Up to the last slot of all frames so far.
    kinds: Vec<Kind>,
    /// Sizes of the frames, by their position.
    sizes: Vec<u32>,
    begun: Vec<Begun>,
}

impl SlotKinds {
    /// For a block of memory that starts at this address; `None` if there is no memory.
    pub fn new(address: usize) -> Option<SlotKinds> {
        // What is used is zeroed by the system; nothing else can be both that and refused.
        Vec::<u32>::new().try_reserve_exact(SLOTS + 1).ok()?;
        Some(SlotKinds { address, kinds: Vec::new(), sizes: vec![0; SLOTS + 1], begun: Vec::new() })
    }

    /// The position of a slot.
    fn position(&self, frame: Fp, slot: Slot) -> usize {
        frame.key(slot).saturating_sub(self.address) / size_of::<u64>()
    }

    /// The position of a frame's first slot.
    fn start(&self, frame: Fp) -> usize {
        self.position(frame, Slot::new(0))
    }

    /// A frame is created for the arguments of a call.
    pub fn begin(&mut self, frame: Fp, layout: &Layout) {
        let start = self.start(frame);
        let end = (start + layout.size as usize).min(2 * SLOTS);
        if self.kinds.len() < end {
            self.kinds.resize(end, Kind::Free);
        }
        let slots = self.kinds.get_mut(start..end).unwrap_or_default();
        self.begun.push(Begun { frame, entered: false, before: slots.to_vec() });
        slots.fill(Kind::Free);
        if let Some(size) = self.sizes.get_mut(start) {
            *size = layout.size;
        }
        self.mark(frame, layout, 0..layout.parameters);
    }

    /// A function begins in a frame.
    pub fn enter(&mut self, frame: Fp, layout: &Layout) {
        if !self.begun.last().is_some_and(|last| last.frame == frame && !last.entered) {
            self.begin(frame, layout);
        }
        if let Some(last) = self.begun.last_mut() {
            last.entered = true;
        }
        self.mark(frame, layout, layout.parameters..layout.variables);
    }

    /// A frame is no longer used.
    pub fn end(&mut self, frame: Fp) {
        let last = self.begun.pop();
        let Some(last) = last.filter(|last| last.frame == frame) else {
            unreachable!("frames end in the reverse order of their beginning");
        };
        let start = self.start(frame);
        let slots = self.kinds.get_mut(start..).unwrap_or_default();
        slots.iter_mut().zip(last.before).for_each(|(slot, before)| *slot = before);
        if let Some(size) = self.sizes.get_mut(start) {
            *size = 0;
        }
    }

    fn mark(&mut self, frame: Fp, layout: &Layout, slots: std::ops::Range<u32>) {
        for number in slots {
            let slot = Slot::new(number);
            let is_reference = layout.references.binary_search(&slot).is_ok();
            let position = self.position(frame, slot);
            if let Some(kind) = self.kinds.get_mut(position) {
                *kind = if is_reference { Kind::Reference } else { Kind::Scalar };
            }
        }
    }

    pub fn expect_scalar(&self, frame: Fp, slot: Slot) {
        self.expect(frame, slot, Kind::Scalar);
    }

    pub fn expect_reference(&self, frame: Fp, slot: Slot) {
        self.expect(frame, slot, Kind::Reference);
    }

    fn expect(&self, frame: Fp, slot: Slot, kind: Kind) {
        let size = self.sizes.get(self.start(frame)).copied().unwrap_or(0);
        assert!(slot.number() < size, "{slot:?} lies outside of {frame:?}, which has {size} slots");
        let found = self.kinds.get(self.position(frame, slot)).copied().unwrap_or_default();
        assert!(found == kind, "{slot:?} of {frame:?} is {found:?}, not {kind:?}");
    }
}
