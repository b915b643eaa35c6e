//! The `ez` command line.
//!
//! `args` declares the commands and flags, `action::parse` turns a command line into an `Action`, which is carried
//! out here; each short command has a file, the others are in `clients`. Output that cannot be written makes the
//! status 1. `usage` words the errors of command lines, `complete` answers shells in which Tab is pressed; `time_limit`
//! ends a program that takes too long.

mod action;
mod args;
mod check;
mod complete;
mod doc;
mod explain;
mod fix;
mod fmt;
mod listen;
mod man;
mod parent;
mod playground;
mod replay;
mod rewrite;
mod run;
mod syntax;
mod time_limit;
mod usage;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[cfg(feature = "kernel")]
use crate::clients::notebook;
use crate::clients::{VERSION, agents, lsp, page, prompt, show, terminal};
use crate::protocol::{self, SharedFrontEnd};
use ez_engine::api::Share;
use ez_engine::session::{Settings, run_engine};
use ez_runtime::host::{self, Commands, GuardProgram, Root};
use ez_runtime::interp::STACK_SIZE;
use ez_runtime::platform::{self, path_of};

use action::{Action, Invocation};
use args::Protocol;
use listen::Listening;
use usage::Usage;

/// The output of `ez licenses`: whoever passes on the program passes on these texts.
const LICENSES: &str = concat!(include_str!("../../LICENSE"), "\n", include_str!("../../THIRD-PARTY.txt"));

/// Bytes of address space that have to be free besides the stack of the first thread: the stacks of others, and the
/// variables of a program. With less, small allocations may fail before a program begins, which cannot be reported.
const ROOM: usize = 88 << 20;

/// Runs the command that the process was started for.
pub fn main() -> ExitCode {
    platform::prepare_process();
    let arguments: Vec<String> = std::env::args_os().map(|argument| platform::text_of(&argument)).collect();
    if let [_, only] = arguments.as_slice()
        && only == GuardProgram::ARGUMENT
    {
        return host::run_guard();
    }
    if let [_, first, words @ ..] = arguments.as_slice()
        && first == complete::ARGUMENT
    {
        show::print(&complete::complete(words));
        return ExitCode::from(show::with_lost_output(0));
    }
    match action::parse(&arguments) {
        Ok(invocation) => match on_big_stack(invocation) {
            0 => ExitCode::from(show::with_lost_output(0)),
            status => ExitCode::from(status),
        },
        Err(Usage { text, status: 0 }) => {
            show::print(&text);
            ExitCode::from(show::with_lost_output(0))
        }
        Err(Usage { text, status }) => {
            eprint!("{text}");
            ExitCode::from(status)
        }
    }
}

/// Runs a command on a stack that is large enough for checking and running programs.
fn on_big_stack(invocation: Invocation) -> u8 {
    // Checked here, where the failure can be reported.
    if !ez_runtime::value::memory::can_allocate((STACK_SIZE + ROOM) as u64) {
        eprintln!(
            "Error: there is not enough memory: {} MiB of address space are needed",
            (STACK_SIZE + ROOM) >> 20
        );
        return 1;
    }
    platform::with_stack(STACK_SIZE, || carry_out(invocation)).unwrap_or_else(|error| {
        eprintln!("Error: no thread to run on: {}", platform::reason(&error));
        1
    })
}

