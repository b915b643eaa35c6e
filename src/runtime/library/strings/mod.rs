//! `@strings`: working with text. Positions count characters, except in `index` and `last_index`.

mod change;
mod classify;
mod numbers;
mod pieces;
mod search;

use super::args::TOO_LARGE;
use super::row::function;
use super::{Call, Fail, Module};
use crate::value::Value;

const A_STRING: &str = "requires a string argument";
const STRINGS: &str = "requires string arguments";
const FIRST: &str = "requires a string as first argument";

/// The only argument.
fn only<'a>(call: &Call<'a>) -> Result<&'a str, Fail> {
    call.exactly(1, "")?;
    call.text(0, A_STRING)
}

/// Exactly that many string arguments.
fn texts<'a, const N: usize>(call: &Call<'a>) -> Result<[&'a str; N], Fail> {
    call.exactly(N, "")?;
    let mut all = [""; N];
    for (i, slot) in all.iter_mut().enumerate() {
        *slot = call.text(i, STRINGS)?;
    }
    Ok(all)
}

/// Makes a string of about `length` bytes, offloaded if that is long.
fn made(call: &mut Call, length: usize, make: impl FnOnce() -> String + Send) -> Result<Value, Fail> {
    call.room(length as u64, 2, TOO_LARGE)?;
    Ok(Value::str(call.offload(length as u64 * 4, make)?))
}

