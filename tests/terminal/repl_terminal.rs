//! `ez repl` and `ez run` on a terminal.

use crate::pseudo::{Run, Terminal, interrupts_are_keys};
use tempfile::TempDir;

const UP: &str = "\u{1b}[A";
const LEFT: &str = "\u{1b}[D";
const CTRL_D: &str = "\u{4}";
const CTRL_U: &str = "\u{15}";

fn start(directory: &TempDir, arguments: &[&str]) -> Terminal {
    let directory = directory.path();
    Terminal::start(&Run { arguments, directory, environment: &[], rows: 40, columns: 100 })
}

#[test]
fn entries_are_edited_and_remembered() {
    let directory = tempfile::tempdir().unwrap();
    let mut terminal = start(&directory, &["repl"]);
    terminal.at(">>");
    terminal.send("40 + 2\r");
    terminal.see("\n42\n");
    terminal.at(">>");
    terminal.send(&format!("{UP}0{LEFT}{LEFT}1\r"));
    terminal.see("\n160\n");
    terminal.at(">>");
    terminal.send("größe");
    terminal.at(">> größe");
    terminal.send(CTRL_U);
    terminal.at(">>");
    terminal.send("missing\r");
    terminal.see("error[E4001]");
    terminal.at(">>");
    terminal.send(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
    let all = String::from_utf8_lossy(&terminal.all).into_owned();
    assert!(all.contains("\u{1b}[91merror[E4001]") || all.contains("\u{1b}[1;91merror[E4001]"), "{all:?}");
}

#[test]
fn interrupts_end_an_entry() {
    let directory = tempfile::tempdir().unwrap();
    let mut terminal = start(&directory, &["repl"]);
    terminal.at(">>");
    for entry in ["import @std", "using std", "do spin() { println(\"ready\")  loop {} }"] {
        terminal.send(&format!("{entry}\r"));
        terminal.wait("the next prompt", |text| text.trim_end().ends_with(&format!("{entry}\n>>")));
    }
    terminal.send("spin()\r");
    terminal.at("ready");
    terminal.interrupt();
    terminal.see("interrupted");
}

/// Where no line is edited, Ctrl+C is no key.
#[test]
fn interrupts_end_an_entry_that_is_not_edited() {
    let directory = tempfile::tempdir().unwrap();
    let environment = &[("TERM", "dumb")];
    let (arguments, directory) = (&["repl"][..], directory.path());
    let mut terminal = Terminal::start(&Run { arguments, directory, environment, rows: 40, columns: 100 });
    let prompts = |terminal: &mut Terminal, count: usize| {
        let is_new = |text: &str| {
            text.lines().filter(|line| line.starts_with(">>")).count() == count
                && text.trim_end().ends_with("\n>>")
        };
        terminal.wait("the next prompt", is_new)
    };
    prompts(&mut terminal, 1);
    terminal.send("not this");
    terminal.interrupt();
    prompts(&mut terminal, 2);
    terminal.send("40 + 2\r");
    let text = prompts(&mut terminal, 3);
    assert!(text.contains("\n42\n>>"), "{text}");
    // All lines of an entry are dropped.
    terminal.send("do f() {\r");
    terminal.at("..");
    terminal.interrupt();
    prompts(&mut terminal, 4);
    terminal.send("40 + 3\r");
    let text = prompts(&mut terminal, 5);
    assert!(text.contains("\n43\n>>"), "{text}");
    terminal.send(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn the_help_fits_the_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let (arguments, directory) = (&["repl"][..], directory.path());
    let mut terminal =
        Terminal::start(&Run { arguments, directory, environment: &[], rows: 60, columns: 40 });
    terminal.at(">>");
    terminal.send("help\r");
    let text = terminal.see("has its name.");
    // A word that is cut would go on in the next line.
    for words in
        ["all braces,", "or an operator", "which is not evaluated", "in the debugger:", "@std can be"]
    {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.contains("\n                expression, which is not\n"), "{text}");
}

#[test]
fn an_entry_reads_input_after_one_was_interrupted_in_its_wait() {
    let directory = tempfile::tempdir().unwrap();
    let mut terminal = start(&directory, &["repl"]);
    terminal.at(">>");
    for entry in ["import @std", "using std", "do ask() -> string { println(\"name?\")  return input() }"] {
        terminal.send(&format!("{entry}\r"));
        terminal.wait("the next prompt", |text| text.trim_end().ends_with(&format!("{entry}\n>>")));
    }
    let ask = |terminal: &mut Terminal, round: usize| {
        terminal.send("ask()\r");
        terminal.wait("the question", |text| text.lines().filter(|line| *line == "name?").count() == round);
    };
    for round in 1..=2 {
        ask(&mut terminal, round);
        // The line is edited: the prompt is what hears of the interrupt.
        terminal.send(&format!("ac{LEFT}b"));
        terminal.at("abc");
        terminal.interrupt();
        terminal.wait("the next prompt", |text| {
            text.matches("interrupted").count() == round && text.trim_end().ends_with(">>")
        });
    }
    ask(&mut terminal, 3);
    terminal.send("Ann\r");
    terminal.see("\"Ann\"");
}

/// As in `ez debug`, and twice: the entry is not lost.
#[test]
fn interrupts_pause_an_entry_that_is_debugged() {
    let directory = tempfile::tempdir().unwrap();
    let mut terminal = start(&directory, &["repl"]);
    terminal.at(">>");
    let entry = "do spin() { temp n int = 0  loop { n++  if n % 1000000 == 9 { println(\"ready\") } } }";
    terminal.send(&format!("{entry}\r"));
    terminal.wait("the next prompt", |text| text.trim_end().ends_with(&format!("{entry}\n>>")));
    terminal.send(":debug spin()\r");
    terminal.at("(debug)");
    for _ in 1..=2 {
        terminal.send("c\r");
        terminal.wait("the program", |text| text.trim_end().ends_with("│ ready"));
        terminal.interrupt();
        let stop = terminal.at("(debug)");
        assert!(stop.contains("Paused in line"), "{stop}");
    }
    terminal.send("p n > 9\r");
    terminal.see("n > 9 = true");
    terminal.at("(debug)");
    terminal.send("quit\r");
    terminal.at(">>");
    // The prompt itself is what hears of it again.
    terminal.send("spin()\r");
    terminal.wait("the program", |text| text.trim_end().ends_with("\nready"));
    terminal.interrupt();
    terminal.wait("the end", |text| text.trim_end().ends_with("interrupted\n>>"));
    terminal.send("40 + 2\r");
    terminal.see("\n42\n");
}

#[test]
fn interrupts_end_a_program() {
    let directory = tempfile::tempdir().unwrap();
    let text = "import @std\nusing std\n\ndo main() {\n    println(\"ready\")\n    loop {}\n}\n";
    std::fs::write(directory.path().join("spins.ez"), text).unwrap();
    let mut terminal = start(&directory, &["run", "spins.ez"]);
    terminal.see("ready");
    terminal.interrupt();
    let status = terminal.end();
    // Wine gives the status of a program that has ended by itself.
    assert!(status != Some(0) || !interrupts_are_keys());
}
