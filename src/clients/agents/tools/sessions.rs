//! The sessions of a client that stay from call to call: programs of its own, and sessions of others that it has joined.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::Arguments;
use crate::clients::agents::call::Call;
use crate::clients::agents::commands::{Commands, Outcome};
use crate::clients::agents::others::others;
use crate::clients::agents::session::ProgramSession;
use crate::protocol::params::Params;
use ez_engine::api::{Company, Event};
use ez_runtime::sync::Mutex;
use ez_runtime::visible::indented;

/// How many sessions there may be at once.
const MAX_SESSIONS: usize = 8;

/// A program that is debugged, and the protocol in which it is asked.
pub struct Debugged {
    pub session: ProgramSession,
    pub commands: Commands,
    /// The name of this client in a session that was joined.
    pub joined_as: Option<String>,
}

/// A session; `None` when it has ended. It is locked while a command is carried out.
pub type Shared = Arc<Mutex<Option<Debugged>>>;

/// The sessions of a client, by name.
#[derive(Default)]
pub struct Sessions {
    last: u64,
    /// How many are being started or joined.
    beginning: usize,
    pub all: BTreeMap<String, Shared>,
}

/// Room for a session that is being started or joined: whether there is some is known before others notice that.
pub struct Room<'a>(&'a Call);

impl Room<'_> {
    /// Takes room.
    ///
    /// # Errors
    /// If there is none.
    pub fn take(call: &Call) -> Result<Room<'_>, String> {
        let mut sessions = call.shared.sessions.lock();
        if sessions.all.len() + sessions.beginning >= MAX_SESSIONS {
            return Err(format!("there are {MAX_SESSIONS} sessions already: end one with debug_stop"));
        }
        sessions.beginning += 1;
        Ok(Room(call))
    }

    /// A name that no session has had.
    pub fn new_name(&self) -> String {
        let mut sessions = self.0.shared.sessions.lock();
        sessions.last += 1;
        format!("s{}", sessions.last)
    }

    /// Keeps the session for later calls.
    pub fn keep(self, name: String, debugged: Debugged) {
        // A client that has cancelled the call does not know the session.
        if !self.0.cancellation.is_cancelled() {
            let session = Arc::new(Mutex::new(Some(debugged)));
            self.0.shared.sessions.lock().all.insert(name, session);
        }
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.0.shared.sessions.lock().beginning -= 1;
    }
}

/// The session that a call names, with its name.
///
/// # Errors
/// If there is none.
pub fn named(call: &Call, arguments: &Arguments) -> Result<(String, Shared), String> {
    let name = Params::new(arguments).required_text("session")?;
    let sessions = call.shared.sessions.lock();
    let found = sessions.all.get(&name).cloned();
    let names: Vec<&str> = sessions.all.keys().map(String::as_str).collect();
    let unknown = || match names.as_slice() {
        [] => format!("there is no session {name}: start one with debug_start"),
        names => format!("there is no session {name}; there are {}", names.join(", ")),
    };
    found.map(|session| (name.clone(), session)).ok_or_else(unknown)
}

/// Does something in the session that a call names.
///
/// # Errors
/// If there is none, it is used by another call, or the work fails.
pub fn with_session<T>(
    call: &Call,
    arguments: &Arguments,
    work: impl FnOnce(&mut Debugged) -> Result<T, String>,
) -> Result<T, String> {
    let (name, session) = named(call, arguments)?;
    let Some(mut locked) = session.try_lock() else { return Err(busy(&name)) };
    let Some(session) = locked.as_mut() else { return Err(format!("the session {name} has ended")) };
    work(session).map_err(|error| session.why_over(&name).unwrap_or(error))
}

/// The error for a session that another call uses.
pub fn busy(name: &str) -> String {
    format!("the session {name} carries out another command: wait for its answer, or cancel it")
}

impl Debugged {
    /// A session that was joined under this name.
    pub fn joined(session: ProgramSession, name: String) -> Debugged {
        Debugged { session, commands: Commands::new(), joined_as: Some(name) }
    }

    /// Why there is no more of a joined session; `None` for other sessions, and while it goes on.
    pub fn why_over(&self, name: &str) -> Option<String> {
        let debuggee = &self.session.debuggee;
        let is_over = self.joined_as.is_some() && debuggee.has_ended();
        is_over.then(|| format!("the joined session {name} is over: {}", indented(&debuggee.why_over())))
    }

    /// What others have done in a joined session, and what has become of breakpoints there, since that was asked last.
    /// `ended`: the answer says that the program has ended.
    pub fn others(&mut self, call: &Call, ended: bool) -> Vec<String> {
        let Some(own) = &self.joined_as else { return Vec::new() };
        self.commands.catch_up(&mut self.session.debuggee);
        if ended {
            self.session.debuggee.events.retain(|event| !matches!(event, Event::Exited(_)));
        }
        let restarts = |event: &Event| matches!(event, Event::Company(Company::Restarted(_)));
        if self.session.debuggee.events.iter().any(restarts) {
            self.session.learn_sources(call);
        }
        let ProgramSession { debuggee, sources, .. } = &mut self.session;
        let mut found = others(&debuggee.events, own, sources, &mut self.commands.told);
        found.extend(self.changed_breakpoints());
        self.session.debuggee.events.clear();
        found
    }

    /// Carries out a command, and forgets what was reported before.
    pub fn carry_out(
        &mut self,
        call: &Call,
        time: Duration,
        command: (&str, Map<String, Value>),
    ) -> Result<Outcome, String> {
        if self.joined_as.is_none() {
            self.session.debuggee.events.clear();
            self.session.debuggee.output().lock().take();
            return self.commands.carry_out(call, &mut self.session, time, command);
        }
        self.session.renew(time);
        let restarts = command.0 == "restart";
        let outcome = self.commands.carry_out(call, &mut self.session, time, command);
        if restarts {
            self.session.learn_sources(call);
        }
        outcome
    }
}
