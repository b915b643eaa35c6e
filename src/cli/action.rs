//! What a command line asks for.
//!
//! Flags are recognised anywhere before `--`, even after a program's name. The first other argument decides:
//! a file that ends in `.ez` is run, anything else has to be a command.

use clap::Parser;

use crate::clients::joining::Joining;
#[cfg(feature = "kernel")]
use crate::clients::notebook::{self, KernelAction};
use crate::clients::show::{self, Style};
use crate::clients::subject::{NamedCase, Subject};
use crate::clients::{VERSION, agents, cases, lsp, page, prompt, terminal};
use ez_runtime::diagnostics::Colour;

use super::args::{
    CaseArgs, DebugArgs, Format, LimitArgs, Line, MemoryArgs, Named, RunArgs, TraceArgs, When,
};
#[cfg(feature = "kernel")]
use super::args::{KernelCommand, RestrictionArgs};
use super::options::{Action, Debuggable, Options, Usage};
use super::usage::{PROGRAM_COMMANDS, is_command, is_flag, is_program, no_command, usage, words};
use super::{
    check, complete, doc, explain, fmt, listen, man, playground, replay, run, serve, syntax, test, watch,
};

/// The output of `ez licenses`: whoever passes on the program passes on these texts.
const LICENSES: &str = concat!(include_str!("../../LICENSE"), "\n", include_str!("../../THIRD-PARTY.txt"));

/// What the arguments ask for; the first one is the name of the interpreter.
pub(super) fn parse(arguments: &[String]) -> Result<Action, Usage> {
    let (ez, given) = arguments.split_first().map_or(("ez", arguments), |(ez, rest)| (ez.as_str(), rest));
    let (line, own) = read(given)?;
    action(line, ez, own)
}

/// The command line, and the arguments after `--`, if it is given.
fn read(given: &[String]) -> Result<(Line, Option<&[String]>), Usage> {
    let (mut known, own) = split(given);
    let first = words(&known).next();
    if first.is_some_and(|(_, word)| is_program(word)) {
        known.insert(0, "run");
    }
    Ok((Line::of_words(&known).map_or_else(|| line(&known, first), Ok)?, own))
}

/// The words for `ez`, and the arguments of the program that follow `--`. Before the program's name, and in a command that
/// runs none, `--` is what it is elsewhere: no flags follow it.
fn split(given: &[String]) -> (Vec<&str>, Option<&[String]>) {
    let all: Vec<&str> = given.iter().map(String::as_str).collect();
    let at = all.iter().position(|word| *word == "--").unwrap_or(all.len());
    let (Some(known), Some(own)) = (all.get(..at), given.get(at + 1..)) else { return (all, None) };
    let named: Vec<&str> = words(known).map(|(_, word)| word).collect();
    let is_named = match named.as_slice() {
        [] => false,
        [word, ..] if is_program(word) => true,
        [word, others @ ..] if PROGRAM_COMMANDS.contains(word) => !others.is_empty(),
        [..] => return (all, None),
    };
    match own.split_first() {
        Some((_, own)) if !is_named => (all.get(..at + 2).unwrap_or(&all).to_vec(), Some(own)),
        _ => (known.to_vec(), Some(own)),
    }
}

/// The command line as clap parses it; `first` is the first word that is no flag nor the value of one.
fn line(known: &[&str], first: Option<(usize, &str)>) -> Result<Line, Usage> {
    match first {
        Some((at, word)) if !known.starts_with(&["run"]) && !is_command(word) => {
            let before = known.get(..at).unwrap_or_default();
            // The word may be the value of a flag that does not exist.
            if before.iter().any(|word| word.starts_with('-') && *word != "--" && !is_flag(word)) {
                let run: Vec<&str> = std::iter::once("run").chain(known.iter().copied()).collect();
                return self::line(&run, first);
            }
            return Err(no_command(word));
        }
        None if known.iter().any(|a| ["-v", "-V", "--version"].contains(a)) => {
            return Err(Usage { text: format!("ez version {}\n", VERSION), status: 0 });
        }
        Some(_) | None => {}
    }
    let words = std::iter::once("ez").chain(known.iter().copied());
    Line::try_parse_from(words).map_err(|e| usage(&e, known))
}

