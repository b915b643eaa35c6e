//! Commands that show and change values.

use super::processes::set_follow;
use super::running::nothing;
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::look::Role;
use crate::clients::terminal::table::{Argument, Repeats, Row, When};
use crate::clients::terminal::tree;
use crate::protocol::radix::Radix;
use crate::protocol::value_text::whole_text;
use ez_engine::api::{
    AddWatch, Described, Evaluate, Failure, Limits, Purpose, RemoveWatch, Scope, Variable, WatchAdded,
    WatchId,
};
use ez_language::syntax::token::{Class, TokenKind};
use ez_runtime::text::slice;

/// Limits for a value that is shown by itself.
pub const LONG: Limits = Limits { parts: 500, bytes: 16 * 1024 };

/// Limits for each value in a list.
pub const SHORT: Limits = Limits { parts: 100, bytes: 400 };

/// The commands defined in this file.
pub const ROWS: &[Row] = &[
    Row {
        name: "print",
        short: &["p"],
        arguments: "EXPRESSION",
        summary: "show the value of an expression",
        help: "\
Evaluates any expression of EZ in the selected function. An expression that is not a command can be typed without
'print'. An empty line shows the value again. 'print/x' shows integers as hexadecimal numbers, 'print/b' as
binary numbers; 'vars', 'args', 'globals', 'display' and 'return-value' accept these letters, too.

    (debug) print total / len(list)
    (debug) print/x total
    (debug) p next
",
        argument: Argument::Expression,
        repeats: Repeats::Same,
        run: print,
        ..Row::DEFAULT
    },
    Row {
        name: "set",
        arguments: "NAME = EXPRESSION",
        summary: "change a variable, element or field",
        help: "\
The rules are those of an assignment in the program, but a parameter can be set, too, unless it is an array, a map
or a struct, which may belong to its caller.

    (debug) set total = 0
    (debug) set points[0].x = 2 * width
",
        argument: Argument::Expression,
        run: set,
        ..Row::DEFAULT
    },
    Row {
        name: "vars",
        short: &["v", "variables"],
        arguments: "[FRAME]",
        summary: "show parameters and local variables",
        help: "\
Shows the variables of the selected function, or of the frame with this number (see 'backtrace'). A '~' marks
variables that are new or have changed since the last stop.

    (debug) vars
    (debug) vars 1
",
        run: vars,
        ..Row::DEFAULT
    },
    Row {
        name: "args",
        summary: "show the parameters of the function",
        help: "\
Shows the parameters with which the function was called, unless it has changed them since.

    (debug) args
",
        run: |debugger, rest| scope(debugger, rest, Scope::Parameter, ("Parameters", "No parameters.")),
        ..Row::DEFAULT
    },
    Row {
        name: "globals",
        summary: "show variables and constants outside of functions",
        help: "\
Shows those of the selected file.

    (debug) globals
",
        run: |debugger, rest| scope(debugger, rest, Scope::Global, ("Globals", "No globals.")),
        ..Row::DEFAULT
    },
    Row {
        name: "display",
        arguments: "[EXPRESSION]",
        summary: "show a value at every stop; alone: show all now",
        help: "\
The expression must have no effect. 'undisplay' with the number before it ends the display.

    (debug) display list[i]
",
        argument: Argument::Expression,
        when: When::Always,
        run: display,
        ..Row::DEFAULT
    },
    Row {
        name: "undisplay",
        arguments: "[N]",
        summary: "end a display; alone: end all",
        help: "\
The number is the one that 'display' shows before the value.

    (debug) undisplay 1
",
        when: When::Always,
        run: undisplay,
        ..Row::DEFAULT
    },
    Row {
        name: "tree",
        arguments: "EXPRESSION",
        summary: "show a value unfolded, part by part",
        help: "\
Shows arrays, maps and structs with all their parts. If one object occurs in several places, the later ones name
the first: a change in one of these places is a change in all of them.

    (debug) tree shapes
",
        argument: Argument::Expression,
        run: tree,
        ..Row::DEFAULT
    },
    Row {
        name: "type",
        arguments: "EXPRESSION",
        summary: "show the type of an expression",
        help: "\
The expression is not evaluated if that would have an effect.

    (debug) type points[0]
",
        argument: Argument::Expression,
        run: type_of,
        ..Row::DEFAULT
    },
    Row {
        name: "return-value",
        short: &["rv", "retval"],
        summary: "show the result of the last function",
        help: "\
Shows the result of the function from which 'out' or a step has just returned.

    (debug) return-value
",
        run: return_value,
        ..Row::DEFAULT
    },
];

