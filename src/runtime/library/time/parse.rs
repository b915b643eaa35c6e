//! Parsing dates and times by a format.

use super::calendar::{Civil, MONTHS, WEEKDAYS, days_in, is_leap};
use super::layout::{Element, Padding, next_chunk};
use crate::text::slice;

/// The parts that have been parsed.
#[derive(Default)]
struct Parts {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    year_day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    afternoon: Option<bool>,
    offset: Option<i64>,
    zone: Option<String>,
}

/// Why an element could not be parsed.
enum Bad {
    /// The text does not match the element.
    Mismatch,
    /// The number of this part is out of range.
    Range(&'static str),
}

/// A parsed date and time.
pub struct ParsedTime {
    /// Seconds since 1970, taking the text as UTC.
    pub seconds: i64,
    /// Offset, if the text has one.
    pub offset: Option<i64>,
    /// Abbreviation of a zone, if the text has one.
    pub zone: Option<String>,
}

/// Parses `text` by an expanded format.
///
/// # Errors
/// A message about the part that does not match.
pub fn parse(text: &str, layout: &str) -> Result<ParsedTime, String> {
    let mut parts = Parts::default();
    let (mut value, mut rest) = (text, layout);
    let cannot = |value: &str, element: &str| {
        let (text, layout) = (quote(text), quote(layout));
        Err(format!("parsing time {text} as {layout}: cannot parse {} as {}", quote(value), quote(element)))
    };
    loop {
        let chunk = next_chunk(rest);
        match skip(value, chunk.literal) {
            Ok(left) => value = left,
            Err(left) => return cannot(left, chunk.literal),
        }
        let Some((element, element_text)) = chunk.element else {
            if value.is_empty() {
                break;
            }
            return Err(format!("parsing time {}: extra text: {}", quote(text), quote(value)));
        };
        rest = chunk.rest;
        match read(&mut parts, element, value, rest) {
            Ok(left) => value = left,
            Err(Bad::Mismatch) => return cannot(value, element_text),
            Err(Bad::Range(what)) => {
                return Err(format!("parsing time {}: {what} out of range", quote(text)));
            }
        }
    }
    finish(parts).map_err(|what| format!("parsing time {}: {what} out of range", quote(text)))
}

fn finish(parts: Parts) -> Result<ParsedTime, &'static str> {
    let mut hour = parts.hour;
    match parts.afternoon {
        Some(true) if hour < 12 => hour += 12,
        Some(false) if hour == 12 => hour = 0,
        _ => {}
    }
    let (mut month, mut day) = (parts.month.unwrap_or(1), parts.day.unwrap_or(1));
    if let Some(number) = parts.year_day {
        if !(1..=365 + i64::from(is_leap(parts.year))).contains(&number) {
            return Err("day-of-year");
        }
        let (year, midnight) = (parts.year, (0, 0, 0));
        let date =
            Civil { year, month: 1, day: number, hour: midnight.0, minute: midnight.1, second: midnight.2 };
        let date = Civil::of(date.seconds());
        (month, day) = (date.month, date.day);
    }
    if day < 1 || day > days_in(parts.year, month) {
        return Err("day");
    }
    let civil = Civil { year: parts.year, month, day, hour, minute: parts.minute, second: parts.second };
    Ok(ParsedTime { seconds: civil.seconds(), offset: parts.offset, zone: parts.zone })
}

/// Removes literal text from the front; a run of blanks matches any number of blanks.
fn skip<'a>(mut value: &'a str, mut literal: &str) -> Result<&'a str, &'a str> {
    while let Some(first) = literal.chars().next() {
        if first == ' ' {
            if !value.is_empty() && !value.starts_with(' ') {
                return Err(value);
            }
            literal = literal.trim_start_matches(' ');
            value = value.trim_start_matches(' ');
            continue;
        }
        value = value.strip_prefix(first).ok_or(value)?;
        literal = slice(literal, first.len_utf8()..);
    }
    Ok(value)
}

