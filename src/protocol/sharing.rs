//! The parameters of a request to share the session, which are the same in all protocols.

use ez_engine::api::{Role, Share};

use super::address::{Address, AddressError};
use super::params::Params;

/// Reads them. Blocks while a host name is resolved.
///
/// # Errors
/// A message that names the wrong parameter.
pub fn share(params: &Params) -> Result<Share, String> {
    let allow_remote = params.flag("allowRemote")?;
    let listen = params.text("listen")?.map(|text| Address::parse(text, allow_remote)).transpose();
    let listen = listen.map_err(|error| wrong_address(&error))?;
    Ok(Share {
        listen: listen.map(Address::into_sockets).unwrap_or_default(),
        roles: params.words("roles", &Role::ALL.map(|role| (role.name(), role)))?.unwrap_or_default(),
        name: params.text("name")?.map(str::to_string),
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
