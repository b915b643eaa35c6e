//! The `ez` command line.
//!
//! `args` declares the commands and flags, `action::parse` turns a command line into an `Action`, which runs on a
//! large stack; each short command has a file, the others are in `clients`. Output that cannot be written makes the
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
mod followed;
mod listen;
mod man;
mod options;
mod parent;
mod playground;
mod replay;
mod rewrite;
mod run;
mod serve;
mod syntax;
mod terminal_run;
mod test;
mod time_limit;
mod usage;
mod watch;

use std::process::ExitCode;

use crate::clients::show;
use ez_runtime::host::{self, GuardProgram};
use ez_runtime::interp::STACK_SIZE;
use ez_runtime::platform;

use options::{Action, Usage};

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
        Ok(action) => match on_big_stack(action) {
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
fn on_big_stack(action: Action) -> u8 {
    // Checked here, where the failure can be reported.
    if !ez_runtime::value::memory::can_allocate((STACK_SIZE + ROOM) as u64) {
        eprintln!(
            "Error: there is not enough memory: {} MiB of address space are needed",
            (STACK_SIZE + ROOM) >> 20
        );
        return 1;
    }
    platform::with_stack(STACK_SIZE, action).unwrap_or_else(|error| {
        eprintln!("Error: no thread to run on: {}", platform::reason(&error));
        1
    })
}
