//! Reading and writing whole files; copying, removing and inspecting files and directories.

use std::path::Path;

use crate::diagnostics::Code;
use crate::library::args::{bad, byte_array, gather, good, lines, string_array, work};
use crate::library::outside::{
    ask, ask_patiently, bad_path, described, failed, is_directory, status, variable,
};
use crate::library::{Call, Fail};
use crate::platform::HOME_VARIABLE;
use crate::value::{Elems, FileKind, HostAnswer, HostRequest, Job, JobResult, Type, Value};

use super::paths::{absolute, clean};

const PATH: &str = "requires a string path";
const FIRST: &str = "requires a string path as first argument";

/// The checked path argument, or the result to return at once.
type PathCheck<'a> = Result<Result<&'a str, Value>, Fail>;

fn checked<'a>(call: &Call<'a>, text: &str) -> PathCheck<'a> {
    let path = call.text(0, text)?;
    Ok(bad_path(call, path).map_or(Ok(path), Err))
}

fn only<'a>(call: &Call<'a>) -> PathCheck<'a> {
    call.exactly(1, "(path)")?;
    checked(call, PATH)
}

/// The path of a [`PathCheck`], or returns its result from the function.
macro_rules! path_or_return {
    ($checked:expr) => {
        match $checked {
            Ok(path) => path,
            Err(result) => return Ok(result),
        }
    };
}

/// `(true, nil)`, or the failure.
fn done(call: &mut Call, request: HostRequest, during: &str) -> Result<Value, Fail> {
    match ask_patiently(call, request)? {
        Ok(_) => good(true),
        Err(error) => failed(&error, during),
    }
}

/// Contents of a file; the inner `Err` is the result to return.
pub fn contents(call: &mut Call, path: &str, during: &str) -> Result<Result<Vec<u8>, Value>, Fail> {
    Ok(match work(call.runtime, Job::ReadFile(path.into()))? {
        JobResult::Bytes(Ok(bytes)) => Ok(bytes),
        JobResult::Bytes(Err(error)) => Err(failed(&error, during)?),
        _ => Err(bad(Value::Nil, Code::E7099, &format!("io error during {during}"))?),
    })
}

fn read(call: &mut Call, show: fn(&mut Call, Vec<u8>) -> Result<Value, Fail>) -> Result<Value, Fail> {
    let path = path_or_return!(only(call)?);
    if is_directory(call, path) {
        let text = format!("{}(): cannot read directory as file", call.qualified());
        return bad(Value::Nil, Code::E7042, &text);
    }
    match contents(call, path, "read")? {
        Ok(bytes) => good(show(call, bytes)?),
        Err(result) => Ok(result),
    }
}

pub fn read_file(call: &mut Call) -> Result<Value, Fail> {
    read(call, |call, bytes| Ok(Value::str(call.text_of(bytes)?)))
}

pub fn read_bytes(call: &mut Call) -> Result<Value, Fail> {
    read(call, |_, bytes| Ok(byte_array(bytes)))
}

pub fn read_lines(call: &mut Call) -> Result<Value, Fail> {
    read(call, |call, bytes| {
        let text = call.text_of(bytes)?;
        gather(call, lines(&text))
    })
}

/// The optional permissions at `index`: the low nine bits.
pub fn permissions(call: &Call, index: usize, default: u32) -> Result<u32, Fail> {
    if call.args.len() <= index {
        return Ok(default);
    }
    Ok((call.index(index, "permissions must be an integer")? & 0o777) as u32)
}

pub fn write_file(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=3, "takes 2-3 arguments (path, content, [perms])")?;
    let checked = checked(call, FIRST)?;
    let content = call.text(1, "requires a string content as second argument")?;
    let path = path_or_return!(checked).to_string();
    let (mode, data) = (permissions(call, 2, 0o644)?, content.as_bytes().to_vec());
    done(call, HostRequest::WriteFile { path, data, mode, atomic: true }, "write")
}

/// The bytes of an array of bytes.
pub fn byte_data(value: &Value) -> Option<Vec<u8>> {
    let array = value.as_array()?.borrow();
    match &array.data {
        Elems::Bytes(bytes) => Some(bytes.clone()),
        // An element is not a byte.
        _ if matches!(*array.elem, Type::Byte) => array
            .data
            .iter()
            .map(|value| match value {
                Value::Byte(b) => Some(b),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}

pub fn write_bytes(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=3, "takes 2-3 arguments (path, data, [perms])")?;
    let checked = checked(call, FIRST)?;
    let Some(data) = call.args.get(1).and_then(byte_data) else {
        return call.wrong(Code::E7002, "requires a byte array as second argument");
    };
    let path = path_or_return!(checked).to_string();
    let mode = permissions(call, 2, 0o644)?;
    done(call, HostRequest::WriteFile { path, data, mode, atomic: true }, "write bytes")
}

fn append(call: &mut Call, line: bool) -> Result<Value, Fail> {
    let checked = checked(call, FIRST)?;
    let what = if line {
        "requires a string as second argument"
    } else {
        "requires a string content as second argument"
    };
    let mut data = call.text(1, what)?.as_bytes().to_vec();
    let path = path_or_return!(checked).to_string();
    let mode = permissions(call, 2, 0o644)?;
    if line {
        data.push(b'\n');
    }
    match ask_patiently(call, HostRequest::AppendFile { path, data, mode, line })? {
        Ok(_) => good(true),
        Err(error) if error.operation == "open" => failed(&error, "open for append"),
        Err(error) => failed(&error, if line { "append line" } else { "append" }),
    }
}

pub fn append_file(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=3, "takes 2-3 arguments (path, content, [perms])")?;
    append(call, false)
}

pub fn append_line(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=3, "takes 2-3 arguments (path, line, [perms])")?;
    append(call, true)
}

