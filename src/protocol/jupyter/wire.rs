//! Messages as frames: identities, a delimiter, a signature, four JSON objects, and buffers.

use std::collections::VecDeque;

use bytes::Bytes;
use foldhash::HashSet;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::protocol::json::parse_bytes;

use super::VERSION;

/// The frame between identities and signature.
const DELIMITER: &[u8] = b"<IDS|MSG>";

/// Who sent which message when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Unique number of the message.
    pub msg_id: String,
    /// The session of the sender.
    #[serde(default)]
    pub session: String,
    /// Name of the user.
    #[serde(default)]
    pub username: String,
    /// When it was sent, as in ISO 8601.
    #[serde(default)]
    pub date: String,
    /// What is in it: `execute_request`.
    pub msg_type: String,
    /// Version of the protocol.
    #[serde(default)]
    pub version: String,
}

/// A message of a front end.
#[derive(Clone, Debug)]
pub struct Message {
    /// Frames by which a ROUTER socket finds the sender again.
    pub identities: Vec<Bytes>,
    pub header: Header,
    /// The header as it came, for the messages that refer to it.
    pub raw_header: Bytes,
    /// Its content, which is valid JSON.
    pub content: Box<RawValue>,
}

/// Why a message was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// Frames are missing.
    #[error("a message is incomplete")]
    Incomplete,
    /// The signature is not that of the frames.
    #[error("a message has a wrong signature")]
    WrongSignature,
    /// More than a message may have; the connection was closed.
    #[error("a message is larger than 64 MiB")]
    TooLarge,
    /// It has arrived before.
    #[error("a message has come twice")]
    Repeated,
    /// Header or content is not as the protocol prescribes.
    #[error("a message is not valid JSON, or has no valid header")]
    NotValid,
}

/// Signs messages and checks signatures.
#[derive(Clone)]
pub struct Signer {
    /// `None`: messages are not signed.
    mac: Option<Hmac<Sha256>>,
    session: String,
    username: String,
    seen: Seen,
}

/// How many signatures are remembered, so that a message that somebody has recorded is not carried out again.
const SEEN: usize = 1 << 16;

/// The signatures of the latest messages.
#[derive(Clone, Default)]
struct Seen {
    known: HashSet<Bytes>,
    order: VecDeque<Bytes>,
}

