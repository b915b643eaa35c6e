//! Several at one session: `share` in `ez debug`, and `ez debug --join`.

use std::path::Path;

use serde_json::json;
use support::debugger::copy;
use support::{Server, ez};

use crate::pseudo::{Run, Terminal, interrupts_are_keys};

/// The folder with the programs, in which the sessions are listed, too.
pub struct Class(tempfile::TempDir);

/// `ez debug` with commands from a pipe.
pub struct Client {
    pub server: Server,
    pub transcript: String,
}

impl Class {
    pub fn new() -> Class {
        let class = Class(copy());
        std::fs::create_dir(class.list()).unwrap();
        class
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn list(&self) -> String {
        self.path().join("list").display().to_string()
    }

    pub fn start(&self, arguments: &[&str]) -> Client {
        let mut command = ez();
        command.arg("debug").args(arguments).current_dir(self.path());
        command.env("XDG_RUNTIME_DIR", self.list()).env_remove("EZ_TOKEN");
        Client { server: Server::run(&mut command), transcript: String::new() }
    }

    /// A session of the line protocol, with these arguments.
    pub fn debugserver(&self, arguments: &[&str]) -> Server {
        let mut command = ez();
        command.arg("debugserver").args(arguments).current_dir(self.path());
        Server::run(command.env("XDG_RUNTIME_DIR", self.list()))
    }

    /// The owner of a session, and the line with which a participant and an observer join.
    pub fn owner(&self, program: &str) -> (Client, [String; 2]) {
        let mut owner = self.start(&[program]);
        let how = owner.command("share", "You yourself need only");
        let mut lines = how.lines().filter_map(|line| line.strip_prefix("  ez debug "));
        let lines = [(); 2].map(|()| lines.next().unwrap().to_string());
        (owner, lines)
    }

    /// What `ez debug` says that fails with these arguments.
    pub fn fails(&self, arguments: &[&str]) -> String {
        let mut command = ez();
        command.arg("debug").args(arguments).current_dir(self.path());
        command.env("XDG_RUNTIME_DIR", self.list()).env_remove("EZ_TOKEN");
        let output = support::with_input(&mut command, "");
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    }

    pub fn join(&self, line: &str, name: &str) -> Client {
        let arguments: Vec<&str> = line.split(' ').chain(["--name", name]).collect();
        self.start(&arguments)
    }

    fn terminal(&self, arguments: &[&str]) -> Terminal {
        let arguments: Vec<&str> = ["debug", "--no-color"].iter().chain(arguments).copied().collect();
        let environment = [("XDG_RUNTIME_DIR", self.list())];
        let environment = environment.each_ref().map(|(name, value)| (*name, value.as_str()));
        let run = Run {
            arguments: &arguments,
            directory: self.path(),
            environment: &environment,
            rows: 60,
            columns: 100,
        };
        Terminal::start(&run)
    }
}

impl Client {
    /// Waits for a line with this text; gives what has come.
    pub fn see(&mut self, text: &str) -> String {
        let from = self.transcript.len();
        loop {
            let Some(line) = self.server.line() else { panic!("no '{text}' in\n{}", self.transcript) };
            self.transcript.push_str(&format!("{line}\n"));
            if line.contains(text) {
                return self.transcript[from..].to_string();
            }
        }
    }

    /// Sends a command, and waits for a line with this text.
    pub fn command(&mut self, command: &str, text: &str) -> String {
        self.server.send(&format!("{command}\n"));
        self.see(text)
    }

    /// Waits for the end; gives the status, and everything that was shown.
    pub fn end(mut self) -> (Option<i32>, String) {
        while let Some(line) = self.server.line() {
            self.transcript.push_str(&format!("{line}\n"));
        }
        (self.server.wait().code(), without_secrets(&self.transcript))
    }

