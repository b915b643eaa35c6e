//! Operations on URLs.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether the port of a URL is greater than 65535.
pub fn has_bad_port(url: &str) -> bool {
    let port = authority(url).rsplit_once(':').map(|(_, port)| port);
    port.is_some_and(|port| {
        !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_err()
    })
}

/// The scheme of an absolute URL, such as `http`.
pub fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    let mut letters = scheme.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
    let rest = letters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    (first && rest).then_some(scheme)
}

/// A URL for the request line: without fragment, and with invalid characters percent-encoded.
pub fn escaped(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let mut out = String::with_capacity(url.len());
    for byte in url.bytes() {
        match byte {
            0..=0x20 | 0x7f.. | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => {
                out.push_str(&format!("%{byte:02X}"));
            }
            byte => out.push(char::from(byte)),
        }
    }
    out
}

/// The host of a URL, with the port if there is one, and without the name and password of a user.
pub fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// Whether a host, which may have a port, is `localhost` or an IP address: no other name, which leads wherever its owner
/// likes.
pub fn is_local(host: &str) -> bool {
    let port = |text: &str| {
        text.is_empty() || text.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
    };
    if let Some((address, rest)) = host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        return address.parse::<Ipv6Addr>().is_ok() && port(rest);
    }
    let (name, rest) = host.split_at(host.find(':').unwrap_or(host.len()));
    (name.eq_ignore_ascii_case("localhost") || name.parse::<Ipv4Addr>().is_ok()) && port(rest)
}

/// What a request to `target` says of the URL that has led there: to the same server all but the user and the
/// fragment, to others only the server, and nothing if the way there was encrypted and the way on is not.
pub fn referer(url: &str, target: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if scheme.eq_ignore_ascii_case("https") && !self::scheme(target)?.eq_ignore_ascii_case("https") {
        return None;
    }
    let host = authority(url);
    if host != authority(target) {
        return Some(escaped(&format!("{scheme}://{host}/")));
    }
    let path = rest.find(['/', '?', '#']).and_then(|at| rest.get(at..)).unwrap_or_default();
    Some(escaped(&format!("{scheme}://{host}{path}")))
}

/// The absolute URL of a redirect from `base` to `target`.
pub fn resolved(base: &str, target: &str) -> String {
    let (scheme, rest) = base.split_once("://").unwrap_or(("http", base));
    if self::scheme(target).is_some() {
        return target.into();
    }
    if let Some(host) = target.strip_prefix("//") {
        return format!("{scheme}://{host}");
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let path = tail.split(['?', '#']).next().unwrap_or_default();
    if target.starts_with('/') {
        return format!("{scheme}://{host}{target}");
    }
    if target.starts_with('?') {
        return format!("{scheme}://{host}{path}{target}");
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    let (target, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => {
                if parts.len() > 1 {
                    parts.pop();
                }
            }
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("{scheme}://{host}{slash}{path}{query}")
}

/// The path without empty, `.` and `..` segments; a slash at the end is kept.
pub fn cleaned_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let end = if !parts.is_empty() && path.ends_with('/') { "/" } else { "" };
    format!("/{}{end}", parts.join("/"))
}

/// A path with percent-encoding decoded; `None` if that is invalid.
pub fn decoded_path(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let mut byte = [0];
        hex::decode_to_slice(tail.get(..2)?, &mut byte).ok()?;
        bytes.extend(byte);
        rest = tail.get(2..)?;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A path with invalid characters percent-encoded.
pub fn encoded_path(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b if b.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&b) => out.push(char::from(b)),
            b => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_not_told_where_a_request_came_from() {
        for (url, target, wanted) in [
            ("http://u:p@h:1/a?b#c", "http://h:1/d", Some("http://h:1/a?b")),
            ("http://u:p@h:1/a?token=x", "http://h:2/d", Some("http://h:1/")),
            ("https://h/a", "https://h/b", Some("https://h/a")),
            ("https://h/a", "http://h/b", None),
            ("http://h", "https://h/b", Some("http://h")),
        ] {
            assert_eq!(referer(url, target).as_deref(), wanted, "{url} to {target}");
        }
    }

    #[test]
    fn redirects_lead_somewhere() {
        for (target, wanted) in [
            ("http://x/y", "http://x/y"),
            ("//x/y", "http://x/y"),
            ("/z", "http://h:1/z"),
            ("?q", "http://h:1/a/b?q"),
            ("c?d=/e", "http://h:1/a/c?d=/e"),
            ("../c", "http://h:1/c"),
            ("mailto:a@b", "mailto:a@b"),
            ("./a:b", "http://h:1/a/a:b"),
        ] {
            assert_eq!(resolved("http://h:1/a/b?x#y", target), wanted);
        }
        assert_eq!(resolved("http://h", "c"), "http://h/c");
        assert_eq!(escaped("http://h/a b?é#f"), "http://h/a%20b?%C3%A9");
    }
}
