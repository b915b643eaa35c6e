//! `@encoding`: Base64, hexadecimal and URL texts.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::diagnostics::Code;
use crate::text::text_from;
use crate::value::Value;

use super::args::{TOO_LARGE, bad, good};
use super::row::function;
use super::{Call, Fail, Module};

pub static MODULE: Module = Module {
    name: "encoding",
    doc: "Base64, hexadecimal and URL texts.",
    reserved_names: &[],
    outside: false,
    rows: &[
        function!("base64_encode" "(s string) -> string", "The text as Base64.";
            "encoding.base64_encode(\"hi\")" => "aGk=";
            |call| encoded(call, 2, |text| STANDARD.encode(text))),
        function!("base64_decode" "(s string) -> (string, Error)", "The text that a Base64 text encodes.";
            "encoding.base64_decode(\"aGk=\")" => "\"hi\", nil";
            |call| decoded(call, decode_base64, Code::E16001, "invalid base64 input")),
        function!("hex_encode" "(s string) -> string", "The text as hexadecimal digits.";
            "encoding.hex_encode(\"hi\")" => "6869"; |call| encoded(call, 2, |text| hex::encode(text))),
        function!("hex_decode" "(s string) -> (string, Error)", "The text that hexadecimal digits encode.";
            "encoding.hex_decode(\"6869\")" => "\"hi\", nil";
            |call| decoded(call, decode_hex, Code::E16002, "invalid hex input")),
        function!("url_encode" "(s string) -> string", "The text as part of a URL query.";
            "encoding.url_encode(\"a b&c\")" => "a+b%26c"; |call| encoded(call, 3, encode_url)),
        function!("url_decode" "(s string) -> (string, Error)",
            "The text that a part of a URL query encodes.";
            "encoding.url_decode(\"a+b%26c\")" => "\"a b&c\", nil";
            |call| decoded(call, decode_query, Code::E16003, "invalid URL encoding")),
    ],
};

fn only<'a>(call: &Call<'a>) -> Result<&'a str, Fail> {
    call.exactly(1, "")?;
    call.text(0, "requires a string argument")
}

/// Steps of computation for each byte, about.
const STEPS_PER_BYTE: u64 = 4;

/// The text encoded, which makes it at most `growth` times as long.
fn encoded(call: &mut Call, growth: u64, encode: fn(&str) -> String) -> Result<Value, Fail> {
    let text = only(call)?;
    call.room(text.len() as u64, growth, TOO_LARGE)?;
    Ok(Value::str(call.offload(text.len() as u64 * STEPS_PER_BYTE, || encode(text))?))
}

fn decoded(
    call: &mut Call,
    decode: fn(&str) -> Result<Vec<u8>, String>,
    code: Code,
    what: &str,
) -> Result<Value, Fail> {
    let text = only(call)?;
    // An invalid byte becomes U+FFFD, which takes three.
    call.room(text.len() as u64, 4, TOO_LARGE)?;
    match call.offload(text.len() as u64 * STEPS_PER_BYTE, || decode(text).map(text_from))? {
        Ok(text) => good(text),
        Err(reason) => bad("", code, &format!("{what}: {reason}")),
    }
}

fn decode_query(text: &str) -> Result<Vec<u8>, String> {
    decode_url(text, true).map_err(|escape| format!("invalid URL escape \"{escape}\""))
}

/// Decodes hexadecimal digits.
///
/// # Errors
/// A description of the first error.
pub(super) fn decode_hex(text: &str) -> Result<Vec<u8>, String> {
    if let Some(wrong) = text.bytes().find(|b| !b.is_ascii_hexdigit()) {
        // The byte is shown as the code point of the same number.
        let c = char::from(wrong);
        let shown =
            if c.is_control() || c == '\u{A0}' || c == '\u{AD}' { String::new() } else { format!(" '{c}'") };
        return Err(format!("encoding/hex: invalid byte: U+{:04X}{shown}", u32::from(wrong)));
    }
    hex::decode(text).map_err(|_| "encoding/hex: odd length hex string".to_string())
}

