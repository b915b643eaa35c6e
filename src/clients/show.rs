//! Output of commands: texts and reports.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use ez_language::modules::{DiskLoader, SourceLoader};
use ez_runtime::diagnostics::{Colour, Diagnostic, json_problem, render_all, render_json};
use ez_runtime::host::{lost_output, note_lost_output};
use ez_runtime::platform::{path_of, text_of};
use ez_runtime::source::SourceMap;
use ez_runtime::visible::{visible_line, visible_text};

/// The form of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub colour: Colour,
    pub json: bool,
}

/// Writes lines of the tool to standard output, with what is foreign in them made visible; [`with_lost_output`] reports
/// errors.
pub fn print(text: &str) {
    print_unchanged(&visible_text(text));
}

/// Writes to standard output what is not for people, such as JSON.
pub fn print_unchanged(text: &str) {
    let mut out = io::stdout();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        UNREAD.store(true, Ordering::Relaxed);
        note_lost_output(&error);
    }
}

static UNREAD: AtomicBool = AtomicBool::new(false);

/// Whether nobody gets what is written to standard output any more.
pub fn is_unread() -> bool {
    UNREAD.load(Ordering::Relaxed)
}

/// Writes lines of the tool to standard error, with what is foreign in them made visible. If that fails, the status of
/// the process is 1.
pub fn write_error(text: &str) {
    write_report(&visible_text(text));
}

/// Writes reports, which show nothing foreign as it is and may have colours, to standard error; also JSON and the output
/// of programs.
pub fn write_report(text: &str) {
    let mut out = io::stderr();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        note_lost_output(&error);
    }
}

/// Whether text is coloured unless a flag says otherwise: on a terminal that shows colours, unless `NO_COLOR` is set.
pub fn is_coloured(terminal: bool) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    terminal && !refused && !is_dumb()
}

/// Whether the terminal knows no escape sequences and cannot go back in a line, as that of a compilation in Emacs.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|kind| kind == "dumb")
}

/// The status of the process at its end: 1 if output was lost, which is reported. A reader that is gone is not an
/// error.
pub fn with_lost_output(status: u8) -> u8 {
    let Some(reason) = lost_output() else { return status };
    eprintln!("Error: standard output could not be written: {reason}");
    if status == 0 { 1 } else { status }
}

/// The status of a command. If it has failed, that is 1, and the message is written to standard error.
pub fn status(of: Result<u8, String>) -> u8 {
    of.unwrap_or_else(|message| {
        eprintln!("{message}");
        1
    })
}

/// The error message for a program that cannot be read, because of `reason`, with the one that may be meant.
pub fn unreadable(file: &str, reason: &str) -> String {
    let help = meant(file).map(|meant| format!("\n  = help: did you mean '{}'?", visible_line(&meant)));
    unreadable_file(file, reason) + &help.unwrap_or_default()
}

/// The error message for a file that is no program and cannot be read, because of `reason`.
pub fn unreadable_file(file: &str, reason: &str) -> String {
    format!("Error reading file: {}: {}", visible_line(file), lowercase_first(reason))
}

/// The program that is meant by a name that is none: with the ending, or almost the name; of a directory its `main.ez`, or
/// the only one in it. `None` if there is none, or if there is a file with that name.
pub fn meant(name: &str) -> Option<String> {
    let path = path_of(name);
    if path.is_dir() {
        let main = path.join("main.ez");
        let mut programs = if main.is_file() { vec![main] } else { programs_in(&path) };
        return programs.pop().filter(|_| programs.is_empty()).map(|program| text_of(program.as_os_str()));
    }
    if path.exists() {
        return None;
    }
    let ending = format!("{name}.ez");
    if path_of(&ending).is_file() {
        return Some(ending);
    }
    let typed = text_of(path.file_name()?);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let likeness = |program: &PathBuf| {
        let name = program.file_name().map(text_of).unwrap_or_default();
        strsim::osa_distance(name.trim_end_matches(".ez"), typed.trim_end_matches(".ez"))
    };
    let near = programs_in(folder.unwrap_or(Path::new("."))).into_iter().min_by_key(likeness)?;
    let is_near = likeness(&near) <= typed.trim_end_matches(".ez").chars().count().min(8) / 4;
    let named = folder.map_or_else(|| near.file_name().map(PathBuf::from), |_| Some(near.clone()))?;
    is_near.then(|| text_of(named.as_os_str()))
}

/// The programs in a directory, in the order of their names; none if it cannot be read.
fn programs_in(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut programs: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "ez") && path.is_file())
        .collect();
    programs.sort();
    programs
}

/// Prints why a file cannot be read.
pub fn unreadable_report(file: &str, reason: &str, style: Style) {
    if style.json {
        let message = format!("cannot read the file: {}", lowercase_first(reason));
        let help = meant(file).map(|meant| format!("did you mean '{meant}'?"));
        write_report(&format!("{}\n", json_problem(&message, Some(file), help.as_deref())));
    } else {
        eprintln!("{}", unreadable(file, reason));
    }
}

/// Prints an error that is not about a place in a file; what follows a line end is its help.
pub fn problem(message: &str, style: Style) {
    if style.json {
        let (message, help) = message.split_once('\n').map_or((message, None), |(message, help)| {
            (message, Some(help.trim_start().trim_start_matches("= help: ")))
        });
        write_report(&format!("{}\n", json_problem(message, None, help)));
    } else {
        eprintln!("Error: {message}");
    }
}

fn lowercase_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// The absolute path of a file.
pub fn absolute(file: &str) -> PathBuf {
    DiskLoader.absolute(&path_of(file))
}

/// Prints reports on standard error.
pub fn report(diagnostics: &[Diagnostic], sources: &SourceMap, style: Style) {
    write_report(&rendered(diagnostics, sources, style));
}

/// The text of reports.
pub fn rendered(diagnostics: &[Diagnostic], sources: &SourceMap, style: Style) -> String {
    if style.json {
        diagnostics.iter().map(|diagnostic| render_json(diagnostic, sources) + "\n").collect()
    } else {
        render_all(diagnostics, sources, style.colour)
    }
}
