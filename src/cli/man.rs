//! `ez man`: what the library's own rows say.

use std::fmt::Write;

use crate::library::{self, MODULES};

use super::show::print;

pub(super) fn man(query: Option<&str>) -> u8 {
    let Some(query) = query else {
        print(&modules());
        return 0;
    };
    match library::man(query) {
        Ok(text) => {
            print(&text);
            0
        }
        Err(message) => {
            eprintln!("Error: {message}");
            1
        }
    }
}

/// All modules, a line each.
fn modules() -> String {
    let width = MODULES.iter().map(|m| m.name.len()).max().unwrap_or(0) + 1;
    let mut text = String::from("The standard library:\n\n");
    for module in MODULES {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {:width$}  {}", format!("@{}", module.name), module.doc);
    }
    text.push_str("\n`ez man MODULE` lists a module, `ez man MODULE.NAME` explains what is in it.\n");
    text
}
