//! Memory limits of programs.
//!
//! Memory is measured, not counted: the limit applies to what the system reports for this process. A
//! measurement takes a microsecond, so each thread has a credit of bytes to allocate before the next one.
//! Allocations of small objects reduce the credit ([`charge`]); when it is used up ([`Gauge::is_low`]) the
//! interpreter measures again ([`check`]), on calls and on the back edges of loops; code without statement
//! flags looks for interrupts there, too. Large allocations ask first ([`has_room`]). A container that cannot
//! grow stays unchanged and makes the next check fail ([`deny`]), so that changing a container needs no result
//! for that.
//!
//! Limits are per thread, like the values of a program.

use std::cell::Cell;
use std::hash::Hash;
use std::sync::OnceLock;

use foldhash::HashSet;

use crate::platform::{MemoryUsage, address_space_limit, machine_memory, memory_usage};
use crate::sync::ALONE;
use crate::threads::stacks;

use super::gauge::show_used_up;
pub use super::gauge::{Gauge, attention, is_attention_wanted, pass_rounds, take_turn_if_due};

/// Minimum size in bytes of an allocation that is tried before it is made.
const PROBED: u64 = 1 << 20;

/// Minimum growth in bytes of a container that is asked for first.
const MUCH: usize = 64 << 10;

/// Bytes of a larger allocation that take about as long as a round of a loop.
const ROUND: usize = 1 << 10;

/// Minimum and maximum number of bytes between two measurements.
const CREDIT: std::ops::RangeInclusive<i64> = (64 << 10)..=(64 << 20);

/// Maximum number of bytes between two measurements where the address space is limited. Any thread of the process may
/// take much of it meanwhile (the C library reserves 64 MiB at the first allocation of a thread), and an allocation
/// that fails ends the process.
const CREDIT_OF_ADDRESS_SPACE: i64 = 1 << 20;

/// Memory that is always kept free: for allocations before a check notices that the limit is reached, and for
/// reporting the error.
const RESERVE: u64 = 1 << 20;

/// Number of bytes that a program without a limit of its own may use before it is found out how much memory the
/// computer or container has: for small programs, that would take longer than running them.
const UNASKED: u64 = 8 << 20;

/// Writable memory that does not belong to the program: stacks of helper threads, which the system keeps for
/// reuse. (Those as large as a program's are counted by `threads::stacks`.)
const STACKS: u64 = 64 << 20;

thread_local! {
    /// Bytes that may be allocated before the next measurement. Changed by [`set_left`] and [`charge`] only.
    static LEFT: Cell<i64> = const { Cell::new(0) };
    /// The limit in bytes; 0 stands for the default.
    static LIMIT: Cell<u64> = const { Cell::new(0) };
    /// Whether an allocation was refused since the last check.
    static DENIED: Cell<bool> = const { Cell::new(false) };
}

/// Sets the limit in bytes for the program of this thread, as total memory of the process; `None` stands for
/// [`default_memory_limit`].
pub fn set_memory_limit(bytes: Option<u64>) {
    // More than any computer has, and less than what sums of it would take to overflow.
    LIMIT.set(bytes.map_or(0, |bytes| bytes.clamp(1, 1 << 60)));
    set_left(0);
    // Measures now, so that the stack reserved for this thread does not count as memory of the program.
    system();
}

/// Raises the limit of this thread by this many bytes, but not above [`default_memory_limit`].
pub fn raise_memory_limit(bytes: u64) {
    let most = default_memory_limit().max(limit());
    set_memory_limit(Some(limit().saturating_add(bytes).min(most)));
}

/// Does something for which this thread may take this many bytes more than it has, if its limit allows that.
pub fn within_memory<T>(bytes: u64, work: impl FnOnce() -> T) -> T {
    let before = LIMIT.get();
    set_memory_limit(Some(held_memory().saturating_add(bytes).min(limit())));
    let done = work();
    set_memory_limit(Some(before).filter(|limit| *limit > 0));
    done
}

/// Memory of this process in bytes, as it counts towards the limit.
pub fn held_memory() -> u64 {
    memory_usage().map_or(0, |now| counted(system(), &now))
}

/// The error for a text that is not a size.
pub const EXPECTED_SIZE: &str = "expected a size such as 512M or 2G";

