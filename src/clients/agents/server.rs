//! The server: which message is answered how.
//!
//! One thread answers all messages that are answered at once. Each call of a tool has a
//! thread of its own, so that the server answers while programs run.

use std::sync::Arc;

use foldhash::HashMap;
use serde_json::{Map, Value, json};

use super::call::Call;
use super::client::ClientWriter;
use super::messages::{self, INVALID_PARAMS, INVALID_REQUEST, Line, METHOD_NOT_FOUND, Message};
use super::process::{Cancellation, Processes};
use super::reply::{Batch, Reply};
use super::tools::{Arguments, Sessions, TOOLS, Tool, tool};
use super::versions::{RpcError, STATELESS, Version, WITH_BATCHES, server_info};
use super::{prompts, resources};
use crate::protocol::params::is_id;
use ez_runtime::host::Root;
use ez_runtime::sync::Mutex;
use ez_runtime::threads;

/// How many calls may be in progress at once.
const MAX_CALLS: usize = 16;

const INSTRUCTIONS: &str = "Tools to check, run and debug programs in the EZ language. To find a bug, call \
    investigate: one call runs the program and answers what the variables were and where a value came from. \
    Use language before writing EZ: it looks like other languages, and differs from them.";

/// What all calls share.
pub struct Shared {
    pub client: ClientWriter,
    /// The folder to which files are confined.
    pub root: Root,
    /// Whether programs may use the network.
    pub allow_net: bool,
    /// The processes of all programs.
    pub processes: Processes,
    /// The sessions of `debug_start`.
    pub sessions: Mutex<Sessions>,
    /// The client's name, as it has said it.
    pub client_name: Mutex<Option<String>>,
    /// The calls in progress, by the `id` of their request as JSON.
    calls: Mutex<HashMap<String, Cancellation>>,
}

/// The server of one client.
pub struct Server {
    shared: Arc<Shared>,
    /// The version agreed on with `initialize`.
    agreed: Option<Version>,
}

impl Server {
    /// A server for files in `root`.
    pub fn new(root: Root, allow_net: bool, processes: Processes) -> Server {
        let client = ClientWriter::new(processes.clone());
        let (sessions, client_name, calls) = (Mutex::default(), Mutex::default(), Mutex::default());
        let shared = Shared { client, root, allow_net, processes, sessions, client_name, calls };
        Server { shared: Arc::new(shared), agreed: None }
    }

    /// Carries out the messages of a line.
    pub fn line(&mut self, line: &[u8]) {
        match messages::decode(line) {
            Line::Single(message) => self.message(message, None),
            Line::Batch(_) if self.agreed.map(Version::name) != Some(WITH_BATCHES) => {
                let why = format!("invalid request: only version {WITH_BATCHES} of the protocol has batches");
                self.message(messages::wrong(INVALID_REQUEST, why), None);
            }
            Line::Batch(all) => {
                let answered = |message: &&Message| !matches!(message, Message::Notification { .. });
                let batch = Arc::new(Batch::new(all.iter().filter(answered).count()));
                for message in all {
                    self.message(message, Some(&batch));
                }
            }
        }
    }

    /// Answers a line that is too long.
    pub fn too_long(&mut self, limit: usize) {
        let why = format!("line too long (limit: {limit} bytes)");
        self.message(messages::wrong(messages::PARSE_ERROR, why), None);
    }

    fn message(&mut self, message: Message, batch: Option<&Arc<Batch>>) {
        let reply = |id| Reply::new(&self.shared.client, id, batch);
        match message {
            Message::Wrong { id, code, message } => reply(id).error(RpcError::new(code, message)),
            Message::Notification { method, params } => self.notification(&method, &params),
            Message::Request { id, method, params } => {
                let reply = reply(id.clone());
                self.request(&id, &method, params, reply);
            }
        }
    }

    fn notification(&self, method: &str, params: &Map<String, Value>) {
        if method == "notifications/cancelled"
            && let Some(id) = params.get("requestId")
            && let Some(call) = self.shared.calls.lock().get(&id.to_string()).cloned()
        {
            call.cancel();
        }
    }

    fn request(&mut self, id: &Value, method: &str, params: Map<String, Value>, reply: Reply) {
        if method == "initialize" {
            return self.initialize(&params, reply);
        }
        let version = match Version::of_request(method, &params, self.agreed) {
            Ok(version) => version,
            Err(error) => return reply.error(error),
        };
        if method == "tools/call" {
            return self.call(id, version, params, reply);
        }
        match constant(method, version, &params) {
            Ok(result) => reply.result(version, result, !matches!(method, "ping" | "prompts/get")),
            Err(error) => reply.error(error),
        }
    }

