//! Edits: fixes of what is reported.

use serde_json::{Value, json};

use crate::diagnostics::{Diagnostic, Edit, Fix, apply};
use crate::source::{SourceFile, Span};

use super::answers::diagnostic;
use super::asked::{Asked, Refusal};
use super::documents::part;
use super::positions::{Encoding, range};

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
    let is_wanted = |kind: &str| {
        only.is_none_or(|only| {
            only.iter()
                .filter_map(Value::as_str)
                .any(|one| kind == one || one == "source" && kind == "source.fixAll")
        })
    };
    let reports = analysis.reports(&file);
    let mut found = Vec::new();
    for report in reports.iter().filter(|_| is_wanted("quickfix")) {
        let (Some(span), Some(fix)) = (report.span, &report.fix) else { continue };
        if span.start > end || span.end < start {
            continue;
        }
        let edits: Vec<Value> = fix.edits.iter().map(|edit| text_edit(&file, edit, encoding)).collect();
        found.push(json!({
            "title": title(&file, report, fix),
            "kind": "quickfix",
            "diagnostics": [diagnostic(asked.documents, analysis, &file, report)],
            "isPreferred": fix.certain,
            "edit": {"changes": {asked.documents.uri(asked.path): edits}},
        }));
    }
    let certain = reports.iter().filter_map(|report| report.fix.as_ref()).filter(|fix| fix.certain);
    let (mut fixed, count) = apply(&file.text, certain);
    if count > 0 && is_wanted("source.fixAll") {
        if only.is_some() {
            // It is to be applied, not only offered: then what it uncovers is fixed, too, which takes longer.
            fixed = asked.programs.fixed(asked.documents, asked.path).unwrap_or(fixed);
        }
        found.push(json!({
            "title": "Apply all certain fixes",
            "kind": "source.fixAll",
            "edit": {"changes": {asked.documents.uri(asked.path): whole_edit(&file, &fixed, encoding)}},
        }));
    }
    Ok(Value::Array(found))
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
