//! `@bytes`: arrays of bytes. Nothing is changed in place.

mod change;
mod convert;

use bstr::ByteSlice;

use crate::diagnostics::Code;
use crate::value::{Elems, Value};

use super::args::byte_array;
use super::row::function;
use super::{Call, Fail, Module};

use change::*;

const AN_ARGUMENT: &str = "requires a byte array argument";
const FIRST: &str = "requires a byte array as first argument";

/// The bytes of the array at `index`, whose elements are bytes or integers from 0 to 255.
fn bytes_or(call: &Call, index: usize, text: &str) -> Result<Vec<u8>, Fail> {
    let array = call.array(index, text)?;
    bytes_of(call, &array.borrow().data)
}

fn bytes_of(call: &Call, data: &Elems) -> Result<Vec<u8>, Fail> {
    call.room(data.len() as u64, 2, "size too large")?;
    if let Elems::Bytes(bytes) = data {
        return Ok(bytes.clone());
    }
    let mut bytes = Vec::with_capacity(data.len());
    for (i, value) in data.iter().enumerate() {
        match (&value, value.as_bigint()) {
            (Value::Byte(b), _) => bytes.push(*b),
            (_, Some(number)) => match u8::try_from(&number) {
                Ok(b) => bytes.push(b),
                Err(_) => {
                    let text = format!("byte value at index {i} out of range: {number} (must be 0-255)");
                    return call.fail(Code::E7005, text);
                }
            },
            _ => return call.wrong(Code::E7002, "requires a byte array"),
        }
    }
    Ok(bytes)
}

/// The bytes of the array at `index`.
fn bytes(call: &Call, index: usize) -> Result<Vec<u8>, Fail> {
    bytes_or(call, index, AN_ARGUMENT)
}

