//! What the session answers, as the client is told it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::api::{
    Attached, CompletionKind, Container, Described, Failure, FailureKind, Frame, LastChange, ModuleInfo,
    ModuleKind, Position, Problem, RequestId, Response, Scope, Status,
};
use crate::diagnostics::Severity;
use crate::protocol::Messages;
use crate::protocol::value_text::preview;

use super::breakpoints::{WireBreakpoint, exceptions};
use super::client::{Client, utf16};
use super::data::{Wanted, no_info};
use super::decode::From;
use super::values::Variable;
use super::wire::{Source, StackFrame, StackTrace, Variables};
use super::writing::Refusal;
use super::{Asked, DapFrontEnd, Phase};

/// Bytes of a value that are shown of a change.
const SHOWN_BYTES: usize = 1024;

/// What a request is for that the session carries out.
pub enum Kind {
    /// The client has not made it.
    Silent,
    /// Which files the program has, and what is in one of them.
    Files,
    Text,
    Launch,
    Attach,
    Start,
    /// Where the program stood before.
    Restart(Phase),
    Resume,
    Terminate,
    Disconnect,
    /// The answer has no more to say.
    Plain,
    Input,
    Breakpoints,
    /// Of each filter that was asked for, why it is none.
    Exceptions(Vec<Option<String>>),
    Data(Vec<Wanted>),
    /// The file, and the place from which on, and up to which, locations are wanted.
    Locations(String, ((u32, u32), (u32, u32))),
    Frames,
    Scopes(usize),
    Variables(Page),
    SetVariable,
    /// The first half of `setExpression`.
    Assignment,
    /// The second half: the value, if it cannot be looked at, is shown as it was written.
    Assigned {
        value: String,
    },
    Evaluate {
        has_effects: bool,
    },
    Completions(String),
    LastChange,
    /// The calls of a statement in this file.
    StepTargets(Option<PathBuf>),
    /// Whether a frame has a variable that could be watched.
    DataVariable {
        frame: usize,
        name: String,
    },
    /// The value whose part could be watched.
    DataPart {
        name: String,
    },
    Source,
    Modules(Sources),
}

/// Which variables or parts are wanted.
pub struct Page {
    pub start: usize,
    pub count: usize,
    /// Whether the client wants all of them.
    pub whole: bool,
}

/// What is wanted of the modules.
pub enum Sources {
    Files,
    Modules { start: usize, count: usize },
}

impl Kind {
    /// Whether `cancel` ends the request.
    pub fn can_be_cancelled(&self) -> bool {
        match self {
            Kind::Evaluate { .. }
            | Kind::SetVariable
            | Kind::Assignment
            | Kind::Variables(_)
            | Kind::Scopes(_)
            | Kind::Frames
            | Kind::Completions(_)
            | Kind::LastChange
            | Kind::StepTargets(_)
            | Kind::DataVariable { .. }
            | Kind::DataPart { .. } => true,
            Kind::Silent
            | Kind::Files
            | Kind::Text
            | Kind::Launch
            | Kind::Attach
            | Kind::Start
            | Kind::Restart(_)
            | Kind::Resume
            | Kind::Terminate
            | Kind::Disconnect
            | Kind::Plain
            | Kind::Input
            | Kind::Breakpoints
            | Kind::Exceptions(_)
            | Kind::Data(_)
            | Kind::Locations(..)
            | Kind::Assigned { .. }
            | Kind::Source
            | Kind::Modules(_) => false,
        }
    }
}

/// Where something got its value, as the line protocol words it.
fn last_change(client: &Client, change: &LastChange) -> Value {
    let text = |value: &Option<Described>| value.as_ref().map(|value| preview(&value.value, SHOWN_BYTES).0);
    let (path, line) = (&change.location.path, change.location.line);
    json!({
        "expression": change.expression.as_str(),
        "cause": change.cause.name(),
        "description": change.description,
        "step": change.step,
        "source": client.source(path),
        "line": client.line(line),
        "column": client.column_in(path, line, change.location.column),
        "oldValue": text(&change.old),
        "value": text(&change.new),
    })
}

