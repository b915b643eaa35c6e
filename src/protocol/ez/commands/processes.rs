//! Commands about child processes: `getProcesses`, `releaseChild`.

use serde::Serialize;

use super::{Ask, Command, Context, ask};
use crate::api::{GetProcesses, ReleaseChild};
use crate::protocol::ez::encode::LIST_LIMIT;
use crate::protocol::ez::parts::paged;
use crate::protocol::ez::processes::process;
use crate::protocol::ez::wire::{PartOf, Process};
use crate::protocol::params::Params;

pub const COMMANDS: &[Command] = &[
    Command::new("getProcesses", get_processes).capability("processes"),
    Command::new("releaseChild", release_child),
];

#[derive(Serialize)]
struct ProcessesData<'a> {
    processes: Vec<Process<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    part: Option<PartOf>,
}

#[derive(Serialize)]
struct ChildReleasedData {
    pid: u32,
}

fn get_processes(_: &Params, _: Context) -> Result<Ask, String> {
    ask(GetProcesses, |_, asked, all, out| {
        let all = all.0.iter().map(process).collect();
        paged(all, out.limit(LIST_LIMIT - 256), asked.id(), |processes, part, id| {
            out.add("processes", ProcessesData { processes, part }, id);
        });
    })
}

fn release_child(params: &Params, _: Context) -> Result<Ask, String> {
    let pid = params.required("pid", params.number("pid", 0, u32::MAX)?)?;
    ask(ReleaseChild(pid), move |_, asked, _, out| {
        out.add("childReleased", ChildReleasedData { pid }, asked.id());
    })
}
