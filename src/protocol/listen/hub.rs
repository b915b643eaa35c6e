//! Which session a client gets.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::session::Session;

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
    make: Option<MakeSession>,
}

impl Hub {
    /// With one session, with which the server ends.
    pub fn with(session: Session) -> Hub {
        Hub { slot: Mutex::new(Slot { session: Some(session), ..Slot::default() }), make: None }
    }

    /// With as many sessions as clients want, one after the other.
    pub fn making(make: MakeSession) -> Hub {
        Hub { slot: Mutex::default(), make: Some(make) }
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a client its session, which is nobody else's until [`Hub::release`].
    ///
    /// # Errors
    /// Why it gets none, for the client.
    pub(super) fn claim(&self, errand: Errand) -> Result<Session, String> {
        let mut slot = self.slot();
        if slot.taken {
            return Err("another client is connected".into());
        }
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

    /// The client is gone; `vanished`: without having said so.
    pub(super) fn release(&self, vanished: bool) {
        let mut slot = self.slot();
        slot.taken = false;
        slot.vanished = vanished;
        // With sessions one after the other, one without a program is of no use to anybody.
        if self.make.is_some()
            && let Some(session) = slot.session.take_if(|session| session.has_no_program())
        {
            session.terminate();
        }
    }
}
