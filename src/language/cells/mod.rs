//! Cells: pieces of a program that are entered one after the other, at a prompt or in a notebook. They share imports,
//! functions, types and variables.
//!
//! A cell is checked as a whole, together with the functions and types declared so far, and becomes one program. Its
//! variables are globals of that program; the values of earlier ones are put in before it runs ([`Cells::enter`]) and
//! taken out after it ([`Cells::leave`]). So nothing runs twice, and a cell with an error changes nothing.

mod completeness;
mod entry;
mod program;
mod values;

use std::path::Path;
use std::rc::Rc;

use crate::check::{DeclaredGlobal, DeclaredNames, Symbols, check_cell, declared_types};
use crate::syntax::ast::{self, Stmt};
use crate::syntax::token::TokenKind;
use crate::syntax::{lex, parse_file};
use ez_runtime::diagnostics::{Code, Diagnostic, Severity};
use ez_runtime::program::{GlobalId, Program};
use ez_runtime::source::{SourceFile, SourceMap, Span};

pub use completeness::{Completeness, completeness, is_open};

use entry::{Entry, declared, variables};
use program::{Header, Unit, store_result};
use values::Kept;

/// What is imported at the beginning.
const PRELUDE: &str = "import & use @std";

/// The statement of the program that runs between cells. It never runs.
const IDLE: &str = "if true {\n}\n";

/// What cells have declared. Stays on the thread of their program.
pub struct Cells {
    sources: Rc<SourceMap>,
    header: Header,
    units: Vec<Unit>,
    declared: DeclaredNames,
    /// The values of the variables in `declared`, in the same order.
    values: Vec<Kept>,
    /// Variables to be added when the program that has the values gives them back.
    added: Vec<(DeclaredGlobal, Kept)>,
    /// The source of the program that runs between cells.
    idle: Rc<SourceFile>,
}

#[derive(Clone, Copy, Debug)]
pub struct CellText<'a> {
    pub text: &'a str,
    /// Its name in reports.
    pub name: &'a str,
    pub path: &'a Path,
}

/// A cell without errors, as a program.
pub struct CheckedCell {
    pub program: Rc<Program>,
    /// Its names.
    pub symbols: Rc<Symbols>,
    pub warnings: Vec<Diagnostic>,
    /// The variables of earlier cells that it sees, as indices of them in order of the program's globals, which follow
    /// those that the cell declares.
    inherited: Vec<usize>,
    /// Stores the value of its last statement.
    result: Option<GlobalId>,
    /// What later cells see of it.
    header: Header,
    units: Vec<Unit>,
}

impl Default for Cells {
    fn default() -> Cells {
        Cells::new()
    }
}

impl Cells {
    /// Without any declarations; the functions of `@std` can be used.
    pub fn new() -> Cells {
        let sources = Rc::new(SourceMap::new());
        let nowhere = Path::new("");
        let header =
            Entry::parse(&sources, (PRELUDE, "", nowhere), &[]).map(|entry| Header::default().with(&entry));
        let idle = sources.add("", nowhere, IDLE);
        Cells {
            sources,
            header: header.unwrap_or_default(),
            units: Vec::new(),
            declared: DeclaredNames::default(),
            values: Vec::new(),
            added: Vec::new(),
            idle,
        }
    }

    /// The texts of all cells.
    pub fn sources(&self) -> &Rc<SourceMap> {
        &self.sources
    }

    /// Checks a cell. `shows_value`: the value of an expression that is its last statement is wanted.
    ///
    /// # Errors
    /// The errors of the cell, and errors that it causes in earlier cells.
    pub fn check(&self, text: CellText, shows_value: bool) -> Result<CheckedCell, Vec<Diagnostic>> {
        let entry = Entry::parse(&self.sources, (text.text, text.name, text.path), &self.header.imports)?;
        let refused = self.refused(&entry);
        if !refused.is_empty() {
            return Err(refused);
        }
        let header = self.header.with(&entry);
        let mut units = self.units.clone();
        let names: Vec<&str> =
            entry.declarations.iter().filter_map(declared).map(|name| &*name.text).collect();
        let replaced = |old: &Stmt| declared(old).is_some_and(|name| names.contains(&&*name.text));
        units.iter_mut().for_each(|unit| unit.items.retain(|old| !replaced(old)));
        units.retain(|unit| !unit.items.is_empty());
        let is_last_value = match entry.stmts.last().map(|stmt| &stmt.kind) {
            Some(ast::StmtKind::Expr(e)) => !matches!(e.kind, ast::ExprKind::Postfix(..)),
            _ => false,
        };
        let mut cell = self.checked(header, &entry.source, (&entry.declarations, &entry.stmts), units)?;
        if shows_value && is_last_value {
            cell.result = store_result(&mut cell.program);
        }
        if !entry.declarations.is_empty() {
            cell.units.push(Unit { source: entry.source, items: entry.declarations });
        }
        Ok(cell)
    }

