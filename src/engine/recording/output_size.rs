//! How much a program has written.

use ez_runtime::value::Stream;

/// Numbers of bytes that were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputSize {
    /// To both streams, with what evaluations of the debugger have written.
    both: u64,
    /// By the program itself to standard output.
    stdout: u64,
    /// By the program itself to standard error.
    stderr: u64,
}

impl OutputSize {
    /// So many bytes more were written, by the program itself or by an evaluation.
    pub fn add(&mut self, stream: Stream, bytes: usize, by_evaluation: bool) {
        self.both += bytes as u64;
        match stream {
            _ if by_evaluation => {}
            Stream::Stdout => self.stdout += bytes as u64,
            Stream::Stderr => self.stderr += bytes as u64,
        }
    }

    /// How many the program itself has written to a stream; `None`: to both, with what evaluations have written.
    pub fn to(&self, stream: Option<Stream>) -> u64 {
        match stream {
            None => self.both,
            Some(Stream::Stdout) => self.stdout,
            Some(Stream::Stderr) => self.stderr,
        }
    }
}
