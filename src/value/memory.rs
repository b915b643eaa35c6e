//! How much memory a program may take.
//!
//! Memory is measured rather than counted: what the system says this process holds is what it will be
//! ended for. Measuring takes a microsecond, so each thread has a credit of bytes that may be allocated
//! until the next measurement. What allocates small objects lowers it ([`charge`]), and the interpreter
//! measures again where the credit is used up ([`is_low`], [`check`]): on calls and on the back edges of
//! loops. What allocates much at once asks first ([`has_room`]); containers that cannot grow stay as they
//! are and make the next check fail ([`deny`]), so that changing one needs no result for it.
//!
//! Limits are kept by thread, as the values of a program are.

use std::cell::Cell;
use std::sync::OnceLock;

use crate::platform::{MemoryUsage, address_space_limit, machine_memory, memory_usage};

/// Bytes from which on an allocation is tried out before it is made.
const PROBED: u64 = 1 << 20;

/// Bytes from which on the growth of a container is asked for.
const MUCH: usize = 64 << 10;

/// Most and fewest bytes between two measurements.
const CREDIT: std::ops::RangeInclusive<i64> = (64 << 10)..=(64 << 20);

/// Room that is always left: for what is allocated between the place that uses memory up and the next one
/// that notices, and for the report of the error.
const RESERVE: u64 = 1 << 20;

/// Writable memory that is not the program's: stacks of helping threads, which the system keeps for the
/// next ones.
const STACKS: u64 = 64 << 20;

thread_local! {
    /// Bytes that may be allocated until memory is measured again.
    static LEFT: Cell<i64> = const { Cell::new(0) };
    /// Limit in bytes; 0 means the default.
    static LIMIT: Cell<u64> = const { Cell::new(0) };
    /// Whether something could not be allocated since the last check.
    static DENIED: Cell<bool> = const { Cell::new(false) };
}

/// Sets how many bytes the process may hold while the program of this thread runs; `None` stands for
/// [`default_memory_limit`].
pub fn set_memory_limit(bytes: Option<u64>) {
    LIMIT.set(bytes.map_or(0, |bytes| bytes.max(1)));
    LEFT.set(0);
    // What is reserved for this thread's stack is not memory of the program.
    system();
}

/// Lets the process hold more bytes than this thread's limit says, though not more than
/// [`default_memory_limit`].
pub(crate) fn raise_memory_limit(bytes: u64) {
    let most = default_memory_limit().max(limit());
    set_memory_limit(Some(limit().saturating_add(bytes).min(most)));
}

/// How many bytes this process holds, as far as they count against limits.
pub(crate) fn held_memory() -> u64 {
    memory_usage().map_or(0, |now| counted(system(), &now))
}

/// What is said of a text that is no size.
pub const EXPECTED_SIZE: &str = "expected a size such as 512M or 2G";

/// A number of bytes, at least 1: `4096`, `512M`, `2G`, `2GiB`; units are powers of 1024.
///
/// # Errors
/// [`EXPECTED_SIZE`], if the text is none, or too large a one.
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

/// The limit of programs that set none: three quarters of what the machine or the container has.
pub fn default_memory_limit() -> u64 {
    system().memory / 4 * 3
}

/// The limit of this thread's program, in bytes.
pub(crate) fn limit() -> u64 {
    match LIMIT.get() {
        0 => default_memory_limit(),
        limit => limit,
    }
}

/// Takes note of bytes that were allocated.
#[inline]
pub(crate) fn charge(bytes: usize) {
    LEFT.set(LEFT.get().saturating_sub(bytes as i64));
}

/// Whether memory has to be measured ([`check`]) before the program goes on.
#[inline]
pub(crate) fn is_low() -> bool {
    LEFT.get() < 0
}

/// Measures memory; `false` if the program has reached its limit.
#[cold]
#[inline(never)]
pub(crate) fn check() -> bool {
    let free = headroom();
    LEFT.set((free / 4).clamp(*CREDIT.start(), *CREDIT.end()));
    !DENIED.replace(false) && free > 0
}

/// Something was not allocated, and left out, for want of memory: the next [`check`] fails.
#[cold]
pub(crate) fn deny() {
    DENIED.set(true);
    LEFT.set(-1);
}

