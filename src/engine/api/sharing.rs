//! Sessions that several clients use at once: the owner, who has begun the session, and guests.

use std::fmt;
use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::question::question;
use super::{
    Done, Evaluate, Failure, FailureKind, GetChanges, GetChildren, GetVariables, Inspect, Investigate,
    LastChangeQuery, Obstacle, Purpose, Request, Response, SessionRequest, SetExpression, SetVariable,
    Unfold, WatchRequest,
};

/// What a guest may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Role {
    /// Everything but ending the program or the session, and what concerns other processes.
    Participant,
    /// Ask questions that change nothing.
    Observer,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 2] = [Role::Participant, Role::Observer];

    /// Its name in the protocols.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Participant => "participant",
            Role::Observer => "observer",
        }
    }

    /// Why guests with this role cannot make a request, if so.
    pub fn obstacle_to(self, request: &Request) -> Option<Obstacle> {
        match (request.access(), self) {
            (Access::Anybody, _) | (Access::Participants, Role::Participant) => None,
            (Access::Participants, Role::Observer) => Some(Obstacle::Observing),
            (Access::Owner, _) => Some(Obstacle::NotOwner),
        }
    }

    /// How long an evaluation of an observer may take, in milliseconds: the others wait for it.
    pub const LOOK_TIME: u32 = 500;

    /// How long an evaluation of a participant may take, in milliseconds.
    pub const MOST_TIME: u32 = 5000;

    /// How many parts a guest with this role is shown of a value at once, or changes of a variable.
    const fn most_parts(self) -> usize {
        match self {
            Role::Participant => 100_000,
            Role::Observer => 10_000,
        }
    }

    /// Maximum length of a text that a guest has evaluated, in bytes: reading it takes time, too.
    const MOST_TEXT: usize = 16 << 10;

    /// Why a guest may not ask this, if it is longer than what a person or an editor asks.
    pub fn too_long(request: &Request) -> Option<Failure> {
        let text = if let Request::Inspect(request) = request {
            request.text()
        } else if let Request::Investigate(request) = request {
            request.text()
        } else {
            ""
        };
        let most = Role::MOST_TEXT;
        let message = || format!("the text is too long: of a guest, at most {most} bytes are evaluated");
        (text.len() > most).then(|| Failure::new(FailureKind::BadRequest, message()))
    }

    /// How many variables of a frame, or values of a statement, are expected: what a guest is described of each depends
    /// on it.
    const MANY: usize = 640;

    /// The request as it is carried out for a guest with this role: what an observer evaluates has no effects, and takes
    /// no more than [`Role::LOOK_TIME`], and what a participant does no more than [`Role::MOST_TIME`]; and no answer is
    /// too large for the memory of the owner's process, whatever a client asks for.
    pub fn restrict(self, request: Request) -> Request {
        match request {
            Request::Inspect(request) => Request::Inspect(self.restrict_inspection(request)),
            Request::Investigate(request) => Request::Investigate(self.restrict_investigation(request)),
            Request::Session(_)
            | Request::Initialize(_)
            | Request::Start(_)
            | Request::RunCell(_)
            | Request::SetDebugging(_)
            | Request::SetExpectedOutput(_)
            | Request::Restart(_)
            | Request::Resume(_)
            | Request::Pause
            | Request::Kill
            | Request::Terminate
            | Request::Detach
            | Request::Query(_)
            | Request::Breakpoint(_)
            | Request::Watch(_) => request,
        }
    }

    fn restrict_inspection(self, request: Inspect) -> Inspect {
        match request {
            Inspect::Evaluate(evaluate) => {
                let wanted = evaluate.timeout_ms;
                let (purpose, timeout_ms) = match self {
                    Role::Observer => (Purpose::Look, Some(wanted.unwrap_or(u32::MAX).min(Role::LOOK_TIME))),
                    Role::Participant => (evaluate.purpose, wanted.map(|wanted| wanted.min(Role::MOST_TIME))),
                };
                let limits = evaluate.limits.for_guest();
                Inspect::Evaluate(Evaluate { purpose, timeout_ms, limits, ..evaluate })
            }
            Inspect::Variables(question) => {
                let limits = question.limits.for_guest_each(Role::MANY);
                Inspect::Variables(GetVariables { limits, ..question })
            }
            Inspect::Children(question) => {
                let count = question.count.min(self.most_parts());
                let limits = question.limits.for_guest_each(count);
                Inspect::Children(GetChildren { count, limits, ..question })
            }
            Inspect::SetVariable(question) => {
                Inspect::SetVariable(SetVariable { limits: question.limits.for_guest(), ..question })
            }
            Inspect::SetExpression(question) => {
                Inspect::SetExpression(SetExpression { limits: question.limits.for_guest(), ..question })
            }
            Inspect::StackTrace(_)
            | Inspect::StepTargets(_)
            | Inspect::Rich(_)
            | Inspect::CopyToGlobals(_)
            | Inspect::TypeOf(_)
            | Inspect::Completions(_) => request,
        }
    }

    fn restrict_investigation(self, question: Investigate) -> Investigate {
        match question {
            Investigate::LastChange(question) => {
                Investigate::LastChange(LastChangeQuery { limits: question.limits.for_guest(), ..question })
            }
            Investigate::Changes(question) => {
                let count = question.count.min(self.most_parts());
                let limits = question.limits.for_guest_each(count);
                Investigate::Changes(GetChanges { count, limits, ..question })
            }
            Investigate::Unfold(question) => {
                let limits = question.limits.for_guest_each(Role::MANY);
                Investigate::Unfold(Unfold { limits, ..question })
            }
            Investigate::OutputSteps(_) => question,
        }
    }
}

