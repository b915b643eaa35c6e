//! A program in a shared session, and commands of its owner (0) and three guests, each line beginning with the number of
//! the client; guest 1 may change things, 2 and 3 observe.
//!
//! Each request is answered once, and to the client that has made it, if the client could attach; and the session ends.
//! And observers change nothing: without their requests, the program stops at the same places for the owner and prints
//! the same.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use ez_debugger::protocol::{Received, SharedFrontEnd, ez};
use ez_engine::api::{Event, Failure, RequestId, Role, Share, Shared};
use ez_engine::session::{
    ConnectionId, Door, Incoming, InlineTransport, Item, Outgoing, Session, TERMINATE_GRACE, new_thread,
};
use ez_runtime::host::Commands;
use serde_json::Value;

use super::serving::{engine, reaches_outside};
use super::texts::PART;

/// Most commands of an input.
const COMMANDS: usize = 60;

const ROLES: [Role; 3] = [Role::Participant, Role::Observer, Role::Observer];

/// Commands whose effects depend on when they come, or that end what is compared.
const TIMED: [&str; 9] =
    ["pause", "restart", "kill", "terminate", "disconnect", "unshare", "input", "attach", "evaluate"];

pub fn target(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some((program, lines)) = text.split_once(PART) else { return };
    if reaches_outside(lines) {
        return;
    }
    let lines: Vec<(usize, &str)> = lines.split('\n').filter_map(command).take(COMMANDS).collect();
    let with = played(program, &lines);
    let name = |line: &str| serde_json::from_str::<Value>(line).ok()?["command"].as_str().map(String::from);
    let is_timed = |line: &str| name(line).is_none_or(|name| TIMED.contains(&&*name));
    let compared = lines.iter().all(|(client, line)| match client {
        0 => !is_timed(line),
        1 => false,
        _ => true,
    });
    if compared && lines.iter().any(|(client, _)| *client > 1) {
        let own: Vec<(usize, &str)> = lines.into_iter().filter(|(client, _)| *client == 0).collect();
        let without = played(program, &own);
        // The session may end before all has been carried out.
        let stops = with.stops.iter().zip(&without.stops).find(|(one, other)| one != other);
        assert_eq!(stops, None, "an observer changes where it stops");
        let (one, other) = (&with.output, &without.output);
        assert!(one.starts_with(other) || other.starts_with(one), "an observer changes what it prints");
    }
}

/// The client and the command of a line.
fn command(line: &str) -> Option<(usize, &str)> {
    let (client, json) = line.split_at_checked(1)?;
    Some((client.parse().ok().filter(|client| *client <= ROLES.len())?, json))
}

struct NoTransport;

impl InlineTransport for NoTransport {
    fn flush(&self) {}

    fn wait(&self, _: &dyn Fn() -> bool) -> bool {
        false
    }
}

struct OpenDoor;

impl Door for OpenDoor {
    fn open(&self, _: &Session, _: &Share) -> Result<Shared, Failure> {
        Ok(Shared { host: "127.0.0.1".into(), port: 1, tokens: Vec::new(), unlisted: None })
    }

    fn close(&self) {}
}

/// A client of the session.
struct Client {
    connection: ConnectionId,
    front_end: SharedFrontEnd,
    outbox: Arc<dyn Outgoing>,
    /// The requests that it has made, and how often each was answered.
    answers: HashMap<RequestId, usize>,
    /// A guest's request to attach, the first one, and whether it was refused, which disconnects it.
    attach: Option<RequestId>,
    is_refused: bool,
    items: VecDeque<Item>,
}

/// What the owner has seen.
#[derive(Default)]
struct Seen {
    stops: Vec<String>,
    output: String,
}

impl Client {
    fn new(connection: ConnectionId, outbox: Arc<dyn Outgoing>) -> Client {
        let answers = HashMap::new();
        let (front_end, items) = (ez::front_end(), VecDeque::new());
        Client { connection, front_end, outbox, answers, attach: None, is_refused: false, items }
    }