/// Whether something was left out for want of memory, which nobody has noticed so far; they have now.
pub(crate) fn was_denied() -> bool {
    DENIED.replace(false)
}

/// Makes room for one more element in a vector that is full; `false`, after [`deny`], if there is none.
#[inline]
pub(crate) fn grow<T>(vector: &mut Vec<T>) -> bool {
    vector.len() < vector.capacity() || grow_full(vector)
}

#[cold]
#[inline(never)]
fn grow_full<T>(vector: &mut Vec<T>) -> bool {
    let more = vector.capacity().max(4);
    let bytes = more * size_of::<T>();
    if bytes < MUCH {
        charge(bytes);
        return true;
    }
    let grown = has_room(bytes as u64) && vector.try_reserve(more).is_ok();
    if !grown {
        deny();
    }
    grown
}

/// Makes room for `more` bytes in a text; `false`, after [`deny`], if there is none.
#[inline]
pub(crate) fn grow_text(text: &mut String, more: usize) -> bool {
    let free = text.capacity() - text.len();
    if more <= free {
        return true;
    }
    let bytes = more.max(text.capacity());
    if bytes < MUCH {
        charge(bytes);
        return true;
    }
    let grown = has_room(bytes as u64) && text.try_reserve(more).is_ok();
    if !grown {
        deny();
    }
    grown
}

/// Whether so many bytes more can be allocated; if so they count as allocated.
pub(crate) fn has_room(bytes: u64) -> bool {
    let Ok(wanted) = i64::try_from(bytes) else { return false };
    let left = LEFT.get().saturating_sub(wanted);
    if left < 0 {
        let free = headroom().saturating_sub(wanted);
        if free < 0 {
            return false;
        }
        LEFT.set((free / 4).clamp(*CREDIT.start(), *CREDIT.end()));
    } else {
        LEFT.set(left);
    }
    bytes < PROBED || can_allocate(bytes)
}

/// Whether the system gives so many bytes in one piece now. Where an allocation fails that was not tried
/// out, the process ends.
pub(crate) fn can_allocate(bytes: u64) -> bool {
    let mut probe: Vec<u8> = Vec::new();
    let held = usize::try_from(bytes).is_ok_and(|bytes| probe.try_reserve_exact(bytes).is_ok());
    // The compiler may not conclude that the memory is not needed at all.
    std::hint::black_box(&probe);
    held
}

/// Bytes that may still be allocated; negative beyond the limit.
fn headroom() -> i64 {
    let system = system();
    let Some(now) = memory_usage() else { return i64::MAX };
    let mut free = limit() as i64 - counted(system, &now) as i64;
    if let Some(space) = system.address_space {
        // The kernel refuses what does not fit; a part is kept for other threads.
        let kept = space.saturating_sub(system.start.total) / 4;
        free = free.min(space as i64 - kept as i64 - now.total as i64);
    }
    free - RESERVE as i64
}

/// Bytes that count against the limit. Memory that was given to the program counts even before it is touched.
fn counted(system: &System, now: &MemoryUsage) -> u64 {
    let given = now.data.saturating_sub(system.start.data).saturating_sub(STACKS);
    now.resident.max(system.start.resident + given)
}

/// What the system says about this process and the machine.
struct System {
    /// Bytes of memory that the machine or the container has.
    memory: u64,
    /// Bytes of address space that the process may have (`ulimit -v`).
    address_space: Option<u64>,
    /// What the process held before the first program.
    start: MemoryUsage,
}

fn system() -> &'static System {
    static SYSTEM: OnceLock<System> = OnceLock::new();
    SYSTEM.get_or_init(|| System {
        memory: machine_memory(),
        address_space: address_space_limit(),
        start: memory_usage().unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_limit_has_no_room() {
        std::thread::spawn(|| {
            let used = memory_usage().expect("usage").resident;
            set_memory_limit(Some(used + (64 << 20)));
            assert!(has_room(16 << 20));
            assert!(!has_room(256 << 20));
            set_memory_limit(Some(1));
            charge(1);
            assert!(is_low());
            assert!(!check());
            set_memory_limit(None);
            charge(1);
            assert!(check() && !is_low());
        })
        .join()
        .expect("joins");
    }
}