/// Between `least` and `most` digits from the front.
fn digits(value: &str, least: usize, most: usize) -> Result<(i64, &str), Bad> {
    let count = value.bytes().take(most).take_while(u8::is_ascii_digit).count();
    if count < least {
        return Err(Bad::Mismatch);
    }
    let (number, rest) = value.split_at_checked(count).ok_or(Bad::Mismatch)?;
    Ok((number.parse().map_err(|_| Bad::Mismatch)?, rest))
}

fn within(number: i64, low: i64, high: i64, what: &'static str) -> Result<i64, Bad> {
    if (low..=high).contains(&number) { Ok(number) } else { Err(Bad::Range(what)) }
}

/// One of the names (or its first three letters), in any case.
fn name<'a>(value: &'a str, names: &[&str], short: bool) -> Result<(i64, &'a str), Bad> {
    for (i, name) in names.iter().enumerate() {
        let length = if short { 3 } else { name.len() };
        if let (Some(name), Some((front, rest))) = (name.get(..length), value.split_at_checked(length))
            && front.eq_ignore_ascii_case(name)
        {
            return Ok((i as i64, rest));
        }
    }
    Err(Bad::Mismatch)
}

/// Parses one element; gives the rest of the text.
fn read<'a>(parts: &mut Parts, element: Element, value: &'a str, layout: &str) -> Result<&'a str, Bad> {
    match read_date(parts, element, value)? {
        Some(rest) => Ok(rest),
        None => read_clock(parts, element, value, layout),
    }
}

/// The fewest digits of a number that may be padded to two.
fn fewest(padded: bool) -> usize {
    if padded { 2 } else { 1 }
}

/// Parses an element of a date; `None` for other elements.
fn read_date<'a>(parts: &mut Parts, element: Element, value: &'a str) -> Result<Option<&'a str>, Bad> {
    Ok(Some(match element {
        Element::Year => {
            let (year, rest) = digits(value, 2, 2)?;
            parts.year = if year >= 69 { 1900 + year } else { 2000 + year };
            rest
        }
        Element::LongYear => set(&mut parts.year, digits(value, 4, 4)?),
        Element::Month | Element::LongMonth => {
            let (month, rest) = name(value, &MONTHS, element == Element::Month)?;
            parts.month = Some(month + 1);
            rest
        }
        Element::Weekday | Element::LongWeekday => name(value, &WEEKDAYS, element == Element::Weekday)?.1,
        Element::NumberMonth { padded } => {
            let (month, rest) = digits(value, fewest(padded), 2)?;
            parts.month = Some(within(month, 1, 12, "month")?);
            rest
        }
        Element::Day(padding) => {
            let value =
                if padding == Padding::Blank { value.strip_prefix(' ').unwrap_or(value) } else { value };
            let (day, rest) = digits(value, fewest(padding == Padding::Zero), 2)?;
            parts.day = Some(day);
            rest
        }
        Element::YearDay(padding) => {
            let blank = |value: &'a str| value.strip_prefix(' ').unwrap_or(value);
            let fixed = padding == Padding::Zero;
            let value = if fixed { value } else { blank(blank(value)) };
            let (day, rest) = digits(value, if fixed { 3 } else { 1 }, 3)?;
            parts.year_day = Some(day);
            rest
        }
        _ => return Ok(None),
    }))
}

