//! Translation of patterns from the syntax of RE2 to that of the `regex` crate.
//!
//! The crate's syntax differs (Unicode classes by default, nested classes, other escapes), and the error
//! messages are part of the language, so every pattern is parsed here.

use super::class::{self, escape_char};
use super::escape::{problem, unescape};
use crate::text::slice;

/// A translated pattern.
pub struct Translated {
    pub pattern: String,
    /// Names of the groups, from group 1 on.
    pub names: Vec<Option<String>>,
}

/// The last item in a group.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// Nothing that can be repeated.
    Nothing,
    /// An item, with the product of the repetition counts in it.
    Atom(u64),
}

struct Group {
    last: Last,
    /// The largest product of repetition counts inside.
    weight: u64,
}

struct Translator<'a> {
    whole: &'a str,
    rest: &'a str,
    out: String,
    names: Vec<Option<String>>,
    groups: Vec<Group>,
    /// Start of the repetition operators directly before, if there are any.
    repeated_from: Option<usize>,
}

/// Maximal product of nested repetition counts.
const MAX_COUNT: u64 = 1000;

/// Translates a pattern.
///
/// # Errors
/// A description of the error with the wrong piece.
pub fn translate(pattern: &str) -> Result<Translated, String> {
    let mut t = Translator {
        whole: pattern,
        rest: pattern,
        out: String::new(),
        names: Vec::new(),
        groups: vec![Group { last: Last::Nothing, weight: 1 }],
        repeated_from: None,
    };
    while let Some(c) = t.rest.chars().next() {
        t.item(c)?;
    }
    if t.groups.len() > 1 {
        return Err(problem("missing closing )", pattern));
    }
    Ok(Translated { pattern: t.out, names: t.names })
}

impl<'a> Translator<'a> {
    fn at(&self) -> usize {
        self.whole.len() - self.rest.len()
    }

