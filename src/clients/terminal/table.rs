//! The table of commands: names, abbreviations, help, and functions.

use super::command_error::CommandError;
use super::commands::{breakpoints, frames, past, processes, running, session, sharing, values};
use super::debugger::TerminalDebugger;

/// The kind of a command's argument, for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Nothing that can be completed.
    Nothing,
    Text,
    Expression,
    /// The name of a function.
    Function,
    /// A line or function.
    Location,
    /// The name of a file.
    File,
    /// The name of a command.
    Command,
}

/// When a command is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At any time.
    Always,
    /// While the program is stopped.
    Stopped,
}

/// What an empty line does after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Nothing.
    No,
    /// Repeats it with the same arguments.
    Same,
    /// Repeats it without arguments, which continues what was shown.
    Alone,
}

/// Executes a command; the text is its arguments.
pub type Run = fn(&mut TerminalDebugger, &str) -> Result<(), CommandError>;

/// A command.
pub struct Row {
    pub name: &'static str,
    /// Other names and abbreviations.
    pub short: &'static [&'static str],
    /// The arguments, for the help.
    pub arguments: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// The full description, with an example.
    pub help: &'static str,
    /// How to complete its argument.
    pub argument: Argument,
    /// When it is allowed.
    pub when: When,
    /// What an empty line does after it.
    pub repeats: Repeats,
    /// The function that executes it.
    pub run: Run,
}

/// A group of commands in the help.
pub struct Group {
    /// Its heading.
    pub title: &'static str,
    /// The commands.
    pub rows: &'static [Row],
}

/// All commands, in the order of the help.
pub const GROUPS: [Group; 8] = [
    Group { title: "Going on", rows: running::ROWS },
    Group { title: "Going back", rows: past::ROWS },
    Group { title: "Breakpoints", rows: breakpoints::ROWS },
    Group { title: "Values", rows: values::ROWS },
    Group { title: "Where the program is", rows: frames::ROWS },
    Group { title: "Other processes", rows: processes::ROWS },
    Group { title: "Several at one session", rows: sharing::ROWS },
    Group { title: "The session", rows: session::ROWS },
];

/// All commands.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    GROUPS.iter().flat_map(|group| group.rows)
}

/// The command with this name or abbreviation.
pub fn find(word: &str) -> Option<&'static Row> {
    rows().find(|row| row.names().any(|name| name == word))
}

/// The full names that begin with a text.
pub fn beginning_with(start: &str) -> impl Iterator<Item = &'static str> {
    rows().map(|row| row.name).filter(move |name| name.starts_with(start))
}

/// The commands whose name begins with a text.
pub fn abbreviated(start: &str) -> Vec<&'static Row> {
    let begins = |row: &&Row| row.names().any(|name| name.len() > 2 && name.starts_with(start));
    rows().filter(begins).collect()
}

/// The most similar name, if there is a similar one.
pub fn similar(word: &str) -> Option<&'static str> {
    let distance = |name: &str| strsim::osa_distance(name, word);
    let names = rows().flat_map(Row::names).filter(|name| name.len() > 2);
    let near = names.min_by_key(|name| distance(name))?;
    let most = if word.chars().count() < 5 { 1 } else { 2 };
    (distance(near) <= most).then_some(near)
}

impl Row {
    /// A command without arguments for a stopped program, of which nothing else is said yet.
    pub const DEFAULT: Row = Row {
        name: "",
        short: &[],
        arguments: "",
        summary: "",
        help: "",
        argument: Argument::Nothing,
        when: When::Stopped,
        repeats: Repeats::No,
        run: |_, _| Err(CommandError::new("this command has no function")),
    };

    /// All names of the command.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.name].into_iter().chain(self.short.iter().copied())
    }

    /// Its synopsis: `break PLACE`.
    pub fn usage(&self) -> String {
        format!("{} {}", self.name, self.arguments).trim_end().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_everything_is_explained() {
        let mut names: Vec<&str> = rows().flat_map(Row::names).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
        for row in rows() {
            assert!(row.help.contains("(debug) "), "{} has no example", row.name);
            assert!(row.summary.len() < 60, "{}", row.name);
            assert!(row.help.ends_with('\n') && !row.summary.ends_with('.'), "{}", row.name);
            assert!(!std::ptr::fn_addr_eq(row.run, Row::DEFAULT.run), "{} has no function", row.name);
        }
    }

    #[test]
    fn short_forms_of_the_reference_are_there() {
        for (short, name) in [
            ("s", "step"),
            ("n", "next"),
            ("o", "out"),
            ("c", "continue"),
            ("b", "break"),
            ("breakpoint", "break"),
            ("bt", "backtrace"),
            ("stack", "backtrace"),
            ("where", "backtrace"),
            ("l", "list"),
            ("p", "print"),
            ("v", "vars"),
            ("variables", "vars"),
            ("h", "help"),
            ("?", "help"),
            ("q", "quit"),
            ("exit", "quit"),
            ("rv", "return-value"),
        ] {
            assert_eq!(find(short).map(|row| row.name), Some(name), "{short}");
        }
    }

    #[test]
    fn beginnings_and_mistakes_are_understood() {
        let names = |start| abbreviated(start).into_iter().map(|row| row.name).collect::<Vec<_>>();
        assert_eq!(names("cont"), ["continue"]);
        assert_eq!(names("dis"), ["disable", "display"]);
        assert_eq!(names("xyz"), [""; 0]);
        assert_eq!(similar("stpe"), Some("step"));
        assert_eq!(similar("contiune"), Some("continue"));
        assert_eq!(similar("total"), None);
    }
}
