//! Random EZ programs that check by construction and end after a bounded number of steps.
//!
//! A program is a function of a stream of choices ([`Choices`]): the same stream gives the same program, a
//! shorter one a simpler program. So a failing program is made smaller by leaving choices out, whatever
//! the program looks like ([`shrink`]).
//!
//! Loops and calls use up a global counter, `fuel`, which bounds the length of a run. Values are kept small:
//! products are reduced, strings and arrays cut where they are stored.

mod choices;
mod declarations;
mod expressions;
mod idioms;
mod library;
mod shrink;
mod statements;
mod types;

use std::collections::BTreeMap;
use std::fmt::Write;

pub use choices::Choices;
#[allow(unused_imports)]
pub use shrink::shrink;
pub use types::Ty;
use types::{EnumDecl, FunctionDecl, StructDecl, Var};

/// Most choices that a program is made of.
pub const CHOICES: usize = 4000;

/// The directory that programs are in, as their loader sees it.
pub const DIRECTORY: &str = "/program";

/// A generated program.
pub struct Program {
    /// Its files: paths relative to [`DIRECTORY`], and texts. The first one is the main file.
    pub files: Vec<(String, String)>,
}

impl Program {
    /// The program that a seed stands for.
    pub fn from_seed(seed: u64) -> Program {
        Program::new(Choices::from_seed(seed, CHOICES))
    }

    #[cfg(target_os = "linux")]
    /// The same without random bits, for hosts that give others in each run.
    pub fn without_draws(mut self) -> Program {
        for (_, text) in &mut self.files {
            *text = text.replace("random.int(", "math.abs(").replace(", @random", "");
        }
        self
    }

    /// The program that a stream of choices stands for.
    pub fn new(choices: Choices) -> Program {
        let mut generator = Generator::new(choices);
        let mut files = generator.modules();
        files.insert(0, ("main.ez".into(), generator.main_file()));
        Program { files }
    }

    /// All files as one text, for the message of a test that fails.
    pub fn listing(&self) -> String {
        let mut listing = String::new();
        for (name, text) in &self.files {
            let _ = write!(listing, "=== {name}\n{text}");
        }
        listing
    }

    /// Lines of the main file.
    pub fn lines(&self) -> u32 {
        self.files[0].1.lines().count() as u32
    }
}

/// What has been generated so far, and where generation stands.
struct Generator {
    choices: Choices,
    structs: Vec<StructDecl>,
    enums: Vec<EnumDecl>,
    functions: Vec<FunctionDecl>,
    /// File-level variables, of all modules.
    globals: Vec<Var>,
    /// Locals of the function being generated, innermost block last.
    scopes: Vec<Vec<Var>>,
    /// Helper functions that the current module needs, by name.
    helpers: BTreeMap<String, String>,
    /// Lines of the function being generated.
    body: String,
    indent: usize,
    /// Name of the module being generated; empty for the main file.
    module: String,
    /// What the function being generated returns.
    returns: Vec<Ty>,
    loops: usize,
    /// Whether literals are for a file-level variable, where calls are not allowed.
    no_calls: bool,
    names: usize,
}

impl Generator {
    fn new(choices: Choices) -> Generator {
        Generator {
            choices,
            structs: Vec::new(),
            enums: Vec::new(),
            functions: Vec::new(),
            globals: Vec::new(),
            scopes: Vec::new(),
            helpers: BTreeMap::new(),
            body: String::new(),
            indent: 0,
            module: String::new(),
            returns: Vec::new(),
            loops: 0,
            no_calls: false,
            names: 0,
        }
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Adds a line to the function being generated.
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "{:width$}{text}", "", width = 4 * self.indent);
    }

    /// `name` as the current module writes it, if it is declared in `module`; locals have none.
    fn qualified(&self, module: &str, name: &str) -> String {
        if module.is_empty() || module == self.module { name.to_string() } else { format!("{module}.{name}") }
    }

    /// Whether what is declared in a module can be used in the current one: the main file imports all.
    fn sees(&self, module: &str) -> bool {
        self.module.is_empty() || module == self.module
    }
}
