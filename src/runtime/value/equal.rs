//! The four comparisons of values: `==`, membership, the library's equality, the library's order.

use std::cmp::Ordering;
use std::rc::Rc;

use foldhash::HashSet;
use num_traits::ToPrimitive;

use super::heap::{Heap, Ref, Value};
use super::inspect::inspect;
use super::memory;

/// `==`: numbers by value across kinds, strings, chars and bools by value, enum values by underlying
/// value, containers by identity.
pub fn identical(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Nil, Value::Nil) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Char(a), Value::Char(b)) => a == b,
        (Value::Ref(x), Value::Ref(y)) => match (&**x, &**y) {
            (Heap::Reference(_) | Heap::Scalar(_), _) | (_, Heap::Reference(_) | Heap::Scalar(_)) => {
                identical(&a.follow(), &b.follow())
            }
            (Heap::Enum(e), _) => identical(&e.value, b),
            (_, Heap::Enum(e)) => identical(a, &e.value),
            (Heap::Str(a), Heap::Str(b)) => a.is(b),
            (Heap::Big(a), Heap::Big(b)) => a == b,
            (Heap::Range(a), Heap::Range(b)) => a == b,
            _ => Rc::ptr_eq(x, y),
        },
        (Value::Ref(r), _) if unwraps(r) => identical(&unwrapped(a), b),
        (_, Value::Ref(r)) if unwraps(r) => identical(a, &unwrapped(b)),
        _ => compare_numbers(a, b) == Some(Ordering::Equal),
    }
}

fn unwraps(heap: &Heap) -> bool {
    matches!(heap, Heap::Reference(_) | Heap::Scalar(_) | Heap::Enum(_))
}

fn unwrapped(value: &Value) -> Value {
    match value {
        Value::Ref(r) => match &**r {
            Heap::Enum(e) => e.value.clone(),
            _ => value.follow(),
        },
        _ => value.clone(),
    }
}

/// Order of two numbers of any kinds (byte included); `None` if one is no number or NaN.
/// An integer beside a float counts as the nearest float.
pub fn compare_numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => x.partial_cmp(y),
        (Value::Float(x), y) => x.partial_cmp(&number_as_float(y)?),
        (x, Value::Float(y)) => number_as_float(x)?.partial_cmp(y),
        (x, y) => match (small(x), small(y)) {
            (Some(x), Some(y)) => Some(x.cmp(&y)),
            _ => Some(whole(x)?.cmp(&whole(y)?)),
        },
    }
}

fn small(value: &Value) -> Option<i64> {
    match value {
        Value::Int(i) => Some(*i),
        Value::Byte(b) => Some(i64::from(*b)),
        _ => None,
    }
}

fn whole(value: &Value) -> Option<num_bigint::BigInt> {
    match value {
        Value::Byte(b) => Some(num_bigint::BigInt::from(*b)),
        other => other.as_bigint(),
    }
}

/// The nearest float of an integer, byte or float.
pub fn number_as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(x) => Some(*x),
        Value::Int(i) => Some(*i as f64),
        Value::Byte(b) => Some(f64::from(*b)),
        other => other.as_bigint().and_then(|b| b.to_f64()),
    }
}

/// Membership in an array and cases of `when`: kinds must agree (an integer is no byte and no float);
/// an enum value equals members with the same underlying value and that value itself.
pub fn member_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Nil, Value::Nil) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Char(a), Value::Char(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Byte(a), Value::Byte(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Ref(x), Value::Ref(y)) if !unwraps(x) && !unwraps(y) => match (&**x, &**y) {
            (Heap::Str(a), Heap::Str(b)) => a.is(b),
            _ => identical(a, b),
        },
        (Value::Ref(r), _) if unwraps(r) => member_equal(&unwrapped(a), b),
        (_, Value::Ref(r)) if unwraps(r) => member_equal(a, &unwrapped(b)),
        _ => false,
    }
}

/// Addresses of two objects that are compared.
type Pair = (*const Heap, *const Heap);

/// Depth from which on parts are compared later, since lists may have any number of nodes.
const MAX_DEPTH: usize = 256;

/// A comparison of two values.
#[derive(Default)]
struct Comparison {
    /// The objects that contain the values being compared.
    path: Vec<Pair>,
    /// What is compared later, which counts as equal until then.
    later: Vec<(Ref, Ref)>,
    /// All that is or was in `later`.
    deep: HashSet<Pair>,
}

impl Comparison {
    /// Has these objects compared later. Returns `false`, after [`memory::deny`], if there is no memory for that.
    fn compare_later(&mut self, pair: Pair, (x, y): (&Ref, &Ref)) -> bool {
        if !memory::grow_set(&mut self.deep) || !memory::grow(&mut self.later) {
            return false;
        }
        if self.deep.insert(pair) {
            self.later.push((x.clone(), y.clone()));
        }
        true
    }
}

