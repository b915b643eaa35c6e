//! `@std`: output and waiting.

use std::time::Duration;

use crate::diagnostics::Code;
use crate::value::{Stream, Value, memory, shown_as};

use super::args::{saturated, sleep};
use super::offload::{out_of_memory, write_display};
use super::row::function;
use super::{Call, Fail, Module, Row};

pub static MODULE: Module = Module {
    name: "std",
    doc: "Output and waiting.",
    reserved_names: &[],
    outside: false,
    rows: &[
        function!("print" "(values any...)", "Writes the values, separated by blanks, to standard output.";
            { "print(\"a\", 1)\nprint(\"!\")" => "a 1!" };
            |call| write(call, Stream::Stdout, false), reaching_outside),
        function!("println" "(values any...)",
            "Writes the values, separated by blanks, and a line end to standard output.";
            "\"a\", 1, {2.5}" => "a 1 {2.5}"; |call| write(call, Stream::Stdout, true), reaching_outside),
        function!("eprint" "(values any...)", "Writes the values, separated by blanks, to standard error.";
            { "eprint(\"careful\")" => "" };
            |call| write(call, Stream::Stderr, false), reaching_outside, unreserved, unknown),
        function!("eprintln" "(values any...)",
            "Writes the values, separated by blanks, and a line end to standard error.";
            { "eprintln(\"careful\", 1)" => "" };
            |call| write(call, Stream::Stderr, true), reaching_outside, unreserved, unknown),
        function!("sleep_seconds" "(seconds int)", "Waits that many seconds.";
            { "sleep_seconds(0)\nprintln(\"awake\")" => "awake\n" };
            |call| pause(call, Duration::from_secs), unknown, unchecked),
        function!("sleep_milliseconds" "(milliseconds int)", "Waits that many milliseconds.";
            { "sleep_milliseconds(1)\nprintln(\"awake\")" => "awake\n" };
            |call| pause(call, Duration::from_millis), unknown, unchecked),
        function!("sleep_nanoseconds" "(nanoseconds int)", "Waits that many nanoseconds.";
            { "sleep_nanoseconds(500)\nprintln(\"awake\")" => "awake\n" };
            |call| pause(call, Duration::from_nanos), unknown, unchecked),
        Row::constant(
            "EXIT_SUCCESS",
            "() -> int",
            "Exit status of a program that succeeded: 0.",
            "println(EXIT_SUCCESS)",
            "0\n",
            |_| Ok(Value::Int(0)),
        )
        .unknown(),
        Row::constant(
            "EXIT_FAILURE",
            "() -> int",
            "Exit status of a program that failed: 1.",
            "println(EXIT_FAILURE)",
            "1\n",
            |_| Ok(Value::Int(1)),
        )
        .unknown(),
    ],
};

fn write(call: &mut Call, stream: Stream, line: bool) -> Result<Value, Fail> {
    let mut text = match call.args {
        [only] => String::with_capacity(only.as_str().map_or(24, str::len) + 1),
        _ => String::new(),
    };
    for (i, value) in call.args.iter().enumerate() {
        if i > 0 {
            text.push(' ');
        }
        match (value, call.types.get(i)) {
            (Value::Float(_), Some(ty)) => {
                write_display(call.runtime, &mut text, &shown_as(ty, value.clone()))?;
            }
            _ => write_display(call.runtime, &mut text, value)?,
        }
    }
    if !memory::check() {
        // Memory ran out: the text may be incomplete.
        return Err(out_of_memory());
    }
    if line {
        text.push('\n');
    }
    match call.runtime.write(stream, &text) {
        // A closed standard output ends the program without an error.
        Err(_) if stream == Stream::Stdout => Err(call.runtime.exit(0)),
        _ => Ok(Value::Nil),
    }
}

fn pause(call: &mut Call, unit: fn(u64) -> Duration) -> Result<Value, Fail> {
    let name = call.name;
    let [argument] = call.args else {
        return call.fail(Code::E7001, format!("{name}() takes exactly 1 argument"));
    };
    let Some(time) = saturated(argument) else {
        let got = argument.typeof_name();
        return call.fail(Code::E7004, format!("{name}() argument must be an integer, got {got}"));
    };
    match u64::try_from(time) {
        Ok(time) => sleep(call.runtime, unit(time)),
        Err(_) => call.fail(Code::E7032, format!("{name}() duration cannot be negative")),
    }
}
