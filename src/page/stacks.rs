//! Deep recursion: the browser's stack ends early, and then the instance.

use std::cell::Cell;
use std::process;

use super::imports;

/// Levels of recursion on one stack of about 1 MB, of which calls of EZ take a part. A level takes less than 400 bytes.
const LEVELS: u32 = 1000;

thread_local! {
    /// Levels in progress on the present stack.
    static PRESENT: Cell<u32> = const { Cell::new(0) };
}

/// Does `work` on another stack. Returns `false`, and has done nothing, if the browser gives no further one.
pub fn on_new_stack(work: &mut dyn FnMut()) -> bool {
    imports::grow(work)
}

/// Does `work`, a level of a recursion whose depth comes from data.
pub fn deeper<T>(work: impl FnOnce() -> T) -> T {
    let before = PRESENT.get();
    let mut made = None;
    if before < LEVELS {
        PRESENT.set(before + 1);
        made = Some(work());
    } else {
        PRESENT.set(0);
        let mut work = Some(work);
        on_new_stack(&mut || made = work.take().map(|work| work()));
    }
    PRESENT.set(before);
    made.unwrap_or_else(|| {
        imports::log("there are no more stacks for so deep a recursion");
        process::abort()
    })
}
