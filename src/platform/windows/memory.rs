//! Memory of the process and the machine, stacks.

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

/// Of a thread of its own: its memory is only reserved until it is used, that of a stack made by hand would
/// be taken at once.
pub fn with_stack<T: Send>(size: usize, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(size).spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

pub fn own_process_memory() -> Option<ProcessMemory> {
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
