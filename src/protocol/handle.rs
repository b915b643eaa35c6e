//! A client's hold of a session, wherever that is: requests in, responses and events out, in order.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ez_engine::api::{
    Attach, Attached, Entrance, Failure, FailureKind, Question, Request, RequestId, RequestNumber, Response,
    SessionRequest,
};
use ez_engine::session::{ConnectionId, Incoming, Item, Outbox, Outgoing, Session, Waited};
use ez_runtime::clock::Instant;
use ez_runtime::sync::Mutex;

use super::native::{Hello, ToSession};
use super::remote::{Duplex, RemoteSession};

/// Sends requests to a session, from any thread.
#[derive(Clone)]
pub struct Sender {
    peer: Peer,
    last: Arc<AtomicU64>,
}

/// The session that gets requests.
#[derive(Clone)]
enum Peer {
    /// In this process.
    Own(Session),
    /// In another process.
    Remote(RemoteSession),
}

impl Sender {
    /// Sends a request; returns the number that its response will have.
    pub fn send(&self, request: Request) -> RequestId {
        let number = RequestNumber::of_low_bits(self.last.fetch_add(1, Ordering::Relaxed) + 1);
        let id = ConnectionId::ONLY.in_session(number);
        match &self.peer {
            Peer::Own(session) => {
                session.receive(vec![Incoming { id, request: Ok(request) }], false, || ());
            }
            Peer::Remote(session) => session.ask(number, request),
        }
        id
    }

    /// Cancels a request, as [`Session::cancel`] does.
    pub fn cancel(&self, id: RequestId) {
        match &self.peer {
            Peer::Own(session) => session.cancel(id),
            Peer::Remote(session) => {
                ConnectionId::ONLY.in_front_end(id).iter().for_each(|id| session.cancel(*id))
            }
        }
    }
}

/// What a session has sent, in this process.
#[derive(Clone)]
struct Inbox {
    /// The outbox of a session in this process: its own.
    queue: Arc<Outbox>,
    /// What was taken from the queue, and not handled yet.
    taken: Arc<Mutex<VecDeque<Item>>>,
    /// Why a session in another process sends nothing more.
    lost: Arc<OnceLock<String>>,
}

impl Inbox {
    fn new(queue: Arc<Outbox>) -> Inbox {
        Inbox { queue, taken: Arc::default(), lost: Arc::default() }
    }

    /// Receives something of a session in another process, whose only connection this is here.
    fn receive(&self, item: Result<Item<RequestNumber>, String>) {
        match item {
            Ok(item) => self.queue.add(item.in_session(ConnectionId::ONLY), false),
            Err(why) => {
                let _ = self.lost.set(why);
                self.queue.close();
            }
        }
    }

    /// Receives what `look` does not keep for itself.
    fn receiver(
        self,
        mut look: impl FnMut(Item) -> Option<Item> + Send + 'static,
    ) -> impl FnMut(Result<Item<RequestNumber>, String>) + Send + 'static {
        move |item| match item {
            Ok(item) => {
                let kept = look(item.in_session(ConnectionId::ONLY));
                kept.into_iter().for_each(|item| self.queue.add(item, false));
            }
            Err(why) => self.receive(Err(why)),
        }
    }

    /// Takes what is in the queue.
    fn take(&self) {
        let mut items = VecDeque::new();
        if self.queue.take(&mut items) {
            self.taken.lock().append(&mut items);
            self.queue.done();
        }
    }
}

/// A client's connection to a session: of this process, of a child process, or at a socket. Clones share the received
/// items; nobody else may take them from the session.
#[derive(Clone)]
pub struct SessionHandle {
    sender: Sender,
    inbox: Inbox,
    /// The session in this process. What comes from others is noted in its outbox, so that a client of several waits
    /// for all of them.
    home: Option<Inbox>,
    /// How long an answer is waited for while nothing at all comes; `None`: without limit.
    patience: Option<Duration>,
}

