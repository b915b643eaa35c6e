//! `ez check PATH...`: one program, or the programs of a class.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::clients::overwrite::is_not_regular;
use crate::clients::show::{self, Style, problem, report, unreadable_report};
use ez_language::check::{Checked, check_all};
use ez_language::modules::{ConfinedLoader, LoadError, TextLoader};
use ez_runtime::diagnostics::Severity;
use ez_runtime::host::Root;
use ez_runtime::platform::{path_of, reason, text_of};
use ez_runtime::visible::visible_line;

use super::fix::fix;
use super::run::{STDIN, read_program};

/// Checks the programs that paths name. A path is a file, a directory with a `main.ez` (one program), another
/// directory (a program for each file and each directory in it), or a pattern with `*` and `?`. With a `root`,
/// files outside of it are not read. With `fixes`, files are changed as certain fixes say; what is left is reported.
pub(super) fn check(paths: &[String], root: Option<Root>, fixes: bool, style: Style) -> u8 {
    let loader = ConfinedLoader { root };
    let mut programs = Vec::new();
    let mut missing = false;
    for path in paths {
        match programs_of(path) {
            Ok(found) => programs.extend(found),
            Err(message) => {
                problem(&message, style);
                missing = true;
            }
        }
    }
    let single = paths.len() == 1 && programs.len() == 1;
    let mut wrong = 0;
    for program in &programs {
        // What cannot be read is reported below.
        let fixed = fixes.then(|| fix(&program.file, &loader, style).unwrap_or_default());
        missing |= fixed.as_ref().is_some_and(|fixed| fixed.left_alone);
        let mut checked = check_program(&program.file, &loader, style);
        checked.fixed = fixed.map(|fixed| fixed.fixes);
        wrong += usize::from(checked.errors > 0);
        match (style.json, single) {
            (true, _) => show::print_unchanged(&checked.json(&program.file)),
            (false, true) => checked.print_success(program),
            (false, false) => {
                show::print(&format!("{}: {}\n", visible_line(&program.file), checked.summary()));
            }
        }
    }
    if !single && !style.json && !programs.is_empty() {
        let all = programs.len();
        let programs = if all == 1 { "program" } else { "programs" };
        show::print(&format!("{all} {programs}: {} without errors, {wrong} with errors\n", all - wrong));
    }
    u8::from(missing || wrong > 0)
}

/// A program to check.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProgramFile {
    /// Its main file, relative as the path was typed.
    pub file: String,
    /// Whether the path named its directory.
    of_directory: bool,
}

/// What the check of a program has found.
struct Found {
    errors: usize,
    warnings: usize,
    /// Number of files of the program; 0 if it cannot be read.
    files: usize,
    /// Number of fixes applied; `None` if none was to be.
    fixed: Option<usize>,
}

impl Found {
    /// In a few words: `2 errors, 1 warning`.
    fn summary(&self) -> String {
        let counted = |count: usize, what: &str| match count {
            0 => None,
            1 => Some(format!("1 {what}")),
            _ => Some(format!("{count} {what}s")),
        };
        let parts: Vec<String> = [counted(self.errors, "error"), counted(self.warnings, "warning")]
            .into_iter()
            .flatten()
            .collect();
        match (self.files, parts.is_empty()) {
            (0, _) => "cannot be read".into(),
            (_, true) => "ok".into(),
            (_, false) => parts.join(", "),
        }
    }

    fn json(&self, file: &str) -> String {
        let Found { errors, warnings, files, fixed } = self;
        let mut summary = json!({"file": file, "errors": errors, "warnings": warnings, "files": files});
        if let (Some(fixed), Value::Object(summary)) = (fixed, &mut summary) {
            summary.insert("fixed".into(), json!(fixed));
        }
        summary.to_string() + "\n"
    }

    fn print_success(&self, program: &ProgramFile) {
        let (file, count) = (&program.file, self.files);
        match (self.errors, program.of_directory) {
            (0, true) => show::print(&format!("Check successful: {count} file(s) checked\n")),
            (0, false) => {
                let file = visible_line(file);
                show::print(&format!("Check successful: {file} ({count} file(s) checked)\n"));
            }
            (_, true) => eprintln!("\nCheck failed."),
            (_, false) => {}
        }
    }
}

fn check_program(file: &str, loader: &ConfinedLoader, style: Style) -> Found {
    let checked = match checked(file, loader) {
        Ok(checked) => checked,
        Err(error) => {
            unreadable_report(file, &error.reason, style);
            return Found { errors: 1, warnings: 0, files: 0, fixed: None };
        }
    };
    report(&checked.diagnostics, &checked.sources, style);
    let errors = checked.diagnostics.iter().filter(|found| found.severity() == Severity::Error).count();
    let warnings = checked.diagnostics.len() - errors;
    // A program that was not lowered has an error, also if that was reported in another file.
    let errors = errors.max(usize::from(checked.program.is_none()));
    Found { errors, warnings, files: checked.files, fixed: None }
}

