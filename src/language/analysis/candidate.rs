//! A name that can be written.

use crate::check::{NameKind, VisibleName};
use ez_runtime::diagnostics::Edit;
use ez_runtime::value::Type;

/// What can be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What is written; a member of an enum may have the name of its type before it.
    pub name: String,
    pub kind: NameKind,
    /// Its type or signature, as it is displayed; may be empty.
    pub detail: String,
    /// As in [`VisibleName`].
    pub(super) ty: Option<Type>,
    /// The import that it needs.
    pub import: Option<Edit>,
    /// For keywords: the whole statement, in the syntax of snippets.
    pub snippet: Option<&'static str>,
}

impl From<VisibleName> for Candidate {
    fn from(name: VisibleName) -> Candidate {
        Candidate { ty: name.ty, ..Candidate::new(&name.name, name.kind, name.detail) }
    }
}

impl Candidate {
    pub(super) fn new(name: &str, kind: NameKind, detail: String) -> Candidate {
        Candidate { name: name.to_string(), kind, detail, ty: None, import: None, snippet: None }
    }

    /// The type of its value, or of that of its call, if it is known.
    pub(super) fn value(&self) -> Option<&Type> {
        match self.kind {
            NameKind::Function
            | NameKind::Variable
            | NameKind::Constant
            | NameKind::Field
            | NameKind::Member => self.ty.as_ref(),
            NameKind::Type | NameKind::Module | NameKind::Keyword => None,
        }
    }
}
