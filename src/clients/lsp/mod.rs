//! `ez lsp`: a server of the Language Server Protocol 3.17 on standard input and output.
//!
//! A thread reads, and notes which requests are cancelled before their turn ([`cancelling`]); this one carries out
//! messages in their order ([`server`]). The texts of open documents
//! ([`documents`]) lie over the disk's ([`loader`]); after a message that cannot be read, the text that it was about is
//! not known ([`text`]), and nothing is computed from it. After a change the reports are published when nothing has come for a while; a
//! request is answered at once, from an analysis of the texts as they are ([`ez_language::analysis`]). A request that panics
//! is answered with an error.

mod actions;
mod answers;
mod asked;
mod cancelling;
mod documents;
mod forms;
#[cfg(any(test, fuzzing))]
#[path = "../../../fuzz/inside/lsp.rs"]
pub mod fuzz;
mod loader;
mod meanings;
mod positions;
mod programs;
mod reports;
mod server;
mod synchronization;
mod text;
mod workspace;
mod writing;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use serde_json::{Value, json};

use crate::protocol::framing::{Frame, Framing};
use ez_runtime::host::note_lost_output;
use ez_runtime::threads;

use cancelling::Cancelled;
use server::Server;

/// How long nothing has to come before reports are published.
const PAUSE: Duration = Duration::from_millis(150);

/// How often it is looked whether the process that has started the server is still there.
const LOOKS: Duration = Duration::from_secs(2);

/// The longest message that is taken, in bytes: the other end is the person's own editor, which sends what it has. A
/// larger number is none that an editor means.
const LIMIT: u64 = 1 << 30;

/// Messages that have been read and not yet carried out.
const AHEAD: usize = 1000;

/// Serves an editor until it says `exit` or its end of the connection is closed.
///
/// # Errors
/// If no thread can be started.
pub fn lsp() -> Result<u8, String> {
    let (sender, frames) = bounded(AHEAD);
    let cancelled = Arc::new(Cancelled::default());
    let noted = cancelled.clone();
    let read = move || {
        let (mut framing, mut bytes) = (Framing::with_limit(LIMIT), vec![0; 1 << 16]);
        while let Ok(count @ 1..) = io::stdin().lock().read(&mut bytes) {
            for frame in framing.feed(bytes.get(..count).unwrap_or_default()) {
                noted.note(&frame);
                if sender.send(frame).is_err() {
                    return;
                }
            }
        }
    };
    threads::spawn("reader", read).map_err(|error| error.to_string())?;
    Ok(serve(&frames, cancelled))
}

fn serve(frames: &Receiver<Frame>, cancelled: Arc<Cancelled>) -> u8 {
    let mut server = Server::new(cancelled);
    let mut changed: Option<Instant> = None;
    loop {
        let frame = match changed {
            None if server.watches_parent() => frames.recv_timeout(LOOKS),
            None => frames.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(at) => frames.recv_deadline(at + PAUSE),
        };
        let messages = match frame {
            Ok(Frame::Message(body)) => server.receive(&body),
            Ok(Frame::Wrong(why)) => server.lost(&why),
            // Somebody else may hold the other end of the connection open.
            Err(RecvTimeoutError::Timeout) if server.is_abandoned() => return server.status(),
            Err(RecvTimeoutError::Timeout) if changed.is_none() => Vec::new(),
            Err(RecvTimeoutError::Timeout) => server.reports(),
            // Without `exit` it ends as if it had come.
            Err(RecvTimeoutError::Disconnected) => return server.status(),
        };
        for message in messages {
            if let Err(why) = send(message) {
                note_lost_output(&why);
                return 1;
            }
        }
        if server.has_ended() {
            return server.status();
        }
        changed = server.takes_changes().then(Instant::now).or(changed.filter(|_| server.has_changes()));
    }
}

/// Writes a message.
///
/// # Errors
/// If the editor has gone, or it cannot be written.
fn send(message: Value) -> io::Result<()> {
    let mut whole = json!({"jsonrpc": "2.0"});
    if let (Value::Object(whole), Value::Object(fields)) = (&mut whole, message) {
        whole.extend(fields);
    }
    let body = whole.to_string();
    let mut out = io::stdout().lock();
    write!(out, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    out.flush()
}
