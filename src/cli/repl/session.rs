//! The state of a prompt session, and running entries.
//!
//! Every statement of an entry becomes a program of its own that contains the functions and types
//! declared so far and refers to the variables. So nothing runs twice, and an entry with an error changes
//! nothing.

use std::rc::Rc;
use std::sync::Arc;

use super::entry::{Entry, Header, declared};
use super::interrupt::Interrupt;
use super::lines::PromptLine;
use crate::check::{Checked, PromptGlobal, PromptState, check_entry, declared_types};
use crate::cli::args::Style;
use crate::cli::run::report_failure;
use crate::cli::show::{print, report};
use crate::diagnostics::{Code, Diagnostic, Severity};
use crate::host::SystemHost;
use crate::interp::{self, STACK_SIZE, Vm};
use crate::program::{Global, GlobalId, Program, StmtKind};
use crate::source::{SourceFile, SourceMap};
use crate::syntax::ast::{self, Stmt};
use crate::value::{Host, Ref, Type, Value, Waited, inspect};

/// How an entry ended.
pub(super) enum EntryOutcome {
    /// Normally.
    Next,
    /// With an error: the rest of the entry is not run.
    Failed,
    /// By ending the session, with this exit status.
    Ended(u8),
}

/// What is imported at the beginning.
const PRELUDE: &str = "import & use @std";

/// The state between entries.
pub(super) struct ReplSession {
    style: Style,
    sources: Rc<SourceMap>,
    header: Header,
    /// Functions and types by entry.
    declarations: Vec<(Rc<SourceFile>, Vec<Stmt>)>,
    kept: PromptState,
    /// The values of the variables in `kept`, in the same order.
    places: Vec<Ref>,
    host: Option<Box<dyn Host>>,
    interrupt: Arc<Interrupt>,
    /// Whether the last entry was ended by Ctrl+C.
    pub interrupted: bool,
}

impl ReplSession {
    pub fn new(style: Style) -> ReplSession {
        ReplSession::with(style, Interrupt::listen())
    }

    fn with(style: Style, interrupt: Arc<Interrupt>) -> ReplSession {
        let sources = Rc::new(SourceMap::new());
        let header = Entry::parse(&sources, PRELUDE, &[]).map(|entry| Header::default().with(&entry));
        ReplSession {
            interrupt,
            interrupted: false,
            style,
            sources,
            header: header.unwrap_or_default(),
            declarations: Vec::new(),
            kept: PromptState::default(),
            places: Vec::new(),
            host: None,
        }
    }

    /// Removes all declarations and variables.
    pub fn reset(&mut self) {
        let host = self.host.take();
        *self = ReplSession::with(self.style, self.interrupt.clone());
        self.host = host;
    }

    fn take_host(&mut self) -> Box<dyn Host> {
        let flag = || self.interrupt.interrupt_flag();
        self.host.take().unwrap_or_else(|| Box::new(SystemHost::new(Some(flag()))))
    }

    /// A line of standard input; Ctrl+C at a terminal gives [`PromptLine::Cancelled`].
    pub fn read_line(&mut self, terminal: bool) -> PromptLine {
        let mut host = self.take_host();
        let line = if terminal { self.interrupt.during(|| host.read_line()) } else { host.read_line() };
        self.host = Some(host);
        match line {
            Ok(Waited::Done(Some(line))) => {
                PromptLine::Text(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_string())
            }
            Ok(Waited::Interrupted) => PromptLine::Cancelled,
            _ => PromptLine::End,
        }
    }

    pub fn has_variable(&self, name: &str) -> bool {
        self.kept.globals.iter().any(|global| &*global.name == name)
    }

    /// Names, types and values of the variables.
    pub fn variables(&self) -> impl Iterator<Item = (Rc<str>, String, Value)> {
        self.kept.globals.iter().zip(&self.places).map(|(global, place)| {
            let value = Value::Ref(place.clone()).follow();
            (global.name.clone(), global.ty.to_string(), value)
        })
    }

    /// Checks and runs an entry, until Ctrl+C.
    pub fn enter(&mut self, text: &str) -> EntryOutcome {
        let interrupt = self.interrupt.clone();
        interrupt.during(|| self.carry_out(text))
    }

