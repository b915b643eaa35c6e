//! Embeds the debug engine: steps through a program and prints every stop, without protocol or process.
//!
//!     cargo run --example embed -- examples/hello.ez

use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

use crossbeam_channel::unbounded;
use ez_debugger::protocol::value_text::whole_text;
use ez_engine::api::{Event, Launch, Request, RequestId, Response, Resume};
use ez_engine::debug::{self, HostSetup, InterruptHandle, Message, Pace, Setup};
use ez_language::modules::DiskLoader;
use ez_runtime::host::SystemHost;
use ez_runtime::interp::STACK_SIZE;

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("usage: embed FILE.ez");
        return ExitCode::FAILURE;
    };
    let directory = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let (requests, asked) = unbounded();
    let (tell, messages) = unbounded();

    // Values never leave the thread that a program runs on: the engine lives there, and is asked by message.
    let engine = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(move || {
        let make_host = |setup: HostSetup| -> Box<dyn ez_runtime::value::Host> {
            Box::new(SystemHost::new(Some(setup.interrupt.interrupt_flag())))
        };
        let setup = Setup {
            loader: Rc::new(DiskLoader),
            make_host: Box::new(make_host),
            file: None,
            directory,
            // A process that is copied must be prepared for it.
            checkpoints: Pace::Never,
        };
        debug::serve(setup, asked, move |message| drop(tell.send(message)), InterruptHandle::new());
    });
    let mut last = 0;
    let mut ask = |request| {
        last += 1;
        let _ = requests.send((RequestId(last), request));
    };

    ask(Request::Initialize(Box::new(Launch { file: Some(file), ..Launch::default() })));
    let mut status = ExitCode::SUCCESS;
    for message in messages {
        match message {
            Message::Response(_, Ok(Response::Initialized(_))) => ask(Request::Start(None)),
            Message::Response(_, Ok(_)) => {}
            Message::Response(_, Err(failure)) => {
                eprintln!("{}", failure.message);
                failure.problems.iter().for_each(|p| eprintln!("{}: {}", p.code.as_str(), p.message));
                status = ExitCode::FAILURE;
                ask(Request::Terminate);
            }
            Message::Event(Event::Stopped(stop)) => {
                println!("line {} ({:?})", stop.location.line, stop.reason);
                for variable in &stop.changed {
                    let held = &variable.held;
                    println!("    {} = {} ({})", variable.name, whole_text(&held.value), held.declared_type);
                }
                ask(Request::Resume(Resume::StepInto));
            }
            Message::Event(Event::Exited(exited)) => {
                if let Some(problem) = &exited.error {
                    println!("error: {}", problem.message);
                }
                println!("ended with {}", exited.status);
                ask(Request::Terminate);
            }
            Message::Event(other) => println!("{other:?}"),
        }
    }
    let _ = engine.map(std::thread::JoinHandle::join);
    status
}