fn checked(file: &str, loader: &ConfinedLoader) -> Result<Checked, LoadError> {
    if file != STDIN {
        return check_all(loader, &show::absolute(file), file);
    }
    let path = show::absolute(file);
    let text = read_program().map_err(|error| LoadError { path: file.into(), reason: reason(&error) })?;
    check_all(&TextLoader::new(loader, &path, &text), &path, file)
}

/// The programs that a path names; `-` is standard input.
///
/// # Errors
/// The message if it names none.
pub(super) fn programs_of(path: &str) -> Result<Vec<ProgramFile>, String> {
    if path == "-" {
        return Ok(vec![ProgramFile { file: STDIN.into(), of_directory: false }]);
    }
    let found = path_of(path);
    if found.is_dir() {
        let mut programs = Vec::new();
        programs_in(&found, true, &mut programs);
        return if programs.is_empty() {
            Err(format!("no main.ez found in {path}\n  = help: create a main.ez file with a main() function"))
        } else {
            Ok(programs)
        };
    }
    if !found.exists() && path.contains(['*', '?']) {
        return matching(path);
    }
    match (path.ends_with(".ez"), found.exists()) {
        (true, _) => Ok(vec![ProgramFile { file: path.into(), of_directory: false }]),
        (false, false) => {
            let help = show::meant(path).map(|meant| format!("\n  = help: did you mean '{meant}'?"));
            Err(format!("directory not found: {path}{}", help.unwrap_or_default()))
        }
        (false, true) => Err(format!("not a directory: {path}\n  = help: the name of a program ends in .ez")),
    }
}

/// The files and directories that match a pattern; for shells that pass patterns on.
fn matching(pattern: &str) -> Result<Vec<ProgramFile>, String> {
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let paths = glob::glob_with(pattern, options)
        .map_err(|error| format!("wrong pattern {pattern}: {}", error.msg))?;
    let mut programs = Vec::new();
    for path in paths.flatten() {
        let text = text_of(path.as_os_str());
        if path.is_dir() || text.ends_with(".ez") {
            programs.extend(programs_of(&text).unwrap_or_default());
        }
    }
    if programs.is_empty() { Err(format!("no program matches {pattern}")) } else { Ok(programs) }
}

/// The programs in a directory: that of its `main.ez`, or one for each file and each directory in it.
fn programs_in(directory: &Path, named: bool, programs: &mut Vec<ProgramFile>) {
    let main = directory.join("main.ez");
    if main.is_file() {
        programs.push(ProgramFile { file: text_of(main.as_os_str()), of_directory: named });
        return;
    }
    // What cannot be read is reported when the program in it is looked at.
    let unreadable = |_| vec![main];
    for path in directories_and_programs(directory).unwrap_or_else(unreadable) {
        if path.is_dir() {
            programs_in(&path, false, programs);
        } else {
            programs.push(ProgramFile { file: text_of(path.as_os_str()), of_directory: false });
        }
    }
}

/// The directories in a directory, and the files whose names end in `.ez`, in the order of their names. Hidden ones,
/// linked directories, and pipes and devices, which one may wait for, are left out.
///
/// # Errors
/// A message that the directory cannot be read.
pub(super) fn directories_and_programs(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(directory).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| {
        let name = text_of(directory.as_os_str());
        format!("cannot read the directory {}: {}", visible_line(&name), reason(&error))
    })?;
    let is_hidden =
        |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let counts = |path: &PathBuf| {
        !is_hidden(path)
            && if path.is_dir() {
                !path.is_symlink()
            } else {
                path.extension().is_some_and(|name| name == "ez") && !is_not_regular(path)
            }
    };
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).filter(counts).collect();
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_a_class_are_found() {
        let class = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = class.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "do main() {}").unwrap();
        };
        for name in ["ann.ez", "bob/main.ez", "bob/part.ez", "cid/x/y.ez", ".hidden/z.ez", "notes.txt"] {
            write(name);
        }
        let root = text_of(class.path().as_os_str());
        let found = |path: &str| {
            let programs = programs_of(path).unwrap_or_default();
            let names = programs.iter().map(|program| program.file.replace('\\', "/"));
            names.map(|name| name.replace(&(root.replace('\\', "/") + "/"), "")).collect::<Vec<_>>()
        };
        assert_eq!(found(&root), ["ann.ez", "bob/main.ez", "cid/x/y.ez"]);
        assert_eq!(found(&format!("{root}/bob")), ["bob/main.ez"]);
        assert_eq!(found(&format!("{root}/*")), ["ann.ez", "bob/main.ez", "cid/x/y.ez"]);
        assert_eq!(found(&format!("{root}/?nn.ez")), ["ann.ez"]);
        assert!(programs_of(&format!("{root}/x*")).unwrap_err().starts_with("no program matches"));
        assert!(programs_of(&format!("{root}/.git")).unwrap_err().starts_with("directory not found"));
    }
}
