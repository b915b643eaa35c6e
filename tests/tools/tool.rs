//! Programs that may be missing, and how they are run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use libtest_mimic::{Failed, Trial};

/// A tool that runs longer than this hangs.
const HANG: Duration = Duration::from_secs(120);

/// A test that is run only if its tool is there.
pub fn trial(name: &str, needs: &str, is_there: bool, test: impl FnOnce() + Send + 'static) -> Trial {
    let run = move || {
        catch_unwind(AssertUnwindSafe(test)).map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            Failed::from(
                text.or(panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default(),
            )
        })
    };
    Trial::test(name, run).with_kind(format!("needs {needs}")).with_ignored_flag(!is_there)
}

/// The first of some programs that is on the path.
pub fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let files = directories.iter().flat_map(|directory| names.iter().map(|name| directory.join(name)));
    files.into_iter().find(|program: &PathBuf| program.is_file())
}

/// Whether a command ends well.
pub fn succeeds(command: &str, arguments: &[&str]) -> bool {
    let status = Command::new(command).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Runs a tool to its end; one that takes too long is killed, and the test fails.
pub fn run(command: &mut Command) -> Output {
    support::output_within(command.stdin(Stdio::null()), HANG)
}
