//! Shell commands that a program runs.
//!
//! A plain run waits for its commands as a shell does. A program that can be interrupted has them in process
//! groups of their own, started by a guard process where there is one (see [`Guard`]), so that all of them
//! end with the program, however it or this process ends.

use std::io::{ErrorKind, PipeReader, Read};
use std::process::{Command, ExitStatus};
use std::sync::Arc;

use crate::platform::{self, Groups, Guard, GuardProgram, Running, ShellCommand, not_started};
use crate::sync::{Mutex, MutexGuard};
use crate::value::CommandEnd;

use super::files::MAX_READ;
use super::job_control::JobControl;

/// Runs a command as a child of this process and waits for it.
///
/// # Errors
/// Why it could not be started.
pub fn run_in_foreground(command: &ShellCommand, capture: bool) -> Result<CommandEnd, String> {
    let mut shell = command.prepared().map_err(failed)?;
    platform::without_window(&mut shell);
    let reader = capture.then(|| captured(&mut shell)).transpose().map_err(failed)?;
    let mut child = shell.spawn().map_err(failed)?;
    // It holds the writing end of the pipe, which has to be closed before the output can end.
    drop(shell);
    let output = reader.map_or(Some(Vec::new()), read_output);
    ended(child.wait().map_err(failed)?, output)
}

/// Connects a command's output to a pipe.
fn captured(shell: &mut Command) -> std::io::Result<PipeReader> {
    let (reader, writer) = std::io::pipe()?;
    shell.stdout(writer.try_clone()?).stderr(writer);
    Ok(reader)
}

/// What a command wrote; `None` if it was too much.
type Output = Option<Vec<u8>>;

fn read_output(reader: PipeReader) -> Output {
    let mut output = Vec::new();
    match reader.take(MAX_READ + 1).read_to_end(&mut output) {
        Err(e) if e.kind() == ErrorKind::OutOfMemory => None,
        // If reading fails, the output so far counts.
        _ => (output.len() as u64 <= MAX_READ).then_some(output),
    }
}

fn ended(status: ExitStatus, output: Output) -> Result<CommandEnd, String> {
    let output = platform::decoded_output(output.ok_or("output is too large")?);
    let (signal, dumped) = match platform::ending_signal(status) {
        Some(signal) => (Some(signal.name), signal.dumped),
        None => (None, false),
    };
    Ok(CommandEnd { status: status.code(), signal, dumped, output })
}

fn failed(error: std::io::Error) -> String {
    not_started(&error)
}

/// Starts the commands of one program, and ends all of them. May be used on any thread; clones share the
/// commands.
#[derive(Clone, Debug)]
pub struct Commands {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    guard_program: Option<GuardProgram>,
    state: Mutex<State>,
    /// Held by who waits for the end of a guard.
    ending: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    /// Whether no more commands may be started.
    closed: bool,
    /// Whether that is so for other programs, too.
    is_final: bool,
    guard: Option<Guard>,
    /// Process groups of commands started without a guard.
    groups: Groups,
}

impl Commands {
    /// Commands that end with the program as far as they stay in their process groups: a command that creates
    /// its own session (`setsid`) survives, and so do all if this process is killed.
    pub fn unguarded() -> Commands {
        Commands::new(None)
    }

    /// Commands that never survive this process, even if it is killed. The guard that takes care of this is
    /// started with the first command.
    pub fn guarded(program: GuardProgram) -> Commands {
        Commands::new(Some(program))
    }

    /// Guarded commands, if this process can start its own program again as their guard.
    pub fn of_this_process() -> Commands {
        Commands::new(GuardProgram::this())
    }

    fn new(guard_program: Option<GuardProgram>) -> Commands {
        Commands {
            shared: Arc::new(Shared { guard_program, state: Mutex::default(), ending: Mutex::default() }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock()
    }

    /// Runs a command until it ends or is cancelled. Blocks.
    ///
    /// # Errors
    /// Why it could not be started, or why its exit status is not known.
    pub(super) fn run(
        &self,
        command: &ShellCommand,
        capture: bool,
        control: &JobControl,
    ) -> Result<CommandEnd, String> {
        match self.start_guarded(command, capture).map_err(failed)? {
            Some(running) => {
                let Running { reader, end } = running;
                control.on_cancel(end.canceller());
                let output = reader.map_or(Some(Vec::new()), read_output);
                ended(end.wait()?, output)
            }
            None => self.run_in_group(command, capture, control),
        }
    }

    /// Starts a command through the guard; `None` if there is no guard.
    fn start_guarded(&self, command: &ShellCommand, capture: bool) -> std::io::Result<Option<Running>> {
        let Some(program) = &self.shared.guard_program else { return Ok(None) };
        let mut state = self.state();
        if state.closed {
            return Err(ErrorKind::Interrupted.into());
        }
        if state.guard.is_none() {
            state.guard = Guard::start(program).ok();
        }
        let Some(guard) = &state.guard else { return Ok(None) };
        match guard.start_command(command, capture) {
            Ok(running) => Ok(Some(running)),
            Err(_) => {
                // The guard has died. Its commands are out of reach; later ones get a new guard.
                state.guard = Guard::start(program).ok();
                state.guard.as_ref().map(|guard| guard.start_command(command, capture)).transpose()
            }
        }
    }

    fn run_in_group(
        &self,
        command: &ShellCommand,
        capture: bool,
        control: &JobControl,
    ) -> Result<CommandEnd, String> {
        let mut shell = command.prepared().map_err(failed)?;
        let reader = capture.then(|| captured(&mut shell)).transpose().map_err(failed)?;
        let mut child = {
            let mut state = self.state();
            if state.closed || control.is_cancelled() {
                return Err(failed(ErrorKind::Interrupted.into()));
            }
            let (child, group) = platform::spawn_in_group(&mut shell).map_err(failed)?;
            state.groups.add(child.id(), group);
            child
        };
        drop(shell);
        let (commands, group) = (self.clone(), child.id());
        control.on_cancel(move || commands.state().groups.kill(group));
        let output = reader.map_or(Some(Vec::new()), read_output);
        let status = child.wait();
        self.state().groups.leader_ended(group);
        ended(status.map_err(failed)?, output)
    }

    /// Allows commands of another program after [`Commands::end`], unless the end was final.
    pub fn reopen(&self) {
        let mut state = self.state();
        state.closed = state.is_final;
    }

    /// Ends all commands and their descendants, waits for that (one second at most), and prevents further
    /// ones, with `is_final` for ever. May be called on any thread, and more than once.
    pub fn end(&self, is_final: bool) {
        {
            let mut state = self.state();
            state.closed = true;
            state.is_final |= is_final;
            state.groups.kill_all();
        }
        // The engine's thread and the session's end them at the same time; the process ends after the second.
        let _ending = self.shared.ending.lock();
        let guard = self.state().guard.take();
        if let Some(guard) = guard {
            guard.stop();
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        state.groups.kill_all();
        if let Some(guard) = state.guard.take() {
            guard.stop();
        }
    }
}

#[cfg(test)]
mod tests;