impl DapFrontEnd {
    pub(super) fn answer(
        &mut self,
        id: RequestId,
        Asked { from, kind, cancelled }: Asked,
        result: &Result<Response, Failure>,
        out: &mut Messages,
    ) {
        match result {
            Ok(response) => self.success(&from, kind, response, out),
            Err(failure) => self.failed(id, &from, kind, failure, cancelled, out),
        }
    }

    fn success(&mut self, from: &From, kind: Kind, response: &Response, out: &mut Messages) {
        let client = self.client();
        let body = match (kind, response) {
            (Kind::Silent | Kind::Assignment, _) => return,
            (Kind::Files, Response::Modules(all)) => {
                let paths = all.iter().filter_map(|module| module.path.as_deref());
                self.unread.extend(paths.map(|path| path.to_string_lossy().into_owned()));
                return;
            }
            (Kind::Text, Response::Source { path, text }) => {
                if let Some(client) = &mut self.client {
                    Arc::make_mut(&mut client.wide).add(path, text);
                }
                return;
            }
            (Kind::Launch, Response::Initialized(program)) => {
                self.numbering.success(out, from, None::<()>);
                return self.launched(&program.warnings, out);
            }
            (Kind::Attach, Response::Attached(attached)) => return self.attached(from, attached, out),
            (Kind::Start, _) => {
                self.numbering.event(out, "thread", json!({"reason": "started", "threadId": super::THREAD}));
                return;
            }
            (Kind::Restart(_), Response::Restarted(program)) => {
                // The run that has ended may have stopped meanwhile.
                self.phase = Phase::Running;
                self.waits_for_input = false;
                self.references.clear();
                self.numbering.success(out, from, None::<()>);
                return self.problems(&program.warnings, out);
            }
            (Kind::Resume, _) => {
                self.references.clear();
                (from.command == "continue").then(|| json!({"allThreadsContinued": true}))
            }
            // The end of the session answers it.
            (Kind::Disconnect, _) => {
                self.disconnecting = Some(from.clone());
                return;
            }
            (Kind::Input, _) => Some(json!({"result": "", "variablesReference": 0})),
            (Kind::Breakpoints, Response::Breakpoints(all)) => {
                let pending = self.phase == Phase::NoProgram;
                if let Some(early) = self.early.iter_mut().find(|early| early.from == *from) {
                    early.told = all.iter().map(|breakpoint| Some(breakpoint.id.0.into())).collect();
                }
                let shown = |breakpoint| WireBreakpoint::new(breakpoint, &client, pending);
                Some(json!({"breakpoints": all.iter().map(shown).collect::<Vec<_>>()}))
            }
            (Kind::Exceptions(why), Response::Exceptions(set)) => {
                Some(json!({"breakpoints": exceptions(&why, set)}))
            }
            (Kind::Data(wanted), Response::Breakpoints(set)) => {
                Some(json!({"breakpoints": self.data_breakpoints_set(&wanted, set)}))
            }
            (Kind::Locations(file, (first, last)), Response::Locations(all)) => {
                let path = Path::new(&file);
                let within = |at: &&Position| (first..=last).contains(&(at.line, at.column));
                let shown = |at: &Position| json!({"line": client.line(at.line), "column": client.column_in(path, at.line, at.column)});
                Some(json!({"breakpoints": all.iter().filter(within).map(shown).collect::<Vec<_>>()}))
            }
            (Kind::Frames, Response::StackTrace { frames, total }) => {
                let shown = frames.iter().map(|frame| self.frame_shown(frame, &client)).collect();
                let body = StackTrace { stack_frames: shown, total_frames: *total };
                return self.numbering.success(out, from, Some(body));
            }
            (Kind::Scopes(frame), Response::Variables(all)) => {
                let scopes = self.scopes_of(frame, all);
                return self.numbering.success(out, from, Some(scopes));
            }
            (Kind::Variables(page), Response::Variables(all)) => {
                let all: Vec<Variable> = all
                    .iter()
                    .skip(page.start)
                    .take(page.count)
                    .map(|variable| Variable::new(variable, &client, &mut self.references))
                    .collect();
                return self.numbering.success(out, from, Some(Variables { variables: all }));
            }
            (Kind::Variables(page), Response::Children { children, total }) => {
                let mut all: Vec<Variable> = children
                    .iter()
                    .map(|variable| Variable::new(variable, &client, &mut self.references))
                    .collect();
                let left = total.saturating_sub(page.start + all.len());
                if page.whole && left > 0 {
                    all.push(Variable::rest(left));
                }
                return self.numbering.success(out, from, Some(Variables { variables: all }));
            }
            (Kind::SetVariable, Response::VariableSet(variable)) => {
                let shown = Variable::new(variable, &client, &mut self.references);
                self.numbering.success(out, from, Some(shown.result("value")));
                return self.invalidate(out);
            }
            (Kind::Assigned { .. }, Response::Evaluated(value)) => {
                let shown = Variable::described(String::new(), value, &client, &mut self.references);
                self.numbering.success(out, from, Some(shown.result("value")));
                return self.invalidate(out);
            }
            (Kind::Evaluate { has_effects }, Response::Evaluated(value)) => {
                let shown = Variable::described(String::new(), value, &client, &mut self.references);
                self.numbering.success(out, from, Some(shown.result("result")));
                if has_effects {
                    self.invalidate(out);
                }
                return;
            }
            (Kind::Completions(text), Response::Completions(all)) => {
                let shown = |completion: &crate::api::Completion| {
                    let start = utf16(&text, completion.start);
                    json!({
                        "label": completion.label,
                        "type": completion_type(completion.kind),
                        "detail": completion.detail,
                        "start": client.column(start),
                        "length": utf16(&text, completion.start + completion.length) - start,
                    })
                };
                Some(json!({"targets": all.iter().map(shown).collect::<Vec<_>>()}))
            }
            (Kind::LastChange, Response::LastChange(change)) => Some(last_change(&client, change)),
            (Kind::StepTargets(path), Response::StepTargets(all)) => {
                let column = |at: Position| match &path {
                    Some(path) => client.column_in(path, at.line, at.column),
                    None => client.column(at.column),
                };
                let shown = |target: &crate::api::StepTarget| {
                    json!({
                        "id": target.id,
                        "label": target.label,
                        "line": client.line(target.start.line),
                        "column": column(target.start),
                        "endLine": client.line(target.end.line),
                        "endColumn": column(target.end),
                    })
                };
                Some(json!({"targets": all.iter().map(shown).collect::<Vec<_>>()}))
            }
            (Kind::DataVariable { frame, name }, Response::Variables(all)) => {
                let found = all.iter().find(|variable| variable.name == name);
                let missing = || no_info(&format!("there is no variable {name} in this frame"));
                Some(match found.map(|variable| variable.scope == Scope::Global) {
                    Some(is_global) => self.data_id(Container::Frame(frame), name, is_global),
                    None => missing(),
                })
            }
            (Kind::DataPart { name }, Response::Evaluated(value)) => Some(match value.handle {
                Some(handle) => self.data_id(Container::Value(handle), name, false),
                None => no_info("it has no parts"),
            }),
            (Kind::Source, Response::Source { text, .. }) => {
                Some(json!({"content": text, "mimeType": "text/x-ez"}))
            }
            (Kind::Modules(wanted), Response::Modules(all)) => Some(self.modules_shown(&wanted, all)),
            (Kind::Plain | Kind::Terminate, _) => None,
            // An answer to another kind of request.
            (
                Kind::Files
                | Kind::Text
                | Kind::Launch
                | Kind::Attach
                | Kind::Restart(_)
                | Kind::Breakpoints
                | Kind::Exceptions(_)
                | Kind::Data(_)
                | Kind::Locations(..)
                | Kind::Frames
                | Kind::Scopes(_)
                | Kind::Variables(_)
                | Kind::SetVariable
                | Kind::Assigned { .. }
                | Kind::Evaluate { .. }
                | Kind::Completions(_)
                | Kind::LastChange
                | Kind::StepTargets(_)
                | Kind::DataVariable { .. }
                | Kind::DataPart { .. }
                | Kind::Source
                | Kind::Modules(_),
                _,
            ) => None,
        };
        self.numbering.success(out, from, body);
    }