/// The action of a command; `own` are the arguments after `--`, if it is given.
fn action(line: Line, ez: &str, own: Option<&[String]>) -> Result<Action, Usage> {
    let style = style(&line);
    Ok(match line.command {
        Named::Run(given) => match run_options(given, ez, own)? {
            (options, None) => Box::new(move || run::run(options, style)),
            (options, Some(debug)) => Box::new(move || listen::run(options, debug, style)),
        },
        Named::Replay { recording, time } => {
            Box::new(move || show::status(replay::replay(&recording, time, style)))
        }
        Named::Check { paths, fix: true, .. } if paths.iter().any(|path| path == "-") => {
            return Err(Usage::error("--fix changes files: a program on standard input is in none"));
        }
        Named::Check { paths, root, fix } => Box::new(move || check::check(&paths, root, fix, style)),
        Named::Test(given) => {
            let options = test::options(given)?;
            Box::new(move || cases::test(options, style))
        }
        Named::Fmt { paths, check } => Box::new(move || fmt::fmt(&paths, check, style)),
        Named::Debug(given) => debug(given, line.color, style, own)?,
        Named::Trace(given) => {
            let options = trace_options(given, own)?;
            Box::new(move || page::trace(options, style))
        }
        Named::Debugserver(given) => serve::debugserver(given)?,
        Named::Dap(given) => serve::dap(given)?,
        Named::Lsp { stdio: _ } => Box::new(|| show::status(lsp::lsp())),
        Named::Playground { folder, port } => {
            Box::new(move || show::status(playground::playground(folder.as_deref(), port)))
        }
        Named::Mcp { root, allow_net } => {
            Box::new(move || show::status(agents::mcp(agents::Options { root, allow_net })))
        }
        Named::Explain { code } => Box::new(move || explain::explain(&code)),
        Named::Repl(MemoryArgs { memory }) => Box::new(move || prompt::repl(memory, style)),
        #[cfg(feature = "kernel")]
        Named::Kernel { command, connection_file, restrictions } => {
            let action = kernel_action(command, connection_file, restrictions);
            Box::new(|| notebook::carry_out(action))
        }
        Named::Watch { path } => Box::new(move || watch::watch(&path)),
        Named::Doc { paths } => Box::new(move || doc::doc(&paths, style)),
        Named::Man { name } => Box::new(move || man::man(name.as_deref())),
        Named::Completion { shell } => printing(move || complete::script(shell)),
        Named::Licenses => printing(|| LICENSES.into()),
        Named::Version => printing(|| format!("{VERSION}\n")),
        Named::Lex { file } => Box::new(move || syntax::lex(&file)),
        Named::Parse { file } => Box::new(move || syntax::parse(&file, style)),
    })
}

fn printing(text: impl FnOnce() -> String + Send + 'static) -> Action {
    Box::new(|| {
        show::print(&text());
        0
    })
}

/// How a program is run, and how debuggers can attach to it, if they can.
fn run_options(
    given: RunArgs,
    ez: &str,
    own: Option<&[String]>,
) -> Result<(Options, Option<Debuggable>), Usage> {
    let RunArgs {
        file,
        arguments,
        limits: LimitArgs { memory: MemoryArgs { memory }, deny },
        time,
        root,
        record,
        record_at_most,
        debug_listen,
        wait,
        history,
        children,
        announce,
        entrance,
    } = given;
    let listening = entrance.at("--debug-listen", debug_listen)?;
    let useless = [(wait, "--wait"), (history, "--history"), (children, "--children")];
    if listening.is_none()
        && let Some((_, flag)) = useless.into_iter().find(|(is_given, _)| *is_given)
    {
        return Err(Usage::error(&format!("{flag} is of no use without --debug-listen")));
    }
    let own = own.map_or(arguments, <[String]>::to_vec);
    let arguments = [ez.to_string(), file.clone()].into_iter().chain(own).collect();
    let options = Options { file, arguments, deny, memory, root, time, record, record_at_most };
    if listening.is_some() && options.record.is_some() {
        return Err(Usage::error("--record and --debug-listen do not go together"));
    }
    let debug = |listening| Debuggable { listening, wait, history, children, announce };
    Ok((options, listening.map(debug)))
}