impl Seen {
    /// Whether a signature is new; it is remembered.
    fn is_new(&mut self, signature: &Bytes) -> bool {
        if !self.known.insert(signature.clone()) {
            return false;
        }
        self.order.push_back(signature.clone());
        if self.order.len() > SEEN
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

impl Signer {
    /// For a key of the connection file; an empty one turns signatures off.
    pub fn new(key: &str) -> Signer {
        let mac = match key {
            "" => None,
            key => Hmac::new_from_slice(key.as_bytes()).ok(),
        };
        Signer { mac, session: new_id(), username: "ez".into(), seen: Seen::default() }
    }

    /// The signature of four frames, as hexadecimal digits.
    fn signature<'a>(&self, parts: impl Iterator<Item = &'a [u8]>) -> String {
        let Some(mut mac) = self.mac.clone() else { return String::new() };
        parts.for_each(|part| mac.update(part));
        hex::encode(mac.finalize().into_bytes())
    }

    /// Reads a message from its frames.
    ///
    /// # Errors
    /// Why it must be ignored.
    pub fn decode(&mut self, frames: Vec<Bytes>) -> Result<Message, Rejected> {
        let at = frames.iter().position(|frame| frame == DELIMITER).ok_or(Rejected::Incomplete)?;
        let (identities, rest) = frames.split_at_checked(at).ok_or(Rejected::Incomplete)?;
        let [_, signature, header, parent, metadata, content, ..] = rest else {
            return Err(Rejected::Incomplete);
        };
        let signed = [header, parent, metadata, content].into_iter().map(|frame| &frame[..]);
        let expected = self.signature(signed);
        if self.mac.is_some() {
            if !bool::from(expected.as_bytes().ct_eq(signature)) {
                return Err(Rejected::WrongSignature);
            }
            if !self.seen.is_new(signature) {
                return Err(Rejected::Repeated);
            }
        }
        let not_valid = |_| Rejected::NotValid;
        Ok(Message {
            identities: identities.to_vec(),
            header: parse_bytes(header).map_err(not_valid)?,
            raw_header: header.clone(),
            content: parse_bytes(content).map_err(not_valid)?,
        })
    }

    /// The frames of a message of the kernel. `identities` are those of the receiver, or the topic;
    /// `parent` is the raw header of the request that it belongs to, if there is one.
    pub fn encode(
        &self,
        identities: &[Bytes],
        msg_type: &str,
        parent: Option<&Bytes>,
        metadata: &Value,
        content: &impl Serialize,
    ) -> Vec<Bytes> {
        let content = Bytes::from(serde_json::to_vec(content).unwrap_or_default());
        self.frames(identities, msg_type, parent, metadata, content)
    }

    /// [`Signer::encode`] for content that is JSON already.
    fn frames(
        &self,
        identities: &[Bytes],
        msg_type: &str,
        parent: Option<&Bytes>,
        metadata: &Value,
        content: Bytes,
    ) -> Vec<Bytes> {
        let header = json!({
            "msg_id": new_id(),
            "session": self.session,
            "username": self.username,
            "date": jiff::Timestamp::now().to_string(),
            "msg_type": msg_type,
            "version": VERSION,
        });
        let text = |value: &Value| Bytes::from(value.to_string());
        let header = text(&header);
        let parent = parent.cloned().unwrap_or(Bytes::from_static(b"{}"));
        let metadata = text(metadata);
        let parts = [header, parent, metadata, content];
        let signature = self.signature(parts.iter().map(|frame| &frame[..]));
        let mut frames = identities.to_vec();
        frames.extend([Bytes::from_static(DELIMITER), Bytes::from(signature)]);
        frames.extend(parts);
        frames
    }
}

/// A number that no other message has.
fn new_id() -> String {
    let mut bytes = [0; 16];
    // The numbers must differ, not be hard to guess.
    if getrandom::fill(&mut bytes).is_err() {
        fastrand::fill(&mut bytes);
    }
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Vec<Bytes> {
        let header = r#"{"msg_id":"1","session":"s","username":"u","date":"d","msg_type":"kernel_info_request","version":"5.3"}"#;
        let parts = [header, "{}", "{}", "{}"];
        let signature = Signer::new("key").signature(parts.iter().map(|part| part.as_bytes()));
        let frames = ["me", "<IDS|MSG>", &signature, header, "{}", "{}", "{}"];
        frames.iter().map(|frame| Bytes::copy_from_slice(frame.as_bytes())).collect()
    }

    #[test]
    fn messages_are_read_and_written() {
        let mut signer = Signer::new("key");
        let message = signer.decode(request()).unwrap();
        assert_eq!(message.header.msg_type, "kernel_info_request");
        assert_eq!(message.identities, ["me"]);
        let parent = Some(&message.raw_header);
        let frames = signer.encode(&message.identities, "status", parent, &json!({}), &json!({"a": 1}));
        let back = signer.decode(frames).unwrap();
        assert_eq!(back.header.msg_type, "status");
        assert_eq!(back.content.get(), r#"{"a":1}"#);
    }

    #[test]
    fn wrong_messages_are_rejected() {
        let mut signer = Signer::new("key");
        let mut decode = |frames: Vec<Bytes>| signer.decode(frames).map(|_| ()).unwrap_err();
        let with = |at: usize, frame: &'static str| {
            let mut frames = request();
            frames[at] = Bytes::from_static(frame.as_bytes());
            frames
        };
        assert_eq!(decode(with(6, r#"{"code":"x"}"#)), Rejected::WrongSignature);
        assert_eq!(decode(with(2, "")), Rejected::WrongSignature);
        assert_eq!(decode(with(1, "")), Rejected::Incomplete);
        assert_eq!(decode(request()[..6].to_vec()), Rejected::Incomplete);
        assert_eq!(decode(Vec::new()), Rejected::Incomplete);
        // Without a key, everything that can be read is accepted.
        let mut open = Signer::new("");
        assert_eq!(open.decode(with(3, "{")).map(|_| ()), Err(Rejected::NotValid));
        assert_eq!(open.decode(with(6, "[1")).map(|_| ()), Err(Rejected::NotValid));
        assert!(open.decode(with(2, "")).is_ok());
    }
    #[test]
    fn messages_are_accepted_once() {
        let mut signer = Signer::new("key");
        assert!(signer.decode(request()).is_ok());
        // Who sends it again may say that it comes from somewhere else.
        let mut again = request();
        again[0] = Bytes::from_static(b"you");
        assert_eq!(signer.decode(again).map(|_| ()), Err(Rejected::Repeated));
        // Without a key, nobody can tell.
        let mut open = Signer::new("");
        assert!(open.decode(request()).is_ok() && open.decode(request()).is_ok());
    }

    #[test]
    fn the_latest_signatures_are_remembered() {
        let mut seen = Seen::default();
        let signature = |number: usize| Bytes::from(number.to_string());
        assert!((0..=SEEN).all(|number| seen.is_new(&signature(number))));
        assert!((1..=SEEN).all(|number| !seen.is_new(&signature(number))));
        assert_eq!((seen.known.len(), seen.order.len()), (SEEN, SEEN));
        assert!(seen.is_new(&signature(0)));
    }
}
