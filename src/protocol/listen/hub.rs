//! Which session a client gets.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::session::Session;

/// How long a client waits for the one before it, of which it may not be known yet that it is gone.
const GRACE: Duration = Duration::from_millis(500);

/// How long it waits for one that is known to go.
const LEAVING: Duration = Duration::from_secs(5);

/// Makes a session for a client that launches a program.
pub type MakeSession = Box<dyn Fn() -> Session + Send + Sync>;

/// What a client has come for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errand {
    /// A program that is there.
    Attach,
    /// A program that it launches.
    Launch,
    /// It does not say so.
    Other,
}

#[derive(Default)]
struct Slot {
    session: Option<Session>,
    /// Whether a client is connected.
    taken: bool,
    /// Whether the last client is gone without having said so.
    vanished: bool,
}

/// The sessions of a server: one that is there from the beginning to the end, or one after the other.
pub struct Hub {
    slot: Mutex<Slot>,
    freed: Condvar,
    make: Option<MakeSession>,
}

impl Hub {
    /// With one session, with which the server ends.
    pub fn with(session: Session) -> Hub {
        let slot = Slot { session: Some(session), ..Slot::default() };
        Hub { slot: Mutex::new(slot), freed: Condvar::new(), make: None }
    }

    /// With as many sessions as clients want, one after the other.
    pub fn making(make: MakeSession) -> Hub {
        Hub { slot: Mutex::default(), freed: Condvar::new(), make: Some(make) }
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a client its session, which is nobody else's until [`Hub::release`].
    ///
    /// # Errors
    /// Why it gets none, for the client.
    pub(super) fn claim(&self, errand: Errand) -> Result<Session, String> {
        let mut slot = self.free_slot()?;
        let present = slot.session.take().filter(|session| !session.is_over());
        let (present, make) = match (present, &self.make) {
            (Some(present), Some(make)) if errand == Errand::Launch => {
                if !slot.vanished {
                    slot.session = Some(present);
                    return Err("a program is there already: attach to it, and end it".into());
                }
                // Its client is gone, and whoever comes wants another one.
                present.terminate();
                (None, Some(make))
            }
            (present, make) => (present, make.as_ref()),
        };
        let session = match (present, make, errand) {
            (Some(session), ..) => session,
            (None, Some(make), Errand::Launch | Errand::Other) => make(),
            (None, Some(_), Errand::Attach) => return Err("there is no program: launch one".into()),
            (None, None, _) => return Err("the session is over".into()),
        };
        slot.session = Some(session.clone());
        slot.taken = true;
        Ok(session)
    }

    /// Waits for a client that is about to go.
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
            slot = self.freed.wait_timeout(slot, step).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(slot)
    }

    /// The client is gone; `vanished`: without having said so.
    pub(super) fn release(&self, vanished: bool) {
        let mut slot = self.slot();
        slot.taken = false;
        slot.vanished = vanished;
        self.freed.notify_one();
        // With sessions one after the other, one without a program is of no use to anybody.
        if self.make.is_some()
            && let Some(session) = slot.session.take_if(|session| session.has_no_program())
        {
            session.terminate();
        }
    }
}
