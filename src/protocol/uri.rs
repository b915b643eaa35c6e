//! Paths as `file:` URIs, and back.

use std::path::{Component, Path};

/// Whether a path begins with a drive letter, as on Windows.
pub fn has_drive(path: &str) -> bool {
    matches!(Path::new(path).components().next(), Some(Component::Prefix(_)))
}

/// The `file:` URI of a path.
pub fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(byte.into())
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The path in a URI of a file, `rest` being what follows `file://`; `None` if it is not valid UTF-8.
pub fn path(rest: &str) -> Option<String> {
    let path = decoded(rest.strip_prefix("localhost").unwrap_or(rest))?;
    // On Windows the path of a URI is "/C:/a.ez".
    let drive = path.strip_prefix('/').filter(|rest| has_drive(rest)).map(String::from);
    Some(drive.unwrap_or(path))
}

/// A text with percent-encoding decoded; `None` if it is not valid UTF-8 then.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first == b'%' {
            let (digits, tail) = rest.split_at_checked(2)?;
            bytes.extend(hex::decode(digits).ok()?);
            rest = tail;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}
