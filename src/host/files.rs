//! Files and directories.

use std::collections::HashMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::value::{FileKind, FileStatus, HostAnswer, HostRequest, SystemError};

/// Most bytes that are read at once: a device may have no end.
pub const MAX_READ: u64 = (1 << 31) - 1;

/// How many bytes are read or written at once while the interpreter stands still.
const MUCH: usize = 1 << 22;

/// Open files and what works on paths. Cheap to clone; all clones are the same files.
#[derive(Clone, Default)]
pub struct Files {
    table: Arc<Mutex<Table>>,
}

/// The open files, by number.
#[derive(Default)]
struct Table {
    open: HashMap<u64, Opened>,
    last: u64,
}

#[derive(Clone)]
struct Opened {
    path: String,
    file: Arc<File>,
    /// Whether it is a file on disk or a directory, and not a pipe or a terminal.
    prompt: bool,
}

/// What the system says when `operation` on `path` fails.
pub fn system_error(operation: &str, path: &str, error: &io::Error) -> SystemError {
    // What never reaches the system, such as a path with a zero byte, is refused as it would refuse it.
    let invalid = io::Error::from_raw_os_error(libc::EINVAL);
    let refused = error.raw_os_error().is_none() && error.kind() == io::ErrorKind::InvalidInput;
    let error = if refused { &invalid } else { error };
    let text = error.to_string();
    // The number behind the text is noise to a learner; the text begins small inside a sentence.
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    let reason = chars.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default() + chars.as_str();
    SystemError {
        errno: error.raw_os_error().unwrap_or(0),
        operation: operation.into(),
        path: path.into(),
        reason,
    }
}

/// Which file it is: device and number.
pub fn identity(data: &Metadata) -> (u64, u64) {
    (data.dev(), data.ino())
}

fn status(data: &Metadata) -> FileStatus {
    let kind = match data.file_type() {
        t if t.is_file() => FileKind::File,
        t if t.is_dir() => FileKind::Directory,
        t if t.is_symlink() => FileKind::Link,
        _ => FileKind::Other,
    };
    FileStatus {
        kind,
        size: data.len() as i64,
        modified: data.mtime(),
        mode: data.mode() & 0o7777,
        identity: identity(data),
    }
}

/// The directory that a path's last component is in.
fn parent(path: &str) -> &Path {
    match Path::new(path).parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Writes to a new file beside the target and renames it over the target.
fn write_atomic(path: &str, data: &[u8], mode: u32) -> io::Result<()> {
    let directory = parent(path);
    if fs::metadata(path).is_ok_and(|m| m.is_dir()) {
        return Err(io::Error::from_raw_os_error(libc::EISDIR));
    }
    // A device or pipe is written to, not replaced.
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return OpenOptions::new().write(true).open(path)?.write_all(data);
    }
    let mut tries = 0;
    let (temporary, mut file) = loop {
        let name = directory.join(format!(".ez_tmp_{}_{:08x}", std::process::id(), fastrand::u32(..)));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&name) {
            Ok(file) => break (name, file),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && tries < 100 => tries += 1,
            Err(e) => return Err(e),
        }
    };
    let written = file
        .write_all(data)
        .and_then(|()| file.set_permissions(fs::Permissions::from_mode(mode & 0o777)))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn append(path: &str, data: &[u8], mode: u32, line: bool) -> Result<(), SystemError> {
    let open = OpenOptions::new().append(true).create(true).mode(mode & 0o777).open(path);
    let mut file = open.map_err(|e| system_error("open", path, &e))?;
    let mut all = Vec::with_capacity(data.len() + 1);
    if line && !ends_line(path) {
        all.push(b'\n');
    }
    all.extend_from_slice(data);
    file.write_all(&all).map_err(|e| system_error("write", path, &e))
}

/// Whether what is appended now begins on a line of its own.
fn ends_line(path: &str) -> bool {
    let mut last = [b'\n'];
    if !fs::metadata(path).is_ok_and(|m| m.is_file()) {
        return true;
    }
    let read = File::open(path).and_then(|mut file| {
        if file.metadata()?.len() > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        Ok(())
    });
    read.is_err() || last == [b'\n']
}

fn copy(from: &str, to: &str, mode: Option<u32>) -> Result<(), SystemError> {
    let mut source = File::open(from).map_err(|e| system_error("open", from, &e))?;
    let data = source.metadata().map_err(|e| system_error("stat", from, &e))?;
    if fs::metadata(to).is_ok_and(|there| identity(&there) == identity(&data)) {
        return Ok(());
    }
    let mode = mode.unwrap_or(data.mode()) & 0o777;
    let target = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(to);
    let mut target = target.map_err(|e| system_error("open", to, &e))?;
    io::copy(&mut source, &mut target).map_err(|e| system_error("copy", to, &e))?;
    Ok(())
}

