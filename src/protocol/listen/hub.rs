//! Assigns clients to sessions.

use std::time::Duration;

use ez_engine::session::Session;
use ez_runtime::clock::Instant;
use ez_runtime::sync::{Condvar, Mutex, MutexGuard};

/// How long a new client waits for the previous one to go, if it is not known to be going: its connection may
/// be lost without that having been noticed.
const GRACE: Duration = Duration::from_millis(500);

/// How long it waits for a client that is known to be going.
const LEAVING: Duration = Duration::from_secs(5);

/// Creates a session for a client that launches a program.
pub type MakeSession = Box<dyn Fn() -> Session + Send + Sync>;

/// What a client wants, according to its first request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To attach to the existing program.
    Attach,
    /// To launch a program.
    Launch,
    /// The request does not say.
    Other,
}

#[derive(Default)]
struct Slot {
    session: Option<Session>,
    /// Whether a client is connected.
    taken: bool,
    /// Whether the last client's connection was lost without a request to disconnect.
    vanished: bool,
}

/// The sessions of a server: a single one, or several one after the other.
pub struct Hub {
    slot: Mutex<Slot>,
    freed: Condvar,
    make: Option<MakeSession>,
}

impl Hub {
    /// A server with a single session, which ends with it.
    pub fn with(session: Session) -> Hub {
        let slot = Slot { session: Some(session), ..Slot::default() };
        Hub { slot: Mutex::new(slot), freed: Condvar::new(), make: None }
    }

    /// A server that creates sessions as clients launch programs, one at a time.
    pub fn making(make: MakeSession) -> Hub {
        Hub { slot: Mutex::default(), freed: Condvar::new(), make: Some(make) }
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock()
    }

    /// Assigns a session to a client, exclusively until [`Hub::release`].
    ///
    /// # Errors
    /// Why there is no session for the client, as a text for it.
    pub(super) fn claim(&self, purpose: Purpose) -> Result<Session, String> {
        let mut slot = self.free_slot()?;
        let present = slot.session.take().filter(|session| !session.is_over());
        let (present, make) = match (present, &self.make) {
            (Some(present), Some(make)) if purpose == Purpose::Launch => {
                if !slot.vanished {
                    slot.session = Some(present);
                    return Err("a program is there already: attach to it, and end it".into());
                }
                // The program of a client whose connection was lost is not wanted any more.
                present.terminate();
                (None, Some(make))
            }
            (present, make) => (present, make.as_ref()),
        };
        let session = match (present, make, purpose) {
            (Some(session), ..) => session,
            (None, Some(make), Purpose::Launch | Purpose::Other) => make(),
            (None, Some(_), Purpose::Attach) => return Err("there is no program: launch one".into()),
            (None, None, _) => return Err("the session is over".into()),
        };
        slot.session = Some(session.clone());
        slot.taken = true;
        Ok(session)
    }

    /// Waits until the previous client has gone.
    fn free_slot(&self) -> Result<MutexGuard<'_, Slot>, String> {
        let begin = Instant::now();
        let mut slot = self.slot();
        while slot.taken {
            let leaves = slot.session.as_ref().is_some_and(|session| !session.has_client());
            let left = if leaves { LEAVING } else { GRACE }.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err("another client is connected".into());
            }
            let step = left.min(GRACE / 10);
            slot = self.freed.wait_timeout(slot, step);
        }
        Ok(slot)
    }

    /// The client has gone; `vanished`: its connection was lost without a request to disconnect.
    pub(super) fn release(&self, vanished: bool) {
        let mut slot = self.slot();
        slot.taken = false;
        slot.vanished = vanished;
        self.freed.notify_one();
        // A session without a program is of no use to later clients, which get a new one.
        if self.make.is_some()
            && let Some(session) = slot.session.take_if(|session| session.has_no_program())
        {
            session.terminate();
        }
    }
}
