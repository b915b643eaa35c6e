//! Parses command lines.
//!
//! Flags are recognised anywhere before `--`, even after a program's name. The first other argument decides:
//! a file that ends in `.ez` is run, anything else has to be a command.

use std::time::Duration;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::host::{Capability, Root};
use crate::platform::{path_of, reason};
use crate::protocol::listen::Address;

#[cfg(feature = "kernel")]
use super::kernel;
use super::listen::{Debuggable, Listening};
use super::subject::Subject;
use super::usage::{Usage, is_command, no_command, usage, words};
use super::{debug, mcp, run, trace};

const ABOUT: &str =
    "A simple, interpreted, statically-typed programming language designed for clarity and ease of use.";

const DEBUG_HELP: &str = "\
The program is stopped before its first statement, and commands are read: 'step' or 's' executes a statement,
'next' or 'n' one with all calls in it, 'break 12' or 'b 12' stops at line 12, 'continue' or 'c' runs to there,
'print total' or 'p total' shows a value, 'help' lists all commands and 'quit' leaves.

  ez debug sort.ez                          on a terminal
  printf 'b 12\\nc\\np total\\n' | ez debug sort.ez   with commands from a pipe
  ez debug -x sort.debug sort.ez            with the breakpoints that 'save sort.debug' has written";

#[derive(Parser)]
#[command(name = "ez", about = ABOUT, override_usage = "ez [file.ez] [flags]\n       ez [command]")]
#[command(disable_version_flag = true, arg_required_else_help = true)]
#[command(after_help = "Use \"ez [command] --help\" for more information about a command.")]
pub(super) struct Line {
    #[command(subcommand)]
    command: Named,
    /// Whether reports are coloured
    #[arg(long, global = true, value_enum, default_value_t = When::Auto)]
    color: When,
    /// How reports are written
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    message_format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum When {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    /// One JSON object a line
    Json,
}

/// The protocol of a debug server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Protocol {
    /// Those of SPEC.md
    Ez,
    /// JSON-RPC 2.0
    Jsonrpc,
}

/// Who comes in where a command listens.
#[derive(clap::Args)]
struct ListenArgs {
    /// Write the token for clients to this file, readable by its owner only
    #[arg(long, value_name = "FILE")]
    token_file: Option<String>,
    /// Accept connections from other computers, too
    #[arg(long)]
    allow_remote: bool,
}

impl ListenArgs {
    /// Where to listen, if an `address` is given; `flag` is the flag for errors.
    fn at(self, flag: &str, address: Option<String>) -> Result<Option<Listening>, Usage> {
        let wrong = |text: String| Usage { text: format!("Error: {text}\n"), status: 1 };
        let ListenArgs { token_file, allow_remote } = self;
        let Some(address) = address else {
            return match (token_file, allow_remote) {
                (None, false) => Ok(None),
                (Some(_), _) => Err(wrong(format!("--token-file is of no use without {flag}"))),
                (None, true) => Err(wrong(format!("--allow-remote is of no use without {flag}"))),
            };
        };
        let address = Address::parse(&address, allow_remote).map_err(|error| wrong(error.to_string()))?;
        Ok(Some(Listening { address, token_file }))
    }
}