    fn failed(
        &mut self,
        id: RequestId,
        from: &From,
        kind: Kind,
        failure: &Failure,
        cancelled: bool,
        out: &mut Messages,
    ) {
        let mut refusal = Refusal::from(failure.message.clone());
        if cancelled {
            refusal.word = Some("cancelled");
        }
        match kind {
            Kind::Silent | Kind::Start | Kind::Files | Kind::Text => return,
            Kind::Launch | Kind::Attach | Kind::Restart(_) if failure.kind == FailureKind::NoProgram => {
                self.problems(&failure.problems, out);
                refusal.show = true;
                refusal.text = match failure.problems.as_slice() {
                    [] => refusal.text,
                    [problem] => problem.message.clone(),
                    [problem, rest @ ..] => format!("{} (and {} more)", problem.message, rest.len()),
                };
                self.numbering.failure(out, from, &refusal);
                let began = matches!(kind, Kind::Restart(_));
                return self.no_program(began, out);
            }
            Kind::Launch => self.phase = Phase::NoProgram,
            Kind::Restart(before) => self.phase = before,
            Kind::Resume if self.phase == Phase::Running => self.phase = Phase::Stopped,
            // The second half of the request is answered here, too.
            Kind::Assignment => {
                if let Some(second) = self.asked.get_mut(&RequestId(id.0 + 1)) {
                    second.kind = Kind::Silent;
                }
            }
            Kind::Assigned { value } => {
                let body = json!({ "value": value });
                self.numbering.success(out, from, Some(body));
                return self.invalidate(out);
            }
            Kind::DataPart { .. } => {
                return self.numbering.success(out, from, Some(no_info(&failure.message)));
            }
            _ => {}
        }
        self.numbering.failure(out, from, &refusal);
    }

