//! Finding files: `walk` and `glob`.

use crate::diagnostics::Code;
use crate::library::args::{bad, good, string_array};
use crate::library::outside::{ask_patiently, bad_path, failed, status};
use crate::library::{Call, Fail};
use crate::value::{FileKind, HostAnswer, HostRequest, SystemError, SystemErrorKind, Value};

use super::paths::{clean, join};

/// The answer of the host, its refusal, or the end of the program.
type HostResult<T> = Result<Result<T, SystemError>, Fail>;

fn names(call: &mut Call, path: &str) -> HostResult<Vec<String>> {
    Ok(ask_patiently(call, HostRequest::ReadDirectory(path.into()))?.map(|answer| match answer {
        HostAnswer::Texts(names) => names,
        _ => Vec::new(),
    }))
}

/// Whether a directory, and no link to one, is at the path.
fn is_directory(call: &mut Call, path: &str) -> HostResult<bool> {
    let request = HostRequest::Status { path: path.into(), follow: false };
    let answer = ask_patiently(call, request)?;
    Ok(answer.map(|answer| matches!(answer, HostAnswer::Status(found) if found.kind == FileKind::Directory)))
}

pub fn walk(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(directory)")?;
    let root = call.text(0, "requires a string directory path")?;
    if let Some(error) = bad_path(call, root) {
        return Ok(error);
    }
    match walked(call, root)? {
        Ok(found) => good(string_array(found)),
        Err(error) => failed(&error, "walk"),
    }
}

fn walked(call: &mut Call, root: &str) -> HostResult<Vec<String>> {
    let mut found = Vec::new();
    // A stack, so that the contents of a directory follow it directly.
    let mut todo = vec![root.to_string()];
    while let Some(path) = todo.pop() {
        match is_directory(call, &path)? {
            Ok(true) => {}
            Ok(false) => {
                found.push(path);
                continue;
            }
            // A name that is not UTF-8 cannot be looked up by its text.
            Err(error)
                if error.kind == SystemErrorKind::NotFound && path.contains(char::REPLACEMENT_CHARACTER) =>
            {
                found.push(path);
                continue;
            }
            Err(error) => return Ok(Err(error)),
        }
        let mut inside = match names(call, &path)? {
            Ok(inside) => inside,
            Err(error) => return Ok(Err(error)),
        };
        inside.reverse();
        todo.extend(inside.iter().map(|name| join(&path, name)));
    }
    Ok(Ok(found))
}

pub fn glob(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(pattern)")?;
    let pattern = call.text(0, "requires a string pattern")?;
    if !well_formed(pattern) {
        return bad(Value::Nil, Code::E7043, "io.glob() invalid pattern: syntax error in pattern");
    }
    good(string_array(globbed(call, pattern)?))
}

/// Paths that match. Directories that cannot be read match nothing.
fn globbed(call: &mut Call, pattern: &str) -> Result<Vec<String>, Fail> {
    let Some(wild) = pattern.find(['*', '?', '[', '\\']) else {
        let there = !pattern.is_empty() && status(call, pattern, false).is_ok();
        return Ok(if there { vec![pattern.to_string()] } else { Vec::new() });
    };
    // Components before the first wild character are one path.
    let (mut front, mut components) = (Some(pattern), Vec::new());
    while let Some(rest) = front.filter(|rest| rest.len() > wild) {
        let (before, last) =
            rest.rsplit_once('/').map_or((None, rest), |(before, last)| (Some(before), last));
        components.push(last);
        front = before;
    }
    let mut found = vec![match front {
        None => ".".to_string(),
        Some("") => "/".to_string(),
        Some(front) => clean(front),
    }];
    while let Some(component) = components.pop() {
        let component: Vec<char> = component.chars().collect();
        for directory in std::mem::take(&mut found) {
            let Ok(names) = names(call, &directory)? else { continue };
            let fits = |name: &String| matches(&component, &name.chars().collect::<Vec<_>>());
            found.extend(names.iter().filter(|name| fits(name)).map(|name| join(&directory, name)));
        }
    }
    Ok(found)
}

