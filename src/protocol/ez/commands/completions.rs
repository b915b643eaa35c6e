//! The command `completions`.

use std::borrow::Cow;

use serde::Serialize;

use super::{Ask, Command, Context, ask};
use crate::api::{Completion, CompletionKind, GetCompletions};
use crate::protocol::ez::encode::{LIST_LIMIT, SMALL_LIMIT};
use crate::protocol::ez::parts::paged;
use crate::protocol::ez::wire::PartOf;
use crate::protocol::json::cut_json;
use crate::protocol::params::Params;

pub const COMMANDS: &[Command] = &[Command::new("completions", completions)];

#[derive(Serialize)]
struct CompletionsData<'a> {
    targets: Vec<CompletionItem<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    part: Option<PartOf>,
}

#[derive(Serialize)]
struct CompletionItem<'a> {
    label: Cow<'a, str>,
    kind: &'static str,
    start: u32,
    length: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Cow<'a, str>>,
}

fn completions(params: &Params, _: Context) -> Result<Ask, String> {
    let text = params.required_text("text")?;
    let column = params.required("column", params.number("column", 1, u32::MAX)?)?;
    ask(GetCompletions { text, column, frame: params.frame()? }, |_, asked, all, out| {
        let all = all.iter().map(completion).collect();
        paged(all, out.limit(LIST_LIMIT - 256), asked.id(), |targets, part, id| {
            out.add("completions", CompletionsData { targets, part }, id);
        });
    })
}

fn completion(found: &Completion) -> CompletionItem<'_> {
    CompletionItem {
        label: cut_json(&found.label, SMALL_LIMIT),
        kind: match found.kind {
            CompletionKind::Variable => "variable",
            CompletionKind::Constant => "constant",
            CompletionKind::Function => "function",
            CompletionKind::Field => "field",
            CompletionKind::Member => "member",
            CompletionKind::Type => "type",
            CompletionKind::Module => "module",
            CompletionKind::Keyword => "keyword",
        },
        start: found.start,
        length: found.length,
        detail: (!found.detail.is_empty()).then(|| cut_json(&found.detail, 512)),
    }
}
