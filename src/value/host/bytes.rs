//! Serialization of bytes in records: as text if they are UTF-8, else in base64.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize)]
#[serde(untagged)]
enum Written<'a> {
    Text(&'a str),
    Base64 { base64: String },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Read {
    Text(String),
    Base64 { base64: String },
}

impl Read {
    fn bytes<E: Error>(self) -> Result<Vec<u8>, E> {
        match self {
            Read::Text(text) => Ok(text.into_bytes()),
            Read::Base64 { base64 } => BASE64_STANDARD.decode(base64).map_err(E::custom),
        }
    }
}

fn written(bytes: &[u8]) -> Written<'_> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Written::Text(text),
        Err(_) => Written::Base64 { base64: BASE64_STANDARD.encode(bytes) },
    }
}

/// Writes bytes.
pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    written(bytes).serialize(serializer)
}

/// Reads what [`serialize`] has written.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    Read::deserialize(deserializer)?.bytes()
}

/// Serialization of bytes or an error.
pub mod or_reason {
    use super::{Deserialize, Deserializer, Read, Serialize, Serializer, written};

    /// Serializes bytes or an error.
    pub fn serialize<E: Serialize, S: Serializer>(
        result: &Result<Vec<u8>, E>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        result.as_ref().map(|bytes| written(bytes)).serialize(serializer)
    }

    /// Reads what [`serialize`] has written.
    pub fn deserialize<'de, E: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Result<Vec<u8>, E>, D::Error> {
        match Result::<Read, E>::deserialize(deserializer)? {
            Ok(read) => read.bytes().map(Ok),
            Err(reason) => Ok(Err(reason)),
        }
    }
}

/// Serialization of a line of input or an error.
pub mod line {
    use super::{Deserialize, Deserializer, Read, Serialize, Serializer, written};

    type Line = Result<Option<Vec<u8>>, String>;

    /// Serializes a line or an error.
    pub fn serialize<S: Serializer>(line: &Line, serializer: S) -> Result<S::Ok, S::Error> {
        line.as_ref().map(|line| line.as_deref().map(written)).serialize(serializer)
    }

    /// Reads what [`serialize`] has written.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Line, D::Error> {
        match Result::<Option<Read>, String>::deserialize(deserializer)? {
            Ok(Some(read)) => read.bytes().map(|bytes| Ok(Some(bytes))),
            Ok(None) => Ok(Ok(None)),
            Err(reason) => Ok(Err(reason)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::value::{HostAnswer, HostRequest, JobResult};

    fn read<'a, T: serde::Serialize + serde::Deserialize<'a> + PartialEq + std::fmt::Debug>(
        value: &T,
        text: &'a str,
    ) {
        assert_eq!(serde_json::to_string(value).unwrap(), text);
        assert_eq!(&serde_json::from_str::<T>(text).unwrap(), value);
    }

    #[test]
    fn bytes_are_texts_where_they_can_be() {
        read(&HostAnswer::Bytes("é\n".into()), r#"{"Bytes":"é\n"}"#);
        read(&HostAnswer::Bytes(vec![0xff, 0]), r#"{"Bytes":{"base64":"/wA="}}"#);
        read(&HostRequest::Write(3, vec![]), r#"{"Write":[3,""]}"#);
        read(&JobResult::Bytes(Ok(vec![0x80])), r#"{"Bytes":{"Ok":{"base64":"gA=="}}}"#);
        assert!(serde_json::from_str::<HostAnswer>(r#"{"Bytes":{"base64":"?"}}"#).is_err());
    }
}
