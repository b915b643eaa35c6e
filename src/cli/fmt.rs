//! `ez fmt PATH...`: formats files.

use std::path::{Path, PathBuf};

use crate::clients::show::{self, Style, problem, report, unreadable_report};
use crate::format::format;
use crate::modules::{ConfinedLoader, SourceLoader, reason};
use crate::platform::{path_of, text_of};
use crate::source::SourceMap;
use crate::visible::visible_line;

use super::check::directories_and_programs;
use super::rewrite::{left_alone, rewrite, with_mark};
use super::run::{STDIN, read_program};

/// Formats files, and those below directories whose names end in `.ez`; `-` is standard input, whose text is written to
/// standard output. With `only_check`, nothing is written but the names of the files that are not formatted, and the
/// status is 1 if there is one. Files with syntax errors are reported and left as they are.
pub(super) fn fmt(paths: &[String], only_check: bool, style: Style) -> u8 {
    let mut run = Run { only_check, style, status: 0 };
    for path in paths {
        if path == "-" {
            run.standard_input();
            continue;
        }
        let found = path_of(path);
        if found.is_dir() {
            let mut files = Vec::new();
            files_below(&found, &mut files);
            if files.is_empty() {
                run.fail(&format!("no file below {path} has a name that ends in .ez"));
            }
            files.iter().for_each(|file| run.file(&text_of(file.as_os_str())));
        } else {
            run.file(path);
        }
    }
    run.status
}

/// The files of programs in a directory and those below it.
fn files_below(directory: &Path, files: &mut Vec<PathBuf>) {
    for path in directories_and_programs(directory) {
        if path.is_dir() {
            files_below(&path, files);
        } else {
            files.push(path);
        }
    }
}

struct Run {
    only_check: bool,
    style: Style,
    status: u8,
}

impl Run {
    fn fail(&mut self, message: &str) {
        problem(message, self.style);
        self.status = 1;
    }

    /// Names a file that is not formatted.
    fn unformatted(&mut self, name: &str) {
        show::print(&format!("{}\n", visible_line(name)));
        self.status = 1;
    }

    /// The formatted text; `None` after its errors have been reported.
    fn formatted(&mut self, name: &str, path: &Path, text: &str) -> Option<String> {
        let sources = SourceMap::new();
        let file = sources.add(name, path, text);
        match format(&file) {
            Ok(formatted) => Some(with_mark(text, formatted)),
            Err(reports) => {
                report(&reports, &sources, self.style);
                self.status = 1;
                None
            }
        }
    }

    fn standard_input(&mut self) {
        let text = match read_program() {
            Ok(text) => text,
            Err(error) => {
                unreadable_report(STDIN, &reason(&error), self.style);
                self.status = 1;
                return;
            }
        };
        match self.formatted(STDIN, Path::new(STDIN), &text) {
            Some(formatted) if !self.only_check => show::print_unchanged(&formatted),
            Some(formatted) if formatted != text => self.unformatted(STDIN),
            Some(_) | None => {}
        }
    }

    fn file(&mut self, name: &str) {
        let path = show::absolute(name);
        let text = match ConfinedLoader::default().read(&path) {
            Ok(text) => text,
            Err(error) => {
                unreadable_report(name, &reason(&error), self.style);
                self.status = 1;
                return;
            }
        };
        match self.formatted(name, &path, &text) {
            Some(formatted) if formatted == text => {}
            Some(_) if self.only_check => self.unformatted(name),
            Some(formatted) => match rewrite(&path, &text, &formatted) {
                Ok(()) => show::print(&format!("{}: formatted\n", visible_line(name))),
                Err(why) => {
                    left_alone(&path, &why, self.style);
                    self.status = 1;
                }
            },
            None => {}
        }
    }
}
