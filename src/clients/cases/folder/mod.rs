//! Cases: where they are, which files are one, and what is in these.
//!
//! A case is what a program reads (`NAME.in`), what it has to print (`NAME.out` or `NAME.ans`), its arguments, one a line
//! (`NAME.args`), and its exit status (`NAME.status`, 0 without it), as far as there are files for these. All but the
//! input is read at once, before a program runs that might change it.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ez_language::modules::{ConfinedLoader, SourceLoader};
use ez_runtime::host::{Reach, Root};
use ez_runtime::platform::{open_to_read, path_of, reason, slashed, text_of};
use ez_runtime::visible::quoted;

/// Maximum number of cases of a program.
const MAX_CASES: usize = 10_000;

/// Maximum size of all texts that are kept, in bytes.
const MAX_KEPT: u64 = 1 << 30;

/// The folders with cases that may be beside a program: of one in `main.ez`, and of any.
const OF_MAIN: &str = "cases";
const OF_ANY: &str = "tests";

/// The cases of a program.
#[derive(Clone, Debug)]
pub struct Cases {
    /// Where they are, as it is told.
    pub place: String,
    /// In the order of their names, numbers in them by their values.
    pub cases: Vec<Case>,
}

/// A case of a program.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    /// The program's own arguments.
    pub arguments: Vec<String>,
    /// What it has to print; `None`: anything. Clones share it.
    pub output: Option<Arc<String>>,
    /// The status with which it has to end.
    pub status: i32,
    folder: Arc<Folder>,
    /// The name of the file that it reads; `None`: it reads nothing.
    input: Option<OsString>,
    /// The name of the file with what it has to print.
    output_file: OsString,
    /// The name of one of its files.
    file: OsString,
}

/// A folder with cases.
#[derive(Debug)]
struct Folder {
    /// Its path as it was typed.
    typed: PathBuf,
    root: Root,
}

/// What a file of a case is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Input,
    Output,
    Arguments,
    Status,
}

/// The names of the files of a case.
type Files = BTreeMap<Part, OsString>;

impl Cases {
    /// The cases in `given`, which are folders or files of cases; if none is given, in the folder of the program: for
    /// `average.ez` that is `average.cases`, for `main.ez` also `cases`, or else `tests`, each beside the program.
    ///
    /// # Errors
    /// A message that names what is wrong: there are none, or one of the files cannot be taken.
    pub fn of_program(program: &str, given: &[String]) -> Result<Cases, String> {
        let places = if given.is_empty() { vec![folder_of(program)?] } else { given.to_vec() };
        let (mut cases, mut kept) = (Vec::new(), 0);
        for place in &places {
            in_place(place, &mut cases, &mut kept)?;
        }
        cases.sort_by_cached_key(|case: &Case| natural(&case.name));
        let twice = cases.windows(2).find_map(|two| match two {
            [one, other] if one.name == other.name => Some((one, other)),
            _ => None,
        });
        if let Some((one, other)) = twice {
            let (one, other) = (one.output_path(), other.output_path());
            return Err(format!("two cases have the same name: {} and {}", slashed(&one), slashed(&other)));
        }
        let place = places.join(", ");
        if cases.is_empty() {
            return Err(format!(
                "there are no cases in {place}\n  = help: what a program has to print is in NAME.out, what it reads in NAME.in"
            ));
        }
        Ok(Cases { place, cases })
    }

    /// The case with a name.
    ///
    /// # Errors
    /// A message that names the one that may be meant.
    pub fn named(&self, name: &str) -> Result<&Case, String> {
        self.cases.iter().find(|case| case.name == name).ok_or_else(|| {
            let near = self.cases.iter().min_by_key(|case| strsim::osa_distance(&case.name, name));
            let help = near.map(|near| format!("\n  = help: did you mean '{}'?", quoted(&near.name)));
            format!("there is no case '{}' in {}{}", quoted(name), self.place, help.unwrap_or_default())
        })
    }
}

impl Case {
    /// Opens what the program reads; `None`: nothing.
    ///
    /// # Errors
    /// A message that names the file.
    pub fn open_input(&self) -> Result<Option<File>, String> {
        self.input.as_ref().map(|name| self.folder.open(name)).transpose()
    }

