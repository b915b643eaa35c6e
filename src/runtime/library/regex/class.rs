//! Character classes.

use super::escape::{problem, unescape};
use crate::text::slice;

/// A class without characters.
pub const NOTHING: &str = r"[^\x{0}-\x{10FFFF}]";

/// Appends a literal character.
pub fn escape_char(out: &mut String, c: char) {
    if c.is_alphanumeric() || c == '_' {
        out.push(c);
    } else {
        out.push_str(&format!("\\x{{{:X}}}", u32::from(c)));
    }
}

/// General categories.
const CATEGORIES: &[&str] = &[
    "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps",
    "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Co",
];

/// Classes between `[:` and `:]`.
const POSIX: &[&str] = &[
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

/// If `text` begins with a class escape (`\d`, `\pL`, …), the class in brackets and the rest of the text.
pub fn escaped_class(text: &str) -> Result<Option<(String, &str)>, String> {
    let mut chars = text.chars();
    chars.next();
    let Some(letter) = chars.next() else { return Ok(None) };
    let rest = chars.as_str();
    let set = match letter {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => r"[\t\n\f\r\x{20}]",
        'S' => r"[^\t\n\f\r\x{20}]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        'p' | 'P' => return property(text, letter == 'P', rest).map(Some),
        _ => return Ok(None),
    };
    Ok(Some((set.to_string(), rest)))
}

fn property<'a>(text: &'a str, negated: bool, rest: &'a str) -> Result<(String, &'a str), String> {
    let (name, rest) = match rest.strip_prefix('{') {
        Some(inside) => match inside.split_once('}') {
            Some(parts) => parts,
            None => return Err(problem("invalid character class range", text)),
        },
        None => rest.split_at_checked(rest.chars().next().map_or(0, char::len_utf8)).unwrap_or((rest, "")),
    };
    let piece = slice(text, ..text.len() - rest.len());
    let wrong = || problem("invalid character class range", piece);
    let (negated, name) = match name.strip_prefix('^') {
        Some(name) => (!negated, name),
        None => (negated, name),
    };
    let letter = if negated { 'P' } else { 'p' };
    let set = if CATEGORIES.contains(&name) {
        format!("\\{letter}{{{name}}}")
    } else if name == "Any" {
        return Ok((if negated { NOTHING.to_string() } else { r"[\x{0}-\x{10FFFF}]".to_string() }, rest));
    } else {
        let plain = name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
        let script = format!("\\{letter}{{sc={name}}}");
        if !plain || regex::Regex::new(&script).is_err() {
            return Err(wrong());
        }
        script
    };
    Ok((format!("[{set}]"), rest))
}

/// Translates the class at the start of `text`; gives it and the rest of the text.
pub fn translate(text: &str) -> Result<(String, &str), String> {
    let mut out = String::from("[");
    let mut rest = slice(text, 1..);
    if let Some(tail) = rest.strip_prefix('^') {
        out.push('^');
        rest = tail;
    }
    let mut first = true;
    while first || !rest.starts_with(']') {
        first = false;
        if let Some((set, tail)) = named(rest)? {
            out.push_str(&set);
            rest = tail;
            continue;
        }
        if rest.starts_with('\\')
            && let Some((set, tail)) = escaped_class(rest)?
        {
            out.push_str(&set);
            rest = tail;
            continue;
        }
        let begin = rest;
        let (low, tail) = character(rest, text)?;
        rest = tail;
        let mut high = low;
        if let Some(tail) = rest.strip_prefix('-')
            && !tail.is_empty()
            && !tail.starts_with(']')
        {
            let (end, tail) = character(tail, text)?;
            rest = tail;
            high = end;
            if high < low {
                let piece = slice(begin, ..begin.len() - rest.len());
                return Err(problem("invalid character class range", piece));
            }
        }
        out.push_str(&format!("\\x{{{:X}}}-\\x{{{:X}}}", u32::from(low), u32::from(high)));
    }
    out.push(']');
    Ok((out, rest.get(1..).unwrap_or_default()))
}

/// A class such as `[:alpha:]` at the start of `text`, and the rest of the text.
fn named(text: &str) -> Result<Option<(String, &str)>, String> {
    let Some((name, rest)) = text.strip_prefix("[:").and_then(|tail| tail.split_once(":]")) else {
        return Ok(None);
    };
    let piece = slice(text, ..text.len() - rest.len());
    if POSIX.contains(&name.strip_prefix('^').unwrap_or(name)) {
        Ok(Some((piece.to_string(), rest)))
    } else {
        Err(problem("invalid character class range", piece))
    }
}

fn character<'a>(text: &'a str, class: &str) -> Result<(char, &'a str), String> {
    if text.starts_with('\\') {
        let (c, rest) = unescape(text)?;
        return Ok((c.unwrap_or('\u{FFFD}'), rest));
    }
    let mut chars = text.chars();
    match chars.next() {
        Some(c) => Ok((c, chars.as_str())),
        None => Err(problem("missing closing ]", class)),
    }
}
