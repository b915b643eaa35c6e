//! Compiles a checked program to closures, before it runs. Function bodies are lists of steps (`body`).
//!
//! The kinds of a node's operands decide which closure it becomes. Frequent forms are generic over their
//! operands (`operand`); all others use the general closure of their kind.

#[macro_use]
mod operands;
#[macro_use]
mod headers;
#[macro_use]
mod sequences;
mod append;
mod arms;
mod assign;
mod batches;
mod body;
mod bools;
mod calls;
mod constants;
mod containers;
mod conversions;
mod ensure;
mod entries;
mod exchanges;
mod floats;
mod for_each;
mod for_range;
mod forms;
mod ints;
mod loops;
mod members;
mod moves;
mod natives;
mod nesting;
pub mod observed;
mod op_assign;
mod progress;
mod quick;
mod refs;
mod registers;
mod rounds;
mod scalar_targets;
mod segments;
mod simple;
mod stmts;
mod stores;
mod targets;
#[cfg(debug_assertions)]
pub mod testing;
mod unpack;
mod values;
mod variables;
mod when;

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::program::visit::{Visitor, walk};
use crate::program::{Expr, ExprKind, FuncId, Function, InterpPart, Local, LocalId, Program, StmtId};
use crate::source::Span;
use crate::value::Repr;

use super::flags::StatementFlags;
use super::slots::{Layout, Slot};
use super::vm::CallSite;

pub use body::Body;
pub use progress::{Poll, Unfinished};

/// A compiled function.
pub struct Code {
    pub body: Body,
    pub layout: Layout,
    /// The locals whose object may be passed on when they die, instead of being copied.
    pub handed_on: Box<[Slot]>,
    /// See [`nesting::levels`].
    pub levels: u32,
}

/// A function, which may be compiled after calls to it.
pub type CodeCell = Rc<OnceCell<Code>>;

/// A compiled program.
pub struct CompiledProgram {
    pub codes: Vec<CodeCell>,
    pub sites: Vec<CallSite>,
    /// The flags of the statements of attached code; none for plain code.
    pub flags: Arc<StatementFlags>,
}

/// Compiles functions one after the other.
pub struct Compiler<'p> {
    pub program: &'p Program,
    pub codes: Vec<CodeCell>,
    pub sites: Vec<CallSite>,
    /// The flags of the statements, if the code is for a debugger.
    pub flags: Option<Arc<StatementFlags>>,
    pub func: FuncId,
    pub locals: Vec<Local>,
    /// First slot that is free for arguments of calls.
    pub at: u32,
    pub max: u32,
    /// The statement being compiled.
    pub stmt: StmtId,
    /// Most statements of a segment: 1 in plain code, and where expressions are observed.
    longest: usize,
    /// Set while a fragment for a stopped frame is compiled: its locals cannot be boxed then.
    pub fragment: bool,
    /// Whether functions may run before all globals are initialised.
    pub early_calls: bool,
    /// The expressions that report their values, while code is compiled for that.
    observed: Option<observed::Observed>,
    /// Constants at file level that are compiled in.
    constants: constants::Constants,
    /// Copies that can be left out.
    moves: moves::Moves,
    progress: progress::Progress<'p>,
}

/// Compiles a program to run without a debugger.
pub fn compile_plain(program: &Program) -> CompiledProgram {
    build(program, None, None, 1)
}

/// Compiles a program to run with a debugger.
pub fn compile_attached(program: &Program) -> CompiledProgram {
    build(program, Some(flags_of(program)), None, simple::LONGEST)
}

/// Like [`compile_attached`], with each statement as a segment of its own.
#[cfg(debug_assertions)]
pub fn compile_split(program: &Program) -> CompiledProgram {
    build(program, Some(flags_of(program)), None, 1)
}

/// Compiles a program to run with a debugger, so that its expressions report their values.
pub fn compile_observed(program: &Program, observed: observed::Observed) -> CompiledProgram {
    build(program, Some(flags_of(program)), Some(observed), 1)
}

fn flags_of(program: &Program) -> Arc<StatementFlags> {
    Arc::new(StatementFlags::new(program.statements.len()))
}

fn build(
    program: &Program,
    flags: Option<Arc<StatementFlags>>,
    observed: Option<observed::Observed>,
    longest: usize,
) -> CompiledProgram {
    let codes: Vec<CodeCell> = program.functions.iter().map(|_| CodeCell::default()).collect();
    let mut builder = Compiler::new(program, codes, Vec::new(), flags.clone());
    builder.early_calls = calls_at_file_level(program);
    if !builder.early_calls {
        builder.constants = constants::Constants::of(program);
    }
    builder.observed = observed;
    builder.longest = longest;
    for function in &program.functions {
        let code = builder.function(function);
        if let Some(cell) = builder.codes.get(function.id.0 as usize) {
            let _ = cell.set(code);
        }
    }
    if builder.unfinished().is_some() {
        builder.codes = Vec::new();
        builder.codes = progress::without_memory(program);
    }
    CompiledProgram { codes: builder.codes, sites: builder.sites, flags: flags.unwrap_or_default() }
}