    /// What the program reads, as a text; empty if there is nothing.
    ///
    /// # Errors
    /// A message that names the file, also if it is not UTF-8.
    pub fn input(&self) -> Result<String, String> {
        self.input.as_ref().map_or_else(|| Ok(String::new()), |name| self.folder.read(name, &mut 0))
    }

    /// One of its files, which names it.
    pub fn path(&self) -> PathBuf {
        self.folder.typed.join(&self.file)
    }

    /// The file that the program reads; `None`: it reads nothing.
    pub fn input_path(&self) -> Option<PathBuf> {
        self.input.as_ref().map(|name| self.folder.typed.join(name))
    }

    /// The file with what the program has to print; there is none if that is anything.
    pub fn output_path(&self) -> PathBuf {
        self.folder.typed.join(&self.output_file)
    }

    fn new(name: String, folder: &Arc<Folder>, files: &Files, kept: &mut u64) -> Result<Case, String> {
        files.values().try_for_each(|file| folder.check(file))?;
        let mut text = |part| files.get(&part).map(|file| folder.read(file, kept)).transpose();
        let status = match (text(Part::Status)?, files.get(&Part::Status)) {
            (Some(text), Some(file)) => text.trim().parse::<u8>().map_err(|_| {
                folder.says(file, &format!("'{}' is no exit status: these are 0 to 255", quoted(text.trim())))
            })?,
            _ => 0,
        };
        let arguments = text(Part::Arguments)?.unwrap_or_default();
        if let (Some(line), Some(file)) =
            (arguments.lines().position(|line| line.contains('\0')), files.get(&Part::Arguments))
        {
            return Err(
                folder.says(file, &format!("line {} has a NUL, which no argument can have", line + 1))
            );
        }
        Ok(Case {
            arguments: arguments.lines().map(str::to_string).collect(),
            output: text(Part::Output)?.map(Arc::new),
            status: i32::from(status),
            folder: folder.clone(),
            input: files.get(&Part::Input).cloned(),
            file: files.values().next().cloned().unwrap_or_default(),
            output_file: files.get(&Part::Output).cloned().unwrap_or_else(|| file_name(&name, "out")),
            name,
        })
    }
}

impl Folder {
    /// What is wrong with a file in it.
    fn says(&self, file: &OsStr, what: &str) -> String {
        about(&self.typed.join(file), what)
    }

    /// Checks that a file may be read: who reads a pipe or a device may wait for ever, and a link may lead anywhere.
    fn check(&self, file: &OsStr) -> Result<(), String> {
        let path = self.root.path().join(file);
        let what = match fs::metadata(&path) {
            Err(error) => reason(&error),
            Ok(_) if !self.root.contains(&path) => "it is a link that leads out of the folder".into(),
            Ok(found) if found.is_file() => return Ok(()),
            Ok(found) if found.is_dir() => "it is a folder, not a file".into(),
            Ok(_) => "it is a pipe or a device, not a file".into(),
        };
        Err(self.says(file, &what))
    }

    fn open(&self, file: &OsStr) -> Result<File, String> {
        self.check(file)?;
        let path = self.root.path().join(file);
        let opened = self.root.hold(&path, Reach::Target).and_then(|held| {
            let held = held.filter(|held| !held.is_new).ok_or(std::io::ErrorKind::NotFound)?;
            open_to_read(&held.path)
        });
        opened.map_err(|error| self.says(file, &reason(&error)))
    }

    /// The text of a file. `kept` is the size of what was read before, and becomes that of all.
    fn read(&self, file: &OsStr, kept: &mut u64) -> Result<String, String> {
        let loader = ConfinedLoader { root: Some(self.root.clone()) };
        let text = loader.read_data(&self.root.path().join(file));
        let text = text.map_err(|error| self.says(file, &reason(&error)))?;
        *kept += text.len() as u64;
        if *kept > MAX_KEPT {
            let most = MAX_KEPT >> 20;
            return Err(self.says(file, &format!("with it, the cases are larger than {most} MiB together")));
        }
        Ok(text)
    }
}

/// What is wrong with a file or folder.
fn about(path: &Path, what: &str) -> String {
    format!("{}: {what}", slashed(path))
}

