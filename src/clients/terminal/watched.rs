//! Splits an expression for what is to be watched: a variable, or a part of a value.

/// What an expression refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    Variable,
    /// `owner.field`
    Field {
        /// The expression before the dot.
        owner: &'a str,
        /// The field's name.
        field: &'a str,
    },
    /// `owner[index]`
    Element {
        /// The expression before the bracket.
        owner: &'a str,
        /// The index or key.
        index: &'a str,
    },
}

/// Splits off the last part of an expression; `None` if it is neither a variable nor a part of a value.
pub fn split(expression: &str) -> Option<Part<'_>> {
    let text = expression.trim();
    if is_name(text) {
        return Some(Part::Variable);
    }
    if let Some(inner) = text.strip_suffix(']') {
        let open = opening(inner)?;
        let (owner, index) = (inner.get(..open)?.trim(), inner.get(open + 1..)?.trim());
        return (begins_with_name(owner) && !index.is_empty()).then_some(Part::Element { owner, index });
    }
    let (owner, field) = text.rsplit_once('.')?;
    let (owner, field) = (owner.trim(), field.trim());
    (is_name(field) && begins_with_name(owner)).then_some(Part::Field { owner, field })
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a text is a single operand, without operators.
fn begins_with_name(text: &str) -> bool {
    let mut depth = 0u32;
    let mut quote = false;
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '"' if before != '\\' => quote = !quote,
            '[' if !quote => depth += 1,
            ']' if !quote => depth = depth.saturating_sub(1),
            c if depth == 0 && !quote && !(c.is_alphanumeric() || c == '_' || c == '.') => return false,
            _ => {}
        }
        before = c;
    }
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The offset of the bracket that matches the one at the end.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0u32;
    let mut quote = false;
    let mut open = Vec::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '"' if before != '\\' => quote = !quote,
            '[' if !quote => {
                depth += 1;
                open.push(at);
            }
            ']' if !quote => {
                depth = depth.checked_sub(1)?;
                open.pop();
            }
            _ => {}
        }
        before = c;
    }
    (depth == 1 && !quote).then(|| open.pop()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_is_found() {
        assert_eq!(split(" total "), Some(Part::Variable));
        assert_eq!(split("p.x"), Some(Part::Field { owner: "p", field: "x" }));
        assert_eq!(split("a[i + 1].b.c"), Some(Part::Field { owner: "a[i + 1].b", field: "c" }));
        assert_eq!(split("a[b[1]]"), Some(Part::Element { owner: "a", index: "b[1]" }));
        assert_eq!(split("a[1][2]"), Some(Part::Element { owner: "a[1]", index: "2" }));
        assert_eq!(split("m[\"[x\"]"), Some(Part::Element { owner: "m", index: "\"[x\"" }));
        for wrong in ["", "a + b", "a + b.c", "f(x)", "f(x).y", "[1]", "a[]", "a]", "1.5", "a[1] + b[2]"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }
}