impl<'p> Compiler<'p> {
    pub fn new(
        program: &'p Program,
        codes: Vec<CodeCell>,
        sites: Vec<CallSite>,
        flags: Option<Arc<StatementFlags>>,
    ) -> Compiler<'p> {
        Compiler {
            program,
            codes,
            sites,
            flags,
            func: program.main,
            locals: Vec::new(),
            at: 0,
            max: 0,
            stmt: StmtId(0),
            longest: 1,
            fragment: false,
            early_calls: false,
            observed: None,
            constants: constants::Constants::default(),
            moves: moves::Moves::default(),
            progress: progress::Progress::default(),
        }
    }

    /// Makes compiling ask this from time to time whether to go on.
    pub fn poll(&mut self, poll: Poll<'p>) {
        self.progress.poll = Some(poll);
    }

    /// Why something was not compiled to its end, if so.
    pub fn unfinished(&self) -> Option<Unfinished> {
        self.progress.unfinished
    }

    /// Compiles a function.
    pub fn function(&mut self, function: &Function) -> Code {
        self.enter(function);
        self.moves = moves::Moves::of(function, self.flags.is_some());
        let mut body = self.body(&function.body.stmts);
        if function.has_ensure {
            body = Body::of(ensure::with_ensures(body));
        }
        let layout = Layout {
            size: self.max + 1,
            variables: function.locals.len() as u32,
            parameters: function.params.len() as u32,
            references: reference_slots(function),
        };
        let levels = nesting::levels(&function.body.stmts);
        Code { body, layout, handed_on: self.moves.locals(), levels }
    }

    /// Prepares for compiling nodes of this function.
    pub fn enter(&mut self, function: &Function) {
        self.func = function.id;
        self.locals = function.locals.clone();
        self.at = function.locals.len() as u32;
        self.max = self.at;
        self.moves = moves::Moves::default();
    }

    pub fn local(&self, id: LocalId) -> Option<&Local> {
        self.locals.get(id.0 as usize)
    }

    pub fn is_boxed(&self, id: LocalId) -> bool {
        self.local(id).is_some_and(|l| l.boxed)
    }

    /// The slot of an unboxed local of this representation, if the expression is one.
    pub fn plain_local(&self, e: &Expr, repr: Repr) -> Option<Slot> {
        let local = self.local_of(e, repr)?;
        (!self.is_boxed(local)).then(|| Slot::new(local.0))
    }

    /// The slot of a boxed local whose values are references, if the expression is one.
    pub fn boxed_local(&self, e: &Expr) -> Option<Slot> {
        let local = self.local_of(e, Repr::Ref)?;
        self.is_boxed(local).then(|| Slot::new(local.0))
    }

    /// The local that an expression of this representation is; `None` while expressions are observed.
    fn local_of(&self, e: &Expr, repr: Repr) -> Option<LocalId> {
        let ExprKind::Local(id) = e.kind else { return None };
        (e.ty.repr() == repr && !self.is_observing()).then_some(id)
    }

    /// Assigns a number to a call site.
    pub fn site(&mut self, callee: FuncId, span: Span, offset: Slot) -> u32 {
        let site = CallSite { caller: self.func, callee, span, stmt: self.stmt, offset };
        self.sites.push(site);
        self.sites.len() as u32 - 1
    }
}

/// Whether the initialisers of globals call functions (possible only in interpolated strings).
fn calls_at_file_level(program: &Program) -> bool {
    struct Calls(bool);
    impl Visitor for Calls {
        fn expr(&mut self, e: &Expr) {
            self.0 |= matches!(e.kind, ExprKind::Call { .. });
        }
    }
    let mut calls = Calls(false);
    if let Some(init) = program.function(program.init) {
        walk(&init.body.stmts, &mut calls);
    }
    calls.0
}

fn reference_slots(function: &Function) -> Box<[Slot]> {
    let locals = function.locals.iter().zip(0..);
    let references = locals.filter(|(local, _)| local.boxed || local.ty.repr() == Repr::Ref);
    references.map(|(_, number)| Slot::new(number)).collect()
}

/// Whether the index of `base[index]` may be evaluated before `base`: it has no side effects, and none of `base`
/// can change its value.
pub fn index_may_be_first(base: &Expr, index: &Expr) -> bool {
    matches!(index.kind, ExprKind::Const(_)) || is_pure(index) && is_pure(base)
}

/// Whether the expression can be evaluated twice, or in another order: it has no calls, no `++`, and nothing
/// else that runs code of the program or the library.
pub fn is_pure(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::EnumMember(..) => true,
        ExprKind::Neg(a) | ExprKind::Not(a) | ExprKind::Field(a, _) => is_pure(a),
        ExprKind::Arith(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Index(a, b) => is_pure(a) && is_pure(b),
        ExprKind::Interp(parts) => parts.iter().all(|part| match part {
            InterpPart::Text(_) => true,
            InterpPart::Value(value) => is_pure(value),
        }),
        _ => false,
    }
}
