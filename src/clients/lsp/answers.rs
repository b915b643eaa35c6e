//! What is answered to requests about a document.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::analysis::{Item, ItemKind, Meaning, outline};
use crate::check::NameKind;
use crate::clients::VERSION;
use crate::diagnostics::{Code, Diagnostic, Edit, Fix, Severity, apply};
use crate::format::format;
use crate::source::{SourceFile, Span};
use crate::syntax::parse_file;

use super::documents::{Documents, Encoding, offset, part, range};
use super::programs::Programs;

/// Answers a request with these parameters about an open document.
pub type Answer = fn(&Documents, &mut Programs, &Path, &Value) -> Value;

/// The answer to a method.
pub fn of(method: &str) -> Option<Answer> {
    Some(match method {
        "textDocument/formatting" => formatting,
        "textDocument/documentSymbol" => symbols,
        "textDocument/hover" => hover,
        "textDocument/definition" => definition,
        "textDocument/completion" => completion,
        "textDocument/codeAction" => actions,
        _ => return None,
    })
}

/// The answer to `initialize`.
pub fn initialized(encoding: Encoding) -> Value {
    let encoding = match encoding {
        Encoding::Utf8 => "utf-8",
        Encoding::Utf16 => "utf-16",
    };
    json!({
        "capabilities": {
            "positionEncoding": encoding,
            "textDocumentSync": {"openClose": true, "change": 2, "save": true},
            "documentFormattingProvider": true,
            "documentSymbolProvider": true,
            "hoverProvider": true,
            "definitionProvider": true,
            "completionProvider": {"triggerCharacters": ["."]},
            "codeActionProvider": {"codeActionKinds": ["quickfix", "source.fixAll"]},
        },
        "serverInfo": {"name": "ez", "version": VERSION},
    })
}

/// The reports of all programs by the URI of their file; open documents without any have none.
pub fn reports(documents: &Documents, programs: &mut Programs) -> BTreeMap<String, Vec<Value>> {
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for document in documents.open.values() {
        found.entry(document.uri.clone()).or_default();
    }
    for analysis in programs.all(documents) {
        for file in analysis.files() {
            let reports = analysis.reports(&file);
            if reports.is_empty() {
                continue;
            }
            let of_file = found.entry(documents.uri(&file.path)).or_default();
            for report in reports {
                let report = diagnostic(&file, report, documents.encoding);
                // A file may be part of several programs.
                if !of_file.contains(&report) {
                    of_file.push(report);
                }
            }
        }
    }
    found
}

fn diagnostic(file: &SourceFile, report: &Diagnostic, encoding: Encoding) -> Value {
    let severity = match report.severity() {
        Severity::Error => 1,
        Severity::Warning => 2,
    };
    // Unnecessary, deprecated.
    let tags: &[u8] = match report.code {
        Code::W1001 | Code::W1002 | Code::W1003 | Code::W1004 | Code::W2001 => &[1],
        Code::W2005 => &[2],
        _ => &[],
    };
    let help = report.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    json!({
        "range": range(file, report.span.unwrap_or(Span::new(file.id, 0, 0)), encoding),
        "severity": severity,
        "code": report.code.as_str(),
        "source": "ez",
        "message": format!("{}{help}", report.message),
        "tags": tags,
    })
}

