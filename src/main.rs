//! The `ez` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ez_debugger::cli::main()
}
