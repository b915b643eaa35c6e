//! What a page cannot do.

#![allow(dead_code, reason = "the same names as on other systems")]

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use super::names::SHELL;
use crate::platform::{OpenFlags, Signal, StandardStreams};

fn unsupported<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

fn no_file<T>() -> io::Result<T> {
    Err(io::ErrorKind::NotFound.into())
}

/// The identity of a file; there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileIdentity {}

pub fn open(_: &Path, _: OpenFlags, _: u32) -> io::Result<File> {
    no_file()
}

pub fn open_with_mode(_: &mut OpenOptions, _: u32, _: &Path) -> io::Result<File> {
    no_file()
}

pub fn open_as_only_writer(_: &mut OpenOptions, _: &Path) -> io::Result<File> {
    unsupported()
}

pub fn create_private(_: &Path) -> io::Result<File> {
    unsupported()
}

pub fn make_directory(_: &Path, _: u32) -> io::Result<()> {
    unsupported()
}

pub fn is_own(_: &Metadata) -> bool {
    true
}

pub fn permissions(_: &Metadata) -> u32 {
    0o644
}

pub fn set_permissions(_: &File, _: u32) -> io::Result<()> {
    unsupported()
}

pub fn names_of(_: &Path) -> io::Result<u64> {
    no_file()
}

pub fn may_write(_: &Path) -> bool {
    false
}

pub fn keep_attributes(_: &File, _: &Path) -> io::Result<()> {
    unsupported()
}

pub fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    unsupported()
}

pub fn file_identity(_: &Path) -> io::Result<FileIdentity> {
    no_file()
}

pub fn reveals_processes(_: &Path) -> bool {
    false
}

pub fn shell_directory(_: &Path) -> io::Result<PathBuf> {
    unsupported()
}

pub fn shell(_: &str) -> Command {
    Command::new(SHELL)
}

pub fn decoded_output(output: Vec<u8>) -> Vec<u8> {
    output
}

pub fn without_window(_: &mut Command) {}

/// A group of processes; there are none.
#[derive(Debug)]
pub enum ProcessGroup {}

impl ProcessGroup {
    pub fn has_members(&self) -> bool {
        match *self {}
    }

    pub fn kill(&self) {
        match *self {}
    }
}

pub fn spawn_in_group(_: &mut Command) -> io::Result<(Child, ProcessGroup)> {
    unsupported()
}

pub fn adopt_orphans() {}

pub fn reap_all() {}

pub fn kill_children_except(_: &[u32]) {}

pub fn end_family(_: &mut Child) -> io::Result<()> {
    unsupported()
}

pub fn ending_signal(_: ExitStatus) -> Option<Signal> {
    None
}

pub fn on_interrupt(_: impl FnMut() + Send + 'static) -> io::Result<()> {
    unsupported()
}

pub fn before_signal_ends(_: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
    unsupported()
}

pub fn end_as_by_signal(_: i32) -> ! {
    std::process::abort()
}

pub fn prepare_process() {}

/// Watches who reads an output; there is none.
#[derive(Debug)]
pub enum ReaderWatch {}

impl ReaderWatch {
    pub fn wait_closed(&self) -> bool {
        match *self {}
    }
}

pub fn take_standard_streams() -> io::Result<StandardStreams> {
    unsupported()
}

pub fn listen_everywhere(_: u16) -> io::Result<TcpListener> {
    unsupported()
}

pub fn disconnect(_: &TcpStream) {}

pub fn wait_for_client(_: &TcpListener, _: Duration) {}

pub fn limit_unsent(_: &TcpStream, _: usize) {}
