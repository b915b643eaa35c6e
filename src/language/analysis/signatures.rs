//! The signature of the call around a place.

use crate::check::Declaration;
use crate::syntax::ast::StmtKind;
use crate::syntax::unescaped;
use ez_runtime::source::SourceFile;
use ez_runtime::value::Type;

use super::Analysis;
use super::chains::{Call, Cursor};
use super::names::innermost;

/// A function, or a struct, with what is written in its parentheses or braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// `name(a int, b string) -> int`
    pub label: String,
    /// The parts of the label for each parameter, in their order.
    pub parameters: Vec<String>,
    pub doc: Option<String>,
    /// The number of the parameter that is being written, or is the next one; `None` behind the last.
    pub active: Option<usize>,
}

impl Analysis {
    /// The signature of the innermost call, or struct literal, around an offset of a file.
    pub fn signature(&self, file: &SourceFile, offset: u32) -> Option<Signature> {
        let cursor = Cursor::new(self, file, offset);
        let end = cursor.tokens.partition_point(|(_, at)| at.start < offset);
        let call = cursor.call(end)?;
        if call.is_literal {
            return cursor.literal(&call, end);
        }
        match cursor.callee(call.name)? {
            Declaration::Row(module, row) => {
                let name = format!("{}.{}", module.name, row.name);
                let inner = row.signature.strip_prefix('(').unwrap_or(row.signature);
                let parameters = separated(inner);
                let repeats = parameters.last().is_some_and(|last| last.ends_with("..."));
                let last = parameters.len().saturating_sub(1);
                let active = if repeats { call.argument.min(last) } else { call.argument };
                Some(Signature {
                    label: format!("{name}{}", row.signature),
                    active: (active < parameters.len()).then_some(active),
                    parameters,
                    doc: Some(row.doc.to_string()),
                })
            }
            Declaration::Source(at) => {
                let known = &self.known;
                let source = known.source(at.file)?;
                let stmt = innermost(&known.tree(at.file)?.items, at.start)?;
                let StmtKind::Func(decl) = &stmt.kind else { return None };
                let parameters = decl.params.iter().map(|param| {
                    let mark = if param.by_ref { "&" } else { "" };
                    let default = param.default.as_ref().map(|it| format!(" = {}", source.slice(it.span)));
                    let (name, ty) = (&param.name.text, source.slice(param.ty.span));
                    format!("{mark}{name} {ty}{}", default.unwrap_or_default())
                });
                let parameters: Vec<String> = parameters.collect();
                let results = known.checked.symbols.result_types(at).iter().map(Type::to_string);
                let results = match results.collect::<Vec<String>>().as_slice() {
                    [] => String::new(),
                    [one] => format!(" -> {one}"),
                    several => format!(" -> ({})", several.join(", ")),
                };
                Some(Signature {
                    label: format!("{}({}){results}", decl.name.text, parameters.join(", ")),
                    active: (call.argument < parameters.len()).then_some(call.argument),
                    parameters,
                    doc: stmt.attrs.doc.as_ref().and_then(|doc| doc.as_deref()).map(unescaped),
                })
            }
            Declaration::Library(_) => None,
        }
    }
}

impl Cursor<'_> {
    /// The fields of a struct whose literal is being written.
    fn literal(&self, call: &Call, end: usize) -> Option<Signature> {
        let (symbols, known) = self.known()?;
        let name = self.text(call.name);
        let ty = symbols.type_named(known, self.module_before(call.name), name)?;
        let Type::Struct(def) = &ty else { return None };
        let parameters: Vec<String> =
            def.fields().iter().map(|field| format!("{}: {}", field.name, field.ty)).collect();
        // The fields that are written: in which argument, and which.
        let colons =
            (call.name..end).filter(|index| self.kind(*index) == Some(crate::syntax::TokenKind::Colon));
        let written = colons.filter_map(|colon| {
            let argument = self.call(colon).filter(|it| it.name == call.name)?.argument;
            Some((argument, def.field_index(self.text(colon.checked_sub(1)?))?))
        });
        let written: Vec<(usize, usize)> = written.collect();
        let here = written.iter().find(|(argument, _)| *argument == call.argument).map(|(_, field)| *field);
        let is_missing = |field: &usize| written.iter().all(|(_, other)| other != field);
        Some(Signature {
            label: format!("{name}{{{}}}", parameters.join(", ")),
            // Or the first that is missing.
            active: here.or_else(|| (0..parameters.len()).find(is_missing)),
            parameters,
            doc: None,
        })
    }
}

/// The parts of a list that ends with the `)` that nothing in it opens.
fn separated(list: &str) -> Vec<String> {
    let (mut depth, mut parts, mut part) = (0usize, Vec::new(), String::new());
    for c in list.chars() {
        match c {
            ')' if depth == 0 => break,
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    parts.push(part);
    parts.into_iter().map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
}
