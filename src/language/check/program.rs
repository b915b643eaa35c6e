//! Checking whole programs: the order of the passes and of their reports.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use crate::modules::{Graph, LoadError, SourceLoader, load, load_text};
use crate::syntax::ast::StmtKind;
use ez_runtime::diagnostics::{Code, Diagnostic, Edit, has_errors};
use ez_runtime::program::{Block, FuncId, Function, Global, Program, ScopeId, unbox_non_escaping};
use ez_runtime::source::{FileId, SourceMap, Span};
use ez_runtime::value::Type;

use super::certain_failures::certain_failures;
use super::checker::Checker;
use super::collect::collect;
use super::frame::Frame;
use super::globals::program_name;
use super::references::References;
use super::symbols::{ModuleRef, Symbols};

/// The result of checking a program.
#[derive(Debug)]
pub struct Checked {
    /// The texts of all files.
    pub sources: Rc<SourceMap>,
    /// The reports, in the order in which they are printed.
    pub diagnostics: Vec<Diagnostic>,
    /// The lowered program, unless there are errors.
    pub program: Option<Rc<Program>>,
    /// The symbol table; if there are syntax errors, without types, or empty.
    pub symbols: Rc<Symbols>,
    /// Number of files that belong to the program.
    pub files: usize,
    /// What names refer to, as far as the texts could be parsed; for [`ReportScope::All`] only.
    pub references: References,
    /// Whether all texts could be parsed without an error.
    pub is_parsed: bool,
}

/// Which reports to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportScope {
    /// Those of a run: up to and including the first file with errors.
    Run,
    /// Those of all files, and imports that would fail at run time.
    All,
}

/// Checks the program whose main file is `path`; reports call that file `name`.
///
/// # Errors
/// When the file cannot be read.
pub fn check_program(loader: &dyn SourceLoader, path: &Path, name: &str) -> Result<Checked, LoadError> {
    Ok(check_graph(&load(loader, path, name)?, ReportScope::Run))
}

/// Checks a program for `ez check`: every file's reports, the imports that would fail when it runs, and warnings of
/// statements that can only fail.
///
/// # Errors
/// When the file cannot be read.
pub fn check_all(loader: &dyn SourceLoader, path: &Path, name: &str) -> Result<Checked, LoadError> {
    Ok(check_graph(&load(loader, path, name)?, ReportScope::All))
}

/// Like [`check_all`], for a program that is loaded.
pub fn check_loaded(graph: &Graph) -> Checked {
    check_graph(graph, ReportScope::All)
}

/// Checks text that is in no file.
pub fn check_source(text: &str, name: &str) -> Checked {
    check_graph(&load_text(text, name), ReportScope::Run)
}

fn check_graph(graph: &Graph, report: ReportScope) -> Checked {
    let mut groups: Vec<Vec<Diagnostic>> = Vec::new();
    let parsed = parser_groups(graph, report, &mut groups);
    let files: usize = graph.modules.iter().map(|m| m.files.len()).sum();
    if !parsed {
        // What is declared is known all the same, as far as it could be parsed; further reports would be follow-ups.
        let symbols = if report == ReportScope::All { Rc::new(collect(graph)) } else { Rc::default() };
        let references = if report == ReportScope::All {
            lowered(graph, &symbols, None, report).2
        } else {
            References::default()
        };
        return Checked { references, is_parsed: false, ..finish(graph, groups, symbols, None, files) };
    }
    let symbols = Rc::new(collect(graph));
    let (program, mut found, references) = lowered(graph, &symbols, None, report);
    if report == ReportScope::All {
        found.extend(import_failures(&symbols));
    }
    let sound = file_groups(graph, report, found, &mut groups);
    groups.push(graph.misnamed.clone());
    let program = if sound { program } else { None };
    if report == ReportScope::All {
        groups.extend(program.as_ref().map(certain_failures));
    }
    let checked = finish(graph, groups, symbols, program, files);
    // Who runs a program does not ask.
    if report == ReportScope::All { Checked { references, ..checked } } else { checked }
}

/// The lowered program, if there is a `main`, and the reports of the check: of a run also those that follow from an
/// import that fails, which is reported when it runs. `declared_by_main` as in [`Program::declared_by_main`].
pub(super) fn lowered(
    graph: &Graph,
    symbols: &Symbols,
    declared_by_main: Option<u32>,
    report: ReportScope,
) -> (Option<Program>, Vec<Diagnostic>, References) {
    let checker = Checker::new(symbols, &graph.sources);
    ProgramLowering { graph, checker, declared_by_main, report }.run()
}

