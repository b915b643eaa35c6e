//! Commands that let debuggers connect over a socket: `ez debugserver --listen`, `ez dap --listen` and `ez
//! run --debug-listen`.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::unbounded;
use serde_json::json;

use crate::clients::overwrite::refuse_overwrite;
use crate::clients::show::{self, Style, rendered, unreadable};
use crate::protocol::ez::shared_line;
use crate::protocol::listen::{ClientListener, Envelope, GuestDoor, Hub};
use crate::protocol::transport::{STALL, run_here};
use ez_engine::api::{Launch, Limits, Share};
use ez_engine::session::{
    EngineMain, Lifetime, Session, Settings, TERMINATE_GRACE, ThreadMain, new_thread, run_engine,
};
use ez_language::check::check_program;
use ez_language::modules::DiskLoader;
use ez_runtime::host::{Capability, Commands, Root};
use ez_runtime::platform::{create_private, path_of};
use ez_runtime::threads;

use super::args::DebugserverArgs;
use super::options::{Debuggable, Listening, Options, Protocol};
use super::parent;
use super::terminal_run::{TerminalRun, Texts};

/// The current directory. If it has been deleted, its name, so that absolute names of files can still be used.
///
/// # Errors
/// If its name is not known either.
pub(super) fn working_directory() -> io::Result<PathBuf> {
    std::env::current_dir().or_else(|error| {
        let name = std::env::var_os("PWD").map(PathBuf::from);
        name.filter(|name| name.is_absolute()).ok_or(error)
    })
}

/// Starts listening, and writes the file with the token.
fn open(listening: &Listening, envelope: Option<Envelope>) -> io::Result<ClientListener> {
    let door = ClientListener::open(&listening.address, envelope)?;
    if let Some(file) = &listening.token_file {
        let named =
            |error: io::Error| io::Error::other(format!("{file}: {}", ez_runtime::platform::reason(&error)));
        refuse_overwrite(file, &[])
            .map_err(io::Error::other)
            .and_then(|()| write_token(&path_of(file), door.token()))
            .map_err(named)?;
    }
    Ok(door)
}

/// Writes a file that only its owner can read; replaces an existing one.
fn write_token(path: &Path, token: &str) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    let new = PathBuf::from(name);
    let written = create_private(&new).and_then(|mut file| file.write_all(format!("{token}\n").as_bytes()));
    let placed = written.and_then(|()| std::fs::rename(&new, path));
    if placed.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    placed
}

/// Announces address and token on standard output.
fn announce(door: &ClientListener) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(door.announcement()?.as_bytes())?;
    out.flush()
}

/// Lets others join a session, if they may. How they do is said on standard error: standard output is the client's.
pub(super) fn share(session: &Session, how: Option<&Share>) -> io::Result<()> {
    let Some(how) = how else { return Ok(()) };
    let shared = session.share(how).map_err(|failure| io::Error::other(failure.message))?;
    io::stderr().write_all(shared_line(&shared).as_bytes())
}

pub(super) fn failed(error: &io::Error) -> u8 {
    eprintln!("Error: {error}");
    1
}

/// `ez debugserver --listen`: one session, for clients one after the other. Ends the process.
/// `file` is the program, absolute.
pub(super) fn debugserver(
    DebugserverArgs { protocol, linger, root, .. }: DebugserverArgs,
    file: Option<PathBuf>,
    listening: &Listening,
    share: Option<Share>,
) -> u8 {
    let envelope = protocol.map(|protocol| match protocol {
        Protocol::Ez => Envelope::Ez,
        Protocol::Jsonrpc => Envelope::JsonRpc,
    });
    let serve = || {
        let directory = working_directory()?;
        let door = open(listening, envelope)?;
        announce(&door)?;
        let engine = move |link| run_engine(Settings { file, directory, root }, link);
        let session = Session::with_lifetime(Lifetime::Clients { linger }, Commands::of_this_process());
        let begin = |session: &Session| self::share(session, share.as_ref());
        serve_session(session, door, Box::new(engine), begin, |status| status)
    };
    match serve() {
        Ok(never) => never,
        Err(error) => failed(&error),
    }
}

/// Runs a session whose engine runs on this thread, which must have a large stack. `begin` is called
/// before clients are accepted; `status` returns the exit status when the session has ended.
pub(super) fn serve_session(
    session: Session,
    door: ClientListener,
    engine: EngineMain,
    begin: impl FnOnce(&Session) -> io::Result<()>,
    status: impl FnOnce(u8) -> u8 + Send + 'static,
) -> io::Result<u8> {
    let (mains, main) = unbounded::<ThreadMain>();
    session.set_door(Arc::<GuestDoor>::default());
    session.start_engine(engine, &move |main| mains.send(main).is_ok());
    // Before clients are accepted, so that they find the program; they can connect already.
    begin(&session)?;
    door.serve(Arc::new(Hub::with(session.clone())))?;
    let waiting = move || {
        let status = status(session.wait(STALL, TERMINATE_GRACE));
        parent::ended(status);
        std::process::exit(i32::from(status))
    };
    threads::spawn("session", waiting)?;
    run_here(&main)
}

