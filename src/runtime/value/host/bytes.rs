//! Serialization of bytes in records: as text if they are UTF-8, else in base64; as they are where nobody reads it.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize)]
#[serde(untagged)]
enum Text<'a> {
    Text(&'a str),
    Base64 { base64: String },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ReadText {
    Text(String),
    Base64 { base64: String },
}

struct Written<'a>(&'a [u8]);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(self.0);
        }
        match std::str::from_utf8(self.0) {
            Ok(text) => Text::Text(text).serialize(serializer),
            Err(_) => Text::Base64 { base64: BASE64_STANDARD.encode(self.0) }.serialize(serializer),
        }
    }
}

struct Read(Vec<u8>);

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Read, D::Error> {
        if !deserializer.is_human_readable() {
            return deserializer.deserialize_byte_buf(AnyBytes).map(Read);
        }
        match ReadText::deserialize(deserializer)? {
            ReadText::Text(text) => Ok(Read(text.into_bytes())),
            ReadText::Base64 { base64 } => BASE64_STANDARD.decode(base64).map(Read).map_err(D::Error::custom),
        }
    }
}

struct AnyBytes;

impl Visitor<'_> for AnyBytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
}

/// Writes bytes.
pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Written(bytes).serialize(serializer)
}

/// Reads what [`serialize`] has written.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    Read::deserialize(deserializer).map(|Read(bytes)| bytes)
}

/// Serialization of bytes or an error.
pub mod or_reason {
    use super::{Deserialize, Deserializer, Read, Serialize, Serializer, Written};

    /// Serializes bytes or an error.
    pub fn serialize<E: Serialize, S: Serializer>(
        result: &Result<Vec<u8>, E>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        result.as_ref().map(|bytes| Written(bytes)).serialize(serializer)
    }

    /// Reads what [`serialize`] has written.
    pub fn deserialize<'de, E: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Result<Vec<u8>, E>, D::Error> {
        Result::<Read, E>::deserialize(deserializer).map(|read| read.map(|Read(bytes)| bytes))
    }
}

/// Serialization of a line of input or an error.
pub mod line {
    use super::{Deserialize, Deserializer, Read, Serialize, Serializer, Written};

    type Line = Result<Option<Vec<u8>>, String>;

    /// Serializes a line or an error.
    pub fn serialize<S: Serializer>(line: &Line, serializer: S) -> Result<S::Ok, S::Error> {
        line.as_ref().map(|line| line.as_deref().map(Written)).serialize(serializer)
    }

    /// Reads what [`serialize`] has written.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Line, D::Error> {
        let read = Result::<Option<Read>, String>::deserialize(deserializer)?;
        Ok(read.map(|line| line.map(|Read(bytes)| bytes)))
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
