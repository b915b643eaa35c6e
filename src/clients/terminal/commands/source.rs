//! Commands that show the source.

use std::path::PathBuf;

use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::functions::Function;
use crate::clients::terminal::location_spec::{LocationSpec, location_spec};
use crate::clients::terminal::table::{Argument, Repeats, Row, When};
use crate::clients::terminal::window::{AROUND, around};

/// The command `list`.
pub const LIST: Row = Row {
    name: "list",
    short: &["l"],
    arguments: "[[FILE:]LINE | FUNCTION]",
    summary: "show the source around the program's place, or another",
    help: "\
Without an argument it shows where the program is; an empty line then shows the next lines.

    (debug) list
    (debug) list 30
    (debug) list area
",
    argument: Argument::Location,
    when: When::Always,
    repeats: Repeats::Alone,
    run: list,
};

/// The command `source`.
pub const SOURCE: Row = Row {
    name: "source",
    short: &[],
    arguments: "[FUNCTION]",
    summary: "show a whole function; alone: the current one",
    help: "\
'module.name' is a function of a module.

    (debug) source area
",
    argument: Argument::Function,
    when: When::Always,
    repeats: Repeats::No,
    run: source,
};

fn list(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    if rest.is_empty() {
        return debugger.list_here();
    }
    if let Some((first, last)) = rest.split_once(',') {
        return list_range(debugger, first, last);
    }
    let (path, line) = match location_spec(rest)? {
        LocationSpec::Line(file, line) => {
            let file = debugger.file_meant(file)?;
            (debugger.path_of(&file)?, line)
        }
        LocationSpec::Function(name) => {
            let (path, function) = find(debugger, &name)?;
            (path, function.first.saturating_add(AROUND))
        }
    };
    let source = debugger.source(&path)?;
    if line > source.line_count() + AROUND {
        return Err(
            format!("{} has {} lines", debugger.shown.sources.shown(&path), source.line_count()).into()
        );
    }
    debugger.show_lines(&path, around(line, &source))
}

/// Shows the lines between two, as `list 5,20` of gdb.
fn list_range(debugger: &mut TerminalDebugger, first: &str, last: &str) -> Result<(), CommandError> {
    let line = |text: &str| text.trim().parse::<u32>().ok().filter(|line| *line > 0);
    let (Some(first), Some(last)) = (line(first), line(last).filter(|last| Some(*last) >= line(first)))
    else {
        return Err(CommandError::new(format!("'{first},{last}' are no lines")).help("list 5,20"));
    };
    let file = debugger.file_meant(None)?;
    let path = debugger.path_of(&file)?;
    let count = debugger.source(&path)?.line_count();
    if first > count {
        return Err(format!("{} has {count} lines", debugger.shown.sources.shown(&path)).into());
    }
    debugger.show_lines(&path, first..=last.min(count))
}

fn source(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let name = match rest {
        "" => debugger.frame_at(debugger.frame())?.function,
        name => name.trim_end_matches("()").to_string(),
    };
    let (path, function) = find(debugger, &name)?;
    debugger.show_lines(&path, function.first..=function.last)
}

/// The function with this name, and its file.
fn find(debugger: &mut TerminalDebugger, name: &str) -> Result<(PathBuf, Function), CommandError> {
    let (module, plain) = match name.rsplit_once('.') {
        Some((module, plain)) => (Some(module), plain),
        None => (None, name),
    };
    for (module_name, path) in debugger.files()? {
        if module.is_some_and(|module| module != module_name) {
            continue;
        }
        let found = debugger.functions(&path)?.into_iter().find(|function| function.name == plain);
        if let Some(function) = found {
            return Ok((path, function));
        }
    }
    Err(CommandError::new(format!("there is no function {name} in the program")))
}
