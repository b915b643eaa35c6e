//! The programs that sessions are about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::generator::Program as Generated;
use crate::runs::{Outcome, Subject};

/// A program, and what is known about its runs.
pub struct Program {
    pub name: String,
    pub files: Vec<(String, String)>,
    /// What it reads, given before it starts.
    pub input: Option<String>,
    pub lines: u32,
    pub kind: Kind,
}

impl Program {
    /// Writes its files into a directory.
    pub fn write(&self, directory: &Path) {
        for (name, text) in &self.files {
            let path = directory.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
}

/// What is known about the runs of a program.
pub enum Kind {
    /// It does the same each time.
    Known(Outcome),
    /// It never ends, and prints `0`, `1` and so on, if it prints.
    Endless,
    /// It does not check.
    Wrong,
}

/// Programs that never end by themselves: what is in `main`.
const ENDLESS: &[(&str, &str)] = &[
    ("loop", "loop {\n        n++\n    }"),
    ("tight", "loop {}"),
    ("printing", "loop {\n        println(n)\n        n++\n    }"),
    ("pieces", "loop {\n        print(n)\n        print(\"\\n\")\n        n = next(n)\n    }"),
    ("sleeping", "loop {\n        println(n)\n        n++\n        sleep_milliseconds(3)\n    }"),
    ("long_sleep", "println(0)\n    sleep_seconds(100000)"),
    ("reading", "loop {\n        temp line string = input()\n        println(n)\n        n++\n    }"),
    ("command", "println(0)\n    temp c, e = os.exec(\"echo $$ > started; exec sleep 98765\")"),
    (
        "background",
        "temp c, e = os.exec(\"sleep 98765 & echo $! > started\")\n    println(0)\n    loop {\n        n++\n    }",
    ),
    ("numbers", "loop {\n        n = (n * 3 + 1) % 1000003\n        temp m = next(n)\n    }"),
    (
        "long_call",
        "println(0)\n    temp all [int] = arrays.repeat(1, 100000)\n    loop {\n        all = arrays.reverse(all)\n    }",
    ),
    (
        "big_numbers",
        "println(0)\n    temp b int = 3\n    loop {\n        b = (b * b) % (next(b) + 7)\n        b += 1\n    }",
    ),
];

/// All programs, and a directory for those who play with them.
pub struct Pool {
    programs: Vec<Program>,
    directory: PathBuf,
}

impl Pool {
    /// Makes the programs; generated ones are run to know what they do.
    pub fn new(directory: PathBuf, generated: u64) -> Pool {
        std::fs::create_dir_all(&directory).unwrap();
        let mut programs: Vec<Program> = ENDLESS.iter().map(|(name, body)| endless(name, body)).collect();
        let is_known =
            |seed: &u64| !Generated::from_seed(*seed).files.iter().any(|(_, text)| text.contains("random."));
        for seed in (1..).filter(is_known).take(generated as usize) {
            programs.push(known(seed, &directory));
        }
        programs.push(Program {
            name: "wrong".into(),
            files: vec![("main.ez".into(), "do main() {\n    x = 1\n    y = 2\n}\n".into())],
            input: None,
            lines: 4,
            kind: Kind::Wrong,
        });
        Pool { programs, directory }
    }

    pub fn pick(&self, random: &mut fastrand::Rng) -> &Program {
        &self.programs[random.usize(0..self.programs.len())]
    }

    /// The directory of a session.
    pub fn place(&self, seed: u64) -> PathBuf {
        self.directory.join(format!("session-{seed}"))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn endless(name: &str, body: &str) -> Program {
    let text = format!(
        "import @std, @os, @arrays\nusing std\n\ntemp total int = 0\n\ndo next(n int) -> int {{\n    \
         temp m int = n + 1\n    total += 1\n    return m\n}}\n\ndo main() {{\n    temp n int = 0\n    {body}\n}}\n"
    );
    let lines = text.lines().count() as u32;
    Program {
        name: name.into(),
        files: vec![("main.ez".into(), text)],
        input: None,
        lines,
        kind: Kind::Endless,
    }
}

fn known(seed: u64, directory: &Path) -> Program {
    let generated = Generated::from_seed(seed).without_draws();
    let subject = Arc::new(Subject::generated(&generated, directory));
    let outcome = subject.plain(None).unwrap_or_else(|wrong| panic!("program {seed}: {wrong}"));
    Program {
        name: format!("generated {seed}"),
        files: generated.files,
        input: Some(subject.input.clone()),
        lines: subject.lines,
        kind: Kind::Known(outcome),
    }
}
