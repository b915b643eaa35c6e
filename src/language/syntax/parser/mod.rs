//! The parser: recursive descent over the tokens of a text.
//!
//! A parsing function returns `None` after it has reported an error from which it cannot continue. Line ends
//! are not part of the grammar; only error recovery uses them.

mod attributes;
mod blocks;
mod declarations;
mod enums_structs;
mod expressions;
mod file;
mod fixes;
mod foreign_statements;
mod functions;
mod hints;
mod literals;
mod recovery;
mod rewritten;
mod statements;
mod strings;
mod types;
mod wanted;

pub use enums_structs::enum_base;
pub use strings::{lex_deeply, unescaped};
pub use wanted::{Wanted, wanted};

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use super::ast::{Expr, File, Import, Name, Stmt, Using};
use super::lexer::{self, Origin};
use super::token::{Token, TokenKind};
use ez_runtime::diagnostics::{Code, Diagnostic, Fix, Help, Severity};
use ez_runtime::platform;
use ez_runtime::source::{FileId, SourceFile, Span};
use ez_runtime::sync::{ALONE, has_small_stack};
use ez_runtime::text::slice;

/// Maximum nesting of blocks, expressions and types; small enough for every thread's stack.
const MAX_DEPTH: u32 = 500;
/// Maximum nesting, and maximum height, on the small stack of a browser that has one only.
const SMALL: (u32, u32) = (200, 400);
/// Maximum height of an expression's tree: a long chain `a + b + …` is parsed in a loop, but later passes
/// recurse over its tree. The first number is small enough for every thread's stack, the second for those on
/// which programs run. (That of a browser is smaller.)
const MAX_HEIGHT: (usize, usize) = if ALONE { (2000, 2000) } else { (2000, 20_000) };
/// Stack that a level of an expression's tree takes at most in all passes, in bytes.
const LEVEL: usize = 1 << 14;

/// How many errors of one line are reported: where there are more, most of them follow from the first ones.
const PER_LINE: usize = 5;

const UNCLOSED_BRACE: &str = "unclosed brace - expected '}'";

/// A parsed file and its errors and warnings.
#[derive(Debug)]
pub struct Parsed {
    /// The tree, without statements that could not be parsed.
    pub file: File,
    /// Lexical errors only, if there are any; else syntax errors and warnings. Errors first, each group
    /// in the order of places.
    pub diagnostics: Vec<Diagnostic>,
}

pub fn parse_file(file: &SourceFile) -> Parsed {
    let (tokens, lexical) = lexer::lex(file);
    let mut parser = Parser::new(origin(file), tokens);
    let tree = parser.file();
    Parsed { file: tree, diagnostics: parser.finish(lexical) }
}

/// Parses statements typed at a prompt: any number of them, including bare expressions. Functions are
/// allowed, imports are not (E2036).
pub fn parse_fragment(file: &SourceFile) -> (Vec<Stmt>, Vec<Diagnostic>) {
    let (tokens, lexical) = lexer::lex(file);
    let mut parser = Parser { end: "the end", ..Parser::new(origin(file), tokens) };
    let mut stmts = Vec::new();
    while !parser.at(TokenKind::Eof) {
        parser.statement_at_file_level(&mut stmts);
    }
    (stmts, parser.finish(lexical))
}

/// Parses exactly one expression; anything after it is an error.
pub fn parse_expression(file: &SourceFile) -> (Option<Expr>, Vec<Diagnostic>) {
    let (tokens, lexical) = lexer::lex(file);
    let mut parser = Parser { end: "the end", ..Parser::new(origin(file), tokens) };
    let expr = parser.expression();
    let rest = parser.tok();
    if expr.is_some() && rest.kind != TokenKind::Eof {
        parser.error(Code::E2001, rest.span, format!("unexpected token '{}'", rest.text));
    }
    (expr, parser.finish(lexical))
}

fn origin(file: &SourceFile) -> Origin<'_> {
    Origin { file: file.id, text: &file.text, map: None }
}

/// What a name is declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Declared {
    Variable,
    Constant,
    Function,
    /// A struct or enum.
    Type,
}

/// The names that a block or file has declared so far, and where.
#[derive(Default)]
struct Scope {
    names: HashMap<Rc<str>, (Span, Declared)>,
    /// Types have names of their own: a function may have that of a struct.
    types: HashMap<Rc<str>, (Span, Declared)>,
    /// Whether a `try` has been reported in it.
    has_try: bool,
}

