//! Which words can be written where no value can: types, modules, attributes.

use std::collections::HashSet;

use crate::check::{NameKind, library_types};
use crate::syntax::ast::{Name, StmtKind};
use crate::syntax::{TokenKind, Wanted, enum_base, token};
use ez_runtime::library::MODULES;
use ez_runtime::value::Type;

use super::candidate::Candidate;
use super::chains::Cursor;
use super::names::line_of;

impl Cursor<'_> {
    /// What the text as it is now declares at file level, without types.
    pub fn declared(&self) -> Vec<Candidate> {
        let mut found = Vec::new();
        let items = self.analysis.tree(self.file).map_or(&[][..], |tree| tree.items.as_slice());
        for stmt in items {
            let mut add = |name: &Name, kind, detail: String| {
                if name.span.end < self.offset || self.offset < name.span.start {
                    found.push(Candidate::new(&name.text, kind, detail));
                }
            };
            if let StmtKind::Func(decl) = &stmt.kind {
                add(&decl.name, NameKind::Function, line_of(self.file, decl.name.span));
            } else if let StmtKind::Struct(decl) = &stmt.kind {
                add(&decl.name, NameKind::Type, "struct".into());
            } else if let StmtKind::Enum(decl) = &stmt.kind {
                add(&decl.name, NameKind::Type, "enum".into());
            } else if let StmtKind::Var(decl) = &stmt.kind {
                let kind = if decl.constant { NameKind::Constant } else { NameKind::Variable };
                for (name, _) in decl.names.iter().filter(|(name, _)| !name.is_blank()) {
                    add(name, kind, line_of(self.file, name.span));
                }
            }
        }
        found
    }

    /// The attributes that can stand here, without their `#`.
    pub fn attributes(&self) -> Vec<Candidate> {
        let of_statements = TokenKind::Strict.text();
        let is_inside = self.is_inside();
        let all = token::attributes().filter(|text| (*text == of_statements) == is_inside);
        all.map(|text| Candidate::new(text.trim_start_matches('#'), NameKind::Keyword, String::new()))
            .collect()
    }

    /// What can be imported where token number `start` is.
    pub fn imports(&self, start: usize) -> Vec<Candidate> {
        if self.is_before(start, 1, TokenKind::Amp) {
            return vec![Candidate::new("use", NameKind::Keyword, String::new())];
        }
        all_modules("@").collect()
    }

    /// The modules whose names the file can use without them.
    pub fn modules(&self) -> Vec<Candidate> {
        let names = self.known().map(|(symbols, known)| symbols.names_in_file(known)).unwrap_or_default();
        let imported = names.into_iter().filter(|name| name.kind == NameKind::Module).map(Candidate::from);
        imported.chain(self.not_imported()).collect()
    }

    /// The modules of the library that the file does not import.
    pub fn not_imported(&self) -> impl Iterator<Item = Candidate> {
        all_modules("").filter_map(|it| Some(Candidate { import: Some(self.import_of(&it.name)?), ..it }))
    }

    /// The types that can be written as token number `start`, modules that have some, and other words with which a type
    /// begins, or that can stand there instead of one.
    pub fn types(&self, start: usize, wanted: Wanted) -> Vec<Candidate> {
        let word = |word: &str| Candidate::new(word, NameKind::Keyword, String::new());
        let mut found: Vec<Candidate> = Vec::new();
        if self.is_before(start, 2, TokenKind::For) {
            found.push(word("in"));
        }
        if self.is_before(start, 2, TokenKind::Const) {
            found.extend(["struct", "enum"].map(word));
        }
        if let Some((symbols, known)) = self.known() {
            let has_type = |module: &str| {
                let names = symbols.names_in_module(known, module).unwrap_or_default();
                names.into_iter().any(|it| names_type(&it.into(), wanted))
            };
            let names: Vec<Candidate> =
                symbols.names_in_file(known).into_iter().map(Candidate::from).collect();
            let is_new = |it: &Candidate| names.iter().all(|known| known.name != it.name);
            let declared: Vec<Candidate> = self.declared().into_iter().filter(is_new).collect();
            let library = library_types().map(|(name, ty)| Candidate {
                ty: Some(ty),
                ..Candidate::new(&name, NameKind::Type, String::new())
            });
            let all = declared.into_iter().chain(names).chain(library);
            found.extend(all.filter(|it| match it.kind {
                NameKind::Module => has_type(&it.name),
                _ => names_type(it, wanted),
            }));
        }
        if wanted == Wanted::Type {
            found.push(Candidate { snippet: Some("map[${1:string}:${2:int}]"), ..word("map") });
            if self.is_before(start, 1, TokenKind::Arrow) {
                found.push(word("nil"));
            }
        }
        let mut known = HashSet::new();
        found.retain(|it| known.insert(it.name.clone()));
        found
    }
}

/// The modules of the library, with a text before their names.
pub fn all_modules(before: &str) -> impl Iterator<Item = Candidate> {
    MODULES
        .iter()
        .map(move |it| Candidate::new(&format!("{before}{}", it.name), NameKind::Module, it.doc.into()))
}

pub fn is_type(wanted: Wanted) -> bool {
    match wanted {
        Wanted::Type | Wanted::TypeName | Wanted::Struct | Wanted::EnumBase => true,
        Wanted::Value | Wanted::New | Wanted::Module | Wanted::Import | Wanted::In => false,
    }
}

/// Whether a candidate is a type of the wanted sort.
pub fn names_type(it: &Candidate, wanted: Wanted) -> bool {
    it.kind == NameKind::Type
        && match wanted {
            Wanted::Struct => matches!(it.ty, Some(Type::Struct(_))),
            Wanted::EnumBase => enum_base(&it.name).is_some(),
            _ => true,
        }
}
