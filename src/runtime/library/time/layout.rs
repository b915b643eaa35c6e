//! Time formats: expanding tokens, and formatting.

use std::fmt::Write;

use super::calendar::{Civil, MONTHS, WEEKDAYS, name_of};
use crate::text::slice;

/// A part of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    LongMonth,
    Month,
    LongWeekday,
    Weekday,
    Zone,
    NumberMonth {
        padded: bool,
    },
    /// `02`, `_2`, `2`.
    Day(Padding),
    /// `002`, `__2`.
    YearDay(Padding),
    Hour24,
    Hour12 {
        padded: bool,
    },
    Minute {
        padded: bool,
    },
    Second {
        padded: bool,
    },
    LongYear,
    Year,
    Upper,
    Lower,
    Offset {
        colon: bool,
        seconds: bool,
        minutes: bool,
    },
    /// A separator and this many digits of a fraction.
    Zeros(usize),
    Nines,
}

/// Padding of short numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    Zero,
    Blank,
    None,
}

/// Replaces the tokens of a format (`YYYY`) by the reference texts of elements (`2006`), one kind of token
/// after the other.
pub fn expand(format: &str) -> String {
    const TOKENS: [(&str, &str); 13] = [
        ("YYYY", "2006"),
        ("YY", "06"),
        ("MM", "01"),
        ("DD", "02"),
        ("HH", "15"),
        ("hh", "03"),
        ("mm", "04"),
        ("ss", "05"),
        ("SSS", "000"),
        ("ZZ", "-07:00"),
        ("Z", "-0700"),
        ("A", "PM"),
        ("a", "pm"),
    ];
    TOKENS.iter().fold(format.to_string(), |text, (token, element)| text.replace(token, element))
}

/// Literal text before the next element, the element, its text, and what follows.
pub struct Chunk<'a> {
    pub literal: &'a str,
    pub element: Option<(Element, &'a str)>,
    pub rest: &'a str,
}

/// Elements by their reference texts, longer ones first.
const FIXED: &[(&str, Element)] = &[
    ("January", Element::LongMonth),
    ("Monday", Element::LongWeekday),
    ("MST", Element::Zone),
    ("002", Element::YearDay(Padding::Zero)),
    ("01", Element::NumberMonth { padded: true }),
    ("02", Element::Day(Padding::Zero)),
    ("03", Element::Hour12 { padded: true }),
    ("04", Element::Minute { padded: true }),
    ("05", Element::Second { padded: true }),
    ("06", Element::Year),
    ("15", Element::Hour24),
    ("1", Element::NumberMonth { padded: false }),
    ("2006", Element::LongYear),
    ("2", Element::Day(Padding::None)),
    ("__2", Element::YearDay(Padding::Blank)),
    ("_2", Element::Day(Padding::Blank)),
    ("3", Element::Hour12 { padded: false }),
    ("4", Element::Minute { padded: false }),
    ("5", Element::Second { padded: false }),
    ("PM", Element::Upper),
    ("pm", Element::Lower),
    ("-070000", Element::Offset { colon: false, seconds: true, minutes: true }),
    ("-07:00:00", Element::Offset { colon: true, seconds: true, minutes: true }),
    ("-0700", Element::Offset { colon: false, seconds: false, minutes: true }),
    ("-07:00", Element::Offset { colon: true, seconds: false, minutes: true }),
    ("-07", Element::Offset { colon: false, seconds: false, minutes: false }),
];

/// The element at the start of `text` and its length.
fn element(text: &str) -> Option<(Element, usize)> {
    let bytes = text.as_bytes();
    let lower_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    if let Some((_, element)) = FIXED.iter().find(|(fixed, _)| text.starts_with(fixed)) {
        let length = FIXED.iter().find(|(fixed, _)| text.starts_with(fixed)).map_or(0, |(f, _)| f.len());
        // A year may follow a literal underscore.
        let is_year = *element == Element::Day(Padding::Blank) && text.starts_with("_2006");
        return (!is_year).then_some((*element, length));
    }
    if text.starts_with("Jan") && !lower_at(3) {
        return Some((Element::Month, 3));
    }
    if text.starts_with("Mon") && !lower_at(3) {
        return Some((Element::Weekday, 3));
    }
    let (b'.' | b',', Some(digit @ (b'0' | b'9'))) = (bytes.first()?, bytes.get(1)) else { return None };
    let count = bytes.iter().skip(1).take_while(|b| *b == digit).count();
    if bytes.get(count + 1).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    Some((if *digit == b'0' { Element::Zeros(count) } else { Element::Nines }, count + 1))
}

