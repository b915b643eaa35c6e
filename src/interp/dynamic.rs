//! Operations that depend on the types of their operands at run time: membership and iteration.

use crate::diagnostics::Code;
use crate::source::Span;
use crate::value::{EnumValue, Heap, Value, member_equal};

use super::vm::{Stop, Vm};

/// `item in container`.
pub(crate) fn contains(vm: &mut Vm, item: &Value, container: &Value, at: Span) -> Result<bool, Stop> {
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
        Heap::Map(m) => Ok(m.borrow().find(&item).is_some()),
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
