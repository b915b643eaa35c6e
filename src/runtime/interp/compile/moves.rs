//! Finds copies that cannot be observed, such as the three of an exchange: `temp t = items[i]`,
//! `items[i] = items[j]`, `items[j] = t`.
//!
//! A local dies in a statement if it is declared in the same block and this is the last statement that reads
//! it, as a whole value. Then its object can be passed on instead of being copied. Loops make no difference:
//! the declaration runs again before the next read. In attached code, nothing that follows in the block may change an
//! object: a debugger would show in the local what happens to the object.
//!
//! Two elements of an array are exchanged by three such statements if nothing happens in between; the local dies in the
//! third. Then the objects can change places instead of being copied (`exchanges`).

use std::collections::HashMap;

use crate::interp::slots::Slot;
use crate::program::visit::{Use, Visitor, blocks, walk_stmt};
use crate::program::{Block, Expr, ExprKind, Function, LocalId, Stmt, StmtId, StmtKind, Target, TargetKind};
use crate::value::{Repr, Type, Value};

use super::is_pure;

/// The statements in which a copied local dies, and those that exchange two elements.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    dying: HashMap<StmtId, LocalId>,
    exchanging: HashMap<StmtId, Exchanging>,
}

/// What a statement is in an exchange of two elements.
#[derive(Clone, Debug)]
pub enum Exchanging {
    /// The first of its three statements.
    Begins(Box<Elements>),
    GoesOn,
    Ends,
}

/// The two elements of an exchange, objects of a struct.
#[derive(Clone, Debug)]
pub struct Elements {
    pub array: Expr,
    pub indices: [Expr; 2],
    pub ty: Type,
    /// Gets the first one's object.
    pub local: LocalId,
    /// The second and the third statement.
    pub others: [StmtId; 2],
}

impl Moves {
    /// Analyses a function, for plain or attached code. One with `ensure` has no moves, since the ensured calls read
    /// locals at the end.
    pub fn of(function: &Function, attached: bool) -> Moves {
        let mut moves = Moves::default();
        if !function.has_ensure {
            moves.block(function, &function.body, attached);
        }
        moves
    }

    /// Whether `local` dies in `stmt`.
    pub fn dies(&self, stmt: StmtId, local: LocalId) -> bool {
        self.dying.get(&stmt) == Some(&local)
    }

    /// What `stmt` is in an exchange, if it is part of one.
    pub fn exchange(&self, stmt: StmtId) -> Option<&Exchanging> {
        self.exchanging.get(&stmt)
    }

    /// The locals that die in some statement.
    pub fn locals(&self) -> Box<[Slot]> {
        let mut slots: Vec<Slot> = self.dying.values().map(|local| Slot::new(local.0)).collect();
        slots.sort_unstable();
        slots.dedup();
        slots.into()
    }

    /// Whether `local` dies in some statement.
    pub fn has(&self, local: LocalId) -> bool {
        self.dying.values().any(|dying| *dying == local)
    }

    fn block(&mut self, function: &Function, block: &Block, attached: bool) {
        let (mut reads, mut quiet) = (None, None);
        for (i, stmt) in block.stmts.iter().enumerate() {
            if let StmtKind::Declare { local, .. } = &stmt.kind
                && function.local(*local).is_some_and(|l| !l.boxed && l.ty.is_container())
                && let Some(last) = reads.get_or_insert_with(|| last_reads(&block.stmts)).get(local)
                && (!attached || last.index + 1 >= quiet_end(function, &block.stmts, &mut quiet))
            {
                self.last_read(*local, last, &block.stmts);
            }
            self.exchange_in(block.stmts.get(i..).unwrap_or_default());
            for inner in blocks(stmt) {
                self.block(function, inner, attached);
            }
        }
    }

    /// Notes whether the first three statements exchange two elements by a local that dies in the third.
    fn exchange_in(&mut self, stmts: &[Stmt]) {
        let [first, second, third, ..] = stmts else { return };
        let StmtKind::Declare { local, .. } = &first.kind else { return };
        let (Some((array, one, ty)), Some((other_array, other, other_ty))) =
            (copied_element(first), copied_element(second))
        else {
            return;
        };
        if is_same(array, other_array)
            && ty == other_ty
            && overwrites(second, array, one)
            && overwrites(third, array, other)
            && self.dies(third.id, *local)
        {
            let indices = [one.clone(), other.clone()];
            let others = [second.id, third.id];
            let elements = Elements { array: array.clone(), indices, ty: ty.clone(), local: *local, others };
            self.exchanging.insert(first.id, Exchanging::Begins(Box::new(elements)));
            self.exchanging.insert(second.id, Exchanging::GoesOn);
            self.exchanging.insert(third.id, Exchanging::Ends);
        }
    }

