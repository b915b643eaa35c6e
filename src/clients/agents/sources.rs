//! The source lines of which answers speak, and the names of files in answers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ez_language::modules::{ConfinedLoader, SourceLoader};
use ez_runtime::host::Root;
use ez_runtime::platform::{path_of, slashed};
use ez_runtime::text::slice;

/// Name of a program that is given as text.
pub const SOURCE: &str = "<source>";

/// Maximum length of a source line in an answer, in characters.
const MAX_LINE: usize = 160;

/// Files are read up to this size; of larger ones, no lines are shown.
const MAX_FILE: u64 = 8 << 20;

/// The texts of a program.
pub struct Sources {
    root: Root,
    texts: HashMap<PathBuf, Vec<String>>,
}

impl Sources {
    /// The files in a folder, and the program's text if it is not in a file.
    pub fn new(root: &Root, source: Option<&str>) -> Sources {
        let own = source.map(|text| (PathBuf::from(SOURCE), lines(text)));
        Sources { root: root.clone(), texts: own.into_iter().collect() }
    }

    /// Forgets the texts of files, which may have changed: they are read again.
    pub fn forget_files(&mut self) {
        self.texts.retain(|path, _| path == Path::new(SOURCE));
    }

    /// Adds the text of a file, as the session that runs it has it.
    pub fn add(&mut self, path: PathBuf, text: &str) {
        self.texts.insert(path, lines(text));
    }

    /// The name of a file in answers: relative to the folder if it is in it.
    pub fn name(&self, file: &str) -> String {
        let path = path_of(file);
        let relative = path.strip_prefix(self.root.path()).ok().filter(|rest| !rest.as_os_str().is_empty());
        slashed(relative.unwrap_or(&path))
    }

    /// A line of a file as it is named by the engine, without blanks around it; empty if it cannot be read.
    pub fn line(&mut self, file: &str, line: u32) -> String {
        let text = self.raw_line(file, line).trim().to_string();
        match text.char_indices().nth(MAX_LINE) {
            Some((end, _)) => format!("{}…", slice(&text, ..end)),
            None => text,
        }
    }

    fn raw_line(&mut self, file: &str, line: u32) -> &str {
        let root = &self.root;
        let path = root.path().join(path_of(if file == "<stdin>" { SOURCE } else { file }));
        let path = if self.texts.contains_key(Path::new(file)) { PathBuf::from(file) } else { path };
        let read = |path: &PathBuf| lines(&text_of(root, path).unwrap_or_default());
        let text = self.texts.entry(path).or_insert_with_key(read);
        let index = usize::try_from(line).ok().and_then(|line| line.checked_sub(1));
        index.and_then(|index| text.get(index)).map_or("", String::as_str)
    }
}

fn text_of(root: &Root, path: &Path) -> Option<String> {
    let small = root.contains(path) && std::fs::metadata(path).is_ok_and(|data| data.len() <= MAX_FILE);
    if !small {
        return None;
    }
    ConfinedLoader { root: Some(root.clone()) }.read(path).ok()
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_string).collect()
}
