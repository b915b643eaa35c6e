//! The commands and flags of `ez`, with their help texts.

use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

#[cfg(feature = "kernel")]
use crate::clients::notebook;
use crate::protocol::address::Address;
use ez_engine::api::Share;
use ez_runtime::host::{Capability, Root};
use ez_runtime::platform::{path_of, reason};

use super::options::{Listening, Protocol, Usage};

const ABOUT: &str =
    "A simple, interpreted, statically-typed programming language designed for clarity and ease of use.";

const DEBUG_HELP: &str = "\
The program is stopped before its first statement, and commands are read: 'step' or 's' executes a statement, \
'next' or 'n' one with all calls in it, 'break 12' or 'b 12' stops at line 12, 'continue' or 'c' runs to there, \
'print total' or 'p total' shows a value, 'help' lists all commands and 'quit' leaves.

  ez debug sort.ez                          on a terminal
  printf 'b 12\\nc\\n' | ez debug sort.ez   with commands from a pipe
  ez debug -x sort.debug sort.ez            with what 'save sort.debug' has written

The command 'share' lets others use the session, too; they join it:

  ez debug --join                           the session that you share on this computer
  EZ_TOKEN=TOKEN ez debug --join HOST:PORT  another one, with the token of its owner

A token given with --token can be seen by other users of the computer, in the list of processes.";

const TEST_HELP: &str = "\
A case is files of one name: NAME.in (what the program reads), NAME.out or NAME.ans (what it has to print), NAME.args \
(its arguments, one a line), NAME.status (its exit status). The cases of average.ez are in average.cases, else in tests, \
beside it; those of main.ez also in cases.

  ez test average.ez
  ez test class --cases exercise --csv    all programs of a class, with the same cases

Each case is run in a process of its own, that may use neither network, nor other programs, nor files outside of the \
program's folder.";

#[derive(Parser)]
#[command(name = "ez", about = ABOUT, override_usage = "ez [flags] <file.ez> [arguments]\n       ez [flags] <file.ez> -- [arguments]\n       ez [command]")]
#[command(disable_version_flag = true, arg_required_else_help = true)]
#[command(
    after_help = "Use \"ez [command] --help\" for more information about a command, and \"ez --version\" for the version."
)]
pub(super) struct Line {
    #[command(subcommand)]
    pub command: Named,
    /// Whether reports are coloured
    #[arg(long, global = true, value_enum, default_value_t = When::Auto)]
    pub color: When,
    /// How reports are written
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub message_format: Format,
}

impl Line {
    /// The command line that consists of these words, for commands that are started often; `None`: clap has to parse
    /// it, to which all commands have to be described first. That takes a third of the time in which a small program
    /// is run.
    pub fn of_words(words: &[&str]) -> Option<Line> {
        if words.iter().any(|word| word.starts_with('-')) {
            return None;
        }
        let command = match words {
            ["run", file, arguments @ ..] => Named::Run(RunArgs {
                file: (*file).into(),
                arguments: arguments.iter().map(|argument| (*argument).into()).collect(),
                ..RunArgs::default()
            }),
            ["debugserver", file @ ..] if file.len() <= 1 => Named::Debugserver(DebugserverArgs {
                file: file.first().map(|file| (*file).into()),
                linger: LINGER,
                ..DebugserverArgs::default()
            }),
            ["dap"] => Named::Dap(DapArgs::default()),
            _ => return None,
        };
        Some(Line { command, color: When::Auto, message_format: Format::Text })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    /// One JSON object a line
    Json,
}

/// Who comes in where a command listens.
#[derive(clap::Args, Debug, Default, PartialEq)]
pub(super) struct ListenArgs {
    /// Write the token for clients to this file, readable by its owner only
    #[arg(long, value_name = "FILE")]
    token_file: Option<String>,
    /// Accept connections from other computers, too
    #[arg(long)]
    allow_remote: bool,
}

impl ListenArgs {
    /// How a session is shared from its beginning, at an `address` or any port of this computer.
    pub fn share(&mut self, address: Option<String>, listens: bool) -> Result<Share, Usage> {
        let allow_remote = self.allow_remote;
        // It may be for the owner, too.
        self.allow_remote &= listens;
        let address = address.map(|text| listening_address(&text, allow_remote)).transpose()?;
        Ok(Share { listen: address.map(Address::into_sockets).unwrap_or_default(), ..Share::default() })
    }

