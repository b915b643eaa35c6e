//! Which message is answered how.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::asked::{Answer, Asked, Refusal};
use super::cancelling::{CANCEL, Cancelled};
use super::documents::{Documents, Taken, part, put};
use super::positions::Encoding;
use super::programs::Programs;
use super::synchronization::{self, Source};
use super::workspace::Workspace;
use super::{answers, meanings, reports};
use crate::protocol::params::is_id;
use ez_runtime::platform::has_process;

const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;
const NOT_INITIALIZED: i64 = -32002;
const PARSE_ERROR: i64 = -32700;
const REQUEST_FAILED: i64 = -32803;
const REQUEST_CANCELLED: i64 = -32800;
/// What was asked about is not what the client has. Clients do not show it.
const CONTENT_MODIFIED: i64 = -32801;

/// How far a session has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    New,
    Running,
    /// `shutdown` has been answered.
    ShutDown,
    /// After `exit`.
    Ended {
        properly: bool,
    },
}

/// The server of one editor.
#[derive(Default)]
pub struct Server {
    stage: Stage,
    documents: Documents,
    programs: Programs,
    workspace: Workspace,
    /// Whether a document has changed since the last message; since reports were published.
    takes_changes: bool,
    /// Whether the client watches files if it is asked to.
    takes_watchers: bool,
    has_changes: bool,
    /// The URIs with published reports.
    reported: BTreeSet<String>,
    /// The process that has started the server.
    parent: Option<u32>,
    cancelled: Arc<Cancelled>,
}

/// An answer that a request cannot be carried out.
pub fn error(id: Value, code: i64, message: &str) -> Value {
    json!({"id": id, "error": {"code": code, "message": message}})
}

/// A sentence that the editor shows.
fn told(sentence: &str) -> Value {
    json!({"method": "window/showMessage", "params": {"type": 2, "message": sentence}})
}

/// A sentence for those who look for a mistake in the editor.
fn logged(sentence: &str) -> Value {
    json!({"method": "window/logMessage", "params": {"type": 2, "message": sentence}})
}

/// The request to tell when a file of a program changes outside of the editor.
fn watch_files() -> Value {
    let watchers = json!({"watchers": [{"globPattern": "**/*.ez"}]});
    let method = "workspace/didChangeWatchedFiles";
    let registrations = json!([{"id": "files", "method": method, "registerOptions": watchers}]);
    json!({
        "id": "watch", "method": "client/registerCapability", "params": {"registrations": registrations},
    })
}

impl Server {
    pub fn new(cancelled: Arc<Cancelled>) -> Server {
        Server { cancelled, ..Server::default() }
    }

    /// The status of the process at the end.
    pub fn status(&self) -> u8 {
        u8::from(!matches!(self.stage, Stage::ShutDown | Stage::Ended { properly: true }))
    }

    pub fn has_ended(&self) -> bool {
        matches!(self.stage, Stage::Ended { .. })
    }

    /// Whether the last message has changed a document.
    pub fn takes_changes(&mut self) -> bool {
        std::mem::take(&mut self.takes_changes)
    }

    /// Whether there is a process that the server has to end with.
    pub fn watches_parent(&self) -> bool {
        self.parent.is_some()
    }

    /// Whether that process has ended.
    pub fn is_abandoned(&self) -> bool {
        self.parent.is_some_and(|parent| !has_process(parent))
    }

    /// Whether reports are to be published.
    pub fn has_changes(&self) -> bool {
        self.has_changes
    }

    /// Carries a message out; what is sent to the client.
    pub fn receive(&mut self, bytes: &[u8]) -> Vec<Value> {
        let why = match serde_json::from_slice(bytes) {
            Ok(message) => return self.message(message),
            Err(why) => format!("not JSON: {why}"),
        };
        match synchronization::method(bytes) {
            Some(method) if synchronization::is_about_text(&method) => {
                self.synchronize(&method, Source::Bytes(bytes))
            }
            Some(_) => vec![error(Value::Null, PARSE_ERROR, &why)],
            None => self.lost(&why),
        }
    }

    /// A message has come that cannot be read, which may have said anything of any document.
    pub fn lost(&mut self, why: &str) -> Vec<Value> {
        let mut sent = vec![error(Value::Null, PARSE_ERROR, why)];
        if self.stage == Stage::Running {
            sent.extend(self.documents.lose_all(why).map(|sentence| told(&sentence)));
            self.changed();
        }
        sent
    }

