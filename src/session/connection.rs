//! Clients that come one after the other to the same session, told apart by their connections.

use crate::api::RequestId;

/// How many bits of a request's number are the front end's own.
const OWN_BITS: u32 = 40;

/// A connection of a client with a session. Front ends number their requests from 1; in a session, the
/// numbers also say which connection they belong to, so that nobody gets the answers of somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionId(u64);

impl ConnectionId {
    /// The connection of a session that has one client from its beginning to its end.
    pub const ONLY: ConnectionId = ConnectionId(0);

    /// The connection that comes after this one.
    pub(super) fn next(self) -> ConnectionId {
        ConnectionId(self.0 + 1)
    }

    /// The connection that a request has come from.
    pub(super) fn of(request: RequestId) -> ConnectionId {
        ConnectionId(request.0 >> OWN_BITS)
    }

    /// The number in the session of a request that the front end of this connection has numbered.
    pub fn in_session(self, request: RequestId) -> RequestId {
        RequestId((self.0 << OWN_BITS) | request.0)
    }

    /// The number that the front end of this connection has given a request; `None` if that was another's.
    pub fn in_front_end(self, request: RequestId) -> Option<RequestId> {
        (ConnectionId::of(request) == self).then_some(RequestId(request.0 & ((1 << OWN_BITS) - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_connections_do_not_meet() {
        let first = ConnectionId::ONLY.next();
        let second = first.next();
        let request = first.in_session(RequestId(7));
        assert_eq!(first.in_front_end(request), Some(RequestId(7)));
        assert_eq!(second.in_front_end(request), None);
        assert_ne!(request, second.in_session(RequestId(7)));
        assert_eq!(ConnectionId::ONLY.in_session(RequestId(7)), RequestId(7));
    }
}
