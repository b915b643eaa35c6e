//! Reads recordings.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use crate::modules::reason;
use crate::platform::open_to_read;

use super::super::record::HostCall;
use super::format::{Checksum, END_MAGIC, End, EndLine, Header, MAGIC, VERSION};

/// A recording in a file, which was looked through.
#[derive(Clone, Debug)]
pub struct Recording {
    path: PathBuf,
    /// What was run, and how.
    pub header: Header,
    /// Where the calls begin in the file.
    start: u64,
    /// How many calls there are.
    pub calls: u64,
    /// How the run ended; `None` if nothing was written of it any more.
    pub end: Option<End>,
    /// Whether the last entry was written in part only, and is left out.
    pub is_cut: bool,
}

/// Why a file cannot be replayed.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// It cannot be read.
    #[error("{}", reason(.0))]
    Unreadable(#[from] io::Error),
    /// It is something else.
    #[error("it is no recording ('ez run --record FILE program.ez' makes one)")]
    Foreign,
    /// It is one of a version that is not known yet.
    #[error("it is a recording of version {0}, and this ez reads versions up to {VERSION}: use a newer one")]
    Newer(u32),
    /// It was changed, or lost a part.
    #[error("the recording is damaged: {what} in line {line}")]
    Damaged {
        /// Where, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
}

/// The version of a header, of which nothing else need be known.
#[derive(Deserialize)]
struct Version {
    #[serde(rename = "ezRecording")]
    version: u32,
}

impl Recording {
    /// Opens a recording and looks through all of it.
    ///
    /// # Errors
    /// When the file cannot be read, is no recording, or is damaged. A recording without its end is none of
    /// these: see [`Recording::end`].
    pub fn open(path: &Path) -> Result<Recording, RecordingError> {
        let mut lines = Lines::open(path)?;
        let start = lines.input.fill_buf()?;
        if !start.starts_with(MAGIC) {
            return Err(RecordingError::Foreign);
        }
        let damaged = |what: &str| RecordingError::Damaged { line: 1, what: what.into() };
        let Some(json) = lines.next()? else { return Err(damaged("it ends")) };
        let version: Version = serde_json::from_slice(json).map_err(|_| RecordingError::Foreign)?;
        if version.version > VERSION {
            return Err(RecordingError::Newer(version.version));
        }
        let header: Header = serde_json::from_slice(json).map_err(|error| damaged(&error.to_string()))?;
        let mut recording = Recording {
            path: path.to_path_buf(),
            header: header.localized(),
            start: lines.position,
            calls: 0,
            end: None,
            is_cut: false,
        };
        while let Some(json) = lines.next()? {
            let what = match recording.end {
                Some(_) => Some("it goes on behind its end".to_string()),
                None if json.starts_with(END_MAGIC) => match serde_json::from_slice::<EndLine>(json) {
                    Ok(line) => {
                        recording.end = Some(line.end);
                        None
                    }
                    Err(error) => Some(error.to_string()),
                },
                None => {
                    recording.calls += 1;
                    None
                }
            };
            if let Some(what) = what {
                return Err(RecordingError::Damaged { line: lines.number, what });
            }
        }
        recording.is_cut = lines.is_cut;
        Ok(recording)
    }

    /// Whether the program ended by itself while it was recorded. If not, it is replayed up to where the
    /// recording ends.
    pub fn has_end(&self) -> bool {
        matches!(self.end, Some(End::Status(_)))
    }

    /// Why the recording ends before the program does, as a sentence.
    pub fn ending(&self) -> String {
        let why = match self.end {
            Some(End::Signal(2)) => "the run was interrupted (Ctrl+C, signal 2)".to_string(),
            Some(End::Signal(number)) => format!("the run was ended by the signal {number}"),
            Some(End::Status(_)) | None if self.is_cut => {
                "its last entry is not whole and was left out, and how the run ended is not known".to_string()
            }
            Some(End::Status(_)) | None => {
                "how the run ended is not known (it was killed, or nothing more could be written)".to_string()
            }
        };
        format!("the recording ends here: {why}")
    }

    /// Gives the calls one by one, `None` at their end.
    ///
    /// # Errors
    /// When the file cannot be read any more.
    pub(crate) fn reader(&self) -> io::Result<impl FnMut() -> Result<Option<HostCall>, String> + use<>> {
        let mut file = open_to_read(&self.path)?;
        file.seek(SeekFrom::Start(self.start))?;
        let (mut input, mut left) = (BufReader::new(file), self.calls);
        let mut line = Vec::new();
        Ok(move || {
            if left == 0 {
                return Ok(None);
            }
            left -= 1;
            line.clear();
            input.read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
            let json = line.split(|byte| *byte == b'\t').next().unwrap_or_default();
            serde_json::from_slice(json).map(Some).map_err(|error| error.to_string())
        })
    }
}

/// The lines of a file, whose checksums are compared.
struct Lines {
    input: BufReader<File>,
    line: Vec<u8>,
    checksum: Checksum,
    /// Of the line that was read last, from 1.
    number: u64,
    /// Where the next line begins.
    position: u64,
    /// Whether the last line was written in part only.
    is_cut: bool,
}

impl Lines {
    fn open(path: &Path) -> io::Result<Lines> {
        let input = BufReader::with_capacity(64 << 10, open_to_read(path)?);
        let (line, checksum) = (Vec::new(), Checksum::default());
        Ok(Lines { input, line, checksum, number: 0, position: 0, is_cut: false })
    }

    /// The JSON of the next line; `None` behind the last one that is whole.
    fn next(&mut self) -> Result<Option<&[u8]>, RecordingError> {
        self.line.clear();
        self.position += self.input.by_ref().read_until(b'\n', &mut self.line)? as u64;
        let Some(line) = self.line.strip_suffix(b"\n") else {
            self.is_cut = !self.line.is_empty();
            return Ok(None);
        };
        self.number += 1;
        let json = line.iter().rposition(|byte| *byte == b'\t').map(|tab| line.split_at(tab));
        let is_sound =
            json.is_some_and(|(json, tail)| tail == format!("\t{:08x}", self.checksum.next(json)).as_bytes());
        match json {
            Some((json, _)) if is_sound => Ok(Some(json)),
            _ => Err(RecordingError::Damaged { line: self.number, what: "wrong checksum".into() }),
        }
    }
}
