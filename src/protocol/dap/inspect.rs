//! Requests that inspect a stopped program or its source.

use serde_json::{Value, json};

use crate::api::{
    self, Children, Completion, CompletionKind, Container, Evaluate, ExceptionFilter, Frame, GetChildren,
    GetCompletions, GetStackTrace, GetStepTargets, GetVariables, Input, Position, Purpose, Scope,
    SetVariable, StepTarget,
};
use crate::protocol::params::Params;
use crate::protocol::radix::Radix;
use crate::protocol::{Messages, Received};

use super::client::{Client, code_points, utf16};
use super::decode::RequestHeader;
use super::lifecycle::NOTHING;
use super::references::Target;
use super::values::{COPIED, SHOWN, Variable, Variables};
use super::wire::{self, StackFrame};
use super::writing::Refusal;
use super::{DapFrontEnd, Handler, ProgramState, check_thread};

/// Maximum number of parts in a response without paging.
const MAX: usize = 10_000;

/// Input with which a user of the debug console ends the program's standard input (Ctrl+D).
const END_OF_INPUT: &str = "\u{4}";

pub const REQUESTS: &[(&str, Handler)] = &[
    ("stackTrace", DapFrontEnd::stack_trace),
    ("scopes", DapFrontEnd::scopes),
    ("variables", DapFrontEnd::variables),
    ("setVariable", DapFrontEnd::set_variable),
    ("setExpression", DapFrontEnd::set_expression),
    ("evaluate", DapFrontEnd::evaluate),
    ("completions", DapFrontEnd::completions),
    ("stepInTargets", DapFrontEnd::step_targets),
    ("exceptionInfo", DapFrontEnd::exception_info),
];

/// The radix of integers in the answer to a request: `format`, with `hex`.
pub fn radix(params: &Params) -> Result<Radix, String> {
    let hex = params.object("format", |format| format.flag("hex"))?.unwrap_or(false);
    Ok(if hex { Radix::Hexadecimal } else { Radix::Decimal })
}

impl DapFrontEnd {
    /// The frame index for the parameter `frameId`; the innermost frame if it is missing.
    pub(super) fn frame(&self, params: &Params) -> Result<usize, Refusal> {
        match params.number("frameId", 0, u32::MAX)? {
            None => Ok(0),
            Some(id) => Ok(self.references.frame(id)?),
        }
    }

    fn stack_trace(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        check_thread(params)?;
        let start = params.number("startFrame", 0, u32::MAX)?.unwrap_or(0) as usize;
        let levels = params.number("levels", 0, u32::MAX)?.filter(|levels| *levels > 0);
        self.needs_stop()?;
        let count = levels.map_or(usize::MAX, |levels| levels as usize);
        self.ask(from, GetStackTrace { start, count }, work, |this, from, trace, out| {
            let client = this.client();
            let shown = trace.frames.iter().map(|frame| this.frame_shown(frame, &client)).collect();
            let body = wire::StackTrace { stack_frames: shown, total_frames: trace.total };
            this.numbering.success(out, from, Some(body));
        });
        Ok(())
    }

    fn scopes(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        params.required("frameId", params.number("frameId", 0, u32::MAX)?)?;
        self.needs_stop()?;
        let frame = self.frame(params)?;
        let question = GetVariables { frame, scope: None, limits: NOTHING };
        self.ask(from, question, work, move |this, from, all, out| {
            let scopes = this.scopes_of(frame, all);
            this.numbering.success(out, from, Some(scopes));
        });
        Ok(())
    }

