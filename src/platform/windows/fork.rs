//! Copies of the running process, which this system does not make.

use std::io::{self, Read, Write};

/// A way to another process of this program. There is none.
#[derive(Debug)]
pub enum Link {}

/// A copy of this process. There is none.
#[derive(Debug)]
pub enum ProcessCopy {}

/// Which of two processes this is.
#[derive(Debug)]
pub enum Copied {
    Original(ProcessCopy),
    Copy(Link),
}

pub fn copy_process() -> io::Result<Copied> {
    Err(io::ErrorKind::Unsupported.into())
}

pub fn stand_in() -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}

pub fn look_ahead(link: &Link, _: &mut [u8]) -> io::Result<usize> {
    match *link {}
}

pub fn end_copy() -> ! {
    std::process::exit(0)
}

impl ProcessCopy {
    pub fn link(&self) -> &Link {
        match *self {}
    }

    pub fn own_memory(&self) -> Option<u64> {
        match *self {}
    }
}

impl Link {
    pub fn try_clone(&self) -> io::Result<Link> {
        match *self {}
    }
}

impl Read for Link {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }
}

impl Write for Link {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match *self {}
    }
}