    fn initialize(&mut self, params: &Map<String, Value>, reply: Reply) {
        let Some(requested) = params.get("protocolVersion").and_then(Value::as_str) else {
            return reply.error(RpcError::new(INVALID_PARAMS, "protocolVersion must be a string"));
        };
        let name = params.get("clientInfo").and_then(|info| info.get("name")?.as_str());
        *self.shared.client_name.lock() = name.map(str::to_string);
        let version = Version::negotiated(requested);
        self.agreed = Some(version);
        let result = json!({
            "protocolVersion": version.name(),
            "capabilities": capabilities(),
            "serverInfo": server_info(),
            "instructions": INSTRUCTIONS,
        });
        reply.result(version, result, false);
    }

    /// Starts a call of a tool on a thread of its own.
    fn call(&self, id: &Value, version: Version, mut params: Map<String, Value>, reply: Reply) {
        let (tool, arguments) = match called(&mut params) {
            Ok(called) => called,
            Err(error) => return reply.error(error),
        };
        let cancellation = Cancellation::default();
        let key = id.to_string();
        {
            let mut calls = self.shared.calls.lock();
            if calls.contains_key(&key) {
                let why = format!("invalid request: the request {key} is still in progress");
                return reply.error(RpcError::new(INVALID_REQUEST, why));
            }
            if calls.len() >= MAX_CALLS {
                let why = format!("{MAX_CALLS} calls are in progress; wait for an answer, or cancel one");
                return reply.error(RpcError::new(INVALID_REQUEST, why));
            }
            calls.insert(key.clone(), cancellation.clone());
        }
        let token = params.get("_meta").and_then(|meta| meta.get("progressToken"));
        let token = token.filter(|token| is_id(token)).cloned();
        let call = Call::new(self.shared.clone(), cancellation, token);
        let work = move || {
            let result = tool.call(&call, &arguments);
            call.shared.calls.lock().remove(&key);
            if call.cancellation.is_cancelled() {
                reply.nothing()
            } else {
                reply.result(version, result, false)
            }
        };
        if let Err(error) = threads::spawn("call", work) {
            // The reply is lost with the closure.
            self.shared.calls.lock().remove(&id.to_string());
            let why = format!("no thread for the call: {error}");
            Reply::new(&self.shared.client, id.clone(), None).error(RpcError::new(-32603, why));
        }
    }
}

/// The tool that is called, and its arguments.
fn called(params: &mut Map<String, Value>) -> Result<(&'static Tool, Arguments), RpcError> {
    let arguments = match params.remove("arguments") {
        Some(Value::Object(arguments)) => arguments,
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(RpcError::new(INVALID_PARAMS, "arguments must be an object")),
    };
    let Some(name) = params.get("name").and_then(Value::as_str) else {
        return Err(RpcError::new(INVALID_PARAMS, "name must be a string: the name of a tool"));
    };
    let unknown = || {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        RpcError::new(INVALID_PARAMS, format!("unknown tool: {name}; the tools are {}", names.join(", ")))
    };
    Ok((tool(name).ok_or_else(unknown)?, arguments))
}

fn capabilities() -> Value {
    json!({"tools": {}, "resources": {}, "prompts": {}})
}

/// The result of a request whose answer is always the same.
fn constant(method: &str, version: Version, params: &Map<String, Value>) -> Result<Value, RpcError> {
    if params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
        return Err(RpcError::new(INVALID_PARAMS, "there is no such cursor: lists have one page"));
    }
    match method {
        "ping" if !version.is_stateless() => Ok(json!({})),
        "server/discover" => Ok(json!({
            "supportedVersions": [STATELESS],
            "capabilities": capabilities(),
            "instructions": INSTRUCTIONS,
        })),
        "tools/list" => Ok(json!({"tools": TOOLS.iter().map(Tool::described).collect::<Vec<_>>()})),
        "resources/list" => Ok(resources::list()),
        "resources/templates/list" => Ok(resources::templates()),
        "resources/read" => resources::read(params, version),
        "prompts/list" => Ok(prompts::list()),
        "prompts/get" => prompts::get(params),
        _ => Err(RpcError::new(METHOD_NOT_FOUND, format!("unknown method: {method}"))),
    }
}
