//! `@time`: the clock and the calendar. A timestamp is a number of seconds since 1970 (UTC); calendar
//! functions use the local time zone.

mod calendar;
mod functions;
mod layout;
mod parse;

use num_bigint::BigInt;
use num_integer::Integer;

use crate::value::{Value, normalize};

use super::row::{constant, function};
use super::{Module, Row};

use calendar::{Civil, days_in};
use functions::*;

/// A function that gives a part of the local time.
macro_rules! part {
    ($name:literal, $type:literal, $doc:literal, $output:literal, $part:expr) => {
        Row::function(
            $name,
            concat!("(timestamp int?) -> ", $type),
            $doc,
            concat!("println(time.", $name, "(1709651229))"),
            concat!($output, "\n"),
            |call| part(call, $part),
        )
    };
}

/// A function that gives the start or end of a day, month or year.
macro_rules! moved {
    ($name:literal, $doc:literal, $output:literal, $change:expr) => {
        Row::function(
            $name,
            "(timestamp int?) -> int",
            $doc,
            concat!("println(time.iso(time.", $name, "(1709651229)))"),
            concat!($output, "\n"),
            |call| moved(call, $change),
        )
        .unknown()
    };
}

pub static MODULE: Module = Module {
    name: "time",
    doc: "The clock and the calendar. If a timestamp is left out, it is the current time.",
    reserved_names: &[],
    outside: false,
    rows: &[
        function!("now" "() -> int", "Seconds since 1970-01-01 00:00:00 UTC.";
        "time.now() > 0" => "true";
        |call| {
            call.none()?;
            Ok(Value::Int(now(call)))
        }),
        function!("now_ms" "() -> int", "Milliseconds since 1970-01-01 00:00:00 UTC.";
        "time.now_ms() > 0" => "true";
        |call| {
            call.none()?;
            Ok(normalize(nanoseconds(call).div_floor(&BigInt::from(1_000_000))))
        }),
        function!("now_ns" "() -> int", "Nanoseconds since 1970-01-01 00:00:00 UTC.";
            "time.now_ns() > 0" => "true";
            |call| {
                call.none()?;
                Ok(normalize(nanoseconds(call)))
            }, unknown),
        function!("tick" "() -> int", "Nanoseconds of the clock, for elapsed_ms.";
        "time.tick() > 0" => "true";
        |call| {
            call.none()?;
            Ok(normalize(nanoseconds(call)))
        }),
        function!("elapsed_ms" "(tick int) -> float", "Milliseconds since a tick.";
            "time.elapsed_ms(time.tick()) < 1000.0" => "true"; elapsed),
        function!("sleep" "(seconds num)", "Waits that many seconds.";
            { "time.sleep(0.001)\nprintln(\"awake\")" => "awake\n" }; wait_seconds),
        function!("sleep_ms" "(milliseconds int)", "Waits that many milliseconds.";
            { "time.sleep_ms(1)\nprintln(\"awake\")" => "awake\n" }; wait_milliseconds),
        part!("year", "int", "The year.", "2024", |t| Value::Int(t.year)),
        part!("month", "int", "The month, 1 to 12.", "3", |t| Value::Int(t.month)),
        part!("day", "int", "The day of the month.", "5", |t| Value::Int(t.day)),
        part!("hour", "int", "The hour, 0 to 23.", "15", |t| Value::Int(t.hour)),
        part!("minute", "int", "The minute.", "7", |t| Value::Int(t.minute)),
        part!("second", "int", "The second.", "9", |t| Value::Int(t.second)),
        part!("weekday", "int", "The day of the week, 0 (Sunday) to 6.", "2", |t| Value::Int(t.weekday())),
        part!("day_of_year", "int", "The day of the year, 1 to 366.", "65", |t| Value::Int(t.day_of_year())),
        part!("weekday_name", "string", "The name of the day of the week.", "Tuesday", weekday_name)
            .unknown(),
        part!("month_name", "string", "The name of the month.", "March", month_name).unknown(),
        part!("quarter", "int", "The quarter of the year, 1 to 4.", "1", |t| Value::Int(
            (t.month - 1) / 3 + 1
        ))
        .unknown()
        .unchecked(),
        part!("week_of_year", "int", "The week of the year by ISO 8601, 1 to 53.", "10", |t| Value::Int(
            t.iso_week()
        ))
        .unknown()
        .unchecked(),
        function!("iso" "(timestamp int?) -> string", "Date, time and offset by ISO 8601.";
            "time.iso(1709651229)" => "2024-03-05T15:07:09Z"; iso, unknown),
        function!("date" "(timestamp int?) -> string", "The date as YYYY-MM-DD.";
            "time.date(1709651229)" => "2024-03-05";
            |call| {
                let seconds = stamp(call, 0);
                Ok(written(call, "2006-01-02", seconds))
            }, unknown),
        function!("clock" "(timestamp int?) -> string", "The time of day as HH:MM:SS.";
            "time.clock(1709651229)" => "15:07:09";
            |call| {
                let seconds = stamp(call, 0);
                Ok(written(call, "15:04:05", seconds))
            }, unknown),
        function!("format" "(format string, timestamp int?) -> string",
            "The time as text; in the format, YYYY MM DD HH hh mm ss A Z are replaced by its parts.";
            "time.format(\"DD.MM.YYYY HH:mm\", 1709651229)" => "05.03.2024 15:07"; format),
        function!("parse" "(text string, format string) -> int",
            "The timestamp of a text in this format; an error if it has another one.";
            "time.parse(\"05.03.2024\", \"DD.MM.YYYY\")" => "1709596800"; parse_text, unknown),
        function!("make" "(year int, month int, day int, hour int?, minute int?, second int?) -> int",
            "The timestamp of a local date and time.";
            "time.make(2024, 3, 5, 15, 7, 9)" => "1709651229"; make),
        function!("add_seconds" "(timestamp int, seconds int) -> int",
            "The timestamp that many seconds later.";
            "time.add_seconds(0, 2)" => "2"; |call| add(call, 1, "seconds")),
        function!("add_minutes" "(timestamp int, minutes int) -> int",
            "The timestamp that many minutes later.";
            "time.add_minutes(0, 2)" => "120"; |call| add(call, 60, "minutes")),
        function!("add_hours" "(timestamp int, hours int) -> int", "The timestamp that many hours later.";
            "time.add_hours(0, 2)" => "7200"; |call| add(call, 3_600, "hours")),
        function!("add_days" "(timestamp int, days int) -> int", "The timestamp that many days later.";
            "time.add_days(0, 2)" => "172800"; |call| add(call, 86_400, "days")),
        function!("add_weeks" "(timestamp int, weeks int) -> int", "The timestamp that many weeks later.";
            "time.add_weeks(0, 1)" => "604800"; |call| add(call, 604_800, "weeks"), unknown, unchecked),
        function!("add_months" "(timestamp int, months int) -> int",
            "The same local time that many months later; on the last day if that month is too short.";
            "time.date(time.add_months(time.make(2024, 1, 31), 1))" => "2024-02-29"; add_months, unchecked),
        function!("add_years" "(timestamp int, years int) -> int",
            "The same local time that many years later.";
            "time.date(time.add_years(time.make(2024, 2, 29), 1))" => "2025-03-01"; add_years, unchecked),
        function!("diff" "(a int, b int) -> int", "a - b, in seconds.";
            "time.diff(100, 40)" => "60"; |call| diff(call, 1)),
        function!("diff_days" "(a int, b int) -> int", "a - b, in whole days.";
            "time.diff_days(200000, 0)" => "2"; |call| diff(call, 86_400), unknown),
        function!("diff_hours" "(a int, b int) -> int", "a - b, in whole hours.";
            "time.diff_hours(7300, 0)" => "2"; |call| diff(call, 3600), unknown, unchecked),
        function!("diff_minutes" "(a int, b int) -> int", "a - b, in whole minutes.";
            "time.diff_minutes(130, 0)" => "2"; |call| diff(call, 60), unknown, unchecked),
        function!("is_before" "(a int, b int) -> bool", "Whether a comes before b.";
            "time.is_before(1, 2)" => "true"; |call| compare(call, |a, b| a < b), unknown),
        function!("is_after" "(a int, b int) -> bool", "Whether a comes after b.";
            "time.is_after(1, 2)" => "false"; |call| compare(call, |a, b| a > b), unknown),
        function!("is_leap_year" "(year int?) -> bool", "Whether the year has a February 29.";
            "time.is_leap_year(2024)" => "true"; is_leap_year),
        function!("days_in_month" "(year int?, month int?) -> int",
            "The number of days of the month; by default of the current month.";
            "time.days_in_month(2024, 2)" => "29"; days_in_month),
        moved!("start_of_day", "The first second of the day.", "2024-03-05T00:00:00Z", midnight),
        moved!("end_of_day", "The last second of the day.", "2024-03-05T23:59:59Z", last_second),
        moved!("start_of_month", "The first second of the month.", "2024-03-01T00:00:00Z", |t| Civil {
            day: 1,
            ..midnight(t)
        }),
        moved!("end_of_month", "The last second of the month.", "2024-03-31T23:59:59Z", |t| Civil {
            day: days_in(t.year, t.month),
            ..last_second(t)
        }),
        moved!("start_of_year", "The first second of the year.", "2024-01-01T00:00:00Z", |t| Civil {
            month: 1,
            day: 1,
            ..midnight(t)
        }),
        moved!("end_of_year", "The last second of the year.", "2024-12-31T23:59:59Z", |t| Civil {
            month: 12,
            day: 31,
            ..last_second(t)
        }),
        function!("is_weekend" "(timestamp int) -> bool", "Whether the day is a Saturday or Sunday.";
            "time.is_weekend(1709651229)" => "false"; |call| is_weekend(call, true), unknown),
        function!("is_weekday" "(timestamp int) -> bool", "Whether the day is neither Saturday nor Sunday.";
            "time.is_weekday(1709651229)" => "true"; |call| is_weekend(call, false), unknown),
        function!("is_today" "(timestamp int) -> bool", "Whether the time is today.";
            "time.is_today(time.now())" => "true"; is_today, unknown),
        function!("is_same_day" "(a int, b int) -> bool", "Whether both times are on the same local date.";
            "time.is_same_day(0, 3600)" => "true"; is_same_day, unknown),
        function!("from_unix" "(seconds int) -> int",
            "The timestamp of Unix seconds, which is the same number.";
            "time.from_unix(5)" => "5"; |call| same(call, "requires an integer"), unknown),
        function!("to_unix" "(timestamp int) -> int",
            "The Unix seconds of a timestamp, which is the same number.";
            "time.to_unix(5)" => "5"; |call| same(call, "requires an integer timestamp"), unknown),
        function!("from_unix_ms" "(milliseconds int) -> int", "The timestamp of Unix milliseconds.";
            "time.from_unix_ms(5999)" => "5"; from_milliseconds, unknown),
        function!("to_unix_ms" "(timestamp int) -> int", "The Unix milliseconds of a timestamp.";
            "time.to_unix_ms(5)" => "5000"; to_milliseconds, unknown),
        function!("relative" "(timestamp int) -> string", "How long ago the time was, in words.";
            "time.relative(time.now() - 120)" => "2 minutes ago"; relative, unknown),
        function!("timezone" "() -> string", "The abbreviation of the local time zone.";
            "time.timezone()" => "UTC";
            |call| {
                call.none()?;
                let now = now(call);
                Ok(Value::str(zone(call, now).1))
            }, unknown),
        function!("utc_offset" "() -> int", "The number of seconds by which local time is ahead of UTC.";
            "time.utc_offset()" => "0";
            |call| {
                call.none()?;
                let now = now(call);
                Ok(Value::Int(zone(call, now).0))
            }, unknown),
        constant!("time", "SUNDAY", 0, "Sunday as returned by weekday.").unknown(),
        constant!("time", "MONDAY", 1, "Monday as returned by weekday.").unknown(),
        constant!("time", "TUESDAY", 2, "Tuesday as returned by weekday.").unknown(),
        constant!("time", "WEDNESDAY", 3, "Wednesday as returned by weekday.").unknown(),
        constant!("time", "THURSDAY", 4, "Thursday as returned by weekday.").unknown(),
        constant!("time", "FRIDAY", 5, "Friday as returned by weekday.").unknown(),
        constant!("time", "SATURDAY", 6, "Saturday as returned by weekday.").unknown(),
        constant!("time", "JANUARY", 1, "January as returned by month.").unknown(),
        constant!("time", "FEBRUARY", 2, "February as returned by month.").unknown(),
        constant!("time", "MARCH", 3, "March as returned by month.").unknown(),
        constant!("time", "APRIL", 4, "April as returned by month.").unknown(),
        constant!("time", "MAY", 5, "May as returned by month.").unknown(),
        constant!("time", "JUNE", 6, "June as returned by month.").unknown(),
        constant!("time", "JULY", 7, "July as returned by month.").unknown(),
        constant!("time", "AUGUST", 8, "August as returned by month.").unknown(),
        constant!("time", "SEPTEMBER", 9, "September as returned by month.").unknown(),
        constant!("time", "OCTOBER", 10, "October as returned by month.").unknown(),
        constant!("time", "NOVEMBER", 11, "November as returned by month.").unknown(),
        constant!("time", "DECEMBER", 12, "December as returned by month.").unknown(),
        constant!("time", "SECOND", 1, "Seconds of a second.").unknown(),
        constant!("time", "MINUTE", 60, "Seconds of a minute.").unknown(),
        constant!("time", "HOUR", 3600, "Seconds of a hour.").unknown(),
        constant!("time", "DAY", 86400, "Seconds of a day.").unknown(),
        constant!("time", "WEEK", 604800, "Seconds of a week.").unknown(),
    ],
};
