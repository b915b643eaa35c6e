//! `ez debug` on a terminal: a pseudo-terminal whose screen is looked at.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // A test may panic.

mod debugger;

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

use debugger::{HANG, copy};

const DOWN: &str = "\u{1b}[B";
const UP: &str = "\u{1b}[A";
const LEFT: &str = "\u{1b}[D";
const CTRL_A: &str = "\u{1}";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

/// A debugger on a terminal.
struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    bytes: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// All that was written.
    all: Vec<u8>,
    directory: tempfile::TempDir,
}

impl Terminal {
    fn start(arguments: &[&str]) -> Terminal {
        Terminal::sized(arguments, 40, 100, &[])
    }

    fn sized(arguments: &[&str], rows: u16, columns: u16, environment: &[(&str, &str)]) -> Terminal {
        let directory = copy();
        Terminal::within(directory, arguments, rows, columns, environment)
    }

    fn within(
        directory: tempfile::TempDir,
        arguments: &[&str],
        rows: u16,
        columns: u16,
        environment: &[(&str, &str)],
    ) -> Terminal {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(rows, columns)).unwrap();
        let state = directory.path().join("state");
        let command = Command::new(env!("CARGO_BIN_EXE_ez"))
            .arg("debug")
            .args(arguments)
            .current_dir(directory.path())
            .env("TERM", "xterm-256color")
            .env("XDG_STATE_HOME", state)
            .env_remove("NO_COLOR")
            .envs(environment.iter().copied());
        let child = command.spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let (sender, bytes) = channel();
        let reading = pty.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // At the end of the process there is an error.
            while let Ok(count) = (&*reading).read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let screen = vt100::Parser::new(cells(rows), cells(columns), 0);
        Terminal { pty, child, bytes, screen, all: Vec::new(), directory }
    }

    fn send(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    /// What is seen, without blanks at the ends of lines.
    fn text(&self) -> String {
        let contents = self.screen.screen().contents();
        contents.lines().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
    }

    /// Waits until the screen is as wanted.
    fn wait(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let since = Instant::now();
        loop {
            let text = self.text();
            if wanted(&text) {
                return text;
            }
            match self.bytes.recv_timeout(HANG.saturating_sub(since.elapsed())) {
                Ok(bytes) => {
                    self.screen.process(&bytes);
                    self.all.extend(bytes);
                }
                Err(error) => {
                    let _ = self.child.kill();
                    let why = if error == RecvTimeoutError::Timeout { "in time" } else { "before the end" };
                    panic!("no {what} {why}:\n{text}");
                }
            }
        }
    }

    /// Waits until a text is seen.
    fn see(&mut self, wanted: &str) -> String {
        self.wait(wanted, |text| text.contains(wanted))
    }

    /// Waits until the last line is this.
    fn at(&mut self, line: &str) -> String {
        self.wait(line, |text| text.trim_end().ends_with(&format!("\n{line}")))
    }

    /// Carries out a command, up to the next prompt.
    fn command(&mut self, command: &str) -> String {
        self.send("\u{c}");
        self.at_top();
        self.send(&format!("{command}\r"));
        self.wait("the next prompt", |text| {
            text.starts_with(&format!("(debug) {command}\n")) && text.trim_end().ends_with("\n(debug)")
        })
    }

    /// Waits until the screen is cleared but for the prompt.
    fn at_top(&mut self) {
        self.wait("a clear screen", |text| text.trim() == "(debug)");
    }

    /// Waits for the end; gives the status.
    fn end(&mut self) -> Option<i32> {
        while let Ok(bytes) = self.bytes.recv_timeout(HANG) {
            self.screen.process(&bytes);
            self.all.extend(bytes);
        }
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            if since.elapsed() > HANG {
                let _ = self.child.kill();
                panic!("the process does not end");
            }
            std::thread::yield_now();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
    let mut terminal = Terminal::start(&["bubble_sort.ez"]);
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
fn lines_are_edited_and_remembered() {
    let mut terminal = Terminal::start(&["shapes.ez"]);
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
    let mut next = Terminal::within(directory, &["shapes.ez"], 40, 100, &[]);
    next.at("(debug)");
    next.send(&format!("{UP}{UP}"));
    next.at("(debug) print 1 + 2");
}

#[test]
fn what_is_typed_ahead_is_not_lost() {
    let mut terminal = Terminal::start(&["shapes.ez"]);
    terminal.at("(debug)");
    terminal.send("print 1\rprint 1 + 1\rnext\rprint 1 + 2\r");
    let text = terminal.see("1 + 2 = 3");
    assert!(text.contains("\n1 = 1\n") && text.contains("\n1 + 1 = 2\n"), "{text}");
    assert!(text.contains("\nStepped to line 41.\n"), "{text}");
}

#[test]
fn names_are_completed() {
    let mut terminal = Terminal::start(&["shapes.ez"]);
    terminal.at("(debug)");
    let mut completes = |typed: &str, line: &str| {
        terminal.send(&format!("{typed}\t"));
        terminal.wait(line, |text| text.trim_end().ends_with(&format!("\n(debug) {line}")));
        terminal.send(CTRL_C);
        terminal.wait("a new prompt", |text| text.trim_end().ends_with("Ctrl+D to leave.\n(debug)"));
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
    let mut terminal = Terminal::start(&["ask.ez"]);
    terminal.at("(debug)");
    terminal.send("c\r");
    let waiting = terminal.at("input>");
    assert!(waiting.contains("\n│ Name?\ninput>"), "{waiting}");
    // It is no command.
    terminal.send("quit\r");
    terminal.see("│ Hello, quit!");
    terminal.at("input>");
    // Ctrl+C pauses, and going on leads back to the wait.
    terminal.send(CTRL_C);
    terminal.see("Paused in line 14.");
    terminal.at("(debug)");
    terminal.send("p name\r");
    terminal.see("name = \"quit\"");
    terminal.send("c\r");
    terminal.at("input>");
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

/// Runs a program until it is busy, and pauses it.
fn pauses(text: &str, sign: &str) {
    let mut terminal = Terminal::within(program(text), &["own.ez"], 40, 100, &[]);
    terminal.at("(debug)");
    terminal.send("continue\r");
    terminal.see(sign);
    terminal.send(CTRL_C);
    terminal.see("Paused in line");
    terminal.at("(debug)");
    terminal.send(CTRL_C);
    terminal.see("Type 'quit' or press Ctrl+D to leave.");
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
fn interrupts_end_an_evaluation() {
    let text = "import @std\nusing std\ndo spin() -> int {\n    println(\"spinning\")\n    loop {}\n    return 1\n}\ndo main() {\n    \
                println(spin())\n}\n";
    let mut terminal = Terminal::within(program(text), &["own.ez"], 40, 100, &[]);
    terminal.at("(debug)");
    terminal.send("print spin()\r");
    terminal.see("│ spinning");
    terminal.send(CTRL_C);
    terminal.see("evaluation was interrupted");
    terminal.at("(debug)");
}

/// A program whose past takes long to run through, at its end.
fn at_the_end_of_a_long_run() -> Terminal {
    let text = "do main() {\n    temp first int = 1\n    temp n int = 0\n    for i in range(0, 20000000) {\n        \
                n += 1\n    }\n}\n";
    let mut terminal = Terminal::within(program(text), &["--history", "own.ez"], 40, 100, &[]);
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
    terminal.send(CTRL_C);
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
    terminal.send(CTRL_C);
    let text = terminal.see("the search was interrupted");
    assert!(!text.contains('%'), "{text}");
    terminal.at("(debug)");
}

#[test]
fn colours_are_left_out_when_nobody_wants_them() {
    let mut terminal = Terminal::start(&["bubble_sort.ez"]);
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
        let mut terminal = Terminal::sized(arguments, 40, 100, environment);
        let text = terminal.at("(debug)");
        assert!(text.contains("\n             ^^^^"), "{text}");
        let plain = String::from_utf8_lossy(&terminal.all).into_owned();
        assert!(!plain.contains("\u{1b}[1m") && !plain.contains("\u{1b}[3"), "{plain:?}");
    }
}

#[test]
fn windows_fit_the_terminal() {
    let wide = "import @std\nusing std\ndo main() {\n    temp greeting string = \"日本語の長い文字列はここにあります\" + \
                \"and something more\"\n    println(greeting, greeting, greeting, len(greeting))\n}\n";
    let mut terminal = Terminal::within(program(wide), &["own.ez"], 40, 40, &[]);
    let narrow = terminal.at("(debug)");
    insta::assert_snapshot!("terminal_narrow", narrow);
    terminal.pty.resize(Size::new(40, 90)).unwrap();
    terminal.screen.screen_mut().set_size(cells(40), cells(90));
    let resized = terminal.command("list");
    insta::assert_snapshot!("terminal_resized", resized);
}
