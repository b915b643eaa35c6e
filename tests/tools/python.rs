//! The clients in Python that the documents and `examples` show.

use std::process::Command;

use libtest_mimic::Trial;
use support::{ez_path, project, testdata};

use crate::tool::{run, succeeds, trial};

pub fn trials() -> Vec<Trial> {
    let has_python = succeeds("python3", &["--version"]);
    let has_package = succeeds("python3", &["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]);
    let has_qt = succeeds("python3", &["-c", "import PyQt6.QtWidgets"]);
    vec![
        trial("python::the_client_of_the_guide", "python3", has_python, the_client_of_the_guide),
        trial(
            "python::the_package_passes_its_tests",
            "python3 (3.9 or newer)",
            has_package,
            the_package_passes_its_tests,
        ),
        trial(
            "python::the_example_with_a_window_goes_back",
            "python3 with PyQt6",
            has_qt,
            the_example_with_a_window_goes_back,
        ),
    ]
}

/// The example of `docs/agents.md`, with the program that it names.
fn the_client_of_the_guide() {
    let guide = std::fs::read_to_string(project("docs/agents.md")).unwrap();
    let block = |language: &str| {
        let start = format!("```{language}\n");
        let (_, rest) = guide.split_once(&start).unwrap_or_else(|| panic!("no {language}"));
        rest.split_once("```").unwrap().0.to_string()
    };
    let (client, program, expected) = (block("python"), block("ez"), block("text"));
    assert!(client.lines().count() <= 10, "{client}");
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("sums.ez"), program).unwrap();
    std::fs::write(directory.path().join("session.py"), client).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let ez = ez_path().parent().unwrap().to_path_buf();
    let path = std::env::join_paths([ez].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let session = run(Command::new("python3").arg("session.py").env("PATH", path).current_dir(&directory));
    assert!(session.status.success(), "{}", String::from_utf8_lossy(&session.stderr));
    assert_eq!(String::from_utf8_lossy(&session.stdout), expected);
}

/// The tests of `ez_debugger`, which need nothing but Python.
fn the_package_passes_its_tests() {
    let mut tests = Command::new("python3");
    tests.args(["-m", "unittest", "discover", "-s", "python/tests"]).current_dir(project("."));
    tests.env("EZ", ez_path()).env("PYTHONDONTWRITEBYTECODE", "1");
    let tests = run(&mut tests);
    assert!(tests.status.success(), "{}", String::from_utf8_lossy(&tests.stderr));
}

/// The example with a window: its buttons are pressed where nobody sees them.
fn the_example_with_a_window_goes_back() {
    let directory = tempfile::tempdir().unwrap();
    let program = "import @std\nusing std\ndo main() {\n    println(\"é1\")\n    println(\"2\")\n    println(\"3\")\n}\n";
    std::fs::write(directory.path().join("p.ez"), program).unwrap();
    let mut driver = Command::new("python3");
    driver.arg(testdata("pyqt").join("back.py")).arg(project("examples")).arg(ez_path());
    driver.args(["p.ez", "over", "over", "back", "reverse", "present"]);
    driver.env("PYTHONPATH", project("python"));
    driver.current_dir(&directory).env("QT_QPA_PLATFORM", "offscreen").env("PYTHONDONTWRITEBYTECODE", "1");
    let output = run(&mut driver);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let expected = [
        "entry: line 4, printed '', not yet '', buttons ",
        "over: line 5, printed 'é1', not yet '', buttons back reverse",
        "over: line 6, printed 'é12', not yet '', buttons back reverse",
        "back: line 5, printed 'é1', not yet '2', buttons back reverse present",
        "reverse: line 4, printed '', not yet 'é12', buttons present",
        "present: line 6, printed 'é12', not yet '', buttons back reverse",
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}
