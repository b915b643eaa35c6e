//! `ez mcp`: a server of the Model Context Protocol, with which language models check, run and debug programs.
//!
//! Standard output is for the protocol only. Each program is checked and run by a process of its own
//! ([`debuggee`]), so that no program can end or stall the server.

mod answer;
mod arguments;
mod call;
mod captured;
mod client;
mod commands;
mod debuggee;
mod documents;
mod messages;
mod others;
mod process;
mod prompts;
mod reply;
mod resources;
mod schema;
mod server;
mod session;
mod shown;
mod sources;
mod tools;
mod versions;

use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::protocol::lines::{LIMIT, Line, Lines, TooLong};
use ez_runtime::host::Root;
use ez_runtime::platform;
use ez_runtime::threads;

use process::Processes;
use server::Server;

/// How many messages may wait to be answered.
const QUEUE: usize = 16;

/// How long answers may take to be written when the input has ended.
const GRACE: Duration = Duration::from_secs(1);

/// The options of `ez mcp`.
#[derive(Debug, PartialEq)]
pub struct Options {
    /// The folder to which files are confined; `None`: the current directory.
    pub root: Option<Root>,
    /// Whether programs may use the network.
    pub allow_net: bool,
}

/// Serves the client at standard input and output until the input ends.
pub fn mcp(options: Options) -> Result<u8, String> {
    let root = options.root.map_or_else(current_directory, Ok)?;
    let processes = Processes::default();
    let server = Server::new(root, options.allow_net, processes.clone());
    let (sender, messages) = bounded(QUEUE);
    let (alive, ended) = bounded::<()>(0);
    let work = move || {
        answer(server, &messages);
        drop(alive);
    };
    threads::spawn("server", work)
        .map_err(|error| format!("Error: no thread to serve the client: {}", platform::reason(&error)))?;
    read(&sender);
    drop(sender);
    // What has arrived before the end is answered, unless the client does not read.
    let _ = ended.recv_timeout(GRACE);
    processes.end();
    Ok(0)
}

/// The current directory as the root.
///
/// # Errors
/// If it is that of the whole file system, as some clients start their servers: nobody has meant that.
fn current_directory() -> Result<Root, String> {
    let root = Root::new(Path::new("."))
        .map_err(|error| format!("Error: the current directory: {}", platform::reason(&error)))?;
    match root.path().parent() {
        Some(_) => Ok(root),
        None => {
            Err("Error: the current directory is the root of the file system; name a folder with --root"
                .into())
        }
    }
}

/// Reads the client's messages until its input ends.
fn read(messages: &Sender<Line>) {
    let mut lines = Lines::default();
    let mut buffer = vec![0; 1 << 16];
    let mut input = io::stdin();
    let mut is_over = false;
    while !is_over {
        let found = match input.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(read) if read > 0 => lines.feed(buffer.get(..read).unwrap_or_default()),
            Ok(_) | Err(_) => {
                is_over = true;
                lines.end().into_iter().collect()
            }
        };
        for line in found {
            if messages.send(line).is_err() {
                return;
            }
        }
    }
}

fn answer(mut server: Server, messages: &Receiver<Line>) {
    for line in messages {
        match line {
            Ok(line) => server.line(&line),
            Err(TooLong) => server.too_long(LIMIT),
        }
    }
}
