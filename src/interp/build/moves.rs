//! Which copies nobody can observe: `items[j] = t` where `t` is never read again.
//!
//! A local that is declared in a block and last read as the whole value of a later statement of the
//! same block dies there, so its object can be handed on instead of being copied. Loops make no
//! difference: the declaration runs again before the next read.

use std::collections::HashMap;

use crate::program::{Arg, Block, Case, Expr, ExprKind, Function, InterpPart, LocalId, Place, PlaceKind, Stmt, StmtId, StmtKind, Target};

/// The statements whose copied local dies there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    dying: HashMap<StmtId, LocalId>,
}

impl Moves {
    /// Looks through a function. One with `ensure` has none: its calls read locals at the end.
    pub fn of(function: &Function) -> Moves {
        let mut moves = Moves::default();
        if !function.has_ensure {
            moves.block(function, &function.body);
        }
        moves
    }

    /// Whether `local` dies in `stmt`.
    pub fn dies(&self, stmt: StmtId, local: LocalId) -> bool {
        self.dying.get(&stmt) == Some(&local)
    }

    fn block(&mut self, function: &Function, block: &Block) {
        for (i, stmt) in block.stmts.iter().enumerate() {
            if let StmtKind::Declare { local, .. } = &stmt.kind
                && function.local(*local).is_some_and(|l| !l.boxed && l.ty.is_container())
            {
                self.declared(*local, block.stmts.get(i + 1..).unwrap_or_default());
            }
            for inner in blocks_of(stmt) {
                self.block(function, inner);
            }
        }
    }

    fn declared(&mut self, local: LocalId, rest: &[Stmt]) {
        let last = rest.iter().rposition(|s| reads_in_stmt(s, local) > 0);
        let Some(stmt) = last.and_then(|i| rest.get(i)) else { return };
        let value = match &stmt.kind {
            StmtKind::Assign { value, .. } | StmtKind::Declare { value, .. } => value,
            _ => return,
        };
        let whole = matches!(&value.kind, ExprKind::Copy { value, .. } if matches!(value.kind, ExprKind::Local(id) if id == local));
        if whole && reads_in_stmt(stmt, local) == 1 {
            self.dying.insert(stmt.id, local);
        }
    }
}

fn blocks_of(stmt: &Stmt) -> Vec<&Block> {
    match &stmt.kind {
        StmtKind::If { arms, otherwise } => arms.iter().map(|a| &a.body).chain(otherwise).collect(),
        StmtKind::When { arms, default, .. } => arms.iter().map(|a| &a.body).chain(default).collect(),
        StmtKind::For { body, .. }
        | StmtKind::ForEach { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::Loop { body } => vec![body],
        _ => Vec::new(),
    }
}

/// How often the local is mentioned in a statement, blocks included.
fn reads_in_stmt(stmt: &Stmt, local: LocalId) -> usize {
    let e = |e: &Expr| reads(e, local);
    let own = match &stmt.kind {
        StmtKind::Declare { value, .. } | StmtKind::DeclareGlobal { value, .. } => e(value),
        StmtKind::DeclareRef { place, .. } => place_reads(place, local),
        StmtKind::DefineEnum { members, .. } => members.iter().filter_map(|(_, v)| v.as_ref()).map(e).sum(),
        StmtKind::Assign { place, value, .. } | StmtKind::OpAssign { place, value, .. } => {
            place_reads(place, local) + e(value)
        }
        StmtKind::Unpack { targets, value, .. } => {
            let places = targets.iter().map(|t| match t {
                Target::Assign(place) => place_reads(place, local),
                _ => 0,
            });
            places.sum::<usize>() + e(value)
        }
        StmtKind::Expr { expr, .. } => e(expr),
        StmtKind::Return(values) => values.iter().map(e).sum(),
        StmtKind::If { arms, .. } => arms.iter().map(|a| e(&a.cond)).sum(),
        StmtKind::When { subject, arms, .. } => {
            let cases = arms.iter().flat_map(|a| &a.cases).map(|c| match c {
                Case::Equal(v) | Case::Range(v) => e(v),
            });
            e(subject) + cases.sum::<usize>()
        }
        StmtKind::For { start, end, step, .. } => e(start) + e(end) + step.as_ref().map_or(0, e),
        StmtKind::ForEach { iterable, .. } => e(iterable),
        StmtKind::While { cond, .. } => e(cond),
        StmtKind::Ensure { call } => e(call),
        StmtKind::Loop { .. } | StmtKind::Break | StmtKind::Continue | StmtKind::Raise(_) => 0,
    };
    let inner = blocks_of(stmt).into_iter().flat_map(|b| &b.stmts).map(|s| reads_in_stmt(s, local));
    own + inner.sum::<usize>()
}

fn place_reads(place: &Place, local: LocalId) -> usize {
    match &place.kind {
        PlaceKind::Local(id) => usize::from(*id == local),
        PlaceKind::Global(_) => 0,
        PlaceKind::Index { base, index, .. } => reads(base, local) + reads(index, local),
        PlaceKind::Char { base, index } => place_reads(base, local) + reads(index, local),
        PlaceKind::Field { base, .. } | PlaceKind::FieldNamed { base, .. } => reads(base, local),
    }
}

fn reads(e: &Expr, local: LocalId) -> usize {
    let r = |e: &Expr| reads(e, local);
    match &e.kind {
        ExprKind::Local(id) => usize::from(*id == local),
        ExprKind::Const(_)
        | ExprKind::Global(_)
        | ExprKind::EnumMember(..)
        | ExprKind::Default
        | ExprKind::New
        | ExprKind::Raise(_) => 0,
        ExprKind::Neg(a)
        | ExprKind::Not(a)
        | ExprKind::Field(a, _)
        | ExprKind::FieldNamed(a, _)
        | ExprKind::Convert(a)
        | ExprKind::ConvertArray(a)
        | ExprKind::Store(a, _)
        | ExprKind::Copy { value: a, .. } => r(a),
        ExprKind::Arith(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Index(a, b)
        | ExprKind::In { item: a, container: b, .. } => r(a) + r(b),
        ExprKind::Array(items) => items.iter().map(r).sum(),
        ExprKind::Map(pairs) => pairs.iter().map(|(k, v)| r(k) + r(v)).sum(),
        ExprKind::Struct(_, fields) => fields.iter().map(|(_, v)| r(v)).sum(),
        ExprKind::Interp(parts) => parts.iter().map(|p| match p {
            InterpPart::Text(_) => 0,
            InterpPart::Value(v) => r(v),
        }).sum(),
        ExprKind::Range(a, b, c) => r(a) + r(b) + c.as_ref().map_or(0, |c| r(c)),
        ExprKind::Call { args, .. } => args.iter().map(|a| match a {
            Arg::Value(v) => r(v),
            Arg::Ref(place) => place_reads(place, local),
        }).sum(),
        ExprKind::Native(native) => native.args.iter().map(r).sum(),
        ExprKind::Builtin { args, .. } => args.iter().map(r).sum(),
        ExprKind::Postfix(place, _) | ExprKind::RefTo(place) => place_reads(place, local),
    }
}
