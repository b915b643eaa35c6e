//! Every example of the library is run and prints what it says.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::process::{Command, Stdio};

use ez_debugger::library::{MODULES, Module, Row, RowKind};

/// Examples that never end by themselves.
const ENDLESS: &[&str] = &["server.listen"];

fn program(module: &Module, row: &Row) -> String {
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

#[test]
fn examples_print_what_they_say() {
    let directory = std::env::temp_dir().join(format!("ez_examples_{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("makes a directory");
    let mut wrong = Vec::new();
    for module in MODULES {
        for row in module.rows {
            let name = format!("{}.{}", module.name, row.name);
            if ENDLESS.contains(&name.as_str()) {
                continue;
            }
            let kind = if row.kind == RowKind::Constant { "constant" } else { "function" };
            let path = directory.join(format!("{kind}_{}_{}.ez", module.name, row.name));
            std::fs::write(&path, program(module, row)).expect("writes the program");
            let run = Command::new(env!("CARGO_BIN_EXE_ez"))
                .arg(&path)
                .current_dir(&directory)
                .env("TZ", "UTC")
                .stdin(Stdio::null())
                .output()
                .expect("runs");
            let out = String::from_utf8_lossy(&run.stdout);
            let errors = String::from_utf8_lossy(&run.stderr);
            let as_said = row.output.is_none_or(|wanted| wanted == out);
            if !as_said || !run.status.success() || errors.contains("error[") {
                wrong.push(format!("{name}: printed {out:?}, wanted {:?}\n{errors}", row.output));
            }
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
    assert!(wrong.is_empty(), "{} examples:\n{}", wrong.len(), wrong.join("\n"));
}
