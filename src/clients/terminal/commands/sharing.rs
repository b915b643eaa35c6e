//! Commands that let others use the session, too.

use super::running::nothing;
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::other_clients::Part;
use crate::clients::terminal::table::{Row, When};
use crate::protocol::address::Address;
use ez_engine::api::{GetGuests, Guest, Role, Share, Shared, Unshare};
use ez_runtime::platform::user_name;
use ez_runtime::visible::quoted;

/// The commands defined in this file.
pub const ROWS: &[Row] = &[
    Row {
        name: "share",
        arguments: "[HOST:PORT] [participant | observer]",
        summary: "let others use this session, too",
        help: "\
Others join with 'ez debug --join', an editor or an agent, each with a token: participants do everything but end the
program, observers only look on. What each does is shown to all. Without an address, they have to be on this computer;
'--allow-remote' permits an address that other computers reach. With a role, there are only guests of that role.

    (debug) share
    (debug) share 127.0.0.1:4711 observer
    (debug) share 0.0.0.0:4711 --allow-remote
",
        when: When::Always,
        run: share,
        ..Row::DEFAULT
    },
    Row {
        name: "unshare",
        summary: "send the guests away, and let no more join",
        help: "\
Their tokens are of no use any more; what they have set stays.

    (debug) unshare
",
        when: When::Always,
        run: unshare,
        ..Row::DEFAULT
    },
    Row {
        name: "guests",
        summary: "list those who have joined",
        help: "\
Lists their names and roles. The owner of the session is not among them.

    (debug) guests
",
        when: When::Always,
        run: guests,
        ..Row::DEFAULT
    },
];

fn share(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let (mut listen, mut roles, mut allow_remote) = (None, Vec::new(), false);
    for word in rest.split_whitespace() {
        match Role::ALL.into_iter().find(|role| role.name() == word) {
            Some(role) => roles.push(role),
            None if word == "--allow-remote" => allow_remote = true,
            None if listen.is_none() => listen = Some(word),
            None => {
                let what = CommandError::new(format!("'{word}' is not expected here"));
                return Err(what.help("share [HOST:PORT] [participant | observer]"));
            }
        }
    }
    let listen = listen.map(|text| Address::parse(text, allow_remote)).transpose();
    let listen = listen.map_err(|error| CommandError::new(error.to_string()))?;
    let name = user_name().unwrap_or_else(|_| "owner".into());
    let request = Share {
        listen: listen.map(Address::into_sockets).unwrap_or_default(),
        roles,
        name: Some(name.clone()),
    };
    let shared = debugger.ask(request)?;
    if !debugger.is_shared() {
        debugger.part = Part::Owner(name);
    }
    debugger.console.say(&how_to_join(&shared));
    Ok(())
}

fn how_to_join(shared: &Shared) -> String {
    let host = if shared.host.contains(':') { format!("[{}]", shared.host) } else { shared.host.clone() };
    let mut text = "This session is shared. Others join it with\n".to_string();
    for (role, token) in &shared.tokens {
        text.push_str(&format!("  ez debug --join {host}:{} --token {token}\n", shared.port));
        text.push_str(match role {
            Role::Participant => "to do everything but end the program\n",
            Role::Observer => "to look on\n",
        });
    }
    match &shared.unlisted {
        None => text.push_str("You yourself need only 'ez debug --join' on this computer.\n"),
        Some(why) => text.push_str(&format!("So do you yourself. {why}\n")),
    }
    text
}

fn unshare(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    nothing(rest)?;
    debugger.ask(Unshare)?;
    // What guests have done before is told first.
    debugger.catch_up();
    debugger.part = Part::Alone;
    debugger.console.say("This session is not shared any more.");
    Ok(())
}

fn guests(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    nothing(rest)?;
    let guests = debugger.ask(GetGuests)?;
    if guests.is_empty() {
        debugger.console.say("Nobody has joined.");
        return Ok(());
    }
    let line = |guest: &Guest| format!("  {:<12} {}\n", quoted(&guest.name), guest.role.name());
    let text: String = guests.iter().map(line).collect();
    debugger.console.say(&text);
    Ok(())
}