    fn message(&mut self, mut message: Value) -> Vec<Value> {
        let params = message.get_mut("params").map_or(Value::Null, Value::take);
        if !message.is_object() {
            return self.lost("no request and no notification");
        }
        let id = message.get("id");
        let method = message.get("method").and_then(Value::as_str);
        // An id that is none cannot be repeated.
        let own = id.filter(|id| is_id(id));
        match (id, method) {
            // What the client has written counts, whatever is wrong besides.
            (_, Some(method)) if synchronization::is_about_text(method) => {
                let mut sent = self.synchronize(method, Source::Params(&params));
                let wrong =
                    id.map(|_| error(own.cloned().into(), INVALID_REQUEST, "a notification has no 'id'"));
                sent.extend(wrong);
                sent
            }
            (Some(_), Some(method)) => match own {
                Some(id) => vec![self.request(id.clone(), method, &params)],
                None => vec![error(
                    Value::Null,
                    INVALID_REQUEST,
                    "'id' is neither a whole number of 64 bits nor a text",
                )],
            },
            (None, Some(method)) => {
                self.notification(method, &params);
                if method == "initialized" && self.takes_watchers { vec![watch_files()] } else { Vec::new() }
            }
            // An answer to a request.
            (Some(_), None) if message.get("result").is_some() || message.get("error").is_some() => {
                Vec::new()
            }
            (_, None) => match own {
                Some(id) => vec![error(id.clone(), INVALID_REQUEST, "no request and no notification")],
                // It may have been meant to say what is in a document.
                None => self.lost("no request and no notification"),
            },
        }
    }

    fn request(&mut self, id: Value, method: &str, params: &Value) -> Value {
        match (self.stage, method) {
            (Stage::New, "initialize") => {
                self.stage = Stage::Running;
                self.workspace = Workspace::new(params);
                let encodings = part(params, "/capabilities/general/positionEncodings");
                let utf8 = encodings.as_array().is_some_and(|all| all.iter().any(|one| one == "utf-8"));
                // One that is not known here is that of another computer or container.
                let parent = part(params, "/processId").as_u64().and_then(|id| u32::try_from(id).ok());
                self.parent = parent.filter(|id| has_process(*id));
                let versions = "/capabilities/workspace/workspaceEdit/documentChanges";
                self.documents.takes_versions = part(params, versions) == true;
                let snippets = "/capabilities/textDocument/completion/completionItem/snippetSupport";
                self.documents.takes_snippets = part(params, snippets) == true;
                let none =
                    "/capabilities/textDocument/signatureHelp/signatureInformation/noActiveParameterSupport";
                self.documents.takes_no_parameter = part(params, none) == true;
                let watchers = "/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration";
                self.takes_watchers = part(params, watchers) == true;
                let formats = part(params, "/capabilities/textDocument/hover/contentFormat").as_array();
                self.documents.takes_plain_text_only =
                    formats.is_some_and(|all| all.iter().all(|one| one != "markdown"));
                self.documents.encoding = if utf8 { Encoding::Utf8 } else { Encoding::Utf16 };
                json!({"id": id, "result": answers::initialized(self.documents.encoding)})
            }
            (Stage::New, _) => error(id, NOT_INITIALIZED, "the first request is 'initialize'"),
            (Stage::Running, "initialize") => error(id, INVALID_REQUEST, "'initialize' has been answered"),
            (Stage::Running, "shutdown") => {
                self.stage = Stage::ShutDown;
                json!({"id": id, "result": null})
            }
            (Stage::Running, _) if self.cancelled.has(&id) => error(id, REQUEST_CANCELLED, "cancelled"),
            (Stage::Running, _) => self.answer(id, method, params),
            (Stage::ShutDown | Stage::Ended { .. }, _) => {
                error(id, INVALID_REQUEST, "the server has been shut down")
            }
        }
    }

    fn answer(&mut self, id: Value, method: &str, params: &Value) -> Value {
        if method == "workspace/symbol" {
            if !part(params, "/query").is_string() {
                return error(id, INVALID_PARAMS, "no 'query'");
            }
            return self.carry_out(
                id,
                Path::new(""),
                params,
                |asked| Ok(meanings::workspace_symbols(asked)),
                false,
            );
        }
        let Some(answer) = answers::of(method) else {
            return error(id, METHOD_NOT_FOUND, &format!("unknown method: {method}"));
        };
        let Some(uri) = part(params, "/textDocument/uri").as_str() else {
            return error(id, INVALID_PARAMS, "no 'textDocument.uri'");
        };
        let real = self.documents.real(uri);
        if !self.documents.has(uri, &real) {
            return error(id, INVALID_PARAMS, &format!("the document is not open: {uri}"));
        }
        if let Some(why) = self.documents.not_known(&real).or_else(|| self.documents.newer(uri, &real)) {
            return error(id, CONTENT_MODIFIED, &why);
        }
        if let Some(wrong) = answers::missing(method, params) {
            return error(id, INVALID_PARAMS, &format!("no '{wrong}', or it is none"));
        }
        if matches!(method, "textDocument/rename" | "textDocument/references") {
            // Files that are not open may have changed without a word.
            self.programs.all_changed();
        }
        // While somebody types.
        let is_urgent = matches!(method, "textDocument/hover" | "textDocument/completion");
        self.carry_out(id, &real, params, answer, is_urgent)
    }

