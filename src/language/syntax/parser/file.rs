//! The file level: `module`, `import`, `using`, file-level `#suppress`.

use std::collections::HashSet;
use std::rc::Rc;

use super::{Parser, Wanted};
use crate::syntax::ast::{File, Import, ImportItem, ImportTarget, Name, Using};
use crate::syntax::token::TokenKind;
use ez_runtime::diagnostics::{Code, Diagnostic};

impl Parser<'_> {
    /// The whole file.
    pub(super) fn file(&mut self) -> File {
        let module = self.module();
        let mut items = Vec::new();
        let mut declared = false;
        loop {
            match self.kind() {
                TokenKind::Eof => break,
                TokenKind::Module => self.late_module(module.is_some()),
                TokenKind::Import => self.file_import(declared),
                TokenKind::Using => self.file_using(declared),
                TokenKind::Suppress if !declared && self.suppress_is_for_file() => self.file_suppress(),
                TokenKind::Ident if self.foreign_import() => {}
                _ => {
                    let (before, private) = (items.len(), self.at(TokenKind::Private));
                    self.statement_at_file_level(&mut items);
                    // What is wrong declares nothing, and an import with attributes is still an import.
                    declared |= private || items.len() > before;
                }
            }
        }
        File {
            id: self.origin.file,
            module,
            imports: std::mem::take(&mut self.imports),
            usings: std::mem::take(&mut self.usings),
            suppress: std::mem::take(&mut self.suppress),
            items,
        }
    }

    fn module(&mut self) -> Option<Name> {
        self.eat(TokenKind::Module)?;
        self.wants(Wanted::New);
        let token = self.expect(TokenKind::Ident)?;
        Some(self.name(token))
    }

    fn late_module(&mut self, again: bool) {
        let keyword = self.bump().span;
        let message = if again {
            "duplicate module declaration"
        } else {
            "module declaration must be the first statement in the file"
        };
        self.error(Code::E2002, keyword, message);
        self.eat(TokenKind::Ident);
    }

    fn file_import(&mut self, declared: bool) {
        if declared {
            self.misplaced_import(false);
            return;
        }
        let start = self.pos;
        if self.import().is_none() {
            self.recover(start);
        }
    }

    /// Reports a misplaced import and parses it all the same.
    pub(super) fn misplaced_import(&mut self, reported: bool) {
        let place = if self.scopes.len() > 1 { "not inside blocks" } else { "before any declarations" };
        let message = format!("import statements must appear at the top of the file, {place}");
        if !reported {
            self.error(Code::E2036, self.tok().span, message);
        }
        let start = self.pos;
        if self.without_reports(Self::import).is_none() {
            self.recover(start);
        }
    }

    fn import(&mut self) -> Option<()> {
        let keyword = self.bump().span;
        let mut auto_use = false;
        if self.eat(TokenKind::Amp).is_some() {
            auto_use = true;
            if self.eat(TokenKind::Use).is_none() {
                let message = "expected 'use' after '&' in import statement";
                self.error(Code::E2002, self.tok().span, message);
            }
        }
        let mut items = Vec::new();
        let mut whole = true;
        loop {
            match self.import_item() {
                Some(item) => items.push(item),
                None => whole = false,
            }
            if !whole || self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.broken_import |= !whole;
        let span = keyword.to(self.prev_span());
        self.imports.push(Import { keyword, span, auto_use, items });
        whole.then_some(())
    }

    fn import_item(&mut self) -> Option<ImportItem> {
        self.wants(Wanted::Import);
        let first = self.tok();
        let mut alias = None;
        if first.kind == TokenKind::Ident && matches!(self.nth(1).kind, TokenKind::At | TokenKind::Str) {
            self.bump();
            alias = Some(self.name(first));
        }
        let target = match self.kind() {
            TokenKind::At => {
                self.bump();
                if !self.at(TokenKind::Ident) {
                    let message = format!("expected module name after '@', got {}", self.found());
                    self.error(Code::E2002, self.tok().span, message);
                    return None;
                }
                let token = self.bump();
                ImportTarget::Library(self.name(token))
            }
            TokenKind::Str => ImportTarget::Path(self.bump().text.into()),
            _ => {
                let message = format!("expected '@' or a path in import statement, got {}", self.found());
                let help = match self.tok() {
                    token if token.kind == TokenKind::Ident => {
                        let name = token.text;
                        format!(
                            "a module of the library is imported with '@': import @{name}; a file or directory with its path: import \"./{name}\""
                        )
                    }
                    _ => "a module of the library is written @name, a file or directory \"./name\"".into(),
                };
                self.report(Diagnostic::new(Code::E2002, first.span, message).help(help));
                return None;
            }
        };
        Some(ImportItem { alias, target, span: first.span.to(self.prev_span()) })
    }

    fn file_using(&mut self, declared: bool) {
        let (start, keyword) = (self.pos, self.tok().span);
        if declared {
            let message = "file-scoped 'using' must come before all declarations";
            self.error(Code::E2009, keyword, message);
        }
        let Some(using) = self.using() else { return self.recover(start) };
        if !declared && !self.broken_import {
            self.check_imported(&using);
        }
        self.usings.push(using);
    }

    fn check_imported(&mut self, using: &Using) {
        let mut known: HashSet<Rc<str>> = HashSet::new();
        for item in self.imports.iter().flat_map(|import| &import.items) {
            known.insert(item.local_name());
            if let ImportTarget::Library(name) = &item.target {
                known.insert(name.text.clone());
            }
        }
        for name in using.names.iter().filter(|name| !known.contains(&name.text)) {
            let message = format!("cannot use module '{}' before importing it", name.text);
            self.error(Code::E2010, using.keyword, message);
        }
    }

    /// `using a, b`, anywhere.
    pub(super) fn using(&mut self) -> Option<Using> {
        let keyword = self.bump().span;
        let mut names = Vec::new();
        loop {
            self.wants(Wanted::Module);
            let token = self.expect(TokenKind::Ident)?;
            names.push(self.name(token));
            if self.eat(TokenKind::Comma).is_none() {
                return Some(Using { keyword, names });
            }
        }
    }

    /// Whether the `#suppress` here is the file's and not an attribute of the next declaration. Decided
    /// by the characters after its `)`; comments are not skipped.
    fn suppress_is_for_file(&self) -> bool {
        if self.nth(1).kind != TokenKind::LeftParen {
            return true;
        }
        let mut ahead = 2;
        while !matches!(self.nth(ahead).kind, TokenKind::RightParen | TokenKind::Eof) {
            ahead += 1;
        }
        let end = self.nth(ahead).span.end as usize;
        let rest = self.origin.text.get(end..).unwrap_or("");
        let rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        !["do", "const", "private", "#doc", "#suppress"].iter().any(|word| rest.starts_with(word))
    }

    fn file_suppress(&mut self) {
        let keyword = self.bump().span;
        if self.eat(TokenKind::LeftParen).is_none() {
            let message = "#suppress requires parentheses with warning code(s)";
            self.error(Code::E2002, keyword, message);
            return;
        }
        let mut codes = Vec::new();
        loop {
            self.wants(Wanted::New);
            let token = self.tok();
            match token.kind {
                TokenKind::RightParen => break,
                TokenKind::Comma => {}
                TokenKind::Ident | TokenKind::Str => codes.extend(self.warning_code(token)),
                TokenKind::Eof => break,
                _ => {
                    self.error(Code::E2002, token.span, "expected warning code in #suppress");
                    if token.kind.starts_statement() {
                        break;
                    }
                }
            }
            self.bump();
        }
        self.eat(TokenKind::RightParen);
        self.suppress.extend(codes);
    }
}
