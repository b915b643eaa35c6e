//! Helpers of library functions: argument checks, conversions, errors.

use std::ops::RangeInclusive;
use std::time::Duration;

use num_traits::Signed;

use crate::diagnostics::Code;
use crate::value::{
    Array, Elems, Heap, Job, JobResult, MapValue, ObjectCell, StoreFailure, StringInterner, Type, Value,
    Waited, builtin, convert, inspect_short, memory, misfitting_part,
};

use super::offload::Rounds;
use super::{Call, Fail, Runtime};

impl<'a> Call<'a> {
    /// A run-time error whose message begins with the function's name: `arrays.pop() TEXT`.
    pub(super) fn wrong<T>(&self, code: Code, text: &str) -> Result<T, Fail> {
        Err(Fail::new(code, format!("{}.{}() {text}", self.module, self.name)))
    }

    /// The error of an index as second argument that something of this length does not have.
    pub(super) fn out_of_bounds<T>(&self, code: Code, length: usize) -> Result<T, Fail> {
        let index = self.args.get(1).map(inspect_short).unwrap_or_default();
        let help = format!("the index is {index}, the length {length}");
        self.wrong(code, "index out of bounds").map_err(|fail| fail.with_help(help))
    }

    /// Fails unless there are exactly `count` arguments; `names` lists them in the message
    /// (` (array, index)`).
    pub(super) fn exactly(&self, count: usize, names: &str) -> Result<(), Fail> {
        if self.args.len() == count {
            return Ok(());
        }
        let (s, gap) = (if count == 1 { "" } else { "s" }, if names.is_empty() { "" } else { " " });
        self.wrong(Code::E7001, &format!("takes exactly {count} argument{s}{gap}{names}"))
    }

    /// Fails unless the number of arguments lies in `range`; `text` is the message after the name.
    pub(super) fn count(&self, range: RangeInclusive<usize>, text: &str) -> Result<(), Fail> {
        if range.contains(&self.args.len()) { Ok(()) } else { self.wrong(Code::E7001, text) }
    }

    /// Fails if there are arguments.
    pub(super) fn none(&self) -> Result<(), Fail> {
        self.count(0..=0, "takes no arguments")
    }

    /// Fails with E7010 unless memory has room for a result of `count` parts of `size` bytes each.
    pub(super) fn room(&self, count: u64, size: u64, text: &str) -> Result<(), Fail> {
        if count <= MAX_SIZE && memory::has_room(count.saturating_mul(size)) {
            return Ok(());
        }
        self.wrong(Code::E7010, text)
    }

    /// The array at `index`; else E7002 with `text`.
    pub(super) fn array(&self, index: usize, text: &str) -> Result<&'a ObjectCell<Array>, Fail> {
        match self.args.get(index).and_then(Value::as_array) {
            Some(array) => Ok(array),
            None => self.wrong(Code::E7002, text),
        }
    }

    /// The map at `index`; else E7007 with `text`.
    pub(super) fn map(&self, index: usize, text: &str) -> Result<&'a ObjectCell<MapValue>, Fail> {
        match self.args.get(index).and_then(Value::as_map) {
            Some(map) => Ok(map),
            None => self.wrong(Code::E7007, text),
        }
    }

    /// The string at `index`; else E7003 with `text`.
    pub(super) fn text(&self, index: usize, text: &str) -> Result<&'a str, Fail> {
        match self.args.get(index).and_then(Value::as_str) {
            Some(found) => Ok(found),
            None => self.wrong(Code::E7003, text),
        }
    }

    /// The integer at `index`, limited to 64 bits; else E7004 with `text`.
    pub(super) fn index(&self, index: usize, text: &str) -> Result<i64, Fail> {
        match self.args.get(index).and_then(saturated) {
            Some(number) => Ok(number),
            None => self.wrong(Code::E7004, text),
        }
    }
}

/// An integer (no byte, no enum), limited to 64 bits.
pub(super) fn saturated(value: &Value) -> Option<i64> {
    match value {
        Value::Int(i) => Some(*i),
        Value::Ref(r) => match &**r {
            Heap::Big(b) if b.is_negative() => Some(i64::MIN),
            Heap::Big(_) => Some(i64::MAX),
            _ => None,
        },
        _ => None,
    }
}

/// `value` converted for a container with elements of type `ty`.
pub(super) fn stored(ty: &Type, value: &Value) -> Result<Value, Fail> {
    convert(ty, value.clone()).map_err(|failure| misfit(failure, ty, value))
}

/// The run-time error for a value that does not fit.
pub(super) fn misfit(failure: StoreFailure, ty: &Type, value: &Value) -> Fail {
    let code = match failure {
        StoreFailure::Negative => Code::E3020,
        StoreFailure::OutOfRange => Code::E3036,
        StoreFailure::Byte => Code::E3026,
        StoreFailure::WrongKind => Code::E3001,
        StoreFailure::Copy(ref error) => error.code(),
    };
    let (ty, value) = misfitting_part(ty, value);
    Fail::new(code, failure.message(&ty, &value))
}

