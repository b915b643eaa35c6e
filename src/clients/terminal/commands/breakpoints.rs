//! Commands about breakpoints of all kinds. Commands attached to breakpoints are in `lists`.

use super::expected;
use super::lists;
use super::running::nothing;
use super::watching;
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::location_spec::{
    BreakpointArguments, LocationSpec, breakpoint_arguments, location_spec,
};
use crate::clients::terminal::table::{Argument, Row, When};
use ez_engine::api::{
    Breakpoint, BreakpointId, BreakpointLocation, BreakpointOptions, ChangeBreakpoint, DisableBreakpoint,
    EnableBreakpoint, ExceptionFilter, FunctionSpec, GetModules, LineLocation, LineSpec, ModuleInfo,
    OptionsChange, RemoveBreakpoint, SetBreakpoint, SetFunctionBreakpoints, WithdrawBreakpoint,
};
use ez_runtime::visible::quoted;

/// The commands defined in this file.
pub const ROWS: &[Row] = &[
    Row {
        name: "break",
        short: &["b", "breakpoint"],
        arguments: "[[FILE:]LINE | FUNCTION] [if CONDITION] [hit N] [log TEXT]",
        summary: "stop at a line or function; alone: list all",
        help: "\
The program stops before the first statement of the line or function. With 'if' it stops only if the
condition is true, with 'hit 3' only the third time (or 'hit >= 3'; 'hit % 10': every tenth time). With 'log' it
does not stop, but shows the text, with the values of {expressions} in it.

    (debug) break 10
    (debug) break shapes.ez:12 if width > 100
    (debug) break area hit 3
    (debug) break 10 log i is {i}
",
        argument: Argument::Location,
        when: When::Always,
        run: set_break,
        ..Row::DEFAULT
    },
    Row {
        name: "tbreak",
        arguments: "[FILE:]LINE | FUNCTION [if CONDITION] [hit N]",
        summary: "like 'break', for one stop only",
        help: "\
The breakpoint is removed when the program has stopped at it.

    (debug) tbreak area
",
        argument: Argument::Location,
        when: When::Always,
        run: set_temporary,
        ..Row::DEFAULT
    },
    watching::WATCH,
    watching::CATCH,
    Row {
        name: "condition",
        arguments: "N [CONDITION]",
        summary: "set or remove the condition of a breakpoint",
        help: "\
The breakpoint then stops the program only if the condition is true; without a condition, always.

    (debug) condition 1 i > 10
    (debug) condition 1
",
        argument: Argument::Expression,
        when: When::Always,
        run: condition,
        ..Row::DEFAULT
    },
    Row {
        name: "enable",
        arguments: "[N …]",
        summary: "enable breakpoints again; alone: all",
        help: "\
Undoes 'disable'.

    (debug) enable 1 3
",
        when: When::Always,
        run: |debugger, rest| enable(debugger, rest, true),
        ..Row::DEFAULT
    },
    Row {
        name: "disable",
        arguments: "[N …]",
        summary: "disable breakpoints without deleting them; alone: all",
        help: "\
A disabled breakpoint keeps its number, condition and commands, but does not stop the program.

    (debug) disable 2
",
        when: When::Always,
        run: |debugger, rest| enable(debugger, rest, false),
        ..Row::DEFAULT
    },
    Row {
        name: "delete",
        short: &["del", "clear"],
        arguments: "[N …]",
        summary: "remove breakpoints; alone: all",
        help: "\
The numbers are those that 'breakpoints' lists.

    (debug) delete 1
",
        when: When::Always,
        run: delete,
        ..Row::DEFAULT
    },
    Row {
        name: "breakpoints",
        short: &["bp"],
        summary: "list the breakpoints",
        help: "\
Lists breakpoints of all kinds, with their numbers, what they do and how often they were hit.

    (debug) breakpoints
",
        when: When::Always,
        run: |debugger, rest| {
            nothing(rest)?;
            list(debugger)
        },
        ..Row::DEFAULT
    },
    lists::ROW,
    expected::ROW,
];

fn set_break(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    if rest.is_empty() {
        return list(debugger);
    }
    set(debugger, breakpoint_arguments(rest)?).map(|_| ())
}

fn set_temporary(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let id = set(debugger, breakpoint_arguments(rest)?)?;
    debugger.shown.marks.temporary.insert(id);
    Ok(())
}

/// Sets a breakpoint at a line or function, and prints it.
fn set(
    debugger: &mut TerminalDebugger,
    BreakpointArguments { place: at, options }: BreakpointArguments,
) -> Result<BreakpointId, CommandError> {
    let at = if at.is_empty() {
        debugger.current_line().map(|line| LocationSpec::Line(None, line))
    } else {
        Some(location_spec(&at)?)
    };
    let breakpoint = match at {
        None => return Err("there is no current line: name a line or function".into()),
        Some(LocationSpec::Line(file, line)) => {
            let file = debugger.file_meant(file)?;
            let spec = LineSpec { place: LineLocation { line, column: None }, options };
            debugger.ask(SetBreakpoint { file, spec })?
        }
        Some(LocationSpec::Function(name)) => set_at_function(debugger, name, options)?,
    };
    kept(debugger, breakpoint)
}

