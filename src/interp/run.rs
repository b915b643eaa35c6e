//! Running a program from start to end.

use crate::value::memory;

use super::compile::CompiledProgram;
use super::slots::Fp;
use super::vm::{Exit, Pending, RunError, Stop, Vm};

/// How a program ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// `main` returned.
    Finished,
    /// `exit(n)`, or end of input.
    Exited(i32),
    /// A run-time error.
    Failed(Box<RunError>),
    /// It was told to end.
    Terminated,
}

impl Outcome {
    /// The status the process ends with.
    pub fn status(&self) -> i32 {
        match self {
            Outcome::Finished | Outcome::Terminated => 0,
            Outcome::Exited(status) => *status,
            Outcome::Failed(_) => 1,
        }
    }
}

/// Evaluates the file level, then calls `main`; flushes the output at the end.
pub fn run(vm: &mut Vm, compiled: &CompiledProgram) -> Outcome {
    vm.sites = compiled.sites.clone();
    vm.watches.flags = compiled.flags.clone();
    let outcome = run_parts(vm, compiled);
    // A closed output is no failure of the program.
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
        vm.frames.leave(frame, &code.layout);
        if let Err(Exit::Stop) = result {
            // A big integer or nil that `main` returns is ignored like any result of it.
            if let Pending::Big(_) | Pending::Nil = vm.pending {
                vm.pending = Pending::None;
                continue;
            }
            return ended(vm);
        }
    }
    Outcome::Finished
}

/// `main` is over.
fn end(vm: &mut Vm, frame: Fp) -> Result<(), Stop> {
    if memory::is_low() {
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
