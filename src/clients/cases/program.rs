//! A program whose cases are run, and how.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use super::process::{Ended, Processes};
use super::reading::Mode;
use crate::clients::show::{absolute, meant};
use ez_language::modules::{self, ConfinedLoader, SnapshotLoader, SourceLoader};
use ez_language::syntax::ast::ImportTarget;
use ez_language::syntax::parse_file;
use ez_runtime::host::{Capability, Root};
use ez_runtime::platform::{name_of, own_program, path_of, reason, text_of};
use ez_runtime::source::SourceMap;
use ez_runtime::visible::quoted;

/// How much longer than its limit a process may live: it has to start, and to end.
pub const GRACE: Duration = Duration::from_secs(3);

/// How programs are run.
#[derive(Debug)]
pub struct Settings {
    pub mode: Mode,
    pub time: Duration,
    /// The memory limit in bytes.
    pub memory: u64,
    /// What programs must not do.
    pub deny: Vec<Capability>,
    /// Whether what is printed becomes what is expected.
    pub update: bool,
    /// The folder for recordings.
    pub scratch: PathBuf,
    pub processes: Arc<Processes>,
}

/// A program whose cases are run.
#[derive(Debug)]
pub struct Program {
    /// Its file as it was typed.
    pub file: String,
    /// Its folder, out of which it reaches no file.
    pub root: Root,
    /// The name of its file in that folder.
    pub name: String,
}

/// Why a program is not run.
#[derive(Debug)]
pub enum NotRun {
    /// It has errors, with these reports.
    Reports(String),
    /// It could not be checked, for this reason.
    NotChecked(String),
}

/// A statement of the program.
#[derive(Clone, Debug)]
pub struct Place {
    pub file: String,
    pub line: u32,
    /// Its step, if it has printed the difference.
    pub step: Option<u64>,
    pub text: String,
}

impl Program {
    /// # Errors
    /// A message that says why it cannot be read.
    pub fn new(file: &str) -> Result<Program, String> {
        let path = path_of(file);
        let unreadable = |error| {
            let help = meant(file).map(|meant| format!("\n  = help: did you mean '{meant}'?"));
            format!("{file}: {}{}", reason(&error), help.unwrap_or_default())
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let root = Root::new(folder.unwrap_or(Path::new("."))).map_err(unreadable)?;
        std::fs::metadata(&path).map_err(unreadable)?;
        let name = path.file_name().map(text_of).unwrap_or_default();
        Ok(Program { file: file.into(), root, name })
    }

    /// `ez` in the folder of the program, with its input.
    pub fn ez(&self, input: Stdio) -> Result<Command, String> {
        let mut command = Command::new(own_program()?);
        command.current_dir(self.root.path()).stdin(input);
        Ok(command)
    }

    /// Checks the program, in a process of its own.
    ///
    /// # Errors
    /// Why it is not run.
    pub fn check(&self, settings: &Settings) -> Result<(), NotRun> {
        let mut command = self.ez(Stdio::null()).map_err(NotRun::NotChecked)?;
        command.args(["check", "--color", "never", "--root"]).arg(self.root.path());
        command.arg("--").arg(name_of(&self.name));
        let ended = settings.processes.run(&mut command, settings.time + GRACE, |_| ());
        let ended = ended.map_err(NotRun::NotChecked)?;
        match ended {
            Ended { was_killed: true, .. } => {
                Err(NotRun::NotChecked("it could not be checked in time".into()))
            }
            Ended { status, .. } if status.success() => Ok(()),
            Ended { errors, .. } => Err(NotRun::Reports(errors)),
        }
    }

    /// The files and folders that decide which program it is: its own, and those that its imports name or may mean.
    pub fn files(&self) -> Vec<PathBuf> {
        let confined = ConfinedLoader { root: Some(self.root.clone()) };
        let loader = SnapshotLoader::new(&confined);
        // A file that cannot be read is one of them.
        let _ = modules::load(&loader, &absolute(&self.file), &self.file);
        loader.into_snapshot().paths().into_iter().map(Path::to_path_buf).collect()
    }

    /// Whether the program may change files: it imports a module for that, or other files of EZ, which may.
    pub fn may_change_files(&self) -> bool {
        let path = self.root.path().join(&self.name);
        let loader = ConfinedLoader { root: Some(self.root.clone()) };
        let Ok(text) = loader.read(&path) else { return true };
        let file = parse_file(&SourceMap::new().add("", &path, &text)).file;
        let mut items = file.imports.iter().flat_map(|import| &import.items);
        items.any(|item| match &item.target {
            ImportTarget::Library(module) => ["io", "db"].contains(&&*module.text),
            ImportTarget::Path(_) => true,
        })
    }

    /// A line of a file of the program, without blanks around it.
    pub fn line(&self, file: &Path, line: u32) -> String {
        let loader = ConfinedLoader { root: Some(self.root.clone()) };
        let text = loader.read(&self.root.path().join(file)).unwrap_or_default();
        quoted(text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default().trim())
    }
}
