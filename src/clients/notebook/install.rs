//! `ez kernel install` and `uninstall`: the folder in which Jupyter finds the kernel.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::clients::show::print;
use crate::clients::spared::is_not_regular;
use crate::host::Capability;
use crate::platform::{self, path_of, text_of};

use super::places::{DESCRIPTION, Description, Found, Surroundings};

/// The picture of a kernel.
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

/// Writes the kernel's folder, says where, and what of it is not as one may think.
pub fn install(place: &Place, restrictions: &Restrictions) -> u8 {
    let installed = written(place, restrictions).and_then(|folder| {
        print(&format!("Installed the kernel in {}\n", shown(&folder)));
        let surroundings = Surroundings::of_this_process();
        let (notes, is_in_force) = notes(&surroundings, &folder, restrictions);
        print(&notes);
        if is_in_force || restrictions.is_empty() {
            return Ok(String::new());
        }
        Err(format!("Jupyter does not start this kernel, which {}", restrictions.text()))
    });
    status(installed)
}

/// What is to be said of a kernel that has been written, and whether Jupyter starts it by its name.
fn notes(surroundings: &Surroundings, folder: &Path, restrictions: &Restrictions) -> (String, bool) {
    let found = surroundings.kernels();
    let Some(own) = found.iter().find(|it| it.folder == folder) else {
        let looks =
            surroundings.places().iter().map(|place| format!("  {}\n", shown(place))).collect::<String>();
        return (
            format!("Note: Jupyter does not look there, as far as can be seen from here, but in\n{looks}"),
            true,
        );
    };
    let mut notes = String::new();
    if let Some(first) = &own.hidden_by {
        notes += &format!(
            "Note: Jupyter takes the kernel of this name in {}, where it looks first. 'jupyter kernelspec remove {}' removes that one; with --name, this one has another name.\n",
            shown(first),
            own.name
        );
    }
    let is_offered = |it: &&Found| it.is_ours() && it.hidden_by.is_none() && it.folder != folder;
    let others = found.iter().filter(is_offered).filter(|it| {
        it.restrictions()
            .is_none_or(|theirs| restrictions.deny.iter().any(|part| !theirs.deny.contains(part)))
    });
    for other in others.filter(|_| !restrictions.is_empty()) {
        notes += &format!(
            "Note: Jupyter also offers '{}' ({}), which does not deny this; docs/notebooks.md says how a hub does not.\n",
            other.name,
            shown(&other.folder)
        );
    }
    (notes, own.hidden_by.is_none())
}

/// Removes the kernel's folder, and says which.
pub fn uninstall(place: &Place) -> u8 {
    status(removed(place).map(|folder| format!("Removed the kernel in {}\n", shown(&folder))))
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

pub fn shown(path: &Path) -> String {
    text_of(path.as_os_str())
}

fn written(place: &Place, restrictions: &Restrictions) -> Result<PathBuf, String> {
    let folder = place.folder()?;
    if place.name == NAME && !restrictions.is_empty() {
        return Err(format!(
            "a kernel that denies something needs a name of its own, such as --name ez-class: '{NAME}' is that of the kernel in the wheel, and each upgrade of the wheel writes it anew, with nothing denied"
        ));
    }
    if folder.join(DESCRIPTION).exists() && !is_ours(&folder) {
        return Err(format!("the kernel in {} is not one of EZ: --name gives another name", shown(&folder)));
    }
    let ez = platform::own_name()?;
    let description = description(&shown(&ez), &place.name, restrictions);
    let text = serde_json::to_string_pretty(&description).unwrap_or_default() + "\n";
    let failed =
        |error| format!("the kernel cannot be written to {}: {}", shown(&folder), platform::reason(&error));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    for (name, text) in [(PICTURE, include_str!("logo.svg")), (DESCRIPTION, &text)] {
        let file = folder.join(name);
        if is_not_regular(&file) {
            return Err(format!("{} is not a regular file", shown(&file)));
        }
        std::fs::write(file, text).map_err(failed)?;
    }
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

/// Whether the kernel in a folder is one of EZ.
fn is_ours(folder: &Path) -> bool {
    Description::read(folder).is_some_and(|kernel| kernel.is_ours())
}

fn removed(place: &Place) -> Result<PathBuf, String> {
    let folder = place.folder()?;
    if !folder.join(DESCRIPTION).is_file() {
        return Err(format!("there is no kernel in {}", shown(&folder)));
    }
    if !is_ours(&folder) {
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
        let kernel = Description::read(&folder).unwrap();
        assert_eq!(kernel.restrictions().as_ref(), Some(&restrictions));
        let refused = written(&place(prefix.path(), "ez"), &restrictions).unwrap_err();
        assert!(refused.contains("needs a name of its own"), "{refused}");
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
