//! The parameters of a request to share the session, which are the same in all protocols.

use ez_engine::api::{Role, Share};

use super::address::{Address, AddressError};
use super::parameter::{Bool, HostPort, Optional, Text, Words, parameters};
use super::params::{Declared, Params};

pub const PARAMETERS: [&dyn Declared; 4] = [&LISTEN, &ALLOW_REMOTE, &ROLES, &NAME];

parameters! {
    /// The address, `HOST:PORT` (default: `127.0.0.1:0`).
    LISTEN: Optional<HostPort> = "listen", HostPort;
    /// Whether the address may be one that other computers reach (default: false).
    ALLOW_REMOTE: Optional<Bool> = "allowRemote", Bool;
    /// The roles that guests can have (default: all).
    ROLES: Optional<Words<Role>> = "roles", Words(&[(Role::Participant.name(), Role::Participant), (Role::Observer.name(), Role::Observer)]);
    /// The name of this client, for guests (default: `owner`).
    NAME: Optional<Text> = "name", Text;
}

/// Reads them. Blocks while a host name is resolved.
///
/// # Errors
/// A message that names the wrong parameter.
pub fn share(params: &Params) -> Result<Share, String> {
    let allow_remote = ALLOW_REMOTE.read(params)?.unwrap_or_default();
    let listen = LISTEN.read(params)?.map(|text| Address::parse(&text, allow_remote)).transpose();
    let listen = listen.map_err(|error| wrong_address(&error))?;
    Ok(Share {
        listen: listen.map(Address::into_sockets).unwrap_or_default(),
        roles: ROLES.read(params)?.unwrap_or_default(),
        name: NAME.read(params)?,
    })
}

fn wrong_address(error: &AddressError) -> String {
    let why = match error {
        AddressError::Unknown(why) => why.clone(),
        AddressError::NotLoopback(text) => {
            format!("{text} would accept connections from other computers; 'allowRemote' permits that")
        }
    };
    format!("wrong parameter 'listen': {why}")
}
