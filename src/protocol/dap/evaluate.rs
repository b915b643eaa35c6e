//! Requests about expressions that a user types: `evaluate`, `completions`.

use serde_json::{Value, json};

use ez_engine::api::{Completion, CompletionKind, Evaluate, GetCompletions, Input, Purpose, Status};

use super::client::{code_points, utf16};
use super::values::{COPIED, SHOWN, Variable};
use super::variables::radix;
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler};

/// Input with which a user of the debug console ends the program's standard input (Ctrl+D).
const END_OF_INPUT: &str = "\u{4}";

/// How long an evaluation may take that editors make on their own, at every stop or where the mouse points, in
/// milliseconds: steps wait for them.
const UNASKED: u32 = 500;

pub const REQUESTS: &[(&str, Handler)] =
    &[("evaluate", DapFrontEnd::evaluate), ("completions", DapFrontEnd::completions)];

impl DapFrontEnd {
    fn evaluate(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let expression = params.required_text("expression")?;
        let context = params.text("context")?.unwrap_or("repl");
        let radix = radix(params)?;
        if self.phase == Status::Running && self.waits_for_input && context == "repl" {
            self.waits_for_input = false;
            let eof = expression.trim_end_matches('\n') == END_OF_INPUT;
            self.ask(from, Input { text: (!eof).then_some(expression), eof }, work, |this, from, _, out| {
                let body = json!({"result": "", "variablesReference": 0});
                this.numbering.success(out, from, Some(body));
            });
            return Ok(());
        }
        let (purpose, limits, timeout_ms) = match context {
            "watch" | "hover" => (Purpose::Look, SHOWN, Some(UNASKED)),
            "variables" => (Purpose::Look, SHOWN, None),
            "clipboard" => (Purpose::Look, COPIED, None),
            _ => (Purpose::Prompt, SHOWN, None),
        };
        self.needs_variables()?;
        let frame = self.frame(params)?;
        let question = Evaluate { expression, frame, purpose, timeout_ms, limits };
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

    fn completions(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
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
