//! A pull parser for JSON.

use std::borrow::Cow;

use crate::sync::deeper_or;
use crate::text::slice;
use crate::value::inspect_string;

/// A pull parser: the caller asks for the kind of the next value and reads it.
pub struct JsonReader<'a, 'b> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// How many values have been read.
    made: u32,
    watch: Watch<'b>,
}

/// Called every [`VALUES`] values; false ends the reading.
pub type Watch<'b> = &'b mut dyn FnMut() -> bool;

/// Values between two calls of [`Watch`].
pub const VALUES: u32 = 1 << 12;

/// A syntax error: its message.
pub type Syntax = String;

/// Maximal nesting, where there is room for it.
pub const MAX_DEPTH: usize = 10_000;

/// Reads a container with `read`.
///
/// # Errors
/// Those of `read`; that of [`MAX_DEPTH`], if there is no room for that many levels.
pub fn nested<T>(read: impl FnOnce() -> Result<T, Syntax>) -> Result<T, Syntax> {
    deeper_or(read, || Err(TOO_DEEP.into()))
}

const TOO_DEEP: &str = "exceeded max depth";

/// Kinds of values.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// A number as it is written.
pub struct NumberLiteral<'a> {
    pub text: &'a str,
    /// Whether it has neither fraction nor exponent.
    pub integer: bool,
}

/// Whether the whole text is JSON.
///
/// # Errors
/// The syntax error.
pub fn check(text: &str) -> Result<Kind, Syntax> {
    let mut watch = || true;
    let mut reader = JsonReader::new(text, &mut watch);
    let kind = reader.kind()?;
    reader.skip()?;
    reader.end()?;
    Ok(kind)
}

/// A character as messages show it between quotes.
fn shown(c: char) -> String {
    let mut text = String::new();
    match c {
        '"' => return c.into(),
        '\'' => return "\\'".into(),
        c => inspect_string(&mut text, c.encode_utf8(&mut [0; 4])),
    }
    text.trim_matches('"').to_string()
}

impl<'a, 'b> JsonReader<'a, 'b> {
    pub fn new(text: &'a str, watch: Watch<'b>) -> JsonReader<'a, 'b> {
        JsonReader { text, at: 0, depth: 0, made: 0, watch }
    }

    /// To be called for every value that is read.
    #[inline]
    pub fn made(&mut self) -> Result<(), Syntax> {
        self.made = self.made.wrapping_add(1);
        if self.made.is_multiple_of(VALUES) && !(self.watch)() {
            return Err("stopped".into());
        }
        Ok(())
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.byte() {
            self.at += 1;
        }
    }

