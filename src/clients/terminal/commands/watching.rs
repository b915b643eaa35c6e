//! Commands that stop the program when a value is written or an `Error` is created.

use super::breakpoints::kept;
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::location_spec::{BreakpointArguments, breakpoint_arguments};
use crate::clients::terminal::table::{Argument, Repeats, Row, When};
use crate::clients::terminal::watched::{Part, split};
use ez_engine::api::{
    Breakpoint, BreakpointLocation, Container, DataSpec, DataTarget, ExceptionFilter, ExceptionSpec,
    SetDataBreakpoints, SetExceptionBreakpoints, WithdrawBreakpoint,
};

/// The command `watch`.
pub const WATCH: Row = Row {
    name: "watch",
    short: &[],
    arguments: "NAME [if CONDITION] [hit N]",
    summary: "stop when a variable or a part of one changes",
    help: "\
Stops after the statement that changes the variable, element, entry or field. The object itself is watched: a
change through another variable counts, too. A local variable is watched until its function returns.

    (debug) watch total
    (debug) watch points[2].x if points[2].x < 0
",
    argument: Argument::Expression,
    when: When::Stopped,
    repeats: Repeats::No,
    run: watch,
};

/// The command `catch`.
pub const CATCH: Row = Row {
    name: "catch",
    short: &[],
    arguments: "error|errors [if CONDITION] | off",
    summary: "stop where an Error value is created",
    help: "\
Stops where the program creates an Error value or gets one from the library. The condition can use 'error', with
its 'message' and 'code'. A run-time error always stops the program, even without this.

    (debug) catch errors if error.code == \"E7001\"
    (debug) catch off
",
    argument: Argument::Text,
    when: When::Always,
    repeats: Repeats::No,
    run: catch,
};

fn watch(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let BreakpointArguments { place: name, options } = breakpoint_arguments(rest)?;
    if name.is_empty() {
        return Err("what is to be watched?".into());
    }
    if options.log_message.is_some() {
        return Err("a watchpoint has no log text".into());
    }
    let no_name = || {
        let what = format!("'{name}' is neither a variable nor a part of one");
        CommandError::new(what)
            .help(format!("'display {name}' shows the value of any expression at each stop"))
    };
    let frame = debugger.frame();
    let (container, part) = match split(&name).ok_or_else(no_name)? {
        Part::Variable => (Container::Frame(frame), name.clone()),
        Part::Field { owner, field } => (debugger.container(owner)?, field.to_string()),
        Part::Element { owner, index } => {
            let index = debugger.constant(index)?;
            (debugger.container(owner)?, format!("[{index}]"))
        }
    };
    let mut specs: Vec<DataSpec> = debugger.state()?.breakpoints.into_iter().filter_map(again).collect();
    specs.push(DataSpec { target: DataTarget::Named { container, name: part }, options });
    match debugger.ask(SetDataBreakpoints::new(specs))?.pop() {
        // The session describes the value by its number only.
        Some(breakpoint) if !breakpoint.verified && container != Container::Frame(frame) => {
            debugger.ask(WithdrawBreakpoint(breakpoint.id))?;
            Err(format!("there is no {name}").into())
        }
        Some(breakpoint) => kept(debugger, breakpoint).map(|_| ()),
        None => Err("nothing is watched".into()),
    }
}

/// The request that keeps an existing data breakpoint; `None` for other breakpoints.
fn again(breakpoint: Breakpoint) -> Option<DataSpec> {
    matches!(breakpoint.place, BreakpointLocation::Data { .. })
        .then_some(DataSpec { target: DataTarget::Same(breakpoint.id), options: breakpoint.options })
}

fn catch(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let BreakpointArguments { place: what, options } = breakpoint_arguments(rest)?;
    let condition = options.condition;
    let mut specs = vec![ExceptionSpec::UNCAUGHT];
    let text = match what.as_str() {
        "error" | "errors" => {
            let filter = ExceptionFilter::ErrorValue;
            specs.push(ExceptionSpec { filter, condition: condition.clone() });
            let condition = condition.map(|it| format!(" if {it}")).unwrap_or_default();
            format!("Stops where an Error is created{condition}, and at run-time errors.")
        }
        "off" => "Stops at run-time errors only.".to_string(),
        "" => return Err(CommandError::new("what is to be caught?").help("catch errors, catch off")),
        what => {
            return Err(CommandError::new(format!("'{what}' cannot be caught"))
                .help("catch errors, catch errors if error.code == \"E5001\", catch off"));
        }
    };
    let set = debugger.ask(SetExceptionBreakpoints::new(specs))?;
    match set.into_iter().find_map(|set| set.message) {
        Some(wrong) => Err(CommandError::new(wrong)),
        None => {
            debugger.console.say(&text);
            Ok(())
        }
    }
}
