//! The engine as a session runs it: with files from disk, and the system's host.

use crate::debug::{self, HostSetup, KeepAlive, Setup};
use crate::host::{DenyHost, SystemHost};
use crate::modules::DiskLoader;
use crate::value::{Host, set_memory_limit};

use super::{EngineLink, Settings};

/// Runs the debug engine of a session. To be called on the interpreter's thread.
pub fn run_engine(settings: Settings, link: EngineLink) -> KeepAlive {
    let (streams, commands) = (link.streams(), link.commands());
    let make_host = move |setup: HostSetup| {
        let arguments = vec!["ez".to_string(), setup.name.to_string()];
        let flag = setup.interrupt.interrupt_flag();
        let system = SystemHost::new(Some(flag))
            .with_arguments(arguments)
            .with_directory(setup.directory)
            .with_commands(commands.clone());
        let mut outside: Box<dyn Host> = Box::new(system);
        if !setup.launch.deny.is_empty() {
            outside = Box::new(DenyHost::new(outside, setup.launch.deny.clone()));
        }
        set_memory_limit(setup.launch.memory_limit);
        streams.host(outside)
    };
    let setup = Setup {
        loader: Box::new(DiskLoader),
        make_host: Box::new(make_host),
        file: settings.file,
        directory: settings.directory,
    };
    let (requests, interrupt) = (link.requests(), link.interrupt());
    debug::serve(setup, requests, link, interrupt)
}
