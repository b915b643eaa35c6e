//! This program itself, to be started again. Servers run for days, and meanwhile the program is replaced at its path, or
//! goes away.

use std::path::{Path, PathBuf};

use super::{file_identity, path_of, reason, system, text_of};

/// What Linux adds to the path of a program whose file has been removed or replaced.
const REMOVED: &str = " (deleted)";

/// The path at which this program is found: by others, or what is beside it. After an upgrade it is that of the new one.
///
/// # Errors
/// If nothing is there any more, or the system does not tell: a sentence that says so.
pub fn own_path() -> Result<PathBuf, String> {
    let told = std::env::current_exe()
        .map_err(|error| format!("the system does not tell where ez is: {}", reason(&error)))?;
    if told.is_file() {
        return Ok(told);
    }
    let text = text_of(told.as_os_str());
    let path = path_of(text.strip_suffix(REMOVED).unwrap_or(&text));
    if path.is_file() {
        return Ok(path);
    }
    Err(format!(
        "ez cannot start itself: there is no {} any more. Install ez again, and start this one again",
        text_of(path.as_os_str())
    ))
}

/// The path by which this program was called, with links in it: what is behind a link (of Homebrew, Nix or alternatives)
/// goes with the next upgrade, and the link stays.
///
/// # Errors
/// As [`own_path`].
pub fn own_name() -> Result<PathBuf, String> {
    let own = own_path()?;
    let Some(called) = std::env::args_os().next().map(PathBuf::from) else { return Ok(own) };
    let found = match called.components().count() {
        // The file's name alone is looked up.
        1 => std::env::var_os("PATH")
            .iter()
            .flat_map(std::env::split_paths)
            .map(|it| it.join(&called))
            .find(|it| it.is_file()),
        _ => Some(called),
    };
    let found = found.and_then(|path| std::path::absolute(path).ok());
    Ok(found.filter(|path| is_same(path, &own)).unwrap_or(own))
}

fn is_same(one: &Path, other: &Path) -> bool {
    file_identity(one).ok().zip(file_identity(other).ok()).is_some_and(|(one, other)| one == other)
}

/// The program of this process, for this process to start it again. It is the same one after an upgrade, where the system
/// can start what is no longer at its path (Linux).
///
/// # Errors
/// As [`own_path`], where the system needs a path.
pub fn own_program() -> Result<PathBuf, String> {
    let Some(running) = system::running_program() else { return own_path() };
    // By its name, which lists of processes show, as long as that is its name.
    Ok(own_path().ok().filter(|path| is_same(path, &running)).unwrap_or(running))
}
