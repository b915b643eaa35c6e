//! The functions.

use std::time::Duration;

use num_bigint::BigInt;

use crate::diagnostics::Code;
use crate::library::args::{saturated, sleep};
use crate::library::{Call, Fail};
use crate::value::{HostAnswer, HostRequest, Value, normalize};

use super::calendar::{Civil, DAY, MONTHS, WEEKDAYS, days_in, is_leap, name_of};
use super::layout::{self, ZonedDateTime};
use super::parse;

/// Offset from UTC and name of the local zone at a moment.
pub fn zone(call: &mut Call, seconds: i64) -> (i64, String) {
    match call.runtime.host().request(HostRequest::Zone(seconds)) {
        Ok(HostAnswer::Zone { offset, name }) => (i64::from(offset), name),
        _ => (0, "UTC".into()),
    }
}

/// Seconds since 1970.
pub fn now(call: &mut Call) -> i64 {
    call.runtime.host().now().0
}

/// The timestamp argument at `index`, else the current time.
pub fn stamp(call: &mut Call, index: usize) -> i64 {
    match call.args.get(index).and_then(saturated) {
        Some(stamp) => stamp,
        None => now(call),
    }
}

/// Local calendar and clock at a moment.
pub fn local(call: &mut Call, seconds: i64) -> Civil {
    let (offset, _) = zone(call, seconds);
    Civil::of(seconds.saturating_add(offset))
}

/// The timestamp of a local date and time.
pub fn from_local(call: &mut Call, civil: &Civil) -> i64 {
    let shown = civil.seconds();
    let (first, _) = zone(call, shown);
    if first == 0 {
        return shown;
    }
    // Near a change of the offset the first guess may be on the wrong side.
    let (offset, _) = zone(call, shown.saturating_sub(first));
    shown.saturating_sub(offset)
}

/// A part of the local time of the optional timestamp.
pub fn part(call: &mut Call, part: fn(&Civil) -> Value) -> Result<Value, Fail> {
    let seconds = stamp(call, 0);
    let civil = local(call, seconds);
    Ok(part(&civil))
}

pub fn weekday_name(civil: &Civil) -> Value {
    Value::str(name_of(&WEEKDAYS, civil.weekday()))
}

pub fn month_name(civil: &Civil) -> Value {
    Value::str(name_of(&MONTHS, civil.month - 1))
}

/// The timestamp of the local time of the optional timestamp, changed by `change`.
pub fn moved(call: &mut Call, change: fn(&Civil) -> Civil) -> Result<Value, Fail> {
    let seconds = stamp(call, 0);
    let civil = change(&local(call, seconds));
    Ok(Value::Int(from_local(call, &civil)))
}

/// The day of a time, at 00:00:00.
pub fn midnight(t: &Civil) -> Civil {
    Civil { hour: 0, minute: 0, second: 0, ..*t }
}

/// The day of a time, at 23:59:59.
pub fn last_second(t: &Civil) -> Civil {
    Civil { hour: 23, minute: 59, second: 59, ..*t }
}

/// The timestamp formatted by an expanded format.
pub fn written(call: &mut Call, layout: &str, seconds: i64) -> Value {
    let (offset, zone) = zone(call, seconds);
    let civil = Civil::of(seconds.saturating_add(offset));
    Value::str(layout::write(layout, &ZonedDateTime { civil, offset, zone: &zone }))
}

pub fn iso(call: &mut Call) -> Result<Value, Fail> {
    let seconds = stamp(call, 0);
    let (offset, _) = zone(call, seconds);
    if offset == 0 {
        // A `Z` cannot be written in a format.
        let text = written(call, "2006-01-02T15:04:05", seconds);
        return Ok(Value::str(format!("{}Z", text.as_str().unwrap_or_default())));
    }
    Ok(written(call, "2006-01-02T15:04:05-07:00", seconds))
}

pub fn format(call: &mut Call) -> Result<Value, Fail> {
    call.count(1..=2, "takes 1 or 2 arguments: format or format, timestamp")?;
    let format = call.text(0, "requires a string format as first argument")?;
    if call.args.len() == 2 {
        call.index(1, "requires an integer timestamp as second argument")?;
    }
    let seconds = stamp(call, 1);
    Ok(written(call, &layout::expand(format), seconds))
}

