//! The forms of inputs that are texts.

use std::path::PathBuf;

use ez_language::modules::MemoryLoader;

/// Where the main file is, and its folder.
pub const MAIN: &str = "/p/main.ez";
const FOLDER: &str = "/p";

/// What divides a program from what follows it in an input.
pub const PART: &str = "\n%%%%\n";

/// The files of a program: those after the first begin with a line `//// name`.
pub fn files(text: &str) -> Vec<(PathBuf, String)> {
    let mut found = vec![(PathBuf::from(MAIN), String::new())];
    for line in text.split_inclusive('\n') {
        match (line.trim_end().strip_prefix("//// "), found.last_mut()) {
            (Some(name), _) => found.push((PathBuf::from(FOLDER).join(name), String::new())),
            (None, Some((_, text))) => text.push_str(line),
            (None, None) => {}
        }
    }
    found
}

/// The same for the checker.
pub fn loader(text: &str) -> MemoryLoader {
    let mut loader = MemoryLoader::new();
    for (path, text) in files(text) {
        loader.add(path, text);
    }
    loader
}
