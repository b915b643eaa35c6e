//! Commands about watches.

use std::borrow::Cow;

use super::{Ask, Command, Context, ask};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::LIST_LIMIT;
use crate::protocol::ez::parts::paged;
use crate::protocol::ez::values::watch;
use crate::protocol::ez::wire::{PartOf, Watch, written};
use crate::protocol::parameter::{Required, Text, Whole, parameters};
use crate::protocol::params::Params;
use ez_engine::api::{AddWatch, GetWatches, RemoveWatch, WatchAdded, WatchId};

pub const COMMANDS: &[Command] = &[
    Command::since_2("addWatch", "Adds an expression that is evaluated after each stop.", add_watch)
        .takes(&[&EXPRESSION])
        .answered_by(&["watchAdded"])
        .capability("watches"),
    Command::since_2("removeWatch", "Removes a watch.", remove_watch)
        .takes(&[&ID])
        .answered_by(&["watchRemoved"])
        .capability("watches"),
    Command::since_2("getWatches", "Asks for all watches.", get_watches)
        .answered_by(&["watches"])
        .capability("watches"),
];

parameters! {
    /// The expression.
    EXPRESSION: Required<Text> = "expression", Text;
    /// The watch.
    ID: Required<Whole> = "id", Whole::POSITIVE;
}

#[cfg(test)]
pub const EVENTS: &[Event] = &[
    event::<WatchAddedData>("watchAdded", 2, "Answers `addWatch`."),
    event::<WatchRemovedData>("watchRemoved", 2, "Answers `removeWatch`."),
    event::<WatchesData>("watches", 2, "All watches.").divided("watches"),
];

written! {
    struct WatchAddedData<'a> {
        /// The watch.
        id: u32 = 1..,
        /// The expression.
        expression: Cow<'a, str>,
    }

    struct WatchRemovedData {
        /// The watch.
        id: u32 = 1..,
    }

    struct WatchesData<'a> {
        /// The watches.
        watches: Vec<Watch<'a>>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        part: Option<PartOf>,
    }
}

fn add_watch(params: &Params, _: Context) -> Result<Ask, String> {
    ask(AddWatch(EXPRESSION.read(params)?), |_, asked, WatchAdded(added), out| {
        let data = WatchAddedData { id: added.id.0, expression: (&*added.expression).into() };
        out.add("watchAdded", data, asked.id());
        if added.shown.is_some() {
            out.add("watchUpdate", watch(added, true, out.notation), None);
        }
    })
}

fn remove_watch(params: &Params, _: Context) -> Result<Ask, String> {
    let id = ID.read(params)?;
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
