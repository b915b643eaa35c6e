//! Tokens, syntax tree and parser.
//!
//! Parsing yields a tree and diagnostics, never just a failure.

pub mod ast;
pub mod foreign;
mod lexer;
mod parser;
mod scan;
pub mod token;

pub use lexer::{closing_parenthesis, lex};
pub use parser::{Parsed, parse_expression, parse_file, parse_fragment};
pub use token::{Token, TokenKind};
