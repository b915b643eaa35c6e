//! Commands about watches.

use super::{Ask, Command, Context, ask};
use crate::api::{AddWatch, GetWatches, RemoveWatch, WatchAdded, WatchId};
use crate::protocol::ez::{answers, values, wire};
use crate::protocol::params::Params;

pub const COMMANDS: &[Command] = &[
    Command::new("addWatch", add_watch),
    Command::new("removeWatch", remove_watch),
    Command::new("getWatches", get_watches),
];

fn add_watch(params: &Params, _: Context) -> Result<Ask, String> {
    ask(AddWatch(params.required_text("expression")?), |_, asked, WatchAdded(watch), out| {
        let data = wire::WatchAdded { id: watch.id.0, expression: (&*watch.expression).into() };
        out.add("watchAdded", data, asked.id());
        if watch.shown.is_some() {
            out.add("watchUpdate", values::watch(watch, true), None);
        }
    })
}

fn remove_watch(params: &Params, _: Context) -> Result<Ask, String> {
    let id = params.id("id")?;
    ask(RemoveWatch(WatchId(id)), move |_, asked, _, out| {
        out.add("watchRemoved", wire::WatchRemoved { id }, asked.id());
    })
}

fn get_watches(_: &Params, _: Context) -> Result<Ask, String> {
    ask(GetWatches, |_, asked, all, out| answers::watches(out, all, asked.id()))
}