/// Splits an expanded format before and after its first element.
pub fn next_chunk(layout: &str) -> Chunk<'_> {
    for (at, _) in layout.char_indices() {
        let Some((literal, tail)) = layout.split_at_checked(at) else { break };
        if let Some((element, length)) = element(tail)
            && let Some((text, rest)) = tail.split_at_checked(length)
        {
            return Chunk { literal, element: Some((element, text)), rest };
        }
    }
    Chunk { literal: layout, element: None, rest: "" }
}

/// A date and time with the zone's offset and name.
pub struct ZonedDateTime<'a> {
    pub civil: Civil,
    pub offset: i64,
    pub zone: &'a str,
}

/// Formats a moment by an expanded format.
pub fn write(layout: &str, moment: &ZonedDateTime) -> String {
    let mut out = String::new();
    let mut rest = layout;
    loop {
        let chunk = next_chunk(rest);
        out.push_str(chunk.literal);
        let Some((element, text)) = chunk.element else { return out };
        write_element(&mut out, element, text, moment);
        rest = chunk.rest;
    }
}

fn number(out: &mut String, value: i64, width: usize, padding: Padding) {
    let _ = match padding {
        Padding::Zero => write!(out, "{value:0width$}"),
        Padding::Blank => write!(out, "{value:width$}"),
        Padding::None => write!(out, "{value}"),
    };
}

fn write_element(out: &mut String, element: Element, text: &str, moment: &ZonedDateTime) {
    let t = &moment.civil;
    let padding = |padded: bool| if padded { Padding::Zero } else { Padding::None };
    let short = |name: &'static str| slice(name, ..3);
    let hour12 = if t.hour % 12 == 0 { 12 } else { t.hour % 12 };
    match element {
        Element::LongMonth => out.push_str(name_of(&MONTHS, t.month - 1)),
        Element::Month => out.push_str(short(name_of(&MONTHS, t.month - 1))),
        Element::LongWeekday => out.push_str(name_of(&WEEKDAYS, t.weekday())),
        Element::Weekday => out.push_str(short(name_of(&WEEKDAYS, t.weekday()))),
        Element::Zone => out.push_str(moment.zone),
        Element::NumberMonth { padded } => number(out, t.month, 2, padding(padded)),
        Element::Day(padding) => number(out, t.day, 2, padding),
        Element::YearDay(padding) => number(out, t.day_of_year(), 3, padding),
        Element::Hour24 => number(out, t.hour, 2, Padding::Zero),
        Element::Hour12 { padded } => number(out, hour12, 2, padding(padded)),
        Element::Minute { padded } => number(out, t.minute, 2, padding(padded)),
        Element::Second { padded } => number(out, t.second, 2, padding(padded)),
        Element::LongYear => year(out, t.year),
        Element::Year => number(out, t.year.rem_euclid(100), 2, Padding::Zero),
        Element::Upper => out.push_str(if t.hour >= 12 { "PM" } else { "AM" }),
        Element::Lower => out.push_str(if t.hour >= 12 { "pm" } else { "am" }),
        Element::Offset { colon, seconds, minutes } => {
            let (sign, offset) = (if moment.offset < 0 { '-' } else { '+' }, moment.offset.abs());
            let gap = if colon { ":" } else { "" };
            let _ = write!(out, "{sign}{:02}", offset / 3600);
            if minutes {
                let _ = write!(out, "{gap}{:02}", offset / 60 % 60);
            }
            if seconds {
                let _ = write!(out, "{gap}{:02}", offset % 60);
            }
        }
        Element::Zeros(_) => out.push_str(text),
        Element::Nines => {}
    }
}

/// Appends a year with at least four digits.
pub fn year(out: &mut String, year: i64) {
    let _ = if year < 0 { write!(out, "-{:04}", year.unsigned_abs()) } else { write!(out, "{year:04}") };
}