pub static MODULE: Module = Module {
    name: "bytes",
    doc: "Arrays of bytes; integers from 0 to 255 can be used as bytes.",
    reserved_names: &[],
    outside: false,
    rows: &[
        function!("from_array" "(a [any]) -> [byte]", "The numbers of an array as bytes.";
            "bytes.from_array({104, 105})" => "{104, 105}"; convert::from_array),
        function!("from_string" "(s string) -> [byte]", "The bytes of a text.";
            "bytes.from_string(\"hi\")" => "{104, 105}"; convert::from_string),
        function!("from_hex" "(s string) -> ([byte], Error)", "The bytes written as hexadecimal digits.";
            "bytes.from_hex(\"6869\")" => "{104, 105}, nil"; convert::from_hex),
        function!("from_base64" "(s string) -> ([byte], Error)", "The bytes that a Base64 text encodes.";
            "bytes.from_base64(\"aGk=\")" => "{104, 105}, nil"; convert::from_base64),
        function!("to_string" "(b [any]) -> string", "The text of the bytes.";
            "bytes.to_string(bytes.from_array({104, 105}))" => "hi"; convert::to_string),
        function!("to_array" "(b [any]) -> [int]", "The bytes as integers.";
            "bytes.to_array(bytes.from_string(\"abc\"))" => "{97, 98, 99}"; convert::to_array),
        function!("to_hex" "(b [any]) -> string", "The bytes as hexadecimal digits.";
            "bytes.to_hex(bytes.from_string(\"abc\"))" => "616263"; convert::to_hex),
        function!("to_hex_upper" "(b [any]) -> string", "The bytes as hexadecimal digits in upper case.";
            "bytes.to_hex_upper({255})" => "FF"; convert::to_hex_upper),
        function!("to_base64" "(b [any]) -> string", "The bytes as Base64 text.";
            "bytes.to_base64(bytes.from_string(\"abc\"))" => "YWJj"; convert::to_base64),
        function!("slice" "(b [any], start int, end int?) -> [byte]",
            "The bytes from start up to, not including, end; negative bounds count from the end.";
            "bytes.slice(bytes.from_string(\"abc\"), 1, 3)" => "{98, 99}"; slice),
        function!("concat" "(a [any], b [any], more [any]...) -> [byte]", "The bytes of both arrays.";
            "bytes.concat({1}, {2, 3})" => "{1, 2, 3}"; concat),
        function!("join" "(parts [any], separator [any]) -> [byte]",
            "The bytes of all parts with the separator between them.";
            "bytes.join({{1}, {2}}, {0})" => "{1, 0, 2}"; join),
        function!("split" "(b [any], separator [any]) -> [[byte]]", "The parts between the separators.";
            "bytes.split({1, 0, 2}, {0})" => "{{1}, {2}}"; split),
        function!("contains" "(b [any], pattern [any]) -> bool", "Whether the pattern occurs.";
            "bytes.contains({1, 2, 3}, {2, 3})" => "true";
            |call| search(call, |b, p| Value::Bool(b.find(p).is_some()))),
        function!("index" "(b [any], pattern [any]) -> int",
            "Position of the first occurrence of the pattern; -1 if there is none.";
            "bytes.index({1, 2, 3}, {2})" => "1"; |call| search(call, |b, p| place(b.find(p)))),
        function!("last_index" "(b [any], pattern [any]) -> int",
            "Position of the last occurrence of the pattern; -1 if there is none.";
            "bytes.last_index({2, 1, 2}, {2})" => "2"; |call| search(call, |b, p| place(b.rfind(p)))),
        function!("count" "(b [any], pattern [any]) -> int",
            "The number of times the pattern occurs, without overlaps.";
            "bytes.count({2, 1, 2}, {2})" => "2"; count),
        function!("compare" "(a [any], b [any]) -> int",
            "-1, 0 or 1: whether a comes before b, is the same, or comes after it.";
            "bytes.compare({1}, {2})" => "-1"; compare),
        function!("equals" "(a [any], b [any]) -> bool", "Whether both contain the same bytes.";
            "bytes.equals({1}, {1})" => "true";
            |call| pair(call, "(bytes1, bytes2)", |a, b| Value::Bool(a == b))),
        function!("is_empty" "(b [any]) -> bool", "Whether the array is empty.";
            "bytes.is_empty({1})" => "false"; is_empty),
        function!("starts_with" "(b [any], prefix [any]) -> bool", "Whether the bytes begin with the prefix.";
            "bytes.starts_with({1, 2}, {1})" => "true";
            |call| pair(call, "(bytes, prefix)", |b, p| Value::Bool(b.starts_with(p)))),
        function!("ends_with" "(b [any], suffix [any]) -> bool", "Whether the bytes end with the suffix.";
            "bytes.ends_with({1, 2}, {2})" => "true";
            |call| pair(call, "(bytes, suffix)", |b, p| Value::Bool(b.ends_with(p)))),
        function!("reverse" "(b [any]) -> [byte]", "The bytes in the opposite order.";
            "bytes.reverse({1, 2})" => "{2, 1}"; |call| changed(call, |b| b.reverse())),
        function!("repeat" "(b [any], count int) -> [byte]", "The bytes repeated that many times.";
            "bytes.repeat({1, 2}, 2)" => "{1, 2, 1, 2}"; repeat),
        function!("replace" "(b [any], old [any], new [any]) -> [byte]",
            "The bytes with every occurrence of old replaced by new.";
            "bytes.replace({1, 2, 1}, {1}, {9})" => "{9, 2, 9}"; replace),
        function!("replace_n" "(b [any], old [any], new [any], n int) -> [byte]",
            "The bytes with the first n occurrences of old replaced by new; if n is negative, all of them.";
            "bytes.replace_n({1, 2, 1}, {1}, {9}, 1)" => "{9, 2, 1}"; replace_n),
        function!("trim" "(b [any], cutset [any]) -> [byte]",
            "The bytes without those of the set on both sides.";
            "bytes.trim({0, 1, 0}, {0})" => "{1}"; |call| trim(call, true, true)),
        function!("trim_left" "(b [any], cutset [any]) -> [byte]",
            "The bytes without those of the set at the beginning.";
            "bytes.trim_left({0, 1, 0}, {0})" => "{1, 0}"; |call| trim(call, true, false)),
        function!("trim_right" "(b [any], cutset [any]) -> [byte]",
            "The bytes without those of the set at the end.";
            "bytes.trim_right({0, 1, 0}, {0})" => "{0, 1}"; |call| trim(call, false, true)),
        function!("pad_left" "(b [any], length int, pad int) -> [byte]",
            "The bytes, padded at the beginning to the length.";
            "bytes.pad_left({1}, 3, 0)" => "{0, 0, 1}"; |call| pad(call, true)),
        function!("pad_right" "(b [any], length int, pad int) -> [byte]",
            "The bytes, padded at the end to the length.";
            "bytes.pad_right({1}, 3, 0)" => "{1, 0, 0}"; |call| pad(call, false)),
        function!("and" "(a [any], b [any]) -> ([byte], Error)", "The bits of both, combined with and.";
            "bytes.and({3}, {5})" => "{1}, nil"; |call| bits(call, |a, b| a & b), unknown),
        function!("or" "(a [any], b [any]) -> ([byte], Error)", "The bits of both, combined with or.";
            "bytes.or({3}, {5})" => "{7}, nil"; |call| bits(call, |a, b| a | b), unknown),
        function!("xor" "(a [any], b [any]) -> ([byte], Error)", "The bits of both, combined with xor.";
            "bytes.xor({3}, {5})" => "{6}, nil"; |call| bits(call, |a, b| a ^ b), unknown),
        function!("not" "(b [any]) -> [byte]", "The bytes with every bit inverted.";
        "bytes.not({1})" => "{254}";
        |call| {
            call.exactly(1, "(bytes)")?;
            Ok(byte_array(bytes(call, 0)?.iter().map(|b| !b).collect()))
        }),
        function!("fill" "(b [any], value int) -> [byte]", "The same number of bytes, all with this value.";
            "bytes.fill({1, 2}, 7)" => "{7, 7}"; fill),
        function!("copy" "(b [any]) -> [byte]", "The same bytes in a new array.";
            "bytes.copy({1, 2})" => "{1, 2}"; |call| changed(call, |_| {})),
        function!("zero" "(b [any]) -> [byte]", "The same number of bytes, all 0.";
            "bytes.zero({1, 2})" => "{0, 0}"; |call| changed(call, |b| b.fill(0))),
    ],
};
