//! Applies a TextMate grammar, as far as that of EZ needs it: to compare the colours of pages with those of editors.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use regex::{Captures, Regex};
use serde_json::Value;

/// A grammar.
pub struct Grammar {
    json: Value,
    known: RefCell<HashMap<String, Rc<Pattern>>>,
}

/// A regular expression, and what has to follow its match.
struct Pattern {
    regex: Regex,
    ahead: Option<Regex>,
}

/// What comes next in a line.
enum Next<'g, 't> {
    End(Captures<'t>),
    Rule(&'g Value, Captures<'t>),
}

/// The page's letter for a scope.
fn letter(scope: &str) -> Option<char> {
    let letters = [
        ("comment", 'c'),
        ("string", 's'),
        ("constant.character.escape", 'e'),
        ("punctuation.section.interpolation", 'i'),
        ("storage.modifier.attribute", 'a'),
        ("keyword.control", 'k'),
        ("keyword.operator.word", 'k'),
        ("storage", 'k'),
        ("support.type", 't'),
        ("entity.name.type", 't'),
        ("constant.language", 'l'),
        ("variable.language", 'l'),
        ("constant.numeric", 'n'),
        ("entity.name.function", 'f'),
        ("entity.name.namespace", 'm'),
        ("keyword.operator", 'o'),
    ];
    letters.iter().find(|(prefix, _)| scope.starts_with(prefix)).map(|(_, letter)| *letter)
}

impl Grammar {
    pub fn read(path: &Path) -> Grammar {
        let json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        Grammar { json, known: RefCell::default() }
    }

    /// The UTF-16 code units of a text with their categories.
    pub fn categories(&self, text: &str) -> Vec<(u16, Option<char>)> {
        let mut units = Vec::new();
        let mut open: Vec<&Value> = Vec::new();
        for line in text.split_inclusive('\n') {
            let body = line.trim_end_matches('\n');
            let mut categories = vec![None; line.len()];
            self.line(body, &mut open, &mut categories);
            for (at, c) in line.char_indices() {
                let mut both = [0; 2];
                units.extend(c.encode_utf16(&mut both).iter().map(|unit| (*unit, categories[at])));
            }
        }
        units
    }

    fn line<'g>(&'g self, line: &str, open: &mut Vec<&'g Value>, categories: &mut [Option<char>]) {
        let mut at = 0;
        loop {
            let around = open.last().copied();
            let inside = around.and_then(|rule| rule["name"].as_str()).and_then(letter);
            let Some(next) = self.next(line, at, around) else {
                categories[at..line.len()].fill(inside);
                return;
            };
            let (Next::End(found) | Next::Rule(_, found)) = &next;
            let whole = found.get(0).unwrap();
            categories[at..whole.start()].fill(inside);
            let (rule, named) = match &next {
                Next::End(_) => (open.pop().unwrap(), "endCaptures"),
                Next::Rule(rule, _) if rule["begin"].is_string() => (*rule, "beginCaptures"),
                Next::Rule(rule, _) => (*rule, "captures"),
            };
            if let (Next::Rule(..), true) = (&next, rule["begin"].is_string()) {
                open.push(rule);
            }
            categories[whole.range()].fill(rule["name"].as_str().and_then(letter));
            for (group, capture) in rule[named].as_object().into_iter().flatten() {
                if let Some(part) = found.get(group.parse().unwrap()) {
                    categories[part.range()].fill(capture["name"].as_str().and_then(letter));
                }
            }
            assert!(whole.end() > at, "an empty match at {at} in {line}");
            at = whole.end();
        }
    }

    /// The first match from a place on; among those that begin there the end of the rule around it, then the first
    /// rule.
    fn next<'g, 't>(&'g self, line: &'t str, at: usize, around: Option<&'g Value>) -> Option<Next<'g, 't>> {
        let patterns = around.map_or(&self.json["patterns"], |rule| &rule["patterns"]);
        let mut best: Option<(usize, Next)> = None;
        if let Some(found) = around.and_then(|rule| self.find(rule["end"].as_str()?, line, at)) {
            best = Some((found.get(0).unwrap().start(), Next::End(found)));
        }
        let mut rules = Vec::new();
        self.flatten(patterns, &mut rules);
        for rule in rules {
            let text = rule["match"].as_str().or(rule["begin"].as_str()).unwrap();
            if let Some(found) = self.find(text, line, at) {
                let start = found.get(0).unwrap().start();
                if best.as_ref().is_none_or(|(before, _)| start < *before) {
                    best = Some((start, Next::Rule(rule, found)));
                }
            }
        }
        best.map(|(_, next)| next)
    }

    /// The rules of a list, with those that it includes.
    fn flatten<'g>(&'g self, patterns: &'g Value, rules: &mut Vec<&'g Value>) {
        for pattern in patterns.as_array().into_iter().flatten() {
            let rule = match pattern["include"].as_str() {
                Some(name) => &self.json["repository"][name.strip_prefix('#').unwrap()],
                None => pattern,
            };
            if rule["match"].is_string() || rule["begin"].is_string() {
                rules.push(rule);
            } else {
                self.flatten(&rule["patterns"], rules);
            }
        }
    }

    fn find<'t>(&self, pattern: &str, line: &'t str, mut at: usize) -> Option<Captures<'t>> {
        let compile = || {
            let (regex, ahead) = match pattern.split_once("(?=") {
                Some((regex, ahead)) => (regex, Some(ahead.strip_suffix(')').unwrap())),
                None => (pattern, None),
            };
            let ahead = ahead.map(|ahead| Regex::new(&format!("^(?:{ahead})")).unwrap());
            Rc::new(Pattern { regex: Regex::new(regex).unwrap(), ahead })
        };
        let pattern = self.known.borrow_mut().entry(pattern.to_string()).or_insert_with(compile).clone();
        loop {
            let found = pattern.regex.captures_at(line, at)?;
            let whole = found.get(0).unwrap();
            if pattern.ahead.as_ref().is_none_or(|ahead| ahead.is_match(&line[whole.end()..])) {
                return Some(found);
            }
            at = whole.end();
        }
    }
}