/// `ez dap --listen`: sessions one after the other, each for a client that launches a program. `root`: the folder out of
/// which programs reach no file.
pub(super) fn dap(listening: &Listening, root: Option<Root>) -> u8 {
    let serve = || {
        let directory = working_directory()?;
        let door = open(listening, Some(Envelope::Dap))?;
        announce(&door)?;
        let make = move || {
            // The session continues after the program's end until the client ends it.
            let lifetime = Lifetime::Clients { linger: Duration::MAX };
            let session = Session::with_lifetime(lifetime, Commands::of_this_process());
            let settings = Settings { file: None, directory: directory.clone(), root: root.clone() };
            session.set_door(Arc::<GuestDoor>::default());
            session.start_engine(Box::new(move |link| run_engine(settings, link)), &new_thread);
            let waiting = session.clone();
            let wait = move || {
                waiting.wait(STALL, TERMINATE_GRACE);
            };
            if threads::spawn("session", wait).is_err() {
                session.terminate();
            }
            session
        };
        door.serve(Arc::new(Hub::making(Box::new(make))))
    };
    match serve() {
        Ok(()) => loop {
            std::thread::park();
        },
        Err(error) => failed(&error),
    }
}

/// `ez run --debug-listen`: runs a program on this process's standard streams, to which debuggers can attach.
/// Ends the process.
pub(super) fn run(
    Options { file, arguments, deny, memory, .. }: Options,
    debug: Debuggable,
    style: Style,
) -> u8 {
    let file = file.as_str();
    let refuse = |why: &str| {
        if let Some(place) = &debug.announce {
            let data = json!({"type": "event", "event": "error", "data": {"message": why}});
            let _ = announce_to_adapter(place, &format!("{data}\n"));
        }
        1
    };
    let (texts, warnings) = match check_program(&DiskLoader, &show::absolute(file), file) {
        Ok(checked) => {
            let reports = rendered(&checked.diagnostics, &checked.sources, style);
            if checked.program.is_none() {
                show::write_report(&reports);
                return refuse("the program has errors");
            }
            (Texts::new(&checked.sources), reports)
        }
        Err(error) => {
            let text = unreadable(file, &error.reason);
            eprintln!("{text}");
            return refuse(&text);
        }
    };
    let (launch, interpreter) = launch(file, arguments, deny, memory);
    let launch = Launch {
        stop_on_entry: if debug.wait { None } else { Some(false) },
        history: debug.history,
        children: debug.children,
        ..launch
    };
    // A debugger finds it without the session of its parent.
    let _ = parent::announced(file, &launch.args, None);
    match serve_run(launch, interpreter, debug, (texts, &warnings), style) {
        Ok(never) => never,
        Err(error) => failed(&error),
    }
}

/// How to start a program as its command line says, and the interpreter that it sees.
pub(super) fn launch(
    file: &str,
    arguments: Vec<String>,
    deny: Vec<Capability>,
    memory: Option<u64>,
) -> (Launch, String) {
    let mut own = arguments.into_iter();
    let interpreter = own.next().unwrap_or_default();
    let launch = Launch {
        file: Some(file.to_string()),
        args: own.skip(1).collect(),
        deny,
        memory_limit: memory,
        limits: Limits::PREVIEW,
        ..Launch::default()
    };
    (launch, interpreter)
}

fn serve_run(
    launch: Launch,
    interpreter: String,
    debug: Debuggable,
    (texts, warnings): (Texts, &str),
    style: Style,
) -> io::Result<u8> {
    let directory = working_directory()?;
    let door = open(&debug.listening, None)?;
    let announcement = door.announcement()?;
    let run = TerminalRun::with(texts, style);
    let engine = run.engine(interpreter, directory);
    let session = Session::with_lifetime(Lifetime::Program, Commands::of_this_process());
    let begin = |session: &Session| {
        session.launch(launch, !debug.wait);
        let announced = match &debug.announce {
            Some(place) => {
                announce_to_adapter(place, &announcement).and_then(|adapter| end_with(adapter, session))
            }
            None => io::stderr().write_all(announcement.as_bytes()),
        };
        // After the announcement, whose reader expects it to be the first line.
        show::write_report(warnings);
        // Otherwise the program would wait for ever.
        if let (Err(error), true) = (announced, debug.wait) {
            eprintln!("Error: {error}");
            session.terminate();
        }
        Ok(())
    };
    serve_session(session, door, engine, begin, move |_| run.status())
}

/// Sends the adapter that has had this process started a line, after the key. Returns the connection.
fn announce_to_adapter(file: &str, line: &str) -> io::Result<TcpStream> {
    let wrong = |why: &str| io::Error::other(format!("{file}: {why}"));
    let announced = std::fs::read_to_string(path_of(file));
    let announced = announced.map_err(|error| wrong(&ez_runtime::platform::reason(&error)))?;
    let (address, key) = announced.rsplit_once('/').ok_or_else(|| wrong("not HOST:PORT/KEY"))?;
    let mut adapter = TcpStream::connect(address)?;
    adapter.write_all(format!("{key}\n{line}").as_bytes())?;
    Ok(adapter)
}

/// Ends the session if the adapter goes before its client has attached: nobody else could.
fn end_with(mut adapter: TcpStream, session: &Session) -> io::Result<()> {
    let session = session.downgrade();
    let watch = move || {
        if !matches!(adapter.read(&mut [0]), Ok(1))
            && let Some(session) = session.upgrade()
        {
            session.terminate();
        }
    };
    threads::spawn("adapter", watch).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_file_is_the_owners_alone_and_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        std::fs::write(&path, "old").unwrap();
        write_token(&path, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
        assert!(write_token(&directory.path().join("none/token"), "new").is_err());
    }
}