    fn slice(&self, from: usize) -> &'a str {
        slice(self.text, from..self.at)
    }

    fn wrong<T>(&self, place: &str) -> Result<T, Syntax> {
        let Some(c) = self.text.get(self.at..).and_then(|rest| rest.chars().next()) else {
            return Err("unexpected end of JSON input".into());
        };
        Err(format!("invalid character '{}' {place}", shown(c)))
    }

    /// The kind of the next value.
    pub fn kind(&mut self) -> Result<Kind, Syntax> {
        self.blanks();
        Ok(match self.byte() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            Some(b't') => Kind::True,
            Some(b'f') => Kind::False,
            Some(b'n') => Kind::Null,
            _ => return self.wrong("looking for beginning of value"),
        })
    }

    /// Checks that only white space follows.
    pub fn end(&mut self) -> Result<(), Syntax> {
        self.blanks();
        if self.at == self.text.len() { Ok(()) } else { self.wrong("after top-level value") }
    }

    /// `true`, `false` or `null`.
    pub fn word(&mut self, word: &str) -> Result<(), Syntax> {
        for expected in word.chars() {
            if self.byte() != u8::try_from(expected).ok() {
                return self.wrong(&format!("in literal {word} (expecting '{expected}')"));
            }
            self.at += 1;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Syntax> {
        if !self.byte().is_some_and(|b| b.is_ascii_digit()) {
            return self.wrong("in numeric literal");
        }
        while self.byte().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    /// A number.
    pub fn number(&mut self) -> Result<NumberLiteral<'a>, Syntax> {
        let from = self.at;
        let mut integer = true;
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        if self.byte() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.byte() == Some(b'.') {
            integer = false;
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            integer = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(NumberLiteral { text: self.slice(from), integer })
    }

    /// A string.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Syntax> {
        self.at += 1;
        let from = self.at;
        self.plain();
        if self.byte() == Some(b'"') {
            let text = self.slice(from);
            self.at += 1;
            return Ok(Cow::Borrowed(text));
        }
        let mut text = self.slice(from).to_string();
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(text));
                }
                Some(b'\\') => text.push(self.escape()?),
                _ => return self.wrong("in string"),
            }
            let from = self.at;
            self.plain();
            text.push_str(self.slice(from));
        }
    }

    /// Skips characters that are not escapes.
    fn plain(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let special = rest.iter().position(|b| *b == b'"' || *b == b'\\' || *b < 0x20);
        self.at += special.unwrap_or(rest.len());
    }

    fn escape(&mut self) -> Result<char, Syntax> {
        let from = self.at;
        self.at += 1;
        let c = match self.byte() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(from),
            None => return self.wrong("in string"),
            Some(_) => {
                self.at += self.text.get(self.at..).and_then(|r| r.chars().next()).map_or(1, char::len_utf8);
                return Err(format!("invalid escape sequence `{}` in string", self.slice(from)));
            }
        };
        self.at += 1;
        Ok(c)
    }

    /// The four hexadecimal digits of `\u`, which is the next character.
    fn four(&mut self, from: usize) -> Result<u32, Syntax> {
        let rest = slice(self.text, self.at + 1..);
        let digits: String = rest.chars().take(4).collect();
        let closed = digits.contains('"');
        if digits.chars().count() < 4 && !closed {
            self.at = self.text.len();
            return self.wrong("in string");
        }
        match u32::from_str_radix(&digits, 16) {
            Ok(code) if digits.bytes().all(|b| b.is_ascii_hexdigit()) => {
                self.at += 5;
                Ok(code)
            }
            _ => {
                self.at += 1 + digits.split('"').next().map_or(0, str::len);
                Err(format!("invalid escape sequence `{}` in string", self.slice(from)))
            }
        }
    }

    fn unicode(&mut self, from: usize) -> Result<char, Syntax> {
        let code = self.four(from)?;
        if (0xD800..0xDC00).contains(&code)
            && self.text.get(self.at..).is_some_and(|rest| rest.starts_with("\\u"))
        {
            let (second, back) = (self.at, self.at);
            self.at += 1;
            let low = self.four(second)?;
            if (0xDC00..0xE000).contains(&low) {
                let both = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        // A lone surrogate.
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn deeper(&mut self) -> Result<(), Syntax> {
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(TOO_DEEP.into()) } else { Ok(()) }
    }

    /// An array; `item` reads each element.
    pub fn array(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), Syntax>) -> Result<(), Syntax> {
        self.deeper()?;
        self.blanks();
        if self.byte() != Some(b']') {
            loop {
                item(self)?;
                self.blanks();
                match self.byte() {
                    Some(b',') => self.at += 1,
                    Some(b']') => break,
                    _ => return self.wrong("after array element"),
                }
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    /// An object; `member` gets each key and reads its value.
    pub fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Result<(), Syntax>,
    ) -> Result<(), Syntax> {
        self.deeper()?;
        self.blanks();
        if self.byte() != Some(b'}') {
            loop {
                self.blanks();
                if self.byte() != Some(b'"') {
                    return self.wrong("looking for beginning of object key string");
                }
                let key = self.string()?;
                self.blanks();
                if self.byte() != Some(b':') {
                    return self.wrong("after object key");
                }
                self.at += 1;
                member(self, key)?;
                self.blanks();
                match self.byte() {
                    Some(b',') => self.at += 1,
                    Some(b'}') => break,
                    _ => return self.wrong("after object key:value pair"),
                }
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    /// Skips a value.
    pub fn skip(&mut self) -> Result<(), Syntax> {
        match self.kind()? {
            Kind::Object => nested(|| self.object(|reader, _| reader.skip())),
            Kind::Array => nested(|| self.array(Self::skip)),
            Kind::String => self.string().map(|_| ()),
            Kind::Number => self.number().map(|_| ()),
            Kind::True => self.word("true"),
            Kind::False => self.word("false"),
            Kind::Null => self.word("null"),
        }
    }
}