fn set_at_function(
    debugger: &mut TerminalDebugger,
    name: String,
    options: BreakpointOptions,
) -> Result<Breakpoint, CommandError> {
    let mut specs = Vec::new();
    for known in debugger.state()?.breakpoints {
        if let BreakpointLocation::Function { name: other } = known.place
            && other != name
        {
            specs.push(FunctionSpec { name: other, options: known.options });
        }
    }
    specs.push(FunctionSpec { name, options });
    debugger.ask(SetFunctionBreakpoints::new(specs))?.pop().ok_or_else(|| "no breakpoint was set".into())
}

/// Prints where a breakpoint is. One that can never stop the program is removed.
pub fn kept(debugger: &mut TerminalDebugger, breakpoint: Breakpoint) -> Result<BreakpointId, CommandError> {
    if !breakpoint.verified && is_for_children(debugger, &breakpoint) {
        let place = where_it_is(debugger, &breakpoint);
        let text = format!("{} {place}, in a program that may be started", numbered(&breakpoint));
        debugger.console.say(&text);
        debugger.shown.marks.last = Some(breakpoint.id);
        return Ok(breakpoint.id);
    }
    if !breakpoint.verified {
        debugger.ask(WithdrawBreakpoint(breakpoint.id))?;
        let why = breakpoint.message.clone().unwrap_or_else(|| "it would never stop".into());
        return Err(match &breakpoint.place {
            BreakpointLocation::Line { file, place, .. } => {
                let file = debugger.shown.sources.shown(file.as_ref());
                CommandError::new(format!("no breakpoint at {file}:{}: {why}", place.line))
            }
            BreakpointLocation::Function { .. } | BreakpointLocation::Data { .. } => CommandError::new(why),
        });
    }
    let note = breakpoint.message.as_ref().map(|note| format!(" ({})", quoted(note))).unwrap_or_default();
    let text = format!("{} {}{note}", numbered(&breakpoint), where_it_is(debugger, &breakpoint));
    debugger.console.say(&text);
    debugger.shown.marks.last = Some(breakpoint.id);
    Ok(breakpoint.id)
}

/// Whether a breakpoint is in a file that child processes may use, and this program does not.
fn is_for_children(debugger: &mut TerminalDebugger, breakpoint: &Breakpoint) -> bool {
    let BreakpointLocation::Line { path, .. } = &breakpoint.place else { return false };
    let follows = debugger.processes.follow.is_some() && !debugger.shows_child();
    let is_own = |modules: Vec<ModuleInfo>| modules.iter().any(|module| module.path.as_ref() == Some(path));
    follows && path.is_file() && !debugger.ask(GetModules).is_ok_and(is_own)
}

/// A breakpoint's kind and number: `Breakpoint 2`.
pub fn numbered(breakpoint: &Breakpoint) -> String {
    let what = match breakpoint.place {
        _ if breakpoint.options.log_message.is_some() => "Log point",
        BreakpointLocation::Data { .. } => "Watchpoint",
        BreakpointLocation::Line { .. } | BreakpointLocation::Function { .. } => "Breakpoint",
    };
    format!("{what} {}", breakpoint.id.0)
}

/// A breakpoint's place: `at sort.ez:10`, `on variable total`.
fn where_it_is(debugger: &TerminalDebugger, breakpoint: &Breakpoint) -> String {
    let place = breakpoint.location.as_ref().map(|at| debugger.shown.sources.place(at));
    match &breakpoint.place {
        BreakpointLocation::Line { file, place: asked, .. } => {
            let asked = || format!("{}:{}", debugger.shown.sources.shown(file.as_ref()), asked.line);
            format!("at {}", place.unwrap_or_else(asked))
        }
        BreakpointLocation::Function { name } => match place {
            Some(place) => format!("at function {}, {place}", quoted(name)),
            None => format!("at function {}", quoted(name)),
        },
        BreakpointLocation::Data { description } => format!("on {}", quoted(description)),
    }
}

/// A breakpoint's options within a line: `if i > 3, hit 2, log …`.
pub fn what_it_does(options: &BreakpointOptions) -> String {
    clauses(options, quoted)
}

fn clauses(options: &BreakpointOptions, shown: impl Fn(&str) -> String) -> String {
    let clause =
        |word: &str, clause: &Option<String>| clause.as_ref().map(|text| format!(" {word} {}", shown(text)));
    let clauses = [
        clause("if", &options.condition),
        clause("hit", &options.hit_condition),
        clause("log", &options.log_message),
    ];
    clauses.into_iter().flatten().collect()
}

