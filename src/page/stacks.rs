//! Deep recursion: the browser's stack ends early, and then the instance.

use super::imports;

/// Levels of nodes in progress on one stack: a browser gives it about 1 MB, and does not tell what is left.
const LEVELS: u32 = 1500;

/// Levels between two looks at what is left, where there is one stack only.
const LEVELS_BETWEEN: u32 = 150;

/// Whether there is one stack only, which may be a small one: workers have half of what pages have in some browsers.
pub fn has_small_stack() -> bool {
    !imports::has_stacks()
}

/// How many levels may be in progress until [`on_new_stack`] has to be called.
pub fn levels_on_stack() -> u32 {
    if imports::has_stacks() { LEVELS } else { LEVELS_BETWEEN }
}

/// Does `work` on another stack, or on the present one if there is only one, which needs this number of bytes for it.
/// Returns whether there was room.
pub fn on_new_stack(bytes: u32, work: &mut dyn FnMut()) -> bool {
    imports::grow(bytes, work)
}
