//! Making a failing stream of choices smaller.

use std::time::{Duration, Instant};

/// Leaves out and lowers choices as long as the program that is left still `fails`, for at most `time`.
pub fn shrink(mut values: Vec<u32>, time: Duration, fails: impl Fn(&[u32]) -> bool) -> Vec<u32> {
    let until = Instant::now() + time;
    let mut size = values.len() / 2;
    while size > 0 {
        let mut start = 0;
        let before = values.len();
        while start < values.len() {
            if Instant::now() > until {
                return values;
            }
            let end = (start + size).min(values.len());
            let mut shorter = values.clone();
            shorter.drain(start..end);
            if fails(&shorter) {
                values = shorter;
                continue;
            }
            let mut lower = values.clone();
            lower[start..end].fill(0);
            if lower != values && fails(&lower) {
                values = lower;
            }
            start = end;
        }
        // As long as something can be left out, larger pieces may be possible as well.
        size = if values.len() < before { size.min(values.len() / 2) } else { size / 2 };
    }
    values
}
