//! Functions on paths that do not access the file system.

use std::path::{Component, Path, is_separator};

use crate::diagnostics::Code;
use crate::library::args::{bad, good};
use crate::library::outside::{ask, bad_path, variable};
use crate::library::{Call, Fail};
use crate::platform::{HOME_VARIABLE, slashed_text};
use crate::value::{HostAnswer, HostRequest, Value};

/// A path as systems understand it in two parts: the drive (`C:`) or share that it begins with on Windows, and
/// the rest, with `/` for every separator.
fn parts(path: &str) -> (String, String) {
    let path = slashed_text(path);
    let drive = match Path::new(&path).components().next() {
        Some(Component::Prefix(drive)) => drive.as_os_str().len(),
        _ => 0,
    };
    match path.split_at_checked(drive) {
        Some((drive, rest)) => (drive.into(), rest.into()),
        None => (String::new(), path),
    }
}

/// The path without doubled slashes, `.` and `name/..`.
pub fn clean(path: &str) -> String {
    let (drive, rest) = parts(path);
    drive + &cleaned(&rest)
}

fn cleaned(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." => {
                    parts.pop();
                }
                _ if rooted => {}
                _ => parts.push(".."),
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".into(),
        (false, false) => joined,
    }
}

/// Two paths, the second below the first, cleaned.
pub fn join(front: &str, back: &str) -> String {
    match (front.is_empty(), back.is_empty()) {
        (true, true) => String::new(),
        (true, false) => clean(back),
        (false, true) => clean(front),
        (false, false) => clean(&format!("{front}/{back}")),
    }
}

fn base(path: &str) -> String {
    if path.is_empty() {
        return ".".into();
    }
    let (_, path) = parts(path);
    let trimmed = path.trim_end_matches('/');
    match trimmed.rsplit('/').next() {
        Some(last) if !last.is_empty() => last.into(),
        _ => "/".into(),
    }
}

fn directory(path: &str) -> String {
    let (drive, path) = parts(path);
    match path.rfind('/').and_then(|at| path.get(..=at)) {
        Some(front) => drive + &cleaned(front),
        None => drive + ".",
    }
}

fn extension(path: &str) -> String {
    let last = path.rsplit(is_separator).next().unwrap_or_default();
    last.rfind('.').and_then(|at| last.get(at..)).unwrap_or_default().into()
}

/// Applies `change` to the only argument, a path without NUL.
fn changed(call: &Call, change: fn(&str) -> String) -> Result<Value, Fail> {
    call.exactly(1, "(path)")?;
    let path = call.text(0, "requires a string path")?;
    if path.contains('\0') {
        return call.fail(Code::E7041, format!("{}(): path contains null byte", call.qualified()));
    }
    Ok(Value::str(change(path)))
}

pub fn path_base(call: &mut Call) -> Result<Value, Fail> {
    changed(call, base)
}

pub fn path_dir(call: &mut Call) -> Result<Value, Fail> {
    changed(call, directory)
}

pub fn path_ext(call: &mut Call) -> Result<Value, Fail> {
    changed(call, extension)
}

pub fn path_clean(call: &mut Call) -> Result<Value, Fail> {
    changed(call, clean)
}

pub fn path_join(call: &mut Call) -> Result<Value, Fail> {
    call.count(1..=usize::MAX, "takes at least 1 argument")?;
    let mut parts = Vec::new();
    for (i, value) in call.args.iter().enumerate() {
        let Some(part) = value.as_str() else {
            return call.wrong(Code::E7003, &format!("argument {} must be a string", i + 1));
        };
        if part.contains('\0') {
            return call.fail(Code::E7041, "io.path_join(): path component contains null byte");
        }
        if !part.is_empty() {
            parts.push(part);
        }
    }
    Ok(Value::str(if parts.is_empty() { String::new() } else { clean(&parts.join("/")) }))
}

/// The path from the root, cleaned.
pub fn absolute(call: &mut Call, path: &str) -> Result<String, crate::value::SystemError> {
    if Path::new(path).is_absolute() {
        return Ok(clean(path));
    }
    match ask(call, HostRequest::Directory)? {
        // On Windows, of a drive that is not named.
        HostAnswer::Text(here) if path.starts_with(is_separator) => Ok(clean(&(parts(&here).0 + path))),
        HostAnswer::Text(here) => Ok(join(&here, path)),
        _ => Ok(clean(path)),
    }
}

pub fn path_abs(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(path)")?;
    let path = call.text(0, "requires a string path")?;
    if let Some(error) = bad_path(call, path) {
        return Ok(error);
    }
    match absolute(call, path) {
        Ok(path) => good(path),
        Err(error) => crate::library::outside::failed(&error, "path_abs"),
    }
}

pub fn expand_path(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(path)")?;
    let path = call.text(0, "requires a string path")?;
    let Some(rest) = path.strip_prefix('~') else { return Ok(Value::str(clean(path))) };
    match variable(call, HOME_VARIABLE).filter(|home| !home.is_empty()) {
        Some(home) => Ok(Value::str(clean(&format!("{home}{rest}")))),
        None => bad(Value::Nil, Code::E7029, "io.expand_path(): failed to get home directory"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (path, parts) in [
            ("a//b/./c/../d.tar.gz", ["d.tar.gz", "a/b", ".gz", "a/b/d.tar.gz"]),
            ("a/", ["a", "a", "", "a"]),
            ("/../x", ["x", "/", "", "/x"]),
            ("a/..", ["..", "a", ".", "."]),
            ("../../x", ["x", "../..", "", "../../x"]),
            ("", [".", ".", "", "."]),
            ("///", ["/", "/", "", "/"]),
            (".bashrc", [".bashrc", ".", ".bashrc", ".bashrc"]),
        ] {
            let got = [base(path), directory(path), extension(path), clean(path)];
            if path == "a//b/./c/../d.tar.gz" {
                assert_eq!(got[1], "a/b");
            }
            assert_eq!(got, parts, "{path}");
        }
        assert_eq!(join("a", "../../b"), "../b");
        if is_separator('\\') {
            let drive = "C:\\a\\.\\b.txt";
            let got = [base(drive), directory(drive), extension(drive), clean(drive), clean("c:/..")];
            assert_eq!(got, ["b.txt", "C:/a", ".txt", "C:/a/b.txt", "c:/"]);
        }
    }
}
