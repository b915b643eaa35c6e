//! The core builtins, except conversions.

use std::io;

use crate::diagnostics::Code;
use crate::library::Runtime;
use crate::program::Builtin;
use crate::source::Span;
use crate::value::{Heap, Type, Value, Waited, builtin, deep_copy};

use super::access;
use super::vm::{Stop, Vm, Wide};

/// Calls a builtin.
pub fn call(vm: &mut Vm, which: Builtin, args: &[Value], types: &[Type], at: Span) -> Result<Value, Stop> {
    let first = args.first().map_or(Value::Nil, Value::follow);
    if let (Builtin::Exit | Builtin::Panic, count @ (0 | 2..)) = (which, args.len()) {
        let name = if matches!(which, Builtin::Exit) { "exit" } else { "panic" };
        let message = format!("{name}() takes exactly 1 argument, got {count}");
        return vm.fail(Code::E7001, message, at);
    }
    match which {
        Builtin::Len => match access::length(vm, first.as_ref().map(|r| &**r), at) {
            Ok(n) => Ok(Value::Int(n)),
            Err(Wide) if matches!(first, Value::Nil | Value::Ref(_)) => Err(Stop),
            Err(Wide) => vm.fail(Code::E7015, format!("len() not supported for {}", first.typeof_name()), at),
        },
        Builtin::Typeof => Ok(Value::str(type_name(&first, types.first()))),
        Builtin::Input => input(vm, at),
        Builtin::ReadInt => read_int(vm, at),
        Builtin::Copy => match deep_copy(&first) {
            Ok(value) => Ok(value),
            Err(error) => vm.fail(error.code(), error.to_string(), at),
        },
        Builtin::Error => match first.as_str() {
            Some(message) => Ok(builtin::error_value(message, "")),
            None => {
                let message = format!("error() argument must be a string, got {}", first.typeof_name());
                vm.fail(Code::E7003, message, at)
            }
        },
        Builtin::Exit => exit(vm, &first, at),
        Builtin::Panic => match first.as_str() {
            Some(message) => {
                let message = format!("panic: {message}");
                vm.fail(Code::E5021, message, at)
            }
            None => {
                let message = format!("panic() argument must be a string, got {}", first.typeof_name());
                vm.fail(Code::E7003, message, at)
            }
        },
        Builtin::Assert => assert(vm, args, at),
    }
}

fn exit(vm: &mut Vm, status: &Value, at: Span) -> Result<Value, Stop> {
    let Some(number) = status.plain().as_bigint() else {
        let message = format!("exit() argument must be an integer, got {}", status.typeof_name());
        return vm.fail(Code::E7004, message, at);
    };
    let low: num_bigint::BigInt = number & num_bigint::BigInt::from(0xFF);
    let status = i32::try_from(&low).unwrap_or(0);
    let _ = vm.exit(status);
    Err(Stop)
}

fn assert(vm: &mut Vm, args: &[Value], at: Span) -> Result<Value, Stop> {
    let [condition, message] = args else {
        let text = format!("assert() takes exactly 2 arguments, got {}", args.len());
        return vm.fail(Code::E7001, text, at);
    };
    let (condition, message) = (condition.follow(), message.follow());
    let Value::Bool(holds) = condition else {
        let text = format!("assert() first argument must be a boolean, got {}", condition.typeof_name());
        return vm.fail(Code::E7008, text, at);
    };
    let Some(message) = message.as_str() else {
        let text = format!("assert() second argument must be a string, got {}", message.typeof_name());
        return vm.fail(Code::E7003, text, at);
    };
    if holds {
        return Ok(Value::Nil);
    }
    let text = format!("assertion failed: {message}");
    vm.fail(Code::E5022, text, at)
}

/// `typeof`: the static type without sizes; `nil` for nil; the type of the value where no static type is
/// known.
pub fn type_name(value: &Value, ty: Option<&Type>) -> String {
    match (value, ty) {
        (Value::Nil, _) => "nil".into(),
        (Value::Ref(r), Some(Type::Array(..) | Type::Map(..)))
            if !matches!(&**r, Heap::Array(_) | Heap::Map(_)) =>
        {
            value.typeof_name()
        }
        (_, Some(Type::Array(elem, _))) if contains_any(elem) => value.typeof_name(),
        (_, Some(Type::Map(key, item))) if contains_any(key) || contains_any(item) => value.typeof_name(),
        (Value::Ref(r), Some(Type::Tuple(types))) => match &**r {
            Heap::Tuple(parts) if parts.len() == types.len() => {
                let names: Vec<String> =
                    parts.iter().zip(types.iter()).map(|(v, t)| type_name(v, Some(t))).collect();
                format!("({})", names.join(", "))
            }
            _ => value.typeof_name(),
        },
        (_, None | Some(Type::Any | Type::Nil | Type::Void)) => value.typeof_name(),
        (_, Some(ty)) => ty.typeof_name(),
    }
}

fn contains_any(ty: &Type) -> bool {
    match ty {
        Type::Any => true,
        Type::Array(elem, _) => contains_any(elem),
        Type::Map(key, value) => contains_any(key) || contains_any(value),
        _ => false,
    }
}

/// The result of reading a line.
enum Line {
    Text(Vec<u8>),
    Failed,
    End,
}

/// Reads a line from standard input. The first read at the end of input returns [`Line::End`]; the next
/// one ends the program with status 0.
fn read_line(vm: &mut Vm, at: Span) -> Result<Line, Stop> {
    if vm.evaluating {
        return vm.fail(Code::E7099, "input cannot be read in an evaluation", at);
    }
    if vm.input_ended {
        vm.ends_without_input = true;
        let _ = vm.exit(0);
        return Err(Stop);
    }
    loop {
        vm.tell_reads_line();
        match vm.host.read_line() {
            Ok(Waited::Done(Some(line))) => {
                if line.last() != Some(&b'\n') {
                    vm.input_ended = true;
                }
                return Ok(Line::Text(line));
            }
            Ok(Waited::Done(None)) => {
                vm.input_ended = true;
                return Ok(Line::End);
            }
            Ok(Waited::Interrupted) => {
                if vm.on_interrupt().is_err() {
                    return Err(Stop);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return vm.fail(Code::E7099, "input cannot be read: the front end gives none", at);
            }
            Err(_) => return Ok(Line::Failed),
        }
    }
}

fn input(vm: &mut Vm, at: Span) -> Result<Value, Stop> {
    let text = match read_line(vm, at)? {
        Line::Text(bytes) => String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_string(),
        Line::Failed | Line::End => String::new(),
    };
    Ok(Value::str(text))
}

fn read_int(vm: &mut Vm, at: Span) -> Result<Value, Stop> {
    let failure = |message: &str, code: i64| {
        Value::tuple([Value::Int(0), builtin::error_value(message, Value::Int(code))])
    };
    Ok(match read_line(vm, at)? {
        Line::Text(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_end_matches([' ', '\t', '\r', '\n']);
            let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            match text.parse::<i64>() {
                Ok(number) if plain => Value::tuple([Value::Int(number), Value::Nil]),
                _ if vm.input_ended => failure("end of input", 3),
                _ => failure("invalid integer input", 2),
            }
        }
        Line::End => failure("end of input", 3),
        Line::Failed => failure("failed to read input", 1),
    })
}
