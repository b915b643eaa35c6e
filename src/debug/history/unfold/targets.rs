//! What a statement writes to.

use foldhash::HashMap;

use crate::interp::access;
use crate::interp::compile::Compiler;
use crate::interp::compile::observed::Head;
use crate::interp::operand::ValueFn;
use crate::interp::slots::Fp;
use crate::interp::vm::{Pending, Vm};
use crate::program::{
    Expr, ExprKind, GlobalId, LocalId, Place, PlaceKind, Stmt, StmtKind, Target as Unpacked,
};
use crate::source::Span;
use crate::value::{Type, Value};

use super::nodes::Nodes;

/// A variable, element, entry or field that is written to.
pub(crate) struct Target {
    /// As it is in the source.
    pub name: String,
    pub span: Span,
    pub ty: Type,
    /// Whether it is declared by the statement.
    pub is_new: bool,
    spot: Spot,
}

enum Spot {
    Variable(ValueFn),
    Element(Operand, Operand, Span),
    Field(Operand, u32, Span),
}

/// A part of a place.
enum Operand {
    Node(usize),
    Constant(Value),
}

impl Operand {
    fn of(e: &Expr, nodes: &Nodes) -> Option<Operand> {
        match &e.kind {
            ExprKind::Const(value) => Some(Operand::Constant(value.clone())),
            _ => nodes.number(e).map(Operand::Node),
        }
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

impl Target {
    pub fn is_variable(&self) -> bool {
        matches!(self.spot, Spot::Variable(_))
    }

    /// Whether the place depends on this expression.
    pub fn uses(&self, node: usize) -> bool {
        match &self.spot {
            Spot::Variable(_) => false,
            Spot::Element(base, index, _) => base.is(node) || index.is(node),
            Spot::Field(base, ..) => base.is(node),
        }
    }

    /// Its present value; `None` if there is none, or it is not known yet what it is. Variables need the
    /// frame.
    pub fn read(&self, vm: &mut Vm, fp: Option<Fp>, kept: &HashMap<usize, Value>) -> Option<Value> {
        let found = match &self.spot {
            Spot::Variable(value) => value(vm, fp?),
            Spot::Element(base, index, at) => {
                let (base, index) = (base.value(kept)?.follow(), index.value(kept)?);
                access::element_value(vm, base.as_ref().map(|object| &**object), &index, *at)
            }
            Spot::Field(base, field, at) => {
                let base = base.value(kept)?.follow();
                // The name is for an error, which nobody sees here.
                access::field_value(vm, base.as_ref().map(|object| &**object), (*field, ""), *at)
            }
        };
        if found.is_err() {
            // It is not there: an entry that is being added.
            vm.pending = Pending::None;
        }
        found.ok()
    }
}

/// What a head writes to.
pub(super) fn targets(compiler: &mut Compiler, head: Head, nodes: &Nodes) -> Vec<Target> {
    let Head::Whole(stmt) = head else { return Vec::new() };
    let mut found = Finder { compiler, nodes, stmt };
    let up_to = |end: u32| Span { end, ..stmt.at };
    match &stmt.kind {
        StmtKind::Declare { local, .. } => found.local(*local, true).into_iter().collect(),
        StmtKind::DeclareGlobal { global, .. } => found.global(*global, true).into_iter().collect(),
        StmtKind::Assign { place, at, .. } | StmtKind::OpAssign { place, at, .. } => {
            found.place(place, up_to(at.end)).into_iter().collect()
        }
        StmtKind::Expr { expr, .. } => match &expr.kind {
            ExprKind::Postfix(place, _) => found.place(place, up_to(expr.at.start)).into_iter().collect(),
            _ => Vec::new(),
        },
        StmtKind::Unpack { targets, .. } => {
            let target = |target: &Unpacked| match target {
                Unpacked::Skip => None,
                Unpacked::Declare(local) => found.local(*local, true),
                Unpacked::DeclareGlobal(global) => found.global(*global, true),
                Unpacked::Assign(place) => match &place.kind {
                    PlaceKind::Local(_) | PlaceKind::Global(_) => found.place(place, place.at),
                    _ => None,
                },
            };
            targets.iter().filter_map(target).collect()
        }
        _ => Vec::new(),
    }
}

struct Finder<'a, 'c, 'p> {
    compiler: &'a mut Compiler<'c>,
    nodes: &'a Nodes,
    stmt: &'p Stmt,
}

impl Finder<'_, '_, '_> {
    fn variable(&mut self, (name, span): (String, Span), ty: &Type, kind: ExprKind, is_new: bool) -> Target {
        let value = self.compiler.value(&Expr { ty: ty.clone(), at: self.stmt.at, kind });
        Target { name, span, ty: ty.clone(), is_new, spot: Spot::Variable(value) }
    }

    fn local(&mut self, id: LocalId, is_new: bool) -> Option<Target> {
        let local = self.compiler.local(id)?.clone();
        let name = (local.name.to_string(), local.span);
        Some(self.variable(name, &local.ty, ExprKind::Local(id), is_new))
    }

    fn global(&mut self, id: GlobalId, is_new: bool) -> Option<Target> {
        let global = self.compiler.program.globals.get(id.0 as usize)?.clone();
        let name = (global.name.to_string(), global.span);
        Some(self.variable(name, &global.ty, ExprKind::Global(id), is_new))
    }

    /// The place whose text is in `span`.
    fn place(&mut self, place: &Place, span: Span) -> Option<Target> {
        let program = self.compiler.program;
        let name = program.sources.get(span.file).map(|file| file.slice(span).trim().to_string())?;
        let spot = match &place.kind {
            PlaceKind::Local(id) => {
                return Some(self.variable((name, span), &place.ty, ExprKind::Local(*id), false));
            }
            PlaceKind::Global(id) => {
                return Some(self.variable((name, span), &place.ty, ExprKind::Global(*id), false));
            }
            PlaceKind::Index { base, index, .. } => {
                let (base, index) = (Operand::of(base, self.nodes)?, Operand::of(index, self.nodes)?);
                Spot::Element(base, index, place.at)
            }
            PlaceKind::Field { base, field } => Spot::Field(Operand::of(base, self.nodes)?, *field, place.at),
            // What is written is the whole string, or not known.
            PlaceKind::Char { .. } | PlaceKind::FieldNamed { .. } => return None,
        };
        Some(Target { name, span, ty: place.ty.clone(), is_new: false, spot })
    }
}