    fn carry_out(
        &mut self,
        id: Value,
        real: &Path,
        params: &Value,
        answer: Answer,
        is_urgent: bool,
    ) -> Value {
        let (documents, programs, workspace) = (&self.documents, &mut self.programs, &self.workspace);
        let result = catch_unwind(AssertUnwindSafe(|| {
            let draft =
                if is_urgent { programs.draft(documents, real, part(params, "/position")) } else { None };
            if draft.is_none() {
                programs.update(documents);
            }
            let (draft, elsewhere) = (draft.as_ref(), OnceCell::new());
            answer(&Asked { documents, programs, workspace, elsewhere, draft, real, params })
        }));
        match result {
            Ok(Ok(result)) => json!({"id": id, "result": result}),
            Ok(Err(Refusal(why))) => error(id, REQUEST_FAILED, &why),
            Err(_) => {
                self.programs = Programs::default();
                error(id, INTERNAL_ERROR, "this is a mistake in ez: please report it, with the program")
            }
        }
    }

    fn notification(&mut self, method: &str, params: &Value) {
        match (self.stage, method) {
            (_, CANCEL) => self.cancelled.forget(part(params, "/id")),
            (stage, "exit") => self.stage = Stage::Ended { properly: stage == Stage::ShutDown },
            // Files that are not open may have changed.
            (Stage::Running, "textDocument/didSave" | "workspace/didChangeWatchedFiles") => self.changed(),
            (Stage::Running, "workspace/didChangeWorkspaceFolders") => self.workspace.change(params),
            _ => {}
        }
    }

    /// Takes what the client says of a document; what is sent to it.
    fn synchronize(&mut self, method: &str, source: Source<'_>) -> Vec<Value> {
        if self.stage != Stage::Running {
            return Vec::new();
        }
        let Some(said) = synchronization::read(method, source) else {
            return self.lost(&format!("'{method}' does not say of which document it is"));
        };
        let real = self.documents.real(&said.uri);
        let is_edit = self.documents.is_open(&real) && method == synchronization::CHANGE;
        let lost = match self.documents.synchronize(real.clone(), said) {
            Taken::Yes(lost) => lost,
            Taken::Ignored(why) => return why.map(|sentence| logged(&sentence)).into_iter().collect(),
        };
        if is_edit {
            self.programs.changed(&real);
            (self.takes_changes, self.has_changes) = (true, true);
        } else {
            self.changed();
        }
        lost.map(|sentence| told(&sentence)).into_iter().collect()
    }

    fn changed(&mut self) {
        self.programs.all_changed();
        (self.takes_changes, self.has_changes) = (true, true);
    }

    /// The reports of all programs, as notifications.
    pub fn reports(&mut self) -> Vec<Value> {
        self.has_changes = false;
        let (documents, programs) = (&self.documents, &mut self.programs);
        let found = catch_unwind(AssertUnwindSafe(|| {
            programs.update(documents);
            reports::reports(documents, programs)
        }));
        let halved = self.documents.halved().map(|sentence| told(&sentence));
        let halved: Vec<Value> = halved.collect();
        let Ok(mut found) = found else {
            self.programs = Programs::default();
            return Vec::new();
        };
        // What is not reported any more.
        for uri in std::mem::take(&mut self.reported) {
            found.entry(uri).or_default();
        }
        self.reported =
            found.iter().filter(|(_, reports)| !reports.is_empty()).map(|(uri, _)| uri.clone()).collect();
        let published = found.into_iter().map(|(uri, reports)| {
            let version = self.documents.version(&uri);
            let mut params = json!({"uri": uri, "diagnostics": reports});
            if let Some(version) = version {
                put(&mut params, "version", json!(version));
            }
            json!({"method": "textDocument/publishDiagnostics", "params": params})
        });
        halved.into_iter().chain(published).collect()
    }
}
