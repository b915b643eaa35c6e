//! Completion of names in expressions.

use crate::api::{Completion, CompletionKind};
use crate::debug::inspect::frames::{FrameView, visible_locals};
use crate::debug::inspect::variables::is_shown;
use crate::debug::program::DebuggedProgram;
use ez_language::check::{Allowed, ExtraVariable, NameKind, VisibleName};
use ez_language::syntax::comments::comment_at_start;
use ez_runtime::interp::vm::Vm;
use ez_runtime::value::{FieldDef, Type};

/// The incomplete name before the cursor.
#[derive(Debug, PartialEq, Eq)]
struct Typed<'a> {
    /// The expression before the `.` that precedes the name, if there is a `.`.
    owner: Option<&'a str>,
    /// The part of the name that has been typed.
    name: &'a str,
}

/// The completions at a column (in code points, from 1) of a text, in a frame.
pub fn completions(
    vm: &Vm,
    program: &DebuggedProgram,
    view: &FrameView,
    extras: &[ExtraVariable],
    text: &str,
    column: u32,
) -> Vec<Completion> {
    let end = text.char_indices().nth(column.saturating_sub(1) as usize).map_or(text.len(), |(at, _)| at);
    let before = text.get(..end).unwrap_or(text);
    if !is_code(before) {
        return Vec::new();
    }
    let typed = typed(before);
    let names = match typed.owner {
        Some(owner) => parts_of(vm, program, view, extras, owner),
        None => names(vm, program, view, extras),
    };
    let length = typed.name.chars().count() as u32;
    let start = before.chars().count() as u32 - length + 1;
    let mut found: Vec<Completion> = Vec::new();
    for (label, kind, detail) in names {
        let fits = label.starts_with(typed.name);
        if fits && !found.iter().any(|known| known.label == label) {
            found.push(Completion { label, kind, start, length, detail });
        }
    }
    found
}

type Named = (String, CompletionKind, String);

/// Whether the end of a text is code: not inside of a string, a char or a comment. What is inside of `${…}` in a string
/// is.
fn is_code(before: &str) -> bool {
    let mut rest = before;
    while let Some(begin) = rest.find(['"', '\'', '`', '/']) {
        let tail = rest.get(begin..).unwrap_or_default();
        let end = match tail.as_bytes() {
            [b'/', ..] => comment_at_start(tail).map_or(Some(1), |it| it.is_closed.then(|| it.end())),
            [b'`', ..] => tail.get(1..).and_then(|rest| rest.find('`')).map(|end| end + 2),
            _ => match end_of_quoted(tail) {
                Quoted::Ends(end) => Some(end),
                Quoted::Open => None,
                Quoted::Interpolation(inside) => return is_code(inside),
            },
        };
        match end.and_then(|end| tail.get(end..)) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    true
}

/// Where a string or a char ends that begins at the start of a text.
enum Quoted<'a> {
    /// At this byte, behind the closing quote.
    Ends(usize),
    /// The text ends before.
    Open,
    /// The text ends inside of `${…}`, which begins so.
    Interpolation(&'a str),
}

fn end_of_quoted(text: &str) -> Quoted<'_> {
    let quote = text.chars().next();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        let inside = text.get(at..).and_then(|rest| rest.strip_prefix("${")).filter(|_| quote == Some('"'));
        match (c, inside) {
            ('\\', _) => drop(chars.next()),
            (c, _) if Some(c) == quote => return Quoted::Ends(at + 1),
            (_, Some(inside)) if !inside.contains('}') => return Quoted::Interpolation(inside),
            (_, Some(_)) => drop(chars.find(|(_, c)| *c == '}')),
            (_, None) => {}
        }
    }
    Quoted::Open
}

fn typed(before: &str) -> Typed<'_> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let start = before
        .rfind(|c: char| !is_name(c))
        .map_or(0, |at| at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    let (head, name) = before.split_at_checked(start).unwrap_or(("", before));
    let owner = head.trim_end().strip_suffix('.').map(|head| {
        let head = head.trim_end();
        head.get(owner_start(head)..).unwrap_or(head)
    });
    Typed { owner, name }
}

/// Start of the expression at the end of a text: names, dots, and bracketed parts.
fn owner_start(text: &str) -> usize {
    let mut depth = 0u32;
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        match c {
            ']' | ')' => depth += 1,
            '[' | '(' if depth == 0 => break,
            '[' | '(' => depth -= 1,
            c if depth > 0 || c.is_alphanumeric() || c == '_' || c == '.' => {}
            _ => break,
        }
        start = at;
    }
    start
}

