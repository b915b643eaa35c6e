//! `@csv`: tables as text.

mod text;

use crate::diagnostics::Code;
use crate::value::{Elems, HostRequest, Type, Value};

use super::args::{STRING, TOO_LARGE, bad, good, string_array};
use super::io::contents;
use super::offload::{Rounds, elements};
use super::outside::{ask_patiently, bad_path, failed};
use super::row::function;
use super::{Call, Fail, Module};

use text::{RecordReader, records, usable, write_record};

pub static MODULE: Module = Module {
    name: "csv",
    doc: "Tables as comma-separated text.",
    reserved_names: &[],
    outside: false,
    rows: &[
        function!("parse" "(text string) -> ([[string]], Error)",
            "The records of a text; all must have the same number of fields.";
            "csv.parse(\"a,b\\n1,2\\n\")" => "{{\"a\", \"b\"}, {\"1\", \"2\"}}, nil"; parse, unreserved),
        function!("stringify" "(rows [any]) -> (string, Error)", "The records as text.";
            { "println(csv.stringify({{\"a\", \"b c\"}, {\"x,y\", \"\"}}))" => "\"a,b c\\n\\\"x,y\\\",\\n\", nil\n" };
            |call| {
                call.exactly(1, "")?;
                good(written(call, 0, ',', false)?)
            }, unreserved),
        function!("read" "(path string, options map[any:any]?) -> ([[string]], Error)",
            "The records of a file; options: delimiter, skip_empty.";
            { "temp _, _ = csv.write(\"ez_example.csv\", {{\"a\", \"b\"}})\nprintln(csv.read(\"ez_example.csv\"))" => "{{\"a\", \"b\"}}, nil\n" };
            read, reaching_outside, unreserved),
        function!("headers" "(path string) -> ([string], Error)", "The first record of a file.";
            { "temp _, _ = csv.write(\"ez_example.csv\", {{\"a\", \"b\"}})\nprintln(csv.headers(\"ez_example.csv\"))" => "{\"a\", \"b\"}, nil\n" };
            headers, reaching_outside, unreserved),
        function!("write" "(path string, rows [any], options map[any:any]?) -> (bool, Error)",
            "Writes records to a file; options: delimiter, quote_all.";
            "csv.write(\"ez_example.csv\", {{\"a\", \"b\"}})" => "true, nil";
            write, reaching_outside, unreserved),
    ],
};

/// Fails with E7010 unless memory has room for the records of `text`.
fn fits(call: &Call, text: &str, delimiter: char) -> Result<(), Fail> {
    let fields = text.matches([delimiter, '\n']).count() as u64 + 1;
    // A field exists twice, as text and as value.
    call.room(fields, 2 * STRING, TOO_LARGE)
}

const INVALID: &str = "csv: invalid field or comment delimiter";

/// Length of a field from which on memory is checked for it alone, in bytes.
const LONG_FIELD: usize = 1 << 16;

/// Steps of computation for each byte, about.
const STEPS_PER_BYTE: u64 = 8;

fn table(call: &mut Call, records: Vec<Vec<String>>) -> Result<Value, Fail> {
    let mut rounds = Rounds::new(call.runtime);
    let mut rows = Vec::with_capacity(records.len());
    for record in records {
        rounds.next(call.runtime)?;
        rows.push(string_array(record));
    }
    Ok(Value::array_of(&Type::array(Type::Str), Elems::Values(rows)))
}

fn parse(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let text = call.text(0, "requires a string argument")?;
    fits(call, text, ',')?;
    match call.offload(text.len() as u64 * STEPS_PER_BYTE, || records(text, ',', true))? {
        Ok(records) => good(table(call, records)?),
        Err(problem) => bad(Value::Nil, Code::E14001, &format!("csv.parse() failed: {problem}")),
    }
}

/// An option of the map argument at `index`.
fn option(call: &Call, index: usize, name: &str) -> Option<Value> {
    let map = call.args.get(index)?.as_map()?.borrow();
    map.entries.get(&Value::str(name)).map(Value::follow)
}

fn delimiter(call: &Call, index: usize) -> char {
    let option = option(call, index, "delimiter");
    option.as_ref().and_then(Value::as_str).and_then(|text| text.chars().next()).unwrap_or(',')
}

