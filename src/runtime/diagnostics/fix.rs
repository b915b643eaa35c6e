//! Help as data: its text, and what it says to write instead.

use std::collections::BTreeMap;

use crate::source::Span;
use crate::text::slice;

/// A part of a text, and what is to be written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty where text is only inserted.
    pub span: Span,
    pub text: String,
}

/// How a program is changed so that what is reported is right. All edits are in the file of the report, none overlaps
/// another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    pub edits: Vec<Edit>,
    /// Whether nothing else can be meant, so that it may be applied without asking; else it is a guess.
    pub certain: bool,
}

impl Fix {
    /// What can only be meant: `text` instead of what is at `span`.
    pub fn certain(span: Span, text: impl Into<String>) -> Fix {
        Fix { edits: vec![Edit { span, text: text.into() }], certain: true }
    }

    /// What may be meant.
    pub fn guess(span: Span, text: impl Into<String>) -> Fix {
        Fix { certain: false, ..Fix::certain(span, text) }
    }

    /// This fix with another edit.
    pub fn and(mut self, span: Span, text: impl Into<String>) -> Fix {
        self.edits.push(Edit { span, text: text.into() });
        self
    }

    /// This fix as a guess, unless `certain`.
    pub fn only_if(mut self, certain: bool) -> Fix {
        self.certain &= certain;
        self
    }
}

/// What to do about a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    pub text: String,
    instead: Option<Instead>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Instead {
    Fix(Fix),
    /// What is to be written where the report is, and whether that is certain.
    There(String, bool),
}

impl Help {
    /// This help with what to write instead, if that is known.
    pub fn fix(self, fix: impl Into<Option<Fix>>) -> Help {
        Help { instead: fix.into().map(Instead::Fix), ..self }
    }

    /// This help with what may be meant by the text where the report is.
    pub fn perhaps(self, text: impl Into<String>) -> Help {
        Help { instead: Some(Instead::There(text.into(), false)), ..self }
    }

    /// This help with what can only be meant by the text where the report is.
    pub fn surely(self, text: impl Into<String>) -> Help {
        Help { instead: Some(Instead::There(text.into(), true)), ..self }
    }

    /// The text and the fix, in a report at `span`.
    pub(super) fn at(self, span: Option<Span>) -> (String, Option<Fix>) {
        let fix = match (self.instead, span) {
            (Some(Instead::Fix(fix)), _) => Some(fix),
            (Some(Instead::There(text, certain)), Some(span)) => {
                Some(Fix::certain(span, text).only_if(certain))
            }
            (Some(Instead::There(..)), None) | (None, _) => None,
        };
        (self.text, fix)
    }
}

impl<T: Into<String>> From<T> for Help {
    fn from(text: T) -> Help {
        Help { text: text.into(), instead: None }
    }
}

/// A text with as many of these fixes, which are for it, as do not overlap, the first ones before later ones, and how
/// many they are. Lines that are added end as those of the text do.
pub fn apply<'a>(text: &str, fixes: impl IntoIterator<Item = &'a Fix>) -> (String, usize) {
    let mut taken: Vec<&Edit> = Vec::new();
    let mut applied = 0;
    let mut free = Free::default();
    for fix in fixes {
        let fits = |edit: &Edit| text.get(edit.span.start as usize..edit.span.end as usize).is_some();
        if fix.edits.iter().all(|edit| fits(edit) && free.admits(edit.span)) {
            fix.edits.iter().for_each(|edit| free.take(edit.span));
            taken.extend(&fix.edits);
            applied += 1;
        }
    }
    taken.sort_by_key(|edit| edit.span.start);
    let crlf = text.contains("\r\n");
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for Edit { span, text: new } in taken {
        result.push_str(slice(text, from..span.start as usize));
        if crlf {
            result.push_str(&new.replace('\n', "\r\n"))
        } else {
            result.push_str(new)
        }
        from = span.end as usize;
    }
    result.push_str(slice(text, from..));
    (result, applied)
}

/// The parts of a text that no edit has taken.
#[derive(Default)]
struct Free {
    /// First byte and end of what is taken.
    taken: BTreeMap<u32, u32>,
}

impl Free {
    /// Whether a part is free. What is inserted at the border of another edit is not: its order would be arbitrary.
    fn admits(&self, span: Span) -> bool {
        let last = self.taken.range(..=span.end).next_back();
        last.is_none_or(|(start, end)| {
            let empty = span.start == span.end || start == end;
            if empty { *end < span.start } else { *end <= span.start || *start >= span.end }
        })
    }

    fn take(&mut self, span: Span) {
        self.taken.insert(span.start, span.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn at(start: usize, end: usize) -> Span {
        Span::new(FileId(0), start, end)
    }

    #[test]
    fn fixes_are_applied_whole_or_not_at_all() {
        let fixes = [
            Fix::certain(at(0, 1), "A").and(at(4, 5), "E"),
            Fix::certain(at(2, 3), "C").and(at(3, 6), "?"),
            Fix::certain(at(1, 2), "B"),
            Fix::certain(at(6, 6), "!"),
            Fix::certain(at(6, 6), "?"),
        ];
        assert_eq!(apply("abcdef", &fixes), ("ABcdEf!".to_string(), 3));
    }

    #[test]
    fn what_is_not_in_the_text_is_not_changed() {
        let fixes = [Fix::certain(at(1, 2), "x"), Fix::certain(at(7, 9), "x"), Fix::certain(at(3, 2), "x")];
        assert_eq!(apply("é\n", &fixes), ("é\n".to_string(), 0));
    }

    #[test]
    fn line_ends_are_those_of_the_text() {
        assert_eq!(apply("a\r\nb", &[Fix::certain(at(0, 0), "import @m\n")]).0, "import @m\r\na\r\nb");
    }
}
