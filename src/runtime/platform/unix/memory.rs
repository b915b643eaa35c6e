//! Memory of the process and the computer: from `/proc` where it exists, else from system calls.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Resource, getrlimit};

use crate::platform::{MemoryUsage, ProcessMemory};

pub fn memory_usage() -> Option<MemoryUsage> {
    listed_usage().or_else(|| {
        let found = memory_stats::memory_stats()?;
        Some(MemoryUsage { total: 0, resident: found.physical_mem as u64, data: 0 })
    })
}

/// Whether this process is a copy of another one, whose open files must not be used.
static IS_COPY: AtomicBool = AtomicBool::new(false);

/// To be called in a process that is a copy of another one.
pub fn in_copied_process() {
    IS_COPY.store(true, Ordering::Relaxed);
}

/// The memory of a copy of this process, given by its process id, or of this one (`self`). Where the system does
/// not tell what they share, none of it counts as shared.
pub fn process_memory(process: &str) -> Option<ProcessMemory> {
    listed_memory(process).or_else(|| {
        let resident = memory_usage()?.resident;
        Some(ProcessMemory { resident, share: resident, own: resident })
    })
}

fn listed_memory(process: &str) -> Option<ProcessMemory> {
    let text = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let bytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
    };
    Some(ProcessMemory { resident: bytes("Rss:")?, share: bytes("Pss:")?, own: bytes("Private_Dirty:")? })
}

pub fn own_process_memory() -> Option<ProcessMemory> {
    process_memory("self")
}

pub fn page_faults() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may contain anything; the tenth field is `minflt`.
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(7)?.parse().ok()
}

fn listed_usage() -> Option<MemoryUsage> {
    type Open = OnceLock<Option<(File, u64)>>;
    static STATM: [Open; 2] = [const { Open::new() }; 2];
    let open = || Some((File::open("/proc/self/statm").ok()?, rustix::param::page_size() as u64));
    let [original, copy] = &STATM;
    let statm = if IS_COPY.load(Ordering::Relaxed) { copy } else { original };
    let (file, page) = statm.get_or_init(open).as_ref()?;
    let mut text = [0; 128];
    let length = file.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(text.get(..length)?).ok()?;
    let mut pages = text.split_ascii_whitespace().map(|number| number.parse::<u64>().ok());
    // The fields are: size, resident, shared, text, lib, data, dt.
    let (total, resident, data) = (pages.next()??, pages.next()??, pages.nth(3)??);
    Some(MemoryUsage { total: total * page, resident: resident * page, data: data * page })
}

/// The smaller of the limits of address space and data.
pub fn address_space_limit() -> Option<u64> {
    let limits = [Resource::As, Resource::Data].map(|resource| getrlimit(resource).current);
    limits.into_iter().flatten().min()
}

/// The minimum of the computer's memory and the limits of the control groups that contain this process.
pub fn machine_memory() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        total.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
    });
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = groups.lines().flat_map(|line| group_limits(line, Path::new("/sys/fs/cgroup")));
    limits.chain(machine).min()
}

/// The limits of the control groups in a line of `/proc/self/cgroup` (`0::/a/b`, `4:memory:/a/b`).
fn group_limits(line: &str, root: &Path) -> Vec<u64> {
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
    // In a container the path may be outside of the visible tree: then the root is the group itself.
    let directories = around.map(Path::to_path_buf).chain([root.clone()]);
    let texts = directories.filter_map(|directory| std::fs::read_to_string(directory.join(file)).ok());
    // `max`, or a number larger than any memory, means no limit.
    texts.filter_map(|text| text.trim().parse().ok()).collect()
}

/// Uses the same thread: while a process has only one, allocation is cheaper (glibc extends the heaps of
/// other threads page by page).
pub fn with_stack<T: Send>(size: usize, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    Ok(stacker::grow(size, work))
}

pub fn remaining_stack() -> Option<usize> {
    stacker::remaining_stack()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
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
        let limits = |line| group_limits(line, &root).into_iter().min();
        assert_eq!(limits("0::/a/b"), Some(1000));
        assert_eq!(limits("4:memory:/c"), Some(500));
        assert_eq!(limits("4:memory:/outside"), Some(9_223_372_036_854_771_712));
        assert_eq!(limits("3:cpu,cpuacct:/a"), None);
        assert_eq!(limits("nonsense"), None);
        let _ = std::fs::remove_dir_all(root);
    }

    #[test]
    fn usage_without_lists_is_measured_too() {
        let found = memory_stats::memory_stats().expect("usage");
        assert!(found.physical_mem > 100_000);
        let listed = memory_usage().expect("usage");
        assert!(listed.resident > 100_000);
    }
}
