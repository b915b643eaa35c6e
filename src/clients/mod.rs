//! The products that are clients of a session: the debugger for a terminal, the page that shows a run, the prompt,
//! the kernel of notebooks, and the server for agents; and the server for editors, which has none ([`lsp`]).
//!
//! Each has a folder, whose head says how it works; each talks to a session through a
//! [`SessionHandle`](crate::protocol::SessionHandle) and to people or programs in its own way. Which of them a command
//! line asks for is decided in `cli`. What several of them need is here: a session in this process ([`local`]), the
//! shared session that a guest joins ([`joining`]), what is debugged or traced ([`subject`]), and output, which goes to
//! standard output through [`show::print`] and errors to standard error through [`show::write_error`]. [`overwrite`] keeps
//! what a command writes from replacing a program or a recording.

/// Like the standard library's macro, but a standard error that cannot be written ends nothing.
macro_rules! eprint {
    ($($text:tt)*) => { $crate::clients::show::write_error(&format!($($text)*)) };
}

/// Like [`eprint`], with a line end.
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::clients::show::write_error(&(format!($($text)*) + "\n")) };
}

pub mod agents;
pub mod cases;
pub mod cause;
pub mod computation;
pub mod joining;
mod local;
pub mod lsp;
#[cfg(feature = "kernel")]
pub mod notebook;
pub mod overwrite;
pub mod page;
pub mod past;
pub mod prompt;
pub mod show;
pub mod subject;
pub mod terminal;

/// The output of `ez version`.
pub const VERSION: &str = concat!("EZ v2.0.0 (ez-debugger ", env!("CARGO_PKG_VERSION"), ")");