pub(super) fn finish(
    graph: &Graph,
    groups: Vec<Vec<Diagnostic>>,
    symbols: Rc<Symbols>,
    program: Option<Program>,
    files: usize,
) -> Checked {
    let mut diagnostics: Vec<Diagnostic> = groups.into_iter().flatten().collect();
    for fix in diagnostics.iter_mut().filter_map(|report| report.fix.as_mut()) {
        // Comments are not what is wrong.
        let keeps_comments = fix.edits.iter().all(|Edit { span, text }| {
            let file = graph.sources.get(span.file);
            file.is_none_or(|file| {
                ["//", "/*"].iter().all(|it| !file.slice(*span).contains(it) || text.contains(it))
            })
        });
        fix.certain &= keeps_comments;
    }
    let (sources, program) = (graph.sources.clone(), program.map(Rc::new));
    let references = References::default();
    Checked { sources, diagnostics, program, symbols, files, references, is_parsed: true }
}

/// Adds the reports of the parser in the order of loading; false if they end the check.
fn parser_groups(graph: &Graph, report: ReportScope, groups: &mut Vec<Vec<Diagnostic>>) -> bool {
    let mut sound = true;
    for (number, module) in graph.modules.iter().enumerate() {
        let mut lists: Vec<&Vec<Diagnostic>> = module.files.iter().map(|f| &f.diagnostics).collect();
        // Files of the folder that are no part of the program only end its run, as in the reference.
        if number == 0 && report == ReportScope::Run {
            let own = lists.len().min(1);
            lists.splice(own..own, graph.sibling_diagnostics.iter());
        }
        for found in lists {
            let failed = has_errors(found);
            // A run does not show parser warnings of imported modules.
            if failed || number == 0 || report == ReportScope::All {
                groups.push(sorted(found.clone()));
            }
            sound &= !failed;
            if failed && report == ReportScope::Run {
                return false;
            }
        }
    }
    sound
}

/// Adds the reports of the check by file: imported modules, sibling files, the main file.
pub(super) fn file_groups(
    graph: &Graph,
    report: ReportScope,
    found: Vec<Diagnostic>,
    groups: &mut Vec<Vec<Diagnostic>>,
) -> bool {
    let imported = graph.modules.iter().skip(1).flat_map(|m| &m.files);
    let own = graph.modules.first().map_or(&[][..], |m| m.files.as_slice());
    let order = imported.chain(own.iter().skip(1)).chain(own.first());
    let mut by_file: HashMap<FileId, Vec<Diagnostic>> = HashMap::new();
    for report in found {
        if let Some(span) = report.span {
            by_file.entry(span.file).or_default().push(report);
        }
    }
    let mut sound = true;
    for file in order {
        let list = by_file.remove(&file.source.id).unwrap_or_default();
        let failed = has_errors(&list);
        groups.push(sorted(list));
        sound &= !failed;
        if failed && report == ReportScope::Run {
            return false;
        }
    }
    sound
}

/// Errors, then warnings, each in the order of their places, without repetitions.
fn sorted(mut list: Vec<Diagnostic>) -> Vec<Diagnostic> {
    list.sort_by_key(|d| (d.severity(), d.span.map_or(0, |s| s.start)));
    let mut seen: Vec<Diagnostic> = Vec::new();
    for diagnostic in list {
        if !seen.iter().rev().take_while(|d| d.span == diagnostic.span).any(|d| *d == diagnostic) {
            seen.push(diagnostic);
        }
    }
    seen
}

/// Imports that fail when the program runs.
fn import_failures(symbols: &Symbols) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for import in symbols.files.iter().flat_map(|f| &f.imports).filter(|i| !i.from_sibling) {
        if let ModuleRef::Failed(failure) = &import.module {
            found.push(Diagnostic::new(failure.code, import.at, failure.message.clone()));
        }
    }
    found
}

struct ProgramLowering<'a> {
    graph: &'a Graph,
    checker: Checker<'a>,
    /// As in [`Program::declared_by_main`].
    declared_by_main: Option<u32>,
    report: ReportScope,
}

