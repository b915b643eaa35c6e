//! `ez debug` on a terminal: a pseudo-terminal whose screen is looked at.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use crate::pseudo::{Run, Terminal, colours_take_no_room, interrupts_are_keys};
use support::debugger::copy;

const DOWN: &str = "\u{1b}[B";
const UP: &str = "\u{1b}[A";
const LEFT: &str = "\u{1b}[D";
const CTRL_A: &str = "\u{1}";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const CTRL_U: &str = "\u{15}";

const ROWS: u16 = 40;

/// A debugger on a terminal.
struct Session {
    terminal: Terminal,
    directory: tempfile::TempDir,
}

impl Session {
    fn start(arguments: &[&str]) -> Session {
        Session::with(arguments, &[])
    }

    fn with(arguments: &[&str], environment: &[(&str, &str)]) -> Session {
        Session::within(copy(), arguments, 100, environment)
    }

    fn within(
        directory: tempfile::TempDir,
        arguments: &[&str],
        columns: u16,
        environment: &[(&str, &str)],
    ) -> Session {
        let arguments: Vec<&str> = ["debug"].iter().chain(arguments).copied().collect();
        let run =
            Run { arguments: &arguments, directory: directory.path(), environment, rows: ROWS, columns };
        Session { terminal: Terminal::start(&run), directory }
    }

    /// Carries out a command, up to the next prompt.
    fn command(&mut self, command: &str) -> String {
        self.send("\u{c}");
        self.wait("a clear screen", |text| text.trim() == "(debug)");
        self.send(&format!("{command}\r"));
        self.wait("the next prompt", |text| {
            text.starts_with(&format!("(debug) {command}\n")) && text.trim_end().ends_with("\n(debug)")
        })
    }
}

impl Deref for Session {
    type Target = Terminal;