#[derive(Subcommand)]
enum Named {
    /// Run a program
    Run {
        /// The program's file, or - for a program on standard input
        file: String,
        /// The program's arguments
        arguments: Vec<String>,
        /// Memory limit in bytes or with K, M, G: 512M [default: three quarters of the memory]
        #[arg(long, value_name = "SIZE", value_parser = crate::value::parse_size)]
        memory: Option<u64>,
        /// Deny the program access to: net, fs, env (each of them denies exec, too), exec
        #[arg(long, value_name = "PARTS", value_delimiter = ',')]
        deny: Vec<Capability>,
        /// End the program with an error after this time
        #[arg(long, value_name = "SECONDS", value_parser = time_limit)]
        time: Option<Duration>,
        /// Record the run in a file, with the program and all of its input, for 'ez replay' and
        /// 'ez debug --replay'
        #[arg(long, value_name = "FILE")]
        record: Option<String>,
        /// Let debuggers attach at this address; port 0 chooses a free port
        #[arg(long, value_name = "HOST:PORT")]
        debug_listen: Option<String>,
        /// Wait before the first statement until a debugger starts the program
        #[arg(long)]
        wait: bool,
        /// Keep the program's history, so that the debugger can go back in time
        #[arg(long)]
        history: bool,
        /// Let debuggers follow the EZ programs that the program starts
        #[arg(long)]
        children: bool,
        /// Whether to stop at the first statement when a debugger starts the program
        #[arg(long, value_name = "BOOL", hide = true)]
        stop_on_entry: Option<bool>,
        /// Announce the address at HOST:PORT/KEY instead of on standard error
        #[arg(long, value_name = "HOST:PORT/KEY", hide = true)]
        announce: Option<String>,
        #[command(flatten)]
        entrance: ListenArgs,
    },
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
    },
    /// Debug a program over standard input and output, one JSON message a line
    Debugserver {
        /// The program's file; the client may name it instead
        file: Option<String>,
        /// The protocol [default: detected by the client's first line]
        #[arg(long, value_enum)]
        protocol: Option<Protocol>,
        /// How long commands are answered after the program's end
        #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
        linger: Duration,
        /// Deny the program files outside of this folder, and running other programs
        #[arg(long, value_name = "DIR", value_parser = root)]
        root: Option<Root>,
        /// Serve clients one after the other at this address instead; port 0 chooses a free port
        #[arg(long, value_name = "HOST:PORT")]
        listen: Option<String>,
        #[command(flatten)]
        entrance: ListenArgs,
    },
    /// Debug a program on the terminal, or with a script of commands
    #[command(after_help = DEBUG_HELP)]
    Debug {
        /// The program's file
        #[arg(required_unless_present = "replay")]
        file: Option<String>,
        /// The program's arguments
        arguments: Vec<String>,
        /// A file of commands to run first, as written by 'save'
        #[arg(short = 'x', long = "execute", value_name = "SCRIPT")]
        script: Option<String>,
        /// End with the program's status, even if a command from a script or pipe failed
        #[arg(long)]
        keep_going: bool,
        /// No colours
        #[arg(long)]
        no_color: bool,
        /// Keep the program's history, for going back in time
        #[arg(long)]
        history: bool,
        /// Debug the EZ programs that the program starts, too
        #[arg(long)]
        children: bool,
        /// Debug a run that was recorded with 'ez run --record'
        #[arg(long, value_name = "RECORDING", conflicts_with_all = ["file", "memory", "deny", "children"])]
        replay: Option<String>,
        /// Memory limit in bytes or with K, M, G: 512M [default: three quarters of the memory]
        #[arg(long, value_name = "SIZE", value_parser = crate::value::parse_size)]
        memory: Option<u64>,
        /// Deny the program access to: net, fs, env (each of them denies exec, too), exec
        #[arg(long, value_name = "PARTS", value_delimiter = ',')]
        deny: Vec<Capability>,
    },
    /// Write a page that shows a run of a program step by step, as a self-contained HTML file
    Trace {
        /// The program's file
        #[arg(required_unless_present = "replay")]
        file: Option<String>,
        /// The program's arguments
        arguments: Vec<String>,
        /// The page's file [default: the program's name with .html]
        #[arg(short, long, value_name = "PAGE")]
        output: Option<String>,
        /// Show a run that was recorded with 'ez run --record'
        #[arg(long, value_name = "RECORDING", conflicts_with_all = ["file", "memory", "deny"])]
        replay: Option<String>,
        /// Maximum number of steps
        #[arg(long, value_name = "N", default_value = "5000", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        steps: u32,
        /// Memory limit in bytes or with K, M, G: 512M [default: three quarters of the memory]
        #[arg(long, value_name = "SIZE", value_parser = crate::value::parse_size)]
        memory: Option<u64>,
        /// Deny the program access to: net, fs, env (each of them denies exec, too), exec
        #[arg(long, value_name = "PARTS", value_delimiter = ',')]
        deny: Vec<Capability>,
        /// End the program with an error after this time
        #[arg(long, value_name = "SECONDS", value_parser = time_limit)]
        time: Option<Duration>,
    },
    /// Debug a program with an editor that speaks the Debug Adapter Protocol, over standard input and output
    Dap {
        /// Serve editors one after the other at this address instead; port 0 chooses a free port
        #[arg(long, value_name = "HOST:PORT")]
        listen: Option<String>,
        #[command(flatten)]
        entrance: ListenArgs,
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
    Repl {
        /// Memory limit in bytes or with K, M, G: 512M [default: three quarters of the memory]
        #[arg(long, value_name = "SIZE", value_parser = crate::value::parse_size)]
        memory: Option<u64>,
    },
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

/// What is done about the kernels that Jupyter knows.
#[cfg(feature = "kernel")]
#[derive(Subcommand)]
enum KernelCommand {
    /// Let Jupyter find this kernel
    Install {
        #[command(flatten)]
        place: PlaceArgs,
        #[command(flatten)]
        restrictions: RestrictionArgs,
    },
    /// Remove the kernel from where Jupyter finds it
    Uninstall {
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// List the kernels for EZ that Jupyter finds
    List,
}

/// Where a kernel is installed.
#[cfg(feature = "kernel")]
#[derive(clap::Args)]
struct PlaceArgs {
    /// For this user, which is the default
    #[arg(long)]
    user: bool,
    /// In DIR/share/jupyter/kernels
    #[arg(long, value_name = "DIR", conflicts_with = "user")]
    prefix: Option<String>,
    /// Name of the kernel
    #[arg(long, default_value = kernel::NAME)]
    name: String,
}

#[cfg(feature = "kernel")]
impl From<PlaceArgs> for kernel::Place {
    fn from(PlaceArgs { user: _, prefix, name }: PlaceArgs) -> kernel::Place {
        kernel::Place { prefix, name }
    }
}

/// What cells must not do.
#[cfg(feature = "kernel")]
#[derive(clap::Args)]
struct RestrictionArgs {
    /// Memory limit in bytes or with K, M, G: 512M [default: three quarters of the memory]
    #[arg(long, value_name = "SIZE", value_parser = crate::value::parse_size)]
    memory: Option<u64>,
    /// Deny cells access to: net, fs, env (each of them denies exec, too), exec
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    deny: Vec<Capability>,
}

#[cfg(feature = "kernel")]
impl From<RestrictionArgs> for kernel::Restrictions {
    fn from(RestrictionArgs { memory, deny }: RestrictionArgs) -> kernel::Restrictions {
        kernel::Restrictions { deny, memory }
    }
}

#[cfg(feature = "kernel")]
fn kernel_action(command: Option<KernelCommand>, file: Option<String>, own: RestrictionArgs) -> KernelAction {
    match command {
        None => KernelAction::Run(kernel::Options {
            connection_file: file.unwrap_or_default(),
            restrictions: own.into(),
        }),
        Some(KernelCommand::Install { place, restrictions }) => {
            KernelAction::Install(place.into(), restrictions.into())
        }
        Some(KernelCommand::Uninstall { place }) => KernelAction::Uninstall(place.into()),
        Some(KernelCommand::List) => KernelAction::List,
    }
}

/// What `ez kernel` is to do.
#[cfg(feature = "kernel")]
#[derive(Debug, PartialEq)]
pub(super) enum KernelAction {
    Run(kernel::Options),
    Install(kernel::Place, kernel::Restrictions),
    Uninstall(kernel::Place),
    List,
}

fn subject(file: Option<String>, recording: Option<String>) -> Subject {
    match recording {
        Some(recording) => Subject::Recording(recording),
        None => Subject::Program(file.unwrap_or_default()),
    }
}

fn time_limit(text: &str) -> Result<Duration, String> {
    let limit = seconds(text.strip_suffix('s').unwrap_or(text))?;
    if limit.is_zero() { Err("the limit is more than 0 seconds".into()) } else { Ok(limit) }
}

fn root(text: &str) -> Result<Root, String> {
    Root::new(&path_of(text)).map_err(|error| reason(&error))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_string())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "expected a number of seconds".to_string())
}

