//! Operations that look at what their operands are: membership, iteration over anything.

use crate::diagnostics::Code;
use crate::source::Span;
use crate::value::{EnumValue, Heap, Type, Value, member_equal};

use super::vm::{Stop, Vm};

/// `item in container`.
pub(crate) fn contains(
    vm: &mut Vm,
    item: &Value,
    item_type: &Type,
    container: &Value,
    at: Span,
) -> Result<bool, Stop> {
    let item = item.follow();
    let container = container.follow();
    let Value::Ref(r) = &container else {
        return wrong_container(vm, &container, at);
    };
    match &**r {
        Heap::Array(a) => {
            let a = a.borrow();
            if let (crate::value::Elems::Ints(v), Value::Int(i)) = (&a.data, &item) {
                return Ok(v.contains(i));
            }
            Ok(a.data.iter().any(|v| member_equal(&item, &v)))
        }
        Heap::Map(m) => Ok(map_contains(&m.borrow(), &item, item_type)),
        Heap::Range { start, end, step } => match &item {
            Value::Int(i) => Ok(in_range(*i, *start, *end, *step)),
            Value::Ref(r) => match &**r {
                Heap::Big(_) => Ok(false),
                Heap::Enum(EnumValue { value: Value::Int(i), .. }) => Ok(in_range(*i, *start, *end, *step)),
                _ => range_operand(vm, &item, at),
            },
            _ => range_operand(vm, &item, at),
        },
        _ => wrong_container(vm, &container, at),
    }
}

/// Keys are found by kind and value; an enum value also by its underlying one and the other way round.
fn map_contains(m: &crate::value::MapValue, item: &Value, _item_type: &Type) -> bool {
    if !crate::value::Key::hashable(item) {
        return false;
    }
    if m.entries.contains(item) {
        return true;
    }
    match (&*m.key, item) {
        (Type::Enum(def), Value::Ref(r)) if matches!(&**r, Heap::Enum(_)) => {
            let Heap::Enum(e) = &**r else { return false };
            !std::rc::Rc::ptr_eq(&e.def, def) && m.entries.iter().any(|(k, _)| member_equal(k, item))
        }
        (Type::Enum(def), _) => {
            let key = Value::from(Heap::Enum(EnumValue { def: def.clone(), value: item.clone() }));
            m.entries.contains(&key)
        }
        (_, Value::Ref(r)) => match &**r {
            Heap::Enum(e) => m.entries.contains(&e.value),
            _ => false,
        },
        _ => false,
    }
}

/// start ≤ n < end in steps (downwards for a negative step).
pub(crate) fn in_range(n: i64, start: i64, end: i64, step: i64) -> bool {
    let inside = if step > 0 { start <= n && n < end } else { end < n && n <= start };
    inside && step != 0 && (i128::from(n) - i128::from(start)) % i128::from(step) == 0
}

fn range_operand(vm: &mut Vm, item: &Value, at: Span) -> Result<bool, Stop> {
    let message = format!("left operand of 'in range()' must be integer, got {}", item.typeof_name());
    vm.fail(Code::E5020, message, at)
}

fn wrong_container(vm: &mut Vm, container: &Value, at: Span) -> Result<bool, Stop> {
    let message =
        format!("right operand of 'in' must be array, map, or range, got {}", container.typeof_name());
    vm.fail(Code::E3014, message, at)
}
