//! Memory of the instance, and its stack.

use std::io;

use crate::page;
use crate::platform::{MemoryUsage, ProcessMemory};

/// The memory that there is for a program without a limit: together with the page's own and with an instance of the past,
/// browsers on small devices give it. (Programs may use three quarters of it.)
const MACHINE: u64 = 680 << 20;

pub fn memory_usage() -> Option<MemoryUsage> {
    let held = page::held();
    Some(MemoryUsage { total: held, resident: held, data: 0 })
}

pub fn address_space_limit() -> Option<u64> {
    None
}

pub fn machine_memory() -> Option<u64> {
    Some(MACHINE)
}

pub fn with_stack<T: Send>(_: usize, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    Ok(work())
}

/// The part of the stack that is in the instance's memory: from its beginning on. Return addresses are elsewhere.
pub fn remaining_stack() -> Option<usize> {
    let local = 0u8;
    Some(std::hint::black_box(&raw const local).addr())
}

pub fn own_process_memory() -> Option<ProcessMemory> {
    None
}

pub fn page_faults() -> Option<u64> {
    None
}
