//! The frames of a stopped program.

use crate::api::{Failure, FailureKind, Frame, Location, Position, Problem};
use ez_language::syntax::closing_parenthesis;
use ez_runtime::interp::RunError;
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::Vm;
use ez_runtime::program::{FuncId, LocalId, Program, StmtId};
use ez_runtime::source::{SourceFile, SourceMap, Span};

/// A frame of the stopped program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameView {
    /// Its slots.
    pub fp: Fp,
    /// Its function.
    pub func: FuncId,
    /// The next statement (innermost frame), or the one with the call in progress.
    pub stmt: StmtId,
    /// The first token of the next statement, or of the call in progress its opening parenthesis (with the name of a
    /// module, the dot before the function's name).
    pub at: Span,
    /// Whether the next statement is a loop header reached by the back edge: the loop's variables are still
    /// in scope.
    pub back_edge: bool,
}

/// The frames from `top` outwards, `most` at most.
pub(crate) fn frames(vm: &Vm, top: FrameView, most: usize) -> Vec<FrameView> {
    let mut found = vec![top];
    let mut fp = top.fp;
    while found.len() < most {
        let Some(site) = vm.sites.get(vm.frames.site(fp) as usize) else { break };
        fp = vm.frames.caller(fp, site.offset);
        found.push(FrameView { fp, func: site.caller, stmt: site.stmt, at: site.span, back_edge: false });
    }
    found
}

/// The frame with this index; `top` has index 0.
pub fn frame_view(vm: &Vm, top: &FrameView, index: usize) -> Result<FrameView, Failure> {
    let found = frames(vm, *top, index.saturating_add(1));
    let missing = || Failure::new(FailureKind::NotFound, format!("there is no frame {index}"));
    found.get(index).copied().ok_or_else(missing)
}

/// Number of frames.
pub(crate) fn frame_count(vm: &Vm) -> usize {
    vm.depth() as usize + 1
}

/// `count` frames from index `start` on in the form of the API, innermost first.
pub(crate) fn stack_trace(vm: &Vm, top: FrameView, start: usize, count: usize) -> Vec<Frame> {
    let all = frames(vm, top, start.saturating_add(count).max(1));
    let wanted = all.into_iter().enumerate().skip(start).take(count);
    wanted.map(|(index, view)| frame(vm, index, &view)).collect()
}

fn frame(vm: &Vm, index: usize, view: &FrameView) -> Frame {
    let program = &vm.program;
    let span = match program.statement(view.stmt).filter(|info| index == 0 && info.at == view.at) {
        Some(info) => info.span,
        // A call in progress, one that has returned, or an error within the statement.
        None => program.expression_at(view.at).unwrap_or_else(|| call(program, view.at)),
    };
    let begin = location(&program.sources, span);
    Frame {
        index,
        function: function_name(program, view.func),
        location: location(&program.sources, view.at),
        begin: Position { line: begin.line, column: begin.column },
        end: end_position(&program.sources, span),
        module: module_name(program, view.func),
    }
}

/// Name of the module of a function, unless it is the main program.
fn module_name(program: &Program, func: FuncId) -> Option<String> {
    let function = program.function(func)?;
    function.name.rsplit_once('.').map(|(module, _)| module.to_string())
}

/// The span of a call from the place on that is known of it to its end; any other span as it is.
fn call(program: &Program, at: Span) -> Span {
    let end = program.expression_at(at).map(|whole| whole.end).or_else(|| {
        // In an expression of the debugger.
        let file = program.sources.get(at.file)?;
        Some(call_end(&file, at))
    });
    Span { end: end.unwrap_or(at.end), ..at }
}

/// End of the call with its opening parenthesis at `at`, as an offset in bytes.
fn call_end(source: &SourceFile, at: Span) -> u32 {
    let is_call = source.text.get(at.start as usize..).is_some_and(|text| text.starts_with('('));
    closing_parenthesis(source, at.start).filter(|_| is_call).unwrap_or(at.end)
}

/// The position where a span ends.
pub(crate) fn end_position(sources: &SourceMap, span: Span) -> Position {
    match sources.get(span.file) {
        Some(file) => {
            let end = file.position(span.end);
            Position { line: end.line, column: end.column }
        }
        None => Position { line: 1, column: 1 },
    }
}

/// A function's name for stack traces.
pub(crate) fn function_name(program: &Program, func: FuncId) -> String {
    program.function(func).map_or("?".into(), |f| f.name.to_string())
}

/// The position where a span begins.
pub(crate) fn location(sources: &SourceMap, at: Span) -> Location {
    match sources.get(at.file) {
        Some(file) => {
            let position = file.position(at.start);
            Location { path: file.path.clone(), line: position.line, column: position.column }
        }
        None => Location { path: Default::default(), line: 1, column: 1 },
    }
}

/// The line and column where a span begins.
pub(crate) fn position(sources: &SourceMap, at: Span) -> Position {
    let Location { line, column, .. } = location(sources, at);
    Position { line, column }
}

/// The locals that are in scope and have been declared, in order of declaration; of equal names only the
/// innermost.
pub(crate) fn visible_locals(program: &Program, view: &FrameView) -> Vec<LocalId> {
    let (Some(function), Some(info)) = (program.function(view.func), program.statement(view.stmt)) else {
        return Vec::new();
    };
    match info.loop_scope.filter(|_| view.back_edge) {
        // The loop's variables still have the values of the last round.
        Some(scope) => function.visible(scope, StmtId(view.stmt.0 + 1)),
        None => function.visible(info.scope, view.stmt),
    }
}

/// A run-time error in the form of the API.
pub fn runtime_problem(program: &Program, error: &RunError) -> Problem {
    let mut stack = Vec::new();
    let mut at = error.span;
    let functions = error.calls.iter().map(|call| call.callee).chain(error.calls.last().map(|c| c.caller));
    for (index, function) in functions.enumerate() {
        let location = location(&program.sources, at);
        stack.push(Frame {
            index,
            function: function_name(program, function),
            begin: Position { line: location.line, column: location.column },
            location,
            end: end_position(&program.sources, at),
            module: module_name(program, function),
        });
        at = error.calls.get(index).map_or(at, |site| call(program, site.span));
    }
    Problem {
        message: error.message.clone(),
        code: error.code,
        severity: error.code.severity(),
        location: Some(location(&program.sources, error.span)),
        end: Some(end_position(&program.sources, error.span)),
        help: error.help.clone(),
        stack,
    }
}