    /// What the client shows is out of date.
    fn invalidate(&mut self, out: &mut Messages) {
        if self.client().wants_invalidated {
            self.numbering.event(out, "invalidated", json!({"areas": ["variables"]}));
        }
    }

    /// A program was loaded.
    fn launched(&mut self, warnings: &[Problem], out: &mut Messages) {
        if self.phase == Phase::Ended {
            return;
        }
        self.process_event("launch", out);
        self.withdraw_going_back(out);
        self.problems(warnings, out);
    }

    /// Without a history there is no going back.
    fn withdraw_going_back(&mut self, out: &mut Messages) {
        if !self.keeps_history {
            let capabilities = json!({"supportsStepBack": false, "supportsRestartFrame": false});
            self.numbering.event(out, "capabilities", json!({ "capabilities": capabilities }));
        }
    }

    /// The client has come to a session that was there.
    fn attached(&mut self, from: &From, attached: &Attached, out: &mut Messages) {
        let Attached { state, stop, dropped_output } = attached;
        self.phase = match state.status {
            Status::NotInitialized => {
                let refusal = "no program is launched here".into();
                return self.numbering.failure(out, from, &refusal);
            }
            Status::Ready => Phase::Launched,
            // Its end is told behind what it has written.
            Status::Running | Status::Exited => Phase::Running,
            Status::Stopped => Phase::Stopped,
        };
        self.attached = true;
        self.keeps_history = state.keeps_history;
        self.program = state.file.clone();
        self.numbering.success(out, from, None::<()>);
        self.process_event("attach", out);
        self.withdraw_going_back(out);
        if *dropped_output > 0 {
            let text = format!("The program has written {dropped_output} bytes more, which were not kept.\n");
            self.numbering.output(out, "console", &text);
        }
        if let Some(stop) = stop {
            self.stopped(stop, out);
        }
        if self.phase == Phase::Launched && self.configured {
            let mut work = Vec::new();
            self.start(&mut work);
            self.follow_up.append(&mut work);
        }
    }

