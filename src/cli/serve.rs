//! Commands that serve a session on standard input and output, or on a socket: `ez debugserver` and `ez dap`.

use std::path::PathBuf;
use std::time::Duration;

use crate::clients::show;
use crate::protocol::{self, SharedFrontEnd};
use ez_engine::api::Share;
use ez_engine::session::{Settings, run_engine};
use ez_runtime::host::{Commands, Root};
use ez_runtime::platform::{self, path_of};

use super::args::{DapArgs, DebugserverArgs};
use super::listen::{self, working_directory};
use super::options::{Action, Protocol, Usage};
use super::parent;

/// `ez dap`: the Debug Adapter Protocol.
pub(super) fn dap(DapArgs { root, listen, entrance }: DapArgs) -> Result<Action, Usage> {
    let listening = entrance.at("--listen", listen)?;
    Ok(Box::new(move || match listening {
        // The session continues after the program's end until the client ends it.
        None => {
            let front_end = protocol::dap::front_end(root.is_some());
            serve_stdio(front_end, None, Duration::MAX, root, None)
        }
        Some(listening) => listen::dap(&listening, root),
    }))
}

/// `ez debugserver`: the EZ debug protocol.
pub(super) fn debugserver(mut given: DebugserverArgs) -> Result<Action, Usage> {
    let listens = given.listen.is_some();
    let share = given.share.take().map(|address| given.entrance.share(address, listens)).transpose()?;
    let entrance = std::mem::take(&mut given.entrance);
    let listening = entrance.at("--listen", given.listen.take())?;
    Ok(Box::new(move || {
        if given.describe {
            show::print(protocol::ez::description::DOCUMENT);
            return 0;
        }
        // Clients may test whether a debugger exists by naming a file that does not.
        if let Some(file) = &given.file
            && let Err(error) = std::fs::metadata(path_of(file))
                .and_then(readable)
                .and_then(|()| platform::open_to_read(&path_of(file)))
        {
            eprintln!("{}", show::unreadable(file, &platform::reason(&error)));
            return 1;
        }
        let file = given.file.as_ref().and_then(|file| std::path::absolute(path_of(file)).ok());
        if let Some(file) = &file {
            // Its client has the control of it.
            let _ = parent::announced(&file.to_string_lossy(), &[], None);
        }
        if let Some(listening) = listening {
            return listen::debugserver(given, file, &listening, share);
        }
        let front_end = match given.protocol {
            None => protocol::detecting(),
            Some(Protocol::Ez) => protocol::ez::front_end(),
            Some(Protocol::Jsonrpc) => protocol::rpc::front_end(),
        };
        serve_stdio(front_end, file, given.linger, given.root, share)
    }))
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
    listen::failed(&error)
}

fn readable(found: std::fs::Metadata) -> std::io::Result<()> {
    match () {
        () if found.is_file() => Ok(()),
        () if found.is_dir() => Err(std::io::ErrorKind::IsADirectory.into()),
        // Opening it might wait for ever.
        () => Err(std::io::Error::other("not a regular file")),
    }
}