fn named(name: VisibleName) -> Named {
    let kind = match name.kind {
        NameKind::Variable => CompletionKind::Variable,
        NameKind::Constant => CompletionKind::Constant,
        NameKind::Function => CompletionKind::Function,
        NameKind::Field => CompletionKind::Field,
        NameKind::Member => CompletionKind::Member,
        NameKind::Type => CompletionKind::Type,
        NameKind::Module => CompletionKind::Module,
        NameKind::Keyword => CompletionKind::Keyword,
    };
    (name.name.to_string(), kind, name.detail)
}

/// The names that can be used without a prefix; of equal names, the innermost is first.
fn names(vm: &Vm, program: &DebuggedProgram, view: &FrameView, extras: &[ExtraVariable]) -> Vec<Named> {
    let variable = |constant| if constant { CompletionKind::Constant } else { CompletionKind::Variable };
    let temporaries = extras
        .iter()
        .rev()
        .map(|extra| (extra.name.to_string(), variable(extra.constant), extra.ty.to_string()));
    let mut found: Vec<Named> = temporaries.collect();
    if let Some(function) = program.program.function(view.func) {
        let locals = visible_locals(&program.program, view).into_iter().filter_map(|id| function.local(id));
        let locals = locals.filter(|local| is_shown(local));
        found.extend(
            locals.map(|local| (local.name.to_string(), variable(local.constant), local.ty.to_string())),
        );
    }
    found.extend(declared(vm, program.symbols.names_in_file(view.at.file)));
    found
}

/// Names without those of globals that have no value yet.
fn declared(vm: &Vm, names: Vec<VisibleName>) -> impl Iterator<Item = Named> {
    names.into_iter().filter(|name| name.global.is_none_or(|id| vm.is_bound(id))).map(named)
}

/// The names that can follow `owner.`: items of a module, members of an enum, fields of a struct.
fn parts_of(
    vm: &Vm,
    program: &DebuggedProgram,
    view: &FrameView,
    extras: &[ExtraVariable],
    owner: &str,
) -> Vec<Named> {
    let file = view.at.file;
    let offered = program.symbols.names_in_module(file, owner);
    if let Some(names) = offered.or_else(|| program.symbols.members_of_enum(file, owner)) {
        return declared(vm, names).collect();
    }
    fields(&type_of(program, view, extras, owner))
}

/// The static type of an expression, which is not evaluated.
fn type_of(program: &DebuggedProgram, view: &FrameView, extras: &[ExtraVariable], text: &str) -> Type {
    let sources = &program.program.sources;
    let known = sources.len();
    let checked = program.check(view, text, extras, Allowed::Evaluation);
    sources.truncate(known);
    checked.ok().and_then(|fragment| fragment.expr).map_or(Type::Any, |expr| expr.ty)
}

fn fields(ty: &Type) -> Vec<Named> {
    let Type::Struct(def) = ty else { return Vec::new() };
    let field = |field: &FieldDef| (field.name.to_string(), CompletionKind::Field, field.ty.to_string());
    def.fields().iter().map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_comments_are_no_code() {
        for code in [
            "",
            "p.x / n",
            "\"a\" + n",
            "\"a ${n",
            "\"a ${n} ${m[\"k\"].x",
            "'\\'' + n",
            "`a\"` + n",
            "/* \" */ n",
            "// a\nn",
        ] {
            assert!(is_code(code), "{code}");
        }
        for text in
            ["\"poi", "\"a ${n} poi", "m[\"", "// poi", "n // poi", "/* poi", "`a ${n", "'n", "\"a\\\" n"]
        {
            assert!(!is_code(text), "{text}");
        }
    }

    #[test]
    fn the_name_before_the_cursor_is_found() {
        for (before, owner, name) in [
            ("", None, ""),
            ("cou", None, "cou"),
            ("x + cou", None, "cou"),
            ("p.", Some("p"), ""),
            ("p.na", Some("p"), "na"),
            ("1 + items[i + 1].na", Some("items[i + 1]"), "na"),
            ("f(a.b", Some("a"), "b"),
            ("f(a).b.c", Some("f(a).b"), "c"),
            ("größe", None, "größe"),
        ] {
            assert_eq!(typed(before), Typed { owner, name }, "{before}");
        }
    }
}
