//! The form of a text: its layout, outline, folds, selections, hints and colours.

use serde_json::{Value, json};

use ez_language::analysis::{Colour, Fold, Item, ItemKind, folds, outline, selections};
use ez_language::format::format;
use ez_runtime::source::{SourceFile, SourceMap, Span};
use ez_runtime::text::slice;

use super::actions::whole_edit;
use super::asked::{Asked, Refusal};
use super::documents::{part, put};
use super::positions::{mark, offset, position, units};

pub fn formatting(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let Some(text) = asked.documents.text(asked.real) else { return Ok(Value::Null) };
    let file = SourceMap::new().add("", asked.real, text);
    // A text with syntax errors is left as it is; they are reported anyway.
    let formatted = format(&file);
    Ok(formatted.map_or(Value::Null, |new| whole_edit(&file, &new, asked.documents.encoding)))
}

pub fn symbols(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let Some((analysis, file)) = asked.program() else { return Ok(Value::Null) };
    let items = analysis.tree(&file).map(outline).unwrap_or_default();
    Ok(items.iter().map(|item| symbol(asked, &file, item)).collect())
}

fn symbol(asked: &Asked<'_>, file: &SourceFile, item: &Item) -> Value {
    let children: Vec<Value> = item.children.iter().map(|child| symbol(asked, file, child)).collect();
    json!({
        "name": item.name,
        "kind": symbol_kind(item.kind),
        "range": asked.range(file, item.whole.to(item.at)),
        "selectionRange": asked.range(file, item.at),
        "children": children,
    })
}

/// The number that the protocol gives a kind of declaration.
pub fn symbol_kind(kind: ItemKind) -> u8 {
    match kind {
        ItemKind::Function => 12,
        ItemKind::Struct => 23,
        ItemKind::Enum => 10,
        ItemKind::Field => 8,
        ItemKind::Member => 22,
        ItemKind::Variable | ItemKind::Parameter => 13,
        ItemKind::Constant => 14,
        ItemKind::Module => 2,
    }
}

pub fn folding(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let Some((analysis, file)) = asked.program() else { return Ok(Value::Null) };
    let imports = analysis.tree(&file).map(|tree| tree.imports.iter().map(|import| import.span).collect());
    let imports: Vec<Span> = imports.unwrap_or_default();
    let fold = |(first, last, kind): (u32, u32, Fold)| {
        let line = |line| file.editor_line(file.line_start(line)).0;
        let mut fold = json!({"startLine": line(first), "endLine": line(last)});
        match kind {
            Fold::Region => {}
            Fold::Comment => put(&mut fold, "kind", json!("comment")),
            Fold::Imports => put(&mut fold, "kind", json!("imports")),
        }
        fold
    };
    Ok(folds(&file, &imports).into_iter().map(fold).collect())
}

/// Selections of a position at most, from the innermost on.
const MOST_SELECTIONS: usize = 100;

pub fn selection(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let Some((analysis, file)) = asked.program() else { return Ok(Value::Null) };
    let Some(positions) = part(asked.params, "/positions").as_array() else {
        return Err(Refusal("no 'positions'".into()));
    };
    let stmts = analysis.tree(&file).map_or(&[][..], |tree| tree.items.as_slice());
    let chain = |at: &Value| {
        let at = offset(&file, at, asked.documents.encoding) as u32;
        // Answers are nested: what reads them may have no room for more.
        selections(&file, stmts, at).into_iter().take(MOST_SELECTIONS).rev().fold(
            Value::Null,
            |parent, span| {
                let mut range = json!({"range": asked.range(&file, span)});
                if !parent.is_null() {
                    put(&mut range, "parent", parent);
                }
                range
            },
        )
    };
    Ok(positions.iter().map(chain).collect())
}

pub fn hints(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let Some((analysis, file)) = asked.program() else { return Ok(Value::Null) };
    let (start, end) = (asked.offset(&file, "/range/start"), asked.offset(&file, "/range/end"));
    let hints = analysis.hints(&file).into_iter();
    let hint = |(name, ty): (Span, String)| {
        let at = position(&file, name.end, asked.documents.encoding);
        // As it would be written.
        json!({"position": at, "label": ty, "kind": 1, "paddingLeft": true})
    };
    Ok(hints.filter(|(name, _)| start <= name.end && name.end <= end).map(hint).collect())
}

/// The types of tokens, in the order of [`Colour`].
pub const COLOURS: [&str; 14] = [
    "namespace",
    "type",
    "struct",
    "enum",
    "enumMember",
    "property",
    "function",
    "variable",
    "parameter",
    "keyword",
    "string",
    "number",
    "comment",
    "operator",
];

pub const MODIFIERS: [&str; 3] = ["declaration", "readonly", "defaultLibrary"];

fn colour_number(colour: Colour) -> u32 {
    match colour {
        Colour::Namespace => 0,
        Colour::Type => 1,
        Colour::Struct => 2,
        Colour::Enum => 3,
        Colour::EnumMember => 4,
        Colour::Property => 5,
        Colour::Function => 6,
        Colour::Variable => 7,
        Colour::Parameter => 8,
        Colour::Keyword => 9,
        Colour::Text => 10,
        Colour::Number => 11,
        Colour::Comment => 12,
        Colour::Operator => 13,
    }
}

pub fn tokens(asked: &Asked<'_>) -> Result<Value, Refusal> {
    let Some((analysis, file)) = asked.program() else { return Ok(Value::Null) };
    let (mut start, mut end) = (0, file.text.len() as u32);
    if !part(asked.params, "/range").is_null() {
        (start, end) = (asked.offset(&file, "/range/start"), asked.offset(&file, "/range/end"));
    }
    let mut data: Vec<u32> = Vec::new();
    let (mut line, mut column) = (0, 0);
    // How far a line has been counted: its number, up to where, and units of the protocol.
    let mut counted = (u32::MAX, 0, 0);
    for it in analysis.colours(&file) {
        if it.at.end < start || end < it.at.start {
            continue;
        }
        let modifiers =
            u32::from(it.is_declaration) | u32::from(it.is_constant) << 1 | u32::from(it.is_library) << 2;
        // A token is in one line.
        let mut from = it.at.start;
        while from < it.at.end {
            let (number, begin) = file.editor_line(from);
            let rest = slice(&file.text, from as usize..it.at.end as usize);
            let text = rest.split(['\n', '\r']).next().unwrap_or_default();
            let count = |part: &str| units(part, asked.documents.encoding) as u32;
            if counted.0 != number || from < counted.1 {
                counted = (number, begin, mark(&file, number, asked.documents.encoding) as u32);
            }
            let before = counted.2 + count(slice(&file.text, counted.1 as usize..from as usize));
            counted = (number, from, before);
            from += text.len() as u32 + 1;
            if text.is_empty() {
                continue;
            }
            let lines = number.saturating_sub(line);
            let columns = if lines == 0 { before.saturating_sub(column) } else { before };
            data.extend([lines, columns, count(text), colour_number(it.colour), modifiers]);
            (line, column) = (number, before);
        }
    }
    Ok(json!({"data": data}))
}
