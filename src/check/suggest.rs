//! "did you mean": the nearest name within two edits, bytewise.

const KEYWORDS: &str = "temp const do return if or otherwise for for_each as_long_as loop break continue in \
                        not_in range import using struct enum nil new true false";
const BUILTINS: &str = "len typeof input int float string new println print read_int";
const TYPES: &str = "int uint float string bool char byte i8 i16 i32 i64 i128 i256 u8 u16 u32 u64 u128 u256 \
                     f32 f64";

fn closest<'a>(input: &str, names: &'a str) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for name in names.split_whitespace() {
        let distance = strsim::generic_levenshtein(&Bytes(input), &Bytes(name));
        if distance <= 2 && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

struct Bytes<'a>(&'a str);

impl<'b> IntoIterator for &'b Bytes<'_> {
    type Item = u8;
    type IntoIter = std::iter::Copied<std::slice::Iter<'b, u8>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.as_bytes().iter().copied()
    }
}

fn help(name: Option<&str>) -> Option<String> {
    name.map(|name| format!("did you mean '{name}'?"))
}

/// For an unknown variable.
pub(crate) fn for_variable(name: &str) -> Option<String> {
    help(closest(name, KEYWORDS).or_else(|| closest(name, BUILTINS)))
}

/// For an unknown function.
pub(crate) fn for_function(name: &str) -> Option<String> {
    help(closest(name, BUILTINS))
}

/// For an unknown type.
pub(crate) fn for_type(name: &str) -> Option<String> {
    help(closest(name, TYPES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_nearest_names_wins() {
        assert_eq!(for_function("prinln").as_deref(), Some("did you mean 'println'?"));
        assert_eq!(for_variable("x").as_deref(), Some("did you mean 'do'?"));
        assert_eq!(for_type("strng").as_deref(), Some("did you mean 'string'?"));
        assert_eq!(for_type("Customer"), None);
    }
}