/// Whether every bracket is closed and no backslash is last.
fn well_formed(pattern: &str) -> bool {
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' if rest.next().is_none() => return false,
            '[' => {
                if rest.peek() == Some(&'^') {
                    rest.next();
                }
                let mut count = 0;
                loop {
                    match rest.next() {
                        None => return false,
                        Some(']') if count > 0 => break,
                        Some(']' | '-') => return false,
                        Some('\\') if rest.next().is_none() => return false,
                        Some(_) => {}
                    }
                    count += 1;
                    if rest.peek() == Some(&'-') {
                        rest.next();
                        match rest.next() {
                            None | Some(']' | '-') => return false,
                            Some('\\') if rest.next().is_none() => return false,
                            Some(_) => {}
                        }
                    }
                }
            }
            _ => {}
        }
    }
    true
}

/// Whether a name matches a well-formed pattern.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    // Backtracking point: the pattern after the last star, and the text where it was tried. Earlier
    // stars need no backtracking, since they matched at the first possible place.
    let mut star: Option<(&[char], &[char])> = None;
    loop {
        if let Some(('*', rest)) = pattern.split_first() {
            pattern = rest;
            star = Some((pattern, name));
        } else if pattern.is_empty() && name.is_empty() {
            return true;
        } else if let Some(rests) = first_fits(pattern, name) {
            (pattern, name) = rests;
        } else {
            let Some((rest, tried)) = star else { return false };
            let Some((_, next)) = tried.split_first() else { return false };
            star = Some((rest, next));
            (pattern, name) = (rest, next);
        }
    }
}

/// The rest of pattern and name if their first characters match.
fn first_fits<'a>(pattern: &'a [char], name: &'a [char]) -> Option<(&'a [char], &'a [char])> {
    let (first, pattern) = pattern.split_first()?;
    let (c, name) = name.split_first()?;
    match first {
        '?' => Some((pattern, name)),
        '[' => {
            let (inside, pattern) = in_set(pattern, *c);
            inside.then_some((pattern, name))
        }
        '\\' => {
            let (quoted, pattern) = pattern.split_first()?;
            (quoted == c).then_some((pattern, name))
        }
        first => (first == c).then_some((pattern, name)),
    }
}

/// Whether a character is in the set after `[`, and what follows the set.
fn in_set(pattern: &[char], c: char) -> (bool, &[char]) {
    let (negated, mut rest) = match pattern.split_first() {
        Some(('^', rest)) => (true, rest),
        _ => (false, pattern),
    };
    let mut inside = false;
    let mut first = true;
    loop {
        match rest.split_first() {
            Some((']', tail)) if !first => return (inside != negated, tail),
            None => return (false, rest),
            _ => {}
        }
        first = false;
        let (low, tail) = one(rest);
        let (high, tail) = match tail.split_first() {
            Some(('-', tail)) => one(tail),
            _ => (low, tail),
        };
        inside |= (low..=high).contains(&c);
        rest = tail;
    }
}

/// A character of a set, perhaps quoted.
fn one(pattern: &[char]) -> (char, &[char]) {
    match pattern {
        ['\\', c, rest @ ..] | [c, rest @ ..] => (*c, rest),
        [] => ('\0', pattern),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let fits = |pattern: &str, name: &str| {
            matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        assert!(fits("*.txt", ".txt") && fits("a?c", "aéc") && fits("[a-c]x", "bx") && fits("[^a]", "b"));
        assert!(fits("*a*b?", "xaxbab!") && !fits("*a*b?", "xaxbab") && fits("**", "") && fits("*[*]", "a*"));
        // Exponential backtracking would not end here.
        assert!(!fits(&"*a".repeat(100), &format!("{}b", "a".repeat(200))));
        assert!(fits("[!a]", "!") && fits("\\*", "*") && !fits("[^a]", "a") && !fits("a*b", "ac"));
        for bad in ["[", "[]", "a\\", "[a", "[a-]", "[^]"] {
            assert!(!well_formed(bad), "{bad}");
        }
        assert!(well_formed("[\\]]") && well_formed("a]"));
    }
}