/// The state of parsing one text.
struct Parser<'t> {
    origin: Origin<'t>,
    /// Ends with `Eof`.
    tokens: Vec<Token<'t>>,
    /// The name of the end of the text, for messages.
    end: &'static str,
    pos: usize,
    /// The first token of the innermost statement being parsed.
    statement: usize,
    diagnostics: Vec<Diagnostic>,
    /// The scopes of the open blocks; the first is the file's.
    scopes: Vec<Scope>,
    depth: u32,
    /// Height of the tree of the last expression, and how high one may be.
    height: u32,
    max_height: u32,
    /// How deep blocks, expressions and types may be nested.
    max_depth: u32,
    /// Whether the parser is in the body of a function.
    in_function: bool,
    /// Whether the current function suppresses W2001.
    suppress_unreachable: bool,
    /// Whether the nesting limit was reported; nothing else is reported after that.
    nesting_exceeded: bool,
    /// Whether some `{` has no `}`.
    brace_missing: bool,
    /// The first `;`, which is reported, and how all of them are left out.
    semicolons: Option<(Span, Fix)>,
    /// Number of literals that a report has shown to have no `}`, each of which leaves a block without one.
    open_literals: usize,
    imports: Vec<Import>,
    usings: Vec<Using>,
    suppress: Vec<Name>,
    /// Whether an import has a syntax error, so that unknown module names are not reported.
    broken_import: bool,
    /// The number of a token that is asked about, and what it is taken for.
    asked: Option<usize>,
    wanted: Option<Wanted>,
}

/// The nesting and the height of trees that the thread's stack can take.
fn limits() -> (u32, u32) {
    if has_small_stack() {
        return SMALL;
    }
    let levels = platform::remaining_stack().map_or(0, |bytes| bytes / LEVEL);
    (MAX_DEPTH, levels.clamp(MAX_HEIGHT.0, MAX_HEIGHT.1) as u32)
}

