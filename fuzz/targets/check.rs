//! A program of one or several files: all that `ez check`, `ez check --fix` and a run do before it runs.
//!
//! Time and memory are in proportion to its length; there is a program if and only if there are no errors; what a run
//! of a single file reports as an error, `check` does, too; and certain fixes come to an end, and make nothing worse.

use std::path::Path;

use ez_language::analysis::fix;
use ez_language::check::{check_all, check_program};
use ez_runtime::diagnostics::{Colour, has_errors, render_all, render_json};
use ez_runtime::interp::{compile_attached, compile_plain};

use super::cost::within;
use super::texts::{MAIN, files as files_of, loader};

pub fn target(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (files, main, length) = (loader(&text), Path::new(MAIN), text.len());

    let run = within(length, "check_program", || check_program(&files, main, "main.ez")).expect("a file");
    assert_eq!(run.program.is_some(), !has_errors(&run.diagnostics), "a program and errors, or neither");
    let all = within(length, "check_all", || check_all(&files, main, "main.ez")).expect("a file");
    // Of several files, a run reads all that are beside the main file, as modules of it.
    let is_alone = files_of(&text).len() == 1;
    let is_found = !has_errors(&run.diagnostics) || has_errors(&all.diagnostics);
    assert!(is_found || !is_alone, "only a run finds errors: {:?}", run.diagnostics);
    within(length, "render", || {
        drop(render_all(&all.diagnostics, &all.sources, Colour::On));
        all.diagnostics.iter().for_each(|found| drop(render_json(found, &all.sources)));
    });
    if let Some(program) = &run.program {
        within(length, "compile", || {
            drop(compile_plain(program));
            drop(compile_attached(program));
        });
    }

    let fixed = fix(&files, main, "main.ez").expect("a file").expect("fixes that come to an end");
    if fixed.is_empty() {
        return;
    }
    let mut after = loader(&text);
    fixed.iter().for_each(|(path, file)| after.add(path, file.text.clone()));
    let again = check_all(&after, main, "main.ez").expect("a file");
    assert!(again.is_parsed || !run.is_parsed, "fixes make a program that cannot be parsed: {fixed:?}");
    let worse = has_errors(&again.diagnostics) && !has_errors(&all.diagnostics);
    assert!(!worse, "fixes make errors: {:?} in {fixed:?}", again.diagnostics);
    let more = fix(&after, main, "main.ez").expect("a file").expect("fixes that come to an end");
    assert!(more.is_empty(), "fixed programs are fixed again: {more:?}");
}
