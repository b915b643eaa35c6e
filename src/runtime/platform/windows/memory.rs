//! Memory of the process and the computer; stacks.

use std::io;
use std::panic::resume_unwind;
use std::thread;

use crate::platform::{MemoryUsage, ProcessMemory};

use super::system;

pub fn memory_usage() -> Option<MemoryUsage> {
    let found = memory_stats::memory_stats()?;
    Some(MemoryUsage { total: 0, resident: found.physical_mem as u64, data: found.virtual_mem as u64 })
}

pub fn address_space_limit() -> Option<u64> {
    None
}

pub fn machine_memory() -> Option<u64> {
    system::machine_memory()
}

/// Uses a new thread, whose stack is reserved but only allocated as it is used.
pub fn with_stack<T: Send>(size: usize, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(size).spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

pub fn remaining_stack() -> Option<usize> {
    let local = 0u8;
    std::ptr::from_ref(&local).addr().checked_sub(system::stack_limit())
}

pub fn own_process_memory() -> Option<ProcessMemory> {
    None
}

pub fn page_faults() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_has_more_memory_than_this_process() {
        let usage = memory_usage().expect("usage");
        let machine = machine_memory().expect("a size");
        assert!(usage.resident > 100_000 && machine > usage.resident, "{usage:?} of {machine}");
    }

    #[test]
    fn deep_stacks() {
        fn deep(n: u64) -> u64 {
            let local = std::hint::black_box([n; 128]);
            if n == 0 { 0 } else { deep(n - 1) + local[0] - local[127] + 1 }
        }
        assert_eq!(with_stack(512 << 20, || deep(100_000)).expect("a thread"), 100_000);
    }
}
