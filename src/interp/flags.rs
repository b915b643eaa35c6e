//! The bits of a statement's flag: why it asks before it runs.

/// Bit of a statement's flag: somebody wants attention (requests wait, or a step is under way).
pub(crate) const INTERRUPT: u8 = 1;
/// Bit of a statement's flag: it has a breakpoint.
pub(crate) const BREAKPOINT: u8 = 2;
/// Bit of a statement's flag: it has one breakpoint, whose condition is tested first.
pub(crate) const CONDITION: u8 = 8;
/// Bit of a statement's flag: a step is under way.
pub(crate) const STEP: u8 = 4;