/// The form of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub colour: crate::diagnostics::Colour,
    pub json: bool,
}

/// The action that a command line asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    Run(run::Options),
    /// Runs a program to which a debugger can attach.
    RunDebuggable(run::Options, Debuggable),
    Replay {
        recording: String,
        time: Option<Duration>,
    },
    Check {
        paths: Vec<String>,
        root: Option<Root>,
    },
    Debugserver {
        file: Option<String>,
        /// `None`: to be detected by the client's first line.
        protocol: Option<Protocol>,
        linger: Duration,
        root: Option<Root>,
        /// `None`: serve standard input and output.
        listening: Option<Listening>,
    },
    Debug(debug::Options),
    Dap {
        listening: Option<Listening>,
    },
    Trace(trace::Options),
    Mcp(mcp::Options),
    Repl {
        /// The memory limit of all entries together in bytes.
        memory: Option<u64>,
    },
    #[cfg(feature = "kernel")]
    Kernel(KernelAction),
    Watch {
        path: String,
    },
    Doc {
        paths: Vec<String>,
    },
    Man {
        name: Option<String>,
    },
    Completion {
        shell: Shell,
    },
    Version,
    Explain {
        code: String,
    },
    Lex {
        file: String,
    },
    Parse {
        file: String,
    },
}

