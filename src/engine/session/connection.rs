//! Numbers for the connections of clients that use the same session, together or one after the other.

use crate::api::{RequestId, RequestNumber};

/// The bit of a connection that tells that it is a guest's, so that none is ever taken for the owner's. It is below those
/// of [`RequestId::OF_SESSION`].
const OF_GUEST: u64 = 1 << 21;

/// A client's connection to a session. Within the session, a request has the number of the connection in front of the
/// one that its front end knows, so that no client gets the responses to another one's requests, or speaks of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConnectionId(u64);

impl ConnectionId {
    /// The only connection of a session whose client stays from beginning to end.
    pub const ONLY: ConnectionId = ConnectionId(0);

    /// The next number.
    pub(super) fn next(self) -> ConnectionId {
        ConnectionId((self.0 + 1) % OF_GUEST)
    }

    /// This number, as that of a guest.
    pub(super) fn of_guest(self) -> ConnectionId {
        ConnectionId(self.0 | OF_GUEST)
    }

    /// Whether it is, or was, that of a guest.
    pub(super) fn is_of_guest(self) -> bool {
        self.0 & OF_GUEST != 0
    }

    /// The connection that a request of the session belongs to.
    pub(super) fn of(request: RequestId) -> ConnectionId {
        ConnectionId(request.0 >> RequestNumber::BITS)
    }

    /// The session's number of a request, given the front end's.
    pub fn in_session(self, request: RequestNumber) -> RequestId {
        RequestId((self.0 << RequestNumber::BITS) | request.get())
    }

    /// The front end's number of a request, given the session's; `None` if it belongs to another connection.
    pub fn in_front_end(self, request: RequestId) -> Option<RequestNumber> {
        (ConnectionId::of(request) == self).then_some(RequestNumber::of_low_bits(request.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers at the edges of all parts of a request's number, and any.
    fn numbers() -> impl Strategy<Value = u64> {
        let edges: Vec<u64> = (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 7]).collect();
        prop_oneof![proptest::sample::select(edges), any::<u64>(), Just(u64::MAX)]
    }

    /// Connections of owners and guests, the last ones before the numbers begin again among them.
    fn connections() -> impl Strategy<Value = ConnectionId> {
        let number = prop_oneof![0..4_u64, OF_GUEST - 4..OF_GUEST];
        (number, any::<bool>()).prop_map(|(number, is_guest)| {
            let connection = ConnectionId(number);
            if is_guest { connection.of_guest() } else { connection }
        })
    }

    proptest! {
        #[test]
        fn no_number_of_a_client_means_anything_of_another(
            number in numbers(), other in numbers(), mine in connections(), theirs in connections(),
        ) {
            let read: Result<RequestNumber, _> = serde_json::from_str(&number.to_string());
            prop_assert_eq!(read.is_ok(), number <= RequestNumber::MAX.get());
            prop_assert_eq!(RequestNumber::new(number), read.ok());
            let Some(number) = RequestNumber::new(number) else { return Ok(()) };
            let id = mine.in_session(number);
            prop_assert!(!id.is_of_session() && id.0 < RequestId::OF_ENGINE);
            prop_assert_eq!(ConnectionId::of(id), mine);
            prop_assert_eq!(mine.in_front_end(id), Some(number));
            prop_assert_eq!(ConnectionId::of(id).is_of_guest(), mine.is_of_guest());
            if mine != theirs {
                prop_assert_eq!(theirs.in_front_end(id), None);
                prop_assert_ne!(id, theirs.in_session(RequestNumber::of_low_bits(other)));
            }
        }
    }

    #[test]
    fn connections_are_numbered_again_after_the_last() {
        let last = ConnectionId(OF_GUEST - 1);
        for connection in [ConnectionId::ONLY, ConnectionId::ONLY.next(), last, last.next()] {
            assert!(connection.of_guest().is_of_guest() && !connection.is_of_guest());
        }
    }
}
