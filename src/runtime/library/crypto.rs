//! `@crypto`: digests and cryptographically secure random bytes.

use sha2::Digest;

use crate::diagnostics::Code;
use crate::value::{HostAnswer, HostRequest, Value};

use super::args::byte_array;
use super::offload::poll_interrupt;
use super::row::function;
use super::{Call, Fail, Module};

pub static MODULE: Module = Module {
    name: "crypto",
    doc: "Digests and unpredictable bytes.",
    reserved_names: &[],
    outside: false,
    rows: &[
        function!("sha256" "(s string) -> string", "The SHA-256 digest of the text, in hexadecimal digits.";
            "crypto.sha256(\"abc\")" => "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
            digest::<sha2::Sha256>),
        function!("sha512" "(s string) -> string", "The SHA-512 digest of the text, in hexadecimal digits.";
            "len(crypto.sha512(\"abc\"))" => "128"; digest::<sha2::Sha512>),
        function!("md5" "(s string) -> string",
            "The MD5 digest of the text, in hexadecimal digits; not safe against forgery.";
            "crypto.md5(\"abc\")" => "900150983cd24fb0d6963f7d28e17f72"; digest::<md5::Md5>),
        function!("random_bytes" "(count int) -> [byte]", "That many unpredictable bytes.";
            "len(crypto.random_bytes(4))" => "4"; |call| Ok(byte_array(random(call, 1)?))),
        function!("random_hex" "(count int) -> string",
            "That many unpredictable bytes, in hexadecimal digits.";
            "len(crypto.random_hex(4))" => "8"; |call| Ok(Value::str(hex::encode(random(call, 4)?)))),
    ],
};

fn digest<D: Digest>(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let text = call.text(0, "requires a string argument")?;
    let digits = call.offload(text.len() as u64 * 4, || hex::encode(D::digest(text)))?;
    Ok(Value::str(digits))
}

/// Random bytes requested from the system at once; interrupts are served between requests.
const CHUNK: u64 = 1 << 20;

/// Random bytes, as many as the argument says. `room`: bytes of the result for each.
fn random(call: &mut Call, room: u64) -> Result<Vec<u8>, Fail> {
    call.exactly(1, "")?;
    let count = call.index(0, "requires an integer argument")?;
    let Ok(count) = u64::try_from(count) else {
        return call.wrong(Code::E7011, "length cannot be negative");
    };
    call.room(count, room, "size too large")?;
    let mut all = Vec::with_capacity(count as usize);
    while (all.len() as u64) < count {
        let some = (count - all.len() as u64).min(CHUNK);
        match call.runtime.host().request(HostRequest::RandomBytes(some)) {
            Ok(HostAnswer::Bytes(bytes)) if !bytes.is_empty() => all.extend(bytes),
            Ok(_) => return call.wrong(Code::E15001, "failed: no random data"),
            Err(error) => return call.wrong(Code::E15001, &format!("failed: {}", error.reason)),
        }
        poll_interrupt(call.runtime)?;
    }
    Ok(all)
}
