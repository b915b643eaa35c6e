//! Commands that let guests join the session: `share`, `unshare`, `getGuests`.

use super::{Ask, Command, Context, ask};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::wire::{Empty, GuestItem, written};
use crate::protocol::params::Params;
use crate::protocol::sharing;
use ez_engine::api::{GetGuests, Role, Shared, Unshare};

pub const COMMANDS: &[Command] = &[
    Command::only_2("share", "Lets guests join the session.", share)
        .takes(&sharing::PARAMETERS)
        .answered_by(&["shared"])
        .capability("sharing"),
    Command::only_2("unshare", "Sends the guests away, and lets no more join.", unshare)
        .answered_by(&["unshared"])
        .capability("sharing"),
    Command::only_2("getGuests", "Asks for the guests of the session.", get_guests)
        .answered_by(&["guests"])
        .capability("sharing"),
];

#[cfg(test)]
pub const EVENTS: &[Event] = &[
    event::<SharedData>("shared", 2, "Where guests join the session."),
    event::<Empty>("unshared", 2, "Answers `unshare`."),
    event::<GuestsData>("guests", 2, "The guests of the session."),
];

written! {
    struct SharedData<'a> {
        /// The address.
        host: &'a str,
        /// The port.
        port: u16 = 1..,
        /// What guests show, for each role.
        tokens: Tokens<'a>,
        /// Why the list of the user's shared sessions does not have it, if so.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<&'a str>,
    }
}

/// The event `shared` that answers no command, as a line.
pub fn shared_line(shared: &Shared) -> String {
    let data = SharedData::from(shared);
    format!("{}\n", serde_json::json!({"type": "event", "event": "shared", "data": data}))
}

impl<'a> From<&'a Shared> for SharedData<'a> {
    fn from(shared: &'a Shared) -> SharedData<'a> {
        SharedData {
            host: &shared.host,
            port: shared.port,
            tokens: Tokens::new(&shared.tokens),
            message: shared.unlisted.as_deref(),
        }
    }
}

written! {
    /// The tokens of guests.
    struct Tokens<'a> {
        /// The token of participants.
        #[serde(skip_serializing_if = "Option::is_none")]
        participant: Option<&'a str>,
        /// The token of observers.
        #[serde(skip_serializing_if = "Option::is_none")]
        observer: Option<&'a str>,
    }
}

impl Tokens<'_> {
    fn new(all: &[(Role, String)]) -> Tokens<'_> {
        let of = |role| all.iter().find(|(known, _)| *known == role).map(|(_, token)| token.as_str());
        Tokens { participant: of(Role::Participant), observer: of(Role::Observer) }
    }
}

written! {
    struct GuestsData<'a> {
        /// The guests, in the order in which they joined.
        guests: Vec<GuestItem<'a>>,
    }
}

fn share(params: &Params, _: Context) -> Result<Ask, String> {
    ask(sharing::share(params)?, |_, asked, shared, out| {
        out.add("shared", SharedData::from(shared), asked.id())
    })
}

fn unshare(_: &Params, _: Context) -> Result<Ask, String> {
    ask(Unshare, |_, asked, _, out| out.add("unshared", Empty {}, asked.id()))
}

fn get_guests(_: &Params, _: Context) -> Result<Ask, String> {
    ask(GetGuests, |_, asked, guests, out| {
        out.add("guests", GuestsData { guests: guests.iter().map(GuestItem::from).collect() }, asked.id());
    })
}
