//! What a page offers to the engine, which is the only code that runs in an instance of WebAssembly.
//!
//! The worker in which it runs (`web/worker.js`) has the other ends of the [`imports`]. `read` and `grow` suspend the
//! engine: the worker goes on, receives messages of the page, and resumes it later (JavaScript Promise Integration).
//! Where a browser lacks that, `read` returns when the worker has asked the page, and there is one stack.

mod allocator;
pub mod clock;
pub mod imports;
pub mod stacks;
pub mod turns;

pub use allocator::held;
