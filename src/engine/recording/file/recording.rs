//! Reads recordings.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use super::format::{Checksum, END_MAGIC, End, EndLine, Header, MAGIC, VERSION};
use crate::recording::record::HostCall;
use ez_runtime::platform::{open_to_read, reason, regular};

/// A recording in a file that has been checked.
#[derive(Clone, Debug)]
pub struct Recording {
    path: PathBuf,
    /// The program that was run, and its parameters.
    pub header: Header,
    /// Offset of the first call in the file.
    start: u64,
    /// Number of calls.
    pub calls: u64,
    /// The end of the run; `None` if it is missing.
    pub end: Option<End>,
    /// Whether the last line is incomplete; it is ignored then.
    pub is_cut: bool,
}

/// Why a file cannot be played.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// It cannot be read.
    #[error("{}", reason(.0))]
    Unreadable(#[from] io::Error),
    /// It is not a recording.
    #[error("it is not a recording ('ez run --record FILE program.ez' makes one)")]
    Foreign,
    /// Its version is newer than this program supports.
    #[error("it is a recording of version {0}, and this ez reads versions up to {VERSION}: use a newer one")]
    Newer(u32),
    /// It was changed, or a part is missing.
    #[error("the recording is damaged: {what} in line {line}")]
    Damaged {
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
}

/// The version in a header, without the rest.
#[derive(Deserialize)]
struct Version {
    #[serde(rename = "ezRecording")]
    version: u32,
}

impl Recording {
    /// Opens a recording and checks all of it.
    ///
    /// # Errors
    /// If the file cannot be read, is not a recording, or is damaged. A missing end is no error: see
    /// [`Recording::end`].
    pub fn open(path: &Path) -> Result<Recording, RecordingError> {
        let mut lines = LineReader::open(path)?;
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
                Some(_) => Some("it continues after its end".to_string()),
                None if json.starts_with(END_MAGIC) => match serde_json::from_slice::<EndLine>(json) {
                    Ok(line) => {
                        recording.end = Some(line.end);
                        line.end.why_impossible()
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

    /// Whether the recording includes the program's end. If not, it is played up to where it ends.
    pub fn has_end(&self) -> bool {
        matches!(self.end, Some(End::Status(_)))
    }

    /// Why the recording ends before the program did, as a sentence.
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

    /// A function that returns the calls one by one, and `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub fn reader(&self) -> io::Result<impl FnMut() -> Result<Option<HostCall>, String> + use<>> {
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

/// Reads the lines of a file and checks their checksums.
struct LineReader {
    input: BufReader<File>,
    line: Vec<u8>,
    checksum: Checksum,
    /// Number of the last line read, from 1.
    number: u64,
    /// Offset of the next line.
    position: u64,
    /// Whether the last line was incomplete.
    is_cut: bool,
}

impl LineReader {
    fn open(path: &Path) -> io::Result<LineReader> {
        let input = BufReader::with_capacity(64 << 10, open_to_read(regular(path)?)?);
        let (line, checksum) = (Vec::new(), Checksum::default());
        Ok(LineReader { input, line, checksum, number: 0, position: 0, is_cut: false })
    }

    /// The JSON of the next line; `None` after the last complete one.
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
