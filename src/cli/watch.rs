//! `ez watch FILE|DIR`: runs a program, and again whenever one of its files is written.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use crate::clients::show::{self, absolute, print, unreadable};
use ez_language::modules::{DiskLoader, SourceLoader, load};
use ez_language::syntax::parse_file;
use ez_runtime::platform::{
    adopt_orphans, end_family, name_of, own_program, path_of, reap_all, reason, text_of, without_window,
};
use ez_runtime::source::SourceMap;
use ez_runtime::threads;
use ez_runtime::visible::visible_line;

use super::doc::below;

/// How often the files are checked for changes.
const PERIOD: Duration = Duration::from_millis(50);
/// How long no file may have changed before the program runs again.
const QUIET: Duration = Duration::from_millis(100);

/// Modification time and size of a file; `None` if it does not exist.
type Stamp = Option<(SystemTime, u64)>;

/// The stamps of files.
type Stamps = HashMap<PathBuf, Stamp>;

struct WatchTarget {
    /// The file that runs, as it was written.
    entry: String,
    /// The directory whose programs are watched; else the entry's imports are.
    directory: Option<PathBuf>,
}

pub(super) fn watch(path: &str) -> u8 {
    match WatchTarget::find(path) {
        Ok(target) => target.watch(path),
        Err(message) => {
            eprintln!("{message}");
            1
        }
    }
}

impl WatchTarget {
    fn find(path: &str) -> Result<WatchTarget, String> {
        let status = std::fs::metadata(path).map_err(|error| {
            let why = unreadable(path, &reason(&error));
            why.replacen("Error reading file:", "Error:", 1)
        })?;
        if !status.is_dir() {
            if !path.ends_with(".ez") {
                return Err("Error: file must have .ez extension".into());
            }
            return Ok(WatchTarget { entry: path.into(), directory: None });
        }
        let directory = path_of(path);
        let files = programs(&directory);
        if files.is_empty() {
            return Err(format!("Error: no .ez files found in {path}"));
        }
        let mains: Vec<&PathBuf> = files.iter().filter(|file| has_main(file)).collect();
        match mains.as_slice() {
            [] => Err(format!(
                "Error: no main() function found in {path}\n  = help: create a file with a main() function"
            )),
            [entry] => Ok(WatchTarget { entry: text_of(entry.as_os_str()), directory: Some(directory) }),
            several => {
                let list = several.iter().map(|file| format!("    - {}\n", file.display()));
                Err(format!(
                    "Error: multiple main() functions found in {path}:\n{}  = help: only one file should contain main()",
                    list.collect::<String>()
                ))
            }
        }
    }

    fn files(&self) -> Vec<PathBuf> {
        match &self.directory {
            Some(directory) => programs(directory),
            None => imported(&self.entry),
        }
    }

    fn watch(&self, path: &str) -> u8 {
        adopt_orphans();
        let mut files = self.files();
        let count = files.len();
        let more = match &self.directory {
            Some(_) => format!(" ({}, entry: {})", counted(count, "file"), self.entry),
            None if count > 1 => format!(" (+ {})", counted(count - 1, "import")),
            None => String::new(),
        };
        let path = visible_line(path);
        print(&format!("Watching {path}{more}\nPress Ctrl+C to stop\n\n"));
        loop {
            let before = stamps(&files);
            if let Err(error) = self.run(&before) {
                eprintln!("Error: {error}");
                return 1;
            }
            self.wait(&before);
            // Imports may have come or gone.
            files = self.files();
        }
    }

    /// Runs the program to its end, or until a file is written.
    fn run(&self, before: &Stamps) -> io::Result<()> {
        let now = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
        print(&format!("[{now}] Running {}...\n", visible_line(&self.entry)));
        let colour = show::is_coloured(io::stderr().is_terminal());
        let mut program = Command::new(own_program().map_err(io::Error::other)?);
        program.args(["--color", if colour { "always" } else { "never" }, "run"]).arg(name_of(&self.entry));
        without_window(&mut program);
        let mut child = program.stderr(Stdio::piped()).spawn()?;
        let errors = child.stderr.take();
        let reader = threads::spawn("errors", move || {
            let _ = errors.map(pass_on);
        })?;
        self.wait_for(child, before)?;
        reap_all();
        // The program has ended when its standard error is closed, unless a process that it started
        // still has it open.
        let patience = Instant::now();
        while !reader.is_finished() && patience.elapsed() < QUIET {
            std::thread::sleep(Duration::from_millis(1));
        }
        print(&format!("{}\n", "─".repeat(28)));
        Ok(())
    }

    fn wait_for(&self, mut child: Child, before: &Stamps) -> io::Result<()> {
        let mut looked = Instant::now();
        while child.try_wait()?.is_none() {
            std::thread::sleep(Duration::from_millis(5));
            if looked.elapsed() >= PERIOD {
                looked = Instant::now();
                if self.stamps(before) != *before {
                    end_family(&mut child)?;
                }
            }
        }
        Ok(())
    }

    /// Waits until a file has changed and then none for [`QUIET`].
    fn wait(&self, before: &Stamps) {
        let mut now = self.stamps(before);
        while now == *before {
            std::thread::sleep(PERIOD);
            now = self.stamps(before);
        }
        loop {
            std::thread::sleep(QUIET);
            let later = self.stamps(before);
            if later == now {
                return;
            }
            now = later;
        }
    }

    /// The current state of the watched files, and of new ones in the directory.
    fn stamps(&self, before: &Stamps) -> Stamps {
        let mut files: Vec<PathBuf> = before.keys().cloned().collect();
        files.extend(self.directory.iter().flat_map(|directory| programs(directory)));
        stamps(&files)
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Copies a program's standard error line by line.
fn pass_on(errors: impl io::Read) {
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    while errors.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let _ = io::stderr().lock().write_all(&line);
        line.clear();
    }
}

fn stamps(files: &[PathBuf]) -> Stamps {
    files.iter().map(|file| (file.clone(), stamp(file))).collect()
}

fn stamp(file: &Path) -> Stamp {
    let status = std::fs::metadata(file).ok()?;
    Some((status.modified().ok()?, status.len()))
}

/// All programs below a directory.
fn programs(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    // A directory that has gone has no programs.
    let _ = below(directory, true, &mut HashSet::new(), &mut found);
    found
}

/// A program's files, its own first.
fn imported(entry: &str) -> Vec<PathBuf> {
    let path = absolute(entry);
    let mut files = vec![path.clone()];
    if let Ok(graph) = load(&DiskLoader, &path, entry) {
        let all = graph.modules.iter().flat_map(|module| &module.files);
        files.extend(all.map(|file| file.source.path.clone()).filter(|file| *file != path));
    }
    files
}

fn has_main(file: &Path) -> bool {
    let Ok(text) = DiskLoader.read(file) else { return false };
    parse_file(&SourceMap::new().add("", file, &text)).file.has_main()
}