impl ProgramLowering<'_> {
    fn run(mut self) -> (Option<Program>, Vec<Diagnostic>, References) {
        self.checker.cell_main = self.declared_by_main.and_then(|_| self.main_id());
        self.declarations();
        let init = self.file_levels();
        let mut functions = self.bodies();
        let main = self.main_function();
        self.unused_imports();
        let init_id = init.id;
        functions.push(Rc::new(init));
        unbox_non_escaping(&mut functions);
        let references = References { uses: self.checker.uses.take(), functions: functions.clone() };
        let mut expressions = std::mem::take(&mut self.checker.expressions);
        expressions.sort_unstable_by_key(|it| (it.at.file, it.at.start));
        let program = main.map(|main| Program {
            sources: self.graph.sources.clone(),
            files: self.checker.syms.files.iter().map(|file| file.id).collect(),
            main_file: self.checker.syms.files.first().map_or(FileId(0), |f| f.id),
            functions,
            init: init_id,
            main,
            globals: self.globals(),
            declared_by_main: self.declared_by_main,
            statements: std::mem::take(&mut self.checker.statements),
            expressions,
        });
        let (mut found, follow_ups) = (self.checker.diags, self.checker.follow_ups);
        if self.report == ReportScope::All {
            found.retain(|it| it.span.is_none_or(|at| !follow_ups.contains(&(it.code, at))));
        }
        (program, found, references)
    }

    /// Fields of structs, bases of enums, signatures of functions.
    fn declarations(&mut self) {
        let graph = self.graph;
        for (index, file) in graph.modules.iter().flat_map(|m| &m.files).enumerate() {
            self.checker.file = index;
            if let Some(symbol) = self.checker.file_sym() {
                self.checker.refers_to_imports(symbol, file.ast.usings.iter().flat_map(|using| &using.names));
            }
            for stmt in &file.ast.items {
                if let StmtKind::Struct(decl) = &stmt.kind {
                    self.checker.struct_fields(decl);
                } else if let StmtKind::Enum(decl) = &stmt.kind {
                    self.checker.enum_base(decl, &stmt.attrs);
                }
            }
        }
        for id in self.function_ids() {
            self.checker.file = self.checker.syms.func(id).map_or(0, |f| f.file);
            self.checker.signature(id);
        }
    }

    fn function_ids(&self) -> Vec<FuncId> {
        (0..self.checker.syms.funcs.len()).map(|i| FuncId(i as u32)).collect()
    }

    /// The file levels of all modules as one function.
    fn file_levels(&mut self) -> Function {
        let id = FuncId(self.checker.syms.funcs.len() as u32);
        self.checker.frame = Frame::new(id);
        let mut stmts = Vec::new();
        self.checker.evaluate_module(self.graph, 0, &mut stmts);
        let frame = std::mem::replace(&mut self.checker.frame, Frame::new(id));
        let file = self.checker.syms.files.first().map_or(FileId(0), |f| f.id);
        let span = Span::new(file, 0, 0);
        Function {
            id,
            name: program_name(),
            file,
            params: Vec::new(),
            results: Vec::new(),
            locals: frame.locals,
            scopes: frame.scopes,
            body: Block { scope: ScopeId(0), span, stmts },
            span,
            has_ensure: false,
        }
    }

    fn bodies(&mut self) -> Vec<Rc<Function>> {
        let main = self.main_id();
        let mut functions = Vec::new();
        for id in self.function_ids() {
            let Some(sym) = self.checker.syms.func(id) else { continue };
            self.checker.file = sym.file;
            for index in 0..sym.decl.params.len() {
                if sym.decl.params.get(index).is_some_and(|p| p.default.is_some()) {
                    self.checker.default_value(id, index, sym.span);
                }
            }
            let module = self.checker.syms.modules.get(sym.module);
            let name = match module {
                Some(module) if sym.module != 0 => format!("{}.{}", module.name, sym.name).into(),
                _ => sym.name.clone(),
            };
            if let Some(function) = self.checker.function(id, name, Some(id) == main) {
                functions.push(Rc::new(function));
            }
        }
        functions
    }

    fn main_id(&self) -> Option<FuncId> {
        self.checker.syms.modules.first()?.funcs.get("main").copied()
    }

    /// E4009
    fn main_function(&mut self) -> Option<FuncId> {
        let main = self.main_id();
        // Statements outside of a function are the same mistake, and their help shows a `main`.
        if main.is_none() && !self.checker.has_misplaced {
            let file = self.checker.syms.files.first().map_or(FileId(0), |f| f.id);
            let message = "program must define a main() function";
            let help = self.checker.main_help();
            self.checker.report_help(Code::E4009, Span::new(file, 0, 0), message, Some(help));
        }
        main
    }

    /// W1002
    fn unused_imports(&mut self) {
        for file in &self.checker.syms.files {
            for import in file.imports.iter().filter(|i| !i.used.get()) {
                let message = format!("imported module '{}' is not used", import.alias);
                self.checker.report(Code::W1002, import.keyword, message);
            }
        }
    }

    fn globals(&self) -> Vec<Global> {
        let globals = self.checker.syms.globals.iter();
        let lowered = globals.map(|sym| Global {
            name: sym.name.clone(),
            ty: sym.ty.get().cloned().unwrap_or(Type::Any),
            constant: sym.constant,
            boxed: sym.boxed.get(),
            file: self.checker.syms.files.get(sym.file).map_or(FileId(0), |f| f.id),
            span: sym.span,
        });
        lowered.collect()
    }
}