/// Parses a number of bytes, at least 1: `4096`, `512M`, `2G`, `2GiB`; units are powers of 1024.
///
/// # Errors
/// [`EXPECTED_SIZE`], if the text is not a size, or too large.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || EXPECTED_SIZE.to_string();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(digits).ok_or_else(wrong)?;
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err(wrong()),
    };
    let size = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    size.filter(|size| *size > 0).ok_or_else(wrong)
}

/// A size in bytes in the largest unit, up to MiB, of which it is at least one; fractions are cut off.
pub fn size_text(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".into(),
        0..0x400 => format!("{bytes} bytes"),
        0x400..0x10_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// The default limit in bytes: three quarters of the memory of the computer or container.
pub fn default_memory_limit() -> u64 {
    machine().get_or_init(machine_memory) / 4 * 3
}

/// Memory of the computer or container in bytes, once that was asked for.
fn machine() -> &'static OnceLock<u64> {
    static MACHINE: OnceLock<u64> = OnceLock::new();
    &MACHINE
}

/// The limit of this thread's program in bytes.
pub fn limit() -> u64 {
    match LIMIT.get() {
        0 => default_memory_limit(),
        limit => limit,
    }
}

/// Counts bytes that were allocated.
#[inline]
pub fn charge(bytes: usize) {
    if ALONE && bytes > ROUND {
        pass_rounds((bytes / ROUND) as u64);
    }
    LEFT.with(|left| {
        let before = left.get();
        left.set(before.saturating_sub(bytes as i64));
        if before >= 0 && left.get() < 0 {
            show_used_up(true);
        }
    });
}

fn set_left(bytes: i64) {
    LEFT.set(bytes);
    show_used_up(bytes < 0);
}

/// Measures memory if the credit is used up; returns `false` if the program has reached its limit.
#[inline(never)]
pub fn check() -> bool {
    if LEFT.get() >= 0 {
        return true;
    }
    let free = headroom(0);
    set_left(credit(free));
    !DENIED.replace(false) && free > 0
}

/// Records that something was left out because there was no memory: the next [`check`] fails.
#[cold]
pub fn deny() {
    DENIED.set(true);
    set_left(-1);
}

/// Returns whether [`deny`] was called since the last check, and resets that.
pub fn was_denied() -> bool {
    DENIED.replace(false)
}

/// Makes sure that a vector can hold one more element; returns `false`, after [`deny`], if there is no
/// memory.
#[inline]
pub fn grow<T>(vector: &mut Vec<T>) -> bool {
    vector.len() < vector.capacity() || grow_full(vector)
}

#[cold]
#[inline(never)]
fn grow_full<T>(vector: &mut Vec<T>) -> bool {
    let more = vector.capacity().max(4);
    grow_by(more * size_of::<T>(), || vector.try_reserve(more).is_ok())
}

/// Charges for this many bytes. If they are many, they are allocated by `reserve`; returns `false`, after [`deny`],
/// if there is no memory.
fn grow_by(bytes: usize, reserve: impl FnOnce() -> bool) -> bool {
    if bytes < MUCH {
        charge(bytes);
        return true;
    }
    let grown = has_room(bytes as u64) && reserve();
    if !grown {
        deny();
    }
    grown
}

/// Makes sure that one element can be added to the set; returns `false`, after [`deny`], if there is no memory.
pub fn grow_set<T: Eq + Hash>(set: &mut HashSet<T>) -> bool {
    if set.len() < set.capacity() {
        return true;
    }
    // Twice as many places, at most 7/8 of them used, each with a byte of its hash.
    let more = set.capacity().max(4);
    let bytes = (more * 2).saturating_mul(8) / 7 * (size_of::<T>() + 1);
    grow_by(bytes, || set.try_reserve(more).is_ok())
}

/// Makes sure that a text can grow by `more` bytes; returns `false`, after [`deny`], if there is no memory.
#[inline]
pub fn grow_text(text: &mut String, more: usize) -> bool {
    let free = text.capacity() - text.len();
    if more <= free {
        return true;
    }
    let bytes = more.max(text.capacity());
    grow_by(bytes, || text.try_reserve(more).is_ok())
}

