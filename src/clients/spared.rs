//! Programs and recordings are not overwritten by what is written about them.

use std::path::PathBuf;

use crate::platform::{file_identity, path_of};

/// Checks that a file that is to be written is none of those that were read, and no other program, under whatever
/// name or link.
///
/// # Errors
/// What the file is.
pub fn spared(file: &str, read: &[PathBuf]) -> Result<(), String> {
    let path = path_of(file);
    let resolved = dunce::canonicalize(&path).unwrap_or_else(|_| path.clone());
    if [&path, &resolved].iter().any(|path| path.extension().is_some_and(|extension| extension == "ez")) {
        return Err("that is the name of a program".into());
    }
    let Ok(identity) = file_identity(&path) else { return Ok(()) };
    match read.iter().find(|read| file_identity(read).is_ok_and(|read| read == identity)) {
        Some(_) => Err("what is to be run would be overwritten".into()),
        None => Ok(()),
    }
}