/// Parses an element of a time of day or a zone; no other element matches.
fn read_clock<'a>(parts: &mut Parts, element: Element, value: &'a str, layout: &str) -> Result<&'a str, Bad> {
    Ok(match element {
        Element::Hour24 => {
            let (hour, rest) = digits(value, 1, 2)?;
            parts.hour = within(hour, 0, 23, "hour")?;
            rest
        }
        Element::Hour12 { padded } => {
            let (hour, rest) = digits(value, fewest(padded), 2)?;
            parts.hour = within(hour, 0, 12, "hour")?;
            rest
        }
        Element::Minute { padded } => {
            let (minute, rest) = digits(value, fewest(padded), 2)?;
            parts.minute = within(minute, 0, 59, "minute")?;
            rest
        }
        Element::Second { padded } => {
            let (second, rest) = digits(value, fewest(padded), 2)?;
            parts.second = within(second, 0, 59, "second")?;
            skip_fraction(rest, layout)
        }
        Element::Upper | Element::Lower => {
            let words = if element == Element::Upper { ["PM", "AM"] } else { ["pm", "am"] };
            let found = words.iter().find_map(|word| value.strip_prefix(word));
            parts.afternoon = Some(words.first().is_some_and(|word| value.starts_with(word)));
            found.ok_or(Bad::Mismatch)?
        }
        Element::Offset { colon, seconds, minutes } => offset(parts, value, colon, minutes, seconds)?,
        Element::Zone => {
            let length = zone_length(value).ok_or(Bad::Mismatch)?;
            let (zone, rest) = value.split_at_checked(length).ok_or(Bad::Mismatch)?;
            parts.zone = Some(zone.to_string());
            rest
        }
        Element::Zeros(count) => {
            let rest = value.strip_prefix(['.', ',']).ok_or(Bad::Mismatch)?;
            let here = rest.bytes().take(count).take_while(u8::is_ascii_digit).count();
            if here < count {
                return Err(Bad::Mismatch);
            }
            rest.get(count..).ok_or(Bad::Mismatch)?
        }
        Element::Nines => fraction(value).unwrap_or(value),
        _ => return Err(Bad::Mismatch),
    })
}

fn set<'a>(slot: &mut i64, (number, rest): (i64, &'a str)) -> &'a str {
    *slot = number;
    rest
}

/// The rest after a separator and digits at the front, if they are there.
fn fraction(value: &str) -> Option<&str> {
    let rest = value.strip_prefix(['.', ','])?;
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    (after.len() < rest.len()).then_some(after)
}

/// A fraction after the seconds is skipped if the format has none there.
fn skip_fraction<'a>(value: &'a str, layout: &str) -> &'a str {
    let next = next_chunk(layout).element.map(|(element, _)| element);
    if matches!(next, Some(Element::Zeros(_) | Element::Nines)) {
        return value;
    }
    fraction(value).unwrap_or(value)
}

fn offset<'a>(
    parts: &mut Parts,
    value: &'a str,
    colon: bool,
    with_minutes: bool,
    with_seconds: bool,
) -> Result<&'a str, Bad> {
    let sign = match value.bytes().next() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return Err(Bad::Mismatch),
    };
    let two = |value: &'a str, wanted: bool, first: bool| -> Result<(i64, &'a str), Bad> {
        if !wanted {
            return Ok((0, value));
        }
        let value = if colon && !first { value.strip_prefix(':').ok_or(Bad::Mismatch)? } else { value };
        digits(value, 2, 2)
    };
    let (hours, rest) = two(value.get(1..).unwrap_or_default(), true, true)?;
    let (minutes, rest) = two(rest, with_minutes, false)?;
    let (seconds, rest) = two(rest, with_seconds, false)?;
    within(hours, 0, 24, "time zone offset hour")?;
    within(minutes, 0, 60, "time zone offset minute")?;
    within(seconds, 0, 60, "time zone offset second")?;
    parts.offset = Some(sign * (hours * 3600 + minutes * 60 + seconds));
    Ok(rest)
}

/// Length of a zone's abbreviation at the front: three or four capital letters.
fn zone_length(value: &str) -> Option<usize> {
    let count = value.bytes().take(6).take_while(u8::is_ascii_uppercase).count();
    match count {
        3 | 4 => Some(count),
        5 if value.get(4..5) == Some("T") => Some(5),
        _ => None,
    }
}

/// In double quotes, with escaped bytes for characters that are not printable ASCII.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', byte as char]),
            32..=127 => out.push(byte as char),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}
