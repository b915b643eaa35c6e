//! A session in this process, with a program in memory and one client, which sends what it is given.

use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ez_debugger::protocol::SharedFrontEnd;
use ez_debugger::protocol::transport::{Connection, serve};
use ez_engine::debug::KeepAlive;
use ez_engine::session::{EngineLink, Session, new_thread, run_engine_in_memory};
use ez_runtime::host::{Commands, MemoryFiles};
use serde_json::Value;

use super::texts::{MAIN, files};

/// Whether a request is left out: it would reach what is outside of the process.
pub fn reaches_outside(lines: &str) -> bool {
    lines.contains("\"share\"") || lines.contains("\"replay\"")
}

/// How long a client that waits sees nothing before it sends more, and how often it looks at most.
const QUIET: Duration = Duration::from_millis(2);
const LOOKS: usize = 25;

/// What the client sends, in pieces, and what it is sent, if it waits for that before each.
struct Input {
    pieces: std::vec::IntoIter<Vec<u8>>,
    awaited: Option<Output>,
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.awaited.iter().for_each(Output::settle);
        let Some(piece) = self.pieces.next() else { return Ok(0) };
        let size = piece.len().min(into.len());
        into[..size].copy_from_slice(&piece[..size]);
        assert_eq!(size, piece.len(), "the pieces are smaller than what is read at once");
        Ok(size)
    }
}

#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Output {
    /// Waits until nothing more is written.
    fn settle(&self) {
        let mut last = usize::MAX;
        for _ in 0..LOOKS {
            let size = self.0.lock().expect("not poisoned").len();
            if std::mem::replace(&mut last, size) == size {
                return;
            }
            std::thread::sleep(QUIET);
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("not poisoned").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The engine of a session with a program in memory.
pub fn engine(program: &str) -> impl FnOnce(EngineLink) -> KeepAlive + Send + 'static {
    let mut texts: Vec<(String, String)> =
        files(program).into_iter().map(|(path, text)| (path.to_string_lossy().into_owned(), text)).collect();
    // By a relative name, too: the working directory is the root.
    if let Some((_, text)) = texts.first().cloned() {
        texts.push(("/main.ez".into(), text));
    }
    move |link| run_engine_in_memory(&texts, MemoryFiles::default(), Some(MAIN.into()), link)
}

/// All that a session writes to a client that sends these bytes, in pieces of this size.
pub fn written(program: &str, front_end: SharedFrontEnd, bytes: &[u8], piece: usize) -> Vec<u8> {
    let pieces = bytes.chunks(piece).map(<[u8]>::to_vec).collect();
    written_after(program, front_end, pieces, false)
}

/// The same of these pieces; `waits` says whether the client waits for answers before each.
pub fn written_after(program: &str, front_end: SharedFrontEnd, pieces: Vec<Vec<u8>>, waits: bool) -> Vec<u8> {
    let output = Output::default();
    let awaited = waits.then(|| output.clone());
    let connection = Connection {
        reader: Box::new(Input { pieces: pieces.into_iter(), awaited }),
        writer: Box::new(output.clone()),
        watched: None,
    };
    let begin = Box::new(|_: &Session| Ok(()));
    let (engine, commands) = (Box::new(engine(program)), Commands::unguarded());
    serve(connection, front_end, Duration::ZERO, commands, engine, &new_thread, begin).expect("threads");
    output.0.lock().expect("not poisoned").clone()
}

/// The longest piece.
pub const PIECE: usize = 16_384;

/// How an input's bytes are divided.
pub fn piece(data: &[u8]) -> usize {
    if data.len().is_multiple_of(3) { 7 } else { PIECE }
}

/// The values of a field of the messages before the first that ends the session, each with its line; `None` if a value
/// is there twice, so that answers cannot be told apart. `kind` is the field that names the request.
pub fn asked<'a>(lines: &'a str, field: &str, kind: &str) -> Option<Vec<(Value, &'a str)>> {
    let mut seen = HashSet::new();
    let (mut found, mut has_ended) = (Vec::new(), false);
    for line in lines.split('\n') {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        has_ended |= matches!(message[kind].as_str(), Some("terminate" | "disconnect"));
        let Some(value) = message.get(field) else { continue };
        if !seen.insert(value.to_string()) {
            return None;
        }
        if !has_ended {
            found.push((value.clone(), line));
        }
    }
    Some(found)
}
