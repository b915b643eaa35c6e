//! Writes a recording while the program runs.
//!
//! However the process ends, the recording has all output that was visible: entries are written to the file
//! before the output is. Other entries may be buffered for a moment.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use serde::Serialize;

use super::format::{Checksum, End, EndLine, Header, MAGIC};
use crate::recording::record::{HostCall, OutputHash};
use ez_runtime::platform;
use ez_runtime::sync::{Condvar, Mutex, MutexGuard};
use ez_runtime::threads;
use ez_runtime::value::Stream;

/// Maximum size of the buffer in bytes.
const BUFFER: usize = 64 << 10;

/// How long an entry may stay in the buffer.
const DELAY: Duration = Duration::from_millis(50);

/// Why a recording is not begun in a file to which another process writes.
const IN_USE: &str = "the file is in use, as while another run is being recorded in it";

/// Called once if the recording cannot be continued, with the reason.
pub type OnFailure = Box<dyn FnMut(&io::Error) + Send>;

/// A recording that is being written. May be used on any thread; clones refer to the same recording.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Notified when something is added to an empty buffer.
    filled: Condvar,
}

struct State {
    /// `None` once the recording has ended or failed.
    out: Option<Box<dyn Write + Send>>,
    buffer: Vec<u8>,
    checksum: Checksum,
    /// How many bytes may still be written to the file.
    left: u64,
    /// Output of the program since the last entry: its size in bytes, and its hash.
    wrote: Option<(u64, OutputHash)>,
    /// Whether the program has written output since the buffer was flushed.
    has_output: bool,
    on_failure: OnFailure,
    /// Whether there is a thread that flushes the buffer.
    is_tended: bool,
    /// Whether that thread waits for `filled`.
    is_awaited: bool,
}

