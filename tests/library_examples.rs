//! Every example of the library is run and prints what it says.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod plain;

use std::process::{Command, Stdio};

use ez_debugger::library::{MODULES, RowKind};
use plain::example;

/// Examples that never end by themselves.
const ENDLESS: &[&str] = &["server.listen"];

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
            std::fs::write(&path, example(module, row)).expect("writes the program");
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
