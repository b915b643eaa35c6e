//! Operations that depend on the types of their operands at run time: membership and iteration.

use crate::diagnostics::Code;
use crate::source::Span;
use crate::value::{Heap, Value, member_equal};

use super::vm::{Stop, Vm};

/// `item in container`.
pub fn contains(vm: &mut Vm, item: &Value, container: &Value, at: Span) -> Result<bool, Stop> {
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
        Heap::Range(range) => {
            let number = item.plain();
            match number.as_bigint() {
                Some(_) => Ok(range.contains(&number)),
                None => range_operand(vm, &item, at),
            }
        }
        _ => wrong_container(vm, &container, at),
    }
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
