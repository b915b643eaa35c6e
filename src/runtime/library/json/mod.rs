//! `@json`: values as JSON text and back.

mod decode;
mod encode;
mod reader;

use crate::diagnostics::Code;
use crate::value::{Heap, Type, Value};

use super::args::{STRING, TOO_LARGE, bad, good};
use super::offload::poll_interrupt;
use super::row::function;
use super::{Call, Fail, Module};

use reader::{Syntax, VALUES, Watch};

pub(super) use encode::{EncodeError, encode};

pub static MODULE: Module = Module {
    name: "json",
    doc: "Converting values to JSON and back.",
    reserved_names: &[],
    outside: false,
    rows: &[
        function!("encode" "(value any) -> (string, Error)", "The value as compact JSON.";
        "json.encode({1, 2})" => "\"[1,2]\", nil";
        |call| {
            call.exactly(1, "")?;
            encoded(call, None)
        }),
        function!("pretty" "(value any, indent string) -> (string, Error)",
        "The value as JSON on several lines, with indentation.";
        { "temp s, e = json.pretty({1}, \"  \")\nprintln(s)" => "[\n  1\n]\n" };
        |call| {
            call.exactly(2, "")?;
            let indent = call.text(1, "requires a string as second argument")?;
            encoded(call, Some(indent))
        }),
        function!("decode" "(text string, ty type) -> (type, Error)",
            "The JSON object as a struct of this type; members that do not fit become zero values.";
            { "temp e, failure = json.decode(\"{\\\"message\\\": \\\"hi\\\"}\", Error)\nprintln(e.message)" => "hi\n" };
            decode_struct),
        function!("is_valid" "(text string) -> bool", "Whether the text is JSON.";
        "json.is_valid(\"[1, 2]\"), json.is_valid(\"[1,\")" => "true false";
        |call| {
            call.exactly(1, "")?;
            let text = call.text(0, "requires a string argument")?;
            Ok(Value::Bool(call.offload(text.len() as u64 * 2, || reader::check(text).is_ok())?))
        }),
    ],
};

fn encoded(call: &mut Call, indent: Option<&str>) -> Result<Value, Fail> {
    let value = call.arg(0);
    match encode(call.runtime, &value, indent)? {
        Ok(text) => good(text),
        Err(EncodeError { code: Code::E5018, text }) => call.fail(Code::E5018, text),
        Err(EncodeError { code, text }) => bad(Value::Nil, code, &text),
    }
}

/// Runs a decoder; memory is checked and interrupts are served between values.
fn read(
    call: &mut Call,
    decode: impl FnOnce(Watch) -> Result<Value, Syntax>,
) -> Result<Result<Value, Syntax>, Fail> {
    let mut made = 0;
    let mut failed = None;
    let mut watch = || {
        made += u64::from(VALUES);
        // Room for doubling an array or map.
        let room = if made.is_power_of_two() { made.saturating_mul(STRING) } else { 1 << 24 };
        let room = call.room(1, room, TOO_LARGE);
        failed = room.and_then(|()| poll_interrupt(call.runtime)).err();
        failed.is_none()
    };
    let decoded = decode(&mut watch);
    failed.map_or(Ok(decoded), Err)
}

/// Decodes the text of a file without an expected type.
pub(super) fn dynamic(call: &mut Call, text: &str) -> Result<Result<Value, Syntax>, Fail> {
    read(call, |watch| decode::dynamic(text, watch))
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
    match read(call, |watch| decode::decode(text, &def, watch))? {
        Ok(value) => good(value),
        Err(detail) => bad(Value::Nil, Code::E13001, &format!("invalid JSON syntax: {detail}")),
    }
}
