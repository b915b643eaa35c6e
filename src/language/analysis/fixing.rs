//! Certain fixes of a program, as far as they lead.

use std::collections::{BTreeMap, HashSet};
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};

use foldhash::quality::FixedState;

use crate::check::{Checked, check_all};
use crate::modules::{LoadError, SourceLoader, TextLoader};
use ez_runtime::diagnostics::{Fix, apply};

/// A file whose text certain fixes have changed.
#[derive(Clone, Debug)]
pub struct FixedFile {
    /// Its name in reports.
    pub name: String,
    /// Its text before, without the byte order mark, which is no part of what is checked.
    pub before: String,
    /// Its text after all fixes.
    pub text: String,
    /// Number of fixes applied.
    pub fixes: usize,
}

/// The files that change when the certain fixes for a program, whose main file is at `main`, are applied, and those that
/// they uncover, until there is none: errors hide others. `name`: what reports call the main file. `None` if fixes uncover
/// each other for ever, which would be a mistake in the table of fixes.
///
/// # Errors
/// When the main file cannot be read.
pub fn fix(
    loader: &dyn SourceLoader,
    main: &Path,
    name: &str,
) -> Result<Option<BTreeMap<PathBuf, FixedFile>>, LoadError> {
    let mut fixed: BTreeMap<PathBuf, FixedFile> = BTreeMap::new();
    let mut seen = HashSet::new();
    loop {
        let texts = fixed.iter().map(|(path, file)| (path.as_path(), file.text.as_str()));
        let checked = check_all(&TextLoader::of(loader, texts), main, name)?;
        if !pass(&checked, &mut fixed) {
            return Ok(Some(fixed));
        }
        let texts: Vec<&str> = fixed.values().map(|file| file.text.as_str()).collect();
        if !seen.insert(FixedState::default().hash_one(texts)) {
            return Ok(None);
        }
    }
}

/// Applies the certain fixes of a check; whether there was one.
fn pass(checked: &Checked, fixed: &mut BTreeMap<PathBuf, FixedFile>) -> bool {
    let mut again = false;
    for source in checked.sources.files() {
        let of_file = checked.diagnostics.iter().filter(|d| d.span.is_some_and(|at| at.file == source.id));
        let fixes: Vec<&Fix> = of_file.filter_map(|d| d.fix.as_ref()).filter(|fix| fix.certain).collect();
        let (text, applied) = apply(&source.text, fixes);
        if applied == 0 {
            continue;
        }
        let before = || FixedFile {
            name: source.name.to_string(),
            before: source.text.to_string(),
            text: String::new(),
            fixes: 0,
        };
        let file = fixed.entry(source.path.clone()).or_insert_with(before);
        file.text = text;
        file.fixes += applied;
        again = true;
    }
    again
}
