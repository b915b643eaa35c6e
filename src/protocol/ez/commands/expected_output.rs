//! The command `setExpectedOutput`.

use super::{Ask, Command, Context, ask};
use crate::protocol::expected_output::{FILE, MODE, TEXT, expected_output};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::wire::Empty;
use crate::protocol::params::Params;

pub const COMMANDS: &[Command] = &[Command::since_2(
    "setExpectedOutput",
    "Says what the program is to write, from its start on.",
    set_expected_output,
)
.takes(&[&TEXT, &FILE, &MODE])
.answered_by(&["outputExpected"])
.capability("expectedOutput")];

#[cfg(test)]
pub const EVENTS: &[Event] = &[event::<Empty>("outputExpected", 2, "Answers `setExpectedOutput`.")];

fn set_expected_output(params: &Params, _: Context) -> Result<Ask, String> {
    ask(expected_output(params)?, |_, asked, _, out| out.add("outputExpected", Empty {}, asked.id()))
}
