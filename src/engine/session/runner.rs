//! The engine as sessions run it: with files from disk and the system's host, or with files in memory.

use std::path::PathBuf;
use std::rc::Rc;

use crate::api::{Event, Exited};
use crate::debug::{
    self, EngineClient, HostSetup, KeepAlive, MakeHost, Message, Pace, PublishedBreakpoints, Setup,
};
use ez_language::modules::{ConfinedLoader, MemoryLoader};
use ez_runtime::host::{Capability, DenyHost, MemoryFiles, MemoryHost, Root, SystemHost};
use ez_runtime::value::{Host, set_memory_limit};

use super::link::Surroundings;
use super::{EngineLink, Settings};

/// Runs the engine of a session whose client receives the program's output and provides its input. Blocks
/// until the engine ends; call it on the interpreter's thread.
pub fn run_engine(settings: Settings, link: EngineLink) -> KeepAlive {
    let (streams, surroundings) = (link.streams(), link.surroundings());
    let root = settings.root.clone();
    let make_host = move |setup: HostSetup| streams.host(system(&setup, "ez", &surroundings, root.clone()));
    let (requests, interrupt) = (link.requests(), link.interrupt());
    debug::serve(engine_setup(settings, Box::new(make_host)), requests, link, interrupt)
}

/// Runs the engine of a session whose program uses the standard streams of the process. `interpreter` is the
/// first of the arguments that the program sees; `ended` is called when it has ended. Blocks until the engine
/// ends; call it on the interpreter's thread.
pub fn run_engine_on_terminal(
    settings: Settings,
    interpreter: String,
    link: EngineLink,
    ended: impl Fn(&Exited) + 'static,
) -> KeepAlive {
    let surroundings = link.surroundings();
    let root = settings.root.clone();
    let make_host = move |setup: HostSetup| system(&setup, &interpreter, &surroundings, root.clone());
    let (requests, interrupt) = (link.requests(), link.interrupt());
    let client = Watched { link, ended };
    debug::serve(engine_setup(settings, Box::new(make_host)), requests, client, interrupt)
}

/// What a program cannot do where its files are in memory.
const NOT_IN_MEMORY: [Capability; 2] = [Capability::Net, Capability::Exec];

/// Runs the engine of a session whose program is in these files, by their absolute paths, and reaches nothing else.
/// They are added to `memory`, where the program writes. The client receives its output and provides its input. Blocks
/// until the engine ends; call it on the interpreter's thread.
pub fn run_engine_in_memory(
    files: &[(String, String)],
    memory: MemoryFiles,
    main: Option<PathBuf>,
    link: EngineLink,
) -> KeepAlive {
    let mut loader = MemoryLoader::new();
    for (path, text) in files {
        loader.add(path, text.clone());
        // Where a path is both a file and a folder, a program cannot read one of them.
        let _ = memory.add(path, text.clone());
    }
    let streams = link.streams();
    let make_host = move |setup: HostSetup| -> Box<dyn Host> {
        set_memory_limit(setup.launch.memory_limit);
        let arguments = arguments("ez", &setup);
        let interrupt = Some(setup.interrupt.interrupt_flag());
        let host = MemoryHost::new(memory.clone(), arguments, interrupt);
        let host = host.with_environment(&setup.launch.env).with_directory(setup.directory);
        let denied = NOT_IN_MEMORY.into_iter().chain(setup.launch.deny.clone()).collect();
        streams.host(Box::new(DenyHost::new(Box::new(host), denied)))
    };
    let (requests, interrupt) = (link.requests(), link.interrupt());
    let setup = Setup {
        loader: Rc::new(loader),
        make_host: Box::new(make_host),
        file: main,
        directory: "/".into(),
        checkpoints: Pace::Never,
    };
    debug::serve(setup, requests, link, interrupt)
}

/// What `os.args()` gives.
fn arguments(interpreter: &str, setup: &HostSetup) -> Vec<String> {
    let own = [interpreter.to_string(), setup.name.to_string()].into_iter();
    own.chain(setup.launch.args.iter().cloned()).collect()
}

fn engine_setup(settings: Settings, make_host: Box<MakeHost>) -> Setup {
    Setup {
        loader: Rc::new(ConfinedLoader { root: settings.root }),
        make_host,
        file: settings.file,
        directory: settings.directory,
        checkpoints: Pace::Timed,
    }
}

/// The system's host, restricted by what the launch denies, and to files in `root`.
fn system(
    setup: &HostSetup,
    interpreter: &str,
    surroundings: &Surroundings,
    root: Option<Root>,
) -> Box<dyn Host> {
    let system = SystemHost::new(Some(setup.interrupt.interrupt_flag()))
        .with_arguments(arguments(interpreter, setup))
        .with_environment(&setup.launch.env)
        .with_directory(setup.directory)
        .with_root(root.clone())
        .with_followed(surroundings.followed(setup.launch))
        .with_commands(surroundings.commands());
    set_memory_limit(setup.launch.memory_limit);
    let mut denied = setup.launch.deny.clone();
    // A command could reach files outside of the root.
    denied.extend(root.map(|_| Capability::Exec));
    if denied.is_empty() { Box::new(system) } else { Box::new(DenyHost::new(Box::new(system), denied)) }
}

/// Passes the engine's messages on to the session, and reports the end of the program to a callback.
struct Watched<F> {
    link: EngineLink,
    ended: F,
}

impl<F: Fn(&Exited)> EngineClient for Watched<F> {
    fn message(&self, message: Message) {
        if let Message::Event(Event::Exited(exited)) = &message {
            (self.ended)(exited);
        }
        self.link.message(message);
    }

    fn wait_inline(&self) -> bool {
        self.link.wait_inline()
    }

    fn published_breakpoints(&self) -> Option<PublishedBreakpoints> {
        self.link.published_breakpoints()
    }
}