/// Evaluates a typed expression, which may have side effects, and shows the variables that it has changed.
/// Also returns whether there are any.
pub fn evaluate(
    debugger: &mut TerminalDebugger,
    expression: &str,
) -> Result<(Described, bool), CommandError> {
    let frame = debugger.frame();
    let before = debugger.variables(frame, None, Limits::PREVIEW)?;
    let question = Evaluate {
        expression: expression.to_string(),
        frame,
        purpose: Purpose::Prompt,
        timeout_ms: None,
        limits: LONG,
    };
    let result = debugger.ask(question);
    let result = result.map_err(|failure| CommandError::of_expression(expression, failure));
    // A failed evaluation may have changed something, too.
    let changed = debugger.show_changes(frame, &before)?;
    Ok((result?, changed))
}

/// Whether the result is that of a statement, which has none.
pub fn is_nothing(described: &Described) -> bool {
    described.declared_type == "void"
}

/// Whether a command takes the radix of its integers, as in `print/x`.
pub fn takes_radix(command: &str) -> bool {
    ["print", "vars", "args", "globals", "display", "return-value", "unfold", "changes"].contains(&command)
}

/// Splits the radix, such as `/x`, from the arguments of a command.
pub fn radix(arguments: &str) -> Result<(Radix, &str), CommandError> {
    let Some(format) = arguments.strip_prefix('/') else { return Ok((Radix::Decimal, arguments)) };
    let (letter, rest) = format.split_once(char::is_whitespace).unwrap_or((format, ""));
    let radix = match letter {
        "x" => Radix::Hexadecimal,
        "b" | "t" => Radix::Binary,
        "d" => Radix::Decimal,
        _ => {
            let what = CommandError::new(format!("'/{letter}' is not a format"));
            return Err(what.help("/x is hexadecimal, /b binary, /d decimal"));
        }
    };
    Ok((radix, rest.trim_start()))
}

fn print(debugger: &mut TerminalDebugger, arguments: &str) -> Result<(), CommandError> {
    let (radix, rest) = radix(arguments)?;
    if rest.is_empty() {
        return Err(
            CommandError::new("what is to be printed?").help("print EXPRESSION; 'vars' shows all variables")
        );
    }
    let (value, _) = evaluate(debugger, rest)?;
    if !is_nothing(&value) {
        debugger.console.say(&format!("{rest} = {}", whole_text(&radix.value(&value.value))));
    }
    Ok(())
}

fn set(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    if let Some(result) = set_follow(debugger, rest) {
        return result;
    }
    let usage = || CommandError::new("what is to be set?").help("set NAME = EXPRESSION");
    // As gdb writes it. A variable of that name is followed by something else.
    let rest = match rest.split_once(char::is_whitespace) {
        Some(("var" | "variable", named))
            if named.trim_start().starts_with(|c: char| c.is_alphabetic() || c == '_') =>
        {
            named
        }
        _ => rest,
    };
    let mut tokens = TokenKind::all_in(rest);
    let (operator, at) = tokens.find(|(kind, _)| kind.class() == Class::Assignment).ok_or_else(usage)?;
    let name = slice(rest, ..at.start).trim();
    if name.is_empty() || operator.counts() != slice(rest, at.end..).trim().is_empty() {
        return Err(usage());
    }
    if evaluate(debugger, rest)?.1 {
        return Ok(());
    }
    // The new value looks like the old one, or the variable is in a value that is not shown completely.
    let now = debugger.look_at(name)?;
    debugger.console.say(&format!("{name} = {}", whole_text(&now.value)));
    Ok(())
}

fn vars(debugger: &mut TerminalDebugger, arguments: &str) -> Result<(), CommandError> {
    let (radix, rest) = radix(arguments)?;
    let frame = match rest {
        "" => debugger.frame(),
        number => number.parse().map_err(|_| {
            CommandError::new(format!("'{number}' is not the number of a frame")).help(
                "'vars' shows the variables of the function, 'globals' those of the files, 'print NAME' one of them",
            )
        })?,
    };
    let variables = debugger.variables(frame, None, SHORT)?;
    let function = debugger.frame_at(frame)?.function;
    let shown: Vec<&Variable> = variables.iter().filter(|it| it.scope != Scope::Global).collect();
    let text = if shown.is_empty() {
        format!("No variables in frame {frame}, {function}.")
    } else {
        format!("Variables (frame {frame}, {function}):\n{}", listed(debugger, &shown, radix))
    };
    debugger.console.say(&text);
    Ok(())
}

