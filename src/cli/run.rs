//! `ez FILE`: checks a program and runs it; with `--record`, records the run in a file.

use std::fmt::Display;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::clients::VERSION;
use crate::clients::show::{self, Style, report, unreadable_report};
use ez_engine::debug::runtime_problem;
use ez_engine::recording::RecordHost;
use ez_engine::recording::file::{End, Header, Recorder, System, VERSION as FORMAT};
use ez_language::check::{Checked, check_program};
use ez_language::modules::{
    ConfinedLoader, DiskLoader, Snapshot, SnapshotLoader, SourceLoader, TextLoader, text_from,
};
use ez_runtime::diagnostics::Diagnostic;
use ez_runtime::host::{Capability, DenyHost, SystemHost, UnwrittenOutput};
use ez_runtime::interp::{self, Outcome, RunError, STACK_SIZE, Vm, compile_plain};
use ez_runtime::platform::{self, path_of, reason};
use ez_runtime::program::Program;
use ez_runtime::source::SourceMap;
use ez_runtime::value::{Host, set_memory_limit};

use super::options::Options;
use super::terminal_run::show_failure;
use super::time_limit::TimeLimit;
use super::{followed, parent};

/// The name of a program that is read from standard input.
pub(super) const STDIN: &str = "<stdin>";

/// The program on standard input, whose end is that of the program's input, too.
pub(super) fn read_program() -> std::io::Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    text_from(bytes)
}

/// Runs a program. Ends the process, or returns the exit status if the program was not run.
pub(super) fn run(mut options: Options, style: Style) -> u8 {
    set_memory_limit(options.memory);
    let from_stdin = options.file == "-";
    if from_stdin {
        options.file = STDIN.into();
    }
    let path = show::absolute(&options.file);
    let text = match from_stdin.then(read_program).transpose() {
        Ok(text) => text,
        Err(error) => {
            unreadable_report(&options.file, &reason(&error), style);
            return 1;
        }
    };
    let confined = options.root.clone().map(|root| ConfinedLoader { root: Some(root) });
    let disk: &dyn SourceLoader = confined.as_ref().map_or(&DiskLoader, |confined| confined);
    let typed = text.as_deref().map(|text| TextLoader::new(disk, &path, text));
    let files = typed.as_ref().map_or(disk, |typed| typed);
    let (checked, sources) = match options.record {
        None => (check_program(files, &path, &options.file), None),
        Some(_) => {
            let loader = SnapshotLoader::new(files);
            let checked = check_program(&loader, &path, &options.file);
            (checked, Some(loader.into_snapshot()))
        }
    };
    let Checked { program, sources: texts, diagnostics, .. } = match checked {
        Ok(checked) => checked,
        Err(error) => {
            unreadable_report(&options.file, &error.reason, style);
            return 1;
        }
    };
    report(&diagnostics, &texts, style);
    let Some(program) = program else { return 1 };
    if let Some((door, followed)) = followed::announced_run(&options, from_stdin) {
        return followed::run_followed(options, &texts, door, followed, style);
    }
    let recorder = match sources.map(|sources| recorder(&options, path, sources)).transpose() {
        Ok(recorder) => recorder,
        Err(message) => {
            eprintln!("{message}");
            return 1;
        }
    };
    let limit = options.time.map(TimeLimit::new);
    let flag = limit.as_ref().map(TimeLimit::flag);
    let mut host = SystemHost::new(flag).with_arguments(options.arguments).with_root(options.root.clone());
    keep_what_was_done(&mut host, recorder.clone());
    let mut host: Box<dyn Host> = Box::new(host);
    let mut deny = options.deny;
    // A command could reach files outside of the root.
    deny.extend(options.root.map(|_| Capability::Exec));
    if !deny.is_empty() {
        host = Box::new(DenyHost::new(host, deny));
    }
    if let Some(recorder) = &recorder {
        host = Box::new(RecordHost::in_file(host, recorder.clone()));
    }
    let Some(status) = execute(&program, &texts, host, limit.as_ref(), style) else {
        parent::ended(1);
        return 1;
    };
    if let Some(recorder) = recorder {
        recorder.end(End::Status(status));
    }
    exit(status)
}

