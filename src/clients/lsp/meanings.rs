//! What names mean, where else they are, and giving them other names.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use serde_json::{Value, json};

use ez_language::analysis::{ItemKind, Meaning, Occurrence, Referent, Role, edited};
use ez_runtime::source::{SourceFile, Span};

use super::actions::{text_edit, workspace_edit};
use super::asked::{Asked, Refusal};
use super::documents::part;
use super::forms::symbol_kind;
use super::loader::ClientLoader;

fn meaning(asked: &Asked<'_>) -> Option<(Meaning, Rc<SourceFile>)> {
    let (analysis, file, at) = asked.place()?;
    Some((analysis.meaning(&file, at)?, file))
}

pub fn hover(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let Some((meaning, file)) = meaning(asked) else { return Ok(Value::Null) };
    let doc = meaning.doc.map(|doc| format!("\n\n{doc}")).unwrap_or_default();
    let contents = if asked.documents.takes_plain_text_only {
        json!({"kind": "plaintext", "value": format!("{}{doc}", meaning.text.trim_end())})
    } else {
        json!({"kind": "markdown", "value": format!("{}{}", fenced(&meaning.text), plain(&doc))})
    };
    Ok(json!({"contents": contents, "range": asked.range(&file, meaning.at)}))
}

/// A text of the language in Markdown.
fn fenced(text: &str) -> String {
    // A fence that is not in the text, which is foreign.
    let mut fence = "```".to_string();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}ez\n{}\n{fence}", text.trim_end())
}

/// A text in which no character has a meaning in Markdown.
pub fn plain(text: &str) -> String {
    let mut escaped = String::new();
    // Whether there are only blanks and digits before, in the line.
    let mut is_at_start = true;
    for c in text.chars() {
        if "\\`*_[]<>&~|".contains(c) || is_at_start && "#+-=.)".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
        is_at_start = c == '\n' || is_at_start && (c == ' ' || c.is_ascii_digit());
    }
    escaped
}

fn location(asked: &Asked<'_>, place: Option<(Rc<SourceFile>, Span)>) -> Value {
    place.map_or(Value::Null, |(file, at)| asked.location(&file, at))
}

pub fn definition(asked: &Asked<'_>) -> Result<Value, Refusal> {
    Ok(location(asked, meaning(asked).and_then(|(meaning, _)| meaning.declared)))
}

pub fn type_definition(asked: &Asked<'_>) -> Result<Value, Refusal> {
    Ok(location(asked, meaning(asked).and_then(|(meaning, _)| meaning.of_type)))
}

pub fn references(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let with_declaration = part(asked.params, "/context/includeDeclaration") == true;
    let mut found = asked.same()?;
    found.retain(|(_, occurrence)| with_declaration || occurrence.role != Role::Declaration);
    Ok(found.iter().map(|(file, occurrence)| asked.location(file, occurrence.at)).collect())
}

pub fn highlights(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let Some((analysis, file, at)) = asked.place() else { return Ok(json!([])) };
    let Some(named) = analysis.index().at(file.id, at) else { return Ok(json!([])) };
    let highlight = |occurrence: &Occurrence| {
        let kind = match occurrence.role {
            Role::Read => 2,
            Role::Declaration | Role::Write => 3,
        };
        json!({"range": asked.range(&file, occurrence.at), "kind": kind})
    };
    Ok(analysis
        .index()
        .all(named.to)
        .filter(|occurrence| occurrence.at.file == file.id)
        .map(highlight)
        .collect())
}

pub fn prepare_rename(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let (analysis, file, at) = asked.known_place()?;
    let (occurrence, _) = analysis.renamable(&file, at).map_err(Refusal)?;
    Ok(json!({"range": asked.range(&file, occurrence.at), "placeholder": file.slice(occurrence.at)}))
}

pub fn rename(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let new = part(asked.params, "/newName").as_str().ok_or_else(|| Refusal("no 'newName'".into()))?;
    let (own, file, at) = asked.known_place()?;
    let (occurrence, _) = own.renamable(&file, at).map_err(Refusal)?;
    let loader = ClientLoader::new(asked.documents);
    let mut changes: BTreeMap<String, (String, Vec<Value>)> = BTreeMap::new();
    for (main, analysis, to) in asked.everywhere(own, occurrence.to)? {
        let Referent::Source(declared, start) = to else { continue };
        let Some(declared) = analysis.source(declared) else { continue };
        let edits = analysis.rename(&loader, main, (&declared, start), new).map_err(|why| {
            let is_own = std::ptr::eq(analysis, own);
            Refusal(if is_own { why } else { format!("{why} (in the program {})", main.display()) })
        })?;
        for (real, edits) in edits {
            let Some(file) = analysis.file(&real) else { continue };
            let text = edited(&file, &edits);
            let json = edits.iter().map(|edit| text_edit(&file, edit, asked.documents.encoding)).collect();
            let (earlier, _) =
                changes.entry(asked.documents.uri(&file)).or_insert_with(|| (text.clone(), json));
            if *earlier != text {
                return Err(Refusal(format!("{} is part of programs with other names", file.name)));
            }
        }
    }
    Ok(workspace_edit(
        asked.documents,
        changes.into_iter().map(|(uri, (_, edits))| (uri, Value::Array(edits))),
    ))
}

/// The declarations of all programs whose names have the letters of a query in their order.
pub fn workspace_symbols(asked: &Asked<'_>) -> Value {
    let query: Vec<char> =
        part(asked.params, "/query").as_str().unwrap_or_default().to_lowercase().chars().collect();
    let matches = |name: &str| {
        let mut letters = query.iter().peekable();
        for c in name.to_lowercase().chars() {
            letters.next_if(|letter| **letter == c);
        }
        letters.peek().is_none()
    };
    let mut found: Vec<Value> = Vec::new();
    let mut known: HashSet<(PathBuf, u32)> = HashSet::new();
    for analysis in asked.programs.analyses() {
        for symbol in analysis.index().symbols() {
            let Some(file) = analysis.source(symbol.at.file) else { continue };
            let name = file.slice(symbol.at);
            if symbol.is_local || symbol.kind == ItemKind::Module || !matches(name) {
                continue;
            }
            // A file may be part of several programs.
            if known.insert((file.real.clone(), symbol.at.start)) {
                found.push(json!({
                    "name": name,
                    "kind": symbol_kind(symbol.kind),
                    "location": asked.location(&file, symbol.at),
                }));
            }
        }
    }
    Value::Array(found)
}