    /// Where to listen, if an `address` is given; `flag` is the flag for errors.
    pub fn at(self, flag: &str, address: Option<String>) -> Result<Option<Listening>, Usage> {
        let ListenArgs { token_file, allow_remote } = self;
        let Some(address) = address else {
            return match (token_file, allow_remote) {
                (None, false) => Ok(None),
                (Some(_), _) => Err(Usage::error(&format!("--token-file is of no use without {flag}"))),
                (None, true) => Err(Usage::error(&format!("--allow-remote is of no use without {flag}"))),
            };
        };
        Ok(Some(Listening { address: listening_address(&address, allow_remote)?, token_file }))
    }
}

fn listening_address(text: &str, allow_remote: bool) -> Result<Address, Usage> {
    Address::parse(text, allow_remote).map_err(|error| Usage::error(&error.to_string()))
}

#[derive(Debug, PartialEq, Subcommand)]
pub(super) enum Named {
    /// Run a program
    Run(RunArgs),
    /// Run a program again as it was recorded with 'ez run --record': same input, clock and random numbers
    Replay {
        /// The recording
        recording: String,
        /// End the program with an error after this time
        #[arg(long, value_name = "SECONDS", value_parser = time_limit)]
        time: Option<Duration>,
    },
    /// Check syntax and types for a file or directory
    #[command(alias = "build")]
    Check {
        /// Files, directories with a main.ez or with several programs, patterns such as "class/*.ez"
        #[arg(required = true)]
        paths: Vec<String>,
        /// Read no files outside of this folder
        #[arg(long, value_name = "DIR", value_parser = root)]
        root: Option<Root>,
        /// Change the files as reports say, where nothing else can be meant
        #[arg(long, conflicts_with = "root")]
        fix: bool,
    },
    /// Run programs with the inputs of their cases, and compare what they print with what they have to
    #[command(after_help = TEST_HELP)]
    Test(TestArgs),
    /// Format files: one way to lay programs out
    Fmt {
        /// Files, directories for all files below whose names end in .ez, or - for standard input
        #[arg(required = true)]
        paths: Vec<String>,
        /// Change nothing: print the names of files that are not formatted, with status 1 if there is one
        #[arg(long)]
        check: bool,
    },
    /// Debug a program over standard input and output, one JSON message a line
    Debugserver(DebugserverArgs),
    /// Debug a program on the terminal, or with a script of commands
    #[command(after_help = DEBUG_HELP)]
    Debug(DebugArgs),
    /// Write a page that shows a run of a program step by step, as a self-contained HTML file
    Trace(TraceArgs),
    /// Debug a program with an editor that speaks the Debug Adapter Protocol, over standard input and output
    Dap(DapArgs),
    /// Help an editor while a program is written: the Language Server Protocol over standard input and output
    Lsp {
        /// Nothing else is possible: clients say it nevertheless
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Serve the page with the debugger to browsers on this computer
    Playground {
        /// The folder that .ci/web has built [default: 'web' beside ez]
        folder: Option<String>,
        /// The port of this computer; 0 chooses a free one. What one writes in the page is kept by port
        #[arg(long, value_name = "N", default_value_t = 4747)]
        port: u16,
    },
    /// Serve a language model over standard input and output, with the Model Context Protocol
    Mcp {
        /// The folder to which files are confined [default: the current directory]
        #[arg(long, value_name = "DIR", value_parser = root)]
        root: Option<Root>,
        /// Let programs use the network
        #[arg(long)]
        allow_net: bool,
    },
    /// Explain a diagnostics code
    Explain {
        /// Such as E3001
        code: String,
    },
    /// Start interactive REPL mode
    Repl(MemoryArgs),
    /// Run cells of notebooks: a kernel for Jupyter
    #[cfg(feature = "kernel")]
    #[command(subcommand_negates_reqs = true, args_conflicts_with_subcommands = true)]
    Kernel {
        #[command(subcommand)]
        command: Option<KernelCommand>,
        /// The file with which Jupyter says where it expects the kernel
        #[arg(required = true)]
        connection_file: Option<String>,
        #[command(flatten)]
        restrictions: RestrictionArgs,
    },
    /// Watch files and re-run on changes
    Watch {
        /// A file, or a directory with one main function
        path: String,
    },
    /// Generate documentation from #doc attributes
    Doc {
        /// Files, directories, or DIR/... for all below
        #[arg(required = true)]
        paths: Vec<String>,
    },
    /// Explain the standard library
    Man {
        /// A module, or a function or constant: math, math.abs
        name: Option<String>,
    },
    /// Generate a shell completion script
    Completion {
        /// The shell
        shell: Shell,
    },
    /// Show the licence of ez, and those of the libraries in it
    Licenses,
    /// Show version information
    Version,
    /// Show the tokens of a file
    #[command(hide = true)]
    Lex {
        /// The file
        file: String,
    },
    /// Show the statements of a file
    #[command(hide = true)]
    Parse {
        /// The file
        file: String,
    },
}

/// How much memory programs may use.
#[derive(clap::Args, Debug, Default, PartialEq)]
pub(super) struct MemoryArgs {
    /// Memory limit in bytes or with K, M, G: 512M [default: three quarters of the memory]
    #[arg(long, value_name = "SIZE", value_parser = ez_runtime::value::parse_size)]
    pub memory: Option<u64>,
}

/// What a program must not do.
#[derive(clap::Args, Debug, Default, PartialEq)]
pub(super) struct LimitArgs {
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// Deny the program access to: net, fs, env (each of them denies exec, too), exec
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    pub deny: Vec<Capability>,
}

/// What `ez run` takes.
#[derive(clap::Args, Debug, Default, PartialEq)]
pub(super) struct RunArgs {
    /// The program's file, or - for a program on standard input
    pub file: String,
    /// The program's arguments
    pub arguments: Vec<String>,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// End the program with an error after this time
    #[arg(long, value_name = "SECONDS", value_parser = time_limit, conflicts_with = "debug_listen")]
    pub time: Option<Duration>,
    /// Deny the program files outside of this folder, and running other programs
    #[arg(long, value_name = "DIR", value_parser = root, conflicts_with = "debug_listen")]
    pub root: Option<Root>,
    /// Record the run in a file, with the program and all of its input, for 'ez replay' and
    /// 'ez debug --replay'
    #[arg(long, value_name = "FILE")]
    pub record: Option<String>,
    /// Record no more than this
    #[arg(long, value_name = "SIZE", value_parser = ez_runtime::value::parse_size, requires = "record", hide = true)]
    pub record_at_most: Option<u64>,
    /// Let debuggers attach at this address; port 0 chooses a free port
    #[arg(long, value_name = "HOST:PORT")]
    pub debug_listen: Option<String>,
    /// Wait before the first statement until a debugger starts the program
    #[arg(long)]
    pub wait: bool,
    /// Keep the program's history, so that the debugger can go back in time
    #[arg(long)]
    pub history: bool,
    /// Let debuggers follow the EZ programs that the program starts
    #[arg(long)]
    pub children: bool,
    /// Announce the address at the HOST:PORT/KEY in a file instead of on standard error
    #[arg(long, value_name = "FILE", hide = true)]
    pub announce: Option<String>,
    #[command(flatten)]
    pub entrance: ListenArgs,
}

/// What `ez test` takes.
#[derive(clap::Args, Debug, PartialEq)]
pub(super) struct TestArgs {
    /// Programs: files, directories with a main.ez or with several programs
    #[arg(required = true)]
    pub programs: Vec<String>,
    /// The folder with the cases, or files of cases, for all programs
    #[arg(long, value_name = "FOLDER")]
    pub cases: Vec<String>,
    /// Run only the cases whose names match, such as "small*"
    #[arg(long, value_name = "PATTERN", value_parser = glob::Pattern::new)]
    pub only: Option<glob::Pattern>,
    /// What counts
    #[arg(long, value_enum, default_value_t = Comparing::Lines)]
    pub mode: Comparing,
    /// With --mode tokens: numbers may differ by this much, absolutely or relatively
    #[arg(long, value_name = "E", value_parser = float_error)]
    pub float_error: Option<f64>,
    /// Run nothing, but list the cases; with --json, with their files
    #[arg(long, conflicts_with_all = ["update", "csv", "junit"])]
    pub list: bool,
    /// How many cases are run at a time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Begin no more cases once one has failed
    #[arg(long)]
    pub fail_fast: bool,
    /// Write what the program prints into the files of what it has to print, after showing what changes
    #[arg(long, conflicts_with_all = ["csv", "json", "junit"])]
    pub update: bool,
    /// Print a table: a row a case
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print a JSON object for each program
    #[arg(long)]
    pub json: bool,
    /// With --json: an object for each case, as soon as it has been run
    #[arg(long, requires = "json")]
    pub each: bool,
    /// Write the results into a file as JUnit does
    #[arg(long, value_name = "FILE")]
    pub junit: Option<String>,
    /// End a program with an error after this time
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = time_limit)]
    pub time: Duration,
    /// Memory limit in bytes or with K, M, G
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = ez_runtime::value::parse_size)]
    pub memory: u64,
    /// Deny programs more than net and exec: fs, env
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    pub deny: Vec<Capability>,
    /// Let programs use the network
    #[arg(long)]
    pub allow_net: bool,
}

