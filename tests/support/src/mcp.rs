//! A client of `ez mcp`.

use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::{Server, ez};

/// A server and the client that talks to it.
pub struct McpClient {
    server: Server,
    last: u64,
    /// Notifications and answers that nobody has asked for yet.
    pending: Vec<Value>,
}

/// The `_meta` of a request without handshake.
pub fn stateless() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

impl McpClient {
    /// A server for files in `root`, without handshake.
    pub fn without_handshake(root: &Path, arguments: &[&str]) -> McpClient {
        McpClient::of(ez().arg("mcp").arg("--root").arg(root).args(arguments))
    }

    /// The server that a command starts, without handshake.
    pub fn of(command: &mut Command) -> McpClient {
        McpClient { server: Server::run(command), last: 0, pending: Vec::new() }
    }

    /// A server for files in `root`, after the handshake.
    pub fn start(root: &Path) -> McpClient {
        let mut client = McpClient::without_handshake(root, &[]);
        client.initialize("2025-11-25");
        client
    }

    /// The handshake; gives the result of `initialize`.
    pub fn initialize(&mut self, version: &str) -> Value {
        let info = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": info});
        let result = self.request("initialize", params);
        self.notify("notifications/initialized", json!({}));
        result["result"].clone()
    }

    /// Sends a line as it is.
    pub fn send(&mut self, line: &str) {
        self.server.send(&format!("{line}\n"));
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends a request, and gives its id.
    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.send(&request.to_string());
        self.last
    }

    /// Sends a call of a tool, and gives its id. The client wants to hear of its progress.
    pub fn begin_call(&mut self, tool: &str, arguments: Value) -> u64 {
        let token = self.last + 1;
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": token}});
        self.begin("tools/call", params)
    }

    /// The first message that fits, now or later; others are kept.
    pub fn wait_for(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.pending.iter().position(&fits) {
            return self.pending.remove(at);
        }
        loop {
            let message = self.server.event().expect("a message");
            if fits(&message) {
                return message;
            }
            self.pending.push(message);
        }
    }

    /// The response to a request.
    pub fn answer(&mut self, id: u64) -> Value {
        self.wait_for(|message| message["id"] == id)
    }

    /// Whether the response to a request has come.
    pub fn is_answered(&mut self, id: u64) -> bool {
        self.pending.extend(self.server.arrived());
        self.pending.iter().any(|message| message["id"] == id)
    }

    /// Waits for the first report that a call is in progress.
    pub fn wait_for_progress(&mut self, call: u64) {
        self.wait_for(|message| {
            message["method"] == "notifications/progress" && message["params"]["progressToken"] == call
        });
    }

    /// Sends a request and gives its response.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// Calls a tool and gives the result.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let response = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(response["error"].is_null(), "{response}");
        response["result"].clone()
    }

    /// The text of the result of a call.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        text_of(&self.call(tool, arguments))
    }

    /// Calls a tool that has to fail, and gives the text.
    pub fn failure(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        assert!(result["structuredContent"].is_null(), "{result}");
        text_of(&result)
    }

    /// Messages that have come, and that nobody has asked for.
    pub fn pending(&self) -> &[Value] {
        &self.pending
    }

    /// The server.
    pub fn server(&mut self) -> &mut Server {
        &mut self.server
    }
}

/// The text of a result.
pub fn text_of(result: &Value) -> String {
    result["content"][0]["text"].as_str().expect("a text").to_string()
}

/// What is wrong with a value according to a JSON schema of the kind that the server's tools have; every keyword in
/// it has to be known here.
pub fn mismatch(value: &Value, schema: &Value) -> Option<String> {
    let schema = schema.as_object().expect("a schema");
    for (keyword, wanted) in schema {
        let fits = match keyword.as_str() {
            "description" => true,
            "type" => has_type(value, wanted.as_str().expect("a type")),
            "enum" => wanted.as_array().expect("words").contains(value),
            "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().expect("a number")),
            "anyOf" => wanted.as_array().expect("schemas").iter().any(|one| mismatch(value, one).is_none()),
            "items" => {
                let mut items = value.as_array().into_iter().flatten();
                if let Some(wrong) = items.find_map(|item| mismatch(item, wanted)) {
                    return Some(wrong);
                }
                true
            }
            "required" => wanted.as_array().expect("names").iter().all(|name| {
                let name = name.as_str().expect("a name");
                value.as_object().is_none_or(|members| members.contains_key(name))
            }),
            "properties" => {
                let wanted = wanted.as_object().expect("properties");
                let none = Map::new();
                for (name, member) in value.as_object().unwrap_or(&none) {
                    if let Some(wrong) = wanted.get(name).and_then(|schema| mismatch(member, schema)) {
                        return Some(format!("{name}: {wrong}"));
                    }
                }
                true
            }
            "additionalProperties" => value
                .as_object()
                .into_iter()
                .flatten()
                .all(|(name, _)| wanted == true || schema["properties"].get(name).is_some()),
            other => panic!("a keyword that is not known here: {other}"),
        };
        if !fits {
            return Some(format!("{value} does not fit {keyword} {wanted}"));
        }
    }
    None
}

fn has_type(value: &Value, wanted: &str) -> bool {
    match wanted {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("a type that is not known here: {other}"),
    }
}
