//! `@uuid`: random universally unique identifiers.

use crate::diagnostics::Code;
use crate::value::{HostAnswer, HostRequest, Value};

use super::row::function;
use super::{Call, Fail, Module, Row};

pub static MODULE: Module = Module {
    name: "uuid",
    doc: "Identifiers that are practically unique.",
    reserved_names: &[],
    outside: false,
    rows: &[
        function!("create" "() -> string", "A new random identifier.";
            "len(uuid.create())" => "36"; |call| Ok(Value::str(create(call)?.hyphenated().to_string()))),
        function!("create_compact" "() -> string", "A new random identifier without hyphens.";
            "len(uuid.create_compact())" => "32"; |call| Ok(Value::str(create(call)?.simple().to_string()))),
        function!("is_valid" "(s string) -> bool", "Whether the text has the form of an identifier.";
            "uuid.is_valid(uuid.NIL)" => "true"; is_valid),
        Row::constant(
            "NIL",
            "() -> string",
            "The identifier of zeros.",
            "println(uuid.NIL)",
            "00000000-0000-0000-0000-000000000000\n",
            |_| Ok(Value::str(uuid::Uuid::nil().hyphenated().to_string())),
        )
        .reserved(),
    ],
};

fn create(call: &mut Call) -> Result<uuid::Uuid, Fail> {
    call.none()?;
    let reason = match call.runtime.host().request(HostRequest::RandomBytes(16)) {
        Ok(HostAnswer::Bytes(bytes)) => match <[u8; 16]>::try_from(bytes) {
            Ok(bytes) => return Ok(uuid::Builder::from_random_bytes(bytes).into_uuid()),
            Err(_) => "no random data".to_string(),
        },
        Ok(_) => "no random data".to_string(),
        Err(error) => error.reason,
    };
    call.fail(Code::E8007, format!("failed to generate UUID: {reason}"))
}

fn is_valid(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let Some(text) = call.args.first().and_then(Value::as_str) else {
        return call.wrong(Code::E7002, "requires a string argument");
    };
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    let digits = text.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit());
    Ok(Value::Bool(digits && lengths == [8, 4, 4, 4, 12]))
}
