//! The texts of strings in quotes, and of floats.

use crate::text::slice;
use std::fmt::Write;

/// Appends a string in double quotes, with escapes (docs/language/containers.md#how-they-are-printed).
pub fn inspect_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c if (c as u32) < 0x7f => out.push(c),
            c if printable(c) => out.push(c),
            c if (c as u32) < 0x10000 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => {
                let _ = write!(out, "\\U{:08x}", c as u32);
            }
        }
    }
    out.push('"');
}

/// An expression for a text that can be evaluated in any scope: a string literal; a raw string or, where that is not
/// possible, a concatenation, if the text contains `${` or `$x`, which would be interpolations, or wrong ones, in a
/// literal.
pub fn string_expression(text: &str) -> String {
    let interpolates = |(_, pair): &(usize, &[u8])| matches!(pair, [b'$', next] if *next == b'{' || *next == b'_' || next.is_ascii_alphanumeric());
    let mut cuts =
        text.as_bytes().windows(2).enumerate().filter(interpolates).map(|(at, _)| at + 1).peekable();
    if cuts.peek().is_none() {
        return string_literal(text);
    }
    if text.chars().all(|c| c != '`' && (c == ' ' || printable(c))) {
        return format!("`{text}`");
    }
    let mut expression = String::new();
    let mut begin = 0;
    for end in cuts {
        expression += &string_literal(slice(text, begin..end));
        expression += " + ";
        begin = end;
    }
    expression + &string_literal(slice(text, begin..))
}

/// An expression for a character that can be evaluated in any scope. A literal can only have a character of one byte.
pub fn char_expression(c: char) -> String {
    match c {
        '\'' => "'\\''".into(),
        '"' => "'\"'".into(),
        c if c.is_ascii() => {
            let quoted = string_literal(c.encode_utf8(&mut [0; 4]));
            format!("'{}'", quoted.trim_matches('"'))
        }
        c => format!("char({})", u32::from(c)),
    }
}

/// A character between single quotes: unlike its [`char_expression`] also where that cannot be entered.
pub fn char_text(c: char) -> String {
    if c.is_ascii() || !printable(c) { char_expression(c) } else { format!("'{c}'") }
}

/// A string literal of the language without interpolations, which the text must not contain.
fn string_literal(text: &str) -> String {
    let mut literal = String::from('"');
    for c in text.chars() {
        match c {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            c if c == ' ' || printable(c) => literal.push(c),
            c => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(literal, "\\x{byte:02x}");
                }
            }
        }
    }
    literal.push('"');
    literal
}

/// Whether it is a letter, mark, number, punctuation or symbol, not a space, control, format or private-use
/// character.
fn printable(c: char) -> bool {
    // `escape_debug` escapes quotes, too.
    if c.is_ascii_graphic() || c == '\u{FFFD}' {
        return true;
    }
    if c.is_whitespace() || c.is_control() {
        return false;
    }
    // `escape_debug` leaves exactly the printable ones unchanged, except that it escapes combining marks,
    // which are printable here.
    let mut escaped = c.escape_debug();
    escaped.next() == Some(c) || is_mark(c)
}

fn is_mark(c: char) -> bool {
    // It does not escape a combining mark after a base character.
    let text: String = ['a', c].iter().collect();
    text.escape_debug().nth(1) == Some(c)
}

/// The shortest text that gives the same float; with exponent (`1e+06`) for large and small numbers.
pub fn float_text(x: f64) -> String {
    if x.is_nan() {
        return "NaN.0".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "+Inf.0".into() } else { "-Inf.0".into() };
    }
    let text = float_text_bare(x);
    if text.contains(['.', 'e']) { text } else { text + ".0" }
}

/// Like [`float_text`], without the `.0` of whole numbers (for error messages).
pub fn float_text_bare(x: f64) -> String {
    if x.is_nan() {
        return "NaN".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "+Inf".into() } else { "-Inf".into() };
    }
    let scientific = format!("{x:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if x == 0.0 || (-4..6).contains(&exponent) {
        return format!("{x}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats() {
        for (x, text) in [
            (100000.0, "100000.0"),
            (999999.0, "999999.0"),
            (0.0001, "0.0001"),
            (12345.678, "12345.678"),
            (-0.0, "-0.0"),
            (1e6, "1e+06"),
            (1234567.0, "1.234567e+06"),
            (0.00001, "1e-05"),
            (1e21, "1e+21"),
            (3e100, "3e+100"),
            (f64::NEG_INFINITY, "-Inf.0"),
            (0.1 + 0.2, "0.30000000000000004"),
        ] {
            assert_eq!(float_text(x), text);
        }
    }

    #[test]
    fn expressions_are_no_interpolations() {
        for (text, expression) in [
            ("a\"b\\ ", "\"a\\\"b\\\\ \""),
            ("$ {x}", "\"$ {x}\""),
            ("a ${x} é", "`a ${x} é`"),
            ("${", "`${`"),
            ("$5 $ $_", "`$5 $ $_`"),
            ("$\t$é", "\"$\\t$é\""),
            ("\t$5", "\"\\t$\" + \"5\""),
            ("`${x}", "\"`$\" + \"{x}\""),
            ("\n${a}${b}", "\"\\n$\" + \"{a}$\" + \"{b}\""),
            ("it's", "\"it's\""),
            ("it's ${x}", "`it's ${x}`"),
            ("\u{7}\u{a0}\u{10ffff}", "\"\\x07\\xc2\\xa0\\xf4\\x8f\\xbf\\xbf\""),
        ] {
            assert_eq!(string_expression(text), expression, "{text}");
        }
        let chars = ['a', '\'', '"', '\\', '\n', '\0', 'é', '\u{200b}'];
        let shown = ["'a'", "'\\''", "'\"'", "'\\\\'", "'\\n'", "'\\x00'", "'é'", "char(8203)"];
        assert_eq!(chars.map(char_text), shown);
        assert_eq!(char_expression('é'), "char(233)");
    }

    #[test]
    fn strings_are_escaped() {
        let mut out = String::new();
        inspect_string(&mut out, "a\"\\\n\u{1}\u{a0}\u{200b}é\u{301}\u{10ffff}\u{FFFD}'");
        assert_eq!(out, "\"a\\\"\\\\\\n\\x01\\u00a0\\u200bé\u{301}\\U0010ffff\u{FFFD}'\"");
    }
}
