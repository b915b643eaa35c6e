//! What the server can do, and which reports it publishes.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::clients::VERSION;
use ez_language::analysis::Analysis;
use ez_runtime::diagnostics::{Code, Diagnostic, Severity};
use ez_runtime::source::{SourceFile, Span};

use super::asked::Answer;
use super::documents::{Documents, part, put};
use super::positions::{Encoding, range};
use super::programs::Programs;
use super::{actions, forms, meanings, writing};

/// The answer to a method.
pub fn of(method: &str) -> Option<Answer> {
    Some(match method {
        "textDocument/formatting" => forms::formatting,
        "textDocument/documentSymbol" => forms::symbols,
        "textDocument/foldingRange" => forms::folding,
        "textDocument/selectionRange" => forms::selection,
        "textDocument/inlayHint" => forms::hints,
        "textDocument/semanticTokens/full" | "textDocument/semanticTokens/range" => forms::tokens,
        "textDocument/hover" => meanings::hover,
        "textDocument/definition" => meanings::definition,
        "textDocument/typeDefinition" => meanings::type_definition,
        "textDocument/references" => meanings::references,
        "textDocument/documentHighlight" => meanings::highlights,
        "textDocument/prepareRename" => meanings::prepare_rename,
        "textDocument/rename" => meanings::rename,
        "textDocument/completion" => writing::completion,
        "textDocument/signatureHelp" => writing::signature,
        "textDocument/codeAction" => actions::actions,
        _ => return None,
    })
}

/// What the parameters of a method need and lack: a position, positions or a range, with lines and characters.
pub fn missing(method: &str, params: &Value) -> Option<&'static str> {
    let is_position =
        |at: &Value| ["line", "character"].iter().all(|name| at.get(name).is_some_and(Value::is_u64));
    let (name, is_right) = match method {
        "textDocument/formatting"
        | "textDocument/documentSymbol"
        | "textDocument/foldingRange"
        | "textDocument/semanticTokens/full" => return None,
        "textDocument/selectionRange" => {
            let all = params.get("positions").and_then(Value::as_array);
            ("positions", all.is_some_and(|all| all.iter().all(is_position)))
        }
        "textDocument/inlayHint" | "textDocument/semanticTokens/range" | "textDocument/codeAction" => {
            ("range", ["/range/start", "/range/end"].iter().all(|end| is_position(part(params, end))))
        }
        _ => ("position", is_position(part(params, "/position"))),
    };
    (!is_right).then_some(name)
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
            "workspaceSymbolProvider": true,
            "workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}},
            "foldingRangeProvider": true,
            "selectionRangeProvider": true,
            "inlayHintProvider": true,
            "semanticTokensProvider": {
                "legend": {"tokenTypes": forms::COLOURS, "tokenModifiers": forms::MODIFIERS},
                "full": true,
                "range": true,
            },
            "hoverProvider": true,
            "definitionProvider": true,
            "typeDefinitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": {"prepareProvider": true},
            "completionProvider": {"triggerCharacters": [".", "@", "#"]},
            "signatureHelpProvider": {"triggerCharacters": ["(", ",", "{"]},
            "codeActionProvider": {"codeActionKinds": ["quickfix", actions::FIX_ALL]},
        },
        "serverInfo": {"name": "ez", "version": VERSION},
    })
}

/// The page that lists the codes of reports.
const CODES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/language/reports.md#codes");

/// The reports of all programs by the URI of their file; open documents without any have none.
pub fn reports(documents: &Documents, programs: &Programs) -> BTreeMap<String, Vec<Value>> {
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    // A file may be part of several programs.
    let mut known: HashSet<(PathBuf, String)> = HashSet::new();
    for (uri, _) in documents.uris() {
        found.entry(uri.into()).or_default();
    }
    for analysis in programs.of_open(documents) {
        for file in analysis.files() {
            let reports = analysis.reports(&file);
            if reports.is_empty() {
                continue;
            }
            let of_file = found.entry(documents.uri(&file)).or_default();
            for report in reports {
                let report = diagnostic(documents, analysis, &file, report);
                if known.insert((file.real.clone(), report.to_string())) {
                    of_file.push(report);
                }
            }
        }
    }
    // A file that is open by several URIs.
    for (uri, real) in documents.uris().filter(|(uri, real)| documents.counts(uri, real)) {
        let same = documents.uris().filter(|(_, other)| *other == real).map(|(other, _)| other);
        if let Some(reports) = same.filter_map(|other| found.get(other)).find(|reports| !reports.is_empty()) {
            found.insert(uri.into(), reports.clone());
        }
    }
    found
}

pub fn diagnostic(
    documents: &Documents,
    analysis: &Analysis,
    file: &SourceFile,
    report: &Diagnostic,
) -> Value {
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
    let mut shown = json!({
        "range": range(file, report.span.unwrap_or(Span::new(file.id, 0, 0)), documents.encoding),
        "severity": severity,
        "code": report.code.as_str(),
        "codeDescription": {"href": CODES},
        "source": "ez",
        "message": format!("{}{help}", report.message),
        "tags": tags,
    });
    if let Some((at, what)) = report.related
        && let Some(file) = analysis.source(at.file)
    {
        let location = json!({"uri": documents.uri(&file), "range": range(&file, at, documents.encoding)});
        put(&mut shown, "relatedInformation", json!([{"location": location, "message": what}]));
    }
    shown
}
