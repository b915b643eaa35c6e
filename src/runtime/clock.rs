//! Time, whose functions in the standard library panic where the system has no clock that it knows: in a page.

#[cfg(not(target_family = "wasm"))]
mod system {
    pub use std::time::Instant;
    use std::time::SystemTime;

    pub fn now() -> SystemTime {
        SystemTime::now()
    }
}

#[cfg(target_family = "wasm")]
use crate::page::clock as system;

pub use system::Instant;

/// The time of day.
pub fn now() -> std::time::SystemTime {
    system::now()
}
