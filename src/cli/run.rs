//! `ez FILE`: check, then run.

use crate::api::Frame;
use crate::check::check_program;
use crate::debug::runtime_problem;
use crate::diagnostics::{Diagnostic, render_json, render_with_notes};
use crate::host::{Capability, DenyHost, SystemHost};
use crate::interp::{self, Outcome, RunError, STACK_SIZE, Vm, compile_plain};
use crate::modules::DiskLoader;
use crate::program::Program;
use crate::source::SourceMap;
use crate::value::Host;

use super::args::Style;
use super::show::{self, report, unreadable};

/// How many calls are shown at each end of a long stack.
const SHOWN: usize = 10;

pub(super) fn run(file: &str, arguments: Vec<String>, deny: Vec<Capability>, style: Style) -> u8 {
    let path = show::absolute(file);
    let checked = match check_program(&DiskLoader, &path, file) {
        Ok(checked) => checked,
        Err(error) => {
            eprintln!("{}", unreadable(file, &error.reason));
            return 1;
        }
    };
    report(&checked.diagnostics, &checked.sources, style);
    let Some(program) = checked.program else { return 1 };
    let mut host: Box<dyn Host> = Box::new(SystemHost::new(None).with_arguments(arguments));
    if !deny.is_empty() {
        host = Box::new(DenyHost::new(host, deny));
    }
    let mut vm = match Vm::new(program.clone(), host, STACK_SIZE - STACK_SIZE / 8) {
        Ok(vm) => vm,
        Err(error) => {
            eprintln!("Error: {error}");
            return 1;
        }
    };
    let compiled = compile_plain(&program);
    let outcome = interp::run(&mut vm, &compiled);
    if let Outcome::Failed(error) = &outcome {
        report_failure(&program, error, &checked.sources, style);
    }
    // The status is a byte, as for any process.
    let status = outcome.status().to_le_bytes();
    // Letting go of a great many values takes time, and the system is faster.
    std::process::exit(i32::from(status.first().copied().unwrap_or(1)));
}

/// Prints a run-time error, and under it the calls that were under way.
pub(super) fn report_failure(program: &Program, error: &RunError, sources: &SourceMap, style: Style) {
    let mut diagnostic = Diagnostic::new(error.code, error.span, error.message.clone());
    diagnostic.help = error.help.clone();
    show_failure(&diagnostic, &runtime_problem(program, error).stack, sources, style);
}

/// Prints a run-time error, and under it the calls that were under way, innermost first.
pub(super) fn show_failure(diagnostic: &Diagnostic, stack: &[Frame], sources: &SourceMap, style: Style) {
    if style.json {
        eprintln!("{}", render_json(diagnostic, sources));
        return;
    }
    let mut notes = Vec::new();
    let hidden = if stack.len() > 2 * SHOWN + 1 { SHOWN..stack.len() - SHOWN } else { 0..0 };
    for (index, frame) in stack.iter().enumerate() {
        if index == hidden.start && !hidden.is_empty() {
            notes.push(format!("{} more calls", hidden.len()));
        }
        if hidden.contains(&index) {
            continue;
        }
        let place = &frame.location;
        let file = place.path.display();
        notes.push(format!("in {} at {file}:{}:{}", frame.function, place.line, place.column));
    }
    eprintln!("{}", render_with_notes(diagnostic, &notes, sources, style.colour));
}
