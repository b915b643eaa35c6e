//! The command `evaluate`.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::parameters::{FRAME_INDEX, RADIX, frame};
use super::{Ask, Command, Context, ask};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::{SMALL_LIMIT, TEXT_LIMIT};
use crate::protocol::ez::parts::divided;
use crate::protocol::ez::sink::Sink;
use crate::protocol::ez::values::{PREVIEW, type_name, value_more};
use crate::protocol::ez::wire::{PartOf, ValueMore, written};
use crate::protocol::json::cut_json;
use crate::protocol::parameter::{Optional, Required, Text, Whole, Word, parameters};
use crate::protocol::params::Params;
use crate::protocol::value_text::{preview, text_in};
use ez_engine::api::{Described, Evaluate, Limits, Purpose, Value};

pub const COMMANDS: &[Command] =
    &[Command::new("evaluate", "Computes an expression, or makes an assignment, in a frame.", evaluate)
        .takes(&[&EXPRESSION, &FRAME_INDEX, &CONTEXT, &FORMAT, &TIMEOUT_MS, &RADIX])
        .answered_by(&["evaluateResult"])];

parameters! {
    /// The expression.
    EXPRESSION: Required<Text> = "expression", Text;
    /// With `watch` and `hover`, an expression with an effect is refused (default: `repl`).
    CONTEXT: Optional<Word<Purpose>> = "context",
        Word(&[("repl", Purpose::Prompt), ("watch", Purpose::Look), ("hover", Purpose::Look)]), since_2();
    /// Whether the value is shown in full, up to 1 MiB (default: `preview`).
    FORMAT: Optional<Word<bool>> = "format", Word(&[("preview", false), ("full", true)]), since_2();
    /// How long it may take, in milliseconds (default: 5,000; with `watch` and `hover` 500).
    TIMEOUT_MS: Optional<Whole> = "timeoutMs", Whole(1, 600_000), since_2();
}

/// Limits for a value that the client wants in full.
const FULL: Limits = Limits { parts: usize::MAX, bytes: 1024 * 1024 };

#[cfg(test)]
pub const EVENTS: &[Event] =
    &[event::<EvaluateResultData>("evaluateResult", 1, "The value of an expression.").divided("result")];

written! {
    struct EvaluateResultData<'a> {
        /// The expression.
        expression: Cow<'a, str>,
        /// The value, as it is shown.
        result: String,
        /// The type of the value; `void` if there is none.
        #[serde(rename = "type")]
        type_name: Cow<'a, str>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        more: Option<ValueMore<'a>>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        part: Option<PartOf>,
    }
}

fn evaluate(params: &Params, context: Context) -> Result<Ask, String> {
    let unsaid = if context.version >= 2 { Purpose::Prompt } else { Purpose::Plain };
    let expression = EXPRESSION.read(params)?;
    let frame = frame(params)?;
    let purpose = CONTEXT.read(params)?.unwrap_or(unsaid);
    let timeout_ms = TIMEOUT_MS.read(params)?;
    let full = FORMAT.read(params)?.unwrap_or(false);
    let radix = RADIX.read(params)?.unwrap_or_default();
    let limits = if full { FULL } else { context.limits() };
    let question = Evaluate { expression: expression.clone(), frame, purpose, timeout_ms, limits };
    ask(question, move |client, asked, value, out| {
        evaluated(out, &expression, &radix.described(value), (client.speaks_2(), full), asked.id());
    })
}

/// Writes the event `evaluateResult`; `more`: with the additions of version 2. `full`: the whole value, in
/// several events if necessary.
pub fn evaluated(
    out: &mut Sink,
    expression: &str,
    value: &Described,
    (more, full): (bool, bool),
    id: Option<&RawValue>,
) {
    let result = |text: String, truncated: bool, part: Option<PartOf>| EvaluateResultData {
        expression: cut_json(expression, SMALL_LIMIT),
        result: text,
        type_name: type_name(value),
        more: more.then(|| value_more(value, truncated)),
        part,
    };
    let is_nothing = value.declared_type == "void";
    if let (true, false, Value::Opaque { kind, .. }) = (is_nothing, more, &value.value) {
        // As clients of version 1 know it.
        let data =
            EvaluateResultData { type_name: kind.as_str().into(), ..result("nil".into(), false, None) };
        return out.add("evaluateResult", data, id);
    }
    if !full || is_nothing {
        let (text, truncated) = preview(&value.value, out.notation, if more { PREVIEW } else { TEXT_LIMIT });
        return out.add("evaluateResult", result(text, truncated, None), id);
    }
    let text = text_in(&value.value, out.notation);
    divided(&text, out.limit(TEXT_LIMIT), id, |piece, part, id| {
        out.add("evaluateResult", result(piece.to_string(), value.value.is_cut(), part), id);
    });
}
