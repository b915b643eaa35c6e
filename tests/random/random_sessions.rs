//! Random sessions with `ez debugserver`: commands in any order, divided into writes of any size, with delays,
//! slow, deaf and dead clients, signals. Each command is answered once, output is complete and in order,
//! nothing outlives the server, and nothing hangs. So it is when several clients come one after the other.
//!
//! A short run has seeds of its own. For a long one, `EZ_SEED` is the first seed and `EZ_COUNT` the number of
//! sessions; the seeds of sessions that fail are in the message.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sessions::{Pool, play, play_visits};

/// Sessions of a short run.
const COUNT: u64 = 200;

/// Sessions of a short run to which several clients come.
const COUNT_OF_SEVERAL: u64 = 60;

/// Sessions at the same time: more than the machine has cores, so that each has to wait now and then.
const AT_ONCE: usize = 8;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// Plays sessions with one seed after the other, several at the same time.
fn play_all(name: &str, count: u64, play: fn(u64, &Pool) -> Result<(), String>) {
    let directory = format!("sessions-{name}-{}", std::process::id());
    let pool = Pool::new(Path::new(env!("CARGO_TARGET_TMPDIR")).join(directory), 12);
    let first = number("EZ_SEED").unwrap_or(1);
    let end = first + number("EZ_COUNT").unwrap_or(count);
    let next = AtomicU64::new(first);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= end || wrong.lock().unwrap().len() > 5 {
                        return;
                    }
                    if let Err(why) = play(seed, &pool) {
                        wrong.lock().unwrap().push(why);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} sessions are wrong:\n{}", wrong.len(), wrong.join("\n\n"));
}

// invariant 7
#[test]
fn sessions_keep_the_rules() {
    play_all("one", COUNT, play);
}

#[test]
fn sessions_of_several_clients_keep_the_rules() {
    play_all("several", COUNT_OF_SEVERAL, play_visits);
}