/// A valid command line.
#[derive(Debug, PartialEq)]
pub(super) struct Invocation {
    pub action: Action,
    pub style: Style,
}

/// Parses the arguments; the first one is the name of the interpreter.
pub(super) fn parse(arguments: &[String]) -> Result<Invocation, Usage> {
    let (ez, given) = arguments.split_first().map_or(("ez", arguments), |(ez, rest)| (ez.as_str(), rest));
    let split = given.iter().position(|a| a == "--");
    let (known, own) = match split.and_then(|at| given.split_at_checked(at)) {
        Some((known, own)) => (known, own.get(1..)),
        None => (given, None),
    };
    let mut known: Vec<&str> = known.iter().map(String::as_str).collect();
    let first = words(&known).next();
    match first {
        Some((_, word)) if word.ends_with(".ez") || word == "-" => known.insert(0, "run"),
        Some((_, word)) if !is_command(word) => return Err(no_command(word)),
        None if known.iter().any(|a| ["-v", "--version"].contains(a)) => {
            return Err(Usage { text: format!("ez version {}\n", super::VERSION), status: 0 });
        }
        Some(_) | None => {}
    }
    let words = std::iter::once("ez").chain(known.iter().copied());
    let line = Line::try_parse_from(words).map_err(|e| usage(&e, &known))?;
    let mut style = style(&line);
    let action = match line.command {
        Named::Run {
            file,
            arguments,
            memory,
            deny,
            time,
            debug_listen,
            wait,
            history,
            children,
            stop_on_entry,
            announce,
            entrance,
            record,
        } => {
            let listening = entrance.at("--debug-listen", debug_listen)?;
            let useless = [(wait, "--wait"), (history, "--history"), (children, "--children")];
            if listening.is_none()
                && let Some((_, flag)) = useless.into_iter().find(|(is_given, _)| *is_given)
            {
                let text = format!("Error: {flag} is of no use without --debug-listen\n");
                return Err(Usage { text, status: 1 });
            }
            let debug = listening.map(|listening| Debuggable {
                listening,
                wait,
                history,
                children,
                stop_on_entry,
                announce,
            });
            let own = own.map_or(arguments, <[String]>::to_vec);
            let arguments = [ez.to_string(), file.clone()].into_iter().chain(own).collect();
            let options = run::Options { file, arguments, deny, memory, time, record };
            match debug {
                None => Action::Run(options),
                Some(_) if options.record.is_some() => {
                    let text = "Error: --record and --debug-listen do not go together\n".to_string();
                    return Err(Usage { text, status: 1 });
                }
                Some(debug) => Action::RunDebuggable(options, debug),
            }
        }
        Named::Replay { recording, time } => Action::Replay { recording, time },
        Named::Check { paths, root } => Action::Check { paths, root },
        Named::Debug {
            file,
            arguments,
            script,
            keep_going,
            no_color,
            history,
            children,
            replay,
            memory,
            deny,
        } => {
            let colour = match line.color {
                _ if no_color => Some(false),
                When::Always => Some(true),
                When::Never => Some(false),
                When::Auto => None,
            };
            if no_color {
                style.colour = crate::diagnostics::Colour::Off;
            }
            let arguments = own.map_or(arguments, <[String]>::to_vec);
            let program = subject(file, replay);
            Action::Debug(debug::Options {
                program,
                arguments,
                history,
                children,
                deny,
                memory,
                script,
                keep_going,
                colour,
            })
        }
        Named::Trace { file, arguments, output, replay, steps, memory, deny, time } => {
            let arguments = own.map_or(arguments, <[String]>::to_vec);
            let steps = steps as usize;
            Action::Trace(trace::Options {
                program: subject(file, replay),
                arguments,
                output,
                steps,
                deny,
                memory,
                time,
            })
        }
        Named::Debugserver { file, protocol, linger, root, listen, entrance } => {
            let listening = entrance.at("--listen", listen)?;
            Action::Debugserver { file, protocol, linger, root, listening }
        }
        Named::Dap { listen, entrance } => Action::Dap { listening: entrance.at("--listen", listen)? },
        Named::Mcp { root, allow_net } => Action::Mcp(mcp::Options { root, allow_net }),
        Named::Explain { code } => Action::Explain { code },
        Named::Repl { memory } => Action::Repl { memory },
        #[cfg(feature = "kernel")]
        Named::Kernel { command, connection_file, restrictions } => {
            Action::Kernel(kernel_action(command, connection_file, restrictions))
        }
        Named::Watch { path } => Action::Watch { path },
        Named::Doc { paths } => Action::Doc { paths },
        Named::Man { name } => Action::Man { name },
        Named::Completion { shell } => Action::Completion { shell },
        Named::Version => Action::Version,
        Named::Lex { file } => Action::Lex { file },
        Named::Parse { file } => Action::Parse { file },
    };
    Ok(Invocation { action, style })
}