/// What counts when output is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Comparing {
    /// Lines, without blanks at their ends and line ends at the end
    Lines,
    /// Every byte
    Exact,
    /// Words: what is between spaces and line ends
    Tokens,
}

/// What `ez debugserver` takes.
#[derive(clap::Args, Debug, Default, PartialEq)]
pub(super) struct DebugserverArgs {
    /// The program's file; the client may name it instead
    pub file: Option<String>,
    /// The protocol [default: detected by the client's first line]
    #[arg(long, value_enum)]
    pub protocol: Option<Protocol>,
    /// How long commands are answered after the program's end
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub linger: Duration,
    /// Deny the program files outside of this folder, and running other programs
    #[arg(long, value_name = "DIR", value_parser = root)]
    pub root: Option<Root>,
    /// Serve clients one after the other at this address instead; port 0 chooses a free port
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,
    /// Let others join the session at this address [default: any port of this computer]; standard error tells how
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1)]
    pub share: Option<Option<String>>,
    #[command(flatten)]
    pub entrance: ListenArgs,
    /// Print a description of commands and events for programs, as an OpenRPC document, and do nothing else
    #[arg(long, conflicts_with_all = ["file", "protocol", "linger", "root", "listen", "share"])]
    pub describe: bool,
}

/// `linger`, if it is not given.
const LINGER: Duration = Duration::from_secs(1);

