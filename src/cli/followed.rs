//! `ez run` of a program that its parent's session follows: it runs in a session of its own.

use std::path::PathBuf;

use crate::clients::show::Style;
use crate::protocol::address::Address;
use crate::protocol::listen::ClientListener;
use ez_engine::api::Launch;
use ez_engine::session::children::ChildSettings;
use ez_engine::session::{Lifetime, Session};
use ez_runtime::host::{Commands, inherited_value};
use ez_runtime::source::SourceMap;

use super::listen::{failed, launch, serve_session};
use super::options::Options;
use super::parent::{Followed, announced, ended};
use super::terminal_run::TerminalRun;

/// Announces the program of `ez FILE` or `ez run`, if its parent's session wants to know. Returns how it is to run in
/// a session, and where clients come in; `None` if it is to run without.
pub(super) fn announced_run(options: &Options, from_stdin: bool) -> Option<(ClientListener, Followed)> {
    let door = child_door(options, from_stdin);
    let entrance = door.as_ref().and_then(|door| door.entrance().ok());
    let arguments = options.arguments.get(2..).unwrap_or_default();
    door.zip(announced(&options.file, arguments, entrance))
}

/// Where debuggers could attach to a program that may be the child process of a debugged one. `None` if it can
/// run without a debugger only.
fn child_door(options: &Options, from_stdin: bool) -> Option<ClientListener> {
    let is_debuggable =
        !from_stdin && options.time.is_none() && options.record.is_none() && options.root.is_none();
    let _ = inherited_value().filter(|_| is_debuggable)?;
    let address = Address::parse("127.0.0.1:0", false).ok()?;
    ClientListener::open(&address, None).ok()
}

/// Runs a program whose parent's session follows it, on this process's standard streams. Ends the process.
pub(super) fn run_followed(
    Options { file, arguments, deny, memory, .. }: Options,
    texts: &SourceMap,
    door: ClientListener,
    followed: Followed,
    style: Style,
) -> u8 {
    let (launch, interpreter) = launch(&file, arguments, deny, memory);
    let ChildSettings { stop_on_entry, history } = followed.settings;
    let launch = Launch { stop_on_entry, history, ..launch };
    let files: Vec<PathBuf> = texts.files().into_iter().map(|file| file.path.clone()).collect();
    let run = TerminalRun::new(texts, style);
    let serve = || {
        let engine = run.engine(interpreter, std::env::current_dir()?);
        let session = Session::with_lifetime(Lifetime::Child, Commands::of_this_process());
        let begin = |session: &Session| {
            session.launch(launch, false);
            followed.control(session, &files);
            Ok(())
        };
        serve_session(session, door, engine, begin, move |_| run.status())
    };
    match serve() {
        Ok(never) => never,
        Err(error) => {
            ended(1);
            failed(&error)
        }
    }
}
