//! `ez kernel install`, `uninstall` and `list`: the folders in which Jupyter finds kernels.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::clients::show::print;
use crate::host::Capability;
use crate::platform::{self, path_of, text_of};

/// The file that describes a kernel, and that with its picture.
const DESCRIPTION: &str = "kernel.json";
const PICTURE: &str = "logo-svg.svg";

/// The name of the kernel if none is given.
pub const NAME: &str = "ez";

/// Where a kernel is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// `None`: where Jupyter looks for the user's kernels.
    pub prefix: Option<String>,
    /// Name of its folder.
    pub name: String,
}

/// What a kernel that is installed denies its programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// The capabilities denied to them.
    pub deny: Vec<Capability>,
    /// Their memory limit in bytes.
    pub memory: Option<u64>,
}

impl Place {
    /// The folder of the kernel.
    fn folder(&self) -> Result<PathBuf, String> {
        let valid = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        if self.name.is_empty() || self.name.starts_with('.') || !self.name.chars().all(valid) {
            let rule = "a name consists of letters, digits, '-', '.' and '_', and does not begin with '.'";
            return Err(format!("'{}' cannot be the name of a kernel: {rule}", self.name));
        }
        let data = match &self.prefix {
            Some(prefix) => path_of(prefix).join("share").join("jupyter"),
            None => platform::jupyter_directory()
                .ok_or("there is no directory for the user's data; use --prefix, or set JUPYTER_DATA_DIR")?,
        };
        let folder = data.join("kernels").join(&self.name);
        std::path::absolute(&folder).map_err(|error| platform::reason(&error))
    }
}

/// Writes the kernel's folder, and says where.
pub fn install(place: &Place, restrictions: &Restrictions) -> u8 {
    status(written(place, restrictions).map(|folder| format!("Installed the kernel in {}\n", shown(&folder))))
}

/// Removes the kernel's folder, and says which.
pub fn uninstall(place: &Place) -> u8 {
    status(removed(place).map(|folder| format!("Removed the kernel in {}\n", shown(&folder))))
}

/// Lists the kernels for EZ that Jupyter finds: name and folder.
pub fn list() -> u8 {
    let kernels: Vec<(String, PathBuf)> = places().iter().flat_map(|place| kernels_in(place)).collect();
    let width = kernels.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let lines = kernels.iter().map(|(name, folder)| format!("{name:width$}  {}\n", shown(folder)));
    status(if kernels.is_empty() {
        Ok("No kernel is installed: 'ez kernel install' installs one\n".to_string())
    } else {
        Ok(lines.collect())
    })
}

fn status(result: Result<String, String>) -> u8 {
    match result {
        Ok(text) => {
            print(&text);
            0
        }
        Err(why) => {
            eprintln!("Error: {why}");
            1
        }
    }
}

fn shown(path: &Path) -> String {
    text_of(path.as_os_str())
}

fn written(place: &Place, restrictions: &Restrictions) -> Result<PathBuf, String> {
    let folder = place.folder()?;
    let ez = std::env::current_exe()
        .map_err(|error| format!("the path of this program is not known: {}", platform::reason(&error)))?;
    let description = description(&shown(&ez), &place.name, restrictions);
    let text = serde_json::to_string_pretty(&description).unwrap_or_default() + "\n";
    let failed =
        |error| format!("the kernel cannot be written to {}: {}", shown(&folder), platform::reason(&error));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    std::fs::write(folder.join(PICTURE), include_str!("logo.svg")).map_err(failed)?;
    std::fs::write(folder.join(DESCRIPTION), text).map_err(failed)?;
    Ok(folder)
}

/// The content of `kernel.json`.
fn description(ez: &str, name: &str, restrictions: &Restrictions) -> Value {
    let mut argv = vec![ez.to_string(), "kernel".into(), "{connection_file}".into()];
    if !restrictions.deny.is_empty() {
        let parts: Vec<&str> = restrictions.deny.iter().map(|part| part.name()).collect();
        argv.extend(["--deny".into(), parts.join(",")]);
    }
    if let Some(bytes) = restrictions.memory {
        argv.extend(["--memory".into(), bytes.to_string()]);
    }
    let display_name = if name == NAME { "EZ".to_string() } else { format!("EZ ({name})") };
    json!({
        "argv": argv,
        "display_name": display_name,
        "language": "ez",
        "interrupt_mode": "message",
        "metadata": { "debugger": true },
    })
}

