//! Embeds the debug engine: steps through a program and prints every stop, without protocol or process.
//!
//!     cargo run --example embed -- examples/hello.ez

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crossbeam_channel::unbounded;
use ez_debugger::debug::{self, Event, InterruptHandle, LoadFailure, Request, Resume, Source};
use ez_debugger::host::SystemHost;
use ez_debugger::interp::STACK_SIZE;
use ez_debugger::modules::DiskLoader;

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("usage: embed FILE.ez");
        return ExitCode::FAILURE;
    };
    let path = std::path::absolute(&file).unwrap_or_else(|_| PathBuf::from(&file));
    let (requests, asked) = unbounded();
    let (told, events) = unbounded();

    // Values never leave the thread that a program runs on, so it is loaded there too.
    let program = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(move || {
        let loaded = match debug::load(&DiskLoader, Source::File(Path::new(&path), &file)) {
            Ok(loaded) => loaded,
            Err(LoadFailure::Unreadable(why)) => {
                eprintln!("{why}");
                return false;
            }
            Err(LoadFailure::Problems(problems)) => {
                problems.iter().for_each(|p| eprintln!("{}: {}", p.code.as_str(), p.message));
                return false;
            }
        };
        let control = InterruptHandle::new();
        let host = Box::new(SystemHost::new(Some(control.interrupt_flag())));
        let tell = move |event| drop(told.send(event));
        debug::run(&loaded, host, asked, tell, control);
        true
    });

    let _ = requests.send(Request::Start { stop_at_entry: true });
    for event in events {
        match event {
            Event::Stopped(stop) => {
                println!("line {} ({:?})", stop.location.line, stop.reason);
                for variable in &stop.changed {
                    println!("    {} = {} ({})", variable.name, variable.value, variable.type_name);
                }
                let _ = requests.send(Request::Resume(Resume::Into));
            }
            Event::Ended(end) => {
                if let Some(problem) = &end.error {
                    println!("error: {}", problem.message);
                }
                println!("ended with {}", end.status);
            }
            other => println!("{other:?}"),
        }
    }
    match program.map(std::thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