/// The edits that make one text of another: the lines between the first and the last that differ.
fn whole_edit(file: &SourceFile, new: &str, encoding: Encoding) -> Value {
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

fn formatting(documents: &Documents, _: &mut Programs, path: &Path, _: &Value) -> Value {
    let Some(file) = documents.file(path) else { return Value::Null };
    // A text with syntax errors is left as it is; they are reported anyway.
    format(&file).map_or(Value::Null, |formatted| whole_edit(&file, &formatted, documents.encoding))
}

fn symbols(documents: &Documents, _: &mut Programs, path: &Path, _: &Value) -> Value {
    let Some(file) = documents.file(path) else { return Value::Null };
    outline(&parse_file(&file).file).iter().map(|item| symbol(&file, item, documents.encoding)).collect()
}

fn symbol(file: &SourceFile, item: &Item, encoding: Encoding) -> Value {
    let kind = match item.kind {
        ItemKind::Function => 12,
        ItemKind::Struct => 23,
        ItemKind::Enum => 10,
        ItemKind::Field => 8,
        ItemKind::Member => 22,
        ItemKind::Variable => 13,
        ItemKind::Constant => 14,
    };
    let children: Vec<Value> = item.children.iter().map(|child| symbol(file, child, encoding)).collect();
    json!({
        "name": item.name,
        "kind": kind,
        "range": range(file, item.whole.to(item.at), encoding),
        "selectionRange": range(file, item.at, encoding),
        "children": children,
    })
}

/// The file of the document in its program, and the offset of the position in it.
fn place(documents: &Documents, path: &Path, params: &Value) -> Option<(Rc<SourceFile>, u32)> {
    let file = documents.file(path)?;
    let at = offset(&file.text, &params["position"], documents.encoding);
    Some((file, at as u32))
}

/// What the name at the position means, with the file of the document.
fn meaning(
    documents: &Documents,
    programs: &mut Programs,
    path: &Path,
    params: &Value,
) -> Option<(Meaning, Rc<SourceFile>)> {
    let (file, at) = place(documents, path, params)?;
    Some((programs.of(documents, path)?.meaning(&file, at)?, file))
}

fn hover(documents: &Documents, programs: &mut Programs, path: &Path, params: &Value) -> Value {
    let found = meaning(documents, programs, path, params);
    let Some((meaning, file)) = found else { return Value::Null };
    // A fence that is not in the text, which is foreign.
    let mut fence = "```".to_string();
    while meaning.text.contains(&fence) {
        fence.push('`');
    }
    let doc = meaning.doc.map(|doc| format!("\n\n{}", plain(&doc))).unwrap_or_default();
    let value = format!("{fence}ez\n{}\n{fence}{doc}", meaning.text.trim_end());
    json!({
        "contents": {"kind": "markdown", "value": value},
        "range": range(&file, meaning.at, documents.encoding),
    })
}

/// A text in which no character has a meaning in Markdown.
fn plain(text: &str) -> String {
    let escape = |c: char| match c {
        c if c.is_ascii_punctuation() => format!("\\{c}"),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

fn definition(documents: &Documents, programs: &mut Programs, path: &Path, params: &Value) -> Value {
    let declared = meaning(documents, programs, path, params).and_then(|(meaning, _)| meaning.declared);
    let Some((file, at)) = declared else { return Value::Null };
    json!({"uri": documents.uri(&file.path), "range": range(&file, at, documents.encoding)})
}

fn completion(documents: &Documents, programs: &mut Programs, path: &Path, params: &Value) -> Value {
    let found = place(documents, path, params)
        .and_then(|(file, at)| Some(programs.of(documents, path)?.candidates(&file, at)));
    let items = found.into_iter().flatten().enumerate().map(|(number, candidate)| {
        let kind = match candidate.kind {
            NameKind::Variable => 6,
            NameKind::Constant => 21,
            NameKind::Function => 3,
            NameKind::Member => 20,
            NameKind::Type => 22,
            NameKind::Module => 9,
            NameKind::Keyword => 14,
        };
        json!({
            "label": candidate.name,
            "kind": kind,
            "detail": candidate.detail,
            // In this order: the innermost names are the first.
            "sortText": format!("{number:05}"),
        })
    });
    json!({"isIncomplete": false, "items": items.collect::<Vec<Value>>()})
}

fn actions(documents: &Documents, programs: &mut Programs, path: &Path, params: &Value) -> Value {
    let encoding = documents.encoding;
    let Some(analysis) = programs.of(documents, path) else { return json!([]) };
    let Some(file) = analysis.file(path) else { return json!([]) };
    let start = offset(&file.text, part(params, "/range/start"), encoding) as u32;
    let end = (offset(&file.text, part(params, "/range/end"), encoding) as u32).max(start);
    let only = part(params, "/context/only").as_array();
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
            "diagnostics": [diagnostic(&file, report, encoding)],
            "isPreferred": fix.certain,
            "edit": {"changes": {documents.uri(path): edits}},
        }));
    }
    let certain = reports.iter().filter_map(|report| report.fix.as_ref()).filter(|fix| fix.certain);
    let (mut fixed, count) = apply(&file.text, certain);
    if count > 0 && is_wanted("source.fixAll") {
        if only.is_some() {
            // It is to be applied, not only offered: then what it uncovers is fixed, too, which takes longer.
            fixed = programs.fixed(documents, path).unwrap_or(fixed);
        }
        found.push(json!({
            "title": "Apply all certain fixes",
            "kind": "source.fixAll",
            "edit": {"changes": {documents.uri(path): whole_edit(&file, &fixed, encoding)}},
        }));
    }
    Value::Array(found)
}

fn text_edit(file: &SourceFile, Edit { span, text }: &Edit, encoding: Encoding) -> Value {
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
