//! The extension for Visual Studio Code, with node.

use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::Trial;
use support::{ez_path, project};

use crate::tool::{run, succeeds, trial};

pub fn trials() -> Vec<Trial> {
    let has_node = succeeds("node", &["--version"]);
    let has_client = has_node && client().join("node_modules").is_dir();
    vec![
        trial("node::the_extension_is_javascript", "node", has_node, the_extension_is_javascript),
        trial("node::the_extension_finds_its_program", "node", has_node, the_extension_finds_its_program),
        trial(
            "node::the_test_client_of_the_editor_is_served",
            "node, and the packages that .ci/editors installs",
            has_client,
            the_test_client_of_the_editor_is_served,
        ),
    ]
}

/// The folder of the tests with the client of Visual Studio Code.
fn client() -> PathBuf {
    project("editors/vscode/test")
}

fn the_extension_is_javascript() {
    let check = run(Command::new("node").arg("--check").arg(project("editors/vscode/extension.js")));
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
}

/// Which `ez` the extension starts, and what it says of one that is too old or too new.
fn the_extension_finds_its_program() {
    let mut test = Command::new("node");
    test.args(["--test", "program.test.js"]).current_dir(client()).env("EZ", ez_path());
    let test = run(&mut test);
    assert!(test.status.success(), "{}", String::from_utf8_lossy(&test.stdout));
}

/// The client with which adapters for Visual Studio Code are tested drives the adapter.
fn the_test_client_of_the_editor_is_served() {
    let mut test = Command::new("node");
    test.args(["--test", "adapter.test.js"]).current_dir(client()).env("EZ", ez_path());
    let test = run(&mut test);
    assert!(test.status.success(), "{}", String::from_utf8_lossy(&test.stdout));
}
