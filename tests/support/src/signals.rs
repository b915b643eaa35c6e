//! Signals that this process was started to ignore.

#[cfg(target_os = "linux")]
use std::sync::Arc;

/// Makes the programs that this process starts from now on react to the signals by which a test ends them. A
/// shell starts what it runs in the background so that it ignores some of these, which programs inherit; a
/// signal with a handler is as usual in them.
#[cfg(target_os = "linux")]
pub fn stop_ignoring() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        if ignored & (1 << (signal - 1)) != 0 {
            signal_hook::flag::register(signal, Arc::default()).unwrap();
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub fn stop_ignoring() {}
