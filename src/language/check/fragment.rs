//! Checks code that is evaluated while the program is stopped: expressions, assignments, calls.

use std::path::Path;
use std::rc::Rc;

use crate::syntax::ast;
use crate::syntax::{parse_expression, parse_fragment};
use ez_runtime::diagnostics::{Code, Diagnostic, Severity};
use ez_runtime::program::{
    Expr, FuncId, Local, LocalId, LocalKind, Program, Stmt, StmtId, StmtInfo, StmtKind,
};
use ez_runtime::source::{FileId, SourceFile, Span};
use ez_runtime::value::Type;

use super::checker::Checker;
use super::frame::{ExtraVariable, Frame};
use super::scopes::Binding;
use super::symbols::Symbols;

/// Where a fragment will run.
#[derive(Clone, Debug)]
pub struct FrameScope {
    /// The function.
    pub func: FuncId,
    /// The statement that is next there.
    pub stmt: StmtId,
    /// Its variables that are visible there, outer ones first: of two with the same name, the last counts.
    pub visible: Vec<LocalId>,
    /// The file whose globals, functions, types and modules are in scope.
    pub file: FileId,
    /// Variables of the debugger.
    pub extras: Vec<ExtraVariable>,
}

/// A lowered piece of code. Variables of the function keep their numbers and slots.
#[derive(Debug)]
pub struct Fragment {
    /// The expression, if it is one.
    pub expr: Option<Expr>,
    /// The statement, if it is one.
    pub stmts: Vec<Stmt>,
    /// The variable that the text declares, if it is a declaration; `expr` is its value then.
    pub declared: Option<Declared>,
    /// The table of its statements; the first has the number after the program's last.
    pub statements: Vec<StmtInfo>,
}

/// A variable that a fragment declares.
#[derive(Clone, Debug)]
pub struct Declared {
    pub name: Rc<str>,
    pub ty: Type,
    /// Whether it is `const`.
    pub constant: bool,
}

/// What a fragment may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// An expression, an assignment or a call.
    Evaluation,
    /// That, or the declaration of a variable.
    Declaration,
}

/// Checks and lowers `text` for the frame `at` of a running program.
///
/// # Errors
/// The errors in the text; warnings are ignored.
pub fn check_fragment(
    symbols: &Symbols,
    program: &Program,
    at: &FrameScope,
    text: &str,
    allowed: Allowed,
) -> Result<Fragment, Vec<Diagnostic>> {
    let name = "<expression>";
    let source = program.sources.add(name, Path::new(name), text);
    let parsed = parse(&source, allowed)?;
    let mut checker = Checker::new(symbols, &program.sources);
    checker.file = symbols.file_index(at.file).unwrap_or(0);
    checker.first_stmt = program.statements.len() as u32;
    checker.frame = frame_of(symbols, program, at);
    let mut fragment = Fragment { expr: None, stmts: Vec::new(), declared: None, statements: Vec::new() };
    match &parsed {
        FragmentSyntax::Expr(e) => fragment.expr = Some(checker.expr(e, None)),
        FragmentSyntax::Stmt(stmt) | FragmentSyntax::Declaration(stmt) => {
            fragment.stmts = checker.stmts(std::slice::from_ref(&**stmt));
        }
    }
    let errors = errors(checker.diags);
    if !errors.is_empty() {
        return Err(errors);
    }
    fragment.statements = checker.statements;
    match &parsed {
        FragmentSyntax::Declaration(stmt) => declaration(fragment, &checker.frame, stmt.span),
        FragmentSyntax::Expr(_) | FragmentSyntax::Stmt(_) => Ok(fragment),
    }
}

/// Makes the value of a declared variable the expression of the fragment.
fn declaration(mut fragment: Fragment, frame: &Frame, span: Span) -> Result<Fragment, Vec<Diagnostic>> {
    let mut stmts = std::mem::take(&mut fragment.stmts).into_iter();
    if let (Some(Stmt { kind: StmtKind::Declare { local, value }, .. }), None) = (stmts.next(), stmts.next())
        && let Some(Local { name, ty, constant, .. }) = frame.local(local)
    {
        fragment.declared = Some(Declared { name: name.clone(), ty: ty.clone(), constant: *constant });
        fragment.expr = Some(value);
        return Ok(fragment);
    }
    let message = "only one variable with a value can be declared here";
    Err(vec![Diagnostic::new(Code::E2001, span, message)])
}