    fn deref(&self) -> &Terminal {
        &self.terminal
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut Terminal {
        &mut self.terminal
    }
}

/// Whether what is coloured stands in the right columns of a terminal. Says so if not.
fn columns_are_right() -> bool {
    let right = colours_take_no_room();
    if !right {
        eprintln!("skipped: this console counts what makes colours as text");
    }
    right
}

/// A program in a directory of its own.
fn program(text: &str) -> tempfile::TempDir {
    let directory = copy();
    write(directory.path(), text);
    directory
}

fn write(directory: &Path, text: &str) {
    std::fs::write(directory.join("own.ez"), text).unwrap();
}

#[test]
fn a_session() {
    if !columns_are_right() {
        return;
    }
    let mut terminal = Session::start(&["bubble_sort.ez"]);
    let first = terminal.at("(debug)");
    insta::assert_snapshot!("terminal_first_stop", first);
    terminal.send("b 13\r");
    terminal.see("Breakpoint 1 at bubble_sort.ez:13");
    let stop = terminal.command("c");
    insta::assert_snapshot!("terminal_breakpoint", stop);
    terminal.command("delete");
    let end = terminal.command("c");
    insta::assert_snapshot!("terminal_end", end);
    let again = terminal.command("restart");
    assert!(again.contains("Stopped at the first statement."), "{again}");
    terminal.send("quit\r");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn a_narrow_terminal_shows_all_of_the_help() {
    let mut terminal = Session::within(copy(), &["shapes.ez"], 40, &[]);
    terminal.at("(debug)");
    terminal.send("help\r");
    let text = terminal.see("explains a");
    assert!(!text.contains('…'), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
}

/// The file goes, and comes back, while the program is stopped.
#[test]
fn a_program_whose_file_is_missing_is_started_when_it_is_back() {
    let text = "do main() {\n    temp n = 1\n    n++\n}\n";
    let mut terminal = Session::within(program(text), &["own.ez"], 100, &[]);
    terminal.at("(debug)");
    let file = terminal.directory.path().join("own.ez");
    std::fs::remove_file(&file).unwrap();
    let missing = terminal.command("restart");
    assert!(missing.contains("Error: the program cannot be read: own.ez: "), "{missing}");
    assert!(missing.contains("= help: 'restart' tries again"), "{missing}");
    for command in ["list", "break main", "break 2"] {
        let refused = terminal.command(command);
        assert!(!refused.contains("not initialized"), "{command}: {refused}");
    }
    let refused = terminal.command("list");
    assert!(refused.contains("Error: no program is loaded"), "{refused}");
    std::fs::write(&file, text).unwrap();
    let back = terminal.command("restart");
    assert!(back.contains("Stopped at "), "{back}");
}

#[test]
fn lines_are_edited_and_remembered() {
    let mut terminal = Session::start(&["shapes.ez"]);
    terminal.at("(debug)");
    // The cursor moves, what is typed is inserted, and Ctrl+A leads to the beginning.
    terminal.send(&format!("rint 1 2{LEFT}+ {CTRL_A}p"));
    terminal.at("(debug) print 1 + 2");
    terminal.send("\r");
    terminal.see("1 + 2 = 3");
    terminal.at("(debug)");
    terminal.send(UP);
    terminal.at("(debug) print 1 + 2");
    terminal.send(DOWN);
    terminal.at("(debug)");
    terminal.send("quit\r");
    assert_eq!(terminal.end(), Some(0));
    // Another session remembers it.
    let directory = std::mem::replace(&mut terminal.directory, copy());
    let mut next = Session::within(directory, &["shapes.ez"], 100, &[]);
    next.at("(debug)");
    next.send(&format!("{UP}{UP}"));
    next.at("(debug) print 1 + 2");
}

#[test]
fn what_is_typed_ahead_is_not_lost() {
    let mut terminal = Session::start(&["shapes.ez"]);
    terminal.at("(debug)");
    terminal.send("print 1\rprint 1 + 1\rnext\rprint 1 + 2\r");
    let text = terminal.see("1 + 2 = 3");
    assert!(text.contains("\n1 = 1\n") && text.contains("\n1 + 1 = 2\n"), "{text}");
    assert!(text.contains("\nStepped to line 41.\n"), "{text}");
}

#[test]
fn names_are_completed() {
    let mut terminal = Session::start(&["--no-color", "shapes.ez"]);
    terminal.at("(debug)");
    let mut completes = |typed: &str, line: &str| {
        terminal.send(&format!("{typed}\t"));
        terminal.at(&format!("(debug) {line}"));
        terminal.send(CTRL_U);
        terminal.at("(debug)");
    };
    completes("conti", "continue");
    completes("break dou", "break double");
    completes("load start.c", "load start.commands");
    completes("help cond", "help condition");
    completes("print SCA", "print SCALE");
    terminal.send("until 46\r");
    terminal.see("Ran to line 46.");
    terminal.at("(debug)");
    terminal.send("print shape.corn\t");
    terminal.at("(debug) print shape.corner");
    terminal.send("\r");
    terminal.see("shape.corner = Point{x: 1, y: 2}");
}

#[test]
fn the_program_reads_what_is_typed_for_it() {
    let mut terminal = Session::start(&["ask.ez"]);
    terminal.at("(debug)");
    terminal.send("c\r");
    let waiting = terminal.at("input>");
    let explained = "\n│ Name?\nThe program reads a line: type it, or press Ctrl+C to stop here.\ninput>";
    assert!(waiting.contains(explained), "{waiting}");
    // It is no command.
    terminal.send("quit\r");
    terminal.see("│ Hello, quit!");
    terminal.at("input>");
    // Ctrl+C pauses, and going on leads back to the wait.
    if interrupts_are_keys() {
        terminal.send(CTRL_C);
        terminal.see("Paused in line 14.");
        terminal.at("(debug)");
        terminal.send("p name\r");
        terminal.see("name = \"quit\"");
        terminal.send("c\r");
        terminal.at("input>");
    }
    terminal.send("Oslo\r");
    terminal.see("│ quit from Oslo");
    terminal.see("The program has ended with status 0.");
    terminal.at("(debug)");
    terminal.send("restart\r");
    terminal.see("Stopped at the first statement.");
    terminal.send("c\r");
    terminal.at("input>");
    // The end of its input.
    terminal.send(CTRL_D);
    terminal.see("│ Hello, !");
}

#[test]
fn interrupts_end_a_line_that_is_not_edited() {
    let mut terminal = Session::with(&["ask.ez"], &[("TERM", "dumb")]);
    terminal.at("(debug)");
    terminal.send("c\r");
    terminal.at("input>");
    terminal.send("not this");
    terminal.interrupt();
    terminal.see("Paused in line 11.");
    terminal.at("(debug)");
    // What is typed is a command now, not input.
    terminal.send("p 6 * 7\r");
    terminal.see("6 * 7 = 42");
    terminal.at("(debug)");
    terminal.interrupt();
    terminal.see("Type 'quit' or press Ctrl+D to leave.");
    terminal.at("(debug)");
    terminal.send("c\r");
    terminal.at("input>");
    terminal.send("Ann\r");
    terminal.see("Hello, Ann!");
    terminal.at("input>");
    terminal.interrupt();
    terminal.see("Paused in line 14.");
    terminal.at("(debug)");
    terminal.send("quit\r");
    assert_eq!(terminal.end(), Some(0));
}

/// Runs a program until it is busy, and pauses it.
/// The next prompt is that of the stop.
#[test]
fn interrupts_of_a_shared_session_show_one_prompt() {
    // Without a folder for running programs, the list of sessions is beside the history.
    let mut terminal = Session::with(&["ask.ez"], &[("TERM", "dumb"), ("XDG_RUNTIME_DIR", "")]);
    terminal.at("(debug)");
    terminal.send("share\r");
    terminal.see("This session is shared.");
    let text = terminal.at("(debug)");
    assert!(!text.contains("cannot be written"), "{text}");
    terminal.send("c\r");
    terminal.at("input>");
    terminal.interrupt();
    terminal.see("Paused in line 11.");
    let text = terminal.at("(debug)");
    assert_eq!(text.matches("input>").count(), 1, "{text}");
    terminal.send("c\r");
    terminal.at("input>");
    terminal.send("Ann\r");
    terminal.see("Hello, Ann!");
}

#[test]
fn a_list_for_no_breakpoint_is_not_begun() {
    let mut terminal = Session::start(&["shapes.ez"]);
    terminal.at("(debug)");
    for wrong in ["commands 99", "commands x", "commands"] {
        let text = terminal.command(wrong);
        assert!(text.contains("Error: ") && !text.contains("\n>"), "{text}");
    }
    // Of lines that were pasted, those up to 'end' are no commands.
    terminal.send("\u{1b}[200~commands 99\nquit\nend\np 6 * 7\u{1b}[201~\r");
    terminal.see("there is no breakpoint 99");
    terminal.see("6 * 7 = 42");
    terminal.at("(debug)");
}

/// Who opens a pipe waits for the other end.
#[cfg(unix)]
#[test]
fn a_history_that_is_no_file_is_left_alone() {
    for is_pipe in [true, false] {
        let directory = copy();
        let history = directory.path().join("state/ez/debug_history");
        std::fs::create_dir_all(if is_pipe { history.parent().unwrap() } else { &history }).unwrap();
        if is_pipe {
            assert!(std::process::Command::new("mkfifo").arg(&history).status().unwrap().success());
        }
        let mut terminal = Session::within(directory, &["shapes.ez"], 100, &[]);
        terminal.see("There is no history of commands: ");
        terminal.see("is not a regular file.");
        terminal.at("(debug)");
        assert!(terminal.command("p 6 * 7").contains("6 * 7 = 42"));
        terminal.send("quit\r");
        assert_eq!(terminal.end(), Some(0));
    }
}

fn pauses(text: &str, sign: &str) {
    let mut terminal = Session::within(program(text), &["own.ez"], 100, &[]);
    terminal.at("(debug)");
    terminal.send("continue\r");
    terminal.see(sign);
    terminal.interrupt();
    terminal.see("Paused in line");
    terminal.at("(debug)");
    if interrupts_are_keys() {
        terminal.send(CTRL_C);
        terminal.see("Type 'quit' or press Ctrl+D to leave.");
    }
    terminal.send("print 6 * 7\r");
    terminal.see("6 * 7 = 42");
    terminal.at("(debug)");
    terminal.send(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn interrupts_pause_a_loop() {
    pauses("import @std\nusing std\ndo main() {\n    println(\"ready\")\n    loop {}\n}\n", "│ ready");
}

#[test]
fn interrupts_pause_a_sleep() {
    pauses(
        "import @std, @time\nusing std\ndo main() {\n    println(\"ready\")\n    time.sleep(1000)\n}\n",
        "│ ready",
    );
}

#[test]
fn interrupts_pause_the_library() {
    let text = "import @std, @math\nusing std\ndo main() {\n    println(\"ready\")\n    temp huge = \
                math.pow(3, 1000000000)\n    println(huge)\n}\n";
    pauses(text, "│ ready");
}

#[test]
fn interrupts_end_a_repetition() {
    let text = "import @std\nusing std\ndo main() {\n    temp n int = 0\n    println(\"ready\")\n    loop {\n        n++\n    }\n}\n";
    let mut terminal = Session::within(program(text), &["own.ez"], 100, &[]);
    terminal.at("(debug)");
    terminal.send("step 1000000000\r");
    terminal.see("│ ready");
    terminal.interrupt();
    terminal.at("(debug)");
    terminal.send("print n >= 0\r");
    terminal.see("n >= 0 = true");
}

#[test]
fn interrupts_end_an_evaluation() {
    let text = "import @std\nusing std\ndo spin() -> int {\n    println(\"spinning\")\n    loop {}\n    return 1\n}\ndo main() {\n    \
                println(spin())\n}\n";
    let mut terminal = Session::within(program(text), &["own.ez"], 100, &[]);
    terminal.at("(debug)");
    terminal.send("print spin()\r");
    terminal.see("│ spinning");
    terminal.interrupt();
    terminal.see("evaluation was interrupted");
    terminal.at("(debug)");
}

/// A program whose past takes long to run through, at its end.
fn at_the_end_of_a_long_run() -> Session {
    let text = "do main() {\n    temp first int = 1\n    temp n int = 0\n    for i in range(0, 20000000) {\n        \
                n += 1\n    }\n    if n < 0 { first = 2 }\n}\n";
    let mut terminal = Session::within(program(text), &["--history", "own.ez"], 100, &[]);
    terminal.at("(debug)");
    terminal.send("continue\r");
    terminal.see("The program is about to end");
    terminal.at("(debug)");
    terminal
}

#[test]
fn interrupts_end_a_journey_whose_progress_is_seen() {
    let mut terminal = at_the_end_of_a_long_run();
    // It is hit nowhere, so all of the past is looked through.
    terminal.send("break 5 if n < 0\r");
    terminal.at("(debug)");
    terminal.send("reverse\r");
    terminal.see(" % (Ctrl+C ends it)");
    terminal.interrupt();
    let text = terminal.see("(the journey was interrupted)");
    assert!(!text.contains('%'), "{text}");
    terminal.at("(debug)");
    terminal.send("goto 4\r");
    terminal.see("Back at line 5. (step 4 of ");
}

#[test]
fn interrupts_end_a_search_whose_progress_is_seen() {
    let mut terminal = at_the_end_of_a_long_run();
    terminal.send("whence first\r");
    terminal.see(" % (Ctrl+C ends it)");
    terminal.interrupt();
    let text = terminal.see("it was interrupted");
    assert!(!text.contains('%'), "{text}");
    terminal.at("(debug)");
}

#[test]
fn colours_are_left_out_when_nobody_wants_them() {
    let mut terminal = Session::start(&["bubble_sort.ez"]);
    terminal.at("(debug)");
    let coloured = String::from_utf8_lossy(&terminal.all).into_owned();
    // The part that is next is underlined.
    assert!(
        coloured.contains("\u{1b}[1m\u{1b}[4mtemp list [int] = {5, 2, 9, 1, 7}\u{1b}[0m"),
        "{coloured:?}"
    );
    assert!(!terminal.text().contains("^^^^"), "{}", terminal.text());
    for (arguments, environment) in [
        (&["--no-color", "bubble_sort.ez"][..], &[][..]),
        (&["bubble_sort.ez"], &[("NO_COLOR", "1")]),
        (&["--color", "never", "bubble_sort.ez"], &[]),
    ] {
        let mut terminal = Session::with(arguments, environment);
        let text = terminal.at("(debug)");
        assert!(text.contains("\n             ^^^^"), "{text}");
        let plain = String::from_utf8_lossy(&terminal.all).into_owned();
        assert!(!plain.contains("\u{1b}[1m") && !plain.contains("\u{1b}[3"), "{plain:?}");
    }
}

#[test]
fn texts_are_broken_between_words() {
    let endless = "do down(n int) {\n    down(n + 1)\n}\ndo main() {\n    down(1)\n}\n";
    let mut terminal = Session::within(program(endless), &["own.ez"], 60, &[]);
    terminal.at("(debug)");
    let stopped = terminal.command("continue");
    assert!(
        stopped.contains("\nRun-time error E5018: maximum recursion depth exceeded\n(limit: 10000).\n"),
        "{stopped}"
    );
    let help = terminal.command("help break");
    assert!(
        help.contains("\nThe program stops before the first statement of the line or\nfunction. With"),
        "{help}"
    );
    assert!(help.contains("\n    (debug) break area hit 3\n"), "{help}");
}

#[test]
fn windows_fit_the_terminal() {
    if !columns_are_right() {
        return;
    }
    let wide = "import @std\nusing std\ndo main() {\n    temp greeting string = \"日本語の長い文字列はここにあります\" + \
                \"and something more\"\n    println(greeting, greeting, greeting, len(greeting))\n}\n";
    let mut terminal = Session::within(program(wide), &["own.ez"], 40, &[]);
    let narrow = terminal.at("(debug)");
    insta::assert_snapshot!("terminal_narrow", narrow);
    terminal.resize(ROWS, 90);
    let resized = terminal.command("list");
    insta::assert_snapshot!("terminal_resized", resized);
}

/// Ctrl+C pauses the process that is shown, and the prompt says which one that is.
#[test]
fn a_child_process_is_paused() {
    let directory = program(&format!(
        "import @std, @os\nusing std\ndo main() {{\n    temp text, problem = os.exec_output(`{} worker.ez`)\n    \
         println(text)\n}}\n",
        support::ez_path().display()
    ));
    let worker = "import @std\nusing std\ndo main() {\n    temp go bool = true\n    as_long_as go {\n        \
                  sleep_milliseconds(1)\n    }\n    println(\"went\")\n}\n";
    std::fs::write(directory.path().join("worker.ez"), worker).unwrap();
    let mut terminal = Session::within(directory, &["--children", "own.ez"], 100, &[]);
    terminal.at("(debug)");
    terminal.send("c\r");
    terminal.see("(debug 2)");
    // A sign that it runs.
    terminal.send("break 6 hit 2 log round {1 + 1}\r");
    terminal.send("c\r");
    terminal.see("round 2");
    terminal.interrupt();
    terminal.see("Paused in line");
    terminal.send("go = false\r");
    terminal.send("c\r");
    terminal.see("│ went");
    terminal.send("quit\r");
    assert_eq!(terminal.end(), Some(0));
}
