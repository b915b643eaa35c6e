//! The debug API as JSON: how its types go between processes.

use std::io::{self, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// A formatter that also escapes U+0085, U+2028 and U+2029, which some clients take for line ends.
struct OneLine(CompactFormatter);

impl Formatter for OneLine {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if fragment.is_ascii() {
            return self.0.write_string_fragment(writer, fragment);
        }
        let mut rest = fragment;
        while let Some(at) = rest.find(is_line_separator) {
            let (plain, tail) = rest.split_at(at);
            let mut chars = tail.chars();
            let separator = chars.next().map_or(0, u32::from);
            write!(writer, "{plain}\\u{separator:04x}")?;
            rest = chars.as_str();
        }
        self.0.write_string_fragment(writer, rest)
    }
}

/// Whether some clients take it for the end of a line, though JSON does not. No ASCII character is one.
pub fn is_line_separator(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Appends a value as JSON, which has no line breaks.
pub fn write_json(out: &mut Vec<u8>, value: &impl Serialize) {
    // No type here has a serializer that fails, and writing to a vector cannot fail.
    let _ = value.serialize(&mut Serializer::with_formatter(out, OneLine(CompactFormatter)));
}

/// Reads what [`write_json`] has written, however deeply it is nested: the stack must suffice for it.
///
/// # Errors
/// If the bytes are not JSON, or not such a value.
pub fn read_json<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    // From bytes everywhere: from texts, all decoding of a type would be compiled once more.
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    deserializer.disable_recursion_limit();
    T::deserialize(&mut deserializer)
}