/// Who may make a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Every client: it changes nothing.
    Anybody,
    /// The owner and participants.
    Participants,
    /// The owner.
    Owner,
}

impl Request {
    /// Who may make it. An evaluation is for anybody, since [`Role::restrict`] takes its effects away.
    pub fn access(&self) -> Access {
        match self {
            Request::Session(request) => request.access(),
            Request::Query(_) | Request::Investigate(_) => Access::Anybody,
            Request::Inspect(Inspect::Evaluate(_)) => Access::Anybody,
            Request::Inspect(request) if request.may_change() => Access::Participants,
            Request::Inspect(_) => Access::Anybody,
            Request::Breakpoint(request) if request.may_change() => Access::Participants,
            Request::Breakpoint(_) => Access::Anybody,
            Request::Watch(request) => match request {
                WatchRequest::List(_) => Access::Anybody,
                WatchRequest::Add(_) | WatchRequest::Remove(_) => Access::Participants,
            },
            Request::Start(_)
            | Request::RunCell(_)
            | Request::SetDebugging(_)
            | Request::Restart(_)
            | Request::Resume(_)
            | Request::Pause => Access::Participants,
            // A file can be expected, and its text comes with the difference.
            Request::Initialize(_)
            | Request::SetExpectedOutput(_)
            | Request::Kill
            | Request::Terminate
            | Request::Detach => Access::Owner,
        }
    }
}

impl SessionRequest {
    fn access(&self) -> Access {
        match self {
            SessionRequest::Attach(_) | SessionRequest::Disconnect { .. } | SessionRequest::GetGuests => {
                Access::Anybody
            }
            SessionRequest::Input { .. } => Access::Participants,
            SessionRequest::GetProcesses
            | SessionRequest::ReleaseChild(_)
            | SessionRequest::Share(_)
            | SessionRequest::Unshare => Access::Owner,
        }
    }
}

/// Lets guests join the session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The addresses to listen on, of which the first that is available is used; empty: any free port of the loopback
    /// interface.
    pub listen: Vec<SocketAddr>,
    /// The roles that guests can have; empty: all.
    pub roles: Vec<Role>,
    /// The owner's name, for guests; `None`: `owner`.
    pub name: Option<String>,
}

/// Where guests join a session that is shared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    /// The address on which the session listens.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The token for each role.
    pub tokens: Vec<(Role, String)>,
    /// If the list of the user's shared sessions does not have it, so that guests have to be told the address: that, and
    /// why, as a sentence.
    pub unlisted: Option<String>,
}

/// A guest of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guest {
    /// Its name, which no other guest of the session has.
    pub name: String,
    /// What it may do.
    pub role: Role,
}

/// What clients of a shared session are told about each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Company {
    /// A guest has joined.
    Joined(Guest),
    /// A guest has left, or was sent away.
    Left(Guest),
    /// Another client has resumed the program, started it, or given it the input that it waited for. The text is its name.
    Resumed(String),
    /// Another client has started the program again, whose text was read again. The text is its name.
    Restarted(String),
    /// Another client may have changed values: it has evaluated or assigned something.
    Changed(String),
    /// The guest is sent away: the last event of its connection.
    Dismissed(Dismissal),
}

/// Why a guest is sent away. Displayed as a sentence without its period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dismissal {
    /// The owner does not share the session any more.
    Unshared,
    /// The owner has left the session.
    OwnerLeft,
    /// The guest did not read what it was sent.
    TooSlow,
}

impl fmt::Display for Dismissal {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Dismissal::Unshared => "the session is not shared any more",
            Dismissal::OwnerLeft => "the owner has left the session",
            Dismissal::TooSlow => "too much was sent that this client did not read",
        })
    }
}

/// The guests of the session, in the order in which they joined.
#[derive(Clone, Copy, Debug)]
pub struct GetGuests;

/// [`SessionRequest::Unshare`].
#[derive(Clone, Copy, Debug)]
pub struct Unshare;

question!(Share: |share| Request::Session(SessionRequest::Share(Box::new(share))), Shared, shared => Response::Shared(shared));
question!(Unshare: |_| Request::Session(SessionRequest::Unshare), Done, done => Response::Done(done));
question!(GetGuests: |_| Request::Session(SessionRequest::GetGuests), Vec<Guest>, guests => Response::Guests(guests));
