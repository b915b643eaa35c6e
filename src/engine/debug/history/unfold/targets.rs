//! What a statement writes to.

use std::rc::Rc;

use foldhash::HashMap;

use ez_runtime::interp::access;
use ez_runtime::interp::closures::ValueFn;
use ez_runtime::interp::compile::Compiler;
use ez_runtime::interp::compile::observed::Head;
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Pending, Stop, Vm};
use ez_runtime::program::{Expr, ExprKind, GlobalId, LocalId, Stmt, StmtKind, Target, TargetKind, Written};
use ez_runtime::source::Span;
use ez_runtime::value::{Type, Value};

use super::nodes::Nodes;

/// A variable, element, entry or field that is written to.
pub(crate) struct WriteTarget {
    /// The text of the target in the source.
    pub name: String,
    pub span: Span,
    pub ty: Type,
    /// Whether it is declared by the statement.
    pub is_new: bool,
    access: Access,
}

/// How the value of a target is read.
enum Access {
    Variable(ValueFn),
    Element(Operand, Operand, Span),
    Field(Operand, u32, Span),
    /// A field of a struct whose type is not known.
    Named(Operand, Rc<str>, Span),
    /// A character of the string in a target.
    Char(Box<Access>, Operand, Span),
}

/// A part of a target.
enum Operand {
    Node(usize),
    Constant(Value),
}

impl Operand {
    fn of(e: &Expr, nodes: &Nodes) -> Option<Operand> {
        if let ExprKind::Const(value) = &e.kind {
            return Some(Operand::Constant(value.clone()));
        }
        nodes.number(e).map(Operand::Node)
    }

    fn value(&self, kept: &HashMap<usize, Value>) -> Option<Value> {
        match self {
            Operand::Node(node) => kept.get(node).cloned(),
            Operand::Constant(value) => Some(value.clone()),
        }
    }

    fn is(&self, wanted: usize) -> bool {
        matches!(self, Operand::Node(node) if *node == wanted)
    }
}

impl Access {
    fn is_in_variable(&self) -> bool {
        match self {
            Access::Variable(_) => true,
            Access::Char(text, ..) => text.is_in_variable(),
            Access::Element(..) | Access::Field(..) | Access::Named(..) => false,
        }
    }

    fn uses(&self, node: usize) -> bool {
        match self {
            Access::Variable(_) => false,
            Access::Element(base, index, _) => base.is(node) || index.is(node),
            Access::Field(base, ..) | Access::Named(base, ..) => base.is(node),
            Access::Char(text, index, _) => text.uses(node) || index.is(node),
        }
    }

    fn read(&self, vm: &mut Vm, fp: Option<Fp>, kept: &HashMap<usize, Value>) -> Option<Result<Value, Stop>> {
        Some(match self {
            Access::Variable(value) => value.run(vm, fp?),
            Access::Element(base, index, at) => {
                let (base, index) = (base.value(kept)?.follow(), index.value(kept)?);
                access::element_value(vm, base.as_ref().map(|object| &**object), &index, *at)
            }
            Access::Field(base, field, at) => {
                let base = base.value(kept)?.follow();
                // The name is for an error, which nobody sees here.
                access::field_value(vm, base.as_ref().map(|object| &**object), (*field, ""), *at)
            }
            Access::Named(base, name, at) => {
                let base = base.value(kept)?.follow();
                access::named_field(vm, base.as_ref().map(|object| &**object), name, *at)
            }
            Access::Char(text, index, at) => {
                let index = index.value(kept)?;
                text.read(vm, fp, kept)?.and_then(|text| {
                    access::element_value(vm, text.follow().as_ref().map(|object| &**object), &index, *at)
                })
            }
        })
    }
}

impl WriteTarget {
    /// Whether it is a variable, or in the value of one, so that it can be read before anything is computed.
    pub fn is_in_variable(&self) -> bool {
        self.access.is_in_variable()
    }

    /// Whether the target depends on this expression.
    pub fn uses(&self, node: usize) -> bool {
        self.access.uses(node)
    }

    /// Its present value; `None` if there is none, or it is not known yet what it is. Variables need the
    /// frame.
    pub fn read(&self, vm: &mut Vm, fp: Option<Fp>, kept: &HashMap<usize, Value>) -> Option<Value> {
        let found = self.access.read(vm, fp, kept)?;
        if found.is_err() {
            // It is not there: an entry that is being added.
            vm.pending = Pending::None;
        }
        found.ok()
    }
}