/// What of `kernel.json` says whether it is a kernel of ours.
#[derive(Deserialize)]
struct Description {
    #[serde(default)]
    language: String,
    #[serde(flatten)]
    _rest: Map<String, Value>,
}

impl Description {
    fn is_ours(&self) -> bool {
        self.language == "ez"
    }
}

fn described(folder: &Path) -> Option<Description> {
    serde_json::from_slice(&std::fs::read(folder.join(DESCRIPTION)).ok()?).ok()
}

fn removed(place: &Place) -> Result<PathBuf, String> {
    let folder = place.folder()?;
    if !folder.join(DESCRIPTION).is_file() {
        return Err(format!("there is no kernel in {}", shown(&folder)));
    }
    if !described(&folder).is_some_and(|kernel| kernel.is_ours()) {
        return Err(format!("the kernel in {} is not one of EZ", shown(&folder)));
    }
    let failed = |error| format!("{} cannot be removed: {}", shown(&folder), platform::reason(&error));
    for file in [DESCRIPTION, PICTURE] {
        match std::fs::remove_file(folder.join(file)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
    }
    // Other files in it are not ours.
    std::fs::remove_dir(&folder).map_err(failed)?;
    Ok(folder)
}

/// The folders in which Jupyter looks for kernels.
fn places() -> Vec<PathBuf> {
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os);
    let environments = environments.map(|prefix| PathBuf::from(prefix).join("share").join("jupyter"));
    let named = std::env::var_os("JUPYTER_PATH");
    let named: Vec<PathBuf> = named.iter().flat_map(std::env::split_paths).collect();
    let mut places: Vec<PathBuf> = named
        .into_iter()
        .chain(environments)
        .chain(platform::jupyter_directory())
        .chain(platform::shared_jupyter_directories())
        .map(|data| data.join("kernels"))
        .collect();
    let mut seen = std::collections::HashSet::new();
    places.retain(|place| seen.insert(place.clone()));
    places
}

fn kernels_in(place: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    let folders = entries.map(|entry| entry.path());
    let ours = folders.filter(|folder| described(folder).is_some_and(|kernel| kernel.is_ours()));
    let mut kernels: Vec<(String, PathBuf)> =
        ours.map(|folder| (folder.file_name().map(text_of).unwrap_or_default(), folder)).collect();
    kernels.sort();
    kernels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(prefix: &Path, name: &str) -> Place {
        Place { prefix: Some(shown(prefix)), name: name.into() }
    }

    #[test]
    fn kernels_come_and_go() {
        let prefix = tempfile::tempdir().unwrap();
        let restrictions =
            Restrictions { deny: vec![Capability::Net, Capability::Fs], memory: Some(1 << 20) };
        let here = place(prefix.path(), "ez-class");
        let folder = written(&here, &restrictions).unwrap();
        let kernel: Value =
            serde_json::from_slice(&std::fs::read(folder.join("kernel.json")).unwrap()).unwrap();
        let argv = kernel["argv"].as_array().unwrap();
        let arguments = ["kernel", "{connection_file}", "--deny", "net,fs", "--memory", "1048576"];
        assert_eq!(argv[1..], arguments.map(Value::from));
        assert_eq!(kernel["display_name"], "EZ (ez-class)");
        assert_eq!(
            kernels_in(&prefix.path().join("share/jupyter/kernels")),
            [("ez-class".to_string(), folder.clone())]
        );
        assert_eq!(removed(&here).unwrap(), folder);
        assert!(!folder.exists());
        assert!(removed(&here).unwrap_err().starts_with("there is no kernel in "));
    }

    #[test]
    fn what_is_not_possible_is_said() {
        let prefix = tempfile::tempdir().unwrap();
        for name in ["", "a b", "../x", ".x", "ä"] {
            assert!(
                place(prefix.path(), name).folder().unwrap_err().contains("cannot be the name"),
                "{name}"
            );
        }
        let file = prefix.path().join("file");
        std::fs::write(&file, "").unwrap();
        let refused = written(&place(&file, "ez"), &Restrictions::default()).unwrap_err();
        assert!(refused.starts_with("the kernel cannot be written to "), "{refused}");
        let other = prefix.path().join("share/jupyter/kernels/python3");
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(other.join("kernel.json"), r#"{"argv": ["python"], "language": "python"}"#).unwrap();
        assert!(removed(&place(prefix.path(), "python3")).unwrap_err().ends_with("is not one of EZ"));
    }
}