fn make_directory(path: &str, mode: u32, parents: bool) -> Result<(), SystemError> {
    let make = |path: &str| fs::DirBuilder::new().mode(mode & 0o777).create(path);
    if !parents {
        return make(path).map_err(|e| system_error("mkdir", path, &e));
    }
    let trimmed = path.trim_end_matches('/');
    let fronts = trimmed.match_indices('/').filter_map(|(at, _)| trimmed.get(..at));
    for path in fronts.filter(|front| !front.is_empty()).chain([path]) {
        let made = match fs::metadata(path) {
            Ok(data) if data.is_dir() => Ok(()),
            Ok(_) => Err(io::Error::from_raw_os_error(libc::ENOTDIR)),
            Err(_) => make(path),
        };
        match made {
            // Somebody else may have made it meanwhile.
            Err(e) if !fs::metadata(path).is_ok_and(|m| m.is_dir()) => {
                return Err(system_error("mkdir", path, &e));
            }
            _ => {}
        }
    }
    Ok(())
}

fn remove_all(path: &str) -> Result<(), SystemError> {
    if path == "." || path.ends_with("/.") {
        let error = io::Error::from_raw_os_error(libc::EINVAL);
        return Err(system_error("RemoveAll", path, &error));
    }
    let result = match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(e) => Err(e),
    };
    match result {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(system_error("unlinkat", path, &e)),
        _ => Ok(()),
    }
}

fn rename(from: &str, to: &str) -> Result<(), SystemError> {
    let both = format!("{from} {to}");
    let fail = |e: &io::Error| system_error("rename", &both, e);
    // Missing comes before there: a missing file cannot be moved anywhere.
    fs::symlink_metadata(from).map_err(|e| fail(&e))?;
    if fs::symlink_metadata(to).is_ok_and(|m| m.is_dir()) {
        return Err(fail(&io::Error::from_raw_os_error(libc::EEXIST)));
    }
    fs::rename(from, to).map_err(|e| fail(&e))
}

fn names(path: &str) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

impl Files {
    fn path_request(request: HostRequest) -> Result<Result<HostAnswer, SystemError>, HostRequest> {
        let done = |result: Result<(), SystemError>| result.map(|()| HostAnswer::Done);
        Ok(match request {
            HostRequest::Status { path, follow } => {
                let data = if follow { fs::metadata(&path) } else { fs::symlink_metadata(&path) };
                let call = if follow { "stat" } else { "lstat" };
                data.map(|d| HostAnswer::Status(status(&d))).map_err(|e| system_error(call, &path, &e))
            }
            HostRequest::WriteFile { path, data, mode, atomic } => {
                let result = if atomic { write_atomic(&path, &data, mode) } else { fs::write(&path, &data) };
                done(result.map_err(|e| system_error("open", &path, &e)))
            }
            HostRequest::AppendFile { path, data, mode, line } => done(append(&path, &data, mode, line)),
            HostRequest::Remove(path) => {
                done(fs::remove_file(&path).map_err(|e| system_error("remove", &path, &e)))
            }
            HostRequest::RemoveDirectory(path) => {
                let link = fs::symlink_metadata(&path).is_ok_and(|m| m.is_symlink());
                let result = if link { fs::remove_file(&path) } else { fs::remove_dir(&path) };
                done(result.map_err(|e| system_error("remove", &path, &e)))
            }
            HostRequest::RemoveAll(path) => done(remove_all(&path)),
            HostRequest::Rename(from, to) => done(rename(&from, &to)),
            HostRequest::Copy { from, to, mode } => done(copy(&from, &to, mode)),
            HostRequest::MakeDirectory { path, mode, parents } => done(make_directory(&path, mode, parents)),
            HostRequest::ReadDirectory(path) => {
                names(&path).map(HostAnswer::Texts).map_err(|e| system_error("open", &path, &e))
            }
            other => return Err(other),
        })
    }

