//! `@json`: values as JSON text and back.

mod decode;
mod encode;
mod reader;

use crate::diagnostics::Code;
use crate::value::{Heap, Type, Value};

use super::args::{bad, good};
use super::{Call, Fail, Module, Row};

pub(super) use decode::dynamic;
pub(super) use encode::{Problem, encode};

/// The module.
pub static MODULE: Module = Module {
    name: "json",
    doc: "Values as JSON text and back.",
    rows: &[
        Row::function(
            "encode",
            "(value any) -> (string, Error)",
            "The value as compact JSON.",
            "println(json.encode({1, 2}))",
            "\"[1,2]\", nil\n",
            |call| {
                call.exactly(1, "")?;
                encoded(call, None)
            },
        ),
        Row::function(
            "pretty",
            "(value any, indent string) -> (string, Error)",
            "The value as JSON on several lines.",
            "temp s, e = json.pretty({1}, \"  \")\nprintln(s)",
            "[\n  1\n]\n",
            |call| {
                call.exactly(2, "")?;
                let indent = call.text(1, "requires a string as second argument")?;
                encoded(call, Some(indent))
            },
        ),
        Row::function(
            "decode",
            "(text string, ty type) -> (type, Error)",
            "The struct that a JSON object shows.",
            "temp e, failure = json.decode(\"{\\\"message\\\": \\\"hi\\\"}\", Error)\nprintln(e.message)",
            "hi\n",
            decode_struct,
        ),
        Row::function(
            "is_valid",
            "(text string) -> bool",
            "Whether the text is JSON.",
            "println(json.is_valid(\"[1, 2]\"), json.is_valid(\"[1,\"))",
            "true false\n",
            |call| {
                call.exactly(1, "")?;
                let text = call.text(0, "requires a string argument")?;
                Ok(Value::Bool(reader::check(text).is_ok()))
            },
        ),
    ],
};

fn encoded(call: &Call, indent: Option<&str>) -> Result<Value, Fail> {
    match encode(&call.arg(0), indent) {
        Ok(text) => good(text),
        Err(Problem { code: Code::E5018, text }) => call.fail(Code::E5018, text),
        Err(Problem { code, text }) => bad(Value::Nil, code, &text),
    }
}

fn decode_struct(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let text = call.text(0, "requires a string as first argument")?;
    let ty = call.args.get(1).and_then(Value::as_ref).and_then(|r| match &**r {
        Heap::Type(Type::Struct(def)) => Some(def.clone()),
        _ => None,
    });
    let Some(def) = ty else {
        return call.wrong(Code::E7003, "second argument must be a struct type");
    };
    match decode::decode(text, &def) {
        Ok(value) => good(value),
        Err(detail) => bad(Value::Nil, Code::E13001, &format!("invalid JSON syntax: {detail}")),
    }
}
