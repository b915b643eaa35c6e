//! Programs that are checked and run within the test, with a host of its choice.

#![allow(dead_code, unused_macros, unused_imports)] // Every test program uses a part of it.

use ez_language::check::{Checked, check_source};
use ez_runtime::diagnostics::Severity;
use ez_runtime::interp::{self, Outcome, STACK_SIZE, Vm, compile_plain};
use ez_runtime::library::{Module, Row};
use ez_runtime::value::Host;

/// Does it on a thread with the stack that programs have.
pub fn on_big_stack(work: fn()) {
    let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

pub fn checked(program: &str) -> Checked {
    check_source(program, "main.ez")
}

/// The errors that the check finds: codes and messages.
pub fn errors(checked: &Checked) -> Vec<(&'static str, String)> {
    let errors = checked.diagnostics.iter().filter(|d| d.severity() == Severity::Error);
    errors.map(|d| (d.code.as_str(), d.message.clone())).collect()
}

/// Runs a program; says how it ended.
pub fn run(program: &str, host: Box<dyn Host>) -> String {
    let checked = checked(program);
    let errors = errors(&checked);
    let program = checked.program.unwrap_or_else(|| panic!("{errors:?} in:\n{program}"));
    let mut vm = Vm::new(program.clone(), host, STACK_SIZE - STACK_SIZE / 8).expect("a machine");
    match interp::run(&mut vm, &compile_plain(&program)) {
        Outcome::Failed(error) => format!("{} {}", error.code.as_str(), error.message),
        other => format!("ended {}", other.status()),
    }
}

/// The example of a library row as a program.
pub fn example(module: &Module, row: &Row) -> String {
    let imports = ["std", "bytes", module.name];
    let mut names: Vec<&str> = Vec::new();
    for name in imports {
        let wanted = name == module.name || name == "std" || row.example.contains(&format!("{name}."));
        if wanted && !names.contains(&name) {
            names.push(name);
        }
    }
    let imports: Vec<String> = names.iter().map(|name| format!("@{name}")).collect();
    let body: Vec<String> = row.example.lines().map(|line| format!("    {line}")).collect();
    format!("import {}\nusing std\n\ndo main() {{\n{}\n}}\n", imports.join(", "), body.join("\n"))
}
