//! Fast paths on maps.

use crate::syntax::ast::BinaryOp;
use crate::value::{Heap, IntKind, Ref, Type, Value};

use super::arith::dispatch_int;
use super::places::Spot;
use super::vm::{Stop, Vm};

/// Whether the place is a map entry that does not exist.
pub(crate) fn missing_entry(spot: &Spot) -> bool {
    match spot {
        Spot::Entry(map, key) => match &**map {
            Heap::Map(m) => !m.borrow().entries.contains(key),
            _ => false,
        },
        _ => false,
    }
}

/// `map[key] op= y` on small integers in one look-up; `None` where the general way is needed.
pub(crate) fn op_assign_int(
    _vm: &mut Vm,
    map: &Ref,
    key: &Value,
    op: BinaryOp,
    y: &Value,
) -> Option<Result<(), Stop>> {
    let (Heap::Map(m), Value::Int(y)) = (&**map, y) else { return None };
    let mut m = m.try_borrow_mut().ok()?;
    if m.frozen || !matches!(*m.value, Type::Int(IntKind::Int)) {
        return None;
    }
    match m.entries.get_mut(key)? {
        Value::Int(x) => {
            *x = dispatch_int(op, *x, *y)?;
            Some(Ok(()))
        }
        _ => None,
    }
}
