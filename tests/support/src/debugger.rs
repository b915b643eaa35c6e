//! What tests of `ez debug` share: a copy of the programs in `testdata/debug`, and a run with commands from
//! a pipe.

use std::io::Write;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::ez_path;

/// A run that takes longer than this hangs, and is ended.
pub const HANG: Duration = Duration::from_secs(60);

/// The programs and scripts.
pub fn testdata() -> PathBuf {
    super::testdata("debug")
}

/// A directory with copies of the programs, in which a test may write.
pub fn copy() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    copy_files(&testdata(), directory.path());
    directory
}

fn copy_files(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => {
                std::fs::create_dir(&target).unwrap();
                copy_files(&path, &target);
            }
            false => drop(std::fs::copy(&path, target).unwrap()),
        }
    }
}

/// What a run has written, and how it ended.
pub struct Played {
    pub out: String,
    pub errors: String,
    pub status: Option<i32>,
}

/// Runs `ez debug` in a directory with commands from a pipe.
pub fn play(directory: &Path, arguments: &[&str], commands: &str) -> Played {
    let mut command = Command::new(ez_path());
    command.arg("debug").args(arguments).current_dir(directory).env_remove("NO_COLOR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A debugger that has ended needs no more commands.
    let _ = child.stdin.take().unwrap().write_all(commands.as_bytes());
    let process = child.id().to_string();
    let (ended, waiting) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        if waiting.recv_timeout(HANG).is_err() {
            let _ = Command::new("kill").args(["-9", &process]).status();
        }
    });
    let output = child.wait_with_output().unwrap();
    let _ = ended.send(());
    // Temporary directories have other names each time.
    let text = |bytes: &[u8]| {
        let real = directory.canonicalize().unwrap();
        let text = String::from_utf8_lossy(bytes).into_owned();
        let [real, given] = [&real, directory].map(|path| path.join("").display().to_string());
        let project = format!("project{MAIN_SEPARATOR}");
        text.replace(&real, "").replace(&given, "").replace(&project, "project/")
    };
    Played { out: text(&output.stdout), errors: text(&output.stderr), status: output.status.code() }
}
