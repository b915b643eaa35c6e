//! Systems where a program has threads, so that it needs no other instances of itself.

use std::io;

/// Another instance; there is never one.
#[derive(Debug)]
pub enum Instance {}

pub fn start_instance() -> io::Result<Instance> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Instance {
    pub fn send(&self, _: &[u8]) {
        match *self {}
    }

    pub fn receive(&self, _: &mut Vec<u8>) {
        match *self {}
    }
}
