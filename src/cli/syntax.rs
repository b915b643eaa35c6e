//! `ez lex FILE` and `ez parse FILE`: what a program's text is made of.

use std::rc::Rc;

use crate::clients::show::{Style, absolute, print, report, unreadable};
use ez_language::modules::{DiskLoader, SourceLoader};
use ez_language::syntax;
use ez_runtime::diagnostics::has_errors;
use ez_runtime::platform::reason;
use ez_runtime::source::{SourceFile, SourceMap};

fn read(file: &str) -> Result<(SourceMap, Rc<SourceFile>), u8> {
    let path = absolute(file);
    let text = DiskLoader.read(&path).map_err(|error| {
        eprintln!("{}", unreadable(file, &reason(&error)));
        1
    })?;
    let sources = SourceMap::new();
    let source = sources.add(file, &path, &text);
    Ok((sources, source))
}

/// `ez lex`.
pub fn lex(file: &str) -> u8 {
    let (_, source) = match read(file) {
        Ok(found) => found,
        Err(status) => return status,
    };
    let (tokens, _) = syntax::lex(&source);
    let mut text = String::new();
    for token in tokens {
        let at = source.position(token.span.start);
        let kind = token.kind;
        text.push_str(&format!("{}:{} {kind:?} {}\n", at.line, at.column, source.slice(token.span)));
    }
    print(&text);
    0
}

/// `ez parse`.
pub fn parse(file: &str, style: Style) -> u8 {
    let (sources, source) = match read(file) {
        Ok(found) => found,
        Err(status) => return status,
    };
    let parsed = syntax::parse_file(&source);
    report(&parsed.diagnostics, &sources, style);
    print(&format!("{:#?}\n", parsed.file));
    u8::from(has_errors(&parsed.diagnostics))
}
