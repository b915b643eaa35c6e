//! `ez check FILE|DIR`.

use crate::check::check_all;
use crate::modules::DiskLoader;
use crate::platform::{path_of, text_of};

use super::args::Style;
use super::show::{self, report, unreadable};

pub(super) fn check(path: &str, style: Style) -> u8 {
    if path.ends_with(".ez") && !path_of(path).is_dir() {
        return check_file(path, style, Some(path));
    }
    let directory = &path_of(path);
    if !directory.exists() {
        eprintln!("Error: directory not found: {path}");
        return 1;
    }
    if !directory.is_dir() {
        eprintln!("Error: not a directory: {path}");
        return 1;
    }
    let main = directory.join("main.ez");
    if !main.is_file() {
        eprintln!("Error: no main.ez found in {path}");
        eprintln!("  = help: create a main.ez file with a main() function");
        return 1;
    }
    let status = check_file(&text_of(main.as_os_str()), style, None);
    if status != 0 {
        eprintln!("\nCheck failed.");
    }
    status
}

/// Checks a file; `named` is its name in the success message.
fn check_file(file: &str, style: Style, named: Option<&str>) -> u8 {
    let path = show::absolute(file);
    let checked = match check_all(&DiskLoader, &path, &text_of(path.as_os_str())) {
        Ok(checked) => checked,
        Err(error) => {
            eprintln!("{}", unreadable(file, &error.reason));
            return 1;
        }
    };
    report(&checked.diagnostics, &checked.sources, style);
    if checked.program.is_none() {
        return 1;
    }
    let named = named.map(|name| format!("{name} ")).unwrap_or_default();
    let count = checked.files;
    let text = match named.is_empty() {
        true => format!("Check successful: {count} file(s) checked\n"),
        false => format!("Check successful: {named}({count} file(s) checked)\n"),
    };
    show::print(&text);
    0
}
