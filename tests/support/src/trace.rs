//! Pages of `ez trace`.

use std::process::Output;

use serde_json::Value;

use super::{ez, testdata, with_input};

/// The page of a program of `testdata/trace`, and what was said about it.
pub fn page(name: &str, input: &str) -> (String, Output) {
    let kept = tempfile::tempdir().unwrap();
    let page = kept.path().join("page.html");
    let program = format!("{name}.ez");
    let mut command = ez();
    command.current_dir(testdata("trace")).args(["trace", &program, "-o"]).arg(&page);
    let output = with_input(&mut command, input);
    (std::fs::read_to_string(page).unwrap(), output)
}

/// The data in a page.
pub fn data(page: &str) -> Value {
    let json = page.split("id=\"trace\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(json).unwrap()
}