pub fn parse_text(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(string, format)")?;
    let text = call.text(0, "requires a string")?;
    let format = call.text(1, "requires a format string")?;
    match parse::parse(text, &layout::expand(format)) {
        Ok(parsed) => {
            let named = parsed.zone.filter(|name| name != "UTC").and_then(|name| {
                let (offset, local) = zone(call, parsed.seconds);
                (name == local).then_some(offset)
            });
            let offset = parsed.offset.or(named).unwrap_or(0);
            Ok(Value::Int(parsed.seconds.saturating_sub(offset)))
        }
        Err(detail) => call.wrong(Code::E11001, &format!("failed: {detail}")),
    }
}

pub fn make(call: &mut Call) -> Result<Value, Fail> {
    call.count(3..=6, "takes 3 to 6 arguments (year, month, day, [hour, minute, second])")?;
    let mut parts = [0; 6];
    for (i, part) in parts.iter_mut().enumerate().take(call.args.len()) {
        *part = call.index(i, "requires integer arguments")?;
    }
    let [year, month, day, hour, minute, second] = parts;
    let civil = Civil { year, month, day, hour, minute, second };
    Ok(Value::Int(from_local(call, &civil)))
}

/// An integer argument of any size.
fn whole(call: &Call, index: usize, text: &str) -> Result<BigInt, Fail> {
    match call.args.get(index).and_then(Value::as_bigint) {
        Some(number) => Ok(number),
        None => call.wrong(Code::E7004, text),
    }
}

/// Adds a number of units, of `unit` seconds each, to a timestamp.
pub fn add(call: &mut Call, unit: i64, what: &str) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let stamp = whole(call, 0, "requires integer timestamp")?;
    let count = whole(call, 1, &format!("requires integer {what}"))?;
    Ok(normalize(stamp + count * unit))
}

pub fn add_months(call: &mut Call) -> Result<Value, Fail> {
    let (t, count) = shifted(call, "months")?;
    let months = t.year.saturating_mul(12).saturating_add(t.month - 1).saturating_add(count);
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
    let moved = Civil { year, month, day: t.day.min(days_in(year, month)), ..t };
    Ok(Value::Int(from_local(call, &moved)))
}

pub fn add_years(call: &mut Call) -> Result<Value, Fail> {
    let (t, count) = shifted(call, "years")?;
    let moved = Civil { year: t.year.saturating_add(count), ..t };
    Ok(Value::Int(from_local(call, &moved)))
}

fn shifted(call: &mut Call, what: &str) -> Result<(Civil, i64), Fail> {
    call.exactly(2, "")?;
    let stamp = call.index(0, "requires integer timestamp")?;
    let count = call.index(1, &format!("requires integer {what}"))?;
    Ok((local(call, stamp), count))
}

/// Difference of two timestamps in units of `unit` seconds.
pub fn diff(call: &mut Call, unit: i64) -> Result<Value, Fail> {
    let (a, b) = pair(call)?;
    Ok(normalize((a - b) / unit))
}

fn pair(call: &Call) -> Result<(BigInt, BigInt), Fail> {
    call.exactly(2, "")?;
    let text = "requires integer timestamps";
    Ok((whole(call, 0, text)?, whole(call, 1, text)?))
}

pub fn compare(call: &mut Call, test: fn(&BigInt, &BigInt) -> bool) -> Result<Value, Fail> {
    let (a, b) = pair(call)?;
    Ok(Value::Bool(test(&a, &b)))
}

fn same_date(a: &Civil, b: &Civil) -> bool {
    (a.year, a.month, a.day) == (b.year, b.month, b.day)
}

pub fn is_same_day(call: &mut Call) -> Result<Value, Fail> {
    pair(call)?;
    let (a, b) = (stamp(call, 0), stamp(call, 1));
    Ok(Value::Bool(same_date(&local(call, a), &local(call, b))))
}

/// The only argument, a timestamp.
fn only(call: &mut Call) -> Result<i64, Fail> {
    call.exactly(1, "")?;
    call.index(0, "requires an integer timestamp")
}

