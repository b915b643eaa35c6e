//! Deep recursion: the browser's stack ends early, and then the instance.

use std::cell::Cell;

use super::imports;

/// Levels of nodes in progress on one stack: a browser gives it about 1 MB, and does not tell what is left.
const LEVELS: u32 = 1500;

/// Levels between two looks at what is left, where there is one stack only.
const LEVELS_BETWEEN: u32 = 150;

/// Levels of [`deeper_or`] on one stack, of which calls of EZ take a part.
const DEEPER_LEVELS: u32 = 1000;

/// What such a level takes, in bytes. Some take twice as much, for which there is what the worker spares.
const DEEPER_LEVEL: u32 = 400;

/// Whether there is one stack only, which may be a small one: workers have half of what pages have in some browsers.
pub fn has_small_stack() -> bool {
    !imports::has_stacks()
}

/// How many levels may be in progress until [`on_new_stack`] has to be called.
pub fn levels_on_stack() -> u32 {
    if imports::has_stacks() { LEVELS } else { LEVELS_BETWEEN }
}

/// Does `work` on another stack, or on the present one if there is only one, which needs this number of bytes for it.
/// Returns `false`, and has done nothing, if there is no room.
pub fn on_new_stack(bytes: u32, work: &mut dyn FnMut()) -> bool {
    imports::grow(bytes, work)
}

thread_local! {
    /// Levels of [`deeper_or`] in progress on the present stack, or since the last look at it.
    static PRESENT: Cell<u32> = const { Cell::new(0) };
}

/// Does `work`, a level of a recursion whose depth comes from data; `without_room` in its place, if there is no room.
pub fn deeper_or<T>(work: impl FnOnce() -> T, without_room: impl FnOnce() -> T) -> T {
    let before = PRESENT.get();
    let mut made = None;
    if before < DEEPER_LEVELS && (before < LEVELS_BETWEEN || imports::has_stacks()) {
        PRESENT.set(before + 1);
        made = Some(work());
    } else {
        PRESENT.set(0);
        let mut work = Some(work);
        let bytes = LEVELS_BETWEEN * DEEPER_LEVEL;
        on_new_stack(bytes, &mut || made = work.take().map(|work| work()));
    }
    PRESENT.set(before);
    made.unwrap_or_else(without_room)
}
