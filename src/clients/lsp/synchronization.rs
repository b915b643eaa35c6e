//! Messages by which a client says which texts it has, and what can be read of one that is damaged.

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use super::text::{Change, Piece};

pub const OPEN: &str = "textDocument/didOpen";
pub const CHANGE: &str = "textDocument/didChange";
pub const CLOSE: &str = "textDocument/didClose";

/// What a message says of a document.
#[derive(Debug)]
pub struct Synchronization {
    /// The document, as the client writes it.
    pub uri: String,
    pub version: Option<i64>,
    pub content: Content,
}

#[derive(Debug)]
pub enum Content {
    Opened(Piece),
    Changed(Vec<Change>),
    Closed,
    /// The document has another text, which cannot be read.
    Lost {
        opens: bool,
    },
}

impl Synchronization {
    /// Whether the document need not have been open before.
    pub fn opens(&self) -> bool {
        matches!(self.content, Content::Opened(_) | Content::Lost { opens: true })
    }
}

/// A notification: its parameters, or its bytes, which serde_json takes for no value.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    Params(&'a Value),
    Bytes(&'a [u8]),
}

#[derive(Deserialize)]
struct Message<P> {
    method: String,
    params: P,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Open {
    text_document: Document<Piece>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Changes {
    text_document: Document<Option<IgnoredAny>>,
    content_changes: Vec<Change>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About {
    text_document: Document<Option<IgnoredAny>>,
}

#[derive(Deserialize)]
struct Document<T> {
    uri: String,
    version: Option<Value>,
    text: T,
}

impl Source<'_> {
    fn params<P: DeserializeOwned>(self) -> Option<P> {
        match self {
            Source::Params(params) => P::deserialize(params).ok(),
            Source::Bytes(bytes) => Some(serde_json::from_slice::<Message<P>>(bytes).ok()?.params),
        }
    }
}

/// The method of a message that is damaged within its parameters only.
pub fn method(bytes: &[u8]) -> Option<String> {
    Some(serde_json::from_slice::<Message<IgnoredAny>>(bytes).ok()?.method)
}

/// Whether a notification with this method says which texts the client has.
pub fn is_about_text(method: &str) -> bool {
    matches!(method, OPEN | CHANGE | CLOSE)
}

/// What a notification says of a document; `None` if it is not known of which.
pub fn read(method: &str, source: Source<'_>) -> Option<Synchronization> {
    fn of<T>(document: Document<T>, content: Content) -> Synchronization {
        let version = document.version.as_ref().and_then(Value::as_i64);
        Synchronization { uri: document.uri, version, content }
    }
    let whole = match method {
        OPEN => source.params::<Open>().map(|Open { text_document: Document { uri, version, text } }| {
            of(Document { uri, version, text: () }, Content::Opened(text))
        }),
        CHANGE => source
            .params::<Changes>()
            .map(|changes| of(changes.text_document, Content::Changed(changes.content_changes))),
        CLOSE => source.params::<About>().map(|about| of(about.text_document, Content::Closed)),
        _ => None,
    };
    let lost = Content::Lost { opens: method == OPEN };
    whole.or_else(|| Some(of(source.params::<About>()?.text_document, lost)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_bytes(bytes: &[u8]) -> Option<Content> {
        let method = method(bytes)?;
        let found = read(&method, Source::Bytes(bytes))?;
        assert_eq!(found.uri, "u");
        Some(found.content)
    }

    #[test]
    fn what_can_be_read_of_a_damaged_message() {
        let open = |text: &[u8]| {
            let head = br#"{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"u","text":"#;
            [head, text, b"}}}"].concat()
        };
        assert!(matches!(of_bytes(&open(br#""\ud83d""#)), Some(Content::Opened(Piece::Halved(_)))));
        for lost in [&b"\"\xff\""[..], b"\"\xff\", \"x\": \"\\ud83d\""] {
            assert!(matches!(of_bytes(&open(lost)), Some(Content::Lost { opens: true })));
        }
        assert!(of_bytes(&open(b"\"")).is_none());
        assert!(of_bytes(br#"{"method":"textDocument/didOpen","params":{}}"#).is_none());
        let change = |changes: &str| {
            format!(
                r#"{{"method":"textDocument/didChange","params":{{"textDocument":{{"uri":"u","version":2.5}},"contentChanges":{changes}}}}}"#
            )
        };
        assert!(matches!(of_bytes(change(r#"[{"text":"\ud83d"}]"#).as_bytes()), Some(Content::Changed(_))));
        for lost in ["3", r#"[{"text":"a"},{"range":null}]"#, r#"[{"text":"a","range":3}]"#] {
            assert!(
                matches!(of_bytes(change(lost).as_bytes()), Some(Content::Lost { opens: false })),
                "{lost}"
            );
        }
    }
}