    fn last_read(&mut self, local: LocalId, last: &LastRead, stmts: &[Stmt]) {
        let Some(stmt) = stmts.get(last.index).filter(|_| last.count == 1) else { return };
        let (StmtKind::Assign { value, .. } | StmtKind::Declare { value, .. }) = &stmt.kind else { return };
        let whole = matches!(&value.kind, ExprKind::Copy { value, .. } if matches!(value.kind, ExprKind::Local(id) if id == local));
        if whole {
            self.dying.insert(stmt.id, local);
        }
    }
}

/// The array, the index and the type of an element that a statement copies, if it is an object of a struct without
/// containers, and finding it has no effect: a store of such an object changes no variable that holds a container.
fn copied_element(stmt: &Stmt) -> Option<(&Expr, &Expr, &Type)> {
    let (StmtKind::Declare { value, .. } | StmtKind::Assign { value, .. }) = &stmt.kind else { return None };
    let ExprKind::Copy { value: element, freeze: false, .. } = &value.kind else { return None };
    let ExprKind::Index(array, index) = &element.kind else { return None };
    let is_simple = is_local(array) && is_simple_index(index) && matches!(array.ty, Type::Array(..));
    let is_flat = matches!(value.ty, Type::Struct(_)) && value.ty.is_flat();
    (is_simple && is_flat).then_some((array, index, &value.ty))
}

/// Whether a statement overwrites the element with a value that has no effect.
fn overwrites(stmt: &Stmt, array: &Expr, index: &Expr) -> bool {
    let StmtKind::Assign { target, value, .. } = &stmt.kind else { return false };
    let TargetKind::Index { base, index: written, constant: None } = &target.kind else { return false };
    let value = if let ExprKind::Copy { value, freeze: false, .. } = &value.kind { value } else { value };
    is_pure(value) && is_same(base, array) && is_same(written, index)
}

fn is_local(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Local(_))
}

/// Whether an index is made of constants and locals only.
fn is_simple_index(e: &Expr) -> bool {
    if e.ty.repr() != Repr::Int {
        return false;
    }
    if let ExprKind::Arith(_, a, b) = &e.kind {
        return is_simple_index(a) && is_simple_index(b);
    }
    matches!(e.kind, ExprKind::Const(Value::Int(_)) | ExprKind::Local(_))
}

/// Whether two simple expressions are the same.
fn is_same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Const(Value::Int(x)), ExprKind::Const(Value::Int(y))) => x == y,
        (ExprKind::Local(x), ExprKind::Local(y)) => x == y,
        (ExprKind::Arith(op, a, b), ExprKind::Arith(other, c, d)) => {
            op == other && is_same(a, c) && is_same(b, d)
        }
        _ => false,
    }
}

/// The index from which on no statement changes anything but variables in slots; `known` is the result of an earlier
/// call.
fn quiet_end(function: &Function, stmts: &[Stmt], known: &mut Option<usize>) -> usize {
    *known.get_or_insert_with(|| {
        stmts.iter().rposition(|stmt| may_change_objects(function, stmt)).map_or(0, |last| last + 1)
    })
}

/// Whether a statement may change anything but variables in slots.
fn may_change_objects(function: &Function, stmt: &Stmt) -> bool {
    struct Changes<'a>(&'a Function, bool);
    impl Visitor for Changes<'_> {
        fn expr(&mut self, e: &Expr) {
            self.1 |=
                matches!(e.kind, ExprKind::Call { .. } | ExprKind::Native(_) | ExprKind::Builtin { .. });
        }
        fn target(&mut self, target: &Target, _: Use) {
            self.1 |= match target.kind {
                TargetKind::Local(id) => self.0.local(id).is_none_or(|local| local.boxed),
                TargetKind::Global(_)
                | TargetKind::Index { .. }
                | TargetKind::Char { .. }
                | TargetKind::Field { .. }
                | TargetKind::FieldNamed { .. } => true,
            };
        }
    }
    let mut changes = Changes(function, false);
    walk_stmt(stmt, &mut changes);
    changes.1
}

/// The last statement of a block that mentions a local, and how often it does.
struct LastRead {
    index: usize,
    count: usize,
}

/// The last statements that mention the locals, nested blocks included.
fn last_reads(stmts: &[Stmt]) -> HashMap<LocalId, LastRead> {
    struct Reads {
        index: usize,
        found: HashMap<LocalId, LastRead>,
    }
    impl Reads {
        fn add(&mut self, local: LocalId) {
            let index = self.index;
            let last = self.found.entry(local).or_insert(LastRead { index, count: 0 });
            *last = LastRead { index, count: if last.index == index { last.count + 1 } else { 1 } };
        }
    }
    impl Visitor for Reads {
        fn expr(&mut self, e: &Expr) {
            if let ExprKind::Local(id) = e.kind {
                self.add(id);
            }
        }
        fn target(&mut self, target: &Target, _: Use) {
            if let TargetKind::Local(id) = target.kind {
                self.add(id);
            }
        }
    }
    let mut reads = Reads { index: 0, found: HashMap::new() };
    for (index, stmt) in stmts.iter().enumerate() {
        reads.index = index;
        walk_stmt(stmt, &mut reads);
    }
    reads.found
}
