//! A program in which one text has been edited since it was analysed, for answers that cannot wait for the next analysis:
//! the text and its tree are those of now, what names mean is what they meant before, where the text is still the same.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::syntax::{ast, parse_file};
use ez_runtime::source::{SourceFile, Span};
use ez_runtime::text::slice;
use ez_runtime::value::Type;

use super::change::Change;
use super::index::{Referent, Symbol};
use super::names::local_names;
use super::{Analysis, Occurrence};

/// The text that was edited.
pub(super) struct Draft {
    pub source: Rc<SourceFile>,
    /// The text with blanks instead of all other functions than that around the place which is asked about: only what is
    /// near is parsed again.
    near: SourceFile,
    tree: OnceCell<ast::File>,
    change: Change,
}

impl Draft {
    fn new(old: &SourceFile, source: SourceFile, offset: usize) -> Draft {
        Draft {
            near: old.with_text(&near(&source.text, offset)),
            tree: OnceCell::new(),
            change: Change::between(&old.text, &source.text),
            source: Rc::new(source),
        }
    }

    pub fn tree(&self) -> &ast::File {
        self.tree.get_or_init(|| parse_file(&self.near).file)
    }
}

impl Analysis {
    /// This program with another text of a file of it, for a question about an offset in that.
    pub fn edited(&self, source: SourceFile, offset: usize) -> Analysis {
        let draft = self.source(source.id).map(|old| Draft::new(&old, source, offset));
        Analysis { now: self.now.clone(), known: self.known.clone(), draft }
    }

    /// The draft of a file.
    fn draft_of(&self, file: &SourceFile) -> Option<&Draft> {
        self.draft.as_ref().filter(|draft| draft.source.id == file.id)
    }

    /// The text of a file in which the tokens near a place are looked for.
    pub(super) fn near<'a>(&'a self, file: &'a SourceFile) -> &'a SourceFile {
        self.draft_of(file).map_or(file, |draft| &draft.near)
    }

    /// Where something is now that was there when the program was analysed.
    pub(super) fn moved(&self, file: &SourceFile, at: Span) -> Span {
        let Some(draft) = self.draft_of(file) else { return at };
        Span { start: draft.change.forward(at.start), end: draft.change.forward(at.end), ..at }
    }

    /// The name at an offset of a file, or directly before it, with its place in the file.
    pub(super) fn named(&self, file: &SourceFile, offset: u32) -> Option<(Span, &Occurrence)> {
        let was = self.draft_of(file).map_or(Some(offset), |draft| draft.change.back(offset))?;
        let occurrence = self.now.index.at(file.id, was)?;
        let at = self.moved(file, occurrence.at);
        let is_same = self.source(file.id).is_some_and(|old| old.slice(occurrence.at) == file.slice(at));
        (is_same && at.start <= offset && offset <= at.end).then_some((at, occurrence))
    }

    /// What the name at `at` in a file declares.
    pub(super) fn declared(&self, file: &SourceFile, at: Span) -> Option<&Symbol> {
        let start = self.draft_of(file).map_or(Some(at.start), |draft| draft.change.back(at.start))?;
        let symbol = self.now.index.symbol(Referent::Source(file.id, start))?;
        let is_same = self.source(file.id).is_some_and(|old| old.slice(symbol.at) == file.slice(at));
        is_same.then_some(symbol)
    }

    /// The place of the variable of a function that a name means at an offset of a file.
    pub(super) fn local(&self, file: &SourceFile, name: &str, offset: u32) -> Option<Span> {
        let names = local_names(self.tree(file)?, offset, file.text.len() as u32);
        names.into_iter().rev().find(|local| *local.text == *name).map(|local| local.span)
    }

    /// The type of the variable that is declared there, if it is known.
    pub(super) fn inferred(&self, file: &SourceFile, name: Span) -> Option<&Type> {
        let ty = self.declared(file, name)?.ty.as_ref()?;
        (!ty.is_any() && *ty != Type::Nil).then_some(ty)
    }
}

/// A text with blanks instead of what is before and behind the function around an offset. Functions begin at the margin.
fn near(text: &str, offset: usize) -> String {
    let begins = |line: &str| line.starts_with("do ") || line.starts_with("private ");
    let (mut start, mut end, mut at) = (0, text.len(), 0);
    for line in text.split_inclusive('\n') {
        match begins(line) {
            true if at <= offset => start = at,
            true => {
                end = at;
                break;
            }
            false => {}
        }
        at += line.len();
    }
    let blank =
        |part: &str| -> String { part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect() };
    blank(slice(text, ..start)) + slice(text, start..end) + &blank(slice(text, end..))
}
