//! `ez FILE` as signals end it: what the program has printed is not lost.

#![cfg(unix)]
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use support::{ez, ez_path};
use tempfile::TempDir;

/// Prints less than the buffer holds, makes a folder when it has, which does not write the buffer, and never ends.
const PRINTS: &str = "import @std, @io\nusing std\ndo main() {\n    for i in range(0, 1000) { println(i) }\n    temp done, e = io.mkdir(\"printed\")\n    as_long_as true { }\n}\n";

fn directory(program: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("p.ez"), program).unwrap();
    directory
}

fn start(command: &mut Command, directory: &Path) -> Child {
    command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap()
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

fn thousand_lines() -> String {
    (0..1000).map(|line| format!("{line}\n")).collect()
}

/// What is printed until the end, and the signal that ended the program.
fn end_of(child: &mut Child) -> (String, Option<i32>) {
    let mut printed = String::new();
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    (printed, support::wait(child).signal())
}

#[test]
fn buffered_output_is_written_before_the_end() {
    let timed = ["p.ez", "--time", "1000s"];
    for (arguments, signal) in [
        (&["p.ez"][..], Signal::INT),
        (&["p.ez"], Signal::TERM),
        (&["p.ez"], Signal::HUP),
        (&timed, Signal::INT),
    ] {
        let directory = directory(PRINTS);
        let mut child = start(ez().args(arguments), directory.path());
        support::wait_until(|| directory.path().join("printed").exists());
        send(&child, signal);
        assert_eq!(end_of(&mut child), (thousand_lines(), Some(signal.as_raw())), "{arguments:?}");
    }
}

#[test]
fn a_program_whose_output_nobody_reads_ends() {
    let endless = "import @std, @io\nusing std\ndo main() {\n    for i in range(0, 1000) { println(i) }\n    temp done, e = io.mkdir(\"printed\")\n    as_long_as true { println(\"again\") }\n}\n";
    let directory = directory(endless);
    let mut child = start(ez().arg("p.ez"), directory.path());
    support::wait_until(|| directory.path().join("printed").exists());
    send(&child, Signal::INT);
    assert_eq!(support::wait(&mut child).signal(), Some(Signal::INT.as_raw()));
    let mut printed = String::new();
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    let seen = printed.get(..thousand_lines().len()).unwrap_or(&printed);
    assert_eq!(seen, thousand_lines());
}

#[cfg(target_os = "linux")]
#[test]
fn signals_that_the_starting_process_ignores_stay_ignored() {
    let directory = directory(PRINTS);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' INT HUP; exec \"$0\" p.ez"]).arg(ez_path());
    support::signals::stop_ignoring();
    let mut child = start(&mut shell, directory.path());
    support::wait_until(|| directory.path().join("printed").exists());
    for signal in [Signal::INT, Signal::HUP, Signal::TERM] {
        send(&child, signal);
    }
    assert_eq!(end_of(&mut child), (thousand_lines(), Some(Signal::TERM.as_raw())));
}