fn carry_out(invocation: Invocation) -> u8 {
    let Invocation { action, style } = invocation;
    match action {
        Action::Run(options) => run::run(options, style),
        Action::RunDebuggable(options, debug) => listen::run(options, debug, style),
        Action::Replay { recording, time } => show::status(replay::replay(&recording, time, style)),
        Action::Check { paths, root, fix } => check::check(&paths, root, fix, style),
        Action::Fmt { paths, check } => fmt::fmt(&paths, check, style),
        Action::Debug(options) => terminal::debug(options, style),
        Action::Join(options) => terminal::join(options, style),
        Action::Trace(options) => page::trace(options, style),
        Action::Debugserver { file, protocol, linger, root, listening, share } => {
            debugserver(file.as_deref(), protocol, linger, root, listening, share)
        }
        Action::DescribeProtocol => {
            show::print(protocol::ez::description::DOCUMENT);
            0
        }
        Action::Dap { listening: None } => dap(),
        Action::Dap { listening: Some(listening) } => listen::dap(&listening),
        Action::Lsp => show::status(lsp::lsp()),
        Action::Playground { folder, port } => show::status(playground::playground(folder.as_deref(), port)),
        Action::Mcp(options) => show::status(agents::mcp(options)),
        Action::Repl { memory } => prompt::repl(memory, style),
        #[cfg(feature = "kernel")]
        Action::Kernel(action) => notebook::carry_out(action),
        Action::Watch { path } => watch::watch(&path),
        Action::Doc { paths } => doc::doc(&paths),
        Action::Man { name } => man::man(name.as_deref()),
        Action::Completion { shell } => {
            show::print(&complete::script(shell));
            0
        }
        Action::Licenses => {
            show::print(LICENSES);
            0
        }
        Action::Version => {
            show::print(&format!("{VERSION}\n"));
            0
        }
        Action::Explain { code } => explain::explain(&code),
        Action::Lex { file } => syntax::lex(&file),
        Action::Parse { file } => syntax::parse(&file, style),
    }
}

/// `ez dap`: the Debug Adapter Protocol on standard input and output.
fn dap() -> u8 {
    // The session continues after the program's end until the client ends it.
    serve_stdio(protocol::dap::front_end(), None, Duration::MAX, None, None)
}

/// `ez debugserver`: the EZ debug protocol on standard input and output, or on a socket.
fn debugserver(
    file: Option<&str>,
    protocol: Option<Protocol>,
    linger: Duration,
    root: Option<Root>,
    listening: Option<Listening>,
    share: Option<Share>,
) -> u8 {
    // Clients may test whether a debugger exists by naming a file that does not.
    if let Some(file) = file
        && let Err(error) = std::fs::metadata(path_of(file))
            .and_then(readable)
            .and_then(|()| platform::open_to_read(&path_of(file)))
    {
        eprintln!("{}", show::unreadable(file, &ez_runtime::platform::reason(&error)));
        return 1;
    }
    let file = file.and_then(|file| std::path::absolute(path_of(file)).ok());
    if let Some(file) = &file {
        // Its client has the control of it.
        let _ = parent::announced(&file.to_string_lossy(), &[], None);
    }
    if let Some(listening) = listening {
        return listen::debugserver(file, protocol, linger, root, &listening, share);
    }
    let front_end = match protocol {
        None => protocol::detecting(),
        Some(Protocol::Ez) => protocol::ez::front_end(),
        Some(Protocol::Jsonrpc) => protocol::rpc::front_end(),
    };
    serve_stdio(front_end, file, linger, root, share)
}

/// The current directory. If it has been deleted, its name, so that absolute names of files can still be used.
///
/// # Errors
/// If its name is not known either.
fn working_directory() -> std::io::Result<PathBuf> {
    std::env::current_dir().or_else(|error| {
        let name = std::env::var_os("PWD").map(PathBuf::from);
        name.filter(|name| name.is_absolute()).ok_or(error)
    })
}

/// Serves a session on standard input and output. `file` is the program, absolute, used if the client names
/// none. With `share`, others may join from the beginning.
fn serve_stdio(
    front_end: SharedFrontEnd,
    file: Option<PathBuf>,
    linger: Duration,
    root: Option<Root>,
    share: Option<Share>,
) -> u8 {
    let Ok(directory) = working_directory() else {
        eprintln!("Error: the current directory is not there");
        return 1;
    };
    let settings = Settings { file, directory, root };
    let engine = Box::new(move |link| run_engine(settings, link));
    let Err(error) = protocol::transport::serve_stdio(
        front_end,
        linger,
        Commands::of_this_process(),
        engine,
        Box::new(move |session| listen::share(session, share.as_ref())),
        parent::ended_with,
    );
    eprintln!("Error: {error}");
    1
}

fn readable(found: std::fs::Metadata) -> std::io::Result<()> {
    match () {
        () if found.is_file() => Ok(()),
        () if found.is_dir() => Err(std::io::ErrorKind::IsADirectory.into()),
        // Opening it might wait for ever.
        () => Err(std::io::Error::other("not a regular file")),
    }
}
