//! The format of a recording's file: lines of JSON with checksums.
//!
//! The first line is the [`Header`]; then come the [`HostCall`](crate::recording::HostCall)s in order; the last
//! line is the [`End`], if the end was recorded. After the JSON, each line has a tab and eight hexadecimal
//! digits: the CRC-32 of the JSON of this and all previous lines.

use std::path::{Path, PathBuf, is_separator};

use serde::{Deserialize, Serialize};

use ez_language::modules::Snapshot;

/// The version that is written, and the highest version that can be read.
pub const VERSION: u32 = 2;

/// The first bytes of every recording, in any version.
pub const MAGIC: &[u8] = b"{\"ezRecording\":";

/// The first bytes of the line with the [`End`].
pub const END_MAGIC: &[u8] = b"{\"Ended\":";

/// The program that was run, and its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// Version of the format.
    #[serde(rename = "ezRecording")]
    pub version: u32,
    /// The program that has written the file.
    pub by: String,
    /// The kind of operating system.
    pub system: System,
    /// The program's main file, as on the command line.
    pub file: String,
    /// Its absolute path.
    pub path: PathBuf,
    /// The working directory.
    pub directory: PathBuf,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// The capabilities that were denied.
    pub deny: Vec<String>,
    /// The memory limit in bytes.
    pub memory_limit: Option<u64>,
    /// The program itself.
    pub sources: Snapshot,
}

/// Kinds of operating systems, by the form of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum System {
    /// Paths begin with `/`.
    Unix,
    /// Paths begin with a drive or share, and use `\`.
    Windows,
}

impl System {
    /// The kind for which this was compiled.
    pub fn this() -> System {
        if is_separator('\\') { System::Windows } else { System::Unix }
    }
}

/// The end of a recorded run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// It exited with this status.
    Status(i32),
    /// It was ended by the signal with this number.
    Signal(i32),
}

impl End {
    /// Why no run can have ended like this, if so. Whoever replays a run ends as it did: a signal must be one that ends a
    /// process wherever it is sent.
    pub fn why_impossible(self) -> Option<String> {
        match self {
            // POSIX and all systems have these; later numbers mean different things, some of which stop a process.
            End::Status(_) | End::Signal(1..=15) => None,
            End::Signal(number) => Some(format!("no run is ended by a signal {number}")),
        }
    }
}

#[derive(Serialize, Deserialize)]
pub struct EndLine {
    #[serde(rename = "Ended")]
    pub end: End,
}

impl Header {
    /// The header with paths in the form of this system.
    pub fn localized(self) -> Header {
        if self.system == System::this() || self.system == System::Unix {
            return self;
        }
        Header {
            path: rooted(&self.path),
            directory: rooted(&self.directory),
            sources: self.sources.with_paths(rooted),
            ..self
        }
    }
}

/// A path of Windows in the form of other systems.
fn rooted(path: &Path) -> PathBuf {
    let text = path.to_string_lossy().replace('\\', "/");
    if text.starts_with('/') { text.into() } else { format!("/{text}").into() }
}

/// The running checksum of a file.
#[derive(Clone, Default)]
pub struct Checksum {
    hasher: crc32fast::Hasher,
}

impl Checksum {
    /// The checksum for the next line, which has this JSON.
    pub fn next(&mut self, json: &[u8]) -> u32 {
        self.hasher.update(json);
        self.hasher.clone().finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_windows_get_a_root() {
        assert_eq!(rooted(Path::new(r"C:\Users\ann\a.ez")), Path::new("/C:/Users/ann/a.ez"));
        assert_eq!(rooted(Path::new(r"\\share\ann")), Path::new("//share/ann"));
    }
}
