//! `@regex`: regular expressions with the syntax of RE2.

mod class;
mod escape;
mod translate;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use regex::{Captures, Regex};

use crate::diagnostics::Code;
use crate::text::slice;
use crate::value::{Elems, Type, Value};

use super::args::{MAX_SIZE, STRING, TOO_LARGE, bad, gather, good, string_array};
use super::offload::Rounds;
use super::row::function;
use super::{Call, Fail, Module};

pub static MODULE: Module = Module {
    name: "regex",
    doc: "Searching texts with patterns.",
    reserved_names: &[],
    outside: false,
    rows: &[
        function!("is_valid" "(pattern string) -> bool", "Whether the pattern is valid.";
            "regex.is_valid(\"a+\"), regex.is_valid(\"(\")" => "true false"; is_valid, unreserved, unknown),
        function!("match" "(pattern string, text string) -> (bool, Error)",
            "Whether the pattern is found anywhere in the text.";
            "regex.match(\"b+\", \"abc\")" => "true, nil";
            |call| found(call, Value::Bool(false), match_anywhere), unreserved),
        function!("find" "(pattern string, text string) -> (string, Error)",
            "The first match; nil if there is none, or if it is empty.";
            "regex.find(\"[0-9]+\", \"a 12 b 3\")" => "\"12\", nil";
            |call| found(call, Value::Nil, find), unreserved),
        function!("find_all" "(pattern string, text string) -> ([string], Error)",
            "All matches of the pattern.";
            "regex.find_all(\"[0-9]+\", \"a 12 b 3\")" => "{\"12\", \"3\"}, nil";
            |call| {
                found(call, Value::Nil, |call, p, text| {
                    gather(call, p.regex.find_iter(text).map(|m| m.as_str()))
                })
            }, unreserved),
        function!("find_all_n" "(pattern string, text string, n int) -> ([string], Error)",
            "The first n matches; if n is negative, all of them.";
            "regex.find_all_n(\"[0-9]\", \"1 2 3\", 2)" => "{\"1\", \"2\"}, nil"; find_all_n, unreserved),
        function!("replace" "(pattern string, text string, replacement string) -> (string, Error)",
            "The text with the first match replaced; the replacement is literal.";
            "regex.replace(\"[0-9]+\", \"a 12 b 3\", \"#\")" => "\"a # b 3\", nil";
            |call| {
                replaced(call, |p, text, new, out| {
                    let (before, after) = match p.regex.find(text) {
                        Some(found) => (text.get(..found.start()), text.get(found.end()..)),
                        None => return out.push(text),
                    };
                    [before, Some(new), after].iter().flatten().for_each(|part| out.push(part));
                })
            }, unreserved),
        function!("replace_all" "(pattern string, text string, replacement string) -> (string, Error)",
            "The text with all matches replaced; $1 and $name in the replacement are the groups.";
            "regex.replace_all(\"([0-9]+)\", \"a 12 b 3\", `<$1>`)" => "\"a <12> b <3>\", nil";
            |call| {
                replaced(call, |p, text, template, out| {
                    let mut end = 0;
                    for captures in p.regex.captures_iter(text) {
                        let found = captures.get(0).map_or(0..0, |whole| whole.range());
                        out.push(slice(text, end..found.start));
                        expand(template, &captures, &p.names, out);
                        end = found.end;
                        if out.full {
                            return;
                        }
                    }
                    out.push(slice(text, end..));
                })
            }, unreserved),
        function!("split" "(pattern string, text string) -> ([string], Error)",
            "The parts between the matches.";
            "regex.split(\", *\", \"a,b,  c\")" => "{\"a\", \"b\", \"c\"}, nil";
            |call| found(call, Value::Nil, split), unreserved),
        function!("groups" "(pattern string, text string) -> ([string], Error)",
            "The first match and its groups; empty if there is none.";
            "regex.groups(\"(a)(b)?\", \"xa\")" => "{\"a\", \"a\", \"\"}, nil";
            |call| {
                found(call, Value::Nil, |call, p, text| {
                    let captures = call.offload(steps(text), || p.regex.captures(text))?;
                    Ok(captures.map_or_else(|| string_array([""; 0]), |c| groups(&c)))
                })
            }, unreserved),
        function!("groups_all" "(pattern string, text string) -> ([[string]], Error)",
            "All matches with their groups.";
            "regex.groups_all(\"(a)(b)?\", \"aab\")" => "{{\"a\", \"a\", \"\"}, {\"ab\", \"a\", \"b\"}}, nil";
            |call| {
                found(call, Value::Nil, |call, p, text| {
                    let mut rounds = Rounds::new(call.runtime);
                    let mut all = Vec::new();
                    for captures in p.regex.captures_iter(text) {
                        rounds.next(call.runtime)?;
                        if all.len() == all.capacity() {
                            // As many again, each an array itself.
                            call.room(all.len() as u64, STRING * (captures.len() as u64 + 1), TOO_LARGE)?;
                            all.reserve(all.len().max(4));
                        }
                        all.push(groups(&captures));
                    }
                    Ok(Value::array_of(&Type::array(Type::Str), Elems::Values(all)))
                })
            }, unreserved),
    ],
};

