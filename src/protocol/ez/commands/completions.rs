//! The command `completions`.

use std::borrow::Cow;

use super::parameters::{FRAME_INDEX, frame};
use super::{Ask, Command, Context, ask};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::{LIST_LIMIT, SMALL_LIMIT};
use crate::protocol::ez::parts::paged;
use crate::protocol::ez::wire::{PartOf, written};
use crate::protocol::json::cut_json;
use crate::protocol::parameter::{Required, Text, Whole, parameters};
use crate::protocol::params::Params;
use ez_engine::api::{Completion, CompletionKind, GetCompletions};

pub const COMMANDS: &[Command] =
    &[Command::since_2("completions", "Asks how a text can go on.", completions)
        .takes(&[&TEXT, &COLUMN, &FRAME_INDEX])
        .answered_by(&["completions"])
        .capability("completions")];

parameters! {
    /// The text.
    TEXT: Required<Text> = "text", Text;
    /// The place in it, in code points from 1.
    COLUMN: Required<Whole> = "column", Whole::POSITIVE;
}

#[cfg(test)]
pub const EVENTS: &[Event] =
    &[event::<CompletionsData>("completions", 2, "How a text can go on.").divided("targets")];

written! {
    struct CompletionsData<'a> {
        /// What can follow.
        targets: Vec<CompletionItem<'a>>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        part: Option<PartOf>,
    }

    /// A way in which a text can go on.
    #[cfg_attr(test, schemars(rename = "Completion"))]
    struct CompletionItem<'a> {
        /// The text to insert.
        label: Cow<'a, str>,
        /// What it is.
        #[cfg_attr(test, schemars(extend("enum" = ["variable", "constant", "function", "field", "member", "type", "module", "keyword"])))]
        kind: &'static str,
        /// The first code point of the text that it replaces, from 1.
        start: u32 = 1..,
        /// How many code points it replaces.
        length: u32,
        /// The type, or what else describes it.
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<Cow<'a, str>>,
    }
}

fn completions(params: &Params, _: Context) -> Result<Ask, String> {
    let text = TEXT.read(params)?;
    let column = COLUMN.read(params)?;
    ask(GetCompletions { text, column, frame: frame(params)? }, |_, asked, all, out| {
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
