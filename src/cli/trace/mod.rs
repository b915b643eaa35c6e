//! `ez trace`: a page that shows a run of a program step by step, with nothing but itself.
//!
//! A front end like `ez debug`: it steps through the program and writes down what it sees.

mod collect;
mod data;
mod page;

use std::fs::{self, OpenOptions};
use std::path::Path;

use crate::api::Capability;
use crate::check::check_program;
use crate::modules::{DiskLoader, reason};
use crate::session::Session;

use super::args::Style;
use super::local::{self, Sender};
use super::show::{self, report, unreadable};

use collect::Collector;

/// What is traced, and how.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Options {
    /// The program's file.
    pub file: String,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// The page's file.
    pub output: Option<String>,
    /// Most steps that are shown.
    pub steps: usize,
    /// What the program is kept from.
    pub deny: Vec<Capability>,
    /// Most memory that it may take, in bytes.
    pub memory: Option<u64>,
}

impl Options {
    /// The page's file: beside the program's name, in the current directory, if nothing is said.
    fn page(&self) -> String {
        let name = || Path::new(&self.file).file_stem().unwrap_or_default().to_string_lossy();
        self.output.clone().unwrap_or_else(|| format!("{}.html", name()))
    }
}

/// Traces a program; ends the process, or gives the status to end with if the program cannot be traced.
pub(super) fn trace(options: Options, style: Style) -> u8 {
    let path = show::absolute(&options.file);
    match check_program(&DiskLoader, &path, &options.file) {
        Ok(checked) => {
            report(&checked.diagnostics, &checked.sources, style);
            if checked.program.is_none() {
                return 1;
            }
        }
        Err(error) => {
            eprintln!("{}", unreadable(&options.file, &error.reason));
            return 1;
        }
    }
    let page = options.page();
    if let Err(why) = writable(&page) {
        eprintln!("Error: cannot write the page {page}: {why}");
        return 1;
    }
    let Ok(directory) = std::env::current_dir() else {
        eprintln!("Error: the current directory is not there");
        return 1;
    };
    local::serve(directory, move |session| front_end(options, &page, session))
}

/// Finds out before the program runs whether its page can be written.
fn writable(page: &str) -> Result<(), String> {
    if page.ends_with(".ez") {
        return Err("that is the name of a program".into());
    }
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(page);
    opened.map(|_| ()).map_err(|error| reason(&error))
}

fn front_end(options: Options, page: &str, session: Session) -> u8 {
    let sender = Sender::new(session);
    let mut collector = Collector::new(sender, options.steps);
    let trace = collector.run(&options);
    collector.finish();
    let written = trace.and_then(|trace| {
        let text = page::page(&trace).map_err(|error| error.to_string())?;
        fs::write(page, text).map_err(|error| format!("cannot write the page {page}: {}", reason(&error)))?;
        Ok(trace)
    });
    match written {
        Ok(trace) => {
            let count = trace.steps();
            eprintln!("{page}: {count} step{}. {}", if count == 1 { "" } else { "s" }, trace.ending());
            0
        }
        Err(message) => {
            eprintln!("Error: {message}");
            1
        }
    }
}
