//! Sorting, minimum and maximum, shuffling.

use std::cmp::{Ordering, Reverse};

use crate::diagnostics::Code;
use crate::library::args::{TOO_LARGE, below};
use crate::library::offload::{Parts, Rounds, elements};
use crate::library::{Call, Fail, Runtime};
use crate::value::{Elems, Part, Value, compare_order, inspect};

use super::{AN_ARRAY, edit, editable};

/// Memory for sorting a string in bytes, half of it for merging.
const KEYED: u64 = 2 * size_of::<(u64, Value)>() as u64;

pub fn sort(call: &mut Call) -> Result<Value, Fail> {
    sort_in_place(call, false)
}

pub fn sort_desc(call: &mut Call) -> Result<Value, Fail> {
    sort_in_place(call, true)
}

fn sort_in_place(call: &mut Call, descending: bool) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let cell = editable(call, AN_ARRAY)?;
    // Elements may refer back to this array when they are formatted, so they are sorted outside of it.
    let (data, rounds) = elements(call.runtime, cell);
    let mut data = match data {
        Parts::Copied(data) => data,
        Parts::Lent(array) => {
            drop(array);
            std::mem::replace(&mut *edit(call, cell, Part::All)?, Elems::Values(Vec::new()))
        }
    };
    let mut sorting = Sorting { call, rounds, halted: None, descending };
    sorting.elems(&mut data)?;
    let halted = sorting.halted;
    *edit(call, cell, Part::All)? = data;
    halted.map_or(Ok(Value::Nil), Err)
}

/// A number by which floats can be sorted: by value, NaN last, both zeros equal.
pub fn float_rank(x: f64) -> i64 {
    if x.is_nan() {
        return i64::MAX;
    }
    let bits = (if x == 0.0 { 0.0 } else { x }).to_bits() as i64;
    // The larger the bits of a negative float, the smaller it is.
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// The rank of a float, or a number that is smaller the larger the rank is.
fn directed_rank(x: f64, descending: bool) -> i64 {
    if descending { !float_rank(x) } else { float_rank(x) }
}

/// The state of a sort.
struct Sorting<'a, 'b> {
    call: &'a mut Call<'b>,
    rounds: Rounds,
    /// Set when the program is to end; the sort goes on, without serving interrupts.
    halted: Option<Fail>,
    descending: bool,
}

impl Sorting<'_, '_> {
    /// To be called on every comparison.
    #[inline]
    fn round(&mut self) {
        if self.halted.is_none()
            && let Err(halt) = self.rounds.next(self.call.runtime)
        {
            self.halted = Some(halt);
        }
    }

    #[inline]
    fn directed(&mut self, order: Ordering) -> Ordering {
        self.round();
        if self.descending { order.reverse() } else { order }
    }

    fn elems(&mut self, data: &mut Elems) -> Result<(), Fail> {
        // Comparing numbers is cheap.
        let steps = data.len() as u64 * 16;
        let descending = self.descending;
        data.settle();
        match data {
            Elems::Ints(v) | Elems::Scalars(_, v) => {
                self.call.offload(steps, || v.sort_unstable())?;
                if descending {
                    v.reverse();
                }
            }
            Elems::Enums(all) => {
                let v = &mut all.0;
                self.call.offload(steps * 4, || v.sort_by_cached_key(i64::to_string))?;
                if descending {
                    v.reverse();
                }
            }
            Elems::Bytes(v) => {
                sort_bytes(v);
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
            Elems::Floats(v) => {
                self.call.offload(steps, || v.sort_by_key(|x| directed_rank(*x, descending)))?;
            }
            Elems::Singles(v) => {
                self.call.offload(steps, || v.sort_by_key(|x| directed_rank(f64::from(*x), descending)))?;
            }
            Elems::Values(v) => self.values(v)?,
            Elems::Queue(_) => unreachable!("settled above"),
        }
        Ok(())
    }

    fn values(&mut self, values: &mut [Value]) -> Result<(), Fail> {
        if values.iter().all(|v| v.as_str().is_some()) {
            return self.strings(values);
        }
        if values.iter().all(|v| v.as_bigint().is_some()) {
            #[allow(clippy::disallowed_methods, reason = "integers are ordered totally")]
            values.sort_by(|a, b| self.directed(compare_order(a, b)));
        } else if values.iter().all(|v| matches!(v, Value::Float(_))) {
            values.sort_by_cached_key(|value| {
                self.round();
                directed_rank(if let Value::Float(x) = value { *x } else { 0.0 }, self.descending)
            });
        } else {
            let descending = self.descending;
            let mut shown = |value: &Value| {
                self.round();
                inspect(value)
            };
            if descending {
                values.sort_by_cached_key(|v| Reverse(shown(v)));
            } else {
                values.sort_by_cached_key(shown);
            }
        }
        Ok(())
    }

    /// Sorts strings together with their first bytes, so that most comparisons avoid a memory access.
    fn strings(&mut self, values: &mut [Value]) -> Result<(), Fail> {
        self.call.room(values.len() as u64, KEYED, TOO_LARGE)?;
        let beginning = |value: &Value| {
            let mut first = [0; 8];
            first.iter_mut().zip(text(value).bytes()).for_each(|(to, byte)| *to = byte);
            u64::from_be_bytes(first)
        };
        let mut keyed: Vec<(u64, Value)> =
            values.iter_mut().map(|v| (beginning(v), std::mem::take(v))).collect();
        #[allow(clippy::disallowed_methods, reason = "bytes, and texts, are ordered totally")]
        keyed.sort_by(|(x, a), (y, b)| {
            let order = x.cmp(y).then_with(|| text(a).cmp(text(b)));
            self.directed(order)
        });
        values.iter_mut().zip(keyed).for_each(|(place, (_, value))| *place = value);
        Ok(())
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Sorts by decimal text.
fn sort_bytes(bytes: &mut [u8]) {
    let mut ranked: Vec<u8> = (0..=255).collect();
    ranked.sort_by_cached_key(u8::to_string);
    let mut rank = [0u8; 256];
    for (place, byte) in ranked.iter().zip(0..=255u8).map(|(b, i)| (i, *b)) {
        if let Some(slot) = rank.get_mut(usize::from(byte)) {
            *slot = place;
        }
    }
    bytes.sort_unstable_by_key(|b| rank.get(usize::from(*b)).copied().unwrap_or(0));
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
        return call.wrong(Code::E9001Empty, "requires non-empty array");
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
    // While the program is paused, its array is as it was.
    let mut data = edit(call, cell, Part::All)?.clone();
    shuffle_elems(&mut data, call.runtime)?;
    *edit(call, cell, Part::All)? = data;
    Ok(Value::Nil)
}

/// Puts elements into a uniformly random order. Interrupts are handled meanwhile.
///
/// # Errors
/// When the program is to end.
pub fn shuffle_elems(data: &mut Elems, runtime: &mut dyn Runtime) -> Result<(), Fail> {
    let mut rounds = Rounds::new(runtime);
    with_elems!(data, v => {
        for i in (1..v.len()).rev() {
            rounds.next(runtime)?;
            v.swap(i, below(runtime, i as u64 + 1) as usize);
        }
    });
    Ok(())
}
