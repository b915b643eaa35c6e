//! Help while a text is written: what can stand at a place, and what a call takes.

use serde_json::{Value, json};

use ez_language::check::NameKind;

use super::actions::text_edit;
use super::asked::{Asked, Refusal};
use super::documents::put;
use super::meanings::plain;

pub fn completion(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let found = asked.place().map(|(analysis, file, at)| (analysis.candidates(&file, at), file));
    let Some((candidates, file)) = found else { return Ok(json!({"isIncomplete": false, "items": []})) };
    let items = candidates.into_iter().enumerate().map(|(number, candidate)| {
        let snippet = candidate.snippet.filter(|_| asked.documents.takes_snippets);
        let kind = match candidate.kind {
            NameKind::Variable => 6,
            NameKind::Constant => 21,
            NameKind::Function => 3,
            NameKind::Field => 5,
            NameKind::Member => 20,
            NameKind::Type => 22,
            NameKind::Module => 9,
            NameKind::Keyword if snippet.is_some() => 15,
            NameKind::Keyword => 14,
        };
        let mut item = json!({
            "label": candidate.name,
            "kind": kind,
            "detail": candidate.detail,
            // In this order: the innermost names are the first.
            "sortText": format!("{number:05}"),
        });
        if let Some(snippet) = snippet {
            put(&mut item, "insertText", json!(snippet));
            put(&mut item, "insertTextFormat", json!(2));
        }
        if let Some(import) = &candidate.import {
            let edit = text_edit(&file, import, asked.documents.encoding);
            put(&mut item, "additionalTextEdits", json!([edit]));
        }
        item
    });
    // What has just been written is known better after the next analysis.
    let is_incomplete = asked.draft.is_some();
    Ok(json!({"isIncomplete": is_incomplete, "items": items.collect::<Vec<Value>>()}))
}

pub fn signature(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let found = asked.place().and_then(|(analysis, file, at)| analysis.signature(&file, at));
    let Some(signature) = found else { return Ok(Value::Null) };
    let parameters: Vec<Value> = signature.parameters.iter().map(|label| json!({"label": label})).collect();
    // A number that is left out, or too large, is that of the first one.
    let is_behind = signature.active.is_none() && !parameters.is_empty();
    if is_behind && !asked.documents.takes_no_parameter {
        return Ok(Value::Null);
    }
    let mut shown = json!({"label": signature.label, "parameters": parameters});
    if let Some(doc) = signature.doc {
        put(&mut shown, "documentation", json!({"kind": "markdown", "value": plain(&doc)}));
    }
    let mut answer = json!({"signatures": [shown], "activeSignature": 0});
    if signature.active.is_some() || is_behind {
        put(&mut answer, "activeParameter", json!(signature.active));
    }
    Ok(answer)
}
