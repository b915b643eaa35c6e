//! Programs in another process: the adapter's requests go to the session there, which has a client like any other.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::protocol::native::{Hello, ToSession};
use crate::protocol::params::Params;
use crate::protocol::remote::{RemoteSession, SAYS_NOTHING};
use crate::protocol::{ClientLink, Duplex, FrontEnd, Messages, Received};
use ez_engine::api::{Entrance, Failure, FailureKind, Request, RequestNumber, Status};
use ez_engine::session::{Incoming, Item};
use ez_runtime::threads;
use ez_runtime::visible::visible_line;

use super::announced::{Announced, Announcement, Cancel};
use super::asking::PendingRequest;
use super::attaching::Options;
use super::capabilities::SUPPORTED_BY_LISTENERS;
use super::decode::RequestHeader;
use super::own_messages::OwnMessage;
use super::writing::Refusal;
use super::{DapFrontEnd, Origin};

/// How long a program in a terminal may take to announce itself: the terminal may have to be opened first.
const START: Duration = Duration::from_secs(30);

/// How long a session that was reached may take to say whether the client may attach to it.
const ATTACHING: Duration = Duration::from_secs(10);

/// How long a session may take to answer a client that disconnects.
const LEAVING: Duration = Duration::from_secs(1);

/// Why the client does not attach to a session that it was about to.
const LEAVES: &str = "the client disconnects";

/// What is said of requests that were not answered within [`LEAVING`].
const NO_ANSWER: &str = "the program's process does not answer";

/// Where the session is.
pub enum Target {
    Address {
        host: String,
        port: u16,
        token: Option<String>,
    },
    /// That of the program in a terminal, which announces its address.
    Announced(Announced),
}

/// A session that was reached.
struct Reached {
    connection: Duplex,
    token: Option<String>,
    /// On which the program has announced itself.
    announced: Option<TcpStream>,
}

impl Target {
    /// Waits until the session can be reached, and connects to it. Blocks.
    ///
    /// # Errors
    /// A message that says why it cannot be reached.
    fn reach(self) -> Result<Reached, String> {
        let (host, port, token, announced) = match self {
            Target::Address { host, port, token } => (host, port, token, None),
            Target::Announced(announced) => {
                let Announcement { port, token, stream } = announced.wait(START)?;
                (Entrance::HOST.into(), port, Some(token), Some(stream))
            }
        };
        Ok(Reached { connection: Duplex::to(&host, port)?, token, announced })
    }

    /// Ends the wait for the program, whether it has begun or not.
    fn cancel(&self) -> Option<Cancel> {
        match self {
            Target::Address { .. } => None,
            Target::Announced(announced) => Some(announced.cancel()),
        }
    }
}

/// Where the program is, if it is in another process.
#[derive(Default)]
pub(super) struct Elsewhere {
    /// While its session is not reached yet.
    connecting: Option<Connecting>,
    /// The session to which requests go; `None`: to that of this process.
    used: Option<UsedSession>,
    /// The process id of the program.
    pub process: Option<u32>,
}

impl Elsewhere {
    /// Whether its session is not reached yet.
    pub fn is_connecting(&self) -> bool {
        self.connecting.is_some()
    }

    /// Whether requests go there.
    pub fn is_used(&self) -> bool {
        self.used.is_some()
    }

    /// Whether requests go there, or are to go there.
    pub fn is_wanted(&self) -> bool {
        self.is_connecting() || self.is_used()
    }

    /// Its session is not wanted any more if it is not reached yet.
    pub fn stop_connecting(&mut self) {
        self.connecting = None;
    }

    /// The request to attach to the session that is used.
    fn attached_by(&self) -> Option<RequestNumber> {
        self.used.as_ref().map(|used| used.request)
    }
}

/// An attempt to reach a session.
struct Connecting {
    /// The request to attach to it, which is not sent yet.
    request: RequestNumber,
    cancel: Option<Cancel>,
}

