//! The command `getStepTargets`.

use super::parameters::{FRAME_INDEX, frame};
use super::{Ask, Command, Context, ask};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::LIST_LIMIT;
use crate::protocol::ez::parts::paged;
use crate::protocol::ez::wire::{PartOf, written};
use crate::protocol::params::Params;
use ez_engine::api::{GetStepTargets, StepTarget};

pub const COMMANDS: &[Command] = &[Command::since_2(
    "getStepTargets",
    "Asks for the calls in the statement, to step into one.",
    get_step_targets,
)
.takes(&[&FRAME_INDEX])
.answered_by(&["stepTargets"])
.capability("stepTargets")];

#[cfg(test)]
pub const EVENTS: &[Event] =
    &[event::<StepTargetsData>("stepTargets", 2, "The calls in the statement.").divided("targets")];

written! {
    struct StepTargetsData<'a> {
        /// The calls, in the order in which they run.
        targets: Vec<StepTargetItem<'a>>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        part: Option<PartOf>,
    }

    /// A call that `stepInto` can step into.
    #[cfg_attr(test, schemars(rename = "StepTarget"))]
    #[serde(rename_all = "camelCase")]
    struct StepTargetItem<'a> {
        /// The `targetId` of `stepInto`.
        id: u32 = 1..,
        /// The call as it is written.
        label: &'a str,
        /// The line, from 1.
        line: u32 = 1..,
        /// The column, from 1.
        column: u32 = 1..,
        /// The line in which it ends.
        end_line: u32 = 1..,
        /// The column in which it ends.
        end_column: u32 = 1..,
    }
}

fn get_step_targets(params: &Params, _: Context) -> Result<Ask, String> {
    ask(GetStepTargets { frame: frame(params)? }, |_, asked, all, out| {
        let all = all.iter().map(step_target).collect();
        paged(all, out.limit(LIST_LIMIT - 256), asked.id(), |targets, part, id| {
            out.add("stepTargets", StepTargetsData { targets, part }, id);
        });
    })
}

fn step_target(target: &StepTarget) -> StepTargetItem<'_> {
    StepTargetItem {
        id: target.id,
        label: &target.label,
        line: target.start.line,
        column: target.start.column,
        end_line: target.end.line,
        end_column: target.end.column,
    }
}