/// What `ez dap` takes.
#[derive(clap::Args, Debug, Default, PartialEq)]
pub(super) struct DapArgs {
    /// Deny programs files outside of this folder, and running other programs
    #[arg(long, value_name = "DIR", value_parser = root)]
    pub root: Option<Root>,
    /// Serve editors one after the other at this address instead; port 0 chooses a free port
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,
    #[command(flatten)]
    pub entrance: ListenArgs,
}

/// What `ez debug` takes.
#[derive(clap::Args, Debug, PartialEq)]
pub(super) struct DebugArgs {
    /// The program's file
    #[arg(required_unless_present_any = ["replay", "join"])]
    pub file: Option<String>,
    /// The program's arguments
    pub arguments: Vec<String>,
    /// Join a session that is shared [default: the one that you share on this computer]
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1)]
    #[arg(conflicts_with_all = ["file", "arguments", "replay", "history", "children", "memory", "deny"])]
    pub join: Option<Option<String>>,
    /// The token with which a session is joined; other users can see it here, unlike in the variable EZ_TOKEN
    #[arg(long)]
    pub token: Option<String>,
    /// Your name for the others in a session that is joined [default: your login name]
    #[arg(long)]
    pub name: Option<String>,
    /// Only look on in a session that is joined
    #[arg(long)]
    pub observe: bool,
    /// A file of commands to run first, as written by 'save'
    #[arg(short = 'x', long = "execute", value_name = "SCRIPT")]
    pub script: Option<String>,
    /// End with the program's status, even if a command from a script or pipe failed
    #[arg(long)]
    pub keep_going: bool,
    /// No colours
    #[arg(long)]
    pub no_color: bool,
    /// Keep the program's history, for going back in time
    #[arg(long)]
    pub history: bool,
    /// Debug the EZ programs that the program starts, too
    #[arg(long)]
    pub children: bool,
    /// Debug a run that was recorded with 'ez run --record'
    #[arg(long, value_name = "RECORDING", conflicts_with_all = ["file", "memory", "deny", "children"])]
    pub replay: Option<String>,
    #[command(flatten)]
    pub case: CaseArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// What `ez trace` takes.