impl Drop for Connecting {
    fn drop(&mut self) {
        if let Some(cancel) = &self.cancel {
            cancel.cancel();
        }
    }
}

/// The session to which requests go.
struct UsedSession {
    /// The request to attach to it.
    request: RequestNumber,
    /// On which the program has announced itself, until the client has attached to it.
    announced: Option<TcpStream>,
}

impl DapFrontEnd {
    /// `attach` with `host` or `port`: the program is in another process, which listens.
    pub(super) fn attach_elsewhere(&mut self, from: &RequestHeader, params: &Params) -> Result<(), Refusal> {
        let token = params.text("token")?.map(str::to_string);
        let host = params.text("host")?.unwrap_or(Entrance::HOST).to_string();
        let port = params.required("port", params.number("port", 1, u32::from(u16::MAX))?)?;
        let target = Target::Address { host, port: port as u16, token };
        self.connect(from, target, Options::new(params, Origin::Attached, Map::new())?)
    }

    /// Connects to the session of a program in another process, to which requests go from then on.
    pub(super) fn connect(
        &mut self,
        from: &RequestHeader,
        target: Target,
        options: Options,
    ) -> Result<(), Refusal> {
        let Some(link) = self.link.clone() else { return Err("there is no session".into()) };
        let mut asked = Vec::new();
        self.ask_to_attach(from, options, &mut asked);
        let Some(Received::Message(Incoming { id, request: Ok(request) })) = asked.pop() else {
            return Ok(());
        };
        self.elsewhere.connecting = Some(Connecting { request: id, cancel: target.cancel() });
        self.configuring.end_wait();
        let this = self.this.clone();
        let main = move || {
            let reached = target.reach();
            let Some(this) = this.upgrade() else { return };
            let mut front_end = this.lock();
            // The client may have given up.
            if front_end.elsewhere.connecting.take_if(|connecting| connecting.request == id).is_none() {
                return;
            }
            if let Err(why) = reached.and_then(|reached| front_end.connected(reached, id, request, &link)) {
                link.fail(id, &why);
            }
        };
        if let Err(error) = threads::spawn("connecting", main) {
            self.give_up(&error.to_string());
        }
        Ok(())
    }

    /// A session was reached: begins to use it, with this request.
    fn connected(
        &mut self,
        reached: Reached,
        id: RequestNumber,
        request: Request,
        link: &ClientLink,
    ) -> Result<(), String> {
        let Reached { connection, token, announced } = reached;
        let (this, arriving) = (self.this.clone(), link.clone());
        let receive = move |item: Result<Item<RequestNumber>, String>| match item {
            Ok(item) => arriving.arrive(item),
            Err(why) => {
                let Some(this) = this.upgrade() else { return };
                let mut work = Vec::new();
                this.lock().reply_with(OwnMessage::Lost(id, why), &mut work);
                arriving.deliver(work, || ());
            }
        };
        let first = Some(ToSession::Ask(id, request));
        let hello = Hello { token: token.as_deref(), first, on_disconnect: Some(self.on_disconnect()) };
        let session = RemoteSession::begin(connection, &hello, receive).map_err(|error| error.to_string())?;
        link.lead_to(session);
        self.elsewhere.used = Some(UsedSession { request: id, announced });
        self.after(ATTACHING, |this, _| this.leave_unanswered(SAYS_NOTHING));
        Ok(())
    }

    /// Does something after a while, unless another session is used by then. If no thread can be created, the client can
    /// still close the connection.
    fn after(&self, time: Duration, act: fn(&mut DapFrontEnd, &mut Vec<Received>)) {
        let Some(request) = self.elsewhere.attached_by() else { return };
        self.later("waiting", time, move |this, work| {
            if this.elsewhere.attached_by() == Some(request) {
                act(this, work);
            }
            None
        });
    }