fn debug(given: DebugArgs, color: When, style: Style, own: Option<&[String]>) -> Result<Action, Usage> {
    let DebugArgs {
        file,
        arguments,
        join,
        token,
        name,
        observe,
        script,
        keep_going,
        no_color,
        history,
        children,
        replay,
        case,
        limits,
    } = given;
    let LimitArgs { memory: MemoryArgs { memory }, deny } = limits;
    let colour = match color {
        _ if no_color => Some(false),
        When::Always => Some(true),
        When::Never => Some(false),
        When::Auto => None,
    };
    if let Some(address) = join {
        if own.is_some() {
            return Err(Usage::error("the program of a session that is joined has its arguments already"));
        }
        let joining = Joining { address, token, name, observe, shows_breakpoints: true };
        let options = terminal::JoinOptions { joining, script, keep_going, colour };
        return Ok(Box::new(move || terminal::join(options, style)));
    }
    let useless = [(token.is_some(), "--token"), (name.is_some(), "--name"), (observe, "--observe")];
    if let Some((_, flag)) = useless.into_iter().find(|(is_given, _)| *is_given) {
        return Err(Usage::error(&format!("{flag} is of no use without --join")));
    }
    let arguments = own_arguments(arguments, own, &case)?;
    let program = subject(file, replay, case);
    let options =
        terminal::Options { program, arguments, history, children, deny, memory, script, keep_going, colour };
    Ok(Box::new(move || terminal::debug(options, style)))
}

fn trace_options(given: TraceArgs, own: Option<&[String]>) -> Result<page::Options, Usage> {
    let TraceArgs { file, arguments, output, replay, case, steps, limits, time } = given;
    let LimitArgs { memory: MemoryArgs { memory }, deny } = limits;
    let arguments = own_arguments(arguments, own, &case)?;
    let (program, steps) = (subject(file, replay, case), steps as usize);
    Ok(page::Options { program, arguments, output, steps, deny, memory, time })
}

/// The program's arguments: those before `--`, or `own` after it.
///
/// # Errors
/// That a case says them.
fn own_arguments(
    arguments: Vec<String>,
    own: Option<&[String]>,
    case: &CaseArgs,
) -> Result<Vec<String>, Usage> {
    match own {
        Some(_) if case.case.is_some() => {
            Err(Usage::error("--case and arguments of the program do not go together: the case has them"))
        }
        own => Ok(own.map_or(arguments, <[String]>::to_vec)),
    }
}

#[cfg(feature = "kernel")]
fn kernel_action(command: Option<KernelCommand>, file: Option<String>, own: RestrictionArgs) -> KernelAction {
    match command {
        None => KernelAction::Run(notebook::Options {
            connection_file: file.unwrap_or_default(),
            restrictions: own.into(),
        }),
        Some(KernelCommand::Install { folder, restrictions }) => {
            KernelAction::Install(folder.into(), restrictions.into())
        }
        Some(KernelCommand::Uninstall { folder }) => KernelAction::Uninstall(folder.into()),
        Some(KernelCommand::List) => KernelAction::List,
    }
}

fn subject(file: Option<String>, recording: Option<String>, case: CaseArgs) -> Subject {
    let file = file.unwrap_or_default();
    match (recording, case.case) {
        (Some(recording), _) => Subject::Recording(recording),
        (None, Some(name)) => {
            let (places, allow_net) = (case.cases.into_iter().collect(), case.allow_net);
            Subject::Case(NamedCase { file, name, places, allow_net })
        }
        (None, None) => Subject::Program(file),
    }
}

