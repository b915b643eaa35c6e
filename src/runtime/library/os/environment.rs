//! Variables, arguments and directories.

use crate::diagnostics::Code;
use crate::library::args::{bad, good, string_array};
use crate::library::outside::{ask, variable};
use crate::library::{Call, Fail};
use crate::platform::{HOME_VARIABLE, TEMPORARY, slashed_text};
use crate::value::{HostAnswer, HostRequest, OrderedMap, Type, Value};

pub fn get_env(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(name)")?;
    let name = call.text(0, "requires a string argument")?;
    match ask(call, HostRequest::Variable(name.into())) {
        Ok(HostAnswer::MaybeText(Some(value))) => good(value),
        Ok(_) => bad("", Code::E7035, &format!("environment variable '{name}' is not set")),
        Err(error) => bad("", Code::E7035, &format!("environment variable '{name}': {}", error.reason)),
    }
}

pub fn set_env(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(name, value)")?;
    let name = call.text(0, "requires a string name as first argument")?;
    let value = call.text(1, "requires a string value as second argument")?;
    if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
        let text = "failed to set environment variable: setenv: invalid argument";
        return bad(false, Code::E7024, text);
    }
    set(call, HostRequest::SetVariable(name.into(), Some(value.into())))
}

pub fn unset_env(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(name)")?;
    let name = call.text(0, "requires a string argument")?;
    set(call, HostRequest::SetVariable(name.into(), None))
}

fn set(call: &mut Call, request: HostRequest) -> Result<Value, Fail> {
    match ask(call, request) {
        Ok(_) => good(true),
        Err(error) => {
            let text = format!("failed to set environment variable: {}: {}", error.operation, error.reason);
            bad(false, Code::E7024, &text)
        }
    }
}

pub fn env(call: &mut Call) -> Result<Value, Fail> {
    call.none()?;
    let pairs = match ask(call, HostRequest::Variables) {
        Ok(HostAnswer::Pairs(pairs)) => pairs,
        _ => Vec::new(),
    };
    let entries: OrderedMap = pairs.into_iter().map(|(k, v)| (Value::str(k), Value::str(v))).collect();
    Ok(Value::map(&Type::Str, &Type::Str, entries))
}

pub fn args(call: &mut Call) -> Result<Value, Fail> {
    call.none()?;
    Ok(match ask(call, HostRequest::Arguments) {
        Ok(HostAnswer::Texts(arguments)) => string_array(arguments),
        _ => string_array([""; 0]),
    })
}

pub fn cwd(call: &mut Call) -> Result<Value, Fail> {
    super::asked(call, HostRequest::Directory, Code::E7025, "current directory")
}

pub fn chdir(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(path)")?;
    let path = call.text(0, "requires a string path")?;
    match ask(call, HostRequest::ChangeDirectory(path.into())) {
        Ok(_) => good(true),
        Err(error) => {
            let text = format!("failed to change directory: chdir {path}: {}", error.reason);
            bad(false, Code::E7026, &text)
        }
    }
}

pub fn home_dir(call: &mut Call) -> Result<Value, Fail> {
    call.none()?;
    match variable(call, HOME_VARIABLE).filter(|home| !home.is_empty()) {
        Some(home) => good(slashed_text(&home)),
        None => {
            bad("", Code::E7029, &format!("failed to get home directory: ${HOME_VARIABLE} is not defined"))
        }
    }
}

pub fn temp_dir(call: &mut Call) -> Result<Value, Fail> {
    call.none()?;
    let (name, default) = TEMPORARY;
    let given = variable(call, name).filter(|path| !path.is_empty());
    Ok(Value::str(slashed_text(given.as_deref().unwrap_or(default))))
}