    fn carry_out(&mut self, text: &str) -> EntryOutcome {
        let entry = match Entry::parse(&self.sources, text, &self.header.imports) {
            Ok(entry) => entry,
            Err(found) => {
                report(&found, &self.sources, self.style);
                return EntryOutcome::Failed;
            }
        };
        let declares =
            !entry.imports.is_empty() || !entry.usings.is_empty() || !entry.declarations.is_empty();
        if declares && let EntryOutcome::Failed = self.declare(&entry) {
            return EntryOutcome::Failed;
        }
        for stmt in &entry.stmts {
            match self.run(&entry.source, stmt) {
                EntryOutcome::Next => {}
                other => return other,
            }
        }
        EntryOutcome::Next
    }

    /// Adds imports, functions and types unless they have errors. A function replaces an earlier one of
    /// its name; a type cannot, since values of the earlier type may exist.
    fn declare(&mut self, entry: &Entry) -> EntryOutcome {
        let mut refused = Vec::new();
        for name in entry.declarations.iter().filter_map(declared) {
            if &*name.text == "main" {
                let message = "here, 'main' is the entry itself; give the function another name";
                refused.push(Diagnostic::new(Code::E2023, name.span, message));
            } else if self.kept.types.iter().any(|(old, _)| *old == name.text) {
                let message = format!("type '{}' is already declared", name.text);
                let help = ":reset forgets everything that was declared";
                refused.push(Diagnostic::new(Code::E2023, name.span, message).help(help));
            }
        }
        if !refused.is_empty() {
            report(&refused, &self.sources, self.style);
            return EntryOutcome::Failed;
        }
        let header = self.header.with(entry);
        let mut declarations = self.declarations.clone();
        let replaced = |old: &Stmt| {
            let name = declared(old).map(|name| &name.text);
            entry.declarations.iter().any(|new| declared(new).map(|name| &name.text) == name)
        };
        declarations.iter_mut().for_each(|(_, items)| items.retain(|old| !replaced(old)));
        declarations.push((entry.source.clone(), entry.declarations.clone()));
        declarations.retain(|(_, items)| !items.is_empty());
        // The empty `main` has a source text of its own.
        let source = self.sources.add(super::entry::NAME, std::path::Path::new(super::entry::NAME), "");
        let graph = header.program(&self.sources, &declarations, &source, None);
        let checked = check_entry(&graph, &self.kept);
        self.report(&checked.diagnostics, &entry.source);
        let Some(program) = checked.program else { return EntryOutcome::Failed };
        // Members of enums that are computed get their values.
        if !matches!(self.execute(program, 0), EntryOutcome::Next) {
            return EntryOutcome::Failed;
        }
        self.kept.types = declared_types(&checked.symbols);
        self.header = header;
        self.declarations = declarations;
        EntryOutcome::Next
    }

    /// Prints all errors, and the warnings about the entry itself except those about unused imports.
    fn report(&self, found: &[Diagnostic], source: &SourceFile) {
        let wanted = found.iter().filter(|d| {
            let here = d.span.is_some_and(|span| span.file == source.id);
            d.severity() == Severity::Error || (here && !d.code.as_str().starts_with("W1"))
        });
        let wanted: Vec<Diagnostic> = wanted.cloned().collect();
        report(&wanted, &self.sources, self.style);
    }

    fn check(&self, source: &Rc<SourceFile>, stmt: &Stmt, kept: &PromptState) -> Checked {
        let graph = self.header.program(&self.sources, &self.declarations, source, Some(stmt));
        check_entry(&graph, kept)
    }

    /// Shows the type of an expression.
    pub fn show_type(&mut self, text: &str) {
        let entry = match Entry::parse(&self.sources, text, &self.header.imports) {
            Ok(entry) => entry,
            Err(found) => return report(&found, &self.sources, self.style),
        };
        let [stmt @ Stmt { kind: ast::StmtKind::Expr(_), .. }] = entry.stmts.as_slice() else {
            eprintln!("Error: that is not an expression");
            return;
        };
        let checked = self.check(&entry.source, stmt, &self.kept);
        self.report(&checked.diagnostics, &entry.source);
        let Some(program) = checked.program else { return };
        if let Some(ty) = value_type(&program) {
            print(&format!("{}\n", ty.typeof_name()));
        }
    }