/// How long a guest waits for an answer while nothing at all comes. What takes long reports its progress, and others take
/// seconds at most: the owner's process is stopped, or cannot be reached any more.
const PATIENCE: Duration = Duration::from_secs(20);

/// The failure of a request that is not answered for so long.
const SAYS_NOTHING_MORE: &str = "nothing has been answered for 20 seconds: the process of the session may be stopped, or the connection be lost";

/// Notes in an outbox that something has come from elsewhere: the number is that of a request that nobody has made.
const NEWS: Item = Item::Reply(RequestId(RequestId::OF_SESSION + 2));

/// The number of the request to attach.
const ATTACH: RequestNumber = RequestNumber::of_low_bits(0);

impl SessionHandle {
    /// The only client of a session in this process.
    pub fn own(session: Session) -> SessionHandle {
        let inbox = Inbox::new(session.outbox().clone());
        let sender = Sender { peer: Peer::Own(session), last: Arc::default() };
        SessionHandle { sender, inbox, home: None, patience: None }
    }

    /// A client of `ez debugserver` in a child process. `look` gets each item as soon as it has come, and returns it if
    /// it is to be kept for [`SessionHandle::next`].
    ///
    /// # Errors
    /// If no thread can be created.
    pub fn of_process(
        pipes: Duplex,
        look: impl FnMut(Item) -> Option<Item> + Send + 'static,
    ) -> io::Result<SessionHandle> {
        let inbox = Inbox::new(Arc::default());
        let session = RemoteSession::begin(pipes, &Hello::default(), inbox.clone().receiver(look))?;
        let sender = Sender { peer: Peer::Remote(session), last: Arc::default() };
        Ok(SessionHandle { sender, inbox, home: None, patience: None })
    }

    /// Attaches to the session of a process that this one's program has started. What comes of it is noted in the
    /// outbox of this session, which is one of this process.
    ///
    /// # Errors
    /// A message that says why it cannot be reached.
    pub fn to_child(&self, entrance: &Entrance) -> Result<SessionHandle, String> {
        let inbox = Inbox::new(Arc::default());
        let (received, home) = (inbox.clone(), self.inbox.queue.clone());
        let receive = move |item| {
            received.receive(item);
            home.add(NEWS, false);
        };
        let address = (Entrance::HOST, entrance.port);
        let handle = SessionHandle::attach(address, &entrance.token, Attach::default(), inbox, receive)?;
        Ok(SessionHandle { home: Some(self.inbox.clone()), ..handle })
    }

    /// Connects to a session at a socket, and sends it the request [`ATTACH`]. `receive` puts into the inbox what comes.
    fn attach(
        (host, port): (&str, u16),
        token: &str,
        attach: Attach,
        inbox: Inbox,
        receive: impl FnMut(Result<Item<RequestNumber>, String>) + Send + 'static,
    ) -> Result<SessionHandle, String> {
        let first = Some(ToSession::Ask(ATTACH, Request::Session(SessionRequest::Attach(Box::new(attach)))));
        let hello = Hello { token: Some(token), first, on_disconnect: None };
        let connection = Duplex::to(host, port)?;
        let session = RemoteSession::begin(connection, &hello, receive).map_err(|error| error.to_string())?;
        let sender = Sender { peer: Peer::Remote(session), last: Arc::default() };
        Ok(SessionHandle { sender, inbox, home: None, patience: None })
    }

    /// Joins a shared session in another process, with the token of a role. `look` is as for
    /// [`SessionHandle::of_process`].
    ///
    /// # Errors
    /// A message that says why that is not possible.
    pub fn join(
        address: (&str, u16),
        token: &str,
        attach: Attach,
        look: impl FnMut(Item) -> Option<Item> + Send + 'static,
    ) -> Result<(SessionHandle, Attached), String> {
        let inbox = Inbox::new(Arc::default());
        let receive = inbox.clone().receiver(look);
        let handle = SessionHandle::attach(address, token, attach, inbox, receive)?;
        match handle.response(ConnectionId::ONLY.in_session(ATTACH)) {
            Ok(Response::Attached(attached)) => {
                Ok((SessionHandle { patience: Some(PATIENCE), ..handle }, *attached))
            }
            Ok(_) => Err("the session has not answered as it should".into()),
            Err(failure) => Err(failure.message),
        }
    }

