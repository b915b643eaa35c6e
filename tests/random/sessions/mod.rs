//! Random sessions with `ez debugserver`: what a client does is chosen by a seed, what must hold for each
//! session is checked afterwards, from a log of what was sent and told, and when.

mod check;
mod client;
mod programs;
mod script;
mod visits;
mod written;

use std::time::Duration;

pub use programs::Pool;
pub use visits::play as play_visits;

use client::Client;
use script::{Action, Script};

/// What has not happened after this time will not happen.
pub const HANG: Duration = Duration::from_secs(20);

/// Plays the session of a seed; an `Err` says what was wrong, with the log of the session.
pub fn play(seed: u64, pool: &Pool) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let program = pool.pick(&mut random);
    let script = Script::new(&mut random, program);
    let place = pool.place(seed);
    let mut client = Client::start(&script, program, &place, random.fork());
    for action in &script.actions {
        match action {
            Action::Write(bytes) => client.write(bytes),
            Action::Sent(command) => client.sent(command.clone()),
            Action::Delay(time) => std::thread::sleep(*time),
            Action::Await { id, most } => client.await_answer(id, *most),
        }
    }
    let result = client.end(script.ending, &place).and_then(|log| {
        check::check(&log, &script, program).map_err(|wrong| format!("{wrong}\n{}", log.text()))
    });
    let _ = std::fs::remove_dir_all(&place);
    result.map_err(|wrong| format!("seed {seed}, {}, {:?}: {wrong}", program.name, script.ending))
}
