//! Runs cells: `execute_request`, input, and interrupts.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};

use super::asked::{Asked, Progress, error_content, failure_content};
use super::cell_debugger::cell_path;
use super::dispatch::Kernel;
use super::running_cell::{Phase, RunningCell};
use crate::protocol::jupyter::content::{
    ErrorContent, ExecuteInput, ExecuteReply, ExecuteRequest, ExecuteResult, InputReply, InputRequest,
    Nothing, Reply,
};
use crate::protocol::jupyter::html;
use ez_engine::api::{
    Cell, CellEnded, CellOutcome, CellStarted, Failure, GetRich, Kill, Pause, Request, RichValue, RunCell,
    SessionRequest,
};
use ez_runtime::value::Stream;

impl Kernel {
    pub fn execute(&mut self, asked: &Asked) -> Result<Progress, ErrorContent> {
        let request: ExecuteRequest = asked.content()?;
        // A cell of nothing is neither counted nor kept.
        let is_blank = request.code.trim().is_empty();
        let stored = request.store_history.unwrap_or(true) && !request.silent && !is_blank;
        if stored {
            self.count += 1;
            self.history.add(self.count, &request.code);
        }
        let parent = asked.message.raw_header.clone();
        self.parent = Some(parent.clone());
        let number = self.count;
        if !request.silent {
            let content = ExecuteInput { code: request.code.clone(), execution_count: number };
            self.tell(Some(&parent), "execute_input", &content);
        }
        let cell = Cell {
            name: if stored { format!("Cell [{number}]") } else { "Cell".into() },
            path: cell_path(&self.conventions, &request.code),
            text: request.code.clone(),
            shows_value: !request.silent,
            stops_on_entry: false,
            refuses_input: !request.allow_stdin,
        };
        self.running = Some(RunningCell {
            asked: asked.clone(),
            request,
            number,
            phase: Phase::Checked,
            interrupted: false,
            wants_input: false,
            expressions: Map::new(),
            missing: 0,
        });
        self.debugger.cell_starts();
        self.ask(RunCell(cell), Kernel::cell_started);
        Ok(Progress::Later)
    }

    fn cell_started(&mut self, result: Result<CellStarted, Failure>) {
        let Some(running) = &mut self.running else { return };
        match result {
            Ok(started) => {
                running.phase = Phase::Runs;
                if running.interrupted {
                    self.ask(Kill, |_, _| ());
                }
                if !started.report.is_empty() {
                    self.printed(Stream::Stderr, &started.report);
                    self.flush_output();
                }
            }
            Err(failure) => {
                let error = self.check_error(failure);
                self.failed(error);
            }
        }
    }

    /// The error for a cell that cannot run.
    fn check_error(&self, failure: Failure) -> ErrorContent {
        let Some(problem) = failure.problems.first() else { return failure_content(&failure) };
        let report = failure.report.unwrap_or_else(|| problem.message.clone());
        ErrorContent {
            ename: problem.code.as_str().into(),
            evalue: problem.message.clone(),
            traceback: report.lines().map(str::to_string).collect(),
        }
    }

    pub fn cell_ended(&mut self, ended: CellEnded) {
        self.flush_output();
        match ended.outcome {
            CellOutcome::Finished { value } => {
                if let Some(value) = value {
                    self.show(&value);
                }
                self.succeeded();
            }
            CellOutcome::Exited(0) => self.succeeded(),
            CellOutcome::Exited(status) => {
                let text = format!("exit({status})");
                self.failed(error_content("exit", &text));
            }
            CellOutcome::Failed { problem, report } => self.failed(ErrorContent {
                ename: problem.code.as_str().into(),
                evalue: problem.message,
                traceback: report.lines().map(str::to_string).collect(),
            }),
            CellOutcome::Interrupted => self.failed(error_content("Interrupted", "interrupted")),
        }
    }

    /// Shows the value of the cell.
    fn show(&mut self, value: &RichValue) {
        let Some(running) = &self.running else { return };
        if running.request.silent {
            return;
        }
        let execution_count = running.number;
        self.history.set_output(&value.text);
        let content = ExecuteResult { data: media(value), metadata: Nothing {}, execution_count };
        self.tell(self.parent.as_ref(), "execute_result", &content);
    }

    /// The cell has ended well: evaluates the expressions that were asked for.
    fn succeeded(&mut self) {
        let Some(running) = &mut self.running else { return };
        running.phase = Phase::Ended;
        let expressions = std::mem::take(&mut running.request.user_expressions);
        running.missing = expressions.len();
        for (name, expression) in expressions {
            match expression {
                Value::String(expression) => {
                    let question = GetRich { expression, frame: 0 };
                    self.ask(question, move |kernel, result| kernel.evaluated(name, result));
                }
                _ => {
                    let failure =
                        Failure::new(ez_engine::api::FailureKind::BadRequest, "an expression is a text");
                    self.evaluated(name, Err(failure));
                }
            }
        }
        self.reply_if_complete();
    }

