//! `ez fmt PATH...`: formats files.

use std::path::Path;

use crate::clients::show::{self, Style, problem, report, unreadable_report};
use ez_language::format::format;
use ez_language::modules::{ConfinedLoader, SourceLoader};
use ez_runtime::platform::{path_of, reason, text_of};
use ez_runtime::source::SourceMap;
use ez_runtime::visible::visible_line;

use super::check::directories_and_programs;
use super::rewrite::{left_alone, marked, rewrite};
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
            if !run.directory(&found) {
                run.fail(&format!("no file below {} has a name that ends in .ez", visible_line(path)));
            }
        } else {
            run.file(path);
        }
    }
    run.status
}

struct Run {
    only_check: bool,
    style: Style,
    status: u8,
}

impl Run {
    /// Formats the files in a directory and those below it; false if there are none, and everything could be read.
    fn directory(&mut self, directory: &Path) -> bool {
        let entries = match directories_and_programs(directory) {
            Ok(entries) => entries,
            Err(why) => {
                self.fail(&why);
                return true;
            }
        };
        let mut found = false;
        for path in entries {
            if path.is_dir() {
                found |= self.directory(&path);
            } else {
                self.file(&text_of(path.as_os_str()));
                found = true;
            }
        }
        found
    }

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
            Ok(formatted) => Some(marked(text, &formatted)),
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