    /// The answer to a request about files.
    pub fn answer(&self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        let request = match Files::path_request(request) {
            Ok(answer) => return answer,
            Err(request) => request,
        };
        match request {
            HostRequest::Open { path, flags, mode } => self.open(path, flags, mode),
            HostRequest::Read(handle, count) => self.on(handle, "read", |file| {
                let data = match count {
                    None => read_all(file),
                    Some(count) => read_once(file, count),
                };
                Ok(HostAnswer::Bytes(data?))
            }),
            HostRequest::Write(handle, data) => self.on(handle, "write", |mut file| {
                file.write_all(&data)?;
                Ok(HostAnswer::Number(data.len() as i64))
            }),
            HostRequest::Seek(handle, offset, whence) => self.on(handle, "seek", |mut file| {
                let target = match whence {
                    0 => u64::try_from(offset).ok().map(SeekFrom::Start),
                    1 => Some(SeekFrom::Current(offset)),
                    2 => Some(SeekFrom::End(offset)),
                    _ => None,
                };
                let target = target.ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))?;
                file.seek(target).map(|at| HostAnswer::Number(at as i64))
            }),
            HostRequest::Sync(handle) => self.on(handle, "sync", |file| {
                file.sync_all()?;
                Ok(HostAnswer::Done)
            }),
            HostRequest::Close(handle) => {
                self.table().open.remove(&handle);
                Ok(HostAnswer::Done)
            }
            _ => Ok(HostAnswer::Done),
        }
    }

    fn open(&self, path: String, flags: i32, mode: u32) -> Result<HostAnswer, SystemError> {
        let access = flags & libc::O_ACCMODE;
        let (read, write) = (access != libc::O_WRONLY, access != libc::O_RDONLY);
        let custom =
            flags & !libc::O_ACCMODE & !(libc::O_CREAT | libc::O_TRUNC | libc::O_EXCL | libc::O_APPEND);
        let has = |flag: i32| flags & flag != 0;
        let mut options = OpenOptions::new();
        options.read(read).write(write).mode(mode & 0o777);
        // The library refuses combinations that the system takes, so these go as plain flags.
        options
            .custom_flags(custom | (flags & (libc::O_CREAT | libc::O_TRUNC | libc::O_EXCL | libc::O_APPEND)));
        if write && has(libc::O_APPEND) {
            options.append(true);
        }
        match options.open(&path) {
            Ok(file) => {
                let prompt = file.metadata().is_ok_and(|m| is_prompt(&m));
                let mut table = self.table();
                table.last += 1;
                let number = table.last;
                table.open.insert(number, Opened { path, file: Arc::new(file), prompt });
                Ok(HostAnswer::Number(number as i64))
            }
            Err(e) => Err(system_error("open", &path, &e)),
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request may take long: because of its size, or because it has to wait for somebody at
    /// the other end of a pipe or a terminal.
    pub fn may_block(&self, request: &HostRequest) -> bool {
        let waits = |path: &String| fs::metadata(path).is_ok_and(|m| !is_prompt(&m));
        let open_waits = |handle| self.table().open.get(handle).is_some_and(|opened| !opened.prompt);
        match request {
            // What replaces a file waits for the disk.
            HostRequest::WriteFile { atomic: true, .. } => true,
            HostRequest::WriteFile { path, data, .. } | HostRequest::AppendFile { path, data, .. } => {
                data.len() > MUCH || waits(path)
            }
            HostRequest::Open { path, .. } => waits(path),
            HostRequest::Copy { .. } | HostRequest::RemoveAll(_) | HostRequest::Sync(_) => true,
            HostRequest::Read(handle, count) => {
                count.is_none_or(|count| count > MUCH as u64) || open_waits(handle)
            }
            HostRequest::Write(handle, data) => data.len() > MUCH || open_waits(handle),
            _ => false,
        }
    }

    fn on(
        &self,
        handle: u64,
        operation: &str,
        run: impl FnOnce(&File) -> io::Result<HostAnswer>,
    ) -> Result<HostAnswer, SystemError> {
        // The table is not kept while somebody waits.
        let opened = self.table().open.get(&handle).cloned();
        match opened {
            Some(Opened { path, file, .. }) => run(&file).map_err(|e| system_error(operation, &path, &e)),
            None => Err(system_error(operation, "", &io::Error::from_raw_os_error(libc::EBADF))),
        }
    }
}

/// Whether nobody else is needed to read or write it.
fn is_prompt(data: &Metadata) -> bool {
    data.is_file() || data.is_dir()
}

/// All that is left of a file.
pub fn read_all(file: &File) -> io::Result<Vec<u8>> {
    let mut data = Vec::new();
    file.take(MAX_READ + 1).read_to_end(&mut data)?;
    if data.len() as u64 > MAX_READ {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    Ok(data)
}

/// One read of up to `count` bytes, in a buffer no larger than what the file can give.
fn read_once(mut file: &File, count: u64) -> io::Result<Vec<u8>> {
    let mut data = Vec::new();
    if count == 0 {
        return Ok(data);
    }
    // Some files hold more than they say, such as those in `/proc`.
    let left = match (file.metadata()?, file.stream_position()) {
        (m, Ok(at)) if m.is_file() => m.len().saturating_sub(at).max(1 << 16),
        _ => 1 << 20,
    };
    let size = count.min(left).min(MAX_READ);
    data.try_reserve_exact(size as usize)?;
    data.resize(size as usize, 0);
    let got = loop {
        match file.read(&mut data) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    data.truncate(got);
    Ok(data)
}
