//! Sorting, extremes and random order.

use std::cmp::Ordering;

use crate::diagnostics::Code;
use crate::library::args::below;
use crate::library::{Call, Fail, Runtime};
use crate::value::{Elems, ScalarKind, Value, compare_order, inspect};

use super::{AN_ARRAY, editable};

pub fn sort(call: &mut Call) -> Result<Value, Fail> {
    sort_in_place(call, false)
}

pub fn sort_desc(call: &mut Call) -> Result<Value, Fail> {
    sort_in_place(call, true)
}

fn sort_in_place(call: &mut Call, descending: bool) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let cell = editable(call, AN_ARRAY)?;
    // Elements may refer back to this array when their text is made: sort them outside of it.
    let mut data = std::mem::replace(&mut cell.borrow_mut().data, Elems::Values(Vec::new()));
    sort_elems(&mut data, descending);
    cell.borrow_mut().data = data;
    Ok(Value::Nil)
}

fn directed(order: Ordering, descending: bool) -> Ordering {
    if descending { order.reverse() } else { order }
}

/// Floats by value, NaN last.
fn float_order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

fn sort_elems(data: &mut Elems, descending: bool) {
    match data {
        Elems::Ints(v) | Elems::Scalars(v, ScalarKind::Sized(_) | ScalarKind::Char) => {
            v.sort_unstable();
            if descending {
                v.reverse();
            }
        }
        Elems::Scalars(v, ScalarKind::Enum(_)) => {
            v.sort_by_cached_key(i64::to_string);
            if descending {
                v.reverse();
            }
        }
        Elems::Bytes(v) => {
            let mut ranked: Vec<u8> = (0..=255).collect();
            ranked.sort_by_cached_key(u8::to_string);
            let mut rank = [0u8; 256];
            for (place, byte) in ranked.iter().zip(0..=255u8).map(|(b, i)| (i, *b)) {
                if let Some(slot) = rank.get_mut(usize::from(byte)) {
                    *slot = place;
                }
            }
            v.sort_unstable_by_key(|b| rank.get(usize::from(*b)).copied().unwrap_or(0));
            if descending {
                v.reverse();
            }
        }
        Elems::Bools(v) => {
            v.sort_unstable();
            if descending {
                v.reverse();
            }
        }
        Elems::Floats(v) => v.sort_by(|a, b| directed(float_order(*a, *b), descending)),
        Elems::Singles(v) => {
            v.sort_by(|a, b| directed(float_order(f64::from(*a), f64::from(*b)), descending));
        }
        Elems::Values(v) => sort_values(v, descending),
    }
}

fn sort_values(values: &mut [Value], descending: bool) {
    if values.iter().all(|v| v.as_str().is_some()) {
        values.sort_by(|a, b| {
            directed(a.as_str().unwrap_or_default().cmp(b.as_str().unwrap_or_default()), descending)
        });
    } else if values.iter().all(|v| v.as_bigint().is_some()) {
        values.sort_by(|a, b| directed(compare_order(a, b), descending));
    } else if values.iter().all(|v| matches!(v, Value::Float(_))) {
        let number = |v: &Value| if let Value::Float(x) = v { *x } else { 0.0 };
        values.sort_by(|a, b| directed(float_order(number(a), number(b)), descending));
    } else if descending {
        values.sort_by_cached_key(|v| std::cmp::Reverse(inspect(v)));
    } else {
        values.sort_by_cached_key(inspect);
    }
}

pub fn min(call: &mut Call) -> Result<Value, Fail> {
    extreme(call, Ordering::Less)
}

pub fn max(call: &mut Call) -> Result<Value, Fail> {
    extreme(call, Ordering::Greater)
}

fn extreme(call: &mut Call, better: Ordering) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let array = call.array(0, AN_ARRAY)?.borrow();
    if let Elems::Ints(v) = &array.data {
        let found = if better == Ordering::Less { v.iter().min() } else { v.iter().max() };
        if let Some(found) = found {
            return Ok(Value::Int(*found));
        }
    }
    let mut items = array.data.iter();
    let Some(mut best) = items.next() else {
        return call.wrong(Code::E9001, "requires non-empty array");
    };
    for item in items {
        if compare_order(&item, &best) == better {
            best = item;
        }
    }
    Ok(best)
}

pub fn shuffle(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let cell = editable(call, AN_ARRAY)?;
    shuffle_elems(&mut cell.borrow_mut().data, call.runtime);
    Ok(Value::Nil)
}

/// A uniformly random order.
pub fn shuffle_elems(data: &mut Elems, runtime: &mut dyn Runtime) {
    with_elems!(data, v => {
        for i in (1..v.len()).rev() {
            v.swap(i, below(runtime, i as u64 + 1) as usize);
        }
    });
}
