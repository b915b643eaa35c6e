//! The functions declared in a source text.

use std::path::Path;

use ez_language::syntax::ast::StmtKind;
use ez_language::syntax::parse_file;
use ez_runtime::source::SourceMap;

/// A function in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, without the module's.
    pub name: String,
    /// Its first line.
    pub first: u32,
    /// Its last line.
    pub last: u32,
}

/// The functions that are declared in a text, in order.
pub fn functions(text: &str) -> Vec<Function> {
    let sources = SourceMap::new();
    let source = sources.add("", Path::new(""), text);
    let parsed = parse_file(&source);
    let mut found = Vec::new();
    for item in &parsed.file.items {
        if let StmtKind::Func(function) = &item.kind {
            let last = source.line(item.span.end.saturating_sub(1));
            found.push(Function {
                name: function.name.text.to_string(),
                first: source.line(item.span.start),
                last,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_lines() {
        let text = "import @std\ndo f() {\n}\n\nprivate do g() -> int {\n  return 1\n}\ndo broken( {\n";
        let found = functions(text);
        let found: Vec<(&str, u32, u32)> = found.iter().map(|f| (f.name.as_str(), f.first, f.last)).collect();
        assert_eq!(found[..2], [("f", 2, 3), ("g", 5, 7)]);
    }
}
