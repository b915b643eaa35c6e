//! Ctrl+C ends the entry that is running, not the session.

use std::io::{self, IsTerminal};
use std::sync::{Arc, MutexGuard};

use crate::interp::flags::StatementFlags;
use crate::interp::slots::Fp;
use crate::interp::vm::{Debugger, Pending, Stop, Vm};
use crate::interp::{self, Outcome, compile_attached};
use crate::platform::on_interrupt;
use crate::program::{Program, StmtId};
use crate::sync::Mutex;
use crate::value::InterruptFlag;

/// The exit status of a process ended by Ctrl+C, by the convention of shells.
const INTERRUPTED: i32 = 130;

/// The handler of Ctrl+C.
pub struct Interrupt {
    flag: Arc<InterruptFlag>,
    /// The flags of the statements of the program that runs.
    running: Mutex<Option<Arc<StatementFlags>>>,
}

impl Interrupt {
    /// Listens for Ctrl+C from now on, which no longer ends the process.
    pub fn listen() -> Arc<Interrupt> {
        let interrupt = Arc::new(Interrupt { flag: InterruptFlag::new(), running: Mutex::new(None) });
        let listener = interrupt.clone();
        // Without it, Ctrl+C ends the process.
        let _ = on_interrupt(move || listener.heard());
        interrupt
    }

    /// The flag that ends the waits of a host.
    pub fn interrupt_flag(&self) -> Arc<InterruptFlag> {
        self.flag.clone()
    }

    fn running(&self) -> MutexGuard<'_, Option<Arc<StatementFlags>>> {
        self.running.lock()
    }

    fn heard(&self) {
        match &*self.running() {
            Some(flags) => {
                self.flag.raise();
                flags.set_interrupt(true);
            }
            // At a terminal the line editor reads Ctrl+C as a key; otherwise it ends the process.
            None if io::stdin().is_terminal() => {}
            None => std::process::exit(INTERRUPTED),
        }
    }

    /// Runs a program until it ends or Ctrl+C is pressed; to be called within [`Interrupt::during`].
    pub fn run(&self, vm: &mut Vm, program: &Program) -> Outcome {
        let compiled = compile_attached(program);
        vm.debugger = Some(Box::new(InterruptHook(self.flag.clone())));
        *self.running() = Some(compiled.flags.clone());
        // Ctrl+C may have been pressed before `running` was set.
        let outcome = if self.flag.is_raised() { Outcome::Terminated } else { interp::run(vm, &compiled) };
        *self.running() = Some(Arc::default());
        outcome
    }

    /// Runs `work`, during which Ctrl+C is recorded instead of ending the process.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        *self.running() = Some(Arc::default());
        let result = work();
        *self.running() = None;
        self.flag.clear();
        result
    }
}

/// A hook that ends the program when the flag is raised.
struct InterruptHook(Arc<InterruptFlag>);

impl InterruptHook {
    fn look(&self, vm: &mut Vm) -> Result<(), Stop> {
        if self.0.is_raised() {
            vm.pending = Pending::Terminated;
            return Err(Stop);
        }
        Ok(())
    }
}

impl Debugger for InterruptHook {
    fn statement(&mut self, vm: &mut Vm, _: Fp, _: StmtId, _: bool) -> Result<(), Stop> {
        self.look(vm)
    }

    fn on_interrupt(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.look(vm)
    }
}
