//! Scanning of number literals.

use super::Scanner;
use ez_runtime::diagnostics::Code;

const CONSECUTIVE: &str = "consecutive underscores not allowed in numeric literals";
const TRAILING: &str = "numeric literal cannot end with underscore";

impl Scanner<'_> {
    /// A number, from its first digit on; whether it is a float.
    pub(super) fn number(&mut self) -> bool {
        let reported = self.errors.len();
        let prefix = match (self.peek(0), self.peek(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => Some((16, "invalid hex literal: expected hex digit after 0x")),
            (Some(b'0'), Some(b'b' | b'B')) => Some((2, "invalid binary literal: expected 0 or 1 after 0b")),
            (Some(b'0'), Some(b'o' | b'O')) => {
                Some((8, "invalid octal literal: expected octal digit (0-7) after 0o"))
            }
            _ => None,
        };
        let is_float = match prefix {
            Some((radix, message)) => {
                self.at += 2;
                if self.digit(0, radix) {
                    self.radix_digits(radix);
                } else {
                    self.number_error(Code::E1010, message);
                }
                false
            }
            None => self.decimal(),
        };
        // Errors mark the whole number.
        let end = self.at;
        self.errors.iter_mut().skip(reported).for_each(|error| error.end = end);
        is_float
    }

    fn number_error(&mut self, code: Code, message: &str) {
        self.error(code, 0, 0, message);
    }

    /// Digits and underscores of an exponent or after a prefix.
    fn radix_digits(&mut self, radix: u32) {
        loop {
            if self.digit(0, radix) {
                self.at += 1;
            } else if self.peek(0) == Some(b'_') {
                self.at += 1;
                if self.peek(0) == Some(b'_') {
                    self.number_error(Code::E1011, CONSECUTIVE);
                }
                if !self.digit(0, radix) {
                    self.number_error(Code::E1013, TRAILING);
                }
            } else {
                return;
            }
        }
    }

    /// Scans digits and underscores before or after the point; true if an underscore was last.
    fn decimal_digits(&mut self, fraction: bool) -> bool {
        let mut underscore = false;
        loop {
            if self.digit(0, 10) {
                self.at += 1;
                underscore = false;
            } else if self.peek(0) == Some(b'_') {
                self.at += 1;
                underscore = true;
                match self.peek(0) {
                    Some(b'_') => self.number_error(Code::E1011, CONSECUTIVE),
                    Some(b'0'..=b'9') => {}
                    Some(b'.') if !fraction => {}
                    _ => self.number_error(Code::E1013, TRAILING),
                }
            } else {
                return underscore;
            }
        }
    }

    fn decimal(&mut self) -> bool {
        let mut is_float = false;
        let underscore = self.decimal_digits(false);
        if self.peek(0) == Some(b'.') {
            if underscore {
                let message = "underscore cannot appear immediately before decimal point";
                self.number_error(Code::E1014, message);
            }
            match self.peek(1) {
                Some(b'0'..=b'9') => {
                    is_float = true;
                    self.fraction();
                }
                Some(b'_') => {
                    let message = "underscore cannot appear immediately after decimal point";
                    self.number_error(Code::E1015, message);
                    return is_float;
                }
                _ if underscore => return is_float,
                _ => {
                    let message = "invalid number format: decimal point must be followed by digits";
                    self.number_error(Code::E1016, message);
                    return is_float;
                }
            }
        }
        if matches!(self.peek(0), Some(b'e' | b'E')) {
            is_float = true;
            self.exponent();
        }
        is_float
    }

    /// At the `e` of a float.
    fn exponent(&mut self) {
        self.at += 1;
        if matches!(self.peek(0), Some(b'+' | b'-')) {
            self.at += 1;
        }
        if self.digit(0, 10) {
            self.radix_digits(10);
        } else {
            let message = "invalid number format: exponent must contain digits";
            self.number_error(Code::E1010, message);
        }
    }

    /// At the point of a float with a digit after it.
    fn fraction(&mut self) {
        self.at += 1;
        self.decimal_digits(true);
        if self.peek(0) == Some(b'.') {
            self.number_error(Code::E1010, "invalid number format: multiple decimal points");
            while self.peek(0) == Some(b'.') || self.digit(0, 10) {
                self.at += 1;
            }
        }
    }
}
