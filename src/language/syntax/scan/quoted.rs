//! Scanning of strings and characters.

use super::{Scanner, visible};
use ez_runtime::diagnostics::Code;

const BAD_HEX: &str = "invalid hex escape sequence: expected two hex digits after \\x";

impl Scanner<'_> {
    /// `"…"`: to the closing quote of the line. Inside `${…}` quotes and backslashes mean nothing.
    pub(super) fn string(&mut self) {
        self.at += 1;
        let mut depth = 0usize;
        // Where the outermost `${` begins.
        let mut open = 0;
        loop {
            if self.line_end() {
                let (offset, length) = if depth > 0 { (open, 2) } else { (0, 1) };
                self.error(Code::E1004, offset, length, "unclosed string literal");
                break;
            }
            match (depth, self.peek(0)) {
                (_, Some(b'$')) if self.peek(1) == Some(b'{') => {
                    if depth == 0 {
                        open = self.offset();
                    }
                    depth += 1;
                    self.at += 1;
                }
                (1.., Some(b'{')) => depth += 1,
                (1.., Some(b'}')) => depth -= 1,
                (0, Some(b'"')) => {
                    self.at += 1;
                    break;
                }
                (0, Some(b'\\')) => {
                    self.string_escape();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// The position within the token.
    fn offset(&self) -> usize {
        self.at - self.start
    }

    /// The next character, as messages show it.
    fn shown(&self) -> String {
        self.rest().chars().next().map_or(String::new(), visible)
    }

    /// Skips an escape, from its backslash on.
    fn string_escape(&mut self) {
        let start = self.offset();
        self.at += 1;
        match self.peek(0) {
            None => {}
            Some(b'n' | b't' | b'r' | b'\\' | b'"' | b'\'' | b'0') => self.at += 1,
            Some(b'x') => {
                self.at += 1;
                let digits = [0, 1].into_iter().take_while(|&ahead| self.digit(ahead, 16)).count();
                if digits < 2 {
                    let last = self.offset() - 1 + digits;
                    self.error(Code::E1006, last, 1, BAD_HEX);
                }
                self.at += digits;
            }
            Some(b'\n' | b'\r') => {
                let message = "invalid escape sequence: '\\' at the end of the line";
                self.error(Code::E1006, start, 1, message);
                self.at += 1;
            }
            Some(_) => {
                let message = format!("invalid escape sequence '\\{}' in string", self.shown());
                self.skip_char();
                self.error(Code::E1006, start, self.offset() - start, message);
            }
        }
    }

    /// `` `…` ``: to the next backtick, across lines.
    pub(super) fn raw_string(&mut self) {
        self.at += 1;
        self.at = match self.position_of("`") {
            Some(end) => end + 1,
            None => {
                self.error(Code::E1017, 0, 1, "unclosed raw string literal");
                self.text.len()
            }
        };
    }

    /// `'c'`: one byte or one escape.
    pub(super) fn char_literal(&mut self) {
        self.at += 1;
        let reported = self.errors.len();
        match self.peek(0) {
            None | Some(b'\n') => {
                self.error(Code::E1005, 0, 1, "unclosed character literal");
                return;
            }
            Some(b'\'') => {
                self.error(Code::E1008, 0, 2, "empty character literal");
                self.at += 1;
                return;
            }
            Some(b'\\') => self.char_escape(),
            Some(_) => self.at += 1,
        }
        // A bad escape has been reported; then the rest only has to be skipped.
        let silent = self.errors.len() > reported;
        if self.peek(0) != Some(b'\'') {
            if !silent {
                let message = "character literal must contain exactly one character";
                self.error(Code::E1009, 0, self.wide_literal().unwrap_or(1), message);
            }
            while !self.line_end() && self.peek(0) != Some(b'\'') {
                self.at += 1;
            }
        }
        if !self.line_end() {
            self.at += 1;
        } else if !silent {
            self.error(Code::E1005, 0, 1, "unclosed character literal");
        }
    }

    /// The length of the literal here, if there is one character between its quotes that is not ASCII.
    fn wide_literal(&self) -> Option<usize> {
        let rest = self.text.get(self.start + 1..)?;
        let c = rest.chars().next().filter(|c| !c.is_ascii())?;
        rest.get(c.len_utf8()..)?.starts_with('\'').then_some(c.len_utf8() + 2)
    }

    fn char_escape(&mut self) {
        self.at += 1;
        match self.peek(0) {
            None | Some(b'\n') => {}
            Some(b'n' | b't' | b'r' | b'\\' | b'"' | b'\'' | b'0') => self.at += 1,
            Some(b'x') => {
                self.at += 1;
                for _ in 0..2 {
                    let good = self.digit(0, 16);
                    if !self.line_end() {
                        self.at += 1;
                    }
                    if !good {
                        self.error(Code::E1007, 0, 1, BAD_HEX);
                        break;
                    }
                }
            }
            Some(_) => {
                let message = format!("invalid escape sequence '\\{}' in character literal", self.shown());
                self.error(Code::E1007, 0, 1, message);
                self.skip_char();
            }
        }
    }
}