/// A compiled pattern.
struct Pattern {
    regex: Regex,
    /// Names of the groups, from group 1 on; the compiled pattern has numbers only.
    names: Vec<Option<String>>,
}

/// A cache of compiled patterns, since loops use the same ones repeatedly.
#[derive(Default)]
struct PatternCache {
    small: HashMap<String, Rc<Pattern>>,
    /// The last large pattern.
    large: Option<(String, Rc<Pattern>)>,
}

thread_local! {
    static RECENT: RefCell<PatternCache> = RefCell::default();
}

/// Number of small patterns in the cache.
const MAX_RECENT: usize = 64;
/// Memory limit of a small pattern in bytes.
const SMALL: usize = 1 << 20;
/// Memory limit of a pattern in bytes.
const LARGE: usize = 1 << 28;

impl PatternCache {
    fn get(&self, text: &str) -> Option<Rc<Pattern>> {
        let large = || self.large.as_ref().filter(|(known, _)| known == text).map(|(_, pattern)| pattern);
        self.small.get(text).or_else(large).cloned()
    }
}

fn compile(text: &str) -> Result<Rc<Pattern>, String> {
    if let Some(known) = RECENT.with_borrow(|recent| recent.get(text)) {
        return Ok(known);
    }
    let translated = translate::translate(text)?;
    let mut builder = regex::RegexBuilder::new(&translated.pattern);
    let mut build = |size| builder.size_limit(size).nest_limit(2000).build();
    let (regex, small) = match build(SMALL) {
        Ok(regex) => (regex, true),
        Err(_) => {
            RECENT.with_borrow_mut(|recent| recent.large = None);
            (build(LARGE).map_err(|_| escape::problem("expression too large", text))?, false)
        }
    };
    let pattern = Rc::new(Pattern { regex, names: translated.names });
    RECENT.with_borrow_mut(|recent| {
        if !small {
            recent.large = Some((text.to_string(), pattern.clone()));
            return;
        }
        if recent.small.len() >= MAX_RECENT {
            recent.small.clear();
        }
        recent.small.insert(text.to_string(), pattern.clone());
    });
    Ok(pattern)
}

fn invalid(value: Value, detail: &str) -> Result<Value, Fail> {
    bad(value, Code::E15001, &format!("invalid regex pattern: error parsing regexp: {detail}"))
}

fn pattern_and_text<'a>(call: &Call<'a>) -> Result<(&'a str, &'a str), Fail> {
    let pattern = call.text(0, "requires a string pattern as first argument")?;
    Ok((pattern, call.text(1, "requires a string as second argument")?))
}

fn is_valid(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let pattern = call.text(0, "requires a string pattern")?;
    Ok(Value::Bool(compile(pattern).is_ok()))
}

/// Steps of computation for searching a text.
fn steps(text: &str) -> u64 {
    text.len() as u64 * 4
}

fn match_anywhere(call: &mut Call, pattern: &Pattern, text: &str) -> Result<Value, Fail> {
    Ok(Value::Bool(call.offload(steps(text), || pattern.regex.is_match(text))?))
}

