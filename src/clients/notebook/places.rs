//! `ez kernel list`: where Jupyter looks for kernels, and what it finds there.

use std::collections::{HashMap, HashSet};
use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::clients::overwrite::is_not_regular;
use ez_runtime::host::Capability;
use ez_runtime::platform::{self, path_of, text_of};

/// The file that describes a kernel.
pub const DESCRIPTION: &str = "kernel.json";

/// The module that becomes the `ez` of a Python.
const MODULE: &str = "ez_debugger.kernel";

/// What a kernel that is installed denies its programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// The capabilities denied to them.
    pub deny: Vec<Capability>,
    /// Their memory limit in bytes.
    pub memory: Option<u64>,
}

impl Restrictions {
    /// Whether nothing is denied.
    pub fn is_empty(&self) -> bool {
        self.deny.is_empty() && self.memory.is_none()
    }

    /// What is denied, in words: `denies net, exec; memory: 536870912 bytes`.
    pub fn text(&self) -> String {
        let parts: Vec<&str> = self.deny.iter().map(|part| part.name()).collect();
        let denied = if parts.is_empty() { "nothing".to_string() } else { parts.join(", ") };
        let memory = self.memory.map(|bytes| format!("; memory: {bytes} bytes")).unwrap_or_default();
        format!("denies {denied}{memory}")
    }
}

/// What of the environment of a process says where Jupyter looks for kernels.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Folders with data that are named (`JUPYTER_PATH`).
    pub named: Vec<PathBuf>,
    /// The folder of the Python that Jupyter is installed for.
    pub environment: Option<PathBuf>,
    /// Whether its kernels come before those of the user.
    pub prefers_environment: bool,
    pub user: Option<PathBuf>,
    pub shared: Vec<PathBuf>,
}

/// What of `kernel.json` matters here.
#[derive(Clone, Debug, Deserialize)]
pub struct Description {
    #[serde(default)]
    argv: Vec<String>,
    #[serde(default)]
    language: String,
}

/// A kernel in a folder in which Jupyter looks.
#[derive(Clone, Debug)]
pub struct Found {
    /// The name by which it is started.
    pub name: String,
    pub folder: PathBuf,
    /// `None`: it cannot be read.
    description: Option<Description>,
    /// The folder of the kernel of the same name that is found first.
    pub hidden_by: Option<PathBuf>,
}

impl Description {
    /// That of the kernel in a folder.
    pub fn read(folder: &Path) -> Option<Description> {
        let file = Some(folder.join(DESCRIPTION)).filter(|file| !is_not_regular(file))?;
        serde_json::from_slice(&std::fs::read(file).ok()?).ok()
    }

    pub fn is_ours(&self) -> bool {
        self.language == "ez"
    }

    /// What it denies its programs; `None` if that cannot be read.
    pub fn restrictions(&self) -> Option<Restrictions> {
        let mut found = Restrictions::default();
        let mut words = self.argv.iter();
        while let Some(word) = words.next() {
            let (option, value) =
                word.split_once('=').map_or((word.as_str(), None), |(it, value)| (it, Some(value)));
            let mut value = || value.or_else(|| words.next().map(String::as_str));
            match option {
                "--deny" => {
                    for part in value()?.split(',') {
                        found.deny.push(part.parse().ok()?);
                    }
                }
                "--memory" => found.memory = Some(value()?.parse().ok()?),
                _ => {}
            }
        }
        Some(found)
    }

    /// The program that Jupyter starts; `None` for the Python of Jupyter, by which the wheel's kernel begins.
    fn program(&self) -> Option<&str> {
        let is_python = self.argv.get(1..3).is_some_and(|words| words == ["-m", MODULE]);
        self.argv.first().map(String::as_str).filter(|first| !is_python || Path::new(first).is_absolute())
    }
}

