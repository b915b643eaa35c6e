//! Commands about watches.

use std::borrow::Cow;

use serde::Serialize;

use super::{Ask, Command, Context, ask};
use crate::api::{AddWatch, GetWatches, RemoveWatch, WatchAdded, WatchId};
use crate::protocol::ez::encode::LIST_LIMIT;
use crate::protocol::ez::parts::paged;
use crate::protocol::ez::values::watch;
use crate::protocol::ez::wire::{PartOf, Watch};
use crate::protocol::params::Params;

pub const COMMANDS: &[Command] = &[
    Command::new("addWatch", add_watch),
    Command::new("removeWatch", remove_watch),
    Command::new("getWatches", get_watches),
];

#[derive(Serialize)]
struct WatchAddedData<'a> {
    id: u32,
    expression: Cow<'a, str>,
}

#[derive(Serialize)]
struct WatchRemovedData {
    id: u32,
}

#[derive(Serialize)]
struct WatchesData<'a> {
    watches: Vec<Watch<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    part: Option<PartOf>,
}

fn add_watch(params: &Params, _: Context) -> Result<Ask, String> {
    ask(AddWatch(params.required_text("expression")?), |_, asked, WatchAdded(added), out| {
        let data = WatchAddedData { id: added.id.0, expression: (&*added.expression).into() };
        out.add("watchAdded", data, asked.id());
        if added.shown.is_some() {
            out.add("watchUpdate", watch(added, true, out.notation), None);
        }
    })
}

fn remove_watch(params: &Params, _: Context) -> Result<Ask, String> {
    let id = params.id("id")?;
    ask(RemoveWatch(WatchId(id)), move |_, asked, (), out| {
        out.add("watchRemoved", WatchRemovedData { id }, asked.id());
    })
}

fn get_watches(_: &Params, _: Context) -> Result<Ask, String> {
    ask(GetWatches, |_, asked, all, out| {
        let all = all.iter().map(|w| watch(w, false, out.notation)).collect();
        paged(all, out.limit(LIST_LIMIT - 256), asked.id(), |watches, part, id| {
            out.add("watches", WatchesData { watches, part }, id);
        });
    })
}
