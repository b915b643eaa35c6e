//! Scanning of number literals.

use super::{Lex, Scanner};
use crate::diagnostics::Code;

/// Scans a number from its first digit on; `is_float` of the extras tells which kind it was.
pub(crate) fn int(lexer: &mut Lex<'_>) {
    let mut scan = Scanner::new(lexer);
    lexer.extras.is_float = false;
    let reported = lexer.extras.errors.len();
    let prefix = match (lexer.slice(), scan.peek(0)) {
        ("0", Some(b'x' | b'X')) => Some((16, "invalid hex literal: expected hex digit after 0x")),
        ("0", Some(b'b' | b'B')) => Some((2, "invalid binary literal: expected 0 or 1 after 0b")),
        ("0", Some(b'o' | b'O')) => Some((8, "invalid octal literal: expected octal digit (0-7) after 0o")),
        _ => None,
    };
    match prefix {
        Some((radix, message)) => {
            scan.at += 1;
            if scan.digit(0, radix) {
                radix_digits(lexer, &mut scan, radix);
            } else {
                number_error(lexer, &scan, Code::E1010, message);
            }
        }
        None => decimal(lexer, &mut scan),
    }
    let end = scan.start + scan.at;
    lexer.extras.errors.iter_mut().skip(reported).for_each(|error| error.2 = end);
    scan.finish(lexer);
}

fn number_error(lexer: &mut Lex<'_>, scan: &Scanner<'_>, code: Code, message: &str) {
    scan.error(&mut lexer.extras, code, 0, scan.at, message);
}

const CONSECUTIVE: &str = "consecutive underscores not allowed in numeric literals";
const TRAILING: &str = "numeric literal cannot end with underscore";

/// Digits and underscores of an exponent or after a prefix.
fn radix_digits(lexer: &mut Lex<'_>, scan: &mut Scanner<'_>, radix: u32) {
    loop {
        if scan.digit(0, radix) {
            scan.at += 1;
        } else if scan.peek(0) == Some(b'_') {
            scan.at += 1;
            if scan.peek(0) == Some(b'_') {
                number_error(lexer, scan, Code::E1011, CONSECUTIVE);
            }
            if !scan.digit(0, radix) {
                number_error(lexer, scan, Code::E1013, TRAILING);
            }
        } else {
            return;
        }
    }
}

/// Scans digits and underscores before or after the point; true if an underscore was last.
fn decimal_digits(lexer: &mut Lex<'_>, scan: &mut Scanner<'_>, fraction: bool) -> bool {
    let mut underscore = false;
    loop {
        if scan.digit(0, 10) {
            scan.at += 1;
            underscore = false;
        } else if scan.peek(0) == Some(b'_') {
            scan.at += 1;
            underscore = true;
            match scan.peek(0) {
                Some(b'_') => number_error(lexer, scan, Code::E1011, CONSECUTIVE),
                Some(b'0'..=b'9') => {}
                Some(b'.') if !fraction => {}
                _ => number_error(lexer, scan, Code::E1013, TRAILING),
            }
        } else {
            return underscore;
        }
    }
}

fn decimal(lexer: &mut Lex<'_>, scan: &mut Scanner<'_>) {
    let underscore = decimal_digits(lexer, scan, false);
    if scan.peek(0) == Some(b'.') {
        if underscore {
            let message = "underscore cannot appear immediately before decimal point";
            number_error(lexer, scan, Code::E1014, message);
        }
        match scan.peek(1) {
            Some(b'0'..=b'9') => fraction(lexer, scan),
            Some(b'_') => {
                let message = "underscore cannot appear immediately after decimal point";
                number_error(lexer, scan, Code::E1015, message);
                return;
            }
            _ if underscore => return,
            _ => {
                let message = "invalid number format: decimal point must be followed by digits";
                number_error(lexer, scan, Code::E1016, message);
                return;
            }
        }
    }
    if matches!(scan.peek(0), Some(b'e' | b'E')) {
        lexer.extras.is_float = true;
        scan.at += 1;
        if matches!(scan.peek(0), Some(b'+' | b'-')) {
            scan.at += 1;
        }
        if scan.digit(0, 10) {
            radix_digits(lexer, scan, 10);
        } else {
            let message = "invalid number format: exponent must contain digits";
            number_error(lexer, scan, Code::E1010, message);
        }
    }
}

/// At the point of a float with a digit after it.
fn fraction(lexer: &mut Lex<'_>, scan: &mut Scanner<'_>) {
    lexer.extras.is_float = true;
    scan.at += 1;
    decimal_digits(lexer, scan, true);
    if scan.peek(0) == Some(b'.') {
        number_error(lexer, scan, Code::E1010, "invalid number format: multiple decimal points");
        while scan.peek(0) == Some(b'.') || scan.digit(0, 10) {
            scan.at += 1;
        }
    }
}
