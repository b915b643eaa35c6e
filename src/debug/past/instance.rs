//! An instance of a program, which runs its past.

use std::cell::RefCell;
use std::rc::Rc;

use crate::api::{Failure, FailureKind, Launch, RequestId, Response};
use crate::interp;
use crate::interp::vm::Vm;

use super::super::changes::ChangeTracker;
use super::super::engine::Engine;
use super::super::running::Hook;
use super::super::serve::{Setup, machine};
use super::super::stepper::Mode;
use super::super::time::position::ErrorValues;

/// How many bytes an instance may hold beyond the program's limit: for what is noted on the way, and since
/// memory is not used in the same way twice.
pub(super) const MORE_MEMORY: u64 = 128 << 20;

/// Runs an instance of the past until its journey is over; gives the number of its last step.
pub(super) fn run(engine: &Rc<RefCell<Engine>>, mut vm: Vm) -> u64 {
    let Some(debugged) = engine.borrow().debugged() else { return 0 };
    vm.debugger = Some(Box::new(Hook::new(engine.clone())));
    interp::run(&mut vm, &debugged.compiled);
    vm.debugger = None;
    vm.steps.now()
}

impl Engine {
    /// The machine of a new instance of the program, which is loaded if it is not yet.
    pub(super) fn instance(&mut self, setup: &Setup, launch: &Launch) -> Result<Vm, Failure> {
        if self.program.is_none() {
            let nobody = RequestId(u64::MAX);
            self.load_and_compile(setup, launch, |_| Ok(Response::Started), nobody)?;
        }
        let missing = || Failure::new(FailureKind::NoProgram, "no program is loaded");
        if let Some(vm) = self.program.as_mut().and_then(|program| program.vm.take()) {
            return Ok(vm);
        }
        let name = self.file.clone().ok_or_else(missing)?;
        let directory = self.placing.borrow().directory.clone();
        let host = self.host(setup, launch, &name, &directory);
        let program = self.program.as_mut().ok_or_else(missing)?;
        program.mode = Mode::Running;
        program.pause = false;
        program.changes = ChangeTracker::new(launch.limits);
        program.error_values = ErrorValues::default();
        let mut vm = machine(&program.debugged.program, host)?;
        vm.sites = program.debugged.compiled.sites.clone();
        self.interrupt.clear();
        self.watch_code.clear();
        Ok(vm)
    }
}