    fn send(&mut self, session: &Session, line: &str) {
        let received = self.front_end.lock().receive(format!("{line}\n").as_bytes());
        for received in received {
            match received {
                Received::Message(Incoming { id, request }) => {
                    let id = self.connection.in_session(id);
                    self.answers.insert(id, 0);
                    session.receive(vec![Incoming { id, request }], false, || ());
                }
                Received::Cancel(id) => session.cancel(self.connection.in_session(id)),
                Received::Reply(_) => {}
            }
        }
    }

    /// Takes what it is sent.
    fn read(&mut self, seen: &mut Seen) {
        while self.outbox.take(&mut self.items) {
            self.outbox.done();
            for item in std::mem::take(&mut self.items) {
                match item {
                    Item::Response(id, response) => {
                        self.is_refused |= response.is_err() && self.attach == Some(id);
                        let own = self.connection.in_front_end(id).is_some();
                        assert!(own, "{id:?} is answered to {:?}", self.connection);
                        let count = self.answers.get_mut(&id).expect("a request that was made");
                        *count += 1;
                        assert_eq!(*count, 1, "{id:?} is answered again");
                    }
                    Item::Event(Event::Stopped(stop)) => {
                        seen.stops.push(format!("{:?} {:?} {:?}", stop.reason, stop.location, stop.step));
                    }
                    Item::Output { text, .. } => seen.output.push_str(&text),
                    Item::Event(_) | Item::Reply(_) => {}
                }
            }
        }
    }
}

fn played(program: &str, lines: &[(usize, &str)]) -> Seen {
    let session = Session::new(Duration::ZERO, Commands::unguarded());
    session.set_door(Arc::new(OpenDoor));
    session.start_engine(Box::new(engine(program)), &new_thread);
    session.share(&Share::default()).expect("a door");
    let waiting = session.clone();
    let end = std::thread::spawn(move || waiting.wait(Duration::from_secs(1), TERMINATE_GRACE));

    let mut owner = Client::new(ConnectionId::ONLY, session.outbox().clone());
    let mut guests: Vec<Option<Client>> = ROLES.iter().map(|_| None).collect();
    let (mut seen, mut others) = (Seen::default(), Seen::default());
    for (client, line) in lines {
        match client.checked_sub(1) {
            None => owner.send(&session, line),
            Some(number) => {
                if guests[number].is_none() {
                    guests[number] = joined(&session, ROLES[number]);
                }
                guests[number].iter_mut().for_each(|guest| guest.send(&session, line));
            }
        }
        owner.read(&mut seen);
        guests.iter_mut().flatten().for_each(|guest| guest.read(&mut others));
    }
    let is_left_early = lines.iter().any(|(_, line)| {
        ["\"terminate\"", "\"disconnect\"", "\"unshare\""].iter().any(|name| line.contains(name))
    });
    owner.send(&session, r#"{"type":"command","command":"terminate"}"#);
    while owner.outbox.wait() {
        owner.read(&mut seen);
    }
    end.join().expect("the session ends");
    owner.read(&mut seen);
    for guest in guests.iter_mut().flatten() {
        guest.read(&mut others);
        let open = guest.answers.iter().find(|(_, count)| **count == 0);
        let may_be_open = is_left_early || guest.is_refused;
        assert!(open.is_none() || may_be_open, "not answered to a guest: {open:?}");
    }
    let open = owner.answers.iter().find(|(_, count)| **count == 0);
    assert!(open.is_none() || is_left_early, "not answered to the owner: {open:?}");
    seen
}

/// A guest that has joined; `None` if the session takes none.
fn joined(session: &Session, role: Role) -> Option<Client> {
    let connection = session.new_guest_connection();
    let outbox = Session::outbox_for_guest();
    session.connect_guest(connection, role, outbox.clone(), Arc::new(NoTransport)).ok()?;
    let mut guest = Client::new(connection, outbox);
    guest
        .send(session, r#"{"type":"command","command":"attach","params":{"token":"t","protocolVersion":2}}"#);
    guest.attach = guest.answers.keys().next().copied();
    Some(guest)
}
