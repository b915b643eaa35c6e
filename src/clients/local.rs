//! A session inside this process, with the engine on this thread and the front end on another.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::unbounded;

use crate::protocol::listen::GuestDoor;
use ez_engine::session::{Session, Settings, TERMINATE_GRACE, ThreadMain, run_engine};
use ez_runtime::host::{Commands, Root};
use ez_runtime::threads;

use super::show;

/// How long output that is not shown yet may delay the end.
const STALL: Duration = Duration::from_secs(1);

/// Runs the engine on this thread, which must have a large stack, and `front_end` on another, which gets the current
/// directory, too, and whose result is the exit status of the process. Programs reach no file out of `root`, if there is
/// one. Returns a status only if the directory is not there, or no thread can be created.
pub fn serve(root: Option<Root>, front_end: impl FnOnce(Session, PathBuf) -> u8 + Send + 'static) -> u8 {
    let Ok(directory) = std::env::current_dir() else {
        eprintln!("Error: the current directory is not there");
        return 1;
    };
    let session = Session::new(Duration::ZERO, Commands::of_this_process());
    session.set_door(Arc::<GuestDoor>::default());
    let settings = Settings { file: None, directory: directory.clone(), root };
    let (mains, engine) = unbounded::<ThreadMain>();
    let main = Box::new(move |link| run_engine(settings, link));
    session.start_engine(main, &move |main| mains.send(main).is_ok());
    let waiting = session.clone();
    let ended = threads::spawn("session", move || {
        waiting.wait(STALL, TERMINATE_GRACE);
    });
    let front_end = ended.and_then(|ended| {
        threads::spawn("front end", move || {
            let status = front_end(session, directory);
            // By then, the program's commands have ended.
            let _ = ended.join();
            std::process::exit(i32::from(show::with_lost_output(status)))
        })
    });
    if let Err(error) = front_end {
        eprintln!("Error: {error}");
        return 1;
    }
    while let Ok(main) = engine.recv() {
        // A panic has been reported on standard error, and the session is told that the engine is gone.
        std::mem::forget(catch_unwind(AssertUnwindSafe(main)));
    }
    loop {
        // The front end is about to end the process.
        std::thread::park();
    }
}