/// Runs `look` with the compiled pattern and the text; `failed` is the value for an invalid pattern.
fn found(
    call: &mut Call,
    failed: Value,
    look: impl Fn(&mut Call, &Pattern, &str) -> Result<Value, Fail>,
) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let (pattern, text) = pattern_and_text(call)?;
    match compile(pattern) {
        Ok(pattern) => good(look(call, &pattern, text)?),
        Err(detail) => invalid(failed, &detail),
    }
}

fn find(call: &mut Call, pattern: &Pattern, text: &str) -> Result<Value, Fail> {
    Ok(match call.offload(steps(text), || pattern.regex.find(text))? {
        Some(m) if !m.is_empty() => Value::str(m.as_str()),
        _ => Value::Nil,
    })
}

fn find_all_n(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "")?;
    let (pattern, text) = pattern_and_text(call)?;
    let n = call.index(2, "requires an integer as third argument")?;
    let limit = usize::try_from(n).unwrap_or(usize::MAX);
    match compile(pattern) {
        Ok(p) => good(gather(call, p.regex.find_iter(text).take(limit).map(|m| m.as_str()))?),
        Err(detail) => invalid(Value::Nil, &detail),
    }
}

/// A result text, which stops growing when memory has no room for it.
#[derive(Default)]
struct Made {
    text: String,
    /// Whether it has stopped growing.
    full: bool,
}

impl Made {
    fn push(&mut self, part: &str) {
        let size = self.text.len() as u64 + part.len() as u64;
        self.full |= size > MAX_SIZE || self.text.try_reserve(part.len()).is_err();
        if !self.full {
            self.text.push_str(part);
        }
    }
}

fn replaced(call: &mut Call, replace: fn(&Pattern, &str, &str, &mut Made)) -> Result<Value, Fail> {
    call.exactly(3, "")?;
    let (pattern, text) = pattern_and_text(call)?;
    let new = call.text(2, "requires a string replacement as third argument")?;
    match compile(pattern) {
        Ok(pattern) => {
            let pattern = &*pattern;
            let made = call.offload(steps(text), || {
                let mut made = Made::default();
                replace(pattern, text, new, &mut made);
                made
            })?;
            if made.full { call.wrong(Code::E7010, TOO_LARGE) } else { good(made.text) }
        }
        Err(detail) => invalid(Value::Nil, &detail),
    }
}

/// Adds the template with groups filled in.
fn expand(template: &str, captures: &Captures, names: &[Option<String>], out: &mut Made) {
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('$') {
        out.push(before);
        if out.full {
            return;
        }
        if let Some(tail) = after.strip_prefix('$') {
            out.push("$");
            rest = tail;
            continue;
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let (name, tail) = match after.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
            Some(parts) => parts,
            None => after
                .split_at_checked(after.find(|c| !is_name(c)).unwrap_or(after.len()))
                .unwrap_or((after, "")),
        };
        if name.is_empty() || !name.chars().all(is_name) {
            out.push("$");
            rest = after;
            continue;
        }
        let group = if name.bytes().all(|b| b.is_ascii_digit()) {
            name.parse().ok()
        } else {
            names.iter().position(|n| n.as_deref() == Some(name)).map(|i| i + 1)
        };
        if let Some(text) = group.and_then(|group: usize| captures.get(group)) {
            out.push(text.as_str());
        }
        rest = tail;
    }
    out.push(rest);
}

fn split(call: &mut Call, pattern: &Pattern, text: &str) -> Result<Value, Fail> {
    if text.is_empty() && !pattern.regex.as_str().is_empty() {
        return Ok(string_array([""]));
    }
    let (mut begin, mut end) = (0, 0);
    let mut matches = pattern.regex.find_iter(text).filter(|m| m.end() != 0);
    let mut rest = true;
    let parts = std::iter::from_fn(|| match matches.next() {
        Some(m) => {
            end = m.start();
            let part = text.get(begin..end);
            begin = m.end();
            part
        }
        None => std::mem::take(&mut rest).then(|| text.get(begin..).filter(|_| end != text.len())).flatten(),
    });
    gather(call, parts)
}

fn groups(captures: &Captures) -> Value {
    string_array(captures.iter().map(|group| group.map_or("", |m| m.as_str())))
}