/// Whether the path exists and is of this kind.
pub fn is(call: &mut Call, kind: Option<FileKind>) -> Result<Value, Fail> {
    call.exactly(1, "(path)")?;
    let path = call.text(0, PATH)?;
    if path.is_empty() || path.contains('\0') {
        return Ok(Value::Bool(false));
    }
    let found = status(call, path, kind != Some(FileKind::Link));
    Ok(Value::Bool(found.is_ok_and(|found| kind.is_none_or(|kind| found.kind == kind))))
}

pub fn file_size(call: &mut Call) -> Result<Value, Fail> {
    let path = path_or_return!(only(call)?);
    match status(call, path, true) {
        Ok(status) => good(status.size),
        Err(error) => failed(&error, "stat"),
    }
}

pub fn file_mod_time(call: &mut Call) -> Result<Value, Fail> {
    let path = path_or_return!(only(call)?);
    match status(call, path, true) {
        Ok(status) => good(status.modified),
        Err(error) => failed(&error, "stat"),
    }
}

pub fn remove(call: &mut Call) -> Result<Value, Fail> {
    let path = path_or_return!(only(call)?);
    match status(call, path, true) {
        Err(error) => failed(&error, "stat"),
        Ok(status) if status.kind == FileKind::Directory => {
            let text = "io.remove() cannot remove directories, use io.remove_dir() instead";
            bad(false, Code::E7018, text)
        }
        Ok(_) => done(call, HostRequest::Remove(path.into()), "remove"),
    }
}

pub fn remove_dir(call: &mut Call) -> Result<Value, Fail> {
    let path = path_or_return!(only(call)?);
    match status(call, path, true) {
        Err(error) => failed(&error, "stat"),
        Ok(status) if status.kind != FileKind::Directory => {
            let text = "io.remove_dir() can only remove directories, use io.remove() for files";
            bad(false, Code::E7019, text)
        }
        Ok(_) => done(call, HostRequest::RemoveDirectory(path.into()), "remove directory"),
    }
}

pub fn remove_all(call: &mut Call) -> Result<Value, Fail> {
    let path = path_or_return!(only(call)?);
    let whole = absolute(call, path).unwrap_or_else(|_| clean(path));
    let home = variable(call, HOME_VARIABLE).filter(|home| !home.is_empty()).map(|home| clean(&home));
    if Path::new(&whole).parent().is_none() || home.is_some_and(|home| home == whole) {
        let text = "io.remove_all() cannot remove root or home directory for safety";
        return bad(false, Code::E7020, text);
    }
    done(call, HostRequest::RemoveAll(path.into()), "remove all")
}

/// Two path arguments; the inner `Err` is the result to return.
fn two<'a>(call: &Call<'a>, first: &str, second: &str) -> Result<Result<[&'a str; 2], Value>, Fail> {
    let from = call.text(0, &format!("requires a string as first argument ({first})"))?;
    let to = call.text(1, &format!("requires a string as second argument ({second})"))?;
    Ok(match bad_path(call, from).or_else(|| bad_path(call, to)) {
        Some(error) => Err(error),
        None => Ok([from, to]),
    })
}

pub fn rename(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(old_path, new_path)")?;
    let [from, to] = path_or_return!(two(call, "old_path", "new_path")?);
    done(call, HostRequest::Rename(from.into(), to.into()), "rename")
}

pub fn copy(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=3, "takes 2-3 arguments (source, destination, [perms])")?;
    let [from, to] = path_or_return!(two(call, "source", "destination")?);
    let mode = if call.args.len() > 2 { Some(permissions(call, 2, 0)?) } else { None };
    match status(call, from, true) {
        Err(error) => return failed(&error, "stat source"),
        Ok(status) if status.kind == FileKind::Directory => {
            return bad(false, Code::E7021, "io.copy() cannot copy directories, only files");
        }
        Ok(_) => {}
    }
    match ask_patiently(call, HostRequest::Copy { from: from.into(), to: to.into(), mode })? {
        Ok(_) => good(true),
        Err(error) => {
            let during = match (error.operation.as_str(), error.path == from) {
                ("open", true) => "open source",
                ("open", false) => "create destination",
                _ => "copy contents",
            };
            failed(&error, during)
        }
    }
}

pub fn make_directory(call: &mut Call, parents: bool) -> Result<Value, Fail> {
    call.count(1..=2, "takes 1-2 arguments (path, [perms])")?;
    let path = path_or_return!(checked(call, PATH)?).to_string();
    let mode = permissions(call, 1, 0o755)?;
    let during = if parents { "mkdir_all" } else { "mkdir" };
    done(call, HostRequest::MakeDirectory { path, mode, parents }, during)
}

pub fn read_dir(call: &mut Call) -> Result<Value, Fail> {
    let path = path_or_return!(only(call)?);
    match ask(call, HostRequest::ReadDirectory(path.into())) {
        Ok(HostAnswer::Texts(names)) => good(string_array(names)),
        Ok(_) => good(string_array([""; 0])),
        Err(error) => {
            let (code, text) = described(&error, "read directory");
            bad(Value::Nil, code, &text)
        }
    }
}
