//! The `ez` command.

use std::process::ExitCode;

#[cfg(target_env = "musl")]
use ez_runtime::platform::LargeFromSystem;
#[cfg(target_env = "musl")]
use mimalloc::MiMalloc;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: LargeFromSystem<MiMalloc> = LargeFromSystem(MiMalloc);

fn main() -> ExitCode {
    ez_debugger::cli::main()
}
