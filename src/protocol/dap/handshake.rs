//! The first requests of a client on a socket, before it has shown the token. `initialize` is answered at
//! once; `launch` or `attach` has to have the token. Requests that configure the session are kept until then,
//! since clients may send them first; others are refused.

use std::sync::Arc;

use serde_json::Value;

use crate::protocol::{FrontEnd, Messages, Received, SharedFrontEnd};
use ez_runtime::sync::Mutex;

use super::DapFrontEnd;
use super::decode::{Message, RequestHeader, decode};
use super::writing::Refusal;
use crate::protocol::framing::{Frame, Framing};

/// Maximum size in bytes of the requests that are kept.
const MAX_HELD: usize = 8 << 20;

/// Error for requests before `launch` and `attach`.
const TOO_EARLY: &str = "'launch' or 'attach' must come first";

/// The result of looking at a client's first requests.
#[derive(Debug, PartialEq, Eq)]
pub enum HandshakeResult {
    /// More requests are needed.
    More,
    /// The client has sent `launch` or `attach`.
    Token {
        /// The token in the request, if any.
        token: Option<String>,
        /// Whether it is `attach`.
        attaches: bool,
    },
    /// The client has disconnected.
    Left,
    /// The client is to be refused, for this reason.
    Wrong(String),
}

/// A client that has not been admitted yet.
pub struct Handshake {
    front_end: Arc<Mutex<DapFrontEnd>>,
    framing: Framing,
    /// The `launch` or `attach` request, and the others that were kept.
    request: Vec<u8>,
    held: Vec<Vec<u8>>,
    held_bytes: usize,
}

impl Default for Handshake {
    fn default() -> Handshake {
        Handshake {
            front_end: super::new(true, false),
            framing: Framing::default(),
            request: Vec::new(),
            held: Vec::new(),
            held_bytes: 0,
        }
    }
}

impl Handshake {
    /// Processes bytes from the client; responses that can be given at once are added to `out`.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Messages) -> HandshakeResult {
        let mut step = HandshakeResult::More;
        for frame in self.framing.feed(bytes) {
            let Frame::Message(bytes) = frame else { continue };
            if step != HandshakeResult::More {
                self.hold(bytes);
                continue;
            }
            match decode(&bytes) {
                Message::Request(from, mut arguments) => match from.command.as_str() {
                    "initialize" => self.answer(&bytes, out),
                    "attach" | "launch" => {
                        let token = match arguments.remove("token") {
                            Some(Value::String(token)) => Some(token),
                            _ => None,
                        };
                        step = HandshakeResult::Token { token, attaches: from.command == "attach" };
                        self.request = bytes;
                    }
                    "disconnect" => {
                        self.refuse_held(out);
                        self.reply(&from, Ok(None), out);
                        step = HandshakeResult::Left;
                    }
                    command if command.ends_with("Breakpoints") => self.hold(bytes),
                    "configurationDone" => self.hold(bytes),
                    _ => self.reply(&from, Err(TOO_EARLY.into()), out),
                },
                Message::WrongRequest(..) => self.answer(&bytes, out),
                Message::Response(..) | Message::Wrong(_) => {}
            }
        }
        if self.held_bytes > MAX_HELD {
            return HandshakeResult::Wrong("too much was sent before 'launch' or 'attach'".into());
        }
        step
    }

    /// Whether requests are kept until `launch` or `attach`.
    pub fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Refuses the requests that are kept, because neither `launch` nor `attach` has come.
    pub fn refuse_held(&mut self, out: &mut Messages) {
        self.held_bytes = 0;
        self.refuse_all(TOO_EARLY, out);
    }

    fn hold(&mut self, bytes: Vec<u8>) {
        self.held_bytes += bytes.len();
        self.held.push(bytes);
    }

    /// Answers a request that needs no session.
    fn answer(&self, bytes: &[u8], out: &mut Messages) {
        let mut front_end = self.front_end.lock();
        let mut work = Vec::new();
        front_end.message(bytes, &mut work);
        for received in work {
            if let Received::Reply(id) = received {
                front_end.reply(id, out);
            }
        }
    }

    /// The front end for a client that has been admitted, and the requests to the session that result from
    /// what was kept.
    pub fn request(self) -> (SharedFrontEnd, Vec<Received>) {
        let mut work = Vec::new();
        {
            let mut front_end = self.front_end.lock();
            front_end.framing = self.framing;
            let messages = std::iter::once(self.request).chain(self.held);
            messages.for_each(|bytes| front_end.take_in(bytes, &mut work));
        }
        (self.front_end, work)
    }

    /// Answers `launch` or `attach` with this error, and what was kept, too.
    pub fn deny(mut self, why: &str, out: &mut Messages) {
        self.held.insert(0, std::mem::take(&mut self.request));
        self.refuse(why, out);
    }

    /// Answers the client's requests with this error.
    pub fn refuse(&mut self, why: &str, out: &mut Messages) {
        if !self.refuse_all(why, out) {
            let mut front_end = self.front_end.lock();
            front_end.numbering.output(out, "stderr", &format!("{why}\n"));
        }
    }

    /// Answers the requests that are kept with this error. Returns whether there were any.
    fn refuse_all(&mut self, why: &str, out: &mut Messages) -> bool {
        let mut any = false;
        for bytes in std::mem::take(&mut self.held) {
            if let Message::Request(from, _) = decode(&bytes) {
                self.reply(&from, Err(why.into()), out);
                any = true;
            }
        }
        any
    }

    fn reply(&self, from: &RequestHeader, result: Result<Option<Value>, Refusal>, out: &mut Messages) {
        let mut front_end = self.front_end.lock();
        front_end.numbering.answer(out, from, result);
    }
}