fn file_name(name: &str, ending: &str) -> OsString {
    path_of(&format!("{name}.{ending}")).into_os_string()
}

/// The folder of a program's cases.
fn folder_of(program: &str) -> Result<String, String> {
    let path = path_of(program);
    let mut usual = vec![path.with_extension("cases")];
    if path.file_name().is_some_and(|name| name == "main.ez") {
        usual.push(path.with_file_name(OF_MAIN));
    }
    usual.push(path.with_file_name(OF_ANY));
    let names: Vec<String> = usual.iter().map(|folder| slashed(folder)).collect();
    usual.iter().zip(&names).find(|(folder, _)| folder.is_dir()).map(|(_, name)| name.clone()).ok_or_else(|| {
        let names = names.join(" nor ");
        format!("there are no cases for {program}: neither {names} is a folder\n  = help: --cases FOLDER says where they are")
    })
}

/// Adds the cases in a folder, or the one to which a file belongs, in no order. `kept`: see [`Folder::read`].
fn in_place(place: &str, cases: &mut Vec<Case>, kept: &mut u64) -> Result<(), String> {
    let path = path_of(place);
    let failed = |error| about(&path, &reason(&error));
    let (typed, only) = if fs::metadata(&path).map_err(failed)?.is_dir() {
        (path.clone(), None)
    } else {
        let (name, _) = part_of(&path).ok_or_else(|| {
            about(&path, "it is no file of a case: these are NAME.in, .out or .ans, .args, .status")
        })?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        (folder.unwrap_or(Path::new(".")).to_path_buf(), Some(name))
    };
    let root = Root::new(&typed).map_err(failed)?;
    let folder = Arc::new(Folder { typed, root });
    let mut found: BTreeMap<String, Files> = BTreeMap::new();
    for file in files_in(folder.root.path(), only.as_deref()).map_err(failed)? {
        let Some((name, part)) = part_of(Path::new(&file)) else { continue };
        let files = found.entry(name).or_default();
        if let Some(other) = files.insert(part, file.clone()) {
            let mut both = [folder.typed.join(other), folder.typed.join(file)].map(|file| slashed(&file));
            both.sort();
            return Err(format!("{} are for the same: one of them has to go", both.join(" and ")));
        }
        if cases.len() + found.len() > MAX_CASES {
            return Err(about(&path, &format!("there are more than {MAX_CASES} cases")));
        }
    }
    for (name, files) in found {
        cases.push(Case::new(name, &folder, &files, kept)?);
    }
    Ok(())
}

/// The names of files in a folder: of all, or those of the case with this name.
fn files_in(folder: &Path, only: Option<&str>) -> io::Result<Vec<OsString>> {
    let Some(name) = only else {
        return fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect();
    };
    // The folder may have many others.
    let all = ENDINGS.into_iter().map(|(ending, _)| file_name(name, ending));
    Ok(all.filter(|file| fs::symlink_metadata(folder.join(file)).is_ok()).collect())
}

/// The endings of the files of a case.
const ENDINGS: [(&str, Part); 5] = [
    ("in", Part::Input),
    ("out", Part::Output),
    ("ans", Part::Output),
    ("args", Part::Arguments),
    ("status", Part::Status),
];

/// The case to which a file belongs, and what it is of that. Hidden files belong to none.
fn part_of(file: &Path) -> Option<(String, Part)> {
    let extension = file.extension()?.to_str()?;
    let (_, part) = ENDINGS.into_iter().find(|(ending, _)| *ending == extension)?;
    let name = text_of(file.file_stem()?);
    (!name.starts_with('.')).then_some((name, part))
}

/// A part of a name, as it counts for the order.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    /// How many digits there are without zeros at the beginning, and these.
    Number(usize, String),
    Text(String),
}

/// What a name is sorted by: numbers in it count by their values.
fn natural(name: &str) -> (Vec<Piece>, String) {
    let mut pieces = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_number = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_number).unwrap_or(rest.len());
        let (piece, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        pieces.push(if is_number {
            let digits = piece.trim_start_matches('0');
            Piece::Number(digits.len(), digits.into())
        } else {
            Piece::Text(piece.into())
        });
        rest = after;
    }
    (pieces, name.into())
}
