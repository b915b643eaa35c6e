//! The formatter: one way to lay a program out, without options.
//!
//! A program's tokens and comments are written one after the other, as they are; only what is between them is chosen.
//! So a formatted program has the same tokens and comments in the same order, and each comment is written. What a token
//! does (it begins a statement, it opens a block) comes from the syntax tree: `roles`. From that follows how two tokens
//! are joined: `joins`. Whether a list is written in one line, and where lines break: `printer`, `lists`.
//!
//! Line breaks that the programmer has chosen are kept where there is a choice: between the elements of a list, around
//! binary operators, after `=`, before `.`. So programs do not change where two statements or operands that were in one
//! line, or were not, are reported.

mod joins;
mod lists;
mod printer;
mod roles;
mod trivia;

use crate::syntax::{lex, parse_file};
use ez_runtime::diagnostics::{Diagnostic, has_errors};
use ez_runtime::source::SourceFile;

/// Columns that a line has if its lists can be broken.
const WIDTH: usize = 100;
/// Columns of a list that is never broken.
const SHORT: usize = 30;
/// Columns of a level of indentation.
const INDENT: usize = 4;

/// The text of a file, formatted. What follows a NUL, which ends the program, is left as it is.
///
/// # Errors
/// The reports of its parser, if there is an error among them: then nothing is known of its structure.
pub fn format(file: &SourceFile) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse_file(file);
    if has_errors(&parsed.diagnostics) {
        return Err(parsed.diagnostics);
    }
    let (tokens, _) = lex(file);
    let trivia = trivia::read(&file.text, &tokens);
    let roles = roles::of(&file.text, &parsed.file, &tokens);
    let joins = joins::of(&tokens, &trivia, &roles);
    let formatted = printer::print(&file.text, &tokens, &trivia, &roles, &joins);
    debug_assert!(trivia.written_in(&formatted), "a comment was changed or lost");
    Ok(formatted)
}
