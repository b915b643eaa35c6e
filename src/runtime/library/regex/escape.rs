//! Escapes of single characters.

use std::iter::Peekable;
use std::str::Chars;

use crate::text::slice;

/// `TEXT: PIECE`, the piece in backquotes.
pub fn problem(text: &str, piece: &str) -> String {
    format!("{text}: `{piece}`")
}

/// The character that the escape at the start of `text` denotes (`None` for surrogates), and the rest of
/// the text.
pub fn unescape(text: &str) -> Result<(Option<char>, &str), String> {
    let mut chars = text.chars().peekable();
    chars.next();
    let read = |chars: &Peekable<Chars>| {
        let left: usize = chars.clone().map(char::len_utf8).sum();
        slice(text, text.len() - left..)
    };
    let Some(c) = chars.next() else {
        return Err(problem("trailing backslash at end of expression", ""));
    };
    let octal = |c: Option<&char>| c.is_some_and(|c| ('0'..='7').contains(c));
    let code = match c {
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
        '0' => Some(octal_rest(0, &mut chars)),
        '1'..='7' if octal(chars.peek()) => Some(octal_rest(c.to_digit(8).unwrap_or(0), &mut chars)),
        'x' => hexadecimal(&mut chars),
        'a' => Some(7),
        'f' => Some(12),
        'n' => Some(10),
        'r' => Some(13),
        't' => Some(9),
        'v' => Some(11),
        _ => None,
    };
    let rest = read(&chars);
    match code {
        Some(code) => Ok((char::from_u32(code), rest)),
        None => {
            let piece = slice(text, ..text.len() - rest.len());
            Err(problem("invalid escape sequence", piece))
        }
    }
}

fn octal_rest(first: u32, chars: &mut Peekable<Chars>) -> u32 {
    let mut code = first;
    for _ in 0..2 {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
        code = code * 8 + digit;
        chars.next();
    }
    code
}

/// Two digits, or any number of them in braces.
fn hexadecimal(chars: &mut Peekable<Chars>) -> Option<u32> {
    let first = chars.next()?;
    if first != '{' {
        let high = first.to_digit(16);
        let low = chars.next().and_then(|c| c.to_digit(16));
        return Some(high? * 16 + low?);
    }
    let mut code: u32 = 0;
    let mut digits = 0;
    loop {
        match chars.next()? {
            '}' if digits > 0 => return Some(code),
            c => {
                code = code * 16 + c.to_digit(16)?;
                digits += 1;
                if code > 0x10_FFFF {
                    return None;
                }
            }
        }
    }
}
