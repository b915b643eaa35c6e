//! `@bytes`: arrays of bytes. Nothing is changed in place.

mod change;
mod convert;

use bstr::ByteSlice;

use crate::diagnostics::Code;
use crate::value::{Elems, Value};

use super::args::byte_array;
use super::{Call, Fail, Module, Row};

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

/// The module.
pub static MODULE: Module = Module {
    name: "bytes",
    doc: "Arrays of bytes; integers from 0 to 255 can be used as bytes.",
    reserved_names: &[],
    outside: false,
    rows: &[
        Row::function(
            "from_array",
            "(a [any]) -> [byte]",
            "The numbers of an array as bytes.",
            "println(bytes.from_array({104, 105}))",
            "{104, 105}\n",
            convert::from_array,
        ),
        Row::function(
            "from_string",
            "(s string) -> [byte]",
            "The bytes of a text.",
            "println(bytes.from_string(\"hi\"))",
            "{104, 105}\n",
            convert::from_string,
        ),
        Row::function(
            "from_hex",
            "(s string) -> ([byte], Error)",
            "The bytes written as hexadecimal digits.",
            "println(bytes.from_hex(\"6869\"))",
            "{104, 105}, nil\n",
            convert::from_hex,
        ),
        Row::function(
            "from_base64",
            "(s string) -> ([byte], Error)",
            "The bytes that a Base64 text encodes.",
            "println(bytes.from_base64(\"aGk=\"))",
            "{104, 105}, nil\n",
            convert::from_base64,
        ),
        Row::function(
            "to_string",
            "(b [any]) -> string",
            "The text of the bytes.",
            "println(bytes.to_string(bytes.from_array({104, 105})))",
            "hi\n",
            convert::to_string,
        ),
        Row::function(
            "to_array",
            "(b [any]) -> [int]",
            "The bytes as integers.",
            "println(bytes.to_array(bytes.from_string(\"abc\")))",
            "{97, 98, 99}\n",
            convert::to_array,
        ),
        Row::function(
            "to_hex",
            "(b [any]) -> string",
            "The bytes as hexadecimal digits.",
            "println(bytes.to_hex(bytes.from_string(\"abc\")))",
            "616263\n",
            convert::to_hex,
        ),
        Row::function(
            "to_hex_upper",
            "(b [any]) -> string",
            "The bytes as hexadecimal digits in upper case.",
            "println(bytes.to_hex_upper({255}))",
            "FF\n",
            convert::to_hex_upper,
        ),
        Row::function(
            "to_base64",
            "(b [any]) -> string",
            "The bytes as Base64 text.",
            "println(bytes.to_base64(bytes.from_string(\"abc\")))",
            "YWJj\n",
            convert::to_base64,
        ),
        Row::function(
            "slice",
            "(b [any], start int, end int?) -> [byte]",
            "The bytes from start up to, not including, end; negative bounds count from the end.",
            "println(bytes.slice(bytes.from_string(\"abc\"), 1, 3))",
            "{98, 99}\n",
            slice,
        ),
        Row::function(
            "concat",
            "(a [any], b [any], more [any]...) -> [byte]",
            "The bytes of both arrays.",
            "println(bytes.concat({1}, {2, 3}))",
            "{1, 2, 3}\n",
            concat,
        ),
        Row::function(
            "join",
            "(parts [any], separator [any]) -> [byte]",
            "The bytes of all parts with the separator between them.",
            "println(bytes.join({{1}, {2}}, {0}))",
            "{1, 0, 2}\n",
            join,
        ),
        Row::function(
            "split",
            "(b [any], separator [any]) -> [[byte]]",
            "The parts between the separators.",
            "println(bytes.split({1, 0, 2}, {0}))",
            "{{1}, {2}}\n",
            split,
        ),
        Row::function(
            "contains",
            "(b [any], pattern [any]) -> bool",
            "Whether the pattern occurs.",
            "println(bytes.contains({1, 2, 3}, {2, 3}))",
            "true\n",
            |call| search(call, |b, p| Value::Bool(b.find(p).is_some())),
        ),
        Row::function(
            "index",
            "(b [any], pattern [any]) -> int",
            "Position of the first occurrence of the pattern; -1 if there is none.",
            "println(bytes.index({1, 2, 3}, {2}))",
            "1\n",
            |call| search(call, |b, p| place(b.find(p))),
        ),
        Row::function(
            "last_index",
            "(b [any], pattern [any]) -> int",
            "Position of the last occurrence of the pattern; -1 if there is none.",
            "println(bytes.last_index({2, 1, 2}, {2}))",
            "2\n",
            |call| search(call, |b, p| place(b.rfind(p))),
        ),
        Row::function(
            "count",
            "(b [any], pattern [any]) -> int",
            "The number of times the pattern occurs, without overlaps.",
            "println(bytes.count({2, 1, 2}, {2}))",
            "2\n",
            count,
        ),
        Row::function(
            "compare",
            "(a [any], b [any]) -> int",
            "-1, 0 or 1: whether a comes before b, is the same, or comes after it.",
            "println(bytes.compare({1}, {2}))",
            "-1\n",
            compare,
        ),
        Row::function(
            "equals",
            "(a [any], b [any]) -> bool",
            "Whether both contain the same bytes.",
            "println(bytes.equals({1}, {1}))",
            "true\n",
            |call| pair(call, "(bytes1, bytes2)", |a, b| Value::Bool(a == b)),
        ),
        Row::function(
            "is_empty",
            "(b [any]) -> bool",
            "Whether the array is empty.",
            "println(bytes.is_empty({1}))",
            "false\n",
            is_empty,
        ),
        Row::function(
            "starts_with",
            "(b [any], prefix [any]) -> bool",
            "Whether the bytes begin with the prefix.",
            "println(bytes.starts_with({1, 2}, {1}))",
            "true\n",
            |call| pair(call, "(bytes, prefix)", |b, p| Value::Bool(b.starts_with(p))),
        ),
        Row::function(
            "ends_with",
            "(b [any], suffix [any]) -> bool",
            "Whether the bytes end with the suffix.",
            "println(bytes.ends_with({1, 2}, {2}))",
            "true\n",
            |call| pair(call, "(bytes, suffix)", |b, p| Value::Bool(b.ends_with(p))),
        ),
        Row::function(
            "reverse",
            "(b [any]) -> [byte]",
            "The bytes in the opposite order.",
            "println(bytes.reverse({1, 2}))",
            "{2, 1}\n",
            |call| changed(call, |b| b.reverse()),
        ),
        Row::function(
            "repeat",
            "(b [any], count int) -> [byte]",
            "The bytes repeated that many times.",
            "println(bytes.repeat({1, 2}, 2))",
            "{1, 2, 1, 2}\n",
            repeat,
        ),
        Row::function(
            "replace",
            "(b [any], old [any], new [any]) -> [byte]",
            "The bytes with every occurrence of old replaced by new.",
            "println(bytes.replace({1, 2, 1}, {1}, {9}))",
            "{9, 2, 9}\n",
            replace,
        ),
        Row::function(
            "replace_n",
            "(b [any], old [any], new [any], n int) -> [byte]",
            "The bytes with the first n occurrences of old replaced by new; if n is negative, all of them.",
            "println(bytes.replace_n({1, 2, 1}, {1}, {9}, 1))",
            "{9, 2, 1}\n",
            replace_n,
        ),
        Row::function(
            "trim",
            "(b [any], cutset [any]) -> [byte]",
            "The bytes without those of the set on both sides.",
            "println(bytes.trim({0, 1, 0}, {0}))",
            "{1}\n",
            |call| trim(call, true, true),
        ),
        Row::function(
            "trim_left",
            "(b [any], cutset [any]) -> [byte]",
            "The bytes without those of the set at the beginning.",
            "println(bytes.trim_left({0, 1, 0}, {0}))",
            "{1, 0}\n",
            |call| trim(call, true, false),
        ),
        Row::function(
            "trim_right",
            "(b [any], cutset [any]) -> [byte]",
            "The bytes without those of the set at the end.",
            "println(bytes.trim_right({0, 1, 0}, {0}))",
            "{0, 1}\n",
            |call| trim(call, false, true),
        ),
        Row::function(
            "pad_left",
            "(b [any], length int, pad int) -> [byte]",
            "The bytes, padded at the beginning to the length.",
            "println(bytes.pad_left({1}, 3, 0))",
            "{0, 0, 1}\n",
            |call| pad(call, true),
        ),
        Row::function(
            "pad_right",
            "(b [any], length int, pad int) -> [byte]",
            "The bytes, padded at the end to the length.",
            "println(bytes.pad_right({1}, 3, 0))",
            "{1, 0, 0}\n",
            |call| pad(call, false),
        ),
        Row::function(
            "and",
            "(a [any], b [any]) -> ([byte], Error)",
            "The bits of both, combined with and.",
            "println(bytes.and({3}, {5}))",
            "{1}, nil\n",
            |call| bits(call, |a, b| a & b),
        )
        .unknown(),
        Row::function(
            "or",
            "(a [any], b [any]) -> ([byte], Error)",
            "The bits of both, combined with or.",
            "println(bytes.or({3}, {5}))",
            "{7}, nil\n",
            |call| bits(call, |a, b| a | b),
        )
        .unknown(),
        Row::function(
            "xor",
            "(a [any], b [any]) -> ([byte], Error)",
            "The bits of both, combined with xor.",
            "println(bytes.xor({3}, {5}))",
            "{6}, nil\n",
            |call| bits(call, |a, b| a ^ b),
        )
        .unknown(),
        Row::function(
            "not",
            "(b [any]) -> [byte]",
            "The bytes with every bit inverted.",
            "println(bytes.not({1}))",
            "{254}\n",
            |call| {
                call.exactly(1, "(bytes)")?;
                Ok(byte_array(bytes(call, 0)?.iter().map(|b| !b).collect()))
            },
        ),
        Row::function(
            "fill",
            "(b [any], value int) -> [byte]",
            "The same number of bytes, all with this value.",
            "println(bytes.fill({1, 2}, 7))",
            "{7, 7}\n",
            fill,
        ),
        Row::function(
            "copy",
            "(b [any]) -> [byte]",
            "The same bytes in a new array.",
            "println(bytes.copy({1, 2}))",
            "{1, 2}\n",
            |call| changed(call, |_| {}),
        ),
        Row::function(
            "zero",
            "(b [any]) -> [byte]",
            "The same number of bytes, all 0.",
            "println(bytes.zero({1, 2}))",
            "{0, 0}\n",
            |call| changed(call, |b| b.fill(0)),
        ),
    ],
};
