//! The texts of the program's files, and how their paths are shown.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ez_engine::api::Location;
use ez_runtime::visible::visible_line;

use super::functions::{Function, functions};
use super::window::SourceText;

/// A file whose text is known.
struct Known {
    text: Rc<SourceText>,
    functions: Option<Rc<[Function]>>,
}

/// The files requested since the program was loaded.
pub struct Sources {
    /// The working directory.
    directory: PathBuf,
    files: HashMap<PathBuf, Known>,
}

impl Sources {
    /// Without files; `directory` is the working directory.
    pub fn new(directory: PathBuf) -> Sources {
        Sources { directory, files: HashMap::new() }
    }

    /// Forgets all files, since they may have changed.
    pub fn clear(&mut self) {
        self.files.clear();
    }

    /// A path for display: relative to the working directory if it is below it.
    pub fn shown(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.directory).unwrap_or(path);
        visible_line(&path.strip_prefix(".").unwrap_or(path).display().to_string()).into_owned()
    }

    /// A position for display: `shapes.ez:12`.
    pub fn place(&self, location: &Location) -> String {
        format!("{}:{}", self.shown(&location.path), location.line)
    }

    /// The text of a file, if it is known.
    pub fn text(&self, path: &Path) -> Option<Rc<SourceText>> {
        self.files.get(path).map(|known| known.text.clone())
    }

    /// Adds the text of a file.
    pub fn add(&mut self, path: &Path, text: String) -> Rc<SourceText> {
        let text = Rc::new(SourceText::new(text));
        self.files.insert(path.to_path_buf(), Known { text: text.clone(), functions: None });
        text
    }

    /// The functions of a known file.
    pub fn functions(&mut self, path: &Path) -> Rc<[Function]> {
        let Some(known) = self.files.get_mut(path) else { return Rc::default() };
        known.functions.get_or_insert_with(|| functions(known.text.text()).into()).clone()
    }
}
