//! An instance of a program, which runs to show its past.

use std::cell::RefCell;
use std::rc::Rc;

use crate::api::{Done, Failure, FailureKind, Launch, RequestId, Response};
use crate::debug::engine::{Engine, Run};
use crate::debug::inspect::changes::ChangeTracker;
use crate::debug::running::hook::Hook;
use crate::debug::running::loading::{Setup, machine};
use ez_runtime::interp;
use ez_runtime::interp::vm::Vm;

/// Memory in bytes that an instance may use beyond the program's limit: for what is noted on the way, and
/// because memory use varies from run to run.
pub const MORE_MEMORY: u64 = 128 << 20;

/// Runs an instance until its journey is over; returns the number of its last step.
pub fn run(engine: &Rc<RefCell<Engine>>, mut vm: Vm) -> u64 {
    let Some(debugged) = engine.borrow().debugged() else { return 0 };
    vm.debugger = Some(Box::new(Hook::new(engine.clone())));
    interp::run(&mut vm, &debugged.compiled);
    vm.debugger = None;
    vm.steps.now()
}

impl Engine {
    /// A new instance of the program. The program is loaded if it has not been.
    pub fn instance(&mut self, setup: &Setup, launch: &Launch) -> Result<Vm, Failure> {
        if self.inspection.program.is_none() {
            let nobody = RequestId(RequestId::OF_ENGINE);
            self.load_and_compile(setup, launch, None, |_| Response::Done(Done::Started), nobody)?;
        }
        let missing = || Failure::new(FailureKind::NoProgram, "no program is loaded");
        if let Some(vm) = self.state.take_ready() {
            return Ok(vm);
        }
        let name = self.file.clone().ok_or_else(missing)?;
        let directory = self.breakpoints.borrow().directory.clone();
        let host = self.host(setup, launch, &name, &directory);
        let program = self.debugged().ok_or_else(missing)?;
        self.run = Run { stop_on_entry: self.run.stop_on_entry, ..Run::default() };
        self.inspection.tracker = ChangeTracker::new(launch.limits);
        let mut vm = machine(&program.program, host)?;
        vm.sites = program.compiled.sites.clone();
        self.inspection.connection.interrupt.clear();
        self.inspection.watch_code.clear();
        Ok(vm)
    }
}