/// The script that completes command lines in a shell.
pub(super) fn completion(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Line::command(), "ez", &mut script);
    script
}

fn style(line: &Line) -> Style {
    use std::io::IsTerminal;
    let coloured = match line.color {
        When::Always => true,
        When::Never => false,
        When::Auto => super::show::is_coloured(std::io::stderr().is_terminal()),
    };
    let colour = if coloured { crate::diagnostics::Colour::On } else { crate::diagnostics::Colour::Off };
    Style { colour, json: line.message_format == Format::Json }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Action, Usage> {
        let arguments: Vec<String> = std::iter::once(&"ez").chain(arguments).map(|a| a.to_string()).collect();
        parse(&arguments).map(|invocation| invocation.action)
    }

    fn run(arguments: &[&str]) -> Vec<String> {
        match parsed(arguments) {
            Ok(Action::Run(options)) => options.arguments,
            other => panic!("{other:?}"),
        }
    }

    fn wrong(arguments: &[&str]) -> String {
        let usage = parsed(arguments).unwrap_err();
        assert_eq!(usage.status, 1, "{}", usage.text);
        usage.text.lines().next().unwrap().to_string()
    }

    #[test]
    fn programs_and_their_arguments() {
        assert_eq!(run(&["a.ez"]), ["ez", "a.ez"]);
        assert_eq!(run(&["a.ez", "x", "y"]), ["ez", "a.ez", "x", "y"]);
        assert_eq!(run(&["a.ez", "x", "--", "--y", "z"]), ["ez", "a.ez", "--y", "z"]);
        assert_eq!(run(&["--color", "never", "a.ez", "x"]), ["ez", "a.ez", "x"]);
        assert_eq!(run(&["run", "a", "x", "--color=never"]), ["ez", "a", "x"]);
        assert_eq!(run(&["a.ez", "--record", "out.ez", "x"]), ["ez", "a.ez", "x"]);
        assert_eq!(run(&["--record", "out.ez", "a.ez"]), ["ez", "a.ez"]);
    }

    #[test]
    fn commands() {
        assert_eq!(parsed(&["version"]), Ok(Action::Version));
        assert_eq!(parsed(&["build", "d"]), Ok(Action::Check { paths: vec!["d".into()], root: None }));
        let linger = Duration::from_millis(500);
        assert_eq!(
            parsed(&["debugserver", "--linger", "0.5"]),
            Ok(Action::Debugserver { file: None, protocol: None, linger, root: None, listening: None })
        );
    }

    #[cfg(feature = "kernel")]
    #[test]
    fn kernels() {
        let place = kernel::Place { prefix: Some("d".into()), name: "class".into() };
        let restrictions = kernel::Restrictions { deny: vec![Capability::Net], memory: Some(1 << 20) };
        let install =
            ["kernel", "install", "--prefix", "d", "--name", "class", "--deny", "net", "--memory", "1M"];
        assert_eq!(parsed(&install), Ok(Action::Kernel(KernelAction::Install(place, restrictions.clone()))));
        let options = kernel::Options { connection_file: "file.json".into(), restrictions };
        let run = ["kernel", "file.json", "--deny", "net", "--memory", "1M"];
        assert_eq!(parsed(&run), Ok(Action::Kernel(KernelAction::Run(options))));
        assert_eq!(wrong(&["kernel"]), "Error: accepts 1 arg(s), received 0");
        assert!(
            wrong(&["kernel", "install", "--deny", "all"]).contains("'all' is not one of net, fs, exec, env")
        );
    }

    #[test]
    fn help_and_mistakes() {
        for arguments in [&[][..], &["help"], &["-h"], &["a.ez", "-h"], &["check", "--help"]] {
            let usage = parsed(arguments).unwrap_err();
            assert!(usage.status == 0 && usage.text.contains("Usage:"), "{arguments:?} {}", usage.text);
        }
        assert_eq!(parsed(&["-v"]).unwrap_err().text, format!("ez version {}\n", crate::cli::VERSION));
        assert_eq!(wrong(&["a.ez", "--foo"]), "Error: unknown flag: --foo");
        assert_eq!(wrong(&["chekc", "a.ez"]), "Error: unknown command: chekc");
        let hint = |word: &str| parsed(&[word]).unwrap_err().text.lines().nth(1).map(str::to_string);
        assert_eq!(hint("chekc").as_deref(), Some("  = help: did you mean 'check'?"));
        assert!(hint("..").is_some_and(|hint| hint.contains("'ez check ..'")));
        assert!(hint("Cargo.toml").is_some_and(|hint| hint.contains("'ez run Cargo.toml'")));
        assert!(hint("frobnicate").is_some_and(|hint| hint.contains("'ez help'")));
        assert_eq!(wrong(&["check"]), "Error: requires at least 1 arg(s), only received 0");
        assert_eq!(wrong(&["explain", "a", "b"]), "Error: accepts 1 arg(s), received 2");
        assert_eq!(
            wrong(&["man", "a", "--color", "never", "b"]),
            "Error: accepts at most 1 arg(s), received 2"
        );
        assert!(wrong(&["completion", "dos"]).ends_with("it is one of bash, elvish, fish, powershell, zsh"));
        assert_eq!(wrong(&["repl", "x"]), "Error: accepts 0 arg(s), received 1");
        assert!(parsed(&["check"]).unwrap_err().text.contains("Usage: ez check"));
        assert_eq!(wrong(&["dap", "--token-file", "x"]), "Error: --token-file is of no use without --listen");
        assert_eq!(wrong(&["a.ez", "--wait"]), "Error: --wait is of no use without --debug-listen");
        assert_eq!(
            wrong(&["debugserver", "--listen", "0.0.0.0:0", "a.ez"]),
            "Error: 0.0.0.0:0 would accept connections from other computers; use --allow-remote to permit that"
        );
        assert!(parsed(&["debugserver", "--listen", "0.0.0.0:0", "--allow-remote", "a.ez"]).is_ok());
        assert!(wrong(&["debugserver", "--linger", "x"]).contains("expected a number of seconds"));
    }
}