    /// The client has asked to disconnect: a session that does not answer is left.
    pub(super) fn expect_to_leave(&self) {
        self.after(LEAVING, |this, work| {
            if let Some(request) = this.elsewhere.attached_by() {
                this.reply_with(OwnMessage::Lost(request, NO_ANSWER.into()), work);
            }
        });
    }

    /// The program is not wanted any more, for this reason, before its session was reached.
    pub(super) fn give_up(&mut self, why: &str) {
        if let (Some(connecting), Some(link)) = (self.elsewhere.connecting.take(), &self.link) {
            link.fail(connecting.request, why);
        }
    }

    /// The client disconnects before a session was reached.
    pub(super) fn give_up_to_leave(&mut self) {
        self.give_up(LEAVES);
    }

    /// The client disconnects: does not wait for a session that has not said yet whether it may attach.
    pub(super) fn leave_if_not_attached(&mut self) {
        self.leave_unanswered(LEAVES);
    }

    /// Leaves a session that has not said yet whether the client may attach, for this reason.
    fn leave_unanswered(&mut self, why: &str) {
        if let (Status::NotInitialized, Some(id)) = (self.phase, self.elsewhere.attached_by()) {
            self.leave();
            if let Some(link) = &self.link {
                link.fail(id, why);
            }
        }
    }

    /// The connection to the session that this request has attached to has ended, and all that came over it is told.
    pub(super) fn lost(&mut self, attached_by: RequestNumber, why: &str, out: &mut Messages) {
        if self.elsewhere.used.take_if(|used| used.request == attached_by).is_none() {
            return;
        }
        let is_attached = self.phase != Status::NotInitialized;
        let has_ended = self.is_over;
        if let Some(link) = &self.link {
            link.come_home();
        }
        let mut leaving = self.disconnecting.take();
        let leaves = |asked: &PendingRequest| asked.from.command == "disconnect";
        if let Some((id, _)) = self.asked.find_mut(leaves) {
            leaving = self.asked.take(id).map(|asked| asked.from);
        }
        let unanswered: Vec<RequestNumber> = self.asked.in_order().iter().map(|(id, _)| *id).collect();
        for id in unanswered {
            self.answered(id, &Err(Failure::new(FailureKind::Internal, why)), out);
        }
        if is_attached && !has_ended {
            if self.part.is_guest() {
                // It may have been sent away.
                self.numbering.output(out, "important", &format!("{}\n", visible_line(why)));
            }
            self.end(out);
        }
        if is_attached {
            (self.phase, self.is_over) = (Status::Exited, true);
        }
        if let Some(from) = leaving {
            let mut work = Vec::new();
            self.end_session(&from, &mut work);
            self.follow_up.append(&mut work);
        }
    }

    /// The client has attached to a session in another process, if it has: does there what it has asked for before.
    pub(super) fn begin_elsewhere(&mut self, out: &mut Messages) {
        let Some(used) = &mut self.elsewhere.used else { return };
        if let Some(announced) = used.announced.take() {
            Announcement::take(&announced);
        }
        let capabilities: Map<String, Value> =
            SUPPORTED_BY_LISTENERS.iter().map(|name| (name.to_string(), true.into())).collect();
        self.numbering.event(out, "capabilities", json!({ "capabilities": capabilities }));
        let mut work = Vec::new();
        self.repeat_early(&mut work);
        self.ask_for_files(&mut work);
        self.follow_up.append(&mut work);
    }

    /// Leaves the session in another process, if there is one: requests go to that of this process again.
    pub(super) fn leave(&mut self) -> bool {
        let has_left = self.elsewhere.used.take().is_some();
        if let (true, Some(link)) = (has_left, &self.link) {
            link.come_home();
        }
        has_left
    }

    /// The client has left a program in another process: ends the session of this one.
    pub(super) fn come_home(&mut self) {
        if self.leave() {
            let mut work = Vec::new();
            self.ask_silently(Request::Terminate, &mut work);
            self.follow_up.append(&mut work);
        }
    }
}
