//! The command that says what the program is to print.

use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::table::{Argument, Repeats, Row, When};
use ez_engine::api::{ExpectedText, OutputMode, SetExpectedOutput};

/// `expect`.
pub const ROW: Row = Row {
    name: "expect",
    short: &[],
    arguments: "FILE|off",
    summary: "stop where something else is printed than is in a file",
    help: "\
From the next 'restart' on, the program stops where it has printed something else than is in the file, or less. Blanks at
ends of lines and line ends at the end do not count. With 'ez debug --history', 'reverse' goes back there.

    (debug) expect average.out
    (debug) expect off
",
    argument: Argument::File,
    when: When::Always,
    repeats: Repeats::No,
    run: expect,
};

fn expect(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let expected = match rest {
        "" => return Err(CommandError::new("which file?").help("expect average.out")),
        "off" => None,
        file => Some(ExpectedText::File(file.into())),
    };
    let said = if expected.is_some() {
        "That is expected from the next 'restart' on."
    } else {
        "Nothing is expected."
    };
    debugger.ask(SetExpectedOutput { expected, mode: OutputMode::default() })?;
    debugger.console.say(said);
    Ok(())
}
