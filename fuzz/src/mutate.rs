//! Changes of inputs by whole pieces: bytes alone do not get past a parser.

use crate::words::{VALUES, WORDS};

/// How often a piece is repeated at most: what does not take time in proportion to the length shows.
const REPEATED: usize = 600;

/// Most changes at once.
const CHANGES: usize = 4;

/// Random numbers, xorshift.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u32) -> Random {
        let mut random = Random(u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        random.below(1);
        random
    }

    /// A number below this one; 0 if that is 0.
    pub fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % count.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'#' | b'@')
}

/// How many bytes the first piece of a text has: a word, blanks, a string, a comment, an operator, or a character.
fn piece(text: &str) -> usize {
    const BLANKS: [char; 4] = [' ', '\n', '\t', '\r'];
    const OPERATORS: &str = "=+-*/<>!&|.";
    let rest = |is: &dyn Fn(char) -> bool| text.find(|c| !is(c)).unwrap_or(text.len());
    match text.chars().next() {
        None => 0,
        Some(c) if c.is_ascii() && is_word(c as u8) => rest(&|c| c.is_ascii() && is_word(c as u8)),
        Some(c) if BLANKS.contains(&c) => rest(&|c| BLANKS.contains(&c)),
        Some(quote @ ('"' | '\'' | '`')) => {
            let inside = text[1..].find([quote, '\n']).map(|length| length + 2);
            inside.filter(|end| *end < 40 && text.is_char_boundary(*end)).unwrap_or(1)
        }
        Some('/') if text.starts_with("//") => rest(&|c| c != '\n'),
        Some(c) if OPERATORS.contains(c) => rest(&|c| OPERATORS.contains(c)),
        Some(c) => c.len_utf8(),
    }
}

fn pieces(mut text: &str) -> Vec<String> {
    let mut found = Vec::new();
    while !text.is_empty() {
        let (first, rest) = text.split_at(piece(text));
        found.push(first.to_string());
        text = rest;
    }
    found
}

/// Changes a program: pieces are deleted, copied, repeated, exchanged, replaced by others of the program or of a list,
/// and names by others wherever they are.
pub fn program(text: &str, random: &mut Random, most: usize) -> String {
    let mut parts = pieces(text);
    for _ in 0..=random.below(CHANGES) {
        change(&mut parts, random, most.saturating_sub(text.len()));
    }
    cut(parts.concat(), most)
}

fn change(parts: &mut Vec<String>, random: &mut Random, room: usize) {
    let at = random.below(parts.len() + 1);
    let longest = if random.one_in(3) { 30 } else { 4 };
    let end = (at + 1 + random.below(longest)).min(parts.len());
    let other = random.below(parts.len());
    match random.below(9) {
        0 => drop(parts.drain(at..end)),
        1 => {
            let some = parts[at..end].to_vec();
            let to = random.below(parts.len() + 1);
            parts.splice(to..to, some);
        }
        2 => {
            let some = parts[at..end].to_vec();
            let size = some.iter().map(String::len).sum::<usize>().max(1);
            let times = random.below((room / size).min(REPEATED) + 1);
            let repeated = some.iter().cycle().take(some.len() * times).cloned().collect::<Vec<_>>();
            parts.splice(at..at, repeated);
        }
        3 if at < parts.len() => parts[at] = parts[other].clone(),
        4 | 5 => parts.insert(at, random.pick(WORDS).to_string()),
        6 if at < parts.len() => parts[at] = random.pick(WORDS).to_string(),
        7 if at < parts.len() => {
            let (old, new) = (parts[at].clone(), parts[other].clone());
            parts.iter_mut().filter(|part| **part == old).for_each(|part| part.clone_from(&new));
        }
        _ if at < parts.len() => parts.swap(at, other),
        _ => {}
    }
}

/// The beginning of a text.
fn cut(mut text: String, most: usize) -> String {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

/// Changes lines of JSON: lines are deleted, copied, exchanged, or new ones inserted, and values replaced by others.
/// `None` if it comes to nothing.
pub fn lines(
    text: &str,
    random: &mut Random,
    most: usize,
    new: &dyn Fn(&mut Random) -> String,
) -> Option<String> {
    let mut lines: Vec<String> = text.split('\n').map(String::from).collect();
    let at = random.below(lines.len());
    match random.below(10) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }
        3..6 => {
            let to = random.below(lines.len() + 1);
            lines.insert(to, new(random));
        }
        _ => lines[at] = other_value(&lines[at], random)?,
    }
    Some(lines.join("\n")).filter(|text| text.len() <= most)
}

/// A line of JSON with another value somewhere, most often in its parameters. What precedes the JSON stays.
fn other_value(line: &str, random: &mut Random) -> Option<String> {
    let (before, json) = line.split_at(line.find('{')?);
    let mut value: serde_json::Value = serde_json::from_str(json).ok()?;
    let mut inner = &mut value;
    if let Some(name) = ["params", "arguments"].into_iter().find(|name| inner.get(name).is_some()) {
        inner = &mut inner[name];
    }
    loop {
        let count =
            inner.as_object().map(serde_json::Map::len).or(inner.as_array().map(Vec::len)).unwrap_or(0);
        if count == 0 || random.one_in(5) {
            break;
        }
        let nth = random.below(count);
        inner = match inner {
            serde_json::Value::Object(fields) => fields.values_mut().nth(nth)?,
            serde_json::Value::Array(items) => items.get_mut(nth)?,
            _ => return None,
        };
    }
    match inner {
        serde_json::Value::String(text) if random.one_in(2) => *text = program(text, random, 2000),
        inner => *inner = serde_json::from_str(random.pick(VALUES)).ok()?,
    }
    Some(format!("{before}{value}"))
}
