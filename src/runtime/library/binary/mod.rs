//! `@binary`: numbers as bytes.

mod convert;

use super::Module;
use super::row::function;

use convert::{decode, encode, encode_float};

pub static MODULE: Module = Module {
    name: "binary",
    doc: "Numbers as bytes.",
    reserved_names: &[],
    outside: false,
    rows: &[
        function!("encode_i8" "(value int) -> ([byte], Error)", "The number as a signed integer of 8 bits.";
            "binary.encode_i8(1)" => "{1}, nil"; encode),
        function!("decode_i8" "(bytes [any]) -> (i8, Error)", "The number in a signed integer of 8 bits.";
            "binary.decode_i8({1})" => "1, nil"; decode),
        function!("encode_u8" "(value int) -> ([byte], Error)",
            "The number as an unsigned integer of 8 bits.";
            "binary.encode_u8(1)" => "{1}, nil"; encode),
        function!("decode_u8" "(bytes [any]) -> (u8, Error)", "The number in an unsigned integer of 8 bits.";
            "binary.decode_u8({1})" => "1, nil"; decode),
        function!("encode_i16_to_little_endian" "(value int) -> ([byte], Error)",
            "The number as a signed integer of 16 bits, lowest byte first.";
            "binary.encode_i16_to_little_endian(1)" => "{1, 0}, nil"; encode),
        function!("decode_i16_from_little_endian" "(bytes [any]) -> (i16, Error)",
            "The number in a signed integer of 16 bits, lowest byte first.";
            "binary.decode_i16_from_little_endian({1, 0})" => "1, nil"; decode),
        function!("encode_i16_to_big_endian" "(value int) -> ([byte], Error)",
            "The number as a signed integer of 16 bits, highest byte first.";
            "binary.encode_i16_to_big_endian(1)" => "{0, 1}, nil"; encode),
        function!("decode_i16_from_big_endian" "(bytes [any]) -> (i16, Error)",
            "The number in a signed integer of 16 bits, highest byte first.";
            "binary.decode_i16_from_big_endian({0, 1})" => "1, nil"; decode),
        function!("encode_u16_to_little_endian" "(value int) -> ([byte], Error)",
            "The number as an unsigned integer of 16 bits, lowest byte first.";
            "binary.encode_u16_to_little_endian(1)" => "{1, 0}, nil"; encode),
        function!("decode_u16_from_little_endian" "(bytes [any]) -> (u16, Error)",
            "The number in an unsigned integer of 16 bits, lowest byte first.";
            "binary.decode_u16_from_little_endian({1, 0})" => "1, nil"; decode),
        function!("encode_u16_to_big_endian" "(value int) -> ([byte], Error)",
            "The number as an unsigned integer of 16 bits, highest byte first.";
            "binary.encode_u16_to_big_endian(1)" => "{0, 1}, nil"; encode),
        function!("decode_u16_from_big_endian" "(bytes [any]) -> (u16, Error)",
            "The number in an unsigned integer of 16 bits, highest byte first.";
            "binary.decode_u16_from_big_endian({0, 1})" => "1, nil"; decode),
        function!("encode_i32_to_little_endian" "(value int) -> ([byte], Error)",
            "The number as a signed integer of 32 bits, lowest byte first.";
            "binary.encode_i32_to_little_endian(1)" => "{1, 0, 0, 0}, nil"; encode),
        function!("decode_i32_from_little_endian" "(bytes [any]) -> (i32, Error)",
            "The number in a signed integer of 32 bits, lowest byte first.";
            "binary.decode_i32_from_little_endian({1, 0, 0, 0})" => "1, nil"; decode),
        function!("encode_i32_to_big_endian" "(value int) -> ([byte], Error)",
            "The number as a signed integer of 32 bits, highest byte first.";
            "binary.encode_i32_to_big_endian(1)" => "{0, 0, 0, 1}, nil"; encode),
        function!("decode_i32_from_big_endian" "(bytes [any]) -> (i32, Error)",
            "The number in a signed integer of 32 bits, highest byte first.";
            "binary.decode_i32_from_big_endian({0, 0, 0, 1})" => "1, nil"; decode),
        function!("encode_u32_to_little_endian" "(value int) -> ([byte], Error)",
            "The number as an unsigned integer of 32 bits, lowest byte first.";
            "binary.encode_u32_to_little_endian(1)" => "{1, 0, 0, 0}, nil"; encode),
        function!("decode_u32_from_little_endian" "(bytes [any]) -> (u32, Error)",
            "The number in an unsigned integer of 32 bits, lowest byte first.";
            "binary.decode_u32_from_little_endian({1, 0, 0, 0})" => "1, nil"; decode),
        function!("encode_u32_to_big_endian" "(value int) -> ([byte], Error)",
            "The number as an unsigned integer of 32 bits, highest byte first.";
            "binary.encode_u32_to_big_endian(1)" => "{0, 0, 0, 1}, nil"; encode),
        function!("decode_u32_from_big_endian" "(bytes [any]) -> (u32, Error)",
            "The number in an unsigned integer of 32 bits, highest byte first.";
            "binary.decode_u32_from_big_endian({0, 0, 0, 1})" => "1, nil"; decode),
        function!("encode_i64_to_little_endian" "(value int) -> ([byte], Error)",
            "The number as a signed integer of 64 bits, lowest byte first.";
            "binary.encode_i64_to_little_endian(1)" => "{1, 0, 0, 0, 0, 0, 0, 0}, nil"; encode),
        function!("decode_i64_from_little_endian" "(bytes [any]) -> (i64, Error)",
            "The number in a signed integer of 64 bits, lowest byte first.";
            "binary.decode_i64_from_little_endian({1, 0, 0, 0, 0, 0, 0, 0})" => "1, nil"; decode),
        function!("encode_i64_to_big_endian" "(value int) -> ([byte], Error)",
            "The number as a signed integer of 64 bits, highest byte first.";
            "binary.encode_i64_to_big_endian(1)" => "{0, 0, 0, 0, 0, 0, 0, 1}, nil"; encode),
        function!("decode_i64_from_big_endian" "(bytes [any]) -> (i64, Error)",
            "The number in a signed integer of 64 bits, highest byte first.";
            "binary.decode_i64_from_big_endian({0, 0, 0, 0, 0, 0, 0, 1})" => "1, nil"; decode),
        function!("encode_u64_to_little_endian" "(value int) -> ([byte], Error)",
            "The number as an unsigned integer of 64 bits, lowest byte first.";
            "binary.encode_u64_to_little_endian(1)" => "{1, 0, 0, 0, 0, 0, 0, 0}, nil"; encode),
        function!("decode_u64_from_little_endian" "(bytes [any]) -> (u64, Error)",
            "The number in an unsigned integer of 64 bits, lowest byte first.";
            "binary.decode_u64_from_little_endian({1, 0, 0, 0, 0, 0, 0, 0})" => "1, nil"; decode),
        function!("encode_u64_to_big_endian" "(value int) -> ([byte], Error)",
            "The number as an unsigned integer of 64 bits, highest byte first.";
            "binary.encode_u64_to_big_endian(1)" => "{0, 0, 0, 0, 0, 0, 0, 1}, nil"; encode),
        function!("decode_u64_from_big_endian" "(bytes [any]) -> (u64, Error)",
            "The number in an unsigned integer of 64 bits, highest byte first.";
            "binary.decode_u64_from_big_endian({0, 0, 0, 0, 0, 0, 0, 1})" => "1, nil"; decode),
        function!("encode_i128_to_little_endian" "(value int) -> ([byte], Error)",
            "The number as a signed integer of 128 bits, lowest byte first.";
            "binary.encode_i128_to_little_endian(1)" => "{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, nil";
            encode),
        function!("decode_i128_from_little_endian" "(bytes [any]) -> (i128, Error)",
            "The number in a signed integer of 128 bits, lowest byte first.";
            "binary.decode_i128_from_little_endian({1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})" => "1, nil";
            decode),
        function!("encode_i128_to_big_endian" "(value int) -> ([byte], Error)",
            "The number as a signed integer of 128 bits, highest byte first.";
            "binary.encode_i128_to_big_endian(1)" => "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, nil";
            encode),
        function!("decode_i128_from_big_endian" "(bytes [any]) -> (i128, Error)",
            "The number in a signed integer of 128 bits, highest byte first.";
            "binary.decode_i128_from_big_endian({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})" => "1, nil";
            decode),
        function!("encode_u128_to_little_endian" "(value int) -> ([byte], Error)",
            "The number as an unsigned integer of 128 bits, lowest byte first.";
            "binary.encode_u128_to_little_endian(1)" => "{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, nil";
            encode),
        function!("decode_u128_from_little_endian" "(bytes [any]) -> (u128, Error)",
            "The number in an unsigned integer of 128 bits, lowest byte first.";
            "binary.decode_u128_from_little_endian({1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})" => "1, nil";
            decode),
        function!("encode_u128_to_big_endian" "(value int) -> ([byte], Error)",
            "The number as an unsigned integer of 128 bits, highest byte first.";
            "binary.encode_u128_to_big_endian(1)" => "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, nil";
            encode),
        function!("decode_u128_from_big_endian" "(bytes [any]) -> (u128, Error)",
            "The number in an unsigned integer of 128 bits, highest byte first.";
            "binary.decode_u128_from_big_endian({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})" => "1, nil";
            decode),
        function!("encode_i256_to_little_endian" "(value int) -> ([byte], Error)",
            "The number as a signed integer of 256 bits, lowest byte first.";
            "binary.encode_i256_to_little_endian(1)" => "{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, nil";
            encode),
        function!("decode_i256_from_little_endian" "(bytes [any]) -> (i256, Error)",
            "The number in a signed integer of 256 bits, lowest byte first.";
            "binary.decode_i256_from_little_endian({1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})" => "1, nil";
            decode),
        function!("encode_i256_to_big_endian" "(value int) -> ([byte], Error)",
            "The number as a signed integer of 256 bits, highest byte first.";
            "binary.encode_i256_to_big_endian(1)" => "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, nil";
            encode),
        function!("decode_i256_from_big_endian" "(bytes [any]) -> (i256, Error)",
            "The number in a signed integer of 256 bits, highest byte first.";
            "binary.decode_i256_from_big_endian({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})" => "1, nil";
            decode),
        function!("encode_u256_to_little_endian" "(value int) -> ([byte], Error)",
            "The number as an unsigned integer of 256 bits, lowest byte first.";
            "binary.encode_u256_to_little_endian(1)" => "{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, nil";
            encode),
        function!("decode_u256_from_little_endian" "(bytes [any]) -> (u256, Error)",
            "The number in an unsigned integer of 256 bits, lowest byte first.";
            "binary.decode_u256_from_little_endian({1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})" => "1, nil";
            decode),
        function!("encode_u256_to_big_endian" "(value int) -> ([byte], Error)",
            "The number as an unsigned integer of 256 bits, highest byte first.";
            "binary.encode_u256_to_big_endian(1)" => "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, nil";
            encode),
        function!("decode_u256_from_big_endian" "(bytes [any]) -> (u256, Error)",
            "The number in an unsigned integer of 256 bits, highest byte first.";
            "binary.decode_u256_from_big_endian({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})" => "1, nil";
            decode),
        function!("encode_f32_to_little_endian" "(value float) -> ([byte], Error)",
            "The number as a float of 32 bits, lowest byte first.";
            "binary.encode_f32_to_little_endian(1.0)" => "{0, 0, 128, 63}, nil"; encode_float),
        function!("decode_f32_from_little_endian" "(bytes [any]) -> (f32, Error)",
            "The number in a float of 32 bits, lowest byte first.";
            "binary.decode_f32_from_little_endian({0, 0, 128, 63})" => "1.0, nil"; decode),
        function!("encode_f32_to_big_endian" "(value float) -> ([byte], Error)",
            "The number as a float of 32 bits, highest byte first.";
            "binary.encode_f32_to_big_endian(1.0)" => "{63, 128, 0, 0}, nil"; encode_float),
        function!("decode_f32_from_big_endian" "(bytes [any]) -> (f32, Error)",
            "The number in a float of 32 bits, highest byte first.";
            "binary.decode_f32_from_big_endian({63, 128, 0, 0})" => "1.0, nil"; decode),
        function!("encode_f64_to_little_endian" "(value float) -> ([byte], Error)",
            "The number as a float of 64 bits, lowest byte first.";
            "binary.encode_f64_to_little_endian(1.0)" => "{0, 0, 0, 0, 0, 0, 240, 63}, nil"; encode_float),
        function!("decode_f64_from_little_endian" "(bytes [any]) -> (f64, Error)",
            "The number in a float of 64 bits, lowest byte first.";
            "binary.decode_f64_from_little_endian({0, 0, 0, 0, 0, 0, 240, 63})" => "1.0, nil"; decode),
        function!("encode_f64_to_big_endian" "(value float) -> ([byte], Error)",
            "The number as a float of 64 bits, highest byte first.";
            "binary.encode_f64_to_big_endian(1.0)" => "{63, 240, 0, 0, 0, 0, 0, 0}, nil"; encode_float),
        function!("decode_f64_from_big_endian" "(bytes [any]) -> (f64, Error)",
            "The number in a float of 64 bits, highest byte first.";
            "binary.decode_f64_from_big_endian({63, 240, 0, 0, 0, 0, 0, 0})" => "1.0, nil"; decode),
    ],
};
