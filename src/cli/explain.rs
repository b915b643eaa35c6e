//! `ez explain CODE`.

use crate::diagnostics::{self, Code};

use super::show::print;

pub(super) fn explain(code: &str) -> u8 {
    let found = Code::parse(&code.to_uppercase());
    let Some(code) = found else {
        eprintln!("Error: unknown code: {code}");
        return 1;
    };
    let severity = code.severity().as_str();
    let name = code.as_str();
    match diagnostics::explain(code) {
        Some(text) => print(&format!(
            "{severity} {name}: {}\n\n{}\n\nWrong:\n\n{}\nRight:\n\n{}",
            code.label(),
            text.text,
            indented(text.wrong),
            indented(text.right)
        )),
        None => print(&format!("{severity} {name}: {}\n\nNothing reports this code.\n", code.label())),
    }
    0
}

fn indented(program: &str) -> String {
    program.lines().map(|line| if line.is_empty() { "\n".into() } else { format!("    {line}\n") }).collect()
}
