//! The extension for Visual Studio Code, and the client in TypeScript, with node.

use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::Trial;
use support::{ez_path, project, testdata, without_version};

use crate::tool::{run, succeeds, trial};

pub fn trials() -> Vec<Trial> {
    let has_node = succeeds("node", &["--version"]);
    let has_client = has_node && client().join("node_modules").is_dir();
    let has_compiler = has_node && typescript().join("node_modules").is_dir();
    vec![
        trial("node::the_extension_is_javascript", "node", has_node, the_extension_is_javascript),
        trial("node::the_extension_finds_its_program", "node", has_node, the_extension_finds_its_program),
        trial("node::cases_are_shown_as_tests", "node", has_node, cases_are_shown_as_tests),
        trial("node::the_page_loses_nothing", "node", has_node, the_page_loses_nothing),
        trial(
            "node::the_test_client_of_the_editor_is_served",
            "node, and the packages that .ci/editors installs",
            has_client,
            the_test_client_of_the_editor_is_served,
        ),
        trial(
            "node::the_client_in_typescript_plays_a_session",
            "node, and the packages that .ci/editors installs",
            has_compiler,
            the_client_in_typescript_plays_a_session,
        ),
    ]
}

/// The folder of the tests with the client of Visual Studio Code.
fn client() -> PathBuf {
    project("editors/vscode/test")
}

/// The folder of the client in TypeScript.
fn typescript() -> PathBuf {
    project("examples/typescript")
}

fn the_extension_is_javascript() {
    let modules =
        ["extension.js", "cases.js", "debugcase.js", "debugged.js", "language.js", "past.js", "sharing.js"];
    for file in modules.into_iter().chain(["bundle.mjs", "test/real.mjs"]) {
        let check = run(Command::new("node").arg("--check").arg(project("editors/vscode").join(file)));
        assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
    }
}

/// Which `ez` the extension starts, and what it says of one that is too old or too new.
fn the_extension_finds_its_program() {
    let mut test = Command::new("node");
    test.args(["--test", "program.test.js"]).current_dir(client()).env("EZ", ez_path());
    let test = run(&mut test);
    assert!(test.status.success(), "{}", String::from_utf8_lossy(&test.stdout));
}

/// The Testing view: cases are found, run and debugged.
fn cases_are_shown_as_tests() {
    let mut test = Command::new("node");
    test.args(["--test", "cases.test.js"]).current_dir(client()).env("EZ", ez_path());
    let test = run(&mut test);
    assert!(test.status.success(), "{}", String::from_utf8_lossy(&test.stdout));
}

/// What students at random write in the page can be reached, whatever they do.
fn the_page_loses_nothing() {
    let lessons = run(Command::new("node").arg(project("web/test/lessons.mjs")).arg("200"));
    assert!(lessons.status.success(), "{}", String::from_utf8_lossy(&lessons.stderr));
}

/// The client with which adapters for Visual Studio Code are tested drives the adapter.
fn the_test_client_of_the_editor_is_served() {
    let mut test = Command::new("node");
    test.args(["--test", "adapter.test.js"]).current_dir(client()).env("EZ", ez_path());
    let test = run(&mut test);
    assert!(test.status.success(), "{}", String::from_utf8_lossy(&test.stdout));
}

/// Its types are made from the description, and checked; it receives what the recorded session has.
fn the_client_in_typescript_plays_a_session() {
    let make = run(Command::new("node").arg("make.mjs").current_dir(typescript()));
    assert!(make.status.success(), "{}", String::from_utf8_lossy(&make.stderr));
    // Where `npm run build` puts it, but not by a shell.
    let package = std::fs::read_to_string(typescript().join("package.json")).unwrap();
    let (_, arguments) = package.split_once("&& tsc ").unwrap();
    let arguments = arguments.split('"').next().unwrap().split(' ');
    let compiler = "node_modules/typescript/bin/tsc";
    let checked = run(Command::new("node").arg(compiler).args(arguments).current_dir(typescript()));
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    let client = |arguments: &[&str]| {
        run(Command::new("node").arg("build/client.js").args(arguments).current_dir(typescript()))
    };
    let ez = ez_path().to_string_lossy().into_owned();
    let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    for wrong in ["", "sort.ez x", "sort.ez --nope"] {
        let arguments: Vec<&str> = std::iter::once(&*ez).chain(wrong.split_whitespace()).collect();
        let usage = client(&arguments);
        assert_eq!(usage.status.code(), Some(2), "{wrong}");
        assert!(said(&usage).starts_with("Usage: node build/client.js EZ PROGRAM"), "{}", said(&usage));
        assert!(!said(&usage).contains("    at "), "{}", said(&usage));
    }
    for (arguments, why) in
        [(["/nope/ez", "sort.ez"], "/nope/ez cannot be run"), ([&*ez, "/nope.ez"], "/nope.ez")]
    {
        let refused = client(&arguments);
        assert_eq!(
            (refused.status.code(), said(&refused).lines().count()),
            (Some(1), 1),
            "{}",
            said(&refused)
        );
        assert!(said(&refused).contains(why), "{}", said(&refused));
    }
    let program = testdata("transcripts").join("v2_history.ez").to_string_lossy().into_owned();
    let client = client(&[&ez, &program, "16:== 3", "19", "--input", "Ann"]);
    assert!(client.status.success(), "{}", String::from_utf8_lossy(&client.stderr));
    let said = without_version(&String::from_utf8(client.stdout).unwrap());
    // How far a journey has come is told only if it takes long.
    let received = said.lines().filter(|line| !line.contains("\"event\":\"progress\""));
    let session = "tests/server/snapshots/server__transcripts__v2_history_hit_conditions.snap";
    let session = std::fs::read_to_string(project(session)).unwrap();
    let recorded = session.lines().filter_map(|line| line.strip_prefix("< "));
    assert_eq!(received.collect::<Vec<_>>(), recorded.collect::<Vec<_>>());
}
