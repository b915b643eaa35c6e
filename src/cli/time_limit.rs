//! `--time SECONDS`: a program that takes longer ends with a run-time error at the place it has come to.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use ez_runtime::diagnostics::Code;
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Debugger, Stop, Vm};
use ez_runtime::interp::{self, Outcome, compile_attached};
use ez_runtime::program::{Program, StmtId};
use ez_runtime::source::Span;
use ez_runtime::threads;
use ez_runtime::value::InterruptFlag;

/// A time limit for a program, and the flag that ends the waits of its host.
#[derive(Clone)]
pub(super) struct TimeLimit {
    limit: Duration,
    flag: Arc<InterruptFlag>,
}

impl TimeLimit {
    /// A limit that counts from the start of the program.
    pub fn new(limit: Duration) -> TimeLimit {
        TimeLimit { limit, flag: InterruptFlag::new() }
    }

    /// The flag for the program's host.
    pub fn flag(&self) -> Arc<InterruptFlag> {
        self.flag.clone()
    }

    /// Runs a program until it ends, or the time is over.
    ///
    /// # Errors
    /// If no thread can be created. The program has not been started then.
    pub fn run(&self, vm: &mut Vm, program: &Program) -> io::Result<Outcome> {
        let compiled = compile_attached(program);
        vm.debugger = Some(Box::new(TimeHook(self.clone())));
        let (limit, flag, flags) = (self.limit, self.flag.clone(), compiled.flags.clone());
        // The thread ends with the process.
        threads::spawn("time limit", move || {
            std::thread::sleep(limit);
            flag.raise();
            flags.set_interrupt(true);
        })?;
        let outcome = interp::run(vm, &compiled);
        std::mem::forget(compiled);
        Ok(outcome)
    }
}

/// A hook that fails once the time is over.
struct TimeHook(TimeLimit);

impl TimeHook {
    fn check(&self, vm: &mut Vm, at: Option<Span>, help: &str) -> Result<(), Stop> {
        if !self.0.flag.is_raised() {
            return Ok(());
        }
        let limit = self.0.limit.as_secs_f64();
        let at = at.unwrap_or_else(|| vm.nowhere());
        let seconds = if limit == 1.0 { "second" } else { "seconds" };
        let message = format!("the program has run for {limit} {seconds}, the limit set with --time");
        vm.fail_with_help(Code::E5098, message, Some(help.into()), at)
    }
}

impl Debugger for TimeHook {
    fn statement(&mut self, vm: &mut Vm, _: Fp, stmt: StmtId, _: bool) -> Result<(), Stop> {
        let at = vm.program.statement(stmt).map(|info| info.at);
        self.check(vm, at, "it had come to here; if a loop never ends, look at what is to end it")
    }

    fn on_interrupt(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        let at = vm.native_at.map(|(_, _, at)| at);
        self.check(vm, at, "this was not done yet")
    }
}