    pub fn quit(mut self) -> (Option<i32>, String) {
        self.server.close();
        self.end()
    }
}

/// Ports and tokens are others each time, and so is the user's name.
fn without_secrets(text: &str) -> String {
    let text = regex::Regex::new(r"127\.0\.0\.1:\d+").unwrap().replace_all(text, "127.0.0.1:PORT");
    regex::Regex::new(r"[0-9a-f]{32}").unwrap().replace_all(&text, "TOKEN").into_owned()
}

fn with_status((status, text): (Option<i32>, String)) -> String {
    format!("{text}--- ends with {status:?}\n")
}

#[test]
fn all_see_what_each_does() {
    let class = Class::new();
    let (mut owner, [line, _]) = class.owner("bubble_sort.ez");
    let mut bob = class.join(&line, "Bob");
    bob.see("println(list)");
    owner.see("Bob has joined");
    bob.command("break 13 if i == 1", "Breakpoint 1");
    owner.see("Bob set");
    bob.command("continue", "+ kept");
    owner.see("+ kept");
    bob.command("disable 1", "Breakpoint 1");
    owner.see("Bob changed");
    bob.command("set list[0] = 7", "list[0]");
    owner.see("may have changed values");
    owner.command("guests", "Bob ");
    owner.command("continue", "The program has ended");
    bob.see("The program has ended");
    insta::assert_snapshot!("shared_guest", with_status(bob.end()).replace(&user(), "USER"));
    insta::assert_snapshot!("shared_owner", with_status(owner.quit()));
}

/// The name that the owner has for guests.
fn user() -> String {
    let output = std::process::Command::new("id").arg("-un").output();
    output
        .map_or_else(|_| "owner".into(), |output| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

#[test]
fn an_observer_changes_nothing() {
    let class = Class::new();
    let (mut owner, [_, line]) = class.owner("bubble_sort.ez");
    let mut eve = class.join(&line, "Eve");
    eve.see("println(list)");
    owner.see("Eve has joined as an observer.");
    let nothing = "an observer changes nothing";
    for command in ["next", "restart", "break 13", "watch list", "input x", "display 1"] {
        eve.command(command, nothing);
    }

    eve.command("share", "only the owner of the session can");
    eve.command("list = {1}", "Error");
    eve.command("print 1 + 1", "1 + 1 = 2");
    eve.command("backtrace", "main");
    assert!(!eve.transcript.contains("Cannot attach"), "{}", eve.transcript);
    eve.command("quit", "quit");
    // Commands have failed.
    assert_eq!(eve.end().0, Some(1));
    owner.see("Eve has left.");
    let (status, text) = owner.quit();
    assert_eq!(status, Some(0));
    assert!(!text.contains("continued") && !text.contains("may have changed"), "{text}");
}

#[test]
fn who_leaves_ends_nothing() {
    let class = Class::new();
    let (mut owner, [line, _]) = class.owner("bubble_sort.ez");
    for leaves in ["quit", ""] {
        let mut bob = class.join(&line, "Bob");
        bob.see("println(list)");
        owner.see("Bob has joined");
        if !leaves.is_empty() {
            bob.command(leaves, leaves);
        }
        // The end of its commands.
        assert_eq!(bob.quit().0, Some(0));
        owner.see("Bob has left.");
    }
    owner.command("next", "Stepped to line 22.");
    assert_eq!(owner.quit().0, Some(0));
}

#[test]
fn who_is_sent_away_is_told() {
    let class = Class::new();
    let (mut owner, [line, _]) = class.owner("bubble_sort.ez");
    let mut bob = class.join(&line, "Bob");
    bob.see("println(list)");
    owner.see("Bob has joined");
    owner.command("unshare", "not shared any more");
    let (status, text) = bob.end();
    assert_eq!(status, Some(1));
    assert!(text.ends_with("Error: the session is not shared any more\n"), "{text}");
    // Nobody comes in, until it is shared again, with other tokens.
    assert_eq!(class.join(&line, "Bob").end().0, Some(1));
    owner.command("share", "You yourself need only");
    let mut bob = class.start(&["--join", "--name", "Bob"]);
    bob.see("println(list)");
    owner.see("Bob has joined");
    assert_eq!(owner.quit().0, Some(0));
    let (status, text) = bob.end();
    assert_eq!(status, Some(1));
    assert!(text.ends_with("Error: the owner has ended the session\n"), "{text}");
}

#[test]
fn a_session_that_is_lost_is_told() {
    let class = Class::new();
    let (mut owner, [line, _]) = class.owner("bubble_sort.ez");
    let mut bob = class.join(&line, "Bob");
    bob.see("println(list)");
    owner.server.process().kill().unwrap();
    let (status, text) = bob.end();
    assert_eq!(status, Some(1));
    assert!(text.ends_with("Error: the connection to the program was lost\n"), "{text}");
}

#[test]
fn which_session_is_meant_is_found_or_asked() {
    let class = Class::new();
    let fails = |arguments: &[&str]| class.fails(arguments);
    assert!(fails(&["--join"]).starts_with("Error: you share no session on this computer\n  = help: "));
    let (_one, [line, _]) = class.owner("bubble_sort.ez");
    let address = line.split(' ').nth(1).unwrap();
    let wrong = fails(&["--join", address, "--token", "x"]);
    let which = format!("Error: cannot join {address}  ez debug bubble_sort.ez (process ");
    assert!(wrong.starts_with(&which) && wrong.ends_with("): wrong parameter 'token'\n"), "{wrong}");
    assert_eq!(fails(&["--join", "nowhere"]), "Error: nowhere: expected HOST:PORT, such as 127.0.0.1:4711\n");
    assert!(fails(&["--join", "127.0.0.1:1"]).contains("the token is missing"));
    assert!(fails(&["--join", "127.0.0.1:1", "--token", "x"]).contains("cannot connect to 127.0.0.1:1: "));
    // By its address, too, the list knows the token.
    class.start(&["--join", address]).see("println(list)");
    class.start(&["--join", "--observe"]).see("(observer)");
    let (_two, _) = class.owner("shapes.ez");
    let several = fails(&["--join"]);
    assert!(several.contains("several sessions are shared"), "{several}");
    assert!(several.contains(&format!("\n    {address}  ez debug bubble_sort.ez (process ")), "{several}");
    assert!(several.contains("  ez debug shapes.ez (process "), "{several}");
}

#[test]
fn what_is_typed_stays_while_others_do_something() {
    let class = Class::new();
    let mut owner = class.terminal(&["bubble_sort.ez"]);
    owner.at("(debug)");
    owner.send("share\r");
    owner.see("You yourself need only");
    owner.at("(debug)");
    let mut bob = class.start(&["--join", "--name", "Bob"]);
    bob.see("println(list)");
    owner.see("Bob has joined as a participant.");
    owner.at("(debug)");
    owner.send("print li");
    owner.at("(debug) print li");
    bob.command("next", "Stepped to line 22.");
    let text = owner.see("Stepped to line 22 (Bob).");
    assert!(text.contains("\nBob continued.\nStepped to line 22 (Bob).\n"), "{text}");
    owner.wait("the line that is typed", |text| text.trim_end().ends_with("\n(debug) print li"));
    owner.send("st\r");
    owner.see("list = {5, 2, 9, 1, 7}");
    owner.at("(debug)");
    // Names are completed with what there is now.
    owner.send("print lis\t");
    owner.at("(debug) print list");
    owner.send("\r");
    bob.command("continue", "The program has ended");
    owner.see("│ {1, 2, 5, 7, 9}");
    owner.see("The program has ended with status 0.");
    owner.at("(debug)");
    owner.send("quit\r");
    assert_eq!(owner.end(), Some(0));
}

const LOOP: &str = "import @std\nusing std\ndo main() {\n    temp n int = 0\n    println(\"ready\")\n    loop {\n        n++\n    }\n}\n";

#[test]
fn a_program_that_another_lets_run_is_stopped_from_the_prompt() {
    let class = Class::new();
    std::fs::write(class.path().join("own.ez"), LOOP).unwrap();
    let mut owner = class.terminal(&["own.ez"]);
    owner.at("(debug)");
    owner.send("share\r");
    owner.see("You yourself need only");
    let mut bob = class.start(&["--join", "--name", "Bob"]);
    bob.command("continue", "ready");
    owner.see("│ ready");
    owner.at("(debug)");
    owner.send("print n\r");
    owner.see("Error: 'print' needs a program that is stopped, and Bob has let it go on");
    owner.at("(debug)");
    owner.send("break 7 if n < 0\r");
    owner.see("Breakpoint 1 at own.ez:7");
    owner.at("(debug)");
    if interrupts_are_keys() {
        owner.send("\u{3}");
        owner.see("Paused in line");
        bob.see("Paused in line");
        owner.at("(debug)");
        owner.send("print n > 0\r");
        owner.see("n > 0 = true");
    }
}

#[test]
fn who_is_sent_away_from_a_terminal_leaves_it_usable() {
    let class = Class::new();
    let (mut owner, _) = class.owner("bubble_sort.ez");
    let mut bob = class.terminal(&["--join", "--name", "Bob"]);
    bob.see("Joined the session of bubble_sort.ez as Bob (participant).");
    bob.at("(debug)");
    bob.send("prin");
    bob.at("(debug) prin");
    owner.see("Bob has joined");
    owner.command("unshare", "not shared any more");
    bob.see("Error: the session is not shared any more");
    assert_eq!(bob.end(), Some(1));
    assert!(!bob.text().contains("prin\n"), "{}", bob.text());
}

const ASKS: &str = "import @std
using std
do main() {
    temp name string = input()
    println(\"hello ${name}\")
    temp n int = 1
    println(n)
}
";

/// The owner of [`ASKS`], and a guest who is asked for the input, with a breakpoint behind it.
fn asked(class: &Class) -> (Client, Terminal) {
    std::fs::write(class.path().join("asks.ez"), ASKS).unwrap();
    let (mut owner, _) = class.owner("asks.ez");
    let mut bob = class.terminal(&["--join", "--name", "Bob"]);
    bob.at("(debug)");
    owner.command("break 6", "Breakpoint 1");
    bob.see(" set breakpoint 1 at asks.ez:6.");
    bob.send("continue\r");
    bob.at("input>");
    (owner, bob)
}

#[test]
fn the_prompt_for_input_becomes_one_for_commands_when_another_client_has_given_it() {
    let class = Class::new();
    let (mut owner, mut bob) = asked(&class);
    owner.command("input Ann", "hello Ann");
    owner.see("Breakpoint 1, first hit (Bob).");
    let text = bob.see("Breakpoint 1, first hit.");
    assert!(text.contains(" continued.\n"), "{text}");
    bob.at("debug>");
    bob.send("print name\r");
    bob.see("name = \"Ann\"");
    bob.at("(debug)");
    bob.send("quit\r");
    assert_eq!(bob.end(), Some(0));
}

#[test]
fn an_answer_that_comes_too_late_is_no_command() {
    let class = Class::new();
    let (mut owner, mut bob) = asked(&class);
    bob.send("qu");
    bob.at("input> qu");
    owner.command("input Ann", "hello Ann");
    bob.at("debug> qu");
    bob.send("it\r");
    bob.see("Error: the program does not wait for this input any more: it did not get 'quit'");
    bob.at("(debug)");
}

#[cfg(unix)]
#[test]
fn several_commands_can_be_pasted() {
    let class = Class::new();
    let mut owner = class.terminal(&["bubble_sort.ez"]);
    owner.at("(debug)");
    owner.send("\u{1b}[200~break 22\nprint 1 + 1\nprint 2 + 2\u{1b}[201~");
    owner.send("\r");
    owner.see("2 + 2 = 4");
    let text = owner.at("(debug)");
    assert!(text.contains("Breakpoint 1 at bubble_sort.ez:22") && text.contains("1 + 1 = 2"), "{text}");
}

#[test]
fn what_is_saved_replaces_only_what_was_saved() {
    let class = Class::new();
    let mut owner = class.start(&["bubble_sort.ez"]);
    std::fs::write(class.path().join("essay.txt"), "mine").unwrap();
    owner.see("println(list)");
    for (file, is_saved) in
        [("bubble_sort.ez", false), ("essay.txt", false), ("saved", true), ("saved", true)]
    {
        owner.server.send(&format!("save {file}\nprint 1 + 1\n"));
        let text = owner.see("1 + 1 = 2");
        assert_eq!(text.contains(&format!("Saved in {file}")), is_saved, "{text}");
    }
    assert_eq!(std::fs::read_to_string(class.path().join("essay.txt")).unwrap(), "mine");
}

#[test]
fn an_observer_is_not_advised_to_start_the_program_again() {
    let class = Class::new();
    let mut owner = class.debugserver(&[]);
    owner.ask("initialize", json!({"file": "bubble_sort.ez", "protocolVersion": 2, "keepAlive": true}));
    owner.command("share", json!({}));
    let shared = owner.wait_for("shared");
    let address = format!("127.0.0.1:{}", shared["port"]);
    let mut eve =
        class.terminal(&["--join", &address, "--token", shared["tokens"]["observer"].as_str().unwrap()]);
    eve.at("(debug)");
    owner.ask("start", json!({}));
    owner.ask("continue", json!({}));
    eve.see("The program has ended with status 0.");
    eve.send("next\r");
    eve.see("= help: the program has ended; if another client starts it again, that is shown");
}
