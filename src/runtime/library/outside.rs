//! Common to modules that use the host: paths, requests, and system errors as `Error` values.

use crate::diagnostics::Code;
use crate::value::{
    FileKind, FileStatus, HostAnswer, HostRequest, Job, JobResult, SystemError, SystemErrorKind, Value,
    builtin,
};

use super::args::{bad, work};
use super::{Call, Fail};

/// The code and message of a failed system call.
pub(super) fn described(error: &SystemError, during: &str) -> (Code, String) {
    let cause = format!("{} {}: {}", error.operation, error.path, error.reason);
    match error.kind {
        SystemErrorKind::NotFound => (Code::E7016, format!("file or directory not found: {cause}")),
        SystemErrorKind::PermissionDenied => (Code::E7017, format!("permission denied: {cause}")),
        SystemErrorKind::AlreadyExists => (Code::E7022, format!("file or directory already exists: {cause}")),
        SystemErrorKind::DirectoryNotEmpty => (Code::E7023, format!("directory not empty: {cause}")),
        SystemErrorKind::StorageFull | SystemErrorKind::Other => {
            (Code::E7099, format!("io error during {during}: {cause}"))
        }
    }
}

/// `(nil, Error)` for a failed system call.
pub(super) fn failed(error: &SystemError, during: &str) -> Result<Value, Fail> {
    let (code, text) = described(error, during);
    bad(Value::Nil, code, &text)
}

/// The `Error` for an invalid path (empty, or with a NUL byte); `None` for a valid one.
pub(super) fn bad_path(call: &Call, path: &str) -> Option<Value> {
    let name = call.qualified();
    let (code, text) = if path.is_empty() {
        (Code::E7040, format!("{name}(): path cannot be empty"))
    } else if path.contains('\0') {
        (Code::E7041, format!("{name}(): path contains null byte"))
    } else {
        return None;
    };
    Some(Value::tuple([Value::Nil, builtin::error_value(&text, code.as_str())]))
}

/// Sends a request to the host and waits for the answer.
pub(super) fn ask(call: &mut Call, request: HostRequest) -> Result<HostAnswer, SystemError> {
    call.runtime.host().request(request)
}

/// Sends a request that may block (a pipe, a terminal), or one of many; the wait can be interrupted.
pub(super) fn ask_patiently(
    call: &mut Call,
    request: HostRequest,
) -> Result<Result<HostAnswer, SystemError>, Fail> {
    Ok(match work(call.runtime, Job::Request(request))? {
        JobResult::Answer(answer) => answer,
        _ => {
            let (operation, path) = ("wait".to_string(), String::new());
            Err(SystemError {
                kind: SystemErrorKind::Other,
                operation,
                path,
                reason: "no thread for it".into(),
            })
        }
    })
}

/// What is at a path.
pub(super) fn status(call: &mut Call, path: &str, follow: bool) -> Result<FileStatus, SystemError> {
    match ask(call, HostRequest::Status { path: path.into(), follow })? {
        HostAnswer::Status(status) => Ok(status),
        _ => Err(SystemError {
            kind: SystemErrorKind::Other,
            operation: "stat".into(),
            path: path.into(),
            reason: "no answer".into(),
        }),
    }
}

/// Whether a directory (or a link to one) is at a path.
pub(super) fn is_directory(call: &mut Call, path: &str) -> bool {
    status(call, path, true).is_ok_and(|status| status.kind == FileKind::Directory)
}

/// An environment variable.
pub(super) fn variable(call: &mut Call, name: &str) -> Option<String> {
    match ask(call, HostRequest::Variable(name.into())) {
        Ok(HostAnswer::MaybeText(value)) => value,
        _ => None,
    }
}
