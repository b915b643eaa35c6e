//! Parsing and building URLs.

use crate::text::slice;

/// The parts of a URL.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Url {
    pub scheme: String,
    /// Without port and brackets.
    pub host: String,
    /// Whether the authority part is not empty.
    pub has_host: bool,
    pub port: i64,
    pub path: String,
    pub query: String,
    pub fragment: String,
}

/// Parses a URL.
///
/// # Errors
/// A description of the error.
pub fn parse(text: &str) -> Result<Url, String> {
    let mut url = Url::default();
    let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
    if rest.bytes().any(|b| b < 0x20 || b == 0x7f) {
        return Err("net/url: invalid control character in URL".into());
    }
    url.fragment = unescape(fragment)?;
    if rest == "*" {
        url.path = "*".into();
        return Ok(url);
    }
    let (scheme, rest) = split_scheme(rest)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (mut rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    url.query = query.into();
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            return Ok(url);
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".into());
        }
    }
    if (!url.scheme.is_empty() || !rest.starts_with("///"))
        && let Some(tail) = rest.strip_prefix("//")
    {
        let end = tail.find('/').unwrap_or(tail.len());
        let (authority, path) = tail.split_at_checked(end).unwrap_or((tail, ""));
        rest = path;
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        set_host(&mut url, host)?;
    }
    url.path = unescape(rest)?;
    Ok(url)
}

fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme".into()),
            ':' => return Ok((slice(text, ..at), slice(text, at + 1..))),
            _ => break,
        }
    }
    Ok(("", text))
}

fn set_host(url: &mut Url, host: &str) -> Result<(), String> {
    let (name, port) = if host.starts_with('[') {
        let Some(end) = host.rfind(']') else { return Err("missing ']' in host".into()) };
        host.split_at_checked(end + 1).unwrap_or((host, ""))
    } else {
        host.split_at_checked(host.rfind(':').unwrap_or(host.len())).unwrap_or((host, ""))
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    if !digits.bytes().all(|b| b.is_ascii_digit()) || (!port.is_empty() && !port.starts_with(':')) {
        return Err(format!("invalid port \"{port}\" after host"));
    }
    url.has_host = !host.is_empty();
    url.port = if digits.is_empty() { 0 } else { digits.parse().unwrap_or(i64::MAX) };
    let name = name.strip_prefix('[').and_then(|n| n.strip_suffix(']')).unwrap_or(name);
    url.host = unescape_host(name)?;
    Ok(())
}

/// Decodes `%XX`.
fn unescape(text: &str) -> Result<String, String> {
    match crate::library::encoding::decode_url(text, false) {
        Ok(bytes) => Ok(crate::text::text_from(bytes)),
        Err(escape) => Err(format!("invalid URL escape \"{escape}\"")),
    }
}

fn unescape_host(host: &str) -> Result<String, String> {
    for (at, c) in host.char_indices() {
        if c == '%' {
            let escape: String =
                host.chars().skip(host.get(..at).map_or(0, |h| h.chars().count())).take(3).collect();
            let ascii = escape.chars().nth(1).and_then(|c| c.to_digit(16)).is_some_and(|digit| digit < 8);
            if ascii && escape != "%25" {
                return Err(format!("invalid URL escape \"{escape}\""));
            }
        } else if c.is_ascii() && !c.is_ascii_alphanumeric() && !"-_.~!$&'()*+,;=:[]<>\"".contains(c) {
            let shown = if c == '"' || c == '\\' { format!("\\{c}") } else { c.to_string() };
            return Err(format!("invalid character \"{shown}\" in host name"));
        }
    }
    unescape(host)
}

fn escape(text: &str, also: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        let c = char::from(byte);
        if byte.is_ascii() && (c.is_ascii_alphanumeric() || "-_.~$&+,/:;=@".contains(c) || also.contains(c)) {
            out.push(c);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Builds a URL from its parts.
pub fn build(url: &Url) -> String {
    let mut out = String::new();
    let host = url.host.replace(' ', "%20");
    let mut authority = if host.contains(':') { format!("[{host}]") } else { host };
    if url.port > 0 {
        authority.push_str(&format!(":{}", url.port));
    }
    if !url.scheme.is_empty() {
        out.push_str(&format!("{}:", url.scheme));
    }
    let slashes = !authority.is_empty() || (!url.scheme.is_empty() && !url.path.is_empty());
    if slashes {
        out.push_str("//");
        out.push_str(&authority);
    }
    let path = if url.path == "*" { "*".to_string() } else { escape(&url.path, "") };
    if !path.is_empty() && !path.starts_with('/') && !authority.is_empty() {
        out.push('/');
    }
    if out.is_empty() && path.split('/').next().is_some_and(|segment| segment.contains(':')) {
        out.push_str("./");
    }
    out.push_str(&path);
    if !url.query.is_empty() {
        out.push_str(&format!("?{}", url.query));
    }
    if !url.fragment.is_empty() {
        out.push_str(&format!("#{}", escape(&url.fragment, "!()*?")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let url = parse("HTTP://u:p@Ex.org:80/a%20b?q=%zz#f%20g").expect("a URL");
        assert_eq!((url.scheme.as_str(), url.host.as_str(), url.port), ("http", "Ex.org", 80));
        assert_eq!((url.path.as_str(), url.query.as_str(), url.fragment.as_str()), ("/a b", "q=%zz", "f g"));
        for (text, wanted) in [
            (":x", "missing protocol scheme"),
            ("a b:c", "first path segment in URL cannot contain colon"),
            ("http://a:b", "invalid port \":b\" after host"),
            ("/%zz", "invalid URL escape \"%zz\""),
            ("http://a b/", "invalid character \" \" in host name"),
            ("http://a%41/", "invalid URL escape \"%41\""),
            ("a\u{1}", "net/url: invalid control character in URL"),
        ] {
            assert_eq!(parse(text), Err(wanted.into()), "{text}");
        }
        assert_eq!(build(&parse("http://[::1]:80/x").expect("a URL")), "http://[::1]:80/x");
    }
}