    fn evaluated(&mut self, name: String, result: Result<Box<RichValue>, Failure>) {
        let Some(running) = &mut self.running else { return };
        let value = match result {
            Ok(value) => json!({ "status": "ok", "data": media(&value), "metadata": {} }),
            Err(failure) => json!(Reply::<Nothing>::Error(failure_content(&failure))),
        };
        running.expressions.insert(name, value);
        running.missing = running.missing.saturating_sub(1);
        self.reply_if_complete();
    }

    fn reply_if_complete(&mut self) {
        if self.running.as_ref().is_some_and(|running| running.phase == Phase::Ended && running.missing == 0)
        {
            self.finish(Reply::Ok(Nothing {}));
        }
    }

    fn failed(&mut self, error: ErrorContent) {
        let Some(running) = &self.running else { return };
        if !running.request.silent {
            self.tell(self.parent.as_ref(), "error", &error);
        }
        let aborts = running.request.stop_on_error;
        if aborts {
            // What was sent before the front end could see the error is aborted, too.
            self.take_arrivals();
        }
        self.finish(Reply::Error(error));
        if aborts {
            self.abort_waiting();
        }
    }

    /// Replies to the request of the cell.
    fn finish(&mut self, end: Reply<Nothing>) {
        self.flush_output();
        let Some(running) = self.running.take() else { return };
        let RunningCell { asked, number, expressions, .. } = running;
        let content =
            ExecuteReply { execution_count: number, payload: [], user_expressions: expressions, end };
        self.reply(&asked, &content);
        self.status(Some(&asked.message.raw_header), "idle");
    }

    /// Aborts the cells that are waiting.
    fn abort_waiting(&mut self) {
        let is_cell = |asked: &Asked| asked.message.header.msg_type == "execute_request";
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let (aborted, kept): (VecDeque<Asked>, VecDeque<Asked>) = waiting.partition(is_cell);
        self.waiting = kept;
        for asked in aborted {
            let parent = asked.message.raw_header.clone();
            self.status(Some(&parent), "busy");
            let content = ExecuteReply {
                execution_count: self.count,
                payload: [],
                user_expressions: Map::new(),
                end: Reply::Aborted,
            };
            self.reply(&asked, &content);
            self.status(Some(&parent), "idle");
        }
    }

    /// Ends what runs.
    pub fn interrupt(&mut self) {
        let Some(running) = &mut self.running else { return };
        running.interrupted = true;
        match running.phase {
            Phase::Checked | Phase::Runs | Phase::Stopped => self.ask(Kill, |_, _| ()),
            Phase::Ended => self.ask(Pause, |_, _| ()),
        }
    }

    pub fn set_stopped(&mut self, stopped: bool) {
        self.flush_output();
        if let Some(running) = &mut self.running
            && matches!(running.phase, Phase::Runs | Phase::Stopped)
        {
            running.phase = if stopped { Phase::Stopped } else { Phase::Runs };
        }
    }

    pub fn printed(&mut self, stream: Stream, text: &str) {
        if self.running.as_ref().is_some_and(|running| running.request.silent) {
            return;
        }
        for sent in self.output.add(stream, text) {
            self.tell(self.parent.as_ref(), "stream", &sent);
        }
    }

    /// The program waits for a line.
    pub fn request_input(&mut self) {
        self.flush_output();
        let Some(running) = &mut self.running else { return };
        running.wants_input = true;
        let message = running.asked.message.clone();
        let content = InputRequest { prompt: String::new(), password: false };
        self.request(&message, "input_request", &content);
    }

    /// A front end has sent a line.
    pub fn input_arrived(&mut self, asked: &Asked) {
        let Some(running) = &mut self.running else { return };
        let is_reply = asked.message.header.msg_type == "input_reply";
        if is_reply
            && let Ok(InputReply { value }) = asked.content()
            && running.wants_input
        {
            running.wants_input = false;
            self.sender.send(Request::Session(SessionRequest::Input { text: Some(value), eof: false }));
        }
    }
}

/// A value by media type.
pub(super) fn media(value: &RichValue) -> Value {
    let mut data = json!({ "text/plain": value.text });
    if let (Some(html), Value::Object(data)) = (html(&value.tree), &mut data) {
        data.insert("text/html".into(), html.into());
    }
    data
}