    /// Makes [`SessionHandle::wait`] return, from any thread.
    pub fn waker(&self) -> impl Fn() + Send + Sync + 'static {
        let queue = self.home.as_ref().unwrap_or(&self.inbox).queue.clone();
        move || queue.add(NEWS, false)
    }

    /// Sends requests to the same session.
    pub fn sender(&self) -> Sender {
        self.sender.clone()
    }

    /// Sends a request; returns the number that its response will have.
    pub fn send(&self, request: Request) -> RequestId {
        self.sender.send(request)
    }

    /// See [`Sender::cancel`].
    pub fn cancel(&self, id: RequestId) {
        self.sender.cancel(id);
    }

    /// Whether the session in this process has ended.
    pub fn is_over(&self) -> bool {
        matches!(&self.sender.peer, Peer::Own(session) if session.is_over())
    }

    /// Whether a session in another process sends nothing more, and everything was taken.
    pub fn is_closed(&self) -> bool {
        self.is_lost() && !self.has_more()
    }

    /// Whether a session in another process sends nothing more.
    pub fn is_lost(&self) -> bool {
        self.inbox.lost.get().is_some()
    }

    /// Whether there is an item that can be taken without waiting.
    pub fn has_more(&self) -> bool {
        self.is_ahead(|_| true)
    }

    /// Whether there is such an item among those that can be taken without waiting.
    pub fn is_ahead(&self, wanted: impl Fn(&Item) -> bool) -> bool {
        self.inbox.take();
        self.inbox.taken.lock().iter().any(wanted)
    }

    /// The next item, if there is one.
    pub fn try_next(&self) -> Option<Item> {
        self.inbox.take();
        self.inbox.taken.lock().pop_front()
    }

    /// Waits for the next item; `None` when the session has ended.
    pub fn next(&self) -> Option<Item> {
        self.next_until(None).ok()
    }

    /// Waits for the next item, but at most until this time.
    ///
    /// # Errors
    /// Why there is none: [`Waited::TimeIsOver`] or [`Waited::Closed`].
    pub fn next_until(&self, deadline: Option<Instant>) -> Result<Item, Waited> {
        loop {
            if let Some(item) = self.try_next() {
                return Ok(item);
            }
            match self.wait_for_more(deadline) {
                Waited::Items => {}
                other => return Err(other),
            }
        }
    }

    /// Waits until there are items, or there may be some of another session; `None` when there will be none.
    pub fn wait(&self) -> Option<()> {
        (self.has_more() || self.wait_for_more(None) == Waited::Items).then_some(())
    }

    /// Waits for items that are not taken yet, of this session or another one.
    fn wait_for_more(&self, deadline: Option<Instant>) -> Waited {
        let Inbox { queue, lost, .. } = &self.inbox;
        match &self.home {
            None => queue.wait_until(deadline),
            Some(_) if self.has_more() => Waited::Items,
            Some(_) if lost.get().is_some() => Waited::Closed,
            Some(home) => {
                let waited = home.queue.wait_until(deadline);
                home.take();
                waited
            }
        }
    }

    /// Makes a request and waits for the response; items before it are left for [`SessionHandle::next`].
    ///
    /// # Errors
    /// The failure of the request.
    pub fn ask<Q: Question>(&self, question: Q) -> Result<Q::Answer, Failure> {
        let id = self.send(question.into_request());
        self.response(id).and_then(Q::answer_from)
    }

    /// Waits for the response to a request; items before it are left for [`SessionHandle::next`].
    ///
    /// # Errors
    /// The failure of the request.
    pub fn response(&self, id: RequestId) -> Result<Response, Failure> {
        loop {
            self.inbox.take();
            let mut taken = self.inbox.taken.lock();
            let found = taken.iter().position(|item| matches!(item, Item::Response(of, _) if *of == id));
            if let Some(Item::Response(_, result)) = found.and_then(|at| taken.remove(at)) {
                return result;
            }
            drop(taken);
            match self.wait_for_more(self.patience.map(|patience| Instant::now() + patience)) {
                Waited::Items => {}
                Waited::TimeIsOver => return Err(Failure::new(FailureKind::Internal, SAYS_NOTHING_MORE)),
                Waited::Closed => return Err(self.is_gone()),
            }
        }
    }

    /// The failure of a request that will not be answered any more.
    pub fn is_gone(&self) -> Failure {
        let why = self.inbox.lost.get().map_or("the session is over", String::as_str);
        Failure::new(FailureKind::Internal, why)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write, pipe};

    use super::*;
    use ez_engine::api::{Done, Event, Pause, Start};

    /// A session in another process, and what it is sent, line by line.
    fn elsewhere() -> (SessionHandle, impl BufRead, impl Write) {
        let (from_session, to_client) = pipe().unwrap();
        let (from_client, to_session) = pipe().unwrap();
        let look = |item| if matches!(item, Item::Output { .. }) { None } else { Some(item) };
        let handle = SessionHandle::of_process(Duplex::pipes(from_session, to_session), look).unwrap();
        let mut lines = BufReader::new(from_client);
        lines.read_line(&mut String::new()).unwrap();
        (handle, lines, to_client)
    }

    fn say(to: &mut impl Write, message: &str) {
        writeln!(to, "{message}").unwrap();
    }

    #[test]
    fn what_comes_before_an_answer_is_left() {
        let (handle, mut lines, mut session) = elsewhere();
        let soon = Instant::now() + Duration::from_millis(1);
        assert_eq!(handle.next_until(Some(soon)), Err(Waited::TimeIsOver));
        let first = handle.send(Request::Pause);
        say(&mut session, r#"{"Output":["Stdout","not kept"]}"#);
        say(&mut session, r#"{"Event":{"Log":"a"}}"#);
        say(&mut session, r#"{"Response":[2,{"Ok":{"Done":"Started"}}]}"#);
        say(&mut session, r#"{"Response":[1,{"Ok":{"Done":"Pausing"}}]}"#);
        assert_eq!(handle.ask(Start::default()), Ok(Done::Started));
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        assert_eq!(line, "{\"Ask\":[1,\"Pause\"]}\n");
        assert!(handle.is_ahead(|item| matches!(item, Item::Event(_))) && !handle.is_closed());
        assert_eq!(handle.next(), Some(Item::Event(Event::Log("a".into()))));
        assert_eq!(handle.response(first).map(|_| ()), Ok(()));
        drop(session);
        assert_eq!(handle.ask(Pause).unwrap_err().message, "the connection to the program was lost");
        assert_eq!((handle.next(), handle.is_closed()), (None, true));
    }

    #[test]
    fn a_session_that_says_nothing_more_is_not_waited_for() {
        let (mut handle, _lines, mut session) = elsewhere();
        handle.patience = Some(Duration::from_millis(1));
        assert_eq!(handle.ask(Pause).unwrap_err().message, SAYS_NOTHING_MORE);
        // Its answer may come later, and is that to another question.
        say(&mut session, r#"{"Response":[1,{"Ok":{"Done":"Pausing"}}]}"#);
        handle.patience = None;
        say(&mut session, r#"{"Response":[2,{"Ok":{"Done":"Pausing"}}]}"#);
        assert_eq!(handle.ask(Pause).map(|_| ()), Ok(()));
    }

    #[test]
    fn a_session_that_is_not_understood_ends_and_says_why() {
        let (handle, _lines, mut session) = elsewhere();
        say(&mut session, r#"{"Event":{"Log":"a"}}"#);
        say(&mut session, "HTTP/1.1 400 Bad Request");
        assert!(handle.ask(Pause).unwrap_err().message.starts_with("this is ez "));
        assert_eq!(handle.try_next(), Some(Item::Event(Event::Log("a".into()))));
        assert!(handle.is_closed());
    }
}
