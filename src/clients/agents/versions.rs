//! Versions of the Model Context Protocol.
//!
//! Up to 2025-11-25 a client negotiates the version with `initialize`. From 2026-07-28 on there is no handshake:
//! each request names its version in `_meta`, and `server/discover` says what the server supports.

use serde_json::{Map, Value, json};

use super::messages::{INVALID_PARAMS, INVALID_REQUEST};

/// Versions with a handshake, the newest first.
pub const WITH_HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The version without handshake.
pub const STATELESS: &str = "2026-07-28";

/// The only version that has batches.
pub const WITH_BATCHES: &str = "2025-03-26";

const UNSUPPORTED_VERSION: i32 = -32022;
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// How long a client may keep an answer that it may keep, in milliseconds: they never change.
const LIFETIME: u64 = 3_600_000;

/// An error response.
#[derive(Debug, PartialEq)]
pub struct RpcError {
    pub code: i32,
    pub message: String,
    pub data: Option<Value>,
}

impl RpcError {
    /// An error without further data.
    pub fn new(code: i32, message: impl Into<String>) -> RpcError {
        RpcError { code, message: message.into(), data: None }
    }
}

/// The version according to which a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version(&'static str);

impl Version {
    /// The version of a handshake: the one that the client requests, or else the newest.
    pub fn negotiated(requested: &str) -> Version {
        Version(WITH_HANDSHAKE.into_iter().find(|known| *known == requested).unwrap_or(WITH_HANDSHAKE[0]))
    }

    /// The version of a request other than `initialize`. `agreed` is that of the handshake.
    ///
    /// # Errors
    /// If it is not supported, or nothing says which one it is.
    pub fn of_request(
        method: &str,
        params: &Map<String, Value>,
        agreed: Option<Version>,
    ) -> Result<Version, RpcError> {
        let meta = params.get("_meta").and_then(Value::as_object);
        let Some(version) = meta.and_then(|meta| meta.get(VERSION_KEY)) else {
            return match agreed {
                Some(version) if method != "server/discover" => Ok(version),
                None if method == "ping" => Ok(Version(WITH_HANDSHAKE[0])),
                None if method != "server/discover" => {
                    let advice = format!("send initialize first, or name the version {STATELESS} in _meta");
                    Err(RpcError::new(
                        INVALID_REQUEST,
                        format!("no version of the protocol is agreed on: {advice}"),
                    ))
                }
                _ => Err(RpcError::new(INVALID_PARAMS, format!("_meta has no {VERSION_KEY}"))),
            };
        };
        match version.as_str() {
            None => Err(RpcError::new(INVALID_PARAMS, format!("{VERSION_KEY} must be a string"))),
            Some(STATELESS) if !meta.is_some_and(|meta| meta.contains_key(CAPABILITIES_KEY)) => {
                Err(RpcError::new(INVALID_PARAMS, format!("_meta has no {CAPABILITIES_KEY}")))
            }
            Some(STATELESS) => Ok(Version(STATELESS)),
            Some(other) => Err(unsupported(other)),
        }
    }

    pub fn name(self) -> &'static str {
        self.0
    }

    /// Whether requests of this version are complete in themselves.
    pub fn is_stateless(self) -> bool {
        self.0 == STATELESS
    }

    /// Adds what this version requires in every result. `is_constant`: the client may keep the result.
    pub fn complete(self, result: &mut Map<String, Value>, is_constant: bool) {
        if !self.is_stateless() {
            return;
        }
        result.insert("resultType".into(), "complete".into());
        result.insert("_meta".into(), json!({SERVER_KEY: server_info()}));
        if is_constant {
            result.insert("ttlMs".into(), LIFETIME.into());
            result.insert("cacheScope".into(), "public".into());
        }
    }
}

fn unsupported(requested: &str) -> RpcError {
    RpcError {
        code: UNSUPPORTED_VERSION,
        message: format!("version {requested} is not supported without initialize"),
        data: Some(json!({"supported": [STATELESS], "requested": requested})),
    }
}

/// What the server is called.
pub fn server_info() -> Value {
    json!({"name": "ez", "title": "EZ", "version": env!("CARGO_PKG_VERSION")})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_negotiated() {
        for version in WITH_HANDSHAKE {
            assert_eq!(Version::negotiated(version).name(), version);
        }
        for other in ["", "2020-01-01", STATELESS, "2999-01-01"] {
            assert_eq!(Version::negotiated(other).name(), WITH_HANDSHAKE[0]);
        }
    }

    #[test]
    fn requests_name_their_version() {
        let of = |method: &str, meta: Value, agreed: Option<&str>| {
            let params = Map::from_iter([("_meta".to_string(), meta)]);
            Version::of_request(method, &params, agreed.map(Version::negotiated))
                .map(Version::name)
                .map_err(|error| error.code)
        };
        let stateless = json!({VERSION_KEY: STATELESS, CAPABILITIES_KEY: {}});
        assert_eq!(of("tools/list", stateless.clone(), None), Ok(STATELESS));
        assert_eq!(of("tools/list", stateless, Some("2025-06-18")), Ok(STATELESS));
        assert_eq!(of("tools/list", json!({}), Some("2025-06-18")), Ok("2025-06-18"));
        assert_eq!(of("tools/list", json!({}), None), Err(INVALID_REQUEST));
        assert_eq!(of("server/discover", json!({}), Some("2025-06-18")), Err(INVALID_PARAMS));
        assert_eq!(of("tools/list", json!({VERSION_KEY: STATELESS}), None), Err(INVALID_PARAMS));
        assert_eq!(of("tools/list", json!({VERSION_KEY: 1}), None), Err(INVALID_PARAMS));
        assert_eq!(of("tools/list", json!({VERSION_KEY: "2999-01-01"}), None), Err(UNSUPPORTED_VERSION));
        assert_eq!(of("ping", json!({}), None), Ok(WITH_HANDSHAKE[0]));
    }
}
