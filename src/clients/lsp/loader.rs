//! The texts of programs: those of open documents over the disk's.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use ez_language::modules::{ConfinedLoader, SourceLoader};

use super::documents::{self, Documents};

/// A loader of what the client has. What is loaded through it counts only if it is [`whole`](ClientLoader::whole).
pub struct ClientLoader<'a> {
    documents: &'a Documents,
    disk: ConfinedLoader,
    /// Why the text of an open document is not known that was asked for first.
    missed: RefCell<Option<String>>,
}

impl<'a> ClientLoader<'a> {
    pub fn new(documents: &'a Documents) -> ClientLoader<'a> {
        ClientLoader { documents, disk: ConfinedLoader::default(), missed: RefCell::default() }
    }

    /// What is made of texts.
    ///
    /// # Errors
    /// Why one of them is not known, and what helps.
    pub fn whole<T>(&self, make: impl FnOnce(&dyn SourceLoader) -> T) -> Result<T, String> {
        self.missed.take();
        let made = make(self);
        self.missed.take().map_or(Ok(made), Err)
    }
}

/// A text of the disk, which an editor shows without its byte order mark.
fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    text
}

impl SourceLoader for ClientLoader<'_> {
    fn read(&self, path: &Path) -> io::Result<String> {
        let real = documents::real(path);
        if !self.documents.is_open(&real) {
            return self.disk.read(path).map(without_mark);
        }
        let text = self.documents.text(&real).map(str::to_string);
        text.ok_or_else(|| {
            self.missed
                .borrow_mut()
                .get_or_insert_with(|| self.documents.not_known(&real).unwrap_or_default());
            io::Error::other("its text in the editor is not known")
        })
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.disk.list(dir)
    }

    fn exists(&self, path: &Path) -> bool {
        self.documents.is_open(&documents::real(path)) || self.disk.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        !self.documents.is_open(&documents::real(path)) && self.disk.is_dir(path)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.disk.absolute(path)
    }

    fn real(&self, path: &Path) -> PathBuf {
        documents::real(path)
    }
}
