//! Tests of ending the commands of a program.

#![cfg(unix)]
#![allow(clippy::expect_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::*;

/// A guard that leaves a file when it ends.
fn guard_in(folder: &Path) -> (GuardProgram, PathBuf) {
    let (program, ended) = (folder.join("guard"), folder.join("ended"));
    let text = format!("#!/bin/sh\ncat >/dev/null\n: >'{}'\n", ended.display());
    fs::write(&program, text).expect("is written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("is made executable");
    (GuardProgram::new(program), ended)
}

#[test]
fn who_ends_commands_while_another_one_does_waits_for_that_too() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let (program, ended) = guard_in(folder.path());
    let commands = Commands::guarded(program);
    let command = ShellCommand { text: String::new(), variables: vec![], directory: "/".into() };
    commands.start_guarded(&command, false).expect("a guard starts");
    let (first, others) = (commands.clone(), commands.clone());
    let first = std::thread::spawn(move || first.end(false));
    while !others.state().closed {
        std::thread::yield_now();
    }
    let since = Instant::now();
    commands.end(true);
    // Nobody waits for a guard for longer.
    assert!(ended.exists() || since.elapsed() >= Duration::from_secs(1));
    first.join().expect("joins");
}
