//! Commands that are meant by names that are none.

use super::all;

/// What other debuggers call commands.
const ELSEWHERE: [(&str, &str); 14] = [
    ("next", "stepOver"),
    ("step", "stepInto"),
    ("stepin", "stepInto"),
    ("finish", "stepOut"),
    ("run", "start"),
    ("launch", "initialize"),
    ("quit", "terminate"),
    ("exit", "terminate"),
    ("break", "setBreakpoint"),
    ("print", "evaluate"),
    ("backtrace", "getStackTrace"),
    ("stacktrace", "getStackTrace"),
    ("variables", "getVariables"),
    ("setvalue", "setVariable"),
];

/// The command of a client of this version that a person may have meant by `wanted`.
pub fn similar(wanted: &str, version: u32) -> Option<&'static str> {
    let wanted = letters(wanted);
    let names = || all().filter(|command| command.client <= version.max(1)).map(|command| command.name);
    if let Some((_, name)) = ELSEWHERE.iter().find(|(known, _)| *known == wanted) {
        return names().find(|known| known == name);
    }
    // Longer names are no command, however they are spelled.
    let edits = match wanted.len() {
        0..4 => 0,
        4..8 => 1,
        8..40 => 2,
        _ => return None,
    };
    let near = names().map(|name| (strsim::osa_distance(&letters(name), &wanted), name));
    near.filter(|(distance, _)| *distance <= edits)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// A name without what people write differently.
fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_nearly_right() {
        let meant = [
            ("stepinto", "stepInto"),
            ("set_breakpoint", "setBreakpoint"),
            ("setBreakpiont", "setBreakpoint"),
            ("Next", "stepOver"),
            ("quit", "terminate"),
            ("getVariable", "getVariables"),
        ];
        for (wanted, name) in meant {
            assert_eq!(similar(wanted, 2), Some(name), "{wanted}");
        }
        for unknown in ["", "fly", "nothing", &"stepInto".repeat(9)] {
            assert_eq!(similar(unknown, 2), None, "{unknown}");
        }
    }

    #[test]
    fn only_what_the_client_has() {
        assert_eq!((similar("gotostep", 1), similar("gotostep", 2)), (None, Some("goToStep")));
        for (_, name) in ELSEWHERE {
            assert!(all().any(|command| command.name == name), "{name}");
        }
    }
}