pub fn is_today(call: &mut Call) -> Result<Value, Fail> {
    let (stamp, now) = (only(call)?, now(call));
    Ok(Value::Bool(same_date(&local(call, stamp), &local(call, now))))
}

pub fn is_weekend(call: &mut Call, wanted: bool) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let seconds = stamp(call, 0);
    let weekday = local(call, seconds).weekday();
    Ok(Value::Bool((weekday == 0 || weekday == 6) == wanted))
}

pub fn is_leap_year(call: &mut Call) -> Result<Value, Fail> {
    call.count(0..=1, "takes 0 or 1 arguments")?;
    let year = if call.args.is_empty() {
        let now = now(call);
        local(call, now).year
    } else {
        call.index(0, "requires an integer year")?
    };
    Ok(Value::Bool(is_leap(year)))
}

pub fn days_in_month(call: &mut Call) -> Result<Value, Fail> {
    let (year, month) = if call.args.is_empty() {
        let now = now(call);
        let today = local(call, now);
        (today.year, today.month)
    } else {
        call.count(2..=2, "takes 0 or 2 arguments")?;
        let text = "requires integer arguments";
        (call.index(0, text)?, call.index(1, text)?)
    };
    let months = month.saturating_sub(1);
    let year = year.saturating_add(months.div_euclid(12));
    Ok(Value::Int(days_in(year, months.rem_euclid(12) + 1)))
}

pub fn wait_seconds(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(seconds)")?;
    let seconds = match call.args.first() {
        Some(Value::Float(x)) => *x,
        Some(value) => match saturated(value) {
            Some(i) => i as f64,
            None => return call.wrong(Code::E7005, "requires a number"),
        },
        None => 0.0,
    };
    // NaN does not wait, like a negative number.
    let time =
        if seconds > 0.0 { Duration::try_from_secs_f64(seconds.min(1e15)) } else { Ok(Duration::ZERO) };
    sleep(call.runtime, time.unwrap_or(Duration::ZERO))
}

pub fn wait_milliseconds(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(milliseconds)")?;
    let time = call.index(0, "requires an integer")?;
    sleep(call.runtime, Duration::from_millis(u64::try_from(time).unwrap_or(0)))
}

/// Nanoseconds since 1970.
pub fn nanoseconds(call: &mut Call) -> BigInt {
    let (seconds, nanos) = call.runtime.host().now();
    BigInt::from(seconds) * 1_000_000_000 + nanos
}

pub fn elapsed(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(start tick)")?;
    let start = whole(call, 0, "requires integer tick")?;
    let passed = nanoseconds(call) - start;
    Ok(Value::Float(num_traits::ToPrimitive::to_f64(&passed).unwrap_or(0.0) / 1e6))
}

/// Returns the timestamp argument unchanged.
pub fn same(call: &mut Call, text: &str) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    whole(call, 0, text).map(normalize)
}

pub fn from_milliseconds(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let time = whole(call, 0, "requires an integer")?;
    Ok(normalize(num_integer::Integer::div_floor(&time, &BigInt::from(1000))))
}

pub fn to_milliseconds(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    Ok(normalize(whole(call, 0, "requires an integer timestamp")? * 1000))
}

pub fn relative(call: &mut Call) -> Result<Value, Fail> {
    let stamp = only(call)?;
    let (seconds, nanos) = call.runtime.host().now();
    let passed = (i128::from(seconds) - i128::from(stamp)) * 1_000_000_000 + i128::from(nanos);
    // Limited to 64 bits of nanoseconds.
    let past = passed >= 0;
    let distance = passed.unsigned_abs().min(i64::MAX as u128) / 1_000_000_000;
    let day = DAY as u128;
    let (count, unit) = match distance {
        0 => return Ok(Value::str("just now")),
        d if d < 60 => (d, "second"),
        d if d < 3600 => (d / 60, "minute"),
        d if d < day => (d / 3600, "hour"),
        d => (d / day, "day"),
    };
    let plural = if count == 1 && (past || unit != "second") { "" } else { "s" };
    Ok(Value::str(if past {
        format!("{count} {unit}{plural} ago")
    } else {
        format!("in {count} {unit}{plural}")
    }))
}