fn style(line: &Line) -> Style {
    use std::io::IsTerminal;
    let no_color = matches!(&line.command, Named::Debug(given) if given.no_color);
    let coloured = match line.color {
        _ if no_color => false,
        When::Always => true,
        When::Never => false,
        When::Auto => show::is_coloured(std::io::stderr().is_terminal()),
    };
    let colour = if coloured { Colour::On } else { Colour::Off };
    Style { colour, json: line.message_format == Format::Json }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use ez_runtime::host::Capability;

    use super::super::args::DebugserverArgs;
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<(), Usage> {
        let arguments: Vec<String> = std::iter::once(&"ez").chain(arguments).map(|a| a.to_string()).collect();
        parse(&arguments).map(drop)
    }

    fn command(arguments: &[&str]) -> Result<Named, Usage> {
        let arguments: Vec<String> = arguments.iter().map(|a| a.to_string()).collect();
        read(&arguments).map(|(line, _)| line.command)
    }

    fn run(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<String> = arguments.iter().map(|a| a.to_string()).collect();
        let (line, own) = read(&arguments).unwrap();
        let Named::Run(given) = line.command else { panic!("{:?}", line.command) };
        run_options(given, "ez", own).unwrap().0.arguments
    }

    fn wrong(arguments: &[&str]) -> String {
        let usage = parsed(arguments).unwrap_err();
        assert_eq!(usage.status, 2, "{}", usage.text);
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

    proptest! {
        #[test]
        fn lines_of_words_mean_what_clap_says(
            command in prop::sample::select(vec!["run", "debugserver", "dap", "check", "version", "-"]),
            words in prop::collection::vec(prop::sample::select(vec!["a.ez", "x", "", "help", "run", "a b", "\u{e4}", "-", "-h"]), 0..4),
        ) {
            let words: Vec<&str> = std::iter::once(command).chain(words).collect();
            let read = |line: Line| (style(&line), line.command);
            if let Some(line) = Line::of_words(&words) {
                let by_clap = Line::try_parse_from(std::iter::once("ez").chain(words.iter().copied()));
                prop_assert_eq!(Some(read(line)), by_clap.ok().map(read), "{:?}", words);
            } else {
                let is_short = words.len() <= 2 || command == "run";
                let is_known = command == "run" && words.len() > 1 || ["debugserver", "dap"].contains(&command) && words.len() == 1;
                prop_assert!(!is_short || !is_known || words.iter().any(|word| word.starts_with('-')), "{:?}", words);
            }
        }
    }

    #[test]
    fn what_follows_two_dashes() {
        assert_eq!(run(&["--", "a.ez", "x", "--y"]), ["ez", "a.ez", "x", "--y"]);
        assert_eq!(run(&["--time", "5", "--", "a.ez"]), ["ez", "a.ez"]);
        assert_eq!(run(&["run", "--", "-odd", "-x"]), ["ez", "-odd", "-x"]);
        assert_eq!(run(&["a.ez", "--"]), ["ez", "a.ez"]);
        let check = |paths: &[&str]| {
            let paths = paths.iter().map(|path| path.to_string()).collect();
            Ok(Named::Check { paths, root: None, fix: false })
        };
        assert_eq!(command(&["check", "a.ez", "--", "b.ez"]), check(&["a.ez", "b.ez"]));
        assert_eq!(command(&["check", "--", "-odd.ez"]), check(&["-odd.ez"]));
        for wrong_line in [
            &["--", "x"][..],
            &["--", "check", "a.ez"],
            &["version", "--", "x"],
            &["debug", "--replay", "r", "--", "x"],
        ] {
            wrong(wrong_line);
        }
        let line = <Line as clap::CommandFactory>::command();
        let run = |command: &&clap::Command| command.get_arguments().any(|it| it.get_id() == "arguments");
        let names: Vec<&str> = line.get_subcommands().filter(run).map(clap::Command::get_name).collect();
        assert_eq!(names, PROGRAM_COMMANDS);
    }

    #[test]
    fn unknown_flags_lead_on() {
        let help = |arguments: &[&str]| {
            let text = parsed(arguments).unwrap_err().text;
            let lines = text.lines().filter_map(|line| line.strip_prefix("  = help: ")).map(String::from);
            lines.collect::<Vec<_>>()
        };
        let follow = |line: &str| format!("arguments of the program that begin with '-' follow '--': {line}");
        assert_eq!(help(&["debug", "--hist", "a.ez"]), ["did you mean '--history'?"]);
        assert_eq!(help(&["check", "--fixx", "a.ez"]), ["did you mean '--fix'?"]);
        assert_eq!(help(&["run", "--memroy", "5M", "a.ez"]), ["did you mean '--memory'?"]);
        assert_eq!(help(&["--memroy", "5M", "a.ez"]), ["did you mean '--memory'?"]);
        assert_eq!(help(&["--debug", "a.ez"]), ["did you mean 'ez debug'?"]);
        assert_eq!(help(&["a.ez", "--foo"]), [follow("ez FILE.ez -- --foo")]);
        assert_eq!(help(&["debug", "a.ez", "-q"]), [follow("ez debug FILE.ez -- -q")]);
        assert_eq!(help(&["trace", "a.ez", "--stepps"])[0], "did you mean '--steps'?");
        assert_eq!(help(&["check", "a.ez", "--history"]), ["--history is a flag of 'ez', 'ez debug'"]);
        assert_eq!(
            help(&["debug", "-c", "next", "a.ez"])[0],
            "commands come from a file (-x FILE) or from standard input"
        );
        assert_eq!(help(&["version", "--foo"]), Vec::<String>::new());
    }

    #[test]
    fn commands() {
        assert_eq!(command(&["version"]), Ok(Named::Version));
        assert_eq!(
            command(&["build", "d"]),
            Ok(Named::Check { paths: vec!["d".into()], root: None, fix: false })
        );
        assert!(wrong(&["check", "--fix", "-"]).contains("--fix changes files"));
        let linger = Duration::from_millis(500);
        assert_eq!(
            command(&["debugserver", "--linger", "0.5"]),
            Ok(Named::Debugserver(DebugserverArgs { linger, ..DebugserverArgs::default() }))
        );
    }

    #[test]
    fn the_description_of_the_protocol() {
        let linger = Duration::from_secs(1);
        let given = DebugserverArgs { describe: true, linger, ..DebugserverArgs::default() };
        assert_eq!(command(&["debugserver", "--describe"]), Ok(Named::Debugserver(given)));
        for with in ["a.ez", "--root=.", "--listen=127.0.0.1:0", "--linger=1", "--token-file=x"] {
            assert_eq!(parsed(&["debugserver", "--describe", with]).unwrap_err().status, 2, "{with}");
        }
    }

    #[cfg(feature = "kernel")]
    #[test]
    fn kernels() {
        let kernel = |arguments: &[&str]| match command(arguments) {
            Ok(Named::Kernel { command, connection_file, restrictions }) => {
                kernel_action(command, connection_file, restrictions)
            }
            other => panic!("{other:?}"),
        };
        let folder = notebook::KernelFolder { prefix: Some("d".into()), name: "class".into() };
        let restrictions = notebook::Restrictions { deny: vec![Capability::Net], memory: Some(1 << 20) };
        let install =
            ["kernel", "install", "--prefix", "d", "--name", "class", "--deny", "net", "--memory", "1M"];
        assert_eq!(kernel(&install), KernelAction::Install(folder, restrictions.clone()));
        let options = notebook::Options { connection_file: "file.json".into(), restrictions };
        let run = ["kernel", "file.json", "--deny", "net", "--memory", "1M"];
        assert_eq!(kernel(&run), KernelAction::Run(options));
        assert_eq!(wrong(&["kernel"]), "Error: missing argument: <CONNECTION_FILE>");
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
        for flag in ["-v", "-V", "--version"] {
            assert_eq!(parsed(&[flag]).unwrap_err().text, format!("ez version {}\n", VERSION));
        }
        assert_eq!(wrong(&["a.ez", "--foo"]), "Error: unknown flag: --foo");
        assert_eq!(wrong(&["chekc", "a.ez"]), "Error: unknown command: chekc");
        let hint = |word: &str| parsed(&[word]).unwrap_err().text.lines().nth(1).map(str::to_string);
        assert_eq!(hint("chekc").as_deref(), Some("  = help: did you mean 'check'?"));
        assert!(
            hint("..")
                .is_some_and(|hint| hint.ends_with("is a directory: 'ez check ..' checks what is in it"))
        );
        assert!(hint("pz").is_some_and(|hint| hint.contains("EZ 2.0")));
        assert!(hint("Cargo.toml").is_some_and(|hint| hint.contains("'ez run Cargo.toml'")));
        assert!(hint("frobnicate").is_some_and(|hint| hint.contains("'ez help'")));
        assert_eq!(wrong(&["check"]), "Error: missing argument: <PATHS>...");
        assert_eq!(wrong(&["debug"]), "Error: missing argument: <FILE>");
        assert_eq!(wrong(&["explain", "a", "b"]), "Error: unexpected argument: b");
        assert_eq!(wrong(&["man", "a", "--color", "never", "b"]), "Error: unexpected argument: b");
        assert!(wrong(&["completion", "dos"]).ends_with("it is one of bash, elvish, fish, powershell, zsh"));
        assert_eq!(wrong(&["repl", "x"]), "Error: unexpected argument: x");
        assert!(parsed(&["check"]).unwrap_err().text.contains("Usage: ez check"));
        assert_eq!(wrong(&["dap", "--token-file", "x"]), "Error: --token-file is of no use without --listen");
        assert_eq!(wrong(&["debug", "a.ez", "--token", "x"]), "Error: --token is of no use without --join");
        assert_eq!(wrong(&["a.ez", "--wait"]), "Error: --wait is of no use without --debug-listen");
        for limit in ["--time=1", "--root=."] {
            assert!(
                wrong(&["run", limit, "--debug-listen", "127.0.0.1:0", "a.ez"]).contains("cannot be used")
            );
        }
        for command in ["debug", "trace"] {
            let line = [command, "--case", "1", "a.ez", "--", "x"];
            assert!(wrong(&line).contains("arguments of the program do not go together"));
        }
        assert_eq!(
            wrong(&["debugserver", "--listen", "0.0.0.0:0", "a.ez"]),
            "Error: 0.0.0.0:0 would accept connections from other computers; use --allow-remote to permit that"
        );
        assert!(parsed(&["debugserver", "--listen", "0.0.0.0:0", "--allow-remote", "a.ez"]).is_ok());
        assert!(wrong(&["debugserver", "--linger", "x"]).contains("expected a number of seconds"));
    }
}