    /// The program in which things are evaluated between cells. It is not meant to run.
    ///
    /// # Errors
    /// Its errors; there are none, as what has been declared is correct.
    pub fn idle(&self) -> Result<CheckedCell, Vec<Diagnostic>> {
        let parsed = parse_file(&self.idle).file.items;
        self.checked(self.header.clone(), &self.idle, (&[], &parsed), self.units.clone())
    }

    /// Checks a cell of these declarations and statements, with the declarations of others.
    fn checked(
        &self,
        header: Header,
        source: &Rc<SourceFile>,
        own: (&[Stmt], &[Stmt]),
        units: Vec<Unit>,
    ) -> Result<CheckedCell, Vec<Diagnostic>> {
        let graph = header.graph(&self.sources, source, own, &units);
        let checked = check_cell(&graph, &self.declared);
        let wanted = checked.diagnostics.into_iter().filter(|d| {
            let here = d.span.is_some_and(|span| span.file == source.id);
            d.severity() == Severity::Error || (here && !d.code.as_str().starts_with("W1"))
        });
        let found: Vec<Diagnostic> = wanted.collect();
        let Some(program) = checked.program else { return Err(found) };
        let fresh: Vec<&str> = own.1.iter().flat_map(variables).map(|name| &*name.text).collect();
        let globals = self.declared.globals.iter().enumerate();
        let inherited = globals.filter(|(_, global)| !fresh.contains(&&*global.name)).map(|(index, _)| index);
        Ok(CheckedCell {
            program,
            symbols: checked.symbols,
            warnings: found,
            inherited: inherited.collect(),
            result: None,
            header,
            units,
        })
    }

    /// Declarations that cannot be made: of `main`, and of types that exist already and are different. (Values of the
    /// earlier type may exist.)
    fn refused(&self, entry: &Entry) -> Vec<Diagnostic> {
        let mut refused = Vec::new();
        for stmt in &entry.declarations {
            let Some(name) = declared(stmt) else { continue };
            if &*name.text == "main" {
                let message = "here, 'main' is the entry itself; give the function another name";
                refused.push(Diagnostic::new(Code::E2023, name.span, message));
            } else if let Some((unit, old)) = self.earlier_type(&name.text)
                && !(is_type(stmt) && same_tokens((&unit.source, old.span), (&entry.source, stmt.span)))
            {
                let place = if unit.source.name == entry.source.name {
                    String::new()
                } else {
                    format!(", differently, in {}", unit.source.name)
                };
                let message = format!("type '{}' is already declared{place}", name.text);
                let help =
                    ":reset forgets everything that was declared, in a notebook a restart of the kernel";
                refused.push(Diagnostic::new(Code::E2023, name.span, message).help(help));
            }
        }
        refused
    }

    fn earlier_type(&self, name: &str) -> Option<(&Unit, &Stmt)> {
        let all = self.units.iter().flat_map(|unit| unit.items.iter().map(move |item| (unit, item)));
        all.into_iter().find(|(_, item)| is_type(item) && declared(item).is_some_and(|it| &*it.text == name))
    }

    /// Whether a name can be that of a variable.
    fn is_free(&self, name: &str) -> bool {
        let source = SourceMap::new().add("", Path::new(""), name);
        let (tokens, errors) = lex(&source);
        let is_name = errors.is_empty()
            && tokens
                .first()
                .is_some_and(|token| token.kind == TokenKind::Ident && source.slice(token.span) == name);
        let taken =
            self.units.iter().flat_map(|unit| &unit.items).filter_map(declared).any(|it| &*it.text == name);
        is_name && !taken
    }

    fn keep_names(&mut self, cell: CheckedCell) {
        self.declared.types = declared_types(&cell.symbols);
        (self.header, self.units) = (cell.header, cell.units);
    }
}

fn is_type(stmt: &Stmt) -> bool {
    matches!(stmt.kind, ast::StmtKind::Struct(_) | ast::StmtKind::Enum(_))
}

/// Whether two pieces of text are the same but for white space and comments.
fn same_tokens(a: (&SourceFile, Span), b: (&SourceFile, Span)) -> bool {
    let texts = |(source, span): (&SourceFile, Span)| {
        let within = lex(source).0.into_iter().map(|token| token.span);
        let within = within.filter(|token| span.start <= token.start && token.end <= span.end);
        within.map(|token| source.slice(token).to_string()).collect::<Vec<String>>()
    };
    texts(a) == texts(b)
}
