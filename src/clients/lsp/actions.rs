//! Edits: fixes of what is reported.

use serde_json::{Map, Value, json};

use ez_runtime::diagnostics::{Diagnostic, Edit, Fix, apply};
use ez_runtime::source::{SourceFile, Span};

use super::asked::{Asked, Refusal};
use super::documents::{Documents, part};
use super::positions::{Encoding, range};
use super::reports::diagnostic;

/// The edits that make one text of another: the lines between the first and the last that differ.
pub fn whole_edit(file: &SourceFile, new: &str, encoding: Encoding) -> Value {
    let old = &*file.text;
    if old == new {
        return json!([]);
    }
    let same = |(a, b): &(&str, &str)| a == b;
    let length =
        |lines: &mut dyn Iterator<Item = (&str, &str)>| -> usize { lines.map(|(line, _)| line.len()).sum() };
    let start = length(&mut old.split_inclusive('\n').zip(new.split_inclusive('\n')).take_while(same));
    let most = (old.len() - start).min(new.len() - start);
    let mut behind = 0;
    for (line, _) in old.split_inclusive('\n').rev().zip(new.split_inclusive('\n').rev()).take_while(same) {
        if behind + line.len() > most {
            break;
        }
        behind += line.len();
    }
    let span = Span::new(file.id, start, old.len() - behind);
    let text = new.get(start..new.len() - behind).unwrap_or_default();
    json!([{"range": range(file, span, encoding), "newText": text}])
}

pub fn actions(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let encoding = asked.documents.encoding;
    let Some((analysis, file)) = asked.program() else { return Ok(json!([])) };
    let start = asked.offset(&file, "/range/start");
    let end = asked.offset(&file, "/range/end").max(start);
    let only = part(asked.params, "/context/only").as_array();
    // An empty list asks for nothing, which no client means; an empty kind is the root of all.
    let only = only.filter(|only| !only.is_empty());
    let is_wanted = |kind: &str| {
        let is_below = |one: &str| {
            one.is_empty()
                || kind.strip_prefix(one).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        only.is_none_or(|only| only.iter().filter_map(Value::as_str).any(is_below))
    };
    let uri = asked.documents.uri(&file);
    let edit = |edits: Value| workspace_edit(asked.documents, [(uri.clone(), edits)]);
    let reports = analysis.reports(&file);
    let mut found = Vec::new();
    for report in reports.iter().filter(|_| is_wanted("quickfix")) {
        let (Some(span), Some(fix)) = (report.span, &report.fix) else { continue };
        if span.start > end || span.end < start {
            continue;
        }
        let edits: Value = fix.edits.iter().map(|edit| text_edit(&file, edit, encoding)).collect();
        found.push(json!({
            "title": title(&file, report, fix),
            "kind": "quickfix",
            "diagnostics": [diagnostic(asked.documents, analysis, &file, report)],
            "isPreferred": fix.certain,
            "edit": edit(edits),
        }));
    }
    let certain = reports.iter().filter_map(|report| report.fix.as_ref()).filter(|fix| fix.certain);
    let (mut fixed, count) = apply(&file.text, certain);
    if count > 0 && is_wanted(FIX_ALL) {
        if only.is_some() {
            // It is to be applied, not only offered: then what it uncovers is fixed, too, which takes longer.
            fixed = asked.programs.fixed(asked.documents, asked.real).unwrap_or(fixed);
        }
        found.push(json!({
            "title": "Apply all certain fixes",
            "kind": FIX_ALL,
            "edit": edit(whole_edit(&file, &fixed, encoding)),
        }));
    }
    Ok(Value::Array(found))
}

/// The kind of the action that applies all certain fixes, below the `source.fixAll` of the protocol.
pub const FIX_ALL: &str = "source.fixAll.ez";

/// A `WorkspaceEdit` of edits by URI; where the client takes them, with the versions of the texts that they are for, so that
/// it can refuse those for another one.
pub fn workspace_edit(documents: &Documents, edits: impl IntoIterator<Item = (String, Value)>) -> Value {
    if !documents.takes_versions {
        return json!({"changes": edits.into_iter().collect::<Map<String, Value>>()});
    }
    let of_document = |(uri, edits): (String, Value)| {
        let version = documents.version(&uri);
        json!({"textDocument": {"uri": uri, "version": version}, "edits": edits})
    };
    json!({"documentChanges": edits.into_iter().map(of_document).collect::<Value>()})
}

pub fn text_edit(file: &SourceFile, Edit { span, text }: &Edit, encoding: Encoding) -> Value {
    // Lines end as in the file.
    let text = if file.text.contains("\r\n") { text.replace('\n', "\r\n") } else { text.clone() };
    json!({"range": range(file, *span, encoding), "newText": text})
}

/// What a fix does, in a line.
fn title(file: &SourceFile, report: &Diagnostic, fix: &Fix) -> String {
    let [Edit { span, text }] = fix.edits.as_slice() else {
        return report.help.clone().unwrap_or_else(|| report.message.clone());
    };
    let before = file.slice(*span);
    match (before.is_empty(), text.trim()) {
        (true, text) => format!("Add '{}'", text.replace('\n', "; ")),
        (false, "") => format!("Remove '{before}'"),
        (false, text) => format!("Replace '{before}' by '{text}'"),
    }
}