    fn process_event(&mut self, how: &str, out: &mut Messages) {
        let body = json!({
            "name": self.program,
            "systemProcessId": std::process::id(),
            "isLocalProcess": true,
            "startMethod": how,
        });
        self.numbering.event(out, "process", body);
    }

    /// Tells errors and warnings of the program.
    pub(super) fn problems(&mut self, problems: &[Problem], out: &mut Messages) {
        let client = self.client();
        for problem in problems {
            let is_error = problem.severity == Severity::Error;
            let mut body = json!({
                "category": if is_error { "stderr" } else { "console" },
                "output": problem_text(problem),
            });
            if let (Some(at), Value::Object(body)) = (&problem.location, &mut body) {
                body.insert("source".into(), json!(client.source(&at.path)));
                body.insert("line".into(), client.line(at.line).into());
                body.insert("column".into(), client.column_in(&at.path, at.line, at.column).into());
            }
            self.numbering.event(out, "output", body);
        }
    }

    fn frame_shown<'a>(&mut self, frame: &'a Frame, client: &Client) -> StackFrame<'a> {
        let Frame { index, function, location, end, module } = frame;
        let path = &location.path;
        StackFrame {
            id: self.references.frame_id(*index, path),
            name: function,
            source: client.source(path),
            line: client.line(location.line),
            column: client.column_in(path, location.line, location.column),
            end_line: client.line(end.line),
            end_column: client.column_in(path, end.line, end.column),
            module_id: module.as_deref(),
        }
    }

    fn modules_shown(&self, wanted: &Sources, all: &[ModuleInfo]) -> Value {
        let client = self.client();
        match wanted {
            Sources::Files => {
                let sources: Vec<Source> = all
                    .iter()
                    .filter_map(|module| module.path.as_deref())
                    .map(|path| client.source(path))
                    .collect();
                json!({ "sources": sources })
            }
            Sources::Modules { start, count } => {
                let shown = |module: &ModuleInfo| {
                    let is_user = module.kind != ModuleKind::Library;
                    let mut shown = json!({"id": module.name, "name": module.name, "isUserCode": is_user});
                    if let (Some(path), Value::Object(shown)) = (&module.path, &mut shown) {
                        shown.insert("path".into(), client.path(path).into());
                    }
                    shown
                };
                let page: Vec<Value> = all.iter().skip(*start).take(*count).map(shown).collect();
                json!({"modules": page, "totalModules": all.len()})
            }
        }
    }
}

fn problem_text(problem: &Problem) -> String {
    let kind = if problem.severity == Severity::Error { "error" } else { "warning" };
    let mut text = format!("{kind}[{}]: {}\n", problem.code.as_str(), problem.message);
    if let Some(at) = &problem.location {
        text += &format!("  at {}:{}:{}\n", at.path.display(), at.line, at.column);
    }
    if let Some(help) = &problem.help {
        text += &format!("  help: {help}\n");
    }
    for frame in &problem.stack {
        let at = &frame.location;
        text += &format!("  in {} at {}:{}:{}\n", frame.function, at.path.display(), at.line, at.column);
    }
    text
}

fn completion_type(kind: CompletionKind) -> &'static str {
    match kind {
        CompletionKind::Variable => "variable",
        CompletionKind::Constant => "value",
        CompletionKind::Function => "function",
        CompletionKind::Field => "field",
        CompletionKind::Member => "enum",
        CompletionKind::Type => "class",
        CompletionKind::Module => "module",
        CompletionKind::Keyword => "keyword",
    }
}