impl Surroundings {
    /// Those of this process: Jupyter is the one that is on the path, or beside this program, or in the environment that
    /// is active.
    pub fn of_this_process() -> Surroundings {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let split = |value: Option<std::ffi::OsString>| -> Vec<PathBuf> {
            value.iter().flat_map(std::env::split_paths).collect()
        };
        let jupyter = |folder: PathBuf| {
            let program = folder.join(format!("jupyter{EXE_SUFFIX}"));
            let program = std::fs::canonicalize(program).ok().filter(|program| program.is_file())?;
            Some(program.parent()?.parent()?.to_path_buf())
        };
        let beside = platform::own_path().ok().and_then(|own| Some(own.parent()?.to_path_buf()));
        let mut folders = split(variable("PATH"));
        folders.extend(beside);
        let active =
            ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().find_map(|name| variable(name).map(PathBuf::from));
        let environment = folders.into_iter().find_map(jupyter).or(active);
        let is_off = |value: &OsStr| {
            ["0", "no", "n", "false", "off"].iter().any(|off| value.eq_ignore_ascii_case(off))
        };
        let is_named_conda = |prefix: &Path| {
            let name = variable("CONDA_DEFAULT_ENV").unwrap_or_else(|| "base".into());
            name != "base" && variable("CONDA_PREFIX").is_some_and(|conda| prefix.starts_with(conda))
        };
        let is_preferred = |prefix: &PathBuf| {
            (prefix.join("pyvenv.cfg").is_file() || is_named_conda(prefix)) && platform::may_write(prefix)
        };
        let prefers_environment = match variable("JUPYTER_PREFER_ENV_PATH") {
            Some(value) => !is_off(&value),
            None => environment.as_ref().is_some_and(is_preferred),
        };
        Surroundings {
            named: split(variable("JUPYTER_PATH")),
            environment,
            prefers_environment,
            user: platform::jupyter_directory(),
            shared: platform::shared_jupyter_directories(),
        }
    }

    /// The folders in which Jupyter looks for kernels, in its order.
    pub fn places(&self) -> Vec<PathBuf> {
        let environment = self.environment.iter().map(|prefix| prefix.join("share").join("jupyter"));
        let mut own: Vec<PathBuf> = environment.chain(self.user.clone()).collect();
        if !self.prefers_environment {
            own.reverse();
        }
        let all = self.named.iter().cloned().chain(own).chain(self.shared.iter().cloned());
        let mut places: Vec<PathBuf> = all.map(|data| data.join("kernels")).collect();
        let mut seen = HashSet::new();
        places.retain(|place| seen.insert(place.clone()));
        places
    }

    /// All kernels in these folders, in the order in which Jupyter finds them.
    pub fn kernels(&self) -> Vec<Found> {
        let mut first: HashMap<String, PathBuf> = HashMap::new();
        let mut found = Vec::new();
        for place in self.places() {
            let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
            let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            folders.retain(|folder| folder.join(DESCRIPTION).is_file());
            folders.sort();
            for folder in folders {
                let name = folder.file_name().map(text_of).unwrap_or_default().to_lowercase();
                let hidden_by = first.get(&name).cloned();
                first.entry(name.clone()).or_insert_with(|| folder.clone());
                found.push(Found { description: Description::read(&folder), name, folder, hidden_by });
            }
        }
        found
    }

    /// What is to be said of the kernels for EZ.
    pub fn listed(&self) -> String {
        let kernels = self.kernels();
        let ours: Vec<&Found> = kernels.iter().filter(|kernel| kernel.is_ours()).collect();
        if ours.is_empty() {
            return "No kernel is installed: 'ez kernel install' installs one\n".to_string();
        }
        let width = ours.iter().map(|kernel| kernel.name.chars().count()).max().unwrap_or(0);
        ours.iter().map(|kernel| self.lines(kernel, width)).collect()
    }

    fn lines(&self, kernel: &Found, width: usize) -> String {
        let mut lines = vec![format!("{:width$}  {}", kernel.name, shown(&kernel.folder))];
        let denied =
            kernel.restrictions().map_or("what it denies cannot be read".to_string(), |it| it.text());
        match kernel.description.as_ref().and_then(Description::program) {
            Some(program) if is_missing(program) => {
                let options = options_of(&kernel.folder, &kernel.name);
                lines.push(format!("starts {program}, which is not there any more: 'ez kernel install{options}' writes it anew, 'ez kernel uninstall{options}' removes it"));
            }
            Some(program) => lines.push(format!("starts {program}; {denied}")),
            None => lines.push(format!("starts the ez of {}; {denied}", self.python())),
        }
        if let Some(first) = &kernel.hidden_by {
            lines.push(format!("is not started: {} has the same name and comes first", shown(first)));
        }
        lines.join(&format!("\n{:width$}  ", "")) + "\n"
    }

    /// The Python that starts the kernel of the wheel.
    fn python(&self) -> String {
        match &self.environment {
            Some(prefix) if prefix.join("pyvenv.cfg").is_file() && !has_ez(prefix) => {
                format!(
                    "the Python in {}, which has none: 'ez kernel install' names this one instead",
                    shown(prefix)
                )
            }
            Some(prefix) => format!("the Python in {}", shown(prefix)),
            None => "the Python that runs Jupyter".to_string(),
        }
    }
}

pub fn shown(path: &Path) -> String {
    text_of(path.as_os_str())
}

fn has_ez(prefix: &Path) -> bool {
    ["bin", "Scripts"].iter().any(|folder| prefix.join(folder).join(format!("ez{EXE_SUFFIX}")).is_file())
}

