//! Parsing an entry, and making a program of a piece of it.

use std::collections::HashSet;
use std::path::Path;
use std::rc::Rc;

use crate::diagnostics::{Code, Diagnostic, Severity};
use crate::modules::{FileUnit, Graph, ImportUnit, ModuleUnit, ResolvedImport, library_module, place};
use crate::source::{SourceFile, SourceMap, Span};
use crate::syntax::ast::{self, Attributes, Block, FuncDecl, ImportTarget, Name, Stmt, StmtKind, Using};
use crate::syntax::token::TokenKind;
use crate::syntax::{lex, parse_expression, parse_file};

/// The file name of entries in reports.
pub(super) const NAME: &str = "<repl>";

/// A parsed entry.
pub(super) struct Entry {
    pub source: Rc<SourceFile>,
    pub imports: Vec<ImportUnit>,
    pub usings: Vec<Using>,
    /// Functions and types.
    pub declarations: Vec<Stmt>,
    /// The rest, in order.
    pub stmts: Vec<Stmt>,
}

/// Whether something is open at the end of the text that the next line may close: a brace,
/// parenthesis, bracket, raw string or comment.
pub(super) fn is_open(text: &str) -> bool {
    let source = SourceMap::new().add(NAME, Path::new(NAME), text);
    let (tokens, errors) = lex(&source);
    if errors.iter().any(|d| matches!(d.code, Code::E1003 | Code::E1017)) {
        return true;
    }
    let mut open = Vec::new();
    for token in tokens {
        let opener = match token.kind {
            TokenKind::LeftBrace | TokenKind::LeftParen | TokenKind::LeftBracket => {
                open.push(token.kind);
                continue;
            }
            TokenKind::RightBrace => TokenKind::LeftBrace,
            TokenKind::RightParen => TokenKind::LeftParen,
            TokenKind::RightBracket => TokenKind::LeftBracket,
            _ => continue,
        };
        if open.pop() != Some(opener) {
            // An error that no further line can resolve.
            return false;
        }
    }
    !open.is_empty()
}

impl Entry {
    /// Parses an entry; `known`: the modules that were imported before.
    pub fn parse(sources: &SourceMap, text: &str, known: &[ImportUnit]) -> Result<Entry, Vec<Diagnostic>> {
        let source = sources.add(NAME, Path::new(NAME), text);
        let mut entry = Entry {
            source: source.clone(),
            imports: Vec::new(),
            usings: Vec::new(),
            declarations: Vec::new(),
            stmts: Vec::new(),
        };
        let (expr, found) = parse_expression(&source);
        if let (Some(expr), true) = (expr, errors(found).is_empty()) {
            let span = expr.span;
            entry.stmts.push(Stmt { span, attrs: Attributes::default(), kind: StmtKind::Expr(expr) });
            return Ok(entry);
        }
        let parsed = parse_file(&source);
        let mut found = errors(parsed.diagnostics);
        // The parser does not see imports of earlier entries.
        found.retain(|d| d.code != Code::E2010);
        entry.imports = imports(&source, &parsed.file, &mut found);
        entry.usings = parsed.file.usings;
        let imported: HashSet<&str> = known.iter().chain(&entry.imports).flat_map(names).collect();
        for using in &entry.usings {
            for name in using.names.iter().filter(|name| !imported.contains(&*name.text)) {
                let message = format!("cannot use module '{}' before importing it", name.text);
                found.push(Diagnostic::new(Code::E2010, using.keyword, message));
            }
        }
        for stmt in parsed.file.items {
            match &stmt.kind {
                StmtKind::Func(_) | StmtKind::Struct(_) | StmtKind::Enum(_) => entry.declarations.push(stmt),
                _ => entry.stmts.push(stmt),
            }
        }
        if found.is_empty() { Ok(entry) } else { Err(found) }
    }
}