    fn variables(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        let reference =
            params.required("variablesReference", params.number("variablesReference", 0, u32::MAX)?)?;
        let start = params.number("start", 0, u32::MAX)?.unwrap_or(0) as usize;
        let count = params.number("count", 0, u32::MAX)?.filter(|count| *count > 0);
        let filter = params.word("filter", &[("indexed", true), ("named", false)])?;
        let radix = radix(params)?;
        self.needs_variables()?;
        let target = self.references.target(reference)?;
        let counted = matches!(target, Target::Parts { counted: true, .. });
        let (shown, whole) = (count.map_or(MAX, |count| count as usize), count.is_none());
        if filter.is_some_and(|wanted| wanted != counted) {
            self.answer_now(from, Some(json!({"variables": []})), work);
            return Ok(());
        }
        match target {
            Target::Scope(frame, scope) => {
                let only = (self.cells.is_none() || scope == Scope::Global).then_some(scope);
                let question = GetVariables { frame, scope: only, limits: SHOWN };
                self.ask(from, question, work, move |this, from, all, out| {
                    let of_scope: Vec<_> =
                        all.iter().filter(|variable| this.scope_shown(variable.scope) == scope).collect();
                    let page = of_scope.into_iter().skip(start).take(shown);
                    let variables = this.variables_shown(page, radix);
                    this.numbering.success(out, from, Some(Variables { variables }));
                });
            }
            Target::Parts { handle, .. } => {
                let question = GetChildren { handle, start, count: shown, limits: SHOWN };
                self.ask(from, question, work, move |this, from, Children { children, total }, out| {
                    let mut variables = this.variables_shown(children.iter(), radix);
                    let left = total.saturating_sub(start + variables.len());
                    if whole && left > 0 {
                        variables.push(Variable::rest(left));
                    }
                    this.numbering.success(out, from, Some(Variables { variables }));
                });
            }
            Target::Returned => {
                let returned: Vec<Variable> =
                    self.returned(radix).into_iter().skip(start).take(shown).collect();
                self.answer_now(from, Some(json!({ "variables": returned })), work);
            }
        }
        Ok(())
    }

    fn set_variable(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        let reference =
            params.required("variablesReference", params.number("variablesReference", 0, u32::MAX)?)?;
        let (name, value) = (params.required_text("name")?, params.required_text("value")?);
        let radix = radix(params)?;
        self.needs_variables()?;
        let container = match self.references.target(reference)? {
            Target::Scope(frame, _) => Container::Frame(frame),
            Target::Parts { handle, .. } => Container::Value(handle),
            Target::Returned => return Err("what a function has returned cannot be changed".into()),
        };
        let question = SetVariable { container, name, value, limits: SHOWN };
        self.ask(from, question, work, move |this, from, variable, out| {
            let client = this.client();
            let shown = Variable::new(&radix.variable(variable), &client, &mut this.references);
            this.numbering.success(out, from, Some(shown.result("value")));
            this.invalidate(out);
        });
        Ok(())
    }

    fn set_expression(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        let (expression, value) = (params.required_text("expression")?, params.required_text("value")?);
        let radix = radix(params)?;
        self.needs_variables()?;
        let frame = self.frame(params)?;
        let evaluate =
            |expression, purpose| Evaluate { expression, frame, purpose, timeout_ms: None, limits: SHOWN };
        let assignment = evaluate(format!("{expression} = {value}"), Purpose::Plain);
        // The new value is requested at once, so that nothing can run in between.
        let mut afterwards = Vec::new();
        let second = self.ask_or(
            from,
            evaluate(expression, Purpose::Look),
            &mut afterwards,
            move |this, from, value, out| {
                let client = this.client();
                let value = &radix.described(value);
                let shown = Variable::described(String::new(), value, &client, &mut this.references);
                this.numbering.success(out, from, Some(shown.result("value")));
                this.invalidate(out);
            },
            // What was assigned cannot be evaluated without effects: the new value is shown as it was typed.
            move |this, from, _, _, out| {
                this.numbering.success(out, from, Some(json!({ "value": value })));
                this.invalidate(out);
            },
        );
        if let Some(asked) = self.asked.get_mut(&second) {
            asked.can_be_cancelled = false;
        }
        let failed = move |this: &mut DapFrontEnd, from: &RequestHeader, _: &_, refusal, out: &mut _| {
            this.asked.remove(&second);
            this.numbering.failure(out, from, &refusal);
        };
        self.ask_or(from, assignment, work, |_, _, _, _| (), failed);
        work.append(&mut afterwards);
        Ok(())
    }

    fn evaluate(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        let expression = params.required_text("expression")?;
        let context = params.text("context")?.unwrap_or("repl");
        let radix = radix(params)?;
        if self.phase == ProgramState::Running && self.waits_for_input && context == "repl" {
            self.waits_for_input = false;
            let eof = expression.trim_end_matches('\n') == END_OF_INPUT;
            self.ask(from, Input { text: (!eof).then_some(expression), eof }, work, |this, from, _, out| {
                let body = json!({"result": "", "variablesReference": 0});
                this.numbering.success(out, from, Some(body));
            });
            return Ok(());
        }
        let (purpose, limits) = match context {
            "watch" | "hover" | "variables" => (Purpose::Look, SHOWN),
            "clipboard" => (Purpose::Look, COPIED),
            _ => (Purpose::Prompt, SHOWN),
        };
        self.needs_variables()?;
        let frame = self.frame(params)?;
        let question = Evaluate { expression, frame, purpose, timeout_ms: None, limits };
        self.ask(from, question, work, move |this, from, value, out| {
            let client = this.client();
            let shown =
                Variable::described(String::new(), &radix.described(value), &client, &mut this.references);
            this.numbering.success(out, from, Some(shown.result("result")));
            if purpose == Purpose::Prompt {
                this.invalidate(out);
            }
        });
        Ok(())
    }

