//! Threads of the process.
//!
//! # The threads of the program
//!
//! | thread | what it does | what it may block on |
//! |---|---|---|
//! | the interpreter's; in `ez debugserver` and `ez debug` the process's first | all about the program: loading, running, the engine, reading from the client while the program is stopped, writing the engine's messages | requests, while the program is stopped or does not run; input, sleeps, jobs and a full outbox, all of which a request interrupts; a write to a client that does not read, which cannot be interrupted (the session ends without this thread) |
//! | session | timers of the session's state machine, the end of the session and of the process | the session's progress |
//! | front end, in `ez debug` | carries out commands, sends requests to the session, shows its messages | a typed line; messages of the session |
//! | typing, in `ez debug` on a terminal or in a shared session; messages, on a terminal | reads a line when the front end asks for one; shows messages above a line that is being typed | standard input; the line editor |
//! | Ctrl+C, in `ez debug` on a terminal | requests a pause | the signal |
//! | reader | reads from the client | the client; its turn to read |
//! | writer | writes to the client | an empty outbox; the client |
//! | output | notices that the client has closed its end of the output | that stream |
//! | listener, client and closing, if a session is served over a socket | accept connections; admit a client, then read as the reader does; close the connection of a client that leaves, or the listener | a connection; its turn, or the end of the previous client |
//! | announced and announcement, in an adapter whose program is to run in a terminal; adapter, in that program until a client has attached | wait for the program's announcement; notice that the adapter has gone | a connection, at most five seconds for what it says; the adapter |
//! | sessions, in an adapter that has asked for the session of a child process | lets the process run if the session has not come after 30 seconds | that time |
//! | configuration, in an adapter whose client sends no `configurationDone` | starts the program when no request has come for half a second | that time |
//! | children, from the first command of a program whose child processes are followed; child, for each of these | accept their connections; receive the announcement and the end of a child process | a connection; the child process, which has two seconds for its announcement |
//! | parent, in a child process | obeys the session of the program that has started it | that session |
//! | watchdog, from the first evaluation with a time limit on | raises the interrupt at the deadline | its condition variable |
//! | input, if the program has a terminal of its own | reads one line of input at a time | its standard input |
//! | connecting, in an adapter whose program runs in another process | connects to its session | the announcement of the program; the connection |
//! | session reader and session writer, in an adapter or another client of a session in another process | pass on messages | the session; the client of the adapter, while too much output for it is undelivered |
//! | reader, in `ez lsp`, whose first thread answers | reads from the editor | the editor; messages that are not yet carried out |
//! | server, in `ez mcp`, whose first thread reads from the client; call, for each call of a tool | answer messages; carry out the call | messages; the client; the program's process |
//! | cases, in `ez test`; case, for each stream of a case's process | run cases, one after the other; read what the process prints | that process, for as long as it may take; the stream, and output that is not compared yet |
//! | a job's | one file operation, command or web request of the program | any wait in the operating system |
//! | past | a worker: runs the program's past, from its beginning on | orders; requests, while it is stopped |
//! | checkpoint, for each copy of the process that was used | passes on the messages of the copy | the copy |
//! | an offloaded call's | one long library computation, on data that is not shared with any value | nothing |
//! | a web client's | one connection to a server that the program has opened | that connection |
//!
//! All of them end with the process. The guard of a program's commands (on Unix) is a process of its own, so that
//! it can outlive this one until it has ended the commands. A copy of the process has the program's thread, and
//! during a journey one that reads from the socket; it ends with the original.
//!
//! `ez FILE` has one thread, unless it is a child process of a session: the host has no interrupt flag, and jobs
//! are carried out when the program waits for them. While standard output is not a terminal and the address space
//! is not limited, or with `--record`, there is one more: it waits for Ctrl+C or another signal that is not
//! ignored, writes the buffered output and the recording's end, and ends the process by that signal. With
//! `--record` a third writes the recorder's buffer to the file after a short delay.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle};

/// Runs `work` on a new thread with this name.
///
/// # Errors
/// If no thread can be created. `work` has been dropped then.
pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    start(Builder::new().name(name.into()), Box::new(work))
}

/// Bytes of the stacks of the threads that [`spawn_with_stack`] has started and that run, or were the last to end. (No
/// lock: a copy of the process reads it.)
static STACKS: AtomicU64 = AtomicU64::new(0);

/// The most bytes that these were at the same time.
static MOST_STACKS: AtomicU64 = AtomicU64::new(0);

/// Bytes of the stack whose thread has ended last: the system takes it back some time later.
static ENDED_STACK: AtomicU64 = AtomicU64::new(0);

/// The most bytes that stacks of [`spawn_with_stack`] have had at the same time. The system may keep those of threads
/// that have ended, so the number never falls.
pub fn stacks() -> u64 {
    MOST_STACKS.load(Ordering::Relaxed)
}

/// A stack of a thread that runs, or was the last to end.
struct Stack(u64);

impl Stack {
    fn new(size: usize) -> Stack {
        let size = size as u64;
        MOST_STACKS.fetch_max(STACKS.fetch_add(size, Ordering::Relaxed) + size, Ordering::Relaxed);
        Stack(size)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        STACKS.fetch_sub(ENDED_STACK.swap(self.0, Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Like [`spawn`], with a stack of this size in bytes.
///
/// # Errors
/// As [`spawn`].
pub fn spawn_with_stack(
    name: &str,
    stack: usize,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let counted = Stack::new(stack);
    let work = move || {
        let _counted = counted;
        work();
    };
    start(Builder::new().name(name.into()).stack_size(stack), Box::new(work))
}

/// Not generic, since what the standard library makes of each type of closure is long.
fn start(thread: Builder, work: Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>> {
    let failed =
        |error: io::Error| io::Error::new(error.kind(), format!("no thread can be started: {error}"));
    thread.spawn(work).map_err(failed)
}