fn scope(
    debugger: &mut TerminalDebugger,
    arguments: &str,
    scope: Scope,
    (title, none): (&str, &str),
) -> Result<(), CommandError> {
    let (radix, rest) = radix(arguments)?;
    nothing(rest)?;
    let variables = debugger.variables(debugger.frame(), Some(scope), SHORT)?;
    let shown: Vec<&Variable> = variables.iter().collect();
    let text =
        if shown.is_empty() { none.into() } else { format!("{title}:\n{}", listed(debugger, &shown, radix)) };
    debugger.console.say(&text);
    Ok(())
}

fn listed(debugger: &TerminalDebugger, variables: &[&Variable], radix: Radix) -> String {
    let look = debugger.console.look();
    let mut text = String::new();
    for variable in variables {
        let mark = if variable.changed { look.paint(Role::Changed, "~") } else { " ".into() };
        let constant = if variable.mutable || variable.scope == Scope::Parameter { "" } else { "const " };
        let line = format!(
            "{constant}{} {} = {}",
            variable.name,
            variable.held.declared_type,
            whole_text(&radix.value(&variable.held.value))
        );
        text.push_str(&format!("{mark} {}\n", look.fit(2, &line)));
    }
    text
}

fn display(debugger: &mut TerminalDebugger, arguments: &str) -> Result<(), CommandError> {
    let (radix, rest) = radix(arguments)?;
    if rest.is_empty() {
        let shown = debugger.displays()?;
        debugger.console.say(if shown.is_empty() { "No displays.\n" } else { &shown });
        return Ok(());
    }
    let WatchAdded(watch) = debugger.ask(AddWatch(rest.to_string()))?;
    if let Some(Err(failure)) = &watch.shown
        && never_right(failure)
    {
        debugger.ask(RemoveWatch(watch.id))?;
        return Err(CommandError::of_expression(rest, failure.clone()));
    }
    debugger.shown.displays.insert(watch.id);
    debugger.shown.display_radix.insert(watch.id, radix);
    let text = debugger.display(&watch);
    debugger.console.say(&text);
    Ok(())
}

/// Whether an expression can never be evaluated: it is not valid, or has side effects. Unknown names do not
/// count, since they may exist at other stops.
pub fn never_right(failure: &Failure) -> bool {
    failure.wrong.is_none() || failure.is_of_syntax()
}

fn undisplay(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let ids = match rest {
        "" => debugger.watches()?.into_iter().map(|watch| watch.id).collect(),
        number => {
            let wrong = || CommandError::new(format!("'{number}' is not the number of a display"));
            vec![number.parse().map(WatchId).map_err(|_| wrong())?]
        }
    };
    for id in ids {
        let none =
            |_| CommandError::new(format!("there is no display {}", id.0)).help("'display' lists them");
        debugger.ask(RemoveWatch(id)).map_err(none)?;
        debugger.shown.display_radix.remove(&id);
        debugger.console.say(&format!("Display {} has ended.", id.0));
    }
    Ok(())
}

fn tree(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    if rest.is_empty() {
        return Err("what is to be unfolded?".into());
    }
    let (value, _) = evaluate(debugger, rest)?;
    let text = tree::unfolded(debugger, rest, &value)?;
    debugger.console.say(&text);
    Ok(())
}

fn type_of(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    if rest.is_empty() {
        return Err("whose type?".into());
    }
    let value = debugger.look_at(rest)?;
    let own = crate::protocol::value_text::type_text(&value);
    let text = match value.declared_type.as_str() {
        "any" if own != "any" => format!("any (now {own})"),
        declared => declared.to_string(),
    };
    debugger.console.say(&text);
    Ok(())
}

fn return_value(debugger: &mut TerminalDebugger, arguments: &str) -> Result<(), CommandError> {
    let (radix, rest) = radix(arguments)?;
    nothing(rest)?;
    let text = match debugger.returned() {
        Some(returned) => {
            let value = radix.value(&returned.value.value);
            format!("{} gave {}", returned.function, whole_text(&value))
        }
        None => {
            let what = CommandError::new("no function has just returned a value");
            return Err(what.help("'out' runs to the end of the present one"));
        }
    };
    debugger.console.say(&text);
    Ok(())
}