impl<'t> Parser<'t> {
    fn new(origin: Origin<'t>, tokens: Vec<Token<'t>>) -> Parser<'t> {
        let brace_missing = recovery::brace_missing(&tokens);
        let (max_depth, max_height) = limits();
        Parser {
            origin,
            tokens,
            end: "the end of the file",
            pos: 0,
            statement: 0,
            diagnostics: Vec::new(),
            scopes: vec![Scope::default()],
            depth: 0,
            height: 0,
            max_height,
            max_depth,
            in_function: false,
            suppress_unreachable: false,
            nesting_exceeded: false,
            brace_missing,
            semicolons: None,
            open_literals: 0,
            imports: Vec::new(),
            usings: Vec::new(),
            suppress: Vec::new(),
            broken_import: false,
            asked: None,
            wanted: None,
        }
    }

    /// The reports of the file: lexical errors only, if there are any; the first [`PER_LINE`] of each line.
    fn finish(mut self, lexical: Vec<Diagnostic>) -> Vec<Diagnostic> {
        if let Some((first, fix)) = self.semicolons.take()
            && let Some(report) = self.diagnostics.iter_mut().find(|d| d.span == Some(first))
        {
            report.fix = Some(fix);
        }
        let mut found = if lexical.is_empty() { self.diagnostics } else { lexical };
        let place = |d: &Diagnostic| d.span.map_or(0, |span| span.start);
        found.sort_by_key(|d| (d.severity() == Severity::Warning, place(d)));
        found.dedup();
        // `None` before the first one.
        let mut last: Option<(usize, usize)> = None;
        found.retain(|d| {
            if d.severity() == Severity::Warning {
                return true;
            }
            let at = place(d) as usize;
            let is_same =
                |from: usize| self.origin.text.get(from..at).is_some_and(|text| !text.contains('\n'));
            let count = last.filter(|(from, _)| is_same(*from)).map_or(0, |(_, count)| count) + 1;
            last = Some((at, count));
            count <= PER_LINE
        });
        found
    }

    /// Notes what the current token is taken for, if it is the one that is asked about ([`wanted()`]).
    fn wants(&mut self, wanted: Wanted) {
        if self.asked == Some(self.pos) {
            // After an error a token may be parsed again.
            self.wanted.get_or_insert(wanted);
        }
    }

    fn nth(&self, ahead: usize) -> Token<'t> {
        let eof = Token {
            kind: TokenKind::Eof,
            text: "",
            span: Span::new(FileId(self.origin.file.0), 0, 0),
            offset: 0,
            length: 0,
        };
        self.tokens.get(self.pos + ahead).or(self.tokens.last()).copied().unwrap_or(eof)
    }

    fn tok(&self) -> Token<'t> {
        self.nth(0)
    }

    fn kind(&self) -> TokenKind {
        self.tok().kind
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn bump(&mut self) -> Token<'t> {
        let token = self.tok();
        if token.kind != TokenKind::Eof {
            self.pos += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> Option<Token<'t>> {
        self.at(kind).then(|| self.bump())
    }

    /// The span of the last token that was taken.
    fn prev_span(&self) -> Span {
        let index = self.pos.saturating_sub(1);
        self.tokens.get(index).map_or_else(|| self.tok().span, |token| token.span)
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    fn report(&mut self, mut diagnostic: Diagnostic) {
        if self.nesting_exceeded {
            return;
        }
        if let (None, Some(at)) = (&diagnostic.help, diagnostic.span) {
            diagnostic.help = self.hint(diagnostic.code, at);
        }
        if let (None, Some(at)) = (&diagnostic.fix, diagnostic.span) {
            diagnostic.fix = self.fix(diagnostic.code, at);
        }
        self.diagnostics.push(diagnostic);
    }

    /// Takes a token of `kind` or reports that it is missing.
    fn expect(&mut self, kind: TokenKind) -> Option<Token<'t>> {
        if self.at(kind) {
            return Some(self.bump());
        }
        let found = self.tok();
        if found.kind == TokenKind::Eof {
            let (code, message) = match kind {
                TokenKind::RightParen => (Code::E2005, "unclosed parenthesis - expected ')'".to_string()),
                TokenKind::RightBrace => (Code::E2004, UNCLOSED_BRACE.to_string()),
                TokenKind::RightBracket => (Code::E2006, "unclosed bracket - expected ']'".to_string()),
                _ => (Code::E2002, format!("expected {}, found {}", kind.name(), self.end)),
            };
            let help = self.expected_hint(kind);
            self.report(Diagnostic::new(code, found.span, message).maybe_help(help));
        } else {
            let message = format!("expected {}, got {} instead", kind.name(), self.found());
            let help = self.expected_hint(kind).map(Help::from);
            let help = help.or_else(|| self.untyped_help().filter(|_| kind == TokenKind::Assign));
            self.report(Diagnostic::new(Code::E2002, found.span, message).maybe_help(help));
        }
        None
    }

    /// Parses something one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= self.max_depth {
            return self.too_deep();
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Reports too deep nesting, once, and ends the parse.
    fn too_deep<T>(&mut self) -> Option<T> {
        let span = self.tok().span;
        self.error(Code::E2002, span, "nested too deeply");
        self.nesting_exceeded = true;
        self.pos = self.tokens.len().saturating_sub(1);
        None
    }

    fn name(&self, token: Token<'_>) -> Name {
        Name { text: token.text.into(), span: token.span }
    }

    /// The line in which something of this text stands, from 1 on.
    fn line_of(&self, at: Span) -> usize {
        let before = slice(self.origin.text, ..at.start as usize);
        before.matches('\n').count() + 1
    }

    /// Declares a name in the innermost block; reports E2023 if it is declared already.
    fn declare(&mut self, name: &Name, kind: Declared) {
        if name.is_blank() {
            return;
        }
        let Some(scope) = self.scopes.last_mut() else { return };
        let names = if kind == Declared::Type { &mut scope.types } else { &mut scope.names };
        let earlier = match names.entry(name.text.clone()) {
            Entry::Vacant(free) => {
                free.insert((name.span, kind));
                return;
            }
            Entry::Occupied(taken) => *taken.get(),
        };
        let message = format!("'{}' is already declared in this scope", name.text);
        let help = match (kind, earlier) {
            (Declared::Variable, (_, Declared::Variable)) => {
                format!("to assign another value write: {} = ...", name.text)
            }
            (_, (at, _)) => {
                format!("give it another name: the first '{}' is in line {}", name.text, self.line_of(at))
            }
        };
        let report = Diagnostic::new(Code::E2023, name.span, message).help(help);
        self.report(report.about(Some(earlier.0), "it is declared here"));
    }
}

fn reserved(name: &str, what: &str) -> String {
    format!("'{name}' is a reserved keyword and cannot be used as {what}")
}
