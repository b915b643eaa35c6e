//! How a page names files: never by an absolute path, which would tell where its author keeps them.

use std::path::{Path, PathBuf};

/// The directories to which the paths of a page are relative.
#[derive(Clone, Debug)]
pub struct Base {
    /// Where the program runs, or has run when it was recorded.
    pub directory: PathBuf,
    /// The absolute path of the program's main file.
    pub main: PathBuf,
}

impl Base {
    /// The name of a file: relative to where the program runs; of a file elsewhere, relative to the folder of
    /// the main file; else the file's name alone. Folders are separated by `/`.
    pub fn name(&self, path: &Path) -> String {
        let relative = path
            .strip_prefix(&self.directory)
            .or_else(|_| path.strip_prefix(self.main.parent().unwrap_or(Path::new(""))));
        match relative {
            Ok(relative) => slashed(relative),
            // A text that is not in a file has a name only.
            Err(_) if path.is_relative() => slashed(path),
            Err(_) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// The name of the program.
    pub fn program(&self) -> String {
        self.name(&self.main)
    }
}

fn slashed(path: &Path) -> String {
    let names: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    names.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_absolute() {
        let at =
            |text: &str| -> PathBuf { if cfg!(windows) { format!("C:{text}") } else { text.into() }.into() };
        let base = Base { directory: at("/home/zoe/work"), main: at("/srv/tasks/one/main.ez") };
        let names =
            ["/home/zoe/work/a.ez", "/home/zoe/work/lib/b.ez", "/srv/tasks/one/lib/c.ez", "/opt/d.ez"];
        assert_eq!(names.map(|name| base.name(&at(name))), ["a.ez", "lib/b.ez", "lib/c.ez", "d.ez"]);
        assert_eq!(base.program(), "main.ez");
    }
}