/// What a head writes to.
pub(crate) fn targets(compiler: &mut Compiler, head: Head, nodes: &Nodes) -> Vec<WriteTarget> {
    let Head::Whole(stmt) = head else { return Vec::new() };
    let mut found = Finder { compiler, nodes, stmt };
    if let StmtKind::DeclareRef { .. } | StmtKind::DeclareGlobalRef { .. } = stmt.kind {
        // What it refers to keeps its value.
        return Vec::new();
    }
    let up_to = |end: u32| Span { end, ..stmt.at };
    if let StmtKind::Expr { expr, .. } = &stmt.kind {
        let ExprKind::Postfix(target, _) = &expr.kind else { return Vec::new() };
        return found.target(target, up_to(expr.at.start)).into_iter().collect();
    }
    // The only target of an assignment is all of its text before the operator.
    let only = if let StmtKind::Assign { at, .. } | StmtKind::OpAssign { at, .. } = &stmt.kind {
        Some(up_to(at.end))
    } else {
        None
    };
    let target = |written: Written| match written {
        Written::Local(local) => found.local(local, true),
        Written::Global(global) => found.global(global, true),
        Written::Target(target) => match only {
            Some(span) => found.target(target, span),
            None => found.target(target, target.at).filter(|_| target.is_variable()),
        },
    };
    stmt.written().into_iter().filter_map(target).collect()
}

struct Finder<'a, 'c, 'p> {
    compiler: &'a mut Compiler<'c>,
    nodes: &'a Nodes,
    stmt: &'p Stmt,
}

impl Finder<'_, '_, '_> {
    fn variable(
        &mut self,
        (name, span): (String, Span),
        ty: &Type,
        kind: ExprKind,
        is_new: bool,
    ) -> WriteTarget {
        let value = self.compiler.value(&Expr { ty: ty.clone(), at: self.stmt.at, kind });
        WriteTarget { name, span, ty: ty.clone(), is_new, access: Access::Variable(value) }
    }

    fn local(&mut self, id: LocalId, is_new: bool) -> Option<WriteTarget> {
        let local = self.compiler.local(id)?.clone();
        let name = (local.name.to_string(), local.span);
        Some(self.variable(name, &local.ty, ExprKind::Local(id), is_new))
    }

    fn global(&mut self, id: GlobalId, is_new: bool) -> Option<WriteTarget> {
        let global = self.compiler.program.globals.get(id.0 as usize)?.clone();
        let name = (global.name.to_string(), global.span);
        Some(self.variable(name, &global.ty, ExprKind::Global(id), is_new))
    }

    /// The target whose text is in `span`.
    fn target(&mut self, target: &Target, span: Span) -> Option<WriteTarget> {
        let program = self.compiler.program;
        let name = program.sources.get(span.file).map(|file| file.slice(span).trim().to_string())?;
        let access = self.access(target)?;
        Some(WriteTarget { name, span, ty: target.ty.clone(), is_new: false, access })
    }

    fn access(&mut self, target: &Target) -> Option<Access> {
        let variable = |compiler: &mut Compiler, kind| {
            Access::Variable(compiler.value(&Expr { ty: target.ty.clone(), at: self.stmt.at, kind }))
        };
        Some(match &target.kind {
            TargetKind::Local(id) => variable(self.compiler, ExprKind::Local(*id)),
            TargetKind::Global(id) => variable(self.compiler, ExprKind::Global(*id)),
            TargetKind::Index { base, index, .. } => {
                let (base, index) = (Operand::of(base, self.nodes)?, Operand::of(index, self.nodes)?);
                Access::Element(base, index, target.at)
            }
            TargetKind::Field { base, field } => {
                Access::Field(Operand::of(base, self.nodes)?, *field, target.at)
            }
            TargetKind::Char { base, index } => {
                Access::Char(Box::new(self.access(base)?), Operand::of(index, self.nodes)?, target.at)
            }
            TargetKind::FieldNamed { base, name } => {
                Access::Named(Operand::of(base, self.nodes)?, name.clone(), target.at)
            }
        })
    }
}
