//! Requests that inspect a stopped program or its source.

use serde_json::{Value, json};

use crate::api::{
    Container, Evaluate, ExceptionFilter, Inspect, LastChangeQuery, Limits, Purpose, Query, Request,
};
use crate::protocol::Received;
use crate::protocol::params::Params;

use super::answers::{Kind, Page, Sources};
use super::client::code_points;
use super::decode::RequestHeader;
use super::lifecycle::NOTHING;
use super::references::Target;
use super::values::{COPIED, SHOWN, Variable};
use super::writing::Refusal;
use super::{DapFrontEnd, Phase, check_thread};

/// Maximum number of parts in a response without paging.
const MAX: usize = 10_000;

/// Input with which a user of the debug console ends the program's standard input (Ctrl+D).
const END_OF_INPUT: &str = "\u{4}";

impl DapFrontEnd {
    fn inspect(&mut self, from: &RequestHeader, request: Inspect, kind: Kind, work: &mut Vec<Received>) {
        self.ask(from, Request::Inspect(request), kind, work);
    }

    /// The frame index for the parameter `frameId`; the innermost frame if it is missing.
    fn frame(&self, params: &Params) -> Result<usize, Refusal> {
        match params.number("frameId", 0, u32::MAX)? {
            None => Ok(0),
            Some(id) => Ok(self.references.frame(id)?),
        }
    }

    pub(super) fn stack_trace(
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
        self.inspect(from, Inspect::StackTrace { start, count }, Kind::Frames, work);
        Ok(())
    }

    pub(super) fn scopes(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        params.required("frameId", params.number("frameId", 0, u32::MAX)?)?;
        self.needs_stop()?;
        let frame = self.frame(params)?;
        let request = Inspect::Variables { frame, scope: None, limits: NOTHING };
        self.inspect(from, request, Kind::Scopes(frame), work);
        Ok(())
    }

    pub(super) fn variables(
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
        self.needs_stop()?;
        let target = self.references.target(reference)?;
        let counted = matches!(target, Target::Parts { counted: true, .. });
        let page = Page { start, count: count.map_or(MAX, |count| count as usize), whole: count.is_none() };
        if filter.is_some_and(|wanted| wanted != counted) {
            self.answer_now(from, Some(json!({"variables": []})), work);
            return Ok(());
        }
        match target {
            Target::Scope(frame, scope) => {
                let request = Inspect::Variables { frame, scope: Some(scope), limits: SHOWN };
                self.inspect(from, request, Kind::Variables(page), work);
            }
            Target::Parts { handle, .. } => {
                let request = Inspect::Children { handle, start, count: page.count, limits: SHOWN };
                self.inspect(from, request, Kind::Variables(page), work);
            }
            Target::Returned => {
                let returned: Vec<Variable> =
                    self.returned().into_iter().skip(start).take(page.count).collect();
                self.answer_now(from, Some(json!({ "variables": returned })), work);
            }
        }
        Ok(())
    }

    pub(super) fn set_variable(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        let reference =
            params.required("variablesReference", params.number("variablesReference", 0, u32::MAX)?)?;
        let (name, value) = (params.required_text("name")?, params.required_text("value")?);
        self.needs_stop()?;
        let container = match self.references.target(reference)? {
            Target::Scope(frame, _) => Container::Frame(frame),
            Target::Parts { handle, .. } => Container::Value(handle),
            Target::Returned => return Err("what a function has returned cannot be changed".into()),
        };
        let request = Inspect::SetVariable { container, name, value, limits: SHOWN };
        self.inspect(from, request, Kind::SetVariable, work);
        Ok(())
    }

    pub(super) fn set_expression(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        let (expression, value) = (params.required_text("expression")?, params.required_text("value")?);
        self.needs_stop()?;
        let frame = self.frame(params)?;
        let evaluate = |expression: String, purpose| {
            Inspect::Evaluate(Evaluate { expression, frame, purpose, timeout_ms: None, limits: SHOWN })
        };
        let assignment = evaluate(format!("{expression} = {value}"), Purpose::Plain);
        // The new value is requested at once, so that nothing can run in between.
        self.inspect(from, assignment, Kind::Assignment, work);
        self.inspect(from, evaluate(expression, Purpose::Look), Kind::Assigned { value }, work);
        Ok(())
    }

    pub(super) fn evaluate(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        let expression = params.required_text("expression")?;
        let context = params.text("context")?.unwrap_or("repl");
        if self.phase == Phase::Running && self.waits_for_input && context == "repl" {
            self.waits_for_input = false;
            let eof = expression.trim_end_matches('\n') == END_OF_INPUT;
            let request = Request::Input { text: (!eof).then_some(expression), eof };
            self.ask(from, request, Kind::Input, work);
            return Ok(());
        }
        let (purpose, limits) = match context {
            "watch" | "hover" | "variables" => (Purpose::Look, SHOWN),
            "clipboard" => (Purpose::Look, COPIED),
            _ => (Purpose::Prompt, SHOWN),
        };
        self.needs_stop()?;
        let frame = self.frame(params)?;
        let request = Inspect::Evaluate(Evaluate { expression, frame, purpose, timeout_ms: None, limits });
        self.inspect(from, request, Kind::Evaluate { has_effects: purpose == Purpose::Prompt }, work);
        Ok(())
    }

    pub(super) fn completions(
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
        self.needs_stop()?;
        let frame = self.frame(params)?;
        let column = code_points(&text, column);
        let request = Inspect::Completions { text: text.clone(), column, frame };
        self.inspect(from, request, Kind::Completions(text), work);
        Ok(())
    }

    /// The custom request `lastChange`.
    pub(super) fn last_change(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        self.needs_stop()?;
        let expression = params.required_text("expression")?;
        let query = LastChangeQuery { expression, frame: self.frame(params)?, limits: Limits::PREVIEW };
        self.inspect(from, Inspect::LastChange(query), Kind::LastChange, work);
        Ok(())
    }

    pub(super) fn step_targets(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        self.needs_stop()?;
        let frame = self.frame(params)?;
        let path = self.references.path(frame);
        self.inspect(from, Inspect::StepTargets { frame }, Kind::StepTargets(path), work);
        Ok(())
    }

    pub(super) fn exception_info(
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

    pub(super) fn source(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        let file = self.client().path_of(params, "source")?;
        self.ask(from, Request::Query(Query::Source { file }), Kind::Source, work);
        Ok(())
    }

    pub(super) fn modules(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        let kind = if from.command == "modules" {
            let start = params.number("startModule", 0, u32::MAX)?.unwrap_or(0) as usize;
            let count = params.number("moduleCount", 0, u32::MAX)?.filter(|count| *count > 0);
            Sources::Modules { start, count: count.map_or(usize::MAX, |count| count as usize) }
        } else {
            Sources::Files
        };
        self.ask(from, Request::Query(Query::Modules), Kind::Modules(kind), work);
        Ok(())
    }
}
