//! A request about an open document.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::{Value, json};

use ez_language::analysis::{Analysis, Occurrence, Referent};
use ez_runtime::source::{SourceFile, Span};

use super::documents::{Documents, part};
use super::positions::{offset, range};
use super::programs::Programs;
use super::workspace::{Program, Workspace};

/// A request, with the programs as they are now.
pub struct Asked<'a> {
    pub documents: &'a Documents,
    pub programs: &'a Programs,
    pub workspace: &'a Workspace,
    /// The programs of the workspace that were looked for, see [`Asked::elsewhere`].
    pub elsewhere: OnceCell<Vec<Program>>,
    /// The program of the document with its text of now, if it has not been analysed since.
    pub draft: Option<&'a Analysis>,
    /// The real path of the document.
    pub real: &'a Path,
    pub params: &'a Value,
}

/// Why a request is refused.
pub struct Refusal(pub String);

/// The answer to a request.
pub type Answer = fn(&Asked<'_>) -> Result<Value, Refusal>;

impl<'a> Asked<'a> {
    /// The program of the document, and the document as a file of it.
    pub fn program(&self) -> Option<(&'a Analysis, Rc<SourceFile>)> {
        let analysis = self.draft.or_else(|| self.programs.of(self.real))?;
        Some((analysis, analysis.file(self.real)?))
    }

    /// [`Asked::place`], for what has to know it.
    ///
    /// # Errors
    /// Why it is not known: the text of a file of the program is not.
    pub fn known_place(&self) -> Result<(&'a Analysis, Rc<SourceFile>, u32), Refusal> {
        let why = || self.programs.not_known(self.real).unwrap_or("the file is not known").to_string();
        self.place().ok_or_else(|| Refusal(why()))
    }

    /// [`Asked::program`] with the offset of the position that is asked about.
    pub fn place(&self) -> Option<(&'a Analysis, Rc<SourceFile>, u32)> {
        let (analysis, file) = self.program()?;
        let at = self.offset(&file, "/position");
        Some((analysis, file, at))
    }

    /// The offset of a position in the parameters.
    pub fn offset(&self, file: &SourceFile, pointer: &str) -> u32 {
        offset(file, part(self.params, pointer), self.documents.encoding) as u32
    }

    pub fn range(&self, file: &SourceFile, at: Span) -> Value {
        range(file, at, self.documents.encoding)
    }

    pub fn location(&self, file: &SourceFile, at: Span) -> Value {
        json!({"uri": self.documents.uri(file), "range": self.range(file, at)})
    }

    /// All names that mean the same as the one at the position, in all programs.
    ///
    /// # Errors
    /// As [`Asked::everywhere`].
    pub fn same(&self) -> Result<Vec<(Rc<SourceFile>, Occurrence)>, Refusal> {
        let found = self
            .place()
            .and_then(|(analysis, file, at)| Some((analysis, *analysis.index().at(file.id, at)?)));
        let Some((own, occurrence)) = found else { return Ok(Vec::new()) };
        let mut all: Vec<(Rc<SourceFile>, Occurrence)> = Vec::new();
        // A file may be part of several programs.
        let mut known: HashSet<(PathBuf, u32)> = HashSet::new();
        for (_, analysis, to) in self.everywhere(own, occurrence.to)? {
            for occurrence in analysis.index().all(to) {
                let Some(file) = analysis.source(occurrence.at.file) else { continue };
                if known.insert((file.real.clone(), occurrence.at.start)) {
                    all.push((file, *occurrence));
                }
            }
        }
        Ok(all)
    }

    /// What is declared in a file, in each program that this file is part of, with its main file: in the given one, which
    /// is the first, the others that are analysed, and those of the workspace.
    ///
    /// # Errors
    /// If not all programs could be looked at.
    pub fn everywhere(
        &self,
        own: &'a Analysis,
        to: Referent,
    ) -> Result<Vec<(&Path, &Analysis, Referent)>, Refusal> {
        let mut found = vec![(self.programs.main_of(own).unwrap_or(self.real), own, to)];
        let Referent::Source(file, start) = to else { return Ok(found) };
        let Some(file) = own.source(file) else { return Ok(found) };
        let elsewhere = if is_offered(own, &file, to) { self.elsewhere(&file)? } else { &[] };
        let others =
            self.programs.with_mains().chain(elsewhere.iter().map(|(main, it)| (main.as_path(), it)));
        found.extend(others.filter(|(_, other)| !std::ptr::eq(*other, own)).filter_map(|(main, other)| {
            let id = other.file(&file.real).filter(|_| other.has(&file.real))?.id;
            Some((main, other, Referent::Source(id, start)))
        }));
        Ok(found)
    }

    /// The programs of the workspace that have a file in them and are not analysed anyway.
    fn elsewhere(&self, declaring: &SourceFile) -> Result<&[Program], Refusal> {
        if let Some(found) = self.elsewhere.get() {
            return Ok(found);
        }
        let found = self.workspace.programs(self.documents, self.programs, declaring).map_err(Refusal)?;
        Ok(self.elsewhere.get_or_init(|| found))
    }
}

/// Whether other files can use what is declared in one: that needs a `module` line.
fn is_offered(analysis: &Analysis, file: &SourceFile, to: Referent) -> bool {
    let is_module = analysis.tree(file).is_some_and(|tree| tree.module.is_some());
    is_module && analysis.index().symbol(to).is_none_or(|symbol| !symbol.is_local)
}
