//! JSON without line breaks: escaping, measuring and shortening texts.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use ez_engine::api::is_line_separator;
use ez_runtime::text::start_of;

/// Reads a value from JSON. Half of a surrogate pair in an escape sequence, which JSON permits, and which JavaScript
/// writes for a text that was cut inside of a character, is read as U+FFFD.
///
/// # Errors
/// If the text is not JSON, or not such a value.
pub fn parse<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    // From bytes: from texts, all decoding of a type would be compiled once more.
    serde_json::from_slice(text.as_bytes()).or_else(|error| match without_lone_surrogates(text) {
        Some(text) => serde_json::from_slice(text.as_bytes()),
        None => Err(error),
    })
}

/// Like [`parse`], from bytes.
///
/// # Errors
/// As [`parse`]; also if they are not UTF-8.
pub fn parse_bytes<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        // Its error says where.
        Err(_) => serde_json::from_slice(bytes),
    }
}

/// What is said of a line that is not JSON; columns count bytes from 1.
pub fn invalid(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    match text.strip_suffix(&format!(" at line {line} column {column}")) {
        Some(why) => format!("invalid JSON: {why} at column {column}"),
        None => format!("invalid JSON: {text}"),
    }
}

/// An id as it is written back to the client: with U+FFFD for each half of a surrogate pair, as [`parse`] has read it, since
/// not every client can read these.
pub fn repeatable(id: Box<RawValue>) -> Box<RawValue> {
    without_lone_surrogates(id.get()).and_then(|id| RawValue::from_string(id).ok()).unwrap_or(id)
}

/// JSON with U+FFFD for each escape sequence that is only half of a surrogate pair; `None` if there is none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut found, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(next) = text.get(at..)?.find('\\') {
        at += next;
        match (unit(at), unit(at + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => at += 12,
            (Some(0xd800..0xe000), _) => {
                found.push_str(text.get(copied..at)?);
                found.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            (Some(_), _) => at += 6,
            // The escaped character may be a backslash.
            (None, _) => at += 1 + text.get(at + 1..)?.chars().next().map_or(0, char::len_utf8),
        }
    }
    if copied == 0 {
        return None;
    }
    found.push_str(text.get(copied..)?);
    Some(found)
}

/// Appends a text as a JSON string. Faster than [`write_json`](ez_engine::api::write_json): programs may print a great deal.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| may_be_escaped(*byte)) {
        let (plain, tail) = rest.split_at(at);
        out.extend_from_slice(plain);
        let (escape, length) = escape(tail);
        match escape {
            Some(escape) => out.extend_from_slice(escape.as_bytes()),
            None => out.extend_from_slice(tail.get(..length).unwrap_or_default()),
        }
        rest = tail.get(length..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Whether a character with this first byte may need escaping.
fn may_be_escaped(byte: u8) -> bool {
    byte < 0x20 || matches!(byte, b'"' | b'\\' | 0xc2 | 0xe2)
}

/// The escape sequence for the first character of `bytes`, if it needs one, and the character's length in
/// bytes.
fn escape(bytes: &[u8]) -> (Option<Cow<'static, str>>, usize) {
    match bytes {
        [b'"', ..] => (Some("\\\"".into()), 1),
        [b'\\', ..] => (Some("\\\\".into()), 1),
        [b'\n', ..] => (Some("\\n".into()), 1),
        [b'\r', ..] => (Some("\\r".into()), 1),
        [b'\t', ..] => (Some("\\t".into()), 1),
        [byte @ 0..0x20, ..] => (Some(format!("\\u{byte:04x}").into()), 1),
        [0xc2, 0x85, ..] => (Some("\\u0085".into()), 2),
        [0xe2, 0x80, 0xa8, ..] => (Some("\\u2028".into()), 3),
        [0xe2, 0x80, 0xa9, ..] => (Some("\\u2029".into()), 3),
        _ => (None, 1),
    }
}

/// Size of a text as a JSON string in bytes, quotes included.
pub fn json_len(text: &str) -> usize {
    2 + text.chars().map(char_len).sum::<usize>()
}

/// Size of a character inside a JSON string in bytes.
pub fn char_len(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        c if (c as u32) < 0x20 || is_line_separator(c) => 6,
        c => c.len_utf8(),
    }
}

/// The text, shortened to at most `most` bytes and an ellipsis.
pub fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_string();
    }
    format!("{}…", start_of(text, most))
}

/// The text, shortened to take at most `most` bytes as a JSON string.
pub fn cut_json(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() * 6 + 2 <= most || json_len(text) <= most {
        return Cow::Borrowed(text);
    }
    let end = json_prefix(text, most.saturating_sub(json_len("…")));
    Cow::Owned(format!("{}…", text.get(..end).unwrap_or("")))
}

/// Length of the longest prefix of a text that takes at most `most` bytes inside a JSON string.
pub fn json_prefix(text: &str, most: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += char_len(c);
        if used > most {
            return at;
        }
    }
    text.len()
}

/// The largest limit such that all sizes, each reduced to at most the limit, fit into `room` together.
pub fn level(sizes: &[usize], room: usize) -> usize {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (done, size) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - done);
        if *size > share {
            return share;
        }
        left -= size;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use ez_engine::api::write_json;

    use super::*;

    #[test]
    fn sizes_are_brought_down_evenly() {
        assert_eq!(level(&[1, 2, 3], 6), usize::MAX);
        assert_eq!(level(&[10, 2, 10], 12), 5);
        assert_eq!(level(&[100, 100], 7), 3);
        assert_eq!(level(&[], 0), usize::MAX);
    }

    #[test]
    fn halves_of_surrogate_pairs_are_replaced() {
        let cases = [
            (r#""\ud800""#, "\u{fffd}"),
            (r#""a\uDC00\uD83D\uDE00\ud83d""#, "a\u{fffd}😀\u{fffd}"),
            (r#""\ud83d\ud83d\ude00\n""#, "\u{fffd}😀\n"),
            (r#""\\ud800 \ud800é""#, "\\ud800 \u{fffd}é"),
            (r#""\\ud800""#, "\\ud800"),
        ];
        for (json, text) in cases {
            assert_eq!(parse::<String>(json).unwrap(), text, "{json}");
        }
        for wrong in [r#""\ud8""#, r#""\ud800"#, r#""\ud8é0""#, "\\", r#""\ud800\"#] {
            assert!(parse::<String>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("añb", 2), "a…");
        assert_eq!(cut_json("a\nb\nc", 8), "a\n…");
        assert_eq!(cut_json("abc", 5), "abc");
    }

    proptest! {
        #[test]
        fn strings_are_json_on_one_line(text in "[\"\\\\a-c\u{0}-\u{20}\u{7f}-\u{ff}\u{2026}-\u{202a}😀]{0,40}", most in 5..40usize) {
            let mut general = Vec::new();
            write_json(&mut general, &text);
            let mut quick = Vec::new();
            write_string(&mut quick, &text);
            let read = |json: &[u8]| serde_json::from_slice::<String>(json).unwrap();
            prop_assert_eq!(read(&general), text.clone());
            prop_assert!(json_len(&text) >= general.len() && json_len(&text) >= quick.len());
            let line = String::from_utf8(quick).unwrap();
            let breaks = |c: char| is_line_separator(c) || (c as u32) < 0x20;
            prop_assert!(!line.contains(breaks), "{:?}", line);
            prop_assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text.clone());
            prop_assert!(json_len(&cut_json(&text, most)) <= most);
        }
    }
}
