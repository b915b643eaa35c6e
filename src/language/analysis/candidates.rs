//! Which names can be written at a place.

use std::collections::HashSet;

use crate::check::{NameKind, VisibleName, library_names};
use crate::syntax::comments::comments;
use crate::syntax::{TokenKind, Wanted, wanted};
use ez_runtime::diagnostics::Edit;
use ez_runtime::library::module;
use ez_runtime::source::SourceFile;
use ez_runtime::text::slice;
use ez_runtime::value::Type;

use super::Analysis;
use super::candidate::Candidate;
use super::chains::Cursor;
use super::names::{end_of, line_of, local_names, name_at};
use super::words::{all_modules, is_type, names_type};

/// Where in a file something is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// Where a declaration of a file begins.
    FileLevel,
    /// Where a statement begins.
    Statement,
    /// Anywhere else.
    Value,
}

/// Words with which only declarations at file level begin.
const DECLARATIONS: &[&str] = &["do", "import", "module", "private"];
/// Others that may begin a line there.
const AT_FILE_LEVEL: &[&str] = &["const", "temp", "using"];
/// Words in values and behind names.
const IN_VALUES: &[&str] =
    &["true", "false", "nil", "new", "range", "cast", "in", "not_in", "struct", "enum", "use"];

impl Position {
    fn has(self, word: &str) -> bool {
        match self {
            Position::FileLevel => DECLARATIONS.contains(&word) || AT_FILE_LEVEL.contains(&word),
            Position::Statement => {
                !DECLARATIONS.contains(&word) && !matches!(word, "struct" | "enum" | "use")
            }
            Position::Value => IN_VALUES.contains(&word),
        }
    }
}

/// Statements with blocks, as snippets of the protocol.
fn snippet(word: &str) -> Option<&'static str> {
    Some(match word {
        "do" => "do ${1:name}($2) {\n    $0\n}",
        "if" => "if ${1:condition} {\n    $0\n}",
        "for" => "for ${1:i} in range(0, ${2:n}) {\n    $0\n}",
        "for_each" => "for_each ${1:item} in ${2:items} {\n    $0\n}",
        "as_long_as" => "as_long_as ${1:condition} {\n    $0\n}",
        "loop" => "loop {\n    $0\n}",
        "when" => "when ${1:value} {\n    is ${2:case} {\n        $0\n    }\n    default {\n    }\n}",
        "otherwise" => "otherwise {\n    $0\n}",
        _ => return None,
    })
}

impl Analysis {
    /// What can be written at an offset of a file, each name once: first what has the expected type, then the names of
    /// the innermost blocks.
    pub fn candidates(&self, file: &SourceFile, offset: u32) -> Vec<Candidate> {
        let cursor = Cursor::new(self, file, offset);
        if cursor.is_in_text() {
            return Vec::new();
        }
        let next = cursor.tokens.partition_point(|(_, at)| at.start < offset);
        let typed = next.checked_sub(1).filter(|index| name_at(&cursor.tokens, offset) == Some(*index));
        let start = typed.unwrap_or(next);
        let begin = typed.and_then(|word| cursor.tokens.get(word)).map_or(offset, |(_, at)| at.start);
        if slice(&file.text, ..begin as usize).ends_with('#') {
            return cursor.attributes();
        }
        let wanted = wanted(self.near(file), begin);
        let mut found = if cursor.is_before(start, 1, TokenKind::Dot) {
            let mut members = cursor.members(start - 1);
            members.retain(|it| wanted.is_none_or(|wanted| !is_type(wanted) || names_type(it, wanted)));
            members
        } else if cursor.is_before(start, 1, TokenKind::At) {
            all_modules("").collect()
        } else {
            match wanted {
                Some(Wanted::New) => return Vec::new(),
                Some(Wanted::In) => return vec![Candidate::new("in", NameKind::Keyword, String::new())],
                Some(Wanted::Import) => return cursor.imports(start),
                Some(Wanted::Module) => return cursor.modules(),
                Some(wanted @ (Wanted::Type | Wanted::TypeName | Wanted::Struct | Wanted::EnumBase)) => {
                    return cursor.types(start, wanted);
                }
                Some(Wanted::Value) | None => cursor.fields(start).unwrap_or_else(|| cursor.names(start)),
            }
        };
        if let Some(ty) = cursor.expected(cursor.chain_start(start)) {
            let symbols = &self.now.checked.symbols;
            if !cursor.is_before(start, 1, TokenKind::Dot)
                && let Some(owner) = symbols.written_type(file.id, &ty)
            {
                let members = symbols.parts_of(&ty).into_iter().filter(|it| it.kind == NameKind::Member);
                let named = |it: VisibleName| Candidate {
                    name: format!("{owner}.{}", it.name),
                    ..Candidate::from(it)
                };
                found.splice(0..0, members.map(named));
            }
            // A stable sort.
            found.sort_by_key(|it| !it.value().is_some_and(|value| self.are_same(value, &ty)));
        }
        found
    }
}

