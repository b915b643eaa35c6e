//! How far a program may be ahead of its client: by as much as the client reads in a moment.
//!
//! A client sees the answer to a command after everything that is in the queue. One that is slow must not have to read
//! much for that; but a program whose client is fast would only be slowed down by a short queue, since it would wait
//! for the writer's thread again and again.

use std::time::Duration;

use ez_runtime::clock::Instant;

/// How much a program may always be ahead, in bytes.
pub(super) const LEAST: usize = 16 * 1024;

/// How much it may be ahead of the fastest client.
const MOST: usize = 4 << 20;

/// What a pipe holds: it is written at once, although nobody has read it.
const PIPE: usize = 64 * 1024;

/// The moment.
const WINDOW: Duration = Duration::from_millis(25);

/// How fast a client reads.
#[derive(Debug)]
pub(super) struct Pace {
    limit: usize,
    since: Option<Instant>,
    passed: usize,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { limit: LEAST, since: None, passed: 0 }
    }
}

impl Pace {
    /// How much there may be in the queue before the program has to wait.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Something was written.
    pub fn passed(&mut self, bytes: usize, now: Instant) {
        let since = *self.since.get_or_insert(now);
        self.passed = self.passed.saturating_add(bytes);
        let took = now.saturating_duration_since(since);
        if took < WINDOW {
            return;
        }
        let read = self.passed.saturating_sub(PIPE) as f64;
        let in_window = read * WINDOW.as_secs_f64() / took.as_secs_f64();
        self.limit = (in_window as usize).clamp(LEAST, MOST);
        self.passed = 0;
        self.since = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limit, after a client has read so much in each millisecond for a while.
    fn limit_for(bytes: usize) -> usize {
        let (mut pace, start) = (Pace::default(), Instant::now());
        pace.passed(PIPE, start);
        for millis in 1..1000 {
            pace.passed(bytes, start + Duration::from_millis(millis));
        }
        pace.limit()
    }

    #[test]
    fn the_limit_is_what_is_read_in_a_moment() {
        assert_eq!(limit_for(0), LEAST);
        assert_eq!(limit_for(600), LEAST);
        assert_eq!(limit_for(10_000), 25 * 10_000 - PIPE);
        assert_eq!(limit_for(200_000), MOST);
    }

    #[test]
    fn a_client_that_becomes_slow_is_noticed() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        for millis in 0..100 {
            pace.passed(1 << 20, start + Duration::from_millis(millis));
        }
        assert_eq!(pace.limit(), MOST);
        // What was in the queue takes long, and then nothing is fast any more.
        pace.passed(MOST, start + Duration::from_secs(3));
        assert!(pace.limit() < MOST / 10, "{}", pace.limit());
        pace.passed(PIPE, start + Duration::from_secs(4));
        assert_eq!(pace.limit(), LEAST);
    }
}