fn frame_of(symbols: &Symbols, program: &Program, at: &FrameScope) -> Frame {
    let mut frame = Frame::new(at.func);
    let Some(function) = program.function(at.func) else { return frame };
    frame.extras.clone_from(&at.extras);
    frame.locals.clone_from(&function.locals);
    for local in &mut frame.locals {
        local.constant = !local.is_settable();
    }
    let is_main = at.func == program.main;
    for id in &at.visible {
        let Some(local) = function.local(*id) else { continue };
        let unbound = is_main && local.kind == LocalKind::Parameter;
        let binding = if unbound { Binding::Unbound } else { Binding::Local(*id) };
        frame.names.bind(local.name.clone(), binding);
    }
    for (index, extra) in at.extras.iter().enumerate() {
        frame.names.bind(extra.name.clone(), Binding::Extra(index));
    }
    let here = program.statement(at.stmt).map(|info| function.enclosing(info.scope)).unwrap_or_default();
    if let Some(func) = symbols.func(at.func) {
        let usings = func.usings.borrow();
        let seen = usings.iter().filter(|u| u.from <= at.stmt && here.contains(&u.scope));
        seen.for_each(|u| frame.names.use_module(u.module.clone()));
        frame.facts.clone_from(&func.facts.borrow());
    }
    frame
}

enum FragmentSyntax {
    Expr(ast::Expr),
    Stmt(Box<ast::Stmt>),
    Declaration(Box<ast::Stmt>),
}

/// Parses the text as an expression or, failing that, as a statement that is allowed in a fragment.
fn parse(source: &SourceFile, allowed: Allowed) -> Result<FragmentSyntax, Vec<Diagnostic>> {
    let (expr, found) = parse_expression(source);
    let as_expression = errors(found);
    if let (Some(expr), true) = (expr, as_expression.is_empty()) {
        return Ok(FragmentSyntax::Expr(expr));
    }
    let (stmts, found) = parse_fragment(source);
    let found = errors(found);
    let mut stmts = stmts.into_iter();
    match (stmts.next(), stmts.next()) {
        (Some(stmt), None) if found.is_empty() => {
            use ast::StmtKind::{Assign, Expr, MultiAssign, Var};
            if matches!(stmt.kind, Assign(_) | MultiAssign { .. } | Expr(_)) {
                Ok(FragmentSyntax::Stmt(Box::new(stmt)))
            } else if matches!(stmt.kind, Var(_)) && allowed == Allowed::Declaration {
                Ok(FragmentSyntax::Declaration(Box::new(stmt)))
            } else {
                let message = "only an expression, an assignment or a call can be evaluated here";
                Err(vec![Diagnostic::new(Code::E2001, stmt.span, message)])
            }
        }
        // The errors of a statement are more useful than "not an expression".
        (Some(stmt), _) if !found.is_empty() && !matches!(stmt.kind, ast::StmtKind::Expr(_)) => Err(found),
        _ if as_expression.is_empty() => Err(found),
        _ => Err(as_expression),
    }
}

fn errors(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    found.into_iter().filter(|d| d.severity() == Severity::Error).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check_source;

    const PROGRAM: &str = "import @std, @math\nusing std\nconst LIMIT int = 10\n\
        do twice(n int) -> int { return n * 2 }\n\
        do main() {\n    temp x int = 1\n    using math\n    const k = 2\n    println(x, k)\n}\n";

    fn check(text: &str) -> Result<Fragment, Vec<Code>> {
        let checked = check_source(PROGRAM, "main.ez");
        let program = checked.program.expect("a sound program");
        let main = program.function(program.main).expect("main");
        let visible = (0..main.locals.len()).map(|i| LocalId(i as u32)).collect();
        let stmt = StmtId(program.statements.len() as u32 - 1);
        let file = program.main_file;
        let at = FrameScope { func: program.main, stmt, visible, file, extras: Vec::new() };
        check_fragment(&checked.symbols, &program, &at, text, Allowed::Declaration)
            .map_err(|found| found.into_iter().map(|d| d.code).collect())
    }

    #[test]
    fn expressions_see_the_frame() {
        let fragment = check("twice(x) + LIMIT").expect("fine");
        assert_eq!(fragment.expr.expect("an expression").ty, ez_runtime::value::Type::INT);
        assert!(check("x++").expect("fine").expr.is_some());
        assert_eq!(check("x = 5").expect("fine").stmts.len(), 1);
        assert!(check("sqrt(4.0)").expect("fine").expr.is_some());
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(check("y + 1").unwrap_err(), [Code::E4001]);
        assert_eq!(check("k = 3").unwrap_err(), [Code::E5016]);
        assert_eq!(check("x = \"a\"").unwrap_err(), [Code::E3001]);
        assert!(check("if x > 1 { }").is_err());
        assert!(check("").is_err());
    }
}