/// Whether a program that Jupyter is to start is not there: at its path, or on `PATH`.
fn is_missing(program: &str) -> bool {
    let path = path_of(program);
    if path.components().count() > 1 {
        return !path.is_file();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    !std::env::split_paths(&folders)
        .any(|folder| folder.join(&path).is_file() || folder.join(format!("{program}{EXE_SUFFIX}")).is_file())
}

/// The options by which `install` and `uninstall` mean the kernel in a folder.
fn options_of(folder: &Path, name: &str) -> String {
    let user = platform::jupyter_directory().map(|data| data.join("kernels"));
    let place = folder.parent();
    let prefix = place.filter(|place| user.as_deref() != Some(*place)).and_then(|place| {
        place.ends_with("share/jupyter/kernels").then(|| place.ancestors().nth(3)).flatten()
    });
    let prefix = prefix.map(|prefix| format!(" --prefix {}", shown(prefix))).unwrap_or_default();
    let name = if name == super::NAME { String::new() } else { format!(" --name {name}") };
    prefix + &name
}

impl Found {
    pub fn is_ours(&self) -> bool {
        self.description.as_ref().is_some_and(Description::is_ours)
    }

    /// What it denies its programs; `None` if that cannot be read.
    pub fn restrictions(&self) -> Option<Restrictions> {
        self.description.as_ref()?.restrictions()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(data: &Path, name: &str, description: &str) -> PathBuf {
        let folder = data.join("kernels").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(DESCRIPTION), description).unwrap();
        folder
    }

    const WHEEL: &str =
        r#"{"argv": ["python", "-m", "ez_debugger.kernel", "{connection_file}"], "language": "ez"}"#;

    fn description(program: &str, options: &str) -> String {
        format!(r#"{{"argv": ["{program}", "kernel", "{{connection_file}}"{options}], "language": "ez"}}"#)
    }

    #[test]
    fn the_first_of_a_name_hides_the_others() {
        let at = tempfile::tempdir().unwrap();
        let folder = |name: &str| at.path().join(name);
        let there = shown(&platform::own_path().unwrap()).replace('\\', "/");
        let mut surroundings = Surroundings {
            named: Vec::new(),
            environment: Some(folder("hub")),
            prefers_environment: true,
            user: Some(folder("user")),
            shared: vec![folder("shared")],
        };
        assert!(surroundings.listed().starts_with("No kernel is installed"));
        let wheel = write(&folder("hub/share/jupyter"), "ez", WHEEL);
        let denying =
            write(&folder("shared"), "EZ", &description(&there, r#", "--deny", "net,exec", "--memory=9""#));
        write(&folder("shared"), "python3", r#"{"argv": ["python"], "language": "python"}"#);
        write(&folder("user"), "other", &description("/no/such/ez", ""));
        let told = surroundings.listed();
        let lines: Vec<&str> = told.lines().map(str::trim).collect();
        assert_eq!(lines[0], format!("ez     {}", shown(&wheel)));
        assert_eq!(
            lines[1],
            format!("starts the ez of the Python in {}; denies nothing", shown(&folder("hub")))
        );
        assert!(
            lines[2].starts_with("other  ")
                && lines[3].starts_with("starts /no/such/ez, which is not there any more"),
            "{told}"
        );
        assert_eq!(lines[5], format!("starts {there}; denies net, exec; memory: 9 bytes"));
        assert_eq!(lines[6], format!("is not started: {} has the same name and comes first", shown(&wheel)));
        assert_eq!(lines.len(), 7);
        // Who does not own the environment has its own kernels first.
        write(&folder("user"), "ez", &description(&there, ""));
        let first = |surroundings: &Surroundings| {
            surroundings.kernels().into_iter().find(|it| it.name == "ez").unwrap().folder
        };
        assert_eq!(first(&surroundings), wheel);
        surroundings.prefers_environment = false;
        assert_eq!(first(&surroundings), folder("user/kernels/ez"));
        surroundings.named = vec![folder("shared")];
        assert_eq!(first(&surroundings), denying);
        std::fs::write(folder("hub/pyvenv.cfg"), "").unwrap();
        assert!(surroundings.listed().contains("which has none: 'ez kernel install'"));
    }

    #[test]
    fn what_a_kernel_denies_is_read_from_its_arguments() {
        let read = |options: &str| {
            let text = description("ez", options);
            serde_json::from_str::<Description>(&text).unwrap().restrictions()
        };
        assert!(read("").unwrap().is_empty());
        assert_eq!(read(r#", "--deny=fs""#).unwrap().deny, [Capability::Fs]);
        assert_eq!(read(r#", "--deny", "everything""#), None);
        assert_eq!(read(r#", "--memory""#), None);
    }
}
