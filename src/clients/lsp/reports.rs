//! The reports that the server publishes.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use ez_language::analysis::Analysis;
use ez_runtime::diagnostics::{Code, Diagnostic, Severity};
use ez_runtime::source::{SourceFile, Span};

use super::documents::{Documents, put};
use super::positions::range;
use super::programs::Programs;

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
