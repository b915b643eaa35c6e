//! bytes, binary, encoding, crypto, uuid.

use crate::library::testing::{ints, text};
use crate::value::Value;

fn int(i: i64) -> Value {
    Value::Int(i)
}

#[test]
fn byte_arrays() {
    let b = |v: &[i64]| ints(v);
    for (name, args, wanted) in [
        (
            "from_array",
            vec![b(&[5, 256])],
            "E3022 bytes.from_array() element 1 value 256 out of range (0-255)",
        ),
        ("to_hex", vec![b(&[300])], "E7005 byte value at index 0 out of range: 300 (must be 0-255)"),
        ("to_hex", vec![int(1)], "E7002 bytes.to_hex() requires a byte array argument"),
        ("slice", vec![b(&[1, 2, 3]), int(0), int(-10)], "{}"),
        (
            "slice",
            vec![b(&[1, 2, 3]), int(-2)],
            "E7001 bytes.slice() takes exactly 3 arguments (bytes, start, end)",
        ),
        ("split", vec![b(&[195, 169, 255]), b(&[])], "{{195, 169}, {255}}"),
        ("count", vec![b(&[195, 169, 255]), b(&[])], "3"),
        ("replace", vec![b(&[1, 2]), b(&[]), b(&[0])], "{0, 1, 0, 2, 0}"),
        ("replace_n", vec![b(&[1, 2]), b(&[]), b(&[0]), int(1)], "{0, 1, 2}"),
        ("replace_n", vec![b(&[1, 1]), b(&[1]), b(&[0]), int(-1)], "{0, 0}"),
        ("trim", vec![b(&[255, 1, 255]), b(&[254])], "{255, 1, 255}"),
        ("fill", vec![b(&[1]), int(256)], "E3021 bytes.fill() byte value 256 out of range (0-255)"),
        ("repeat", vec![b(&[1]), int(i64::MAX)], "E7010 bytes.repeat() size too large"),
        ("pad_left", vec![b(&[1]), int(-3), int(0)], "{1}"),
        ("not", vec![b(&[0])], "{255}"),
        ("last_index", vec![b(&[1, 2]), b(&[])], "2"),
        ("to_string", vec![b(&[226, 130, 97])], "\u{FFFD}\u{FFFD}a"),
    ] {
        assert_eq!(text(&format!("bytes.{name}"), &args), wanted, "{name}");
    }
    let message = text("bytes.and", &[b(&[1]), b(&[])]);
    assert!(message.contains("bytes.and() requires byte arrays of equal length"), "{message}");
}

#[test]
fn numbers_as_bytes() {
    for (name, arg, wanted) in [
        ("encode_i16_to_big_endian", int(-2), "{255, 254}, nil"),
        ("encode_u32_to_little_endian", int(258), "{2, 1, 0, 0}, nil"),
        ("encode_f32_to_big_endian", Value::Float(1e39), "{127, 128, 0, 0}, nil"),
        ("decode_i8", ints(&[255]), "-1, nil"),
        ("decode_u16_from_little_endian", ints(&[1, 2]), "513, nil"),
        ("decode_f64_from_big_endian", ints(&[63, 240, 0, 0, 0, 0, 0, 0]), "1.0, nil"),
    ] {
        assert_eq!(text(&format!("binary.{name}"), &[arg]), wanted, "{name}");
    }
    for (name, arg, wanted) in [
        ("encode_i8", int(128), "value 128 out of i8 range (-128 to 127)"),
        ("encode_u16_to_big_endian", int(-1), "value -1 out of u16 range"),
        ("encode_u128_to_big_endian", int(-1), "value out of u128 range"),
        ("decode_u8", ints(&[]), "binary.decode_u8() requires exactly 1 bytes, got 0"),
        ("decode_u8", ints(&[256]), "binary.decode_u8() byte at index 0 out of range (0-255)"),
    ] {
        let got = text(&format!("binary.{name}"), &[arg]);
        assert!(got.starts_with("nil, ") && got.contains(wanted), "{name}: {got}");
    }
}

#[test]
fn texts_in_disguise() {
    let s = |name: &str, t: &str| text(name, &[Value::str(t)]);
    assert_eq!(s("encoding.url_encode", "a b/é~"), "a+b%2F%C3%A9~");
    assert_eq!(s("encoding.url_decode", "a+b%2f%C3%A9"), "\"a b/é\", nil");
    let bad = s("encoding.url_decode", "%zz");
    assert!(bad.contains("invalid URL encoding: invalid URL escape \\\"%zz\\\""), "{bad}");
    assert_eq!(s("uuid.is_valid", "00000000-0000-0000-0000-00000000000"), "false");
    assert_eq!(s("crypto.md5", "abc"), "900150983cd24fb0d6963f7d28e17f72");
    assert_eq!(text("crypto.random_hex", &[int(-1)]), "E7011 crypto.random_hex() length cannot be negative");
}