/// Runs a checked program, and reports the run-time error that ends it, if any. Returns its exit status;
/// `None` if it could not be started.
pub(super) fn execute(
    program: &Rc<Program>,
    sources: &SourceMap,
    host: Box<dyn Host>,
    limit: Option<&TimeLimit>,
    style: Style,
) -> Option<i32> {
    let mut vm = Vm::new(program.clone(), host, STACK_SIZE - STACK_SIZE / 8).map_err(not_started).ok()?;
    let outcome = match limit {
        Some(limit) => {
            let outcome = limit.run(&mut vm, program).map_err(not_started).ok()?;
            // The host ends the commands that still run.
            drop(std::mem::replace(&mut vm.host, Box::new(SystemHost::new(None))));
            outcome
        }
        None => {
            let compiled = compile_plain(program);
            let outcome = interp::run(&mut vm, &compiled);
            // Dropping very many values takes longer than ending the process.
            std::mem::forget(compiled);
            outcome
        }
    };
    if let Outcome::Failed(error) = &outcome {
        report_failure(program, error, sources, style);
    }
    std::mem::forget(vm);
    Some(outcome.status())
}

fn not_started(error: impl Display) {
    eprintln!("Error: {error}");
}

/// Ends the process with the status of a program.
pub(super) fn exit(status: i32) -> ! {
    // Exit statuses are bytes.
    let status = status.to_le_bytes().first().copied().unwrap_or(1);
    std::process::exit(i32::from(parent::ended_with(status)))
}

/// Starts a recording if one is requested.
///
/// # Errors
/// The message to show if that is not possible.
fn recorder(options: &Options, path: PathBuf, sources: Snapshot) -> Result<Recorder, String> {
    let file = options.record.as_deref().unwrap_or_default();
    let header = Header {
        version: FORMAT,
        by: VERSION.into(),
        system: System::this(),
        file: options.file.clone(),
        directory: DiskLoader.absolute(Path::new(".")),
        path,
        arguments: options.arguments.iter().skip(2).cloned().collect(),
        deny: options.deny.iter().map(|capability| capability.name().into()).collect(),
        memory_limit: options.memory,
        sources,
    };
    let name = file.to_string();
    let on_failure = Box::new(move |error: &std::io::Error| {
        let reason = reason(error);
        eprintln!("Error: cannot write the recording {name}: {reason}; the program continues without it");
    });
    let recorder = Recorder::create(&path_of(file), &header, on_failure)
        .map_err(|error| format!("Error: cannot write the recording {file}: {}", reason(&error)))?;
    if let Some(most) = options.record_at_most {
        recorder.limit(most);
    }
    Ok(recorder)
}

/// If a signal such as that of Ctrl+C ends the process, writes the buffered output before, and the reason to the
/// recording.
fn keep_what_was_done(host: &mut SystemHost, recorder: Option<Recorder>) {
    // Where the address space is limited, the program needs the 70 MiB that a thread takes of it.
    let is_limited = platform::address_space_limit().is_some();
    match recorder {
        Some(recorder) => {
            let output = host.unwritten_output().filter(|_| !is_limited);
            before_signal_ends(output, Some(recorder));
        }
        None if is_limited => {}
        // The thread for that is not needed before.
        None => host.before_buffering(|output| before_signal_ends(Some(output), None)),
    }
}

fn before_signal_ends(output: Option<UnwrittenOutput>, recorder: Option<Recorder>) {
    // If this fails, the process ends at once: without that output, and the recording lacks the reason.
    let _ = platform::before_signal_ends(move |signal| {
        if let Some(output) = output {
            output.write_at_end();
        }
        if let Some(recorder) = recorder {
            recorder.end(End::Signal(signal));
        }
    });
}

/// Prints a run-time error with the calls in progress.
pub(super) fn report_failure(program: &Program, error: &RunError, sources: &SourceMap, style: Style) {
    let mut diagnostic = Diagnostic::new(error.code, error.span, error.message.clone());
    diagnostic.help = error.help.clone();
    show_failure(&diagnostic, &runtime_problem(program, error).stack, sources, style);
}