    /// Checks and runs one statement.
    fn run(&mut self, source: &Rc<SourceFile>, stmt: &Stmt) -> EntryOutcome {
        let mut fresh = Vec::new();
        if let ast::StmtKind::Var(decl) = &stmt.kind {
            fresh.extend(decl.names.iter().map(|(name, _)| name).filter(|name| !name.is_blank()));
        }
        // Declaring a variable again makes a new one.
        let mut others = (PromptState { types: self.kept.types.clone(), globals: Vec::new() }, Vec::new());
        for (global, place) in self.kept.globals.iter().zip(&self.places) {
            if !fresh.iter().any(|name| name.text == global.name) {
                others.0.globals.push(global.clone());
                others.1.push(place.clone());
            }
        }
        let checked = self.check(source, stmt, &others.0);
        self.report(&checked.diagnostics, source);
        let Some(program) = checked.program else { return EntryOutcome::Failed };
        let before =
            (std::mem::replace(&mut self.kept, others.0), std::mem::replace(&mut self.places, others.1));
        let shown =
            matches!(&stmt.kind, ast::StmtKind::Expr(e) if !matches!(e.kind, ast::ExprKind::Postfix(..)));
        let program = if shown { with_result(program) } else { program };
        let count = fresh.len();
        let outcome = self.execute(program, count);
        let declared = |name: &ast::Name| self.kept.globals.iter().any(|global| global.name == name.text);
        if !fresh.iter().all(|name| declared(name)) {
            // After an error the old variables remain.
            (self.kept, self.places) = before;
        }
        outcome
    }

    /// Runs a program whose first `fresh` globals are new variables, kept if the run succeeds.
    fn execute(&mut self, program: Rc<Program>, fresh: usize) -> EntryOutcome {
        let host = self.take_host();
        let mut vm = match Vm::new(program.clone(), host, STACK_SIZE - STACK_SIZE / 8) {
            Ok(vm) => vm,
            Err(error) => {
                eprintln!("Error: {error}");
                return EntryOutcome::Failed;
            }
        };
        for (index, place) in self.places.iter().enumerate() {
            vm.preset_global(GlobalId((fresh + index) as u32), place.clone());
        }
        let outcome = self.interrupt.run(&mut vm, &program);
        for (index, global) in program.globals.iter().enumerate().take(fresh) {
            if let Some(place) = vm.global_place(GlobalId(index as u32)) {
                let Global { name, ty, constant, span, .. } = global.clone();
                self.kept.globals.push(PromptGlobal { name, ty, constant, span });
                self.places.push(place);
            }
        }
        let last = program.globals.len().saturating_sub(1) as u32;
        let shown = program.globals.last().is_some_and(|global| global.name.is_empty());
        let result = shown.then(|| vm.global_value(GlobalId(last)).follow());
        self.host = Some(vm.host);
        match outcome {
            interp::Outcome::Terminated => {
                eprintln!("interrupted");
                self.interrupted = true;
                EntryOutcome::Failed
            }
            interp::Outcome::Finished => {
                if let Some(value) = result.filter(|value| !matches!(value, Value::Nil)) {
                    print(&format!("{}\n", inspect(&value)));
                }
                EntryOutcome::Next
            }
            interp::Outcome::Exited(status) => {
                EntryOutcome::Ended(status.to_le_bytes().first().copied().unwrap_or(1))
            }
            interp::Outcome::Failed(error) => {
                report_failure(&program, &error, &self.sources, self.style);
                EntryOutcome::Failed
            }
        }
    }
}

/// The type of the only expression in `main`.
fn value_type(program: &Program) -> Option<&Type> {
    let main = program.function(program.main)?;
    match main.body.stmts.as_slice() {
        [stmt] => match &stmt.kind {
            StmtKind::Expr { expr, .. } => Some(&expr.ty),
            _ => None,
        },
        _ => None,
    }
}

/// The program with the value of the only expression in `main` stored in an additional global.
fn with_result(program: Rc<Program>) -> Rc<Program> {
    if value_type(&program).is_none_or(|ty| *ty == Type::Void) {
        return program;
    }
    let mut program = match Rc::try_unwrap(program) {
        Ok(program) => program,
        Err(shared) => return shared,
    };
    let id = GlobalId(program.globals.len() as u32);
    let main = program.main.0 as usize;
    let Some(main) = program.functions.get_mut(main).and_then(Rc::get_mut) else { return Rc::new(program) };
    let (file, span) = (main.file, main.span);
    if let Some(stmt) = main.body.stmts.first_mut() {
        let placeholder = StmtKind::Break;
        match std::mem::replace(&mut stmt.kind, placeholder) {
            StmtKind::Expr { expr, .. } => {
                let ty = expr.ty.clone();
                stmt.kind = StmtKind::DeclareGlobal { global: id, value: expr };
                let name = "".into();
                program.globals.push(Global { name, ty, constant: false, boxed: false, file, span });
            }
            other => stmt.kind = other,
        }
    }
    Rc::new(program)
}
