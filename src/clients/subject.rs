//! What is debugged or traced: a program, or a recorded run of one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ez_engine::api::{ExpectedText, Input, Launch, OutputMode, SetExpectedOutput};
use ez_engine::recording::file::{Header, Recording, RecordingError};
use ez_language::check::check_program;
use ez_language::modules::DiskLoader;
use ez_runtime::host::{Capability, Root};
use ez_runtime::platform::{path_of, reason, text_of};

use super::cases::folder::Cases;
use super::cases::{self, Program};
use super::show::{self, Style, report, unreadable, unreadable_file};

/// What is debugged or traced.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A program, by its file.
    Program(String),
    /// A recorded run, by the recording's file.
    Recording(String),
    /// A program with what a case has it read and expects it to print.
    Case(NamedCase),
}

/// A case, in the words of the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedCase {
    /// The program's file.
    pub file: String,
    pub name: String,
    /// Where the cases are, if that is not beside the program.
    pub places: Vec<String>,
    /// Whether the program may use the network.
    pub allow_net: bool,
}

/// What is debugged, in the words of the command line.
pub struct ProgramInfo {
    /// The program's file.
    pub file: String,
    /// Its absolute path.
    pub path: PathBuf,
    /// The working directory, if it is not that of this process: of a recorded run, or of one with a case.
    pub directory: Option<PathBuf>,
    /// The form of reports.
    pub style: Style,
    /// What it reads and is expected to print, if that is known.
    pub case: Option<CaseTexts>,
}

/// The texts of a case.
pub struct CaseTexts {
    /// The folder of the program, out of which it reaches no file.
    pub root: Root,
    pub arguments: Vec<String>,
    pub input: String,
    /// `None`: anything.
    pub output: Option<Arc<String>>,
}

impl CaseTexts {
    /// The texts of a case.
    ///
    /// # Errors
    /// A message that names what cannot be taken.
    fn of(named: &NamedCase) -> Result<CaseTexts, String> {
        let root = Program::new(&named.file)?.root;
        let cases = Cases::of_program(&named.file, &named.places)?;
        let case = cases.named(&named.name)?;
        let (arguments, input) = (case.arguments.clone(), case.input()?);
        Ok(CaseTexts { root, arguments, input, output: case.output.clone() })
    }

    /// What the program is expected to print.
    pub fn expected(&self) -> SetExpectedOutput {
        let expected = self.output.as_ref().map(|text| ExpectedText::Text(text.to_string()));
        SetExpectedOutput { expected, mode: OutputMode::default() }
    }

    /// All that the program can read.
    pub fn given(&self) -> Input {
        Input { text: Some(self.input.clone()), eof: true }
    }
}

impl Subject {
    /// The name of its file without folder and extension.
    pub fn stem(&self) -> String {
        let (Subject::Program(file) | Subject::Recording(file) | Subject::Case(NamedCase { file, .. })) =
            self;
        Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The request that loads it, with a memory limit in bytes, if there is one, and with what the program must not do: with
    /// a case, that is as `ez test` has it. The rest is as usual.
    pub fn launch(&self, deny: Vec<Capability>, memory_limit: Option<u64>) -> Launch {
        let launch = Launch { memory_limit, ..Launch::default() };
        match self.clone() {
            Subject::Program(file) => Launch { file: Some(file), deny, ..launch },
            Subject::Recording(recording) => Launch { replay: Some(recording), deny, ..launch },
            // To be led from what it prints to where that comes from.
            Subject::Case(NamedCase { file, allow_net, .. }) => Launch {
                // As `ez test` runs it.
                working_dir: folder_of(&file).map(|folder| text_of(folder.as_os_str())),
                file: Some(text_of(show::absolute(&file).as_os_str())),
                history: true,
                deny: cases::denied(deny, allow_net),
                memory_limit: memory_limit.or(Some(cases::MEMORY)),
                ..launch
            },
        }
    }

    /// Checks the program and prints its reports. `None` if it cannot be run, which has been reported.
    pub fn check(&self, style: Style) -> Option<ProgramInfo> {
        self.check_and_list(style).map(|(program, _)| program)
    }

    /// Like [`Subject::check`], with all files that were read: those of the program, or the recording.
    pub fn check_and_list(&self, style: Style) -> Option<(ProgramInfo, Vec<PathBuf>)> {
        let checked = self.checked(style);
        if let Err(message) = &checked {
            eprintln!("{message}");
        }
        checked.ok().flatten()
    }

    /// Checks the program and prints its reports; `Ok(None)` if its reports say why it cannot be run.
    ///
    /// # Errors
    /// The message for a program or recording that cannot be read.
    fn checked(&self, style: Style) -> Result<Option<(ProgramInfo, Vec<PathBuf>)>, String> {
        let case = match self {
            Subject::Case(named) => Some(CaseTexts::of(named).map_err(|why| format!("Error: {why}"))?),
            Subject::Program(_) | Subject::Recording(_) => None,
        };
        let (checked, file, path, directory) = match self {
            Subject::Program(file) | Subject::Case(NamedCase { file, .. }) => {
                let path = show::absolute(file);
                let directory = case.as_ref().and_then(|_| folder_of(file));
                (check_program(&DiskLoader, &path, file), file.clone(), path, directory)
            }
            Subject::Recording(recording) => {
                let Header { sources, path, file, directory, .. } = open_recording(recording)?.header;
                (check_program(&sources, &path, &file), file, path, Some(directory))
            }
        };
        let checked = checked.map_err(|error| unreadable(&file, &error.reason))?;
        report(&checked.diagnostics, &checked.sources, style);
        let files = match self {
            Subject::Program(_) | Subject::Case(_) => {
                checked.sources.files().iter().take(checked.files).map(|file| file.path.clone()).collect()
            }
            Subject::Recording(recording) => vec![show::absolute(recording)],
        };
        Ok(checked.program.map(|_| (ProgramInfo { file, path, directory, style, case }, files)))
    }
}

/// The folder of a program.
fn folder_of(file: &str) -> Option<PathBuf> {
    show::absolute(file).parent().map(Path::to_path_buf)
}

/// Opens a recording.
///
/// # Errors
/// The message to show if that is not possible.
pub fn open_recording(file: &str) -> Result<Recording, String> {
    Recording::open(&path_of(file)).map_err(|error| match error {
        RecordingError::Unreadable(error) => unreadable_file(file, &reason(&error)),
        error => format!("Error: {file}: {error}"),
    })
}
