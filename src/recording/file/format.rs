//! The format of a recording's file: lines of JSON, each with a checksum behind it.
//!
//! The first line is the [`Header`]; then come the [`HostCall`](super::super::HostCall)s in the order in
//! which they happened; the last line says how the run ended, if that was seen. Behind the JSON of a line
//! stand a tab and, in eight hexadecimal digits, the CRC-32 of the JSON of this line and all lines before.

use std::path::{Path, PathBuf, is_separator};

use serde::{Deserialize, Serialize};

use crate::modules::Snapshot;

/// The version of the format that is written, and the highest that is read.
pub const VERSION: u32 = 1;

/// How each recording begins, in any version.
pub const MAGIC: &[u8] = b"{\"ezRecording\":";

/// How the line of an [`End`] begins.
pub const END_MAGIC: &[u8] = b"{\"Ended\":";

/// What was run, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// Version of the format.
    #[serde(rename = "ezRecording")]
    pub version: u32,
    /// What has written it, in words.
    pub by: String,
    /// The kind of system it was written on.
    pub system: System,
    /// The program's main file, as the command line named it.
    pub file: String,
    /// The same, absolute.
    pub path: PathBuf,
    /// The working directory.
    pub directory: PathBuf,
    /// The program's own arguments.
    pub arguments: Vec<String>,
    /// What it was kept from.
    pub deny: Vec<String>,
    /// Most memory that it was allowed, in bytes.
    pub memory_limit: Option<u64>,
    /// The program.
    pub sources: Snapshot,
}

/// Kinds of systems, as far as paths look different.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum System {
    /// Paths begin at `/`.
    Unix,
    /// Paths begin at a drive or a share, and have `\` in them.
    Windows,
}

impl System {
    /// The one that this was built for.
    pub fn this() -> System {
        if is_separator('\\') { System::Windows } else { System::Unix }
    }
}

/// How a recorded run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// By itself, with this exit status.
    Status(i32),
    /// By a signal: its number.
    Signal(i32),
}

/// The line of an end.
#[derive(Serialize, Deserialize)]
pub struct EndLine {
    /// The end.
    #[serde(rename = "Ended")]
    pub end: End,
}

impl Header {
    /// The header as it is used on this system: paths of another one look as if they were of this.
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

/// A path of Windows with the separators and the root that other systems know.
fn rooted(path: &Path) -> PathBuf {
    let text = path.to_string_lossy().replace('\\', "/");
    if text.starts_with('/') { text.into() } else { format!("/{text}").into() }
}

/// The checksums of a file, line by line.
#[derive(Clone, Default)]
pub struct Checksum {
    hasher: crc32fast::Hasher,
}

impl Checksum {
    /// That of the next line, whose JSON this is.
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
