//! A request about an open document.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::{Value, json};

use crate::analysis::{Analysis, Place, Referent};
use crate::source::{SourceFile, Span};

use super::documents::{Documents, part};
use super::positions::{offset, range};
use super::programs::Programs;

/// A request, with the programs as they are now.
pub struct Asked<'a> {
    pub documents: &'a Documents,
    pub programs: &'a Programs,
    /// The program of the document with its text of now, if it has not been analysed since.
    pub draft: Option<&'a Analysis>,
    pub path: &'a Path,
    pub params: &'a Value,
}

/// Why a request is refused.
pub struct Refusal(pub String);

/// The answer to a request.
pub type Answer = fn(&Asked<'_>) -> Result<Value, Refusal>;

impl<'a> Asked<'a> {
    /// The program of the document, and the document as a file of it.
    pub fn program(&self) -> Option<(&'a Analysis, Rc<SourceFile>)> {
        let analysis = self.draft.or_else(|| self.programs.of(self.path))?;
        Some((analysis, analysis.file(self.path)?))
    }

    /// The same with the offset of the position that is asked about.
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
        json!({"uri": self.documents.uri(&file.path), "range": self.range(file, at)})
    }

    /// All names that mean the same as the one at the position, in all programs.
    pub fn same(&self) -> Vec<(Rc<SourceFile>, Place)> {
        let found = self
            .place()
            .and_then(|(analysis, file, at)| Some((analysis, *analysis.index().at(file.id, at)?)));
        let Some((own, place)) = found else { return Vec::new() };
        let mut all: Vec<(Rc<SourceFile>, Place)> = Vec::new();
        // A file may be part of several programs.
        let mut known: HashSet<(PathBuf, u32)> = HashSet::new();
        for (analysis, to) in self.everywhere(own, place.to) {
            for place in analysis.index().all(to) {
                let Some(file) = analysis.source(place.at.file) else { continue };
                if known.insert((file.path.clone(), place.at.start)) {
                    all.push((file, *place));
                }
            }
        }
        all
    }

    /// What is declared in a file, in each program that this file is part of; the given one is the first.
    pub fn everywhere(&self, own: &'a Analysis, to: Referent) -> Vec<(&'a Analysis, Referent)> {
        let mut found = vec![(own, to)];
        if let Referent::Source(file, start) = to
            && let Some(file) = own.source(file)
        {
            let others = self.programs.analyses();
            let others = others.filter(|other| !std::ptr::eq(*other, own) && other.has(&file.path));
            found.extend(
                others.filter_map(|other| Some((other, Referent::Source(other.file(&file.path)?.id, start)))),
            );
        }
        found
    }
}
