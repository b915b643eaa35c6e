//! `ez kernel install` and `uninstall`: the folder in which Jupyter finds the kernel.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::clients::overwrite::is_not_regular;
use crate::clients::show::print;
use ez_runtime::platform::{self, path_of};

use super::places::{DESCRIPTION, Description, Found, Restrictions, Surroundings, shown};

/// The picture of a kernel, and what is in it.
const PICTURE: &str = "logo-svg.svg";
const LOGO: &str = include_str!("logo.svg");

/// How many of the things that stay in a folder are named.
const MAX_NAMED: usize = 10;

/// The name of the kernel if none is given.
pub const NAME: &str = "ez";

/// Where a kernel is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFolder {
    /// `None`: where Jupyter looks for the user's kernels.
    pub prefix: Option<String>,
    /// Name of its folder.
    pub name: String,
}

impl KernelFolder {
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

/// Writes the kernel's folder, says where, and what of it is not as one may think.
pub fn install(kernel: &KernelFolder, restrictions: &Restrictions) -> u8 {
    let installed = written(kernel, restrictions).and_then(|folder| {
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

/// Removes what [`install`] has written, and says where, and what stays.
pub fn uninstall(kernel: &KernelFolder) -> u8 {
    status(removed(kernel))
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

fn written(kernel: &KernelFolder, restrictions: &Restrictions) -> Result<PathBuf, String> {
    let folder = kernel.folder()?;
    if kernel.name == NAME && !restrictions.is_empty() {
        return Err(format!(
            "a kernel that denies something needs a name of its own, such as --name ez-class: '{NAME}' is that of the kernel in the wheel, and each upgrade of the wheel writes it anew, with nothing denied"
        ));
    }
    no_links([&folder, &folder.join(DESCRIPTION), &folder.join(PICTURE)])?;
    if folder.join(DESCRIPTION).exists() && !is_ours(&folder) {
        return Err(format!("the kernel in {} is not one of EZ: --name gives another name", shown(&folder)));
    }
    let ez = platform::own_name()?;
    let description = description(&shown(&ez), &kernel.name, restrictions);
    let text = serde_json::to_string_pretty(&description).unwrap_or_default() + "\n";
    let failed =
        |error| format!("the kernel cannot be written to {}: {}", shown(&folder), platform::reason(&error));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    for (name, text) in [(PICTURE, LOGO), (DESCRIPTION, &text)] {
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

/// Makes sure that none of these paths names a link: it may lead to what somebody else has made.
fn no_links<const COUNT: usize>(paths: [&Path; COUNT]) -> Result<(), String> {
    paths.into_iter().find(|path| path.is_symlink()).map_or(Ok(()), |link| {
        Err(format!(
            "{} is a link, which 'ez kernel install' has not made: nothing was changed there",
            shown(link)
        ))
    })
}

fn removed(kernel: &KernelFolder) -> Result<String, String> {
    let folder = kernel.folder()?;
    let (description, picture) = (folder.join(DESCRIPTION), folder.join(PICTURE));
    no_links([&folder, &description])?;
    if !description.is_file() {
        return Err(format!("there is no kernel in {}", shown(&folder)));
    }
    if !is_ours(&folder) {
        return Err(format!("the kernel in {} is not one of EZ", shown(&folder)));
    }
    let is_own_picture = picture.symlink_metadata().is_ok_and(|found| found.is_file())
        && std::fs::read(&picture).is_ok_and(|found| found == LOGO.as_bytes());
    for file in [&picture, &description].into_iter().skip(usize::from(!is_own_picture)) {
        std::fs::remove_file(file)
            .map_err(|error| format!("{} cannot be removed: {}", shown(file), platform::reason(&error)))?;
    }
    Ok(format!("Removed the kernel in {}\n{}", shown(&folder), what_stays(&folder)))
}

/// Removes a kernel's folder if it is empty; what is to be said if it stays.
fn what_stays(folder: &Path) -> String {
    let Err(error) = std::fs::remove_dir(folder) else { return String::new() };
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| shown(Path::new(&entry.file_name()))).collect())
        .unwrap_or_default();
    if names.is_empty() {
        return format!("The folder stays: {}\n", platform::reason(&error));
    }
    names.sort_unstable();
    let left = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    if left > 0 {
        names.push(format!("{left} more"));
    }
    let names = names.join(", ");
    format!("The folder stays, with what 'ez kernel install' does not write: {names}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ez_runtime::host::Capability;

    fn kernel_folder(prefix: &Path, name: &str) -> KernelFolder {
        KernelFolder { prefix: Some(shown(prefix)), name: name.into() }
    }

    #[test]
    fn kernels_come_and_go() {
        let prefix = tempfile::tempdir().unwrap();
        let restrictions =
            Restrictions { deny: vec![Capability::Net, Capability::Fs], memory: Some(1 << 20) };
        let here = kernel_folder(prefix.path(), "ez-class");
        let folder = written(&here, &restrictions).unwrap();
        let kernel: Value =
            serde_json::from_slice(&std::fs::read(folder.join("kernel.json")).unwrap()).unwrap();
        let argv = kernel["argv"].as_array().unwrap();
        let arguments = ["kernel", "{connection_file}", "--deny", "net,fs", "--memory", "1048576"];
        assert_eq!(argv[1..], arguments.map(Value::from));
        assert_eq!(kernel["display_name"], "EZ (ez-class)");
        let kernel = Description::read(&folder).unwrap();
        assert_eq!(kernel.restrictions().as_ref(), Some(&restrictions));
        let refused = written(&kernel_folder(prefix.path(), "ez"), &restrictions).unwrap_err();
        assert!(refused.contains("needs a name of its own"), "{refused}");
        assert_eq!(removed(&here).unwrap(), format!("Removed the kernel in {}\n", shown(&folder)));
        assert!(!folder.exists());
        assert!(removed(&here).unwrap_err().starts_with("there is no kernel in "));
    }

    #[test]
    fn what_others_have_put_into_the_folder_stays() {
        let prefix = tempfile::tempdir().unwrap();
        let here = kernel_folder(prefix.path(), "ez");
        let folder = written(&here, &Restrictions::default()).unwrap();
        std::fs::write(folder.join("logo-svg.svg"), "<svg/>").unwrap();
        std::fs::write(folder.join("notes.txt"), "mine").unwrap();
        std::fs::create_dir(folder.join("more")).unwrap();
        assert_eq!(
            removed(&here).unwrap(),
            format!(
                "Removed the kernel in {}\n\
                 The folder stays, with what 'ez kernel install' does not write: logo-svg.svg, more, notes.txt\n",
                shown(&folder)
            )
        );
        assert!(!folder.join("kernel.json").exists());
        assert_eq!(std::fs::read_to_string(folder.join("logo-svg.svg")).unwrap(), "<svg/>");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;
        let prefix = tempfile::tempdir().unwrap();
        let theirs = written(&kernel_folder(prefix.path(), "theirs"), &Restrictions::default()).unwrap();
        let here = kernel_folder(prefix.path(), "ez");
        let folder = here.folder().unwrap();
        let is_refused = |why: String, link: &Path| {
            let refused = format!("{} is a link, which 'ez kernel install' has not made", shown(link));
            assert!(why.starts_with(&refused), "{why}");
            for name in [DESCRIPTION, PICTURE] {
                assert!(theirs.join(name).metadata().unwrap().len() > 0);
            }
        };
        let description = std::fs::read(theirs.join(DESCRIPTION)).unwrap();
        let denies = Restrictions { deny: Vec::new(), memory: Some(1 << 30) };

        symlink(&theirs, &folder).unwrap();
        is_refused(removed(&here).unwrap_err(), &folder);
        is_refused(written(&here, &Restrictions::default()).unwrap_err(), &folder);
        std::fs::remove_file(&folder).unwrap();

        std::fs::create_dir(&folder).unwrap();
        symlink(theirs.join(DESCRIPTION), folder.join(DESCRIPTION)).unwrap();
        is_refused(removed(&here).unwrap_err(), &folder.join(DESCRIPTION));
        is_refused(written(&here, &Restrictions::default()).unwrap_err(), &folder.join(DESCRIPTION));

        // One that leads nowhere would make a file there.
        let other = kernel_folder(prefix.path(), "other");
        let folder = written(&other, &denies).unwrap();
        std::fs::remove_file(folder.join(PICTURE)).unwrap();
        symlink(prefix.path().join("nowhere"), folder.join(PICTURE)).unwrap();
        is_refused(written(&other, &denies).unwrap_err(), &folder.join(PICTURE));
        assert!(!prefix.path().join("nowhere").exists());
        assert!(removed(&other).unwrap().ends_with("does not write: logo-svg.svg\n"));
        assert!(folder.join(PICTURE).is_symlink());
        assert_eq!(std::fs::read(theirs.join(DESCRIPTION)).unwrap(), description);
    }

    #[test]
    fn what_is_not_possible_is_said() {
        let prefix = tempfile::tempdir().unwrap();
        for name in ["", "a b", "../x", ".x", "ä"] {
            assert!(
                kernel_folder(prefix.path(), name).folder().unwrap_err().contains("cannot be the name"),
                "{name}"
            );
        }
        let file = prefix.path().join("file");
        std::fs::write(&file, "").unwrap();
        let refused = written(&kernel_folder(&file, "ez"), &Restrictions::default()).unwrap_err();
        assert!(refused.starts_with("the kernel cannot be written to "), "{refused}");
        let other = prefix.path().join("share/jupyter/kernels/python3");
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(other.join("kernel.json"), r#"{"argv": ["python"], "language": "python"}"#).unwrap();
        assert!(removed(&kernel_folder(prefix.path(), "python3")).unwrap_err().ends_with("is not one of EZ"));
    }
}
