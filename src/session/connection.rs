//! Numbers for the connections of clients that use the same session, together or one after the other.

use crate::api::RequestId;

/// How many low bits of a request number the front end may use; the connection's number is in the others.
const OWN_BITS: u32 = 40;

/// The bit of a connection that tells that it is a guest's, so that none is ever taken for the owner's. It is below those
/// of [`RequestId::OF_SESSION`].
const OF_GUEST: u64 = 1 << 21;

/// A client's connection to a session. Each front end numbers its requests from 1; within the session the
/// number of the connection is added, so that no client gets the responses to another one's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConnectionId(u64);

impl ConnectionId {
    /// The only connection of a session whose client stays from beginning to end.
    pub const ONLY: ConnectionId = ConnectionId(0);

    /// The next number.
    pub(super) fn next(self) -> ConnectionId {
        ConnectionId((self.0 + 1) % OF_GUEST)
    }

    /// The same for a guest.
    pub(super) fn of_guest(self) -> ConnectionId {
        ConnectionId(self.0 | OF_GUEST)
    }

    /// Whether it is, or was, that of a guest.
    pub(super) fn is_of_guest(self) -> bool {
        self.0 & OF_GUEST != 0
    }

    /// The connection that a request of the session belongs to.
    pub(super) fn of(request: RequestId) -> ConnectionId {
        ConnectionId(request.0 >> OWN_BITS)
    }

    /// The session's number of a request, given the front end's.
    pub fn in_session(self, request: RequestId) -> RequestId {
        RequestId((self.0 << OWN_BITS) | request.0)
    }

    /// The front end's number of a request, given the session's; `None` if it belongs to another connection.
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
        let last = ConnectionId(OF_GUEST - 1);
        for connection in [first, second, last, last.next()] {
            let guest = connection.of_guest();
            assert!(guest.is_of_guest() && !connection.is_of_guest());
            assert!(!guest.in_session(RequestId(7)).is_of_session());
        }
    }
}