/// The names by which `using` can mean a module.
fn names(unit: &ImportUnit) -> impl Iterator<Item = &str> {
    let own = match &unit.target {
        ResolvedImport::Library(module) => Some(module.name),
        _ => None,
    };
    std::iter::once(&*unit.alias).chain(own)
}

fn imports(source: &SourceFile, file: &ast::File, found: &mut Vec<Diagnostic>) -> Vec<ImportUnit> {
    let mut units = Vec::new();
    for import in &file.imports {
        for item in &import.items {
            let at = place(source, import, item);
            let ImportTarget::Library(name) = &item.target else {
                let message = "only library modules can be imported here";
                found.push(Diagnostic::new(Code::E6001, at, message));
                continue;
            };
            let target = library_module(&name.text);
            if let ResolvedImport::Failed(failure) = &target {
                found.push(Diagnostic::new(failure.code, at, failure.message.clone()));
                continue;
            }
            let (alias, keyword, auto_use) = (item.local_name(), import.keyword, import.auto_use);
            units.push(ImportUnit { alias, keyword, at, auto_use, target });
        }
    }
    units
}

fn errors(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    found.into_iter().filter(|d| d.severity() == Severity::Error).collect()
}

/// The name that a function or type declares.
pub(super) fn declared(stmt: &Stmt) -> Option<&Name> {
    match &stmt.kind {
        StmtKind::Func(decl) => Some(&decl.name),
        StmtKind::Struct(decl) => Some(&decl.name),
        StmtKind::Enum(decl) => Some(&decl.name),
        _ => None,
    }
}

/// The imports that an entry sees: those of earlier entries and its own.
#[derive(Clone, Default)]
pub(super) struct Header {
    pub imports: Vec<ImportUnit>,
    pub usings: Vec<Using>,
}

impl Header {
    /// The same with what an entry imports.
    pub fn with(&self, entry: &Entry) -> Header {
        let mut header = self.clone();
        for unit in &entry.imports {
            header.imports.retain(|old| old.alias != unit.alias);
            header.imports.push(unit.clone());
        }
        header.usings.extend(entry.usings.iter().cloned());
        header
    }

    fn unit(&self, source: &Rc<SourceFile>, items: Vec<Stmt>) -> FileUnit {
        let ast = ast::File {
            id: source.id,
            module: None,
            imports: Vec::new(),
            usings: self.usings.clone(),
            suppress: Vec::new(),
            items,
        };
        FileUnit { source: source.clone(), ast, diagnostics: Vec::new(), imports: self.imports.clone() }
    }

    /// A program of earlier declarations and one piece of an entry: variables at its file level, or
    /// something that its `main` does.
    pub fn program(
        &self,
        sources: &Rc<SourceMap>,
        declarations: &[(Rc<SourceFile>, Vec<Stmt>)],
        source: &Rc<SourceFile>,
        piece: Option<&Stmt>,
    ) -> Graph {
        let mut files: Vec<FileUnit> =
            declarations.iter().map(|(source, items)| self.unit(source, items.clone())).collect();
        let (mut items, mut body) = (Vec::new(), Vec::new());
        match piece {
            Some(stmt) if matches!(stmt.kind, StmtKind::Var(_)) => items.push(stmt.clone()),
            other => body.extend(other.cloned()),
        }
        items.push(main_function(source, body));
        files.push(self.unit(source, items));
        let module = ModuleUnit { name: "main".into(), path: NAME.into(), files };
        Graph {
            sources: sources.clone(),
            modules: vec![module],
            sibling_diagnostics: Vec::new(),
            misnamed: Vec::new(),
        }
    }
}

fn main_function(source: &SourceFile, stmts: Vec<Stmt>) -> Stmt {
    let span = Span::new(source.id, 0, source.text.len());
    let decl = FuncDecl {
        keyword: span.head(),
        name: Name { text: "main".into(), span: span.head() },
        params: Vec::new(),
        results: Vec::new(),
        body: Block { span, stmts },
    };
    Stmt { span, attrs: Attributes::default(), kind: StmtKind::Func(Rc::new(decl)) }
}
