//! The engine as a session runs it: with files from disk, and the system's host.

use crate::api::{Event, Exited};
use crate::debug::{self, Client, HostSetup, KeepAlive, MakeHost, Message, Pace, Setup};
use crate::host::{Commands, DenyHost, SystemHost};
use crate::modules::DiskLoader;
use crate::value::{Host, set_memory_limit};

use super::{EngineLink, Settings};

/// Runs the debug engine of a session whose client gets the program's output, and gives it its input. To be
/// called on the interpreter's thread.
pub fn run_engine(settings: Settings, link: EngineLink) -> KeepAlive {
    let (streams, commands) = (link.streams(), link.commands());
    let make_host = move |setup: HostSetup| streams.host(system(&setup, "ez", &commands));
    let (requests, interrupt) = (link.requests(), link.interrupt());
    debug::serve(engine_setup(settings, Box::new(make_host)), requests, link, interrupt)
}

/// Runs the debug engine of a session whose program has the standard streams of the process. `interpreter` is
/// what the program sees as the first of its arguments, `ended` is told how it has ended. To be called on the
/// interpreter's thread.
pub fn run_engine_on_terminal(
    settings: Settings,
    interpreter: String,
    link: EngineLink,
    ended: impl Fn(&Exited) + 'static,
) -> KeepAlive {
    let commands = link.commands();
    let make_host = move |setup: HostSetup| system(&setup, &interpreter, &commands);
    let (requests, interrupt) = (link.requests(), link.interrupt());
    let client = Watched { link, ended };
    debug::serve(engine_setup(settings, Box::new(make_host)), requests, client, interrupt)
}

fn engine_setup(settings: Settings, make_host: Box<MakeHost>) -> Setup {
    Setup {
        loader: Box::new(DiskLoader),
        make_host,
        file: settings.file,
        directory: settings.directory,
        checkpoints: Pace::Timed,
    }
}

/// The system's host, less what the program is kept from.
fn system(setup: &HostSetup, interpreter: &str, commands: &Commands) -> Box<dyn Host> {
    let own = [interpreter.to_string(), setup.name.to_string()].into_iter();
    let arguments = own.chain(setup.launch.args.iter().cloned()).collect();
    let system = SystemHost::new(Some(setup.interrupt.interrupt_flag()))
        .with_arguments(arguments)
        .with_environment(&setup.launch.env)
        .with_directory(setup.directory)
        .with_commands(commands.clone());
    set_memory_limit(setup.launch.memory_limit);
    match setup.launch.deny.is_empty() {
        true => Box::new(system),
        false => Box::new(DenyHost::new(Box::new(system), setup.launch.deny.clone())),
    }
}

/// A session whose end of the program somebody else wants to see, too.
struct Watched<F> {
    link: EngineLink,
    ended: F,
}

impl<F: Fn(&Exited)> Client for Watched<F> {
    fn message(&self, message: Message) {
        if let Message::Event(Event::Exited(exited)) = &message {
            (self.ended)(exited);
        }
        self.link.message(message);
    }

    fn wait_inline(&self) -> bool {
        self.link.wait_inline()
    }
}