impl Recorder {
    /// Creates a recording in a file. An existing file is replaced only if it is a recording that is not being written.
    ///
    /// # Errors
    /// If the file cannot be written, or exists and is not a recording, or is one in progress.
    pub fn create(path: &Path, header: &Header, on_failure: OnFailure) -> io::Result<Recorder> {
        if !may_be_replaced(path)? {
            let text = "the file exists, and is not a recording";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
        let file = platform::open_as_only_writer(path).map_err(|error| match error.kind() {
            io::ErrorKind::ResourceBusy => io::Error::new(error.kind(), IN_USE),
            _ => error,
        })?;
        if file.metadata()?.is_file() {
            file.set_len(0)?;
        }
        Recorder::start(Box::new(file), header, on_failure)
    }

    /// Begins a recording.
    ///
    /// # Errors
    /// If the header cannot be written.
    pub fn start(out: Box<dyn Write + Send>, header: &Header, on_failure: OnFailure) -> io::Result<Recorder> {
        let mut state = State {
            out: Some(out),
            buffer: Vec::with_capacity(BUFFER),
            checksum: Checksum::default(),
            left: u64::MAX,
            wrote: None,
            has_output: false,
            on_failure: Box::new(|_| ()),
            is_tended: false,
            is_awaited: false,
        };
        state.line(header)?;
        if let Some(out) = &mut state.out {
            out.write_all(&state.buffer)?;
        }
        state.buffer.clear();
        state.on_failure = on_failure;
        Ok(Recorder { shared: Arc::new(Shared { state: Mutex::new(state), filled: Condvar::new() }) })
    }

    /// Ends the recording, as if the disk were full, before `bytes` more would be written.
    pub fn limit(&self, bytes: u64) {
        self.state().left = bytes;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock()
    }

    /// The program's output so far is about to become visible.
    pub fn before_showing(&self) {
        let mut state = self.state();
        if state.has_output {
            state.flush();
        }
    }

    /// The program writes output.
    pub fn wrote(&self, stream: Stream, text: &str) {
        let mut state = self.state();
        if state.out.is_none() {
            return;
        }
        let (bytes, hash) = state.wrote.get_or_insert_default();
        *bytes += text.len() as u64;
        hash.add(stream, text);
        state.has_output = true;
        self.tend(state);
    }

    /// Records any other call.
    pub fn add(&self, call: &HostCall) {
        let mut state = self.state();
        if state.out.is_none() {
            return;
        }
        state.add(call);
        self.tend(state);
    }

    /// Writes everything recorded so far to the file.
    pub fn flush(&self) {
        self.state().flush();
    }

    /// The run has ended: nothing more is recorded.
    pub fn end(&self, end: End) {
        let mut state = self.state();
        if state.out.is_some() {
            state.settle();
            let _ = state.line(&EndLine { end });
            state.flush();
            state.out = None;
        }
    }

    /// Makes sure that the buffer is flushed soon.
    fn tend(&self, mut state: MutexGuard<State>) {
        if state.is_tended {
            // Notifying is a system call, even if no thread waits.
            if std::mem::take(&mut state.is_awaited) {
                drop(state);
                self.shared.filled.notify_one();
            }
            return;
        }
        let shared = Arc::downgrade(&self.shared);
        let tending = threads::spawn("recording", move || tend(&shared));
        match tending {
            Ok(_) => state.is_tended = true,
            // Without a thread nothing is buffered.
            Err(_) => state.flush(),
        }
    }
}

/// Whether a path does not exist or may be replaced by a recording.
fn may_be_replaced(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        // A device, a pipe, or an empty file.
        Ok(found) if !found.is_file() || found.len() == 0 => return Ok(true),
        Ok(_) => {}
    }
    let mut start = [0; MAGIC.len()];
    match File::open(path)?.read_exact(&mut start) {
        Ok(()) => Ok(start == MAGIC),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Body of the thread that flushes the buffer soon after something was added, until the recorder is dropped.
fn tend(shared: &Weak<Shared>) {
    while let Some(shared) = shared.upgrade() {
        let mut state = shared.state.lock();
        if state.out.is_none() {
            return;
        }
        if state.is_empty() {
            state.is_awaited = true;
            state = shared.filled.wait(state);
        }
        drop(state);
        thread::sleep(DELAY);
        shared.state.lock().flush();
    }
}

impl State {
    fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.wrote.is_none()
    }

    fn line<T: Serialize>(&mut self, what: &T) -> io::Result<()> {
        let start = self.buffer.len();
        if let Err(error) = serde_json::to_writer(&mut self.buffer, what) {
            self.buffer.truncate(start);
            return Err(error.into());
        }
        let checksum = self.checksum.next(self.buffer.get(start..).unwrap_or_default());
        writeln!(self.buffer, "\t{checksum:08x}")
    }

    /// Adds an entry for the output so far.
    fn settle(&mut self) {
        if let Some((bytes, hash)) = self.wrote.take() {
            let _ = self.line(&HostCall::Wrote { bytes, hash: hash.get() });
        }
    }

    fn add(&mut self, call: &HostCall) {
        self.settle();
        if let Err(error) = self.line(call) {
            self.fail(&error);
        } else if self.buffer.len() >= BUFFER {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.settle();
        self.has_output = false;
        let Some(out) = &mut self.out else { return };
        let result = match self.left.checked_sub(self.buffer.len() as u64) {
            Some(left) => {
                self.left = left;
                out.write_all(&self.buffer)
            }
            None => Err(io::ErrorKind::FileTooLarge.into()),
        };
        self.buffer.clear();
        // Free the memory of an unusually large entry.
        self.buffer.shrink_to(2 * BUFFER);
        if let Err(error) = result {
            self.fail(&error);
        }
    }

    /// Ends the recording because of an error.
    fn fail(&mut self, error: &io::Error) {
        self.out = None;
        self.buffer = Vec::new();
        self.wrote = None;
        (self.on_failure)(error);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::mpsc::{Sender, channel};

    use super::*;
    use crate::recording::file::format::{System, VERSION};
    use crate::recording::file::recording::{Recording, RecordingError};
    use crate::recording::record::RecordHost;
    use ez_language::modules::Snapshot;
    use ez_runtime::host::SystemHost;
    use ez_runtime::value::Host;

    fn header() -> Header {
        Header {
            version: VERSION,
            by: "a test".into(),
            system: System::this(),
            file: "a.ez".into(),
            path: "/x/a.ez".into(),
            directory: "/x".into(),
            arguments: vec!["é".into()],
            deny: Vec::new(),
            memory_limit: Some(1 << 30),
            sources: Snapshot::default(),
        }
    }

    /// A disk that is full after a number of bytes.
    struct Disk {
        file: File,
        left: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(self.left);
            if count == 0 && !bytes.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.left -= count;
            self.file.write(bytes.split_at(count).0)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn recorder(path: &Path, left: usize, told: Sender<io::ErrorKind>) -> io::Result<Recorder> {
        let disk = Disk { file: File::create(path)?, left };
        let on_failure = move |error: &io::Error| told.send(error.kind()).unwrap();
        Recorder::start(Box::new(disk), &header(), Box::new(on_failure))
    }

    /// Asks for the time repeatedly; returns the recorded calls.
    fn asks(recorder: &Recorder, count: usize) -> Vec<HostCall> {
        let mut host = RecordHost::in_file(Box::new(SystemHost::new(None)), recorder.clone());
        let told = (0..count).map(|_| host.now());
        told.map(|(seconds, nanos)| HostCall::Now(seconds, nanos)).collect()
    }

    fn file() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r");
        (directory, path)
    }

    #[test]
    fn a_recording_is_read_as_it_was_written() {
        let (_directory, path) = file();
        let (told, _) = channel();
        let recorder = recorder(&path, usize::MAX, told).unwrap();
        let told = asks(&recorder, 3);
        recorder.end(End::Status(7));
        recorder.wrote(Stream::Stdout, "too late");
        recorder.flush();
        let recording = Recording::open(&path).unwrap();
        assert_eq!((recording.calls, recording.end, recording.is_cut), (4, Some(End::Status(7)), false));
        assert_eq!(recording.header, header());
        let mut next = recording.reader().unwrap();
        assert!(matches!(next(), Ok(Some(HostCall::Seed(_)))));
        let read: Vec<HostCall> = std::iter::from_fn(|| next().unwrap()).collect();
        assert_eq!(read, told);
    }

    // invariant 25
    #[test]
    fn every_change_is_noticed_and_every_end_is_tolerated() {
        let (_directory, path) = file();
        let (told, _) = channel();
        let recorder = recorder(&path, usize::MAX, told).unwrap();
        asks(&recorder, 2);
        recorder.end(End::Status(0));
        let whole = fs::read(&path).unwrap();
        let head = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x11;
            fs::write(&path, &changed).unwrap();
            // A change of the last line end results in an incomplete line.
            assert!(Recording::open(&path).map_or(true, |read| read.is_cut), "changed at {at}");
            fs::write(&path, &whole[..at]).unwrap();
            match Recording::open(&path) {
                Ok(read) => assert!(at >= head && read.end.is_none(), "cut at {at}"),
                Err(RecordingError::Foreign | RecordingError::Damaged { line: 1, .. }) => assert!(at < head),
                Err(error) => panic!("cut at {at}: {error}"),
            }
        }
        let twice = [&whole[..], &whole[head..]].concat();
        fs::write(&path, twice).unwrap();
        assert!(matches!(Recording::open(&path), Err(RecordingError::Damaged { .. })));
    }

    #[test]
    fn a_full_disk_is_told_once_and_leaves_what_there_was() {
        let (_directory, path) = file();
        let (told, hears) = channel();
        assert_eq!(
            recorder(&path, 10, told.clone()).map(|_| ()).unwrap_err().kind(),
            io::ErrorKind::StorageFull
        );
        let recorder = recorder(&path, 1000, told).unwrap();
        asks(&recorder, 100);
        recorder.flush();
        asks(&recorder, 100);
        recorder.end(End::Status(0));
        drop(recorder);
        assert_eq!(hears.iter().collect::<Vec<_>>(), [io::ErrorKind::StorageFull]);
        let recording = Recording::open(&path).unwrap();
        assert!(recording.calls > 5 && recording.end.is_none() && recording.is_cut);
    }

    #[test]
    fn a_recording_ends_before_its_limit() {
        let (_directory, path) = file();
        let (told, hears) = channel();
        let told = Box::new(move |error: &io::Error| told.send(error.kind()).unwrap());
        let recorder = Recorder::create(&path, &header(), told).unwrap();
        let before = fs::metadata(&path).unwrap().len();
        recorder.limit(1000);
        asks(&recorder, 5);
        recorder.flush();
        asks(&recorder, 100);
        recorder.end(End::Status(0));
        drop(recorder);
        assert_eq!(hears.iter().collect::<Vec<_>>(), [io::ErrorKind::FileTooLarge]);
        assert!(fs::metadata(&path).unwrap().len() <= before + 1000);
        let recording = Recording::open(&path).unwrap();
        assert!(recording.calls >= 5 && recording.end.is_none());
    }

    #[test]
    fn what_is_no_recording_is_not_replaced() {
        let (_directory, path) = file();
        fs::write(&path, "do main() {}").unwrap();
        let error = Recorder::create(&path, &header(), Box::new(|_| ())).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "do main() {}");
        fs::write(&path, "").unwrap();
        for _ in 0..2 {
            Recorder::create(&path, &header(), Box::new(|_| ())).unwrap().end(End::Signal(2));
            assert_eq!(Recording::open(&path).unwrap().end, Some(End::Signal(2)));
        }
    }

    #[test]
    fn two_runs_are_not_recorded_in_one_file() {
        let (_directory, path) = file();
        let create = || Recorder::create(&path, &header(), Box::new(|_| ()));
        let first = create().unwrap();
        let mut told = asks(&first, 2);
        let error = create().map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
        told.extend(asks(&first, 1));
        first.flush();
        assert_eq!(Recording::open(&path).unwrap().calls, 5, "it is read while it is written");
        first.end(End::Status(0));
        assert_eq!(Recording::open(&path).unwrap().end, Some(End::Status(0)));
        create().unwrap().end(End::Status(1));
        assert_eq!(Recording::open(&path).unwrap().end, Some(End::Status(1)));
    }

    #[test]
    fn no_recording_stops_who_replays_it() {
        let (_directory, path) = file();
        for number in [i32::MIN, -1, 0, 16, 17, 19, 20, 22, 64, i32::MAX] {
            let _ = fs::remove_file(&path);
            Recorder::create(&path, &header(), Box::new(|_| ())).unwrap().end(End::Signal(number));
            let error = Recording::open(&path).unwrap_err().to_string();
            assert!(error.contains(&format!("no run is ended by a signal {number} in line ")), "{error}");
        }
    }
}
