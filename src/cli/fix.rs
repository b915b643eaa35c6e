//! `ez check --fix`: changes programs as certain fixes say.

use crate::clients::show::{self, Style};
use ez_language::analysis;
use ez_language::modules::{ConfinedLoader, LoadError};
use ez_runtime::visible::visible_line;

use super::rewrite::{left_alone, rewrite};

/// What has been done to a program.
#[derive(Debug, Default)]
pub(super) struct Fixed {
    /// Number of fixes applied.
    pub fixes: usize,
    /// Whether some file was left as it is although there were fixes for it.
    pub left_alone: bool,
}

/// Applies the certain fixes for the files of a program, also of imported ones, and those that they uncover, until there
/// is none; then replaces the files.
///
/// # Errors
/// When the main file cannot be read.
pub(super) fn fix(file: &str, loader: &ConfinedLoader, style: Style) -> Result<Fixed, LoadError> {
    let Some(fixed) = analysis::fix(loader, &show::absolute(file), file)? else {
        show::problem(&format!("{} is left as it is: its fixes have no end", visible_line(file)), style);
        return Ok(Fixed { fixes: 0, left_alone: true });
    };
    let mut done = Fixed::default();
    for (path, file) in &fixed {
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
    Ok(done)
}