/// The library's equality (docs/language/library.md#equality-and-order): same kind and same text;
/// containers part by part.
pub fn library_equal(a: &Value, b: &Value) -> bool {
    let mut comparison = Comparison::default();
    let mut equal = equal_at(a, b, &mut comparison);
    while equal && let Some((x, y)) = comparison.later.pop() {
        equal = parts_equal(&x, &y, &mut comparison);
    }
    equal
}

fn equal_at(a: &Value, b: &Value, at: &mut Comparison) -> bool {
    match (a, b) {
        (Value::Nil, Value::Nil) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Char(a), Value::Char(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Byte(a), Value::Byte(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits(),
        (Value::Ref(x), Value::Ref(y)) => match (&**x, &**y) {
            (Heap::Reference(_) | Heap::Scalar(_), _) | (_, Heap::Reference(_) | Heap::Scalar(_)) => {
                equal_at(&a.follow(), &b.follow(), at)
            }
            _ if Rc::ptr_eq(x, y) => true,
            (Heap::Array(_) | Heap::Map(_) | Heap::Struct(_), _) => {
                let pair = (Rc::as_ptr(x), Rc::as_ptr(y));
                if at.path.contains(&pair) {
                    return true;
                }
                if at.path.len() >= MAX_DEPTH {
                    return at.compare_later(pair, (x, y));
                }
                at.path.push(pair);
                let equal = parts_equal(x, y, at);
                at.path.pop();
                equal
            }
            (Heap::Enum(x), Heap::Enum(y)) => inspect(&x.value) == inspect(&y.value),
            (Heap::Enum(_), _) | (_, Heap::Enum(_)) => false,
            _ => identical(a, b),
        },
        (Value::Ref(r), _) if matches!(&**r, Heap::Reference(_) | Heap::Scalar(_)) => {
            equal_at(&a.follow(), b, at)
        }
        (_, Value::Ref(r)) if matches!(&**r, Heap::Reference(_) | Heap::Scalar(_)) => {
            equal_at(a, &b.follow(), at)
        }
        _ => false,
    }
}

/// Whether two containers are of one kind and have equal parts.
fn parts_equal(x: &Heap, y: &Heap, at: &mut Comparison) -> bool {
    match (x, y) {
        (Heap::Array(x), Heap::Array(y)) => {
            let (x, y) = (x.borrow(), y.borrow());
            x.data.len() == y.data.len()
                && x.data.iter().zip(y.data.iter()).all(|(a, b)| equal_at(&a, &b, at))
        }
        (Heap::Map(x), Heap::Map(y)) => {
            let (x, y) = (x.borrow(), y.borrow());
            x.entries.len() == y.entries.len()
                && x.entries
                    .iter()
                    .zip(y.entries.iter())
                    .all(|((k, v), (l, w))| equal_at(k, l, at) && equal_at(v, w, at))
        }
        (Heap::Struct(x), Heap::Struct(y)) => {
            Rc::ptr_eq(&x.def, &y.def)
                && x.fields.borrow().iter().zip(y.fields.borrow().iter()).all(|(a, b)| equal_at(a, b, at))
        }
        _ => false,
    }
}

/// The library's order for sorting: integers and floats by value, strings by bytes, everything else
/// by its text.
pub fn compare_order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => return x.cmp(y),
        // For `min` and `max` a NaN equals everything: this is no total order, and none to sort by.
        (Value::Float(x), Value::Float(y)) => return x.partial_cmp(y).unwrap_or(Ordering::Equal),
        _ => {}
    }
    if let (Some(x), Some(y)) = (a.as_str(), b.as_str()) {
        return x.as_bytes().cmp(y.as_bytes());
    }
    if let (Some(x), Some(y)) = (a.as_bigint(), b.as_bigint()) {
        return x.cmp(&y);
    }
    inspect(a).as_bytes().cmp(inspect(b).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::test_values::nested;
    use crate::value::{Mutator, Part, Type};

    #[test]
    fn parts_are_compared_at_any_depth() {
        for depth in [1, MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, 200_000] {
            let one = nested(depth, Value::Int(1));
            assert!(library_equal(&one, &nested(depth, Value::Int(1))), "{depth}");
            assert!(!library_equal(&one, &nested(depth, Value::Int(2))), "{depth}");
            assert!(!library_equal(&one, &nested(depth + 1, Value::Int(1))), "{depth}");
        }
    }

    #[test]
    fn cycles_of_any_length_can_be_compared() {
        let mut mutator = Mutator::new().expect("the thread's first");
        for length in [1, 3, MAX_DEPTH, MAX_DEPTH + 1, 2 * MAX_DEPTH + 7] {
            let mut cycle = |number: i64| {
                let innermost = Value::array(&Type::Any, [Value::Int(number)]);
                let cycle = nested(length, innermost.clone());
                let cell = innermost.as_array().expect("an array");
                cell.change(&mut mutator, Part::All).expect("may change").data.push(cycle.clone());
                cycle
            };
            let one = cycle(1);
            assert!(library_equal(&one, &cycle(1)), "{length}");
            assert!(!library_equal(&one, &cycle(2)), "{length}");
        }
    }
}
