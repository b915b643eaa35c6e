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
    let Some(now) = Usage::now() else { return i64::MAX };
    // Memory that was given to the program counts even before it is touched.
    let given = now.data.saturating_sub(system.start.data).saturating_sub(STACKS);
    let used = now.resident.max(system.start.resident + given);
    let mut free = limit() as i64 - used as i64;
    if let Some(space) = system.address_space {
        // The kernel refuses what does not fit; a part is kept for other threads.
        let kept = space.saturating_sub(system.start.total) / 4;
        free = free.min(space as i64 - kept as i64 - now.total as i64);
    }
    free - RESERVE as i64
}

/// What the system says about this process and the machine.
struct System {
    /// Bytes of memory that the machine or the container has.
    memory: u64,
    /// Bytes of address space that the process may have (`ulimit -v`).
    address_space: Option<u64>,
    /// What the process held before the first program.
    start: Usage,
}

fn system() -> &'static System {
    static SYSTEM: OnceLock<System> = OnceLock::new();
    SYSTEM.get_or_init(|| System {
        memory: machine_memory(),
        address_space: address_space(),
        start: Usage::now().unwrap_or_default(),
    })
}

/// Memory of this process, in bytes.
#[derive(Default)]
struct Usage {
    /// Address space.
    total: u64,
    /// Memory that is in use.
    resident: u64,
    /// Writable memory, whether it is in use or not.
    data: u64,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::path::Path;
    use std::sync::OnceLock;

    use rustix::process::{Resource, getrlimit};

    use super::Usage;

    impl Usage {
        /// What this process holds now.
        pub fn now() -> Option<Usage> {
            static STATM: OnceLock<Option<(File, u64)>> = OnceLock::new();
            let open = || Some((File::open("/proc/self/statm").ok()?, rustix::param::page_size() as u64));
            let (file, page) = STATM.get_or_init(open).as_ref()?;
            let mut text = [0; 128];
            let length = file.read_at(&mut text, 0).ok()?;
            let text = std::str::from_utf8(text.get(..length)?).ok()?;
            let mut pages = text.split_ascii_whitespace().map(|number| number.parse::<u64>().ok());
            // Of size, resident, shared, text, lib, data, dt.
            let (total, resident, data) = (pages.next()??, pages.next()??, pages.nth(3)??);
            Some(Usage { total: total * page, resident: resident * page, data: data * page })
        }
    }

    /// The smaller one of the limits on address space and on data.
    pub fn address_space() -> Option<u64> {
        let limits = [Resource::As, Resource::Data].map(|resource| getrlimit(resource).current);
        limits.into_iter().flatten().min()
    }

    /// The smallest one of the machine's memory and the limits of the control groups around this process.
    pub fn machine_memory() -> u64 {
        let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
            let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
            total.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
        });
        let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let limits = groups.lines().flat_map(|line| group_limits(line, Path::new("/sys/fs/cgroup")));
        limits.chain(machine).min().unwrap_or(u64::MAX >> 1)
    }

    /// The limits that a line of `/proc/self/cgroup` (`0::/a/b`, `4:memory:/a/b`) leads to.
    pub(super) fn group_limits(line: &str, root: &Path) -> Vec<u64> {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { return Vec::new() };
        let (root, file) = match controllers {
            "" => (root.to_path_buf(), "memory.max"),
            names if names.split(',').any(|name| name == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => return Vec::new(),
        };
        let innermost = root.join(path.trim_start_matches('/'));
        let around = innermost.ancestors().take_while(|directory| directory.starts_with(&root));
        // In a container the path may be one outside of it: then the root is its own group.
        let directories = around.map(Path::to_path_buf).chain([root.clone()]);
        let texts = directories.filter_map(|directory| std::fs::read_to_string(directory.join(file)).ok());
        // `max` and numbers beyond all memory mean that there is no limit.
        texts.filter_map(|text| text.trim().parse().ok()).collect()
    }
}

#[cfg(target_os = "linux")]
use linux::{address_space, machine_memory};

/// Elsewhere only the system itself sets limits.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    impl super::Usage {
        pub fn now() -> Option<super::Usage> {
            None
        }
    }

    pub fn address_space() -> Option<u64> {
        None
    }

    pub fn machine_memory() -> u64 {
        u64::MAX >> 1
    }
}

#[cfg(not(target_os = "linux"))]
use elsewhere::{address_space, machine_memory};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn limits_of_control_groups() {
        let root = std::env::temp_dir().join(format!("ez-groups-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            std::fs::write(path, text).expect("writes");
        };
        write("a/memory.max", "1000\n");
        write("a/b/memory.max", "max\n");
        write("memory/c/memory.limit_in_bytes", "500\n");
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        let limits = |line| linux::group_limits(line, &root).into_iter().min();
        assert_eq!(limits("0::/a/b"), Some(1000));
        assert_eq!(limits("4:memory:/c"), Some(500));
        assert_eq!(limits("4:memory:/outside"), Some(9_223_372_036_854_771_712));
        assert_eq!(limits("3:cpu,cpuacct:/a"), None);
        assert_eq!(limits("nonsense"), None);
        let _ = std::fs::remove_dir_all(root);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_beyond_the_limit_has_no_room() {
        std::thread::spawn(|| {
            let used = Usage::now().expect("usage").resident;
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
