//! Open files.

use std::cell::RefCell;

use crate::diagnostics::Code;
use crate::library::args::{bad, byte_array, good};
use crate::library::outside::{ask, ask_patiently, bad_path, failed};
use crate::library::{Call, Fail};
use crate::text::text_from;
use crate::value::{Handle, HandleKind, Heap, HostAnswer, HostRequest, SystemError, SystemErrorKind, Value};

use super::files::{byte_data, permissions};

/// The state of a `File` value.
struct FileState {
    /// The host's handle; `None` once it is closed.
    number: Option<u64>,
    path: String,
}

pub fn open(call: &mut Call) -> Result<Value, Fail> {
    call.count(1..=3, "takes 1-3 arguments (path, [mode], [perms])")?;
    let path = call.text(0, "requires a string path")?;
    if let Some(error) = bad_path(call, path) {
        return Ok(error);
    }
    let flags = if call.args.len() > 1 { call.index(1, "mode must be an integer")? } else { 0 };
    let mode = permissions(call, 2, 0o644)?;
    let Ok(flags) = i32::try_from(flags) else { return failed(&invalid("open", path), "open") };
    match ask_patiently(call, HostRequest::Open { path: path.into(), flags, mode })? {
        Ok(HostAnswer::Number(number)) => good(Value::from(Heap::Handle(Box::new(Handle {
            kind: HandleKind::File,
            preview: RefCell::new(format!("<FileHandle {path}>")),
            state: RefCell::new(Box::new(FileState { number: Some(number as u64), path: path.into() })),
        })))),
        Ok(_) => Ok(Value::Nil),
        Err(error) => failed(&error, "open"),
    }
}

/// The error for an argument that is out of the system's range.
fn invalid(operation: &str, path: &str) -> SystemError {
    let (operation, path) = (operation.to_string(), path.to_string());
    SystemError { kind: SystemErrorKind::Other, operation, path, reason: "invalid argument".into() }
}

/// The first argument as a `File`.
fn handle<'a>(call: &Call<'a>, text: &str) -> Result<&'a Handle, Fail> {
    match call.args.first().and_then(Value::as_ref).map(|r| &**r) {
        Some(Heap::Handle(handle)) if handle.kind == HandleKind::File => Ok(handle),
        _ => call.wrong(Code::E7003, text),
    }
}

/// The host's handle of the open file, or the result to return.
fn number(call: &Call, text: &str, failure: Value) -> Result<Result<u64, Value>, Fail> {
    let handle = handle(call, text)?;
    let state = handle.state.borrow();
    match state.downcast_ref::<FileState>().and_then(|file| file.number) {
        Some(number) => Ok(Ok(number)),
        None => {
            let text = format!("{}(): file handle is closed", call.qualified());
            Ok(Err(bad(failure, Code::E7050, &text)?))
        }
    }
}

const HANDLE: &str = "requires a file handle";
const FIRST: &str = "requires a file handle as first argument";

/// The handle of such a check, or returns its result from the function.
macro_rules! number_or_return {
    ($checked:expr) => {
        match $checked {
            Ok(number) => number,
            Err(result) => return Ok(result),
        }
    };
}

fn bytes(
    call: &mut Call,
    number: u64,
    count: Option<u64>,
    during: &str,
) -> Result<Result<Vec<u8>, Value>, Fail> {
    Ok(match ask_patiently(call, HostRequest::Read(number, count))? {
        Ok(HostAnswer::Bytes(bytes)) => Ok(bytes),
        Ok(_) => Ok(Vec::new()),
        Err(error) => Err(failed(&error, during)?),
    })
}

fn some_bytes(call: &mut Call, during: &str) -> Result<Result<Vec<u8>, Value>, Fail> {
    call.exactly(2, "(handle, n)")?;
    let number = match number(call, FIRST, Value::Nil)? {
        Ok(number) => number,
        Err(result) => return Ok(Err(result)),
    };
    let count = call.index(1, "requires an integer as second argument")?;
    match u64::try_from(count) {
        Ok(count) => bytes(call, number, Some(count), during),
        Err(_) => call.wrong(Code::E7011, "byte count cannot be negative"),
    }
}

pub fn read(call: &mut Call) -> Result<Value, Fail> {
    some_bytes(call, "read")?.map_or_else(Ok, |bytes| good(byte_array(bytes)))
}

pub fn read_string(call: &mut Call) -> Result<Value, Fail> {
    some_bytes(call, "read string")?.map_or_else(Ok, |bytes| good(text_from(bytes)))
}

pub fn read_all(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(handle)")?;
    let number = number_or_return!(number(call, HANDLE, Value::Nil)?);
    bytes(call, number, None, "read all")?.map_or_else(Ok, |bytes| good(byte_array(bytes)))
}

/// Sends a request whose answer is a number; gives that, or the failure.
fn counted(call: &mut Call, request: HostRequest, during: &str) -> Result<Value, Fail> {
    match ask(call, request) {
        Ok(HostAnswer::Number(number)) => good(number),
        Ok(_) => good(0),
        Err(error) => failed(&error, during),
    }
}

pub fn write(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(handle, data)")?;
    let number = number_or_return!(number(call, FIRST, Value::Nil)?);
    let data = match call.args.get(1) {
        Some(value) => match (value.as_str(), value.as_array()) {
            (Some(text), _) => text.as_bytes().to_vec(),
            (_, Some(_)) => match byte_data(value) {
                Some(bytes) => bytes,
                None => return call.wrong(Code::E7002, "array must be a byte array"),
            },
            _ => return call.wrong(Code::E7003, "data must be a string or byte array"),
        },
        None => Vec::new(),
    };
    match ask_patiently(call, HostRequest::Write(number, data))? {
        Ok(HostAnswer::Number(number)) => good(number),
        Ok(_) => good(0),
        Err(error) => failed(&error, "write"),
    }
}

pub fn seek(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "(handle, offset, whence)")?;
    let number = number_or_return!(number(call, FIRST, Value::Nil)?);
    let offset = call.index(1, "offset must be an integer")?;
    let whence = call.index(2, "whence must be an integer")?;
    counted(call, HostRequest::Seek(number, offset, whence), "seek")
}

pub fn tell(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(handle)")?;
    let number = number_or_return!(number(call, HANDLE, Value::Nil)?);
    counted(call, HostRequest::Seek(number, 0, 1), "tell")
}

pub fn flush(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(handle)")?;
    let number = number_or_return!(number(call, HANDLE, Value::Bool(false))?);
    match ask_patiently(call, HostRequest::Sync(number))? {
        Ok(_) => good(true),
        Err(error) => failed(&error, "flush"),
    }
}

pub fn close(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(handle)")?;
    let handle = handle(call, HANDLE)?;
    let closing = match handle.state.borrow_mut().downcast_mut::<FileState>() {
        Some(file) => file.number.take().map(|number| (number, file.path.clone())),
        None => None,
    };
    if let Some((number, path)) = closing {
        *handle.preview.borrow_mut() = format!("<FileHandle(closed) {path}>");
        if let Err(error) = ask(call, HostRequest::Close(number)) {
            return failed(&error, "close");
        }
    }
    good(true)
}
