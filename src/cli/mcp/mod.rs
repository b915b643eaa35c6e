//! `ez mcp`: a server of the Model Context Protocol, with which language models check, run and debug programs.
//!
//! Standard output is for the protocol only. Each program is checked and run by a process of its own
//! ([`debuggee`]), so that no program can end or stall the server.

mod answer;
mod arguments;
mod call;
mod captured;
mod client;
mod debuggee;
mod documents;
mod messages;
mod process;
mod prompts;
mod reply;
mod resources;
mod schema;
mod server;
mod session;
mod sources;
mod tools;
mod versions;

use std::io::{self, Read};
use std::path::Path;

use crate::host::Root;
use crate::platform;
use crate::protocol::lines::{LIMIT, Lines};

use process::Processes;
use server::Server;

/// The options of `ez mcp`.
#[derive(Debug, PartialEq)]
pub(super) struct Options {
    /// The folder to which files are confined; `None`: the current directory.
    pub root: Option<Root>,
    /// Whether programs may use the network.
    pub allow_net: bool,
}

/// Serves the client at standard input and output until the input ends.
pub(super) fn mcp(options: Options) -> u8 {
    let root = match options.root.map_or_else(|| Root::new(Path::new(".")), Ok) {
        Ok(root) => root,
        Err(error) => {
            eprintln!("Error: the current directory: {}", platform::reason(&error));
            return 1;
        }
    };
    let processes = Processes::default();
    let mut server = Server::new(root, options.allow_net, processes.clone());
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
            match line {
                Ok(line) => server.line(&line),
                Err(_) => server.too_long(LIMIT),
            }
        }
    }
    processes.end();
    0
}
