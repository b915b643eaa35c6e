//! The command `getStepTargets`.

use serde::Serialize;

use super::{Ask, Command, Context, ask};
use crate::api::{GetStepTargets, StepTarget};
use crate::protocol::ez::encode::LIST_LIMIT;
use crate::protocol::ez::parts::paged;
use crate::protocol::ez::wire::PartOf;
use crate::protocol::params::Params;

pub const COMMANDS: &[Command] = &[Command::new("getStepTargets", get_step_targets)];

#[derive(Serialize)]
struct StepTargetsData<'a> {
    targets: Vec<StepTargetItem<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    part: Option<PartOf>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StepTargetItem<'a> {
    id: u32,
    label: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

fn get_step_targets(params: &Params, _: Context) -> Result<Ask, String> {
    ask(GetStepTargets { frame: params.frame()? }, |_, asked, all, out| {
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
