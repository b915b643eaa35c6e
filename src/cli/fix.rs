//! `ez check --fix`: changes programs as certain fixes say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::check::{Checked, check_all};
use crate::clients::show::{self, Style};
use crate::diagnostics::{Fix, apply};
use crate::modules::{ConfinedLoader, LoadError, SourceLoader, TextLoader};
use crate::visible::visible_line;

use super::rewrite::{left_alone, rewrite, with_mark};

/// Most times that a program is checked: errors hide others, and a fix may uncover the next.
const MAX_PASSES: usize = 1000;

/// What has been done to a program.
#[derive(Debug, Default)]
pub(super) struct Fixed {
    /// Number of fixes applied.
    pub fixes: usize,
    /// Whether some file was left as it is although there were fixes for it.
    pub left_alone: bool,
}

/// A file with fixes.
struct Changed {
    /// Its name in reports.
    name: String,
    before: String,
    text: String,
    fixes: usize,
}

/// Applies the certain fixes for the files of a program, and those that they uncover, until there is none; then replaces
/// the files.
///
/// # Errors
/// When the main file cannot be read.
pub(super) fn fix(file: &str, loader: &ConfinedLoader, style: Style) -> Result<Fixed, LoadError> {
    let path = show::absolute(file);
    let mut changed: BTreeMap<PathBuf, Changed> = BTreeMap::new();
    for _ in 0..MAX_PASSES {
        let texts = changed.iter().map(|(path, file)| (path.as_path(), file.text.as_str()));
        let checked = check_all(&TextLoader::of(loader, texts), &path, file)?;
        if !pass(&checked, loader, &mut changed) {
            return Ok(write(&changed, style));
        }
    }
    // Fixes that uncover each other for ever would be a mistake in the table of fixes.
    show::problem(&format!("{} is left as it is: its fixes have no end", visible_line(file)), style);
    Ok(Fixed { fixes: 0, left_alone: true })
}

/// Applies the certain fixes of a check; whether there was one.
fn pass(checked: &Checked, loader: &ConfinedLoader, changed: &mut BTreeMap<PathBuf, Changed>) -> bool {
    let mut again = false;
    for source in checked.sources.files() {
        let of_file = checked.diagnostics.iter().filter(|d| d.span.is_some_and(|at| at.file == source.id));
        let fixes: Vec<&Fix> = of_file.filter_map(|d| d.fix.as_ref()).filter(|fix| fix.certain).collect();
        if fixes.is_empty() {
            continue;
        }
        let (fixed, applied) = apply(&source.text, fixes);
        let Some(file) = original(&source.path, &source.name, loader, changed) else { continue };
        file.text = with_mark(&file.before, fixed);
        file.fixes += applied;
        again |= applied > 0;
    }
    again
}

/// The file to be changed, with its text on disk; `None` if that cannot be read any more.
fn original<'a>(
    path: &Path,
    name: &str,
    loader: &ConfinedLoader,
    changed: &'a mut BTreeMap<PathBuf, Changed>,
) -> Option<&'a mut Changed> {
    if !changed.contains_key(path) {
        let before = loader.read(path).ok()?;
        let file = Changed { name: name.into(), before, text: String::new(), fixes: 0 };
        changed.insert(path.into(), file);
    }
    changed.get_mut(path)
}

fn write(changed: &BTreeMap<PathBuf, Changed>, style: Style) -> Fixed {
    let mut done = Fixed::default();
    for (path, file) in changed {
        match rewrite(path, &file.before, &file.text) {
            Ok(()) => {
                done.fixes += file.fixes;
                if !style.json {
                    let problems = if file.fixes == 1 { "problem" } else { "problems" };
                    let name = visible_line(&file.name);
                    show::print(&format!("{name}: {} {problems} fixed\n", file.fixes));
                }
            }
            Err(why) => {
                left_alone(path, &why, style);
                done.left_alone = true;
            }
        }
    }
    done
}