/// The most precise type of a value.
pub(super) fn type_of(value: &Value) -> Type {
    match value {
        Value::Nil => Type::Any,
        Value::Bool(_) => Type::Bool,
        Value::Int(_) => Type::INT,
        Value::Float(_) => Type::FLOAT,
        Value::Char(_) => Type::Char,
        Value::Byte(_) => Type::Byte,
        Value::Ref(r) => match &**r {
            Heap::Str(_) => Type::Str,
            Heap::Big(_) => Type::INT,
            Heap::Array(a) => Type::Array(a.borrow().elem.clone(), None),
            Heap::Map(m) => {
                let m = m.borrow();
                Type::Map(m.key.clone(), m.value.clone())
            }
            Heap::Struct(s) => Type::Struct(s.def.clone()),
            Heap::Enum(e) => Type::Enum(e.def.clone()),
            Heap::Range(_) => Type::Range,
            Heap::Handle(h) => Type::Handle(h.kind),
            _ => Type::Any,
        },
    }
}

/// Element type for a new array: that of the static result, else `fallback`.
pub(super) fn element_type(result: &Type, fallback: impl FnOnce() -> Type) -> Type {
    match result.elem() {
        Some(elem) if !elem.is_any() => elem.clone(),
        _ => fallback(),
    }
}

/// Sleeps for `time`; interrupts are served meanwhile.
pub(super) fn sleep(runtime: &mut dyn Runtime, time: Duration) -> Result<Value, Fail> {
    let mut left = time;
    while let Some(rest) = runtime.host().sleep(left) {
        runtime.on_interrupt()?;
        left = rest;
    }
    Ok(Value::Nil)
}

/// Runs a job on the host and waits for its result; interrupts are served meanwhile. If the program
/// ends, the job is cancelled.
pub(super) fn work(runtime: &mut dyn Runtime, job: Job) -> Result<JobResult, Fail> {
    let number = match runtime.host().start(job) {
        Ok(number) => number,
        Err(refused) => return Ok(refused),
    };
    loop {
        match runtime.host().finish(number) {
            Waited::Done(result) => return Ok(result),
            Waited::Interrupted => {
                if let Err(halt) = runtime.on_interrupt() {
                    runtime.host().cancel(number);
                    return Err(halt);
                }
            }
        }
    }
}

/// `(value, nil)`
pub(super) fn good(value: impl Into<Value>) -> Result<Value, Fail> {
    Ok(Value::tuple([value.into(), Value::Nil]))
}

/// `(value, Error)`
pub(super) fn bad(value: impl Into<Value>, code: Code, message: &str) -> Result<Value, Fail> {
    Ok(Value::tuple([value.into(), builtin::error_value(message, code.as_str())]))
}

/// A new `[byte]`.
pub(super) fn byte_array(bytes: Vec<u8>) -> Value {
    Value::array_of(&Type::Byte, Elems::Bytes(bytes))
}

/// A new `[string]`.
pub(super) fn string_array(texts: impl IntoIterator<Item = impl Into<compact_str::CompactString>>) -> Value {
    Value::array_of(&Type::Str, Elems::Values(texts.into_iter().map(Value::str).collect()))
}

/// Memory of a short string in an array in bytes, allocator overhead included.
pub(super) const STRING: u64 = (size_of::<Value>() + size_of::<Heap>() + 24) as u64;

/// Largest size of an array element in bytes.
pub(super) const PART: u64 = size_of::<Value>() as u64;

/// A new `[string]` of pieces whose number is not known before; E7010 if memory has no room.
pub(super) fn gather<'a>(call: &mut Call, pieces: impl Iterator<Item = &'a str>) -> Result<Value, Fail> {
    let mut rounds = Rounds::new(call.runtime);
    let (mut values, mut recent) = (Vec::new(), StringInterner::default());
    for piece in pieces {
        rounds.next(call.runtime)?;
        if values.len() == values.capacity() {
            // Room for doubling the array.
            call.room(values.len() as u64, STRING, TOO_LARGE)?;
            values.reserve(values.len().max(4));
        }
        values.push(recent.string(piece));
    }
    Ok(Value::array_of(&Type::Str, Elems::Values(values)))
}

/// The lines of a text without their ends; no empty one after the last end.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    // The last line may have no end; a `\r` at its end then belongs to the line.
    text.split_inclusive('\n').map(|line| match line.strip_suffix('\n') {
        Some(line) => line.strip_suffix('\r').unwrap_or(line),
        None => line,
    })
}

/// A uniform number below `limit` (0 if that is 0).
pub(super) fn below(runtime: &mut dyn Runtime, limit: u64) -> u64 {
    let host = runtime.host();
    loop {
        let wide = u128::from(host.random()) * u128::from(limit);
        // Reject the few draws that would favour low numbers.
        if (wide as u64) >= limit.wrapping_neg().checked_rem(limit).unwrap_or(0) {
            return (wide >> 64) as u64;
        }
    }
}

/// A uniform float in 0 ≤ x < 1.
pub(super) fn unit_float(runtime: &mut dyn Runtime) -> f64 {
    (runtime.host().random() >> 11) as f64 / (1u64 << 53) as f64
}

/// End of the message of E7010.
pub(super) const TOO_LARGE: &str = "result is too large";

/// Largest number of elements or bytes a function makes.
pub(super) const MAX_SIZE: u64 = (1 << 31) - 1;
