//! Runs a program from start to end.

use crate::value::number_run;

use super::compile::CompiledProgram;
use super::slots::Fp;
use super::vm::{Exit, Pending, RunError, Stop, Vm};
use super::watch;

/// How a program ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// `main` returned.
    Finished,
    /// `exit(n)` was called, or the input has ended.
    Exited(i32),
    /// A run-time error was raised.
    Failed(Box<RunError>),
    /// It was told to terminate.
    Terminated,
}

impl Outcome {
    /// The exit status for the process.
    pub fn status(&self) -> i32 {
        match self {
            Outcome::Finished | Outcome::Terminated => 0,
            Outcome::Exited(status) => *status,
            Outcome::Failed(_) => 1,
        }
    }
}

/// Runs the initialisers of globals, then `main`; finally flushes the output.
pub fn run(vm: &mut Vm, compiled: &CompiledProgram) -> Outcome {
    vm.sites = compiled.sites.clone();
    watch::begin_run(vm, compiled.flags.clone());
    let _numbering = number_run();
    let outcome = run_parts(vm, compiled);
    // Closed output is not an error of the program.
    let _ = vm.host.flush();
    outcome
}

fn run_parts(vm: &mut Vm, compiled: &CompiledProgram) -> Outcome {
    let program = vm.program.clone();
    for function in [program.init, program.main] {
        if function == program.main
            && let Some(mut debugger) = vm.debugger.take()
        {
            debugger.main_begins(vm);
            vm.debugger = Some(debugger);
        }
        let Some(code) = compiled.codes.get(function.0 as usize).and_then(|c| c.get()) else { continue };
        let Ok(frame) = vm.enter_first(&code.layout) else { return ended(vm) };
        let result = code.body.run(vm, frame);
        if let Err(Exit::Stop) = result {
            vm.tell_raised(frame);
        }
        let is_over = function == program.main && !matches!(result, Err(Exit::Stop));
        let result = if is_over { end(vm, frame).map_err(Exit::from) } else { result };
        // What `main` holds is released with the frames: where the process ends first, not at all.
        if function != program.main {
            vm.frames.leave(frame, &code.layout);
        }
        if let Err(Exit::Stop) = result {
            // A result of `main` is ignored.
            if let Pending::Big(_) | Pending::Nil = vm.pending {
                vm.pending = Pending::None;
                continue;
            }
            return ended(vm);
        }
    }
    Outcome::Finished
}

/// `main` has returned.
fn end(vm: &mut Vm, frame: Fp) -> Result<(), Stop> {
    if vm.memory.is_low() {
        let main = vm.program.function(vm.program.main).map(|main| main.span.tail(1));
        vm.check_memory(main.unwrap_or(vm.nowhere()))?;
    }
    vm.tell_end(frame, None)
}

fn ended(vm: &mut Vm) -> Outcome {
    match std::mem::take(&mut vm.pending) {
        Pending::Error(error) => Outcome::Failed(error),
        Pending::Exit(status) => Outcome::Exited(status),
        Pending::Terminated => Outcome::Terminated,
        Pending::None | Pending::Big(_) | Pending::Nil => Outcome::Finished,
    }
}
