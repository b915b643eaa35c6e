//! Requests about the frames of a stopped program: `stackTrace`, `stepInTargets`, `exceptionInfo`.

use serde_json::{Value, json};

use crate::protocol::Messages;
use crate::protocol::params::Params;
use ez_engine::api::{
    ExceptionFilter, Frame, GetStackTrace, GetStepTargets, Position, StackTrace, StepTarget,
};

use super::client::Client;
use super::decode::RequestHeader;
use super::frame_format::FrameFormat;
use super::wire::{self, StackFrame};
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler, check_thread};

pub const REQUESTS: &[(&str, Handler)] = &[
    ("stackTrace", DapFrontEnd::stack_trace),
    ("stepInTargets", DapFrontEnd::step_targets),
    ("exceptionInfo", DapFrontEnd::exception_info),
];

impl DapFrontEnd {
    /// The frame index for the parameter `frameId`; the innermost frame if it is missing.
    pub(super) fn frame(&self, params: &Params) -> Result<usize, Refusal> {
        match params.number("frameId", 0, u32::MAX)? {
            None => Ok(0),
            Some(id) => Ok(self.references.frame(id)?),
        }
    }

    fn stack_trace(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        check_thread(params)?;
        let start = params.number("startFrame", 0, u32::MAX)?.unwrap_or(0) as usize;
        let levels = params.number("levels", 0, u32::MAX)?.filter(|levels| *levels > 0);
        let format = FrameFormat::new(params)?;
        self.needs_stop()?;
        let count = levels.map_or(usize::MAX, |levels| levels as usize);
        self.ask(from, GetStackTrace { start, count }, work, move |this, from, trace, out| {
            if format.has_parameters() {
                this.describe_frames(from, &trace.frames, GetStackTrace { start, count }, format);
            } else {
                this.answer_trace(from, trace, |_, line| format.suffix(None, line), out)
            }
        });
        Ok(())
    }

    /// Answers a `stackTrace`. `suffix` is what the name of a frame has behind the function's, by its line in the
    /// client's numbering.
    pub(super) fn answer_trace(
        &mut self,
        from: &RequestHeader,
        trace: &StackTrace,
        suffix: impl Fn(&Frame, u32) -> String,
        out: &mut Messages,
    ) {
        let client = self.client();
        let shown = |frame| self.frame_shown(frame, &client, &suffix);
        let shown = trace.frames.iter().map(shown).collect();
        let body = wire::StackTrace { stack_frames: shown, total_frames: trace.total };
        self.numbering.success(out, from, Some(body));
    }

    fn step_targets(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
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

    fn exception_info(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        check_thread(params)?;
        self.needs_stop()?;
        if let Some(body) = self.stop.output.clone() {
            self.answer_now(from, Some(body), work);
            return Ok(());
        }
        let Some(raised) = &self.stop.raised else {
            return Err("the program has not stopped at an error".into());
        };
        let client = self.client();
        let at = |frame: &Frame| {
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

    fn frame_shown(
        &mut self,
        frame: &Frame,
        client: &Client,
        suffix: impl Fn(&Frame, u32) -> String,
    ) -> StackFrame {
        // Not where the statement ends: an editor selects what it is told, and what is typed would take its place.
        let Frame { index, function, location, end: _, module: _, begin: _ } = frame;
        let path = &location.path;
        let line = client.line(location.line);
        StackFrame {
            id: self.references.frame_id(*index, path),
            name: format!("{function}{}", suffix(frame, line)),
            source: client.source(path),
            line,
            column: client.column_in(path, location.line, location.column),
            module_id: client.path(path),
        }
    }
}
