//! Finding files: `walk` and `glob`.

use crate::diagnostics::Code;
use crate::library::args::{bad, good, string_array};
use crate::library::outside::{ask, bad_path, failed, status};
use crate::library::{Call, Fail};
use crate::value::{Answer, FileKind, Request, SystemError, Value};

use super::paths::{clean, join};

fn names(call: &mut Call, path: &str) -> Result<Vec<String>, SystemError> {
    match ask(call, Request::ReadDirectory(path.into()))? {
        Answer::Texts(names) => Ok(names),
        _ => Ok(Vec::new()),
    }
}

pub fn walk(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(directory)")?;
    let root = call.text(0, "requires a string directory path")?;
    if let Some(error) = bad_path(call, root) {
        return Ok(error);
    }
    match walked(call, root) {
        Ok(found) => good(string_array(found)),
        Err(error) => failed(&error, "walk"),
    }
}

fn walked(call: &mut Call, root: &str) -> Result<Vec<String>, SystemError> {
    let mut found = Vec::new();
    // The next path is the last one, so that a directory's contents come at its own place.
    let mut todo = vec![root.to_string()];
    while let Some(path) = todo.pop() {
        if status(call, &path, false)?.kind != FileKind::Directory {
            found.push(path);
            continue;
        }
        let mut inside = names(call, &path)?;
        inside.reverse();
        todo.extend(inside.iter().map(|name| join(&path, name)));
    }
    Ok(found)
}

pub fn glob(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(pattern)")?;
    let pattern = call.text(0, "requires a string pattern")?;
    if !well_formed(pattern) {
        return bad(Value::Nil, Code::E7043, "io.glob() invalid pattern: syntax error in pattern");
    }
    good(string_array(globbed(call, pattern)))
}

fn wild(text: &str) -> bool {
    text.contains(['*', '?', '[', '\\'])
}

/// Paths that match. Directories that cannot be read match nothing.
fn globbed(call: &mut Call, pattern: &str) -> Vec<String> {
    if !wild(pattern) {
        let there = !pattern.is_empty() && status(call, pattern, false).is_ok();
        return if there { vec![pattern.to_string()] } else { Vec::new() };
    }
    let (front, last) = match pattern.rfind('/').and_then(|at| pattern.split_at_checked(at)) {
        Some((front, last)) => (front, last.get(1..).unwrap_or_default()),
        None => (".", pattern),
    };
    let front = if front.is_empty() { "/" } else { front };
    let directories = if wild(front) { globbed(call, front) } else { vec![clean(front)] };
    let mut found = Vec::new();
    for directory in directories {
        let Ok(names) = names(call, &directory) else { continue };
        let last: Vec<char> = last.chars().collect();
        let fits = names.into_iter().filter(|name| matches(&last, &name.chars().collect::<Vec<_>>()));
        found.extend(fits.map(|name| join(&directory, &name)));
    }
    found
}

/// Whether every bracket is closed and nothing is quoted at the end.
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
    match pattern.split_first() {
        None => name.is_empty(),
        Some(('*', rest)) => (0..=name.len()).any(|skip| matches(rest, name.get(skip..).unwrap_or_default())),
        Some((first, rest)) => {
            let Some((c, name)) = name.split_first() else { return false };
            match first {
                '?' => matches(rest, name),
                '[' => {
                    let (inside, rest) = in_set(rest, *c);
                    inside && matches(rest, name)
                }
                '\\' => {
                    let Some((quoted, rest)) = rest.split_first() else { return false };
                    quoted == c && matches(rest, name)
                }
                first => first == c && matches(rest, name),
            }
        }
    }
}

/// Whether a character is in the set behind `[`, and what follows the set.
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
        assert!(fits("[!a]", "!") && fits("\\*", "*") && !fits("[^a]", "a") && !fits("a*b", "ac"));
        for bad in ["[", "[]", "a\\", "[a", "[a-]", "[^]"] {
            assert!(!well_formed(bad), "{bad}");
        }
        assert!(well_formed("[\\]]") && well_formed("a]"));
    }
}