fn flag(call: &Call, index: usize, name: &str) -> bool {
    matches!(option(call, index, name), Some(Value::Bool(true)))
}

/// The text of the file that the first argument names; `Err` is the result to return.
fn file_text(call: &mut Call, during: &str) -> Result<Result<String, Value>, Fail> {
    let path = call.text(0, "requires a string path")?;
    if let Some(error) = bad_path(call, path) {
        return Ok(Err(error));
    }
    match contents(call, path, during)? {
        Ok(bytes) => call.text_of(bytes).map(Ok),
        Err(result) => Ok(Err(result)),
    }
}

fn read(call: &mut Call) -> Result<Value, Fail> {
    call.count(1..=2, "takes 1 or 2 arguments")?;
    let text = match file_text(call, "read csv")? {
        Ok(text) => text,
        Err(result) => return Ok(result),
    };
    let delimiter = delimiter(call, 1);
    if !usable(delimiter) {
        return bad(Value::Nil, Code::E14001, &format!("csv.read() failed to parse: {INVALID}"));
    }
    fits(call, &text, delimiter)?;
    match call.offload(text.len() as u64 * STEPS_PER_BYTE, || records(&text, delimiter, false))? {
        Ok(mut records) => {
            if flag(call, 1, "skip_empty") {
                records.retain(|record| record.iter().any(|field| !field.is_empty()));
            }
            good(table(call, records)?)
        }
        Err(problem) => bad(Value::Nil, Code::E14001, &format!("csv.read() failed to parse: {problem}")),
    }
}

fn headers(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let text = match file_text(call, "read csv headers")? {
        Ok(text) => text,
        Err(result) => return Ok(result),
    };
    let problem = match RecordReader::new(&text, ',').record() {
        Ok(Some((_, record))) => return good(string_array(record)),
        Ok(None) => "EOF".to_string(),
        Err(problem) => problem.to_string(),
    };
    bad(Value::Nil, Code::E14001, &format!("csv.headers() failed: {problem}"))
}

/// The rows in the argument at `index` as CSV.
fn written(call: &mut Call, index: usize, delimiter: char, quote_all: bool) -> Result<String, Fail> {
    let rows = call.array(index, "requires an array of rows")?;
    let (rows, mut rounds) = elements(call.runtime, rows);
    let mut out = String::new();
    for (i, row) in rows.iter().enumerate() {
        rounds.next(call.runtime)?;
        let Some(row) = row.as_array() else {
            return call.fail(Code::E7003, format!("csv data row {i} must be an array"));
        };
        let mut fields = Vec::new();
        let mut size = 0;
        for (j, field) in row.borrow().data.iter().enumerate() {
            match field.follow().as_str() {
                Some(text) => {
                    if text.len() > LONG_FIELD {
                        // A copy in which every quote may be doubled.
                        call.room(text.len() as u64, 3, TOO_LARGE)?;
                    }
                    size += 2 * text.len() + 3;
                    fields.push(text.to_string());
                }
                None => {
                    let text = format!("csv data field at row {i}, column {j} must be a string");
                    return call.fail(Code::E7003, text);
                }
            }
        }
        if out.capacity() - out.len() < size {
            // Room for doubling the result.
            call.room((out.len() + size) as u64, 2, TOO_LARGE)?;
        }
        write_record(&mut out, &fields, delimiter, quote_all);
    }
    Ok(out)
}

fn write(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=3, "takes 2 or 3 arguments")?;
    let path = call.text(0, "requires a string path")?;
    if let Some(error) = bad_path(call, path) {
        return Ok(error);
    }
    let delimiter = delimiter(call, 2);
    let good_delimiter = usable(delimiter);
    let text = written(call, 1, delimiter, flag(call, 2, "quote_all"))?;
    let data = if good_delimiter { text.into_bytes() } else { Vec::new() };
    let request = HostRequest::WriteFile { path: path.into(), data, mode: 0o666, atomic: false };
    if let Err(error) = ask_patiently(call, request)? {
        return failed(&error, "create csv file");
    }
    if good_delimiter {
        return good(true);
    }
    bad(false, Code::E14002, &format!("csv.write() failed: {INVALID}"))
}