#[derive(clap::Args, Debug, PartialEq)]
pub(super) struct TraceArgs {
    /// The program's file
    #[arg(required_unless_present = "replay")]
    pub file: Option<String>,
    /// The program's arguments
    pub arguments: Vec<String>,
    /// The page's file [default: the program's name with .html]
    #[arg(short, long, value_name = "PAGE")]
    pub output: Option<String>,
    /// Show a run that was recorded with 'ez run --record'
    #[arg(long, value_name = "RECORDING", conflicts_with_all = ["file", "memory", "deny"])]
    pub replay: Option<String>,
    #[command(flatten)]
    pub case: CaseArgs,
    /// Maximum number of steps
    #[arg(long, value_name = "N", default_value = "5000", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: u32,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// End the program with an error after this time
    #[arg(long, value_name = "SECONDS", value_parser = time_limit)]
    pub time: Option<Duration>,
}

/// The case that a program is debugged or shown with.
#[derive(clap::Args, Debug, Default, PartialEq)]
pub(super) struct CaseArgs {
    /// Give the program the input of this case, and lead to where it prints something else than it has to
    #[arg(long, value_name = "NAME", requires = "file", conflicts_with = "arguments")]
    pub case: Option<String>,
    /// The folder with the cases [default: the program's name with .cases]
    #[arg(long, value_name = "FOLDER", requires = "case")]
    pub cases: Option<String>,
    /// Let the program use the network: with a case, it is as confined as by ez test
    #[arg(long, requires = "case")]
    pub allow_net: bool,
}

/// What is done about the kernels that Jupyter knows.
#[cfg(feature = "kernel")]
#[derive(Debug, PartialEq, Subcommand)]
pub(super) enum KernelCommand {
    /// Let Jupyter find this kernel
    Install {
        #[command(flatten)]
        folder: KernelFolderArgs,
        #[command(flatten)]
        restrictions: RestrictionArgs,
    },
    /// Remove the kernel from where Jupyter finds it
    Uninstall {
        #[command(flatten)]
        folder: KernelFolderArgs,
    },
    /// List the kernels for EZ that Jupyter finds
    List,
}

/// Where a kernel is installed.
#[cfg(feature = "kernel")]
#[derive(clap::Args, Debug, PartialEq)]
pub(super) struct KernelFolderArgs {
    /// For this user, which is the default
    #[arg(long)]
    user: bool,
    /// In DIR/share/jupyter/kernels
    #[arg(long, value_name = "DIR", conflicts_with = "user")]
    prefix: Option<String>,
    /// Name of the kernel
    #[arg(long, default_value = notebook::NAME)]
    name: String,
}

#[cfg(feature = "kernel")]
impl From<KernelFolderArgs> for notebook::KernelFolder {
    fn from(KernelFolderArgs { user: _, prefix, name }: KernelFolderArgs) -> notebook::KernelFolder {
        notebook::KernelFolder { prefix, name }
    }
}

/// What cells must not do.
#[cfg(feature = "kernel")]
#[derive(clap::Args, Debug, PartialEq)]
pub(super) struct RestrictionArgs {
    #[command(flatten)]
    memory: MemoryArgs,
    /// Deny cells access to: net, fs, env (each of them denies exec, too), exec
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    deny: Vec<Capability>,
}

#[cfg(feature = "kernel")]
impl From<RestrictionArgs> for notebook::Restrictions {
    fn from(RestrictionArgs { memory, deny }: RestrictionArgs) -> notebook::Restrictions {
        notebook::Restrictions { deny, memory: memory.memory }
    }
}

fn time_limit(text: &str) -> Result<Duration, String> {
    let limit = seconds(text.strip_suffix('s').unwrap_or(text))?;
    if limit.is_zero() { Err("the limit is more than 0 seconds".into()) } else { Ok(limit) }
}

fn float_error(text: &str) -> Result<f64, String> {
    let error = text.parse().ok().filter(|error: &f64| error.is_finite() && *error >= 0.0);
    error.ok_or_else(|| "expected a number such as 1e-6".to_string())
}

fn root(text: &str) -> Result<Root, String> {
    Root::new(&path_of(text)).map_err(|error| reason(&error))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_string())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "expected a number of seconds".to_string())
}
