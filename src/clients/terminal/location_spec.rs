//! Parses the arguments of `break`: a place, and the breakpoint's options.

use ez_engine::api::BreakpointOptions;
use ez_runtime::text::slice;

use super::command_error::CommandError;

/// Where to stop, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocationSpec {
    /// A line, of a file if one is named.
    Line(Option<String>, u32),
    /// The first statement of a function.
    Function(String),
}

/// A breakpoint as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakpointArguments {
    pub place: String,
    pub options: BreakpointOptions,
}

/// Parses `PLACE [if CONDITION] [hit N] [log TEXT]`.
///
/// # Errors
/// If something is missing after one of the words.
pub fn breakpoint_arguments(text: &str) -> Result<BreakpointArguments, CommandError> {
    let mut options = BreakpointOptions::default();
    let mut place = String::new();
    for (word, clause) in clauses(text) {
        let missing = |what: &str| CommandError::new(format!("there is no {what} after '{word}'"));
        let clause = clause.trim().to_string();
        match word {
            "if" if clause.is_empty() => return Err(missing("condition")),
            "if" => options.condition = Some(clause),
            "hit" if clause.is_empty() => return Err(missing("number")),
            "hit" => options.hit_condition = Some(clause),
            "log" if clause.is_empty() => return Err(missing("text")),
            "log" => options.log_message = Some(clause),
            _ => place = clause,
        }
    }
    // A `hit` without a valid number is still part of the place.
    if place.split_whitespace().any(|word| word == "hit") {
        return Err(CommandError::new("'hit' is followed by a number: hit 3, hit >= 3, hit % 10"));
    }
    Ok(BreakpointArguments { place, options })
}

/// Parses a place: `LINE`, `FILE:LINE`, `FUNCTION` or `MODULE.FUNCTION`.
///
/// # Errors
/// If it is not a place.
pub fn location_spec(text: &str) -> Result<LocationSpec, CommandError> {
    let wrong = || {
        let what = CommandError::new(format!("'{text}' is not a place to stop at"));
        what.help("a place is a line (12), a line of a file (shapes.ez:12) or a function (area)")
    };
    if text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains(':') {
        return number(text).map(|line| LocationSpec::Line(None, line)).ok_or_else(wrong);
    }
    if let Some((file, line)) = text.rsplit_once(':') {
        let file = file.strip_prefix('"').and_then(|file| file.strip_suffix('"')).unwrap_or(file);
        let line = number(line).filter(|_| !file.is_empty());
        return line.map(|line| LocationSpec::Line(Some(file.to_string()), line)).ok_or_else(wrong);
    }
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let name = text.trim_end_matches("()");
    if name.split('.').all(is_name) { Ok(LocationSpec::Function(name.to_string())) } else { Err(wrong()) }
}

fn number(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|number| *number > 0)
}

/// Splits a text at the words `if`, `hit` and `log` outside of quotes and brackets. Returns pairs of a word
/// and the text after it, first the text before all of them with an empty word. Nothing is split after `log`.
fn clauses(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let (mut word, mut start) = ("", 0);
    for (at, next) in words(text) {
        let is_empty = text.get(start..at).is_none_or(|before| before.trim().is_empty());
        let begins = match next {
            // There is one condition, in which `hit` and `log` may be variables.
            "if" => word != "if" && found.iter().all(|(known, _)| *known != "if"),
            "hit" => word != "hit" && is_hits(slice(text, at + 3..)),
            "log" => true,
            _ => false,
        };
        if !begins || is_empty && !word.is_empty() || word == "log" {
            continue;
        }
        found.push((word, slice(text, start..at)));
        (word, start) = (next, at + next.len());
    }
    found.push((word, slice(text, start..)));
    found
}

/// Whether a text begins with a hit condition and nothing else up to the next of the words.
fn is_hits(text: &str) -> bool {
    let text = text.trim_start();
    let number = text.trim_start_matches(['=', '<', '>', '%']).trim_start();
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_end = rest.is_empty() || rest.starts_with(char::is_whitespace);
    let rest = rest.trim();
    let ended = rest.is_empty() || rest.starts_with("if ") || rest.starts_with("log ");
    number.starts_with(|c: char| c.is_ascii_digit()) && is_end && ended
}

/// The words outside of quotes and brackets, with their byte offsets.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let (mut depth, mut quote, mut escaped) = (0u32, None, false);
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let outside = depth == 0 && quote.is_none();
        if outside && c.is_whitespace() {
            if let Some(word) = start.take().and_then(|start| Some((start, text.get(start..at)?))) {
                words.push(word);
            }
        } else {
            start.get_or_insert(at);
        }
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, [Option<String>; 3]) {
        let BreakpointArguments { place, options } = breakpoint_arguments(text).unwrap();
        (place, [options.condition, options.hit_condition, options.log_message])
    }

    #[test]
    fn wishes_are_divided_at_their_words() {
        let some = |text: &str| Some(text.to_string());
        for (text, place, condition, hits, log) in [
            ("12", "12", None, None, None),
            ("12 if i > 3", "12", some("i > 3"), None, None),
            ("a.ez:12 if i > 3 hit >= 2", "a.ez:12", some("i > 3"), some(">= 2"), None),
            ("f hit 2 if i == 1", "f", some("i == 1"), some("2"), None),
            ("f log i={i} if so", "f", None, None, some("i={i} if so")),
            ("f if x hit 3 log hit me", "f", some("x"), some("3"), some("hit me")),
            // Variables of these names, and words in strings.
            ("7 if hit > 3", "7", some("hit > 3"), None, None),
            ("7 if log == 3 hit % 5", "7", some("log == 3"), some("% 5"), None),
            ("7 if s == \" hit 3 log x\"", "7", some("s == \" hit 3 log x\""), None, None),
            ("7 if f(a, hit 3)", "7", some("f(a, hit 3)"), None, None),
        ] {
            assert_eq!(parsed(text), (place.to_string(), [condition, hits, log]), "{text}");
        }
        assert!(breakpoint_arguments("12 if").is_err() && breakpoint_arguments("12 log ").is_err());
        assert_eq!(breakpoint_arguments("12 if ").unwrap_err().message, "there is no condition after 'if'");
    }

    #[test]
    fn places_are_lines_or_functions() {
        assert_eq!(location_spec("12"), Ok(LocationSpec::Line(None, 12)));
        assert_eq!(location_spec("dir/a b.ez:3"), Ok(LocationSpec::Line(Some("dir/a b.ez".into()), 3)));
        assert_eq!(location_spec("\"a b.ez\":3"), Ok(LocationSpec::Line(Some("a b.ez".into()), 3)));
        assert_eq!(location_spec("area()"), Ok(LocationSpec::Function("area".into())));
        assert_eq!(location_spec("shapes.area"), Ok(LocationSpec::Function("shapes.area".into())));
        for wrong in ["", "0", "12x", "a.ez:", ":3", "a b", "a.ez:x", "4294967296", "f(1)"] {
            assert!(location_spec(wrong).is_err(), "{wrong}");
        }
    }
}
