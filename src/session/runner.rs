//! The real engine, as a session runs it.

use crate::debug::{self, KeepAlive, LoadFailure, Source};
use crate::host::{DenyHost, SystemHost};
use crate::modules::DiskLoader;
use crate::value::Host;

use super::{Failure, Task};

/// Loads a program, waits for its start, and runs it under the debug engine. To be called on the
/// interpreter's thread.
pub fn run_program(task: Task) -> KeepAlive {
    let Task { path, name, deny, port } = task;
    let loaded = match debug::load(&DiskLoader, Source::File(&path, &name)) {
        Ok(loaded) => loaded,
        Err(LoadFailure::Unreadable(error)) => {
            let message = format!("Error reading file: {}: {}", error.path, error.reason);
            let failure = Failure::of_command("initialize", message);
            port.not_loaded(vec![failure]);
            return KeepAlive::default();
        }
        Err(LoadFailure::Problems(problems)) => {
            let errors = problems.into_iter().filter(debug::is_error);
            port.not_loaded(errors.map(Failure::from).collect());
            return KeepAlive::default();
        }
    };
    port.loaded(loaded.warnings.clone());
    let (requests, control) = (port.requests(), port.control());
    let arguments = vec!["ez".to_string(), name];
    let system = SystemHost::new(Some(control.interrupt_flag())).with_arguments(arguments);
    let mut outside: Box<dyn Host> = Box::new(system);
    if !deny.is_empty() {
        outside = Box::new(DenyHost::new(outside, deny));
    }
    let host = port.host(outside);
    debug::run(&loaded, host, requests, port, control).and(loaded)
}