fn base64_digit(byte: u8) -> Option<u32> {
    Some(match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// Decodes padded Base64; line ends are skipped.
///
/// # Errors
/// The position of the first error.
pub(super) fn decode_base64(text: &str) -> Result<Vec<u8>, String> {
    base64_groups(text).map_err(|at| format!("illegal base64 data at input byte {at}"))
}

fn base64_groups(text: &str) -> Result<Vec<u8>, usize> {
    let mut found = Vec::with_capacity(text.len() / 4 * 3);
    let all = text.bytes().enumerate();
    let mut rest = all.filter(|(_, b)| *b != b'\r' && *b != b'\n').peekable();
    let end = text.len();
    while rest.peek().is_some() {
        let (mut bits, mut digits) = (0, 0);
        while digits < 4 {
            let Some((at, byte)) = rest.next() else { return Err(end - digits) };
            match base64_digit(byte) {
                Some(digit) => {
                    bits = bits << 6 | digit;
                    digits += 1;
                }
                None if byte == b'=' && digits >= 2 => {
                    if digits == 2 {
                        match rest.next() {
                            Some((_, b'=')) => {}
                            Some(_) => return Err(at),
                            None => return Err(end),
                        }
                    }
                    bits <<= 6 * (4 - digits);
                    let [_, first, second, _] = bits.to_be_bytes();
                    found.push(first);
                    if digits == 3 {
                        found.push(second);
                    }
                    return rest.next().map_or(Ok(found), |(at, _)| Err(at));
                }
                None => return Err(at),
            }
        }
        let [_, a, b, c] = bits.to_be_bytes();
        found.extend([a, b, c]);
    }
    Ok(found)
}

/// The text encoded for the query of a URL.
pub(super) fn encode_url(text: &str) -> String {
    let plain = |b: u8| b == b' ' || b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
    let escapes = text.bytes().filter(|b| !plain(*b)).count();
    let mut out = String::with_capacity(text.len() + 2 * escapes);
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b if plain(b) => out.push(char::from(b)),
            b => {
                // Writing to a string cannot fail.
                let _ = write!(out, "%{b:02X}");
            }
        }
    }
    out
}

/// Decodes `%XX`, and `+` as a blank if `plus`.
///
/// # Errors
/// The invalid escape.
pub(super) fn decode_url(text: &str, plus: bool) -> Result<Vec<u8>, String> {
    let mut found = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        match first {
            b'+' if plus => found.push(b' '),
            b'%' => {
                let digits = tail.get(..2).unwrap_or(tail);
                let mut byte = [0];
                if hex::decode_to_slice(digits, &mut byte).is_err() {
                    return Err(format!("%{}", text_from(digits.to_vec())));
                }
                found.extend(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            b => found.push(*b),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_tells_where() {
        for (text, at) in [
            ("Zg", 0),
            ("Zg=", 3),
            ("Z", 0),
            ("Zm9vZ", 4),
            ("Zm9v=", 4),
            ("Z===", 1),
            ("Zg==Zg==", 4),
            ("Zm 9v", 2),
            ("Zg=x", 2),
            ("====", 0),
        ] {
            assert_eq!(base64_groups(text), Err(at), "{text}");
        }
        assert_eq!(base64_groups("Zh==\n"), Ok(b"f".to_vec()));
        assert_eq!(base64_groups("Zm9v\nZm8="), Ok(b"foofo".to_vec()));
    }

    #[test]
    fn hex_tells_what() {
        assert_eq!(decode_hex("66g"), Err("encoding/hex: invalid byte: U+0067 'g'".into()));
        assert_eq!(decode_hex("6"), Err("encoding/hex: odd length hex string".into()));
        assert_eq!(decode_hex("é"), Err("encoding/hex: invalid byte: U+00C3 'Ã'".into()));
        assert_eq!(decode_hex("\n"), Err("encoding/hex: invalid byte: U+000A".into()));
        assert_eq!(decode_hex("'"), Err("encoding/hex: invalid byte: U+0027 '''".into()));
    }
}
