//! `ez debug --children`: several processes, with commands from a pipe.

use std::path::Path;

use support::debugger::play;
use tempfile::TempDir;

const WORKER: &str = "import @std, @os
using std
do main() {
    temp name string = os.args()[2]
    temp size int = len(name)
    println(\"${name} ${size}\")
}
";

/// A directory with `worker.ez` and `boss.ez`, which runs a command with it for each name.
fn directory(command: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("worker.ez"), WORKER).unwrap();
    let command = command.replace("EZ", &support::ez_path().display().to_string());
    let boss = format!(
        "import @std, @os\nusing std\ndo main() {{\n    temp done int = 0\n    temp text, problem = \
         os.exec_output(`{command}`)\n    done = 1\n    println(text)\n}}\n"
    );
    std::fs::write(directory.path().join("boss.ez"), boss).unwrap();
    directory
}

/// What a run shows, without process ids and the names of temporary directories.
fn shown(directory: &Path, commands: &str) -> String {
    let played = play(directory, &["--children", "boss.ez"], commands);
    assert_eq!(played.errors, "");
    let mut text = String::new();
    for line in played.out.lines() {
        // The path of `ez` is in the source.
        let line = if line.contains("exec_output") || line.contains("^^^^") { "…" } else { line };
        text.push_str(line);
        text.push('\n');
    }
    let pids = regex::Regex::new(r"\(\d{2,}\)").unwrap();
    format!("{}--- ends with {:?}\n", pids.replace_all(&text, "(PID)"), played.status)
}

#[test]
fn a_child_is_shown_when_its_parent_waits() {
    let directory = directory("EZ worker.ez Ann");
    let commands = "break worker.ez:6\ncontinue\nprocesses\nprocess 1\nprint done\nprocess 2\nbreakpoints\ncontinue\n\
                    print name\nvars\ncontinue\nprocesses\ncontinue\n";
    insta::assert_snapshot!(shown(directory.path(), commands));
}

#[test]
fn children_run_by_themselves_if_the_parent_is_followed() {
    let directory = directory("EZ worker.ez Bob");
    insta::assert_snapshot!(shown(
        directory.path(),
        "set follow parent\nnext\nnext\nprocesses\nprint text\nquit\n"
    ));
}

#[test]
fn each_child_is_shown_from_its_first_statement() {
    let directory = directory("EZ worker.ez Ann && EZ worker.ez Bobby");
    let commands =
        "set follow child\ncontinue\nnext\nprint name\ncontinue\nnext\nnext\nprint size\ncontinue\n";
    insta::assert_snapshot!(shown(directory.path(), commands));
}

#[test]
fn a_step_stays_in_its_process() {
    let directory = directory("EZ worker.ez Ann & EZ worker.ez Bob & wait");
    let text = shown(directory.path(), "continue\nnext\nprint name\nnext\nprint size\nquit\n");
    let step = |prompt: &str| text.split_once(prompt).unwrap_or_else(|| panic!("no {prompt} in {text}")).1;
    assert!(step("(debug 2) next\n").contains("Stepped to line 5."), "{text}");
    assert!(step("(debug 2) print name\n").contains("Stepped to line 6."), "{text}");
    assert!(step("(debug 2) print size\n").starts_with("size = 3\n"), "{text}");
    assert!(!text.contains("[Process 3"), "{text}");
}

#[test]
fn a_step_that_waits_for_another_process_is_refused() {
    let directory = directory("EZ worker.ez Ann");
    let text = shown(directory.path(), "continue\nprocess 1\nnext\nstep\nprocess 2\nnext\ncontinue\n");
    let waits = "Error: process 1 is in a command that waits, perhaps for process 2, worker.ez Ann (PID), \
                 which is stopped\n  = help: 'process 2' shows that one, 'continue' lets all processes go on\n";
    for command in ["(debug) next\n", "(debug) step\n"] {
        assert!(text.contains(&format!("{command}{waits}")), "{text}");
    }
    assert!(text.contains("Stepped to line 5."), "{text}");
    let end = "(debug 2) continue\nThe program has ended with status 0.\n[Process 1: boss.ez]\nAnn 3\n\
               The program has ended with status 0.\n--- ends with Some(1)\n";
    assert!(text.ends_with(end), "{text}");
}

/// The end of the commands ends all processes.
#[test]
fn nothing_is_left_of_a_debugger_that_quits() {
    let directory = directory("EZ worker.ez Ann");
    let text = shown(directory.path(), "continue\nquit\n");
    assert!(text.ends_with("(debug 2) quit\n--- ends with Some(0)\n"), "{text}");
}
