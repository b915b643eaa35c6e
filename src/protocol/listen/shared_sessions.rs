//! The list of this user's shared sessions: a private folder with a file for each, which has its address and tokens.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::protocol::remote::connect;
use ez_engine::api::{Role, Shared};
use ez_runtime::platform::{
    check_private, check_private_directory, create_private, make_private_directory, open_to_read, process_id,
    reason, runtime_directory,
};

/// How long it may take to find out whether a session of this computer is still there.
const LOOK: Duration = Duration::from_secs(1);

/// Maximum size of an entry, in bytes: a command line may be long.
const MAX_ENTRY: u64 = 4 << 20;

/// A session that guests can join.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedSession {
    /// The id of its process.
    pub process: u32,
    /// The working directory of that process.
    pub directory: String,
    /// The command line of that process, after its name.
    pub command: String,
    /// The address on which it listens.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The token for each role.
    pub tokens: Vec<(Role, String)>,
}

/// The entry of a session of this process. Removed when dropped.
pub(super) struct Entry(PathBuf);

impl Entry {
    /// Adds a session.
    ///
    /// # Errors
    /// If the file cannot be written, with the reason.
    pub fn write(shared: &Shared) -> Result<Entry, String> {
        let folder = folder().ok_or("the system names no folder for it")?;
        Entry::write_in(&folder, shared).map_err(|error| format!("{}: {}", folder.display(), reason(&error)))
    }

    fn write_in(folder: &Path, shared: &Shared) -> io::Result<Entry> {
        make_private_directory(folder)?;
        let session = SharedSession {
            process: process_id(),
            directory: std::env::current_dir().map(|path| path.display().to_string()).unwrap_or_default(),
            command: std::env::args().skip(1).collect::<Vec<_>>().join(" "),
            host: shared.host.clone(),
            port: shared.port,
            tokens: shared.tokens.clone(),
        };
        let path = folder.join(format!("{}-{}.json", session.process, session.port));
        let _ = std::fs::remove_file(&path);
        let text = serde_json::to_vec(&session)?;
        let entry = Entry(path);
        create_private(&entry.0)?.write_all(&text)?;
        Ok(entry)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn folder() -> Option<PathBuf> {
    Some(runtime_directory()?.join("ez"))
}

/// The sessions of this user that are shared now, in order of their processes. Those that cannot be connected to are
/// taken from the list.
///
/// # Errors
/// Why the list cannot be read.
pub fn shared_sessions() -> Result<Vec<SharedSession>, String> {
    let Some(folder) = folder() else { return Ok(Vec::new()) };
    let wrong = |error: io::Error| {
        let why = reason(&error);
        format!("the list of the sessions that you share cannot be read: {}: {why}", folder.display())
    };
    let files = entries(&folder).map_err(wrong)?;
    let mut sessions: Vec<SharedSession> = files.iter().filter_map(|path| live(path)).collect();
    sessions.sort_by_key(|session| (session.process, session.port));
    Ok(sessions)
}

/// The files of the list; none if nothing was ever shared. A list that is somebody else's, or that others can read, is
/// not this user's.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match check_private_directory(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        private => private?,
    }
    let entries = std::fs::read_dir(folder)?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    Ok(paths.into_iter().filter(|path| path.extension().is_some_and(|end| end == "json")).collect())
}

/// What a file of the list says. Only regular files of this user and of moderate size are read: nobody waits for anything
/// else, and what is looked at is what is read.
fn entry(path: &Path) -> Option<SharedSession> {
    if !std::fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let file = open_to_read(path).ok()?;
    let about = file.metadata().ok()?;
    if !about.is_file() || about.len() > MAX_ENTRY || check_private(&about).is_err() {
        return None;
    }
    let mut text = Vec::new();
    file.take(MAX_ENTRY).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The session of a file of the list, if its process still listens.
fn live(path: &Path) -> Option<SharedSession> {
    let session = entry(path)?;
    match connect(&session.host, session.port, LOOK) {
        Ok(_) => Some(session),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            let _ = std::fs::remove_file(path);
            None
        }
        Err(_) => None,
    }
}
