//! Commands about child processes: `getProcesses`, `releaseChild`.

use super::{Ask, Command, Context, ask};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::LIST_LIMIT;
use crate::protocol::ez::parts::paged;
use crate::protocol::ez::processes::process;
use crate::protocol::ez::wire::{PartOf, Process, written};
use crate::protocol::parameter::{Required, Whole, parameters};
use crate::protocol::params::Params;
use ez_engine::api::{GetProcesses, ReleaseChild};

pub const COMMANDS: &[Command] = &[
    Command::since_2("getProcesses", "Asks for the child processes that have not ended.", get_processes)
        .answered_by(&["processes"])
        .capability("processes"),
    Command::since_2("releaseChild", "Lets a child process run that is held.", release_child)
        .takes(&[&PID])
        .answered_by(&["childReleased"])
        .capability("processes"),
];

parameters! {
    /// Its process id.
    PID: Required<Whole> = "pid", Whole::NUMBER;
}

#[cfg(test)]
pub const EVENTS: &[Event] = &[
    event::<ProcessesData>("processes", 2, "The child processes that have not ended.").divided("processes"),
    event::<ChildReleasedData>("childReleased", 2, "Answers `releaseChild`."),
];

written! {
    struct ProcessesData<'a> {
        /// The processes, in the order in which they announced themselves.
        processes: Vec<Process<'a>>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        part: Option<PartOf>,
    }

    struct ChildReleasedData {
        /// The process id.
        pid: u32 = 1..,
    }
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
    let pid = PID.read(params)?;
    ask(ReleaseChild(pid), move |_, asked, _, out| {
        out.add("childReleased", ChildReleasedData { pid }, asked.id());
    })
}
