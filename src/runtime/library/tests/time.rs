//! time, random.

use crate::library::testing::{ints, text};
use crate::value::Value;

fn int(i: i64) -> Value {
    Value::Int(i)
}

fn format(format: &str) -> String {
    text("time.format", &[Value::str(format), int(1_709_651_229)])
}

#[test]
fn formats() {
    for (layout, wanted) in [
        ("hh:mm A", "03:07 PM"),
        ("ss.SSS", "09.000"),
        ("YYY MMM DDD", "24Y 03M 05D"),
        ("Q1", "Q3"),
        ("3:4:5", "3:7:9"),
        ("Mon, 2.1.", "Tue, 5.3."),
        ("_2 002 __2", " 5 065  65"),
        ("_2006 é", "_2024 é"),
        ("Date: DD", "Dpmte: 05"),
        ("YYYY-MM-DDTHH:mm:ssZZ", "2024-03-05T15:07:09+00:00"),
        ("Z", "+0000"),
        ("MST", "UTC"),
    ] {
        assert_eq!(format(layout), wanted, "{layout}");
    }
}

#[test]
fn parsing() {
    let parse = |t: &str, f: &str| text("time.parse", &[Value::str(t), Value::str(f)]);
    assert_eq!(parse("10:00", "HH:mm"), "-62167183200");
    assert_eq!(parse("2024-03-05 15:07:09.123", "YYYY-MM-DD HH:mm:ss"), "1709651229");
    assert_eq!(parse("2024-03-05T15:07:09+01:00", "YYYY-MM-DDTHH:mm:ssZZ"), "1709647629");
    assert_eq!(parse("03:07 PM", "hh:mm A"), text("time.parse", &[Value::str("15:07"), Value::str("HH:mm")]));
    assert_eq!(
        parse("2024-13-01", "YYYY-MM-DD"),
        "E11001 time.parse() failed: parsing time \"2024-13-01\": month out of range"
    );
    assert_eq!(
        parse("2024/03", "YYYY-MM"),
        "E11001 time.parse() failed: parsing time \"2024/03\" as \"2006-01\": cannot parse \"/03\" as \"-\""
    );
    assert_eq!(
        parse("2024 x", "YYYY"),
        "E11001 time.parse() failed: parsing time \"2024 x\": extra text: \" x\""
    );
    assert_eq!(
        parse("2023-02-29", "YYYY-MM-DD"),
        "E11001 time.parse() failed: parsing time \"2023-02-29\": day out of range"
    );
}

#[test]
fn calendar() {
    let make = |parts: &[i64]| {
        text("time.make", &parts.iter().map(|i| int(*i)).collect::<Vec<_>>()).parse::<i64>().expect("number")
    };
    assert_eq!(make(&[2024, 13, 0, 0, 0, -1]), make(&[2024, 12, 30, 23, 59, 59]));
    assert_eq!(text("time.iso", &[int(-1)]), "1969-12-31T23:59:59Z");
    assert_eq!(text("time.relative", &[int(1_700_000_000 - 60)]), "1 minute ago");
    assert_eq!(text("time.relative", &[int(1_700_000_000 + 1)]), "in 1 seconds");
    assert_eq!(text("time.relative", &[int(i64::MIN)]), "106751 days ago");
    assert_eq!(text("time.from_unix_ms", &[int(-1)]), "-1");
    assert_eq!(text("time.diff_hours", &[int(-7300), int(0)]), "-2");
    assert_eq!(text("time.quarter", &[Value::str("x"), int(1)]), "4");
}

#[test]
fn chance() {
    assert_eq!(text("random.int", &[Value::Float(0.5)]), "E8006 random.int() max must be positive");
    assert_eq!(
        text("random.int", &[Value::Float(1.2), Value::Float(1.9)]),
        "E8006 random.int() max must be greater than min"
    );
    assert_eq!(text("random.int", &[int(5), int(6)]), "5");
    assert_eq!(text("random.char", &[Value::Char('a')]), "E7001 random.char() takes 0 or 2 arguments");
    assert_eq!(
        text("random.sample", &[ints(&[1]), int(2)]),
        "E9008 random.sample() count exceeds array length"
    );
    assert_eq!(text("random.int", &[int(i64::MIN), int(i64::MAX)]).parse::<i64>().map(|_| ()), Ok(()));
}