fn list(debugger: &mut TerminalDebugger) -> Result<(), CommandError> {
    let state = debugger.state()?;
    let mut text = String::new();
    for breakpoint in &state.breakpoints {
        let mut notes = Vec::new();
        if debugger.shown.marks.temporary.contains(&breakpoint.id) {
            notes.push("for one stop".to_string());
        }
        if !breakpoint.options.enabled {
            notes.push("disabled".to_string());
        }
        match breakpoint.hits {
            None | Some(0) => {}
            Some(1) => notes.push("1 hit".to_string()),
            Some(hits) => notes.push(format!("{hits} hits")),
        }
        notes.extend(breakpoint.message.as_deref().map(quoted));
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        let what = format!("{}{}", where_it_is(debugger, breakpoint), what_it_does(&breakpoint.options));
        text.push_str(&format!("  {}  {what}{notes}\n", breakpoint.id.0));
        for command in debugger.shown.marks.commands.get(&breakpoint.id).into_iter().flatten() {
            text.push_str(&format!("       {command}\n"));
        }
    }
    for caught in state.exceptions.iter().filter(|it| it.spec.filter == ExceptionFilter::ErrorValue) {
        let condition =
            caught.spec.condition.as_ref().map(|it| format!(" if {}", quoted(it))).unwrap_or_default();
        text.push_str(&format!("  -  where an Error is created{condition}\n"));
    }
    let text = if text.is_empty() { "No breakpoints.\n".into() } else { format!("Breakpoints:\n{text}") };
    debugger.console.say(&text);
    Ok(())
}

fn condition(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let (number, condition) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let id = number_of(debugger, number)?;
    let condition = Some(condition.trim()).filter(|text| !text.is_empty()).map(str::to_string);
    let text = match &condition {
        Some(condition) => format!("Breakpoint {} stops if {condition}.", id.0),
        None => format!("Breakpoint {} stops always.", id.0),
    };
    let change = OptionsChange { condition: Some(condition), ..OptionsChange::default() };
    debugger.ask(ChangeBreakpoint(id, change))?;
    debugger.console.say(&text);
    Ok(())
}

/// Parses the number of a breakpoint, or `last`.
pub fn number_of(debugger: &TerminalDebugger, text: &str) -> Result<BreakpointId, CommandError> {
    let none = || CommandError::new("no breakpoint was set yet");
    match text {
        "" => {
            Err(CommandError::new("the number of a breakpoint is missing").help("'breakpoints' lists them"))
        }
        "last" => debugger.shown.marks.last.ok_or_else(none),
        text => text.parse().map(BreakpointId).map_err(|_| {
            CommandError::new(format!("'{text}' is not the number of a breakpoint"))
                .help("'breakpoints' lists them")
        }),
    }
}

/// Parses numbers of breakpoints; none means all.
fn numbers(debugger: &mut TerminalDebugger, rest: &str) -> Result<Vec<BreakpointId>, CommandError> {
    if rest.is_empty() {
        return Ok(debugger.state()?.breakpoints.into_iter().map(|breakpoint| breakpoint.id).collect());
    }
    rest.split_whitespace().map(|number| number_of(debugger, number)).collect()
}

fn enable(debugger: &mut TerminalDebugger, rest: &str, enabled: bool) -> Result<(), CommandError> {
    let word = if enabled { "enabled" } else { "disabled" };
    for id in numbers(debugger, rest)? {
        if enabled {
            debugger.ask(EnableBreakpoint(id))?
        } else {
            debugger.ask(DisableBreakpoint(id))?
        };
        debugger.console.say(&format!("Breakpoint {} is {word}.", id.0));
    }
    Ok(())
}

fn delete(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    for id in numbers(debugger, rest)? {
        debugger.ask(RemoveBreakpoint(id))?;
        debugger.shown.marks.forget(id);
        debugger.console.say(&format!("Breakpoint {} is removed.", id.0));
    }
    Ok(())
}

/// The commands that set a breakpoint again in another session; `None` if that is not possible, since there is no such
/// command, or it would take more than a line.
pub fn as_commands(debugger: &TerminalDebugger, breakpoint: &Breakpoint) -> Option<Vec<String>> {
    let place = match &breakpoint.place {
        BreakpointLocation::Line { file, place, .. } => {
            format!("{}:{}", debugger.shown.sources.shown(file.as_ref()), place.line)
        }
        BreakpointLocation::Function { name } => name.clone(),
        BreakpointLocation::Data { .. } => return None,
    };
    let word = if debugger.shown.marks.temporary.contains(&breakpoint.id) { "tbreak" } else { "break" };
    let set = format!("{word} {place}{}", clauses(&breakpoint.options, str::to_string));
    let mut lines = vec![Some(set).filter(|set| is_line(set))?];
    if !breakpoint.options.enabled {
        lines.push("disable last".to_string());
    }
    if let Some(commands) = debugger.shown.marks.commands.get(&breakpoint.id) {
        lines.push("commands last".to_string());
        lines.extend(commands.iter().cloned());
        lines.push("end".to_string());
    }
    Some(lines)
}

/// Whether a text that may be another client's is read again as one line.
pub fn is_line(text: &str) -> bool {
    !text.contains(['\n', '\r'])
}
