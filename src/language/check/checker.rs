//! The state shared by all parts of the checker.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use ez_runtime::diagnostics::{Code, Diagnostic, Help};
use ez_runtime::program::{Expr, ExprKind, ExprSpan, FuncId, Raise, StmtId, StmtInfo};
use ez_runtime::source::{SourceMap, Span};
use ez_runtime::value::{Type, Value};

use super::declared::Declaration;
use super::frame::Frame;
use super::symbols::{FileSym, ModuleRef, ModuleSym, Symbols};

/// The state of checking and lowering one program.
pub struct Checker<'a> {
    pub syms: &'a Symbols,
    pub sources: &'a SourceMap,
    /// The file whose names are in scope.
    pub file: usize,
    pub frame: Frame,
    pub diags: Vec<Diagnostic>,
    pub statements: Vec<StmtInfo>,
    /// The strings of literals.
    texts: HashMap<Rc<str>, Value>,
    /// The spans of the expressions with several tokens.
    pub expressions: Vec<ExprSpan>,
    /// What names refer to, see [`super::references`].
    pub uses: RefCell<Vec<(Span, Declaration)>>,
    /// Number of the first statement in `statements`.
    pub first_stmt: u32,
    /// The reports of names that the files of an import which fails may declare: they follow from that.
    pub follow_ups: HashSet<(Code, Span)>,
    /// The unknown functions that have been reported, with their files.
    pub unknown_functions: HashSet<(usize, Rc<str>)>,
    /// Whether an unknown name becomes an expression that fails at run time, without a report.
    pub lenient: bool,
    /// The `main` of a cell, which declares globals.
    pub cell_main: Option<FuncId>,
    /// Whether E2056 has been reported: something outside of functions belongs in one.
    pub has_misplaced: bool,
    /// Whether the last statement of the file was such a one, and only a word.
    pub follows_word: bool,
}

impl<'a> Checker<'a> {
    pub fn new(syms: &'a Symbols, sources: &'a SourceMap) -> Checker<'a> {
        Checker {
            syms,
            sources,
            file: 0,
            frame: Frame::new(FuncId(0)),
            diags: Vec::new(),
            statements: Vec::new(),
            texts: HashMap::new(),
            expressions: Vec::new(),
            uses: RefCell::default(),
            first_stmt: 0,
            follow_ups: HashSet::new(),
            unknown_functions: HashSet::new(),
            lenient: false,
            cell_main: None,
            has_misplaced: false,
            follows_word: false,
        }
    }

    /// The string of a literal: of equal ones the same object, so that maps find a key without looking at its text.
    pub fn text(&mut self, text: &Rc<str>) -> Value {
        self.texts.entry(text.clone()).or_insert_with(|| Value::str(&**text)).clone()
    }

    /// The current file.
    pub fn file_sym(&self) -> Option<&'a FileSym> {
        self.syms.files.get(self.file)
    }

    /// Number of the current module.
    pub fn module_index(&self) -> usize {
        self.file_sym().map_or(0, |f| f.module)
    }

    /// The current module.
    pub fn module(&self) -> Option<&'a ModuleSym> {
        self.syms.modules.get(self.module_index())
    }

    pub fn report(&mut self, code: Code, at: Span, message: impl Into<String>) {
        self.diags.push(Diagnostic::new(code, at, message));
    }

    pub fn report_help(
        &mut self,
        code: Code,
        at: Span,
        message: impl Into<String>,
        help: Option<impl Into<Help>>,
    ) {
        self.diags.push(Diagnostic::new(code, at, message).maybe_help(help));
    }

    /// Reports a name that is not known; `module` is the name before its point.
    pub fn report_unknown(
        &mut self,
        (code, module): (Code, Option<&str>),
        at: Span,
        message: impl Into<String>,
        help: Option<impl Into<Help>>,
    ) {
        let fails = |module: &ModuleRef| matches!(module, ModuleRef::Failed(_));
        let follows = match module {
            Some(alias) => {
                self.file_sym().and_then(|file| file.module_named(alias)).is_some_and(|it| fails(&it.module))
            }
            None => self.usings().iter().any(|used| fails(&used.module)),
        };
        if follows {
            self.follow_ups.insert((code, at));
        }
        self.report_help(code, at, message, help);
    }

    /// Does work whose reports are dropped unless its result passes `keeps`.
    pub fn tentatively<T>(&mut self, work: impl FnOnce(&mut Self) -> T, keeps: impl FnOnce(&T) -> bool) -> T {
        let reported = self.diags.len();
        let result = work(self);
        if !keeps(&result) {
            self.diags.truncate(reported);
        }
        result
    }

    /// Whether `#suppress` of the file or the current function names this warning.
    pub fn suppressed(&self, code: Code) -> bool {
        let file = self.file_sym().map_or(&[][..], |f| f.suppress.as_slice());
        file.iter().chain(&self.frame.suppress).any(|c| &**c == code.as_str() || &**c == "ALL")
    }

    /// Runs `work` with [`Checker::lenient`] set to `lenient`.
    pub fn with_lenient<T>(&mut self, lenient: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.lenient, lenient);
        let result = work(self);
        self.lenient = before;
        result
    }

    /// The number of the next statement.
    pub fn next_stmt(&self) -> StmtId {
        StmtId(self.first_stmt + self.statements.len() as u32)
    }

    /// Assigns a number to a statement of the current function.
    pub fn new_stmt(&mut self, span: Span, steppable: bool) -> StmtId {
        let id = self.next_stmt();
        self.statements.push(StmtInfo {
            func: self.frame.func,
            scope: self.frame.scope(),
            loop_scope: None,
            span,
            at: Span { end: span.end.min(span.start + 1), ..span },
            steppable,
        });
        self.frame.current = Some(id);
        id
    }

    /// The entry of a statement in the debugger's table.
    pub fn stmt_info(&mut self, id: StmtId) -> Option<&mut StmtInfo> {
        self.statements.get_mut(id.0.checked_sub(self.first_stmt)? as usize)
    }

    /// The expression that replaces one with a reported error.
    pub fn error_expr(&self, at: Span) -> Expr {
        Expr { ty: Type::Failed, at, kind: ExprKind::Const(Value::Nil) }
    }
}

/// Whether an error in an expression has been reported: its type is [`Type::Failed`], or it is
/// [`Checker::error_expr`] with the type that it would have.
pub fn has_failed(value: &Expr) -> bool {
    value.ty.is_failed() || matches!(value.kind, ExprKind::Const(Value::Nil)) && value.ty != Type::Nil
}

/// An expression that raises this error when it is evaluated.
pub fn raise(code: Code, at: Span, message: impl Into<String>) -> Expr {
    raise_help(code, at, message, None::<Help>)
}

pub fn raise_help(code: Code, at: Span, message: impl Into<String>, help: Option<impl Into<Help>>) -> Expr {
    let raise = Raise { code, message: message.into(), help: help.map(Into::into), at };
    Expr { ty: Type::Any, at, kind: ExprKind::Raise(Rc::new(raise)) }
}