/// Whether this many more bytes can be allocated. If so, they count as allocated.
pub fn has_room(bytes: u64) -> bool {
    let Ok(wanted) = i64::try_from(bytes) else { return false };
    let left = LEFT.get().saturating_sub(wanted);
    if left < 0 {
        let free = headroom(bytes).saturating_sub(wanted);
        if free < 0 {
            return false;
        }
        set_left(credit(free));
    } else {
        set_left(left);
    }
    bytes < PROBED || can_allocate(bytes)
}

/// Whether the system can allocate this many bytes in one piece. (A failing allocation would abort the
/// process.)
pub fn can_allocate(bytes: u64) -> bool {
    let mut probe: Vec<u8> = Vec::new();
    let held = usize::try_from(bytes).is_ok_and(|bytes| probe.try_reserve_exact(bytes).is_ok());
    // Keeps the compiler from removing the allocation.
    std::hint::black_box(&probe);
    held
}

/// Bytes that may be allocated before the next measurement, where this many are free.
fn credit(free: i64) -> i64 {
    let most = if system().address_space.is_some() { CREDIT_OF_ADDRESS_SPACE } else { *CREDIT.end() };
    (free / 4).clamp(*CREDIT.start(), most)
}

/// Bytes that may still be allocated, where this many are wanted; negative above the limit.
fn headroom(wanted: u64) -> i64 {
    let system = system();
    let Some(now) = memory_usage() else { return i64::MAX };
    let used = counted(system, &now);
    let unasked = (system.start.resident + UNASKED).saturating_sub(used);
    let is_unknown = LIMIT.get() == 0 && machine().get().is_none();
    let is_enough = unasked > wanted.saturating_add(RESERVE);
    let most = if is_unknown && is_enough { used + unasked } else { limit() };
    let mut free = most as i64 - used as i64;
    if let Some(space) = system.address_space {
        // Allocations beyond the address space fail; part of it is kept for other threads.
        let kept = space.saturating_sub(system.start.total) / 4;
        free = free.min(space as i64 - kept as i64 - now.total as i64);
    }
    free - RESERVE as i64
}

/// Bytes that count towards the limit. Allocated memory counts before it is touched.
fn counted(system: &System, now: &MemoryUsage) -> u64 {
    let stacks = STACKS + stacks().saturating_sub(system.stacks);
    let given = now.data.saturating_sub(system.start.data).saturating_sub(stacks);
    now.resident.max(system.start.resident + given)
}

/// What the system reports about this process and the computer.
struct System {
    /// The limit of the process's address space in bytes (`ulimit -v`).
    address_space: Option<u64>,
    /// Memory of the process before the first program.
    start: MemoryUsage,
    /// The part of it that is large stacks.
    stacks: u64,
}

fn system() -> &'static System {
    static SYSTEM: OnceLock<System> = OnceLock::new();
    SYSTEM.get_or_init(|| System {
        address_space: address_space_limit(),
        start: memory_usage().unwrap_or_default(),
        stacks: stacks(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let texts = [0, 1, 1023, 1024, (1 << 20) - 1, 1 << 20, (1 << 30) + 5, u64::MAX].map(size_text);
        let expected = [
            "0 bytes",
            "1 byte",
            "1023 bytes",
            "1 KiB",
            "1023 KiB",
            "1 MiB",
            "1024 MiB",
            "17592186044415 MiB",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn without_a_limit_there_is_room_for_more_than_a_small_program_needs() {
        std::thread::spawn(|| {
            set_memory_limit(None);
            assert!(has_room(UNASKED * 4));
            assert!(has_room(1) && has_room(UNASKED));
            assert!(!has_room(u64::MAX >> 2));
        })
        .join()
        .expect("joins");
    }

    #[test]
    fn what_is_beyond_the_limit_has_no_room() {
        std::thread::spawn(|| {
            // Much more than other tests of this process, which run meanwhile, may take or give back.
            set_memory_limit(Some(held_memory() + (16 << 30)));
            assert!(has_room(16 << 20));
            assert!(!has_room(64 << 30));
            set_memory_limit(Some(1));
            charge(1);
            let gauge = Gauge::of_thread();
            assert!(gauge.is_low());
            assert!(!check());
            set_memory_limit(None);
            charge(1);
            assert!(gauge.is_low());
            // Other tests may want attention meanwhile.
            assert!(check() && !gauge.is_used_up());
        })
        .join()
        .expect("joins");
    }
}