    fn completions(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        let client = self.client();
        let text = params.required_text("text")?;
        let column = params.required("column", client.column_of(params, "column")?)?;
        let line = client.line_of(params, "line")?.unwrap_or(1);
        // The text may have several lines; the cursor is on this one.
        let text = text.lines().nth(line as usize - 1).unwrap_or_default().to_string();
        self.needs_variables()?;
        let frame = self.frame(params)?;
        let column = code_points(&text, column);
        let question = GetCompletions { text: text.clone(), column, frame };
        self.ask(from, question, work, move |this, from, all, out| {
            let client = this.client();
            let shown = |completion: &Completion| {
                let start = utf16(&text, completion.start);
                json!({
                    "label": completion.label,
                    "type": completion_type(completion.kind),
                    "detail": completion.detail,
                    "start": client.column(start),
                    "length": utf16(&text, completion.start + completion.length) - start,
                })
            };
            let targets: Vec<Value> = all.iter().map(shown).collect();
            this.numbering.success(out, from, Some(json!({ "targets": targets })));
        });
        Ok(())
    }

    fn step_targets(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        self.needs_stop()?;
        let frame = self.frame(params)?;
        let path = self.references.path(frame);
        self.ask(from, GetStepTargets { frame }, work, move |this, from, all, out| {
            let client = this.client();
            let column = |at: Position| match &path {
                Some(path) => client.column_in(path, at.line, at.column),
                None => client.column(at.column),
            };
            let shown = |target: &StepTarget| {
                json!({
                    "id": target.id,
                    "label": target.label,
                    "line": client.line(target.start.line),
                    "column": column(target.start),
                    "endLine": client.line(target.end.line),
                    "endColumn": column(target.end),
                })
            };
            let targets: Vec<Value> = all.iter().map(shown).collect();
            this.numbering.success(out, from, Some(json!({ "targets": targets })));
        });
        Ok(())
    }

    fn exception_info(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        check_thread(params)?;
        self.needs_stop()?;
        let Some(raised) = &self.stop.raised else {
            return Err("the program has not stopped at an error".into());
        };
        let client = self.client();
        let at = |frame: &crate::api::Frame| {
            let (path, line) = (frame.location.path.display(), client.line(frame.location.line));
            format!("in {} at {path}:{line}\n", frame.function)
        };
        let stack: String = raised.stack.iter().map(at).collect();
        // A run-time error has a code and ends the program; an `Error` value may be handled.
        let is_value = raised.filter == ExceptionFilter::ErrorValue;
        let mut details: Value = json!({
            "message": raised.message,
            "typeName": if is_value { "Error" } else { "run-time error" },
            "stackTrace": stack,
        });
        if let (Some(help), Value::Object(details)) = (&raised.help, &mut details) {
            details.insert("help".into(), help.as_str().into());
        }
        let body = json!({
            "exceptionId": raised.code.as_deref().unwrap_or("Error"),
            "description": raised.message,
            "breakMode": if is_value { "always" } else { "unhandled" },
            "details": details,
        });
        self.answer_now(from, Some(body), work);
        Ok(())
    }

    fn frame_shown<'a>(&mut self, frame: &'a Frame, client: &Client) -> StackFrame<'a> {
        let Frame { index, function, location, end, module, begin: _ } = frame;
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

    /// Variables or parts of values in the form of the protocol.
    pub(super) fn variables_shown<'a>(
        &mut self,
        all: impl Iterator<Item = &'a api::Variable>,
        radix: Radix,
    ) -> Vec<Variable> {
        let client = self.client();
        all.map(|variable| Variable::new(&radix.variable(variable), &client, &mut self.references)).collect()
    }

    /// Tells the client that the values it shows are out of date.
    fn invalidate(&mut self, out: &mut Messages) {
        if self.client().wants_invalidated {
            self.numbering.event(out, "invalidated", json!({"areas": ["variables"]}));
        }
    }
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
