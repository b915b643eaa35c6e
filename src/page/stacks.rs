//! Deep recursion: the browser's stack ends early, and then the instance.

use super::imports;

/// Does `work` on another stack.
pub fn on_new_stack(work: &mut dyn FnMut()) {
    imports::grow(work);
}