impl Cursor<'_> {
    /// Whether the place is in a text, a number or a comment.
    fn is_in_text(&self) -> bool {
        let next = self.tokens.partition_point(|(_, at)| at.start < self.offset);
        let last = next.checked_sub(1).and_then(|index| self.tokens.get(index));
        let Some((kind, at)) = last else { return self.is_in_comment(0) };
        if at.end < self.offset {
            return self.is_in_comment(at.end);
        }
        match kind {
            // What is before a `${` ends with it.
            TokenKind::Str => at.end > self.offset || !self.file.slice(*at).ends_with("${"),
            TokenKind::RawStr | TokenKind::Char | TokenKind::Int | TokenKind::Float => true,
            _ => false,
        }
    }

    fn is_in_comment(&self, from: u32) -> bool {
        let gap = slice(&self.analysis.near(self.file).text, from as usize..self.offset as usize);
        comments(gap).last().is_some_and(|comment| !comment.is_closed)
    }

    /// What can stand behind the `.` that is token number `dot`.
    fn members(&self, dot: usize) -> Vec<Candidate> {
        let Some(name) = dot.checked_sub(1) else { return Vec::new() };
        let Some((symbols, known)) = self.known() else { return Vec::new() };
        let owner = self.text(name);
        let all = |names: Vec<VisibleName>| names.into_iter().map(Candidate::from).collect();
        let is_plain = self.kind(name) == Some(TokenKind::Ident) && !self.is_before(name, 1, TokenKind::Dot);
        let is_local = || self.analysis.local(self.file, owner, self.offset).is_some();
        if is_plain && !is_local() {
            let names = symbols.names_in_module(known, owner);
            if let Some(names) = names.or_else(|| symbols.members_of_enum(known, owner)) {
                return all(names);
            }
        }
        if let Some(alias) = self.module_before(name)
            && let Some(ty) = symbols.type_named(known, Some(alias), owner)
        {
            return all(symbols.parts_of(&ty).into_iter().filter(|it| it.kind == NameKind::Member).collect());
        }
        if let Some(ty) = self.value(dot) {
            return all(symbols.parts_of(&ty).into_iter().filter(|it| it.kind == NameKind::Field).collect());
        }
        // A module of the library that is not imported.
        let import = self.import_of(owner);
        let Some((module, import)) = module(owner).filter(|_| is_plain).zip(import) else {
            return Vec::new();
        };
        let needing = |name: VisibleName| Candidate { import: Some(import.clone()), ..Candidate::from(name) };
        library_names(module).into_iter().map(needing).collect()
    }

    /// The edit that adds the import of a module of the library, if the file has nothing of that name.
    pub fn import_of(&self, module: &str) -> Option<Edit> {
        let fix = self.analysis.now.checked.symbols.import_of(self.file.id, module)?;
        let edit = fix.edits.into_iter().next()?;
        Some(Edit { span: self.analysis.moved(self.file, edit.span), ..edit })
    }

    /// Whether the place is in a declaration.
    pub fn is_inside(&self) -> bool {
        self.analysis.tree(self.file).is_some_and(|tree| {
            tree.items.iter().any(|stmt| stmt.span.start < self.offset && self.offset <= end_of(stmt))
        })
    }

    fn position(&self, start: usize) -> Position {
        let is_inside = self.is_inside();
        let before = start.checked_sub(1).and_then(|index| self.tokens.get(index));
        let line = |offset: u32| self.file.line(offset);
        let begins = before.is_none_or(|(kind, at)| {
            matches!(kind, TokenKind::LeftBrace | TokenKind::RightBrace)
                || line(at.end) < line(self.offset) && !kind.wants_value() && !kind.opens()
        });
        match (begins, is_inside) {
            (true, false) => Position::FileLevel,
            (true, true) => Position::Statement,
            (false, _) => Position::Value,
        }
    }

    /// The fields that are not written yet, where one of a struct literal begins.
    fn fields(&self, start: usize) -> Option<Vec<Candidate>> {
        let begins =
            [TokenKind::LeftBrace, TokenKind::Comma].iter().any(|kind| self.is_before(start, 1, *kind));
        let call = self.call(start).filter(|call| begins && call.is_literal)?;
        let (symbols, known) = self.known()?;
        let alias = self.module_before(call.name);
        let first = call.name - if alias.is_some() { 2 } else { 0 };
        // `do f() -> T { … }` is no literal.
        let ty = symbols.type_named(known, alias, self.text(call.name));
        let Some(Type::Struct(def)) = ty.filter(|_| !self.is_before(first, 1, TokenKind::Arrow)) else {
            return None;
        };
        let mut written: HashSet<&str> = HashSet::new();
        let mut depth = 0usize;
        for index in call.name + 2..self.tokens.len() {
            let kind = self.kind(index)?;
            match kind {
                TokenKind::Colon if depth == 0 => drop(written.insert(self.text(index - 1))),
                _ if kind.opens() => depth += 1,
                _ if kind.opener().is_some() => match depth.checked_sub(1) {
                    Some(outer) => depth = outer,
                    None => break,
                },
                _ => {}
            }
        }
        let fields = def.fields().iter().filter(|field| !written.contains(&*field.name));
        Some(fields.map(|field| Candidate::new(&field.name, NameKind::Field, field.ty.to_string())).collect())
    }

    /// The names that can be written without a prefix.
    fn names(&self, start: usize) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        let mut known_names: HashSet<String> = HashSet::new();
        let mut add = |candidate: Candidate| {
            if known_names.insert(candidate.name.clone()) {
                found.push(candidate);
            }
        };
        let locals = self
            .analysis
            .tree(self.file)
            .map(|tree| local_names(tree, self.offset, self.file.text.len() as u32));
        for name in locals.unwrap_or_default().into_iter().rev() {
            let ty = self.analysis.inferred(self.file, name.span);
            let detail = ty.map_or_else(|| line_of(self.file, name.span), ToString::to_string);
            add(Candidate { ty: ty.cloned(), ..Candidate::new(&name.text, NameKind::Variable, detail) });
        }
        let position = self.position(start);
        let names = self.known().map(|(symbols, known)| symbols.names_in_file(known)).unwrap_or_default();
        if position != Position::FileLevel {
            let is_new = |it: &Candidate| names.iter().all(|known| *known.name != *it.name);
            self.declared().into_iter().filter(is_new).for_each(&mut add);
        }
        for name in names {
            let snippet = if position == Position::Value { None } else { snippet(&name.name) };
            match name.kind {
                NameKind::Keyword if !position.has(&name.name) => {}
                NameKind::Keyword => add(Candidate { snippet, ..Candidate::from(name) }),
                _ if position == Position::FileLevel => {}
                _ => add(Candidate::from(name)),
            }
        }
        if position != Position::FileLevel {
            self.not_imported().for_each(&mut add);
        }
        found
    }
}
