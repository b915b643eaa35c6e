//! Tokens, syntax tree and parser.
//!
//! Parsing yields a tree and diagnostics, never just a failure.
//!
//! The kinds of tokens are declared for the crate `logos` in `token`; what has no fixed form is scanned in `scan`,
//! which also checks escape sequences. After an error the parser continues at the next statement
//! (`syntax/parser/recovery.rs`). Keywords of other languages are recognised (`foreign`), and whole statements of them
//! (`syntax/parser/foreign_statements.rs`), so that each is one report that says how EZ writes it. Help texts are chosen
//! by the tokens around an error (`syntax/parser/hints.rs`); those that rewrite the program's own text are in
//! `syntax/parser/rewritten.rs`.

pub mod ast;
pub mod comments;
pub mod foreign;
mod lexer;
mod parser;
mod scan;
pub mod token;

pub use lexer::{closing_parenthesis, lex};
pub use parser::{
    Parsed, Wanted, enum_base, lex_deeply, parse_expression, parse_file, parse_fragment, unescaped, wanted,
};
pub use token::{Token, TokenKind};