    /// The pattern's text between two places.
    fn piece(&self, from: usize) -> &'a str {
        slice(self.whole, from..self.at())
    }

    fn skip(&mut self, count: usize) {
        self.rest = slice(self.rest, count..);
    }

    fn group(&mut self) -> Option<&mut Group> {
        self.groups.last_mut()
    }

    fn atom(&mut self, weight: u64) {
        if let Some(group) = self.group() {
            group.last = Last::Atom(weight);
            group.weight = group.weight.max(weight);
        }
    }

    fn literal(&mut self, c: char) {
        escape_char(&mut self.out, c);
        self.atom(1);
    }

    fn plain(&mut self, c: char) {
        self.skip(c.len_utf8());
        self.out.push(c);
        self.atom(1);
    }

    fn item(&mut self, c: char) -> Result<(), String> {
        let repeated = self.repeated_from.take();
        match c {
            '*' | '+' | '?' => {
                let from = self.at();
                self.skip(1);
                self.repeat(from, repeated, &c.to_string(), 1)
            }
            '{' => match self.counts()? {
                Some((from, text, weight)) => self.repeat(from, repeated, &text, weight),
                None => {
                    self.skip(1);
                    self.literal('{');
                    Ok(())
                }
            },
            '(' => self.open(),
            ')' => self.close(),
            '|' => {
                self.skip(1);
                self.out.push('|');
                if let Some(group) = self.group() {
                    group.last = Last::Nothing;
                }
                Ok(())
            }
            '[' => {
                let (text, rest) = class::translate(self.rest)?;
                self.rest = rest;
                self.out.push_str(&text);
                self.atom(1);
                Ok(())
            }
            '.' | '^' | '$' => {
                self.plain(c);
                Ok(())
            }
            '\\' => self.escape(),
            c => {
                self.skip(c.len_utf8());
                self.literal(c);
                Ok(())
            }
        }
    }

    /// A count `{n}`, `{n,}` or `{n,m}`: its start, its translation, its maximum. `None` if the brace is
    /// literal.
    fn counts(&mut self) -> Result<Option<(usize, String, u64)>, String> {
        let from = self.at();
        let Some((inside, rest)) = self.rest.get(1..).and_then(|r| r.split_once('}')) else {
            return Ok(None);
        };
        let (low, high) = match inside.split_once(',') {
            Some((low, high)) => (low, Some(high)),
            None => (inside, None),
        };
        let number = |text: &str| -> Option<u64> {
            let digits = text.bytes().all(|b| b.is_ascii_digit());
            let leading = text.len() > 1 && text.starts_with('0');
            // Too many digits for an integer: more than any limit.
            (digits && !text.is_empty() && !leading).then(|| text.parse().unwrap_or(u64::MAX))
        };
        let Some(least) = number(low) else { return Ok(None) };
        let most = match high {
            None => Some(least),
            Some("") => None,
            Some(text) => match number(text) {
                Some(most) => Some(most),
                None => return Ok(None),
            },
        };
        self.rest = rest;
        if least > MAX_COUNT || most.is_some_and(|most| most > MAX_COUNT || most < least) {
            return Err(problem("invalid repeat count", self.piece(from)));
        }
        let text = match most {
            Some(most) if most == least => format!("{{{least}}}"),
            Some(most) => format!("{{{least},{most}}}"),
            None => format!("{{{least},}}"),
        };
        Ok(Some((from, text, most.unwrap_or(least))))
    }

    fn repeat(&mut self, from: usize, before: Option<usize>, text: &str, count: u64) -> Result<(), String> {
        let lazy = self.rest.starts_with('?');
        if lazy {
            self.skip(1);
        }
        if let Some(before) = before {
            return Err(problem("invalid nested repetition operator", self.piece(before)));
        }
        let piece = self.piece(from);
        let Some(&Group { last: Last::Atom(inner), .. }) = self.groups.last() else {
            return Err(problem("missing argument to repetition operator", piece));
        };
        let weight = inner.saturating_mul(count.max(1));
        if count >= 2 && weight > MAX_COUNT {
            return Err(problem("invalid repeat count", piece));
        }
        self.out.push_str(text);
        if lazy {
            self.out.push('?');
        }
        self.atom(weight);
        self.repeated_from = Some(from);
        Ok(())
    }

    fn open(&mut self) -> Result<(), String> {
        if self.rest.starts_with("(?") {
            return self.special();
        }
        self.skip(1);
        self.enter("(", Some(None));
        Ok(())
    }

    /// Begins a group; `capture` is its name if it captures.
    fn enter(&mut self, text: &str, capture: Option<Option<String>>) {
        self.out.push_str(text);
        self.groups.push(Group { last: Last::Nothing, weight: 1 });
        self.names.extend(capture);
    }

    fn close(&mut self) -> Result<(), String> {
        if self.groups.len() < 2 {
            return Err(problem("unexpected )", self.whole));
        }
        self.skip(1);
        self.out.push(')');
        let inner = self.groups.pop().map_or(1, |group| group.weight);
        self.atom(inner);
        Ok(())
    }

    /// `(?…`: named groups and flags.
    fn special(&mut self) -> Result<(), String> {
        let start = self.rest;
        let named = start.strip_prefix("(?P<").or_else(|| start.strip_prefix("(?<"));
        if let Some(tail) = named.filter(|tail| !tail.is_empty()) {
            let Some((name, rest)) = tail.split_once('>') else {
                return Err(problem("invalid named capture", start));
            };
            let from = self.at();
            self.rest = rest;
            if name.is_empty() || !name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()) {
                return Err(problem("invalid named capture", self.piece(from)));
            }
            self.enter("(", Some(Some(name.to_string())));
            return Ok(());
        }
        let from = self.at();
        self.skip(2);
        let mut flags = Flags::default();
        while let Some(c) = self.rest.chars().next() {
            self.skip(c.len_utf8());
            match c {
                'i' | 'm' | 's' | 'U' => flags.set(c),
                '-' if !flags.clearing => flags.clearing = true,
                ':' | ')' if !flags.clearing || flags.cleared => {
                    let text = flags.text();
                    if c == ':' {
                        self.enter(&format!("(?{text}:"), None);
                    } else if !text.is_empty() {
                        self.out.push_str(&format!("(?{text})"));
                        if let Some(group) = self.group() {
                            group.last = Last::Nothing;
                        }
                    }
                    return Ok(());
                }
                _ => break,
            }
        }
        Err(problem("invalid or unsupported Perl syntax", self.piece(from)))
    }

    fn escape(&mut self) -> Result<(), String> {
        let next = self.rest.chars().nth(1);
        let direct = match next {
            Some('A') => Some(r"\A"),
            Some('z') => Some(r"\z"),
            Some('b') => Some(r"(?-u:\b)"),
            Some('B') => Some(r"(?-u:\B)"),
            _ => None,
        };
        if let Some(text) = direct {
            self.skip(2);
            self.out.push_str(text);
            self.atom(1);
            return Ok(());
        }
        if next == Some('Q') {
            self.skip(2);
            let (literal, rest) = self.rest.split_once("\\E").unwrap_or((self.rest, ""));
            self.rest = rest;
            literal.chars().for_each(|c| self.literal(c));
            return Ok(());
        }
        if let Some((text, rest)) = class::escaped_class(self.rest)? {
            self.rest = rest;
            self.out.push_str(&text);
            self.atom(1);
            return Ok(());
        }
        let (c, rest) = unescape(self.rest)?;
        self.rest = rest;
        match c {
            Some(c) => self.literal(c),
            None => {
                // A surrogate, which matches nothing.
                self.out.push_str(class::NOTHING);
                self.atom(1);
            }
        }
        Ok(())
    }
}

/// Flags of a group.
#[derive(Default)]
struct Flags {
    on: Vec<char>,
    off: Vec<char>,
    /// Whether a `-` was read.
    clearing: bool,
    /// Whether a flag came after it.
    cleared: bool,
}

impl Flags {
    fn set(&mut self, flag: char) {
        let (to, from) =
            if self.clearing { (&mut self.off, &mut self.on) } else { (&mut self.on, &mut self.off) };
        self.cleared |= self.clearing;
        from.retain(|f| *f != flag);
        if !to.contains(&flag) {
            to.push(flag);
        }
    }

    fn text(&self) -> String {
        let mut text: String = self.on.iter().collect();
        if !self.off.is_empty() {
            text.push('-');
            text.extend(&self.off);
        }
        text
    }
}
