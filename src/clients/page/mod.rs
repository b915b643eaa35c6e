//! `ez trace`: writes a self-contained page that shows a run of a program step by step.
//!
//! It is a front end like `ez debug`: it steps through the program and records the state.
//!
//! `collect` steps through the program, `data` keeps the differences from step to step, `parts` separates what
//! statements compute into forms, which are stored once, and values. `colors` classifies the tokens of the source,
//! `paths` names files without absolute paths. `html` makes of it one HTML page, with its style (`page.css`) and
//! its script (`page.js`); how an expression is rewritten into its value, the script knows itself, and a test
//! compares that with `protocol/rewriting.rs`.

mod cells;
mod collect;
mod colors;
mod data;
mod html;
mod offsets;

mod parts;
mod paths;
mod windows;

use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::protocol::SessionHandle;
use ez_engine::session::Session;
use ez_runtime::host::Capability;
use ez_runtime::platform::reason;

use super::local;
use super::overwrite::{refuse_overwrite, written_before};
use super::show::{self, Style};
use super::subject::{CaseTexts, Subject};

use collect::Collector;
use paths::Base;

/// What to trace, with options.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What to trace.
    pub program: Subject,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// The file for the page.
    pub output: Option<String>,
    /// Maximum number of steps.
    pub steps: usize,
    /// The capabilities denied to the program.
    pub deny: Vec<Capability>,
    /// The program's memory limit in bytes.
    pub memory: Option<u64>,
    /// How long the program may run.
    pub time: Option<Duration>,
}

impl Options {
    /// The file for the page; by default in the working directory, named after the program.
    fn page(&self) -> String {
        self.output.clone().unwrap_or_else(|| format!("{}.html", self.program.stem()))
    }
}

/// Traces a program. Ends the process, or returns the exit status if the program cannot be traced.
pub fn trace(options: Options, style: Style) -> u8 {
    let Some((named, read)) = options.program.check_and_list(style) else { return 1 };
    let page = match PageFile::open(options.page(), &read) {
        Ok(page) => page,
        Err(why) => {
            return show::status(Err(format!("Error: cannot write the page {}: {why}", options.page())));
        }
    };
    let root = named.case.as_ref().map(|case| case.root.clone());
    local::serve(root, move |session, directory| {
        let case = named.case;
        let base = Base { directory: named.directory.unwrap_or(directory), main: named.path };
        front_end(base, options, case.as_ref(), page, session)
    })
}

/// What each page begins with, as `page.html` does.
const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
                    <meta http-equiv=\"Content-Security-Policy\" content=\"";

#[derive(Clone)]
struct PageFile {
    file: String,
    /// Whether the file may be removed, since nothing was written to it.
    is_empty: Arc<AtomicBool>,
}

impl PageFile {
    /// Checks, before the program runs, that the page can be written. `read`: the files from which the program was
    /// read.
    fn open(file: String, read: &[PathBuf]) -> Result<PageFile, String> {
        refuse_overwrite(&file, read)?;
        // Of a program of the same name, somebody may have a page of his own.
        written_before(&file, &[HEAD]).map_err(|why| format!("{why}: -o names another one"))?;
        if file == "-" {
            return Err("standard output is for what the program prints; name a file".into());
        }
        let opened = OpenOptions::new().write(true).create(true).truncate(false).open(&file);
        let is_empty =
            opened.and_then(|file| file.metadata()).map(|known| known.is_file() && known.len() == 0);
        let is_empty = is_empty.map_err(|error| reason(&error))?;
        Ok(PageFile { file, is_empty: Arc::new(is_empty.into()) })
    }

    fn write(&self, text: &str) -> Result<(), String> {
        let written = fs::write(&self.file, text);
        written.map_err(|error| format!("cannot write the page {}: {}", self.file, reason(&error)))?;
        self.is_empty.store(false, Ordering::SeqCst);
        Ok(())
    }

    /// Removes the file if it is empty.
    fn abandon(&self) {
        if self.is_empty.load(Ordering::SeqCst) {
            let _ = fs::remove_file(&self.file);
        }
    }
}

fn front_end(base: Base, options: Options, case: Option<&CaseTexts>, page: PageFile, session: Session) -> u8 {
    let link = SessionHandle::own(session);
    let at_once = page.clone();
    let mut collector = Collector::new(link, base, options.steps, move || at_once.abandon());
    let limited = options.time.map_or(Ok(()), |limit| collector.end_after(limit));
    let trace = limited.map_err(|error| error.to_string()).and_then(|()| collector.run(&options, case));
    collector.finish();
    let written = trace.and_then(|trace| {
        let text = html::page(&trace).map_err(|error| error.to_string())?;
        page.write(&text)?;
        Ok(trace)
    });
    match written {
        Ok(trace) => {
            let (file, count) = (&page.file, trace.last_step());
            eprintln!("{file}: {count} step{}. {}", if count == 1 { "" } else { "s" }, trace.ending());
            0
        }
        Err(message) => {
            page.abandon();
            eprintln!("Error: {message}");
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn no_empty_page_is_left_behind() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str| directory.path().join(name).display().to_string();
        PageFile::open(file("empty.html"), &[]).unwrap().abandon();
        assert!(!Path::new(&file("empty.html")).exists());
        assert!(include_str!("page.html").starts_with(HEAD));
        fs::write(file("old.html"), HEAD).unwrap();
        PageFile::open(file("old.html"), &[]).unwrap().abandon();
        assert_eq!(fs::read_to_string(file("old.html")).unwrap(), HEAD);
        fs::write(file("own.html"), "<!DOCTYPE html>\n<p>mine").unwrap();
        assert!(PageFile::open(file("own.html"), &[]).is_err());
        let page = PageFile::open(file("new.html"), &[]).unwrap();
        page.write("new").unwrap();
        page.clone().abandon();
        assert_eq!(fs::read_to_string(file("new.html")).unwrap(), "new");
        assert!(PageFile::open(file("program.ez"), &[]).is_err());
    }
}
