//! Addresses to listen on.

use std::fmt::{Display, Formatter};
use std::net::{SocketAddr, ToSocketAddrs};

/// An address to listen on: the results of resolving a host name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Vec<SocketAddr>);

/// Why a text is not an allowed address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressError {
    /// Not of the form `HOST:PORT`, or the host name cannot be resolved.
    Unknown(String),
    /// Not a loopback address, which has to be allowed explicitly.
    NotLoopback(String),
}

impl Display for AddressError {
    fn fmt(&self, out: &mut Formatter) -> std::fmt::Result {
        match self {
            AddressError::Unknown(why) => write!(out, "no address to listen at: {why}"),
            AddressError::NotLoopback(text) => {
                write!(
                    out,
                    "{text} would accept connections from other computers; use --allow-remote to permit that"
                )
            }
        }
    }
}

impl Address {
    /// Parses a text such as `127.0.0.1:0`; port 0 lets the system choose one. `remote` allows addresses that
    /// can be reached from other computers. Blocks while a host name is resolved.
    ///
    /// # Errors
    /// If the text is not an address, or the address is not allowed.
    pub fn parse(text: &str, remote: bool) -> Result<Address, AddressError> {
        let unknown = |why: String| AddressError::Unknown(format!("{text}: {why}"));
        let found = text.to_socket_addrs().map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidInput => unknown("expected HOST:PORT, such as 127.0.0.1:0".into()),
            _ => unknown(error.to_string()),
        })?;
        let sockets: Vec<SocketAddr> = found.collect();
        if sockets.is_empty() {
            return Err(unknown("the host is not known".into()));
        }
        if !remote && !sockets.iter().all(|socket| socket.ip().is_loopback()) {
            return Err(AddressError::NotLoopback(text.to_string()));
        }
        Ok(Address(sockets))
    }

    /// The resolved addresses; the first that is available is to be used.
    pub fn sockets(&self) -> &[SocketAddr] {
        &self.0
    }

    /// The resolved addresses, owned.
    pub fn into_sockets(self) -> Vec<SocketAddr> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_computer_comes_in_unless_others_may() {
        assert!(Address::parse("127.0.0.1:0", false).is_ok());
        assert!(Address::parse("[::1]:4711", false).is_ok());
        for text in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
            let refused = Address::parse(text, false).unwrap_err().to_string();
            assert_eq!(
                refused,
                format!(
                    "{text} would accept connections from other computers; use --allow-remote to permit that"
                )
            );
            assert!(Address::parse(text, true).is_ok());
        }
        for text in ["", "127.0.0.1", "x:y", "127.0.0.1:70000"] {
            let refused = Address::parse(text, true).unwrap_err().to_string();
            assert!(refused.starts_with("no address to listen at: "), "{refused}");
        }
    }
}