pub static MODULE: Module = Module {
    name: "strings",
    doc: "Working with text.",
    reserved_names: &["len"],
    outside: false,
    rows: &[
        function!("upper" "(s string) -> string", "The text in upper case.";
            "strings.upper(\"abc\")" => "ABC"; change::upper),
        function!("lower" "(s string) -> string", "The text in lower case.";
            "strings.lower(\"ABC\")" => "abc"; change::lower),
        function!("trim" "(s string) -> string", "The text without white space around it.";
            "strings.trim(\"  a b \") + \"!\"" => "a b!"; change::trim),
        function!("trim_left" "(s string) -> string", "The text without white space at its beginning.";
            "strings.trim_left(\"  a\")" => "a"; change::trim_left, unchecked),
        function!("trim_right" "(s string) -> string", "The text without white space at its end.";
            "strings.trim_right(\"a  \") + \"!\"" => "a!"; change::trim_right, unchecked),
        function!("contains" "(s string, part string) -> bool", "Whether the part occurs in the text.";
            "strings.contains(\"hello\", \"ell\")" => "true"; search::contains),
        function!("starts_with" "(s string, prefix string) -> bool",
            "Whether the text begins with the prefix.";
            "strings.starts_with(\"hello\", \"he\")" => "true"; search::starts_with),
        function!("ends_with" "(s string, suffix string) -> bool", "Whether the text ends with the suffix.";
            "strings.ends_with(\"hello\", \"lo\")" => "true"; search::ends_with),
        function!("index" "(s string, part string) -> int",
            "Byte offset of the first occurrence of the part; -1 if there is none.";
            "strings.index(\"hello\", \"l\")" => "2"; search::index),
        function!("last_index" "(s string, part string) -> int",
            "Byte offset of the last occurrence of the part; -1 if there is none.";
            "strings.last_index(\"hello\", \"l\")" => "3"; search::last_index, unchecked),
        function!("count" "(s string, part string) -> int",
            "The number of times the part occurs, without overlaps.";
            "strings.count(\"banana\", \"an\")" => "2"; search::count, unchecked),
        function!("split" "(s string, separator string) -> [string]",
            "The parts between the separators; if the separator is empty, the characters.";
            "strings.split(\"a,b,,c\", \",\")" => "{\"a\", \"b\", \"\", \"c\"}"; pieces::split),
        function!("lines" "(s string) -> [string]", "The lines of the text.";
            "strings.lines(\"a\\nb\")" => "{\"a\", \"b\"}"; pieces::lines, unknown, unchecked),
        function!("words" "(s string) -> [string]",
            "The parts of the text that are separated by white space.";
            "strings.words(\" to  be \")" => "{\"to\", \"be\"}"; pieces::words, unknown, unchecked),
        function!("join" "(parts [T], separator string) -> string",
            "The texts of the elements with the separator between them.";
            "strings.join({\"a\", \"b\"}, \"-\")" => "a-b"; pieces::join),
        function!("replace" "(s string, old string, new string) -> string",
            "The text with every occurrence of old replaced by new.";
            "strings.replace(\"banana\", \"an\", \"o\")" => "booa"; change::replace),
        function!("replace_n" "(s string, old string, new string, n int) -> string",
            "The text with the first n occurrences of old replaced by new; if n is negative, all of them.";
            "strings.replace_n(\"banana\", \"an\", \"o\", 1)" => "boana";
            change::replace_n, unknown, unchecked),
        function!("remove" "(s string, part string) -> string",
            "The text without the first occurrence of the part.";
            "strings.remove(\"banana\", \"an\")" => "bana"; change::remove, unknown, unchecked),
        function!("remove_all" "(s string, part string) -> string",
            "The text without any occurrence of the part.";
            "strings.remove_all(\"banana\", \"an\")" => "ba"; change::remove_all, unknown, unchecked),
        function!("char_at" "(s string, index int) -> string",
            "The character at the index, as a string; a negative index counts from the end.";
            "strings.char_at(\"héllo\", 1), strings.char_at(\"abc\", -1)" => "é c";
            pieces::char_at, unknown, unchecked),
        function!("slice" "(s string, start int, end int?) -> string",
            "The characters from start up to, not including, end; negative bounds count from the end.";
            "strings.slice(\"hello\", 1, 3), strings.slice(\"hello\", -2)" => "el lo";
            pieces::slice, unknown, unchecked),
        function!("insert" "(s string, position int, part string) -> string",
            "The text with the part inserted before the position.";
            "strings.insert(\"held\", 3, \"lo wor\")" => "hello word"; change::insert, unknown, unchecked),
        function!("pad_left" "(s string, width int, pad string?) -> string",
            "The text, padded at the beginning to the width, with blanks or the pad.";
            "strings.pad_left(\"7\", 3, \"0\")" => "007"; change::pad_left, unchecked),
        function!("pad_right" "(s string, width int, pad string?) -> string",
            "The text, padded at the end to the width, with blanks or the pad.";
            "strings.pad_right(\"7\", 3, \".\")" => "7.."; change::pad_right, unchecked),
        function!("center" "(s string, width int, pad string?) -> string",
            "The text, padded on both sides to the width, with blanks or the pad.";
            "strings.center(\"ab\", 5, \"*\")" => "*ab**"; change::center, unknown, unchecked),
        function!("repeat" "(s string, count int) -> string", "The text repeated that many times.";
            "strings.repeat(\"ab\", 3)" => "ababab"; change::repeat, unchecked),
        function!("reverse" "(s string) -> string", "The characters in the opposite order.";
            "strings.reverse(\"abc\")" => "cba"; change::reverse, unchecked),
        function!("capitalize" "(s string) -> string", "The text with its first character in upper case.";
            "strings.capitalize(\"hello you\")" => "Hello you"; change::capitalize, unknown, unchecked),
        function!("title" "(s string) -> string",
            "The text with the first character of every word in upper case.";
            "strings.title(\"hello you\")" => "Hello You"; change::title, unknown, unchecked),
        function!("truncate" "(s string, length int, suffix string) -> string",
            "The text; if it is longer than the length, it is cut to it and ends with the suffix.";
            "strings.truncate(\"hello world\", 8, \"...\")" => "hello...";
            change::truncate, unknown, unchecked),
        function!("compare" "(a string, b string) -> int",
            "-1, 0 or 1: whether a comes before b, is the same, or comes after it.";
            "strings.compare(\"a\", \"b\")" => "-1"; search::compare, unknown, unchecked),
        function!("is_empty" "(s string) -> bool", "Whether the text is empty or consists of white space.";
            "strings.is_empty(\"  \")" => "true"; classify::is_empty, unchecked),
        function!("is_numeric" "(s string) -> bool", "Whether the text consists of digits.";
            "strings.is_numeric(\"123\")" => "true"; classify::is_numeric, unknown, unchecked),
        function!("is_alpha" "(s string) -> bool", "Whether the text consists of letters.";
            "strings.is_alpha(\"abc\")" => "true"; classify::is_alpha, unknown, unchecked),
        function!("is_alphanumeric" "(s string) -> bool", "Whether the text consists of letters and digits.";
            "strings.is_alphanumeric(\"abc1\")" => "true"; classify::is_alphanumeric, unknown, unchecked),
        function!("is_whitespace" "(s string) -> bool", "Whether the text consists of white space.";
            "strings.is_whitespace(\" a\")" => "false"; classify::is_whitespace, unknown, unchecked),
        function!("is_lowercase" "(s string) -> bool",
            "Whether all letters are lower case, and there is at least one.";
            "strings.is_lowercase(\"abc 1\")" => "true"; classify::is_lowercase, unknown, unchecked),
        function!("is_uppercase" "(s string) -> bool",
            "Whether all letters are upper case, and there is at least one.";
            "strings.is_uppercase(\"ABC 1\")" => "true"; classify::is_uppercase, unknown, unchecked),
        function!("is_ascii" "(s string) -> bool", "Whether no character is above 127.";
            "strings.is_ascii(\"é\")" => "false"; classify::is_ascii, unknown, unchecked),
        function!("chars" "(s string) -> [char]", "The characters.";
            "strings.chars(\"abc\")" => "{a, b, c}"; pieces::chars, unchecked),
        function!("from_chars" "(chars [T]) -> string", "The text of the characters.";
            "strings.from_chars({'a', 'b'})" => "ab"; pieces::from_chars, unknown, unchecked),
        function!("to_int" "(s string) -> int",
            "The text converted to an integer; an error if it is not one.";
            "strings.to_int(\" -42 \") + 1" => "-41"; numbers::to_int),
        function!("to_float" "(s string) -> float",
            "The text converted to a float; an error if it is not one.";
            "strings.to_float(\"2.5\")" => "2.5"; numbers::to_float),
        function!("to_bool" "(s string) -> bool",
            "The text converted to a bool: true, 1, yes, on are true; false, 0, no, off are false.";
            "strings.to_bool(\"Yes\")" => "true"; numbers::to_bool),
    ],
};
