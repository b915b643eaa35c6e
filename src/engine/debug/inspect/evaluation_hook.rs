//! Keeps the engine responsive while the interpreter evaluates something for the debugger.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, TryRecvError};

use crate::api::{Done, Request, RequestId, Response};
use crate::debug::breakpoints::manager::BreakpointManager;
use crate::debug::client::{Connection, EngineClient, Message};
use crate::debug::control::InterruptHandle;
use crate::debug::inspect::inspection::Inspection;
use crate::debug::meanwhile::{Interruption, Meanwhile};
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Debugger, Pending, Stop, Vm};
use ez_runtime::program::StmtId;

impl Inspection {
    /// Runs `work` in the interpreter for the debugger. The program cannot stop meanwhile; a pause, the end
    /// of the program, or the time limit interrupts `work`. `keeps_code` is false if code that is compiled
    /// meanwhile is discarded afterwards.
    pub fn uninterrupted<T>(
        &mut self,
        vm: &mut Vm,
        limit: Option<Duration>,
        keeps_code: bool,
        work: impl FnOnce(&mut Vm) -> T,
    ) -> (T, Interruption) {
        let shared = Rc::new(Shared::default());
        let watching = limit.map(|limit| self.watchdog.watch(limit, shared.timed_out.clone()));
        let hook = EvaluationHook::new(self, shared.clone(), keeps_code);
        let debugger = vm.debugger.replace(Box::new(hook));
        vm.host.set_evaluating(true);
        let result = work(vm);
        vm.host.set_evaluating(false);
        vm.debugger = debugger;
        drop(watching);
        self.connection.postponed.extend(shared.postponed.take());
        // It may have been for the program, which runs on.
        self.connection.wake_for_postponed();
        let interruption = Interruption {
            paused: shared.paused.get(),
            terminated: shared.terminated.get(),
            timed_out: shared.timed_out.load(Ordering::SeqCst),
        };
        self.latest_interruption = interruption;
        (result, interruption)
    }
}

/// State shared by a [`EvaluationHook`] and the function that installed it.
#[derive(Default)]
struct Shared {
    postponed: RefCell<Vec<(RequestId, Request)>>,
    paused: Cell<bool>,
    terminated: Cell<bool>,
    timed_out: Arc<AtomicBool>,
}

/// The interpreter's [`Debugger`] during an evaluation: never stops the program, but interrupts the
/// evaluation when needed.
struct EvaluationHook {
    requests: Receiver<(RequestId, Request)>,
    client: Rc<dyn EngineClient>,
    interrupt: InterruptHandle,
    breakpoints: Rc<RefCell<BreakpointManager>>,
    /// Whether requests about breakpoints are carried out at once. Not if the code compiled meanwhile is
    /// discarded afterwards.
    serves_breakpoints: bool,
    /// Whether a postponed request resumes the program: what follows it is for that run.
    will_resume: bool,
    shared: Rc<Shared>,
}

impl EvaluationHook {
    fn new(inspection: &Inspection, shared: Rc<Shared>, serves_breakpoints: bool) -> EvaluationHook {
        let Connection { requests, client, interrupt, .. } = &inspection.connection;
        EvaluationHook {
            requests: requests.clone(),
            client: client.clone(),
            interrupt: interrupt.clone(),
            breakpoints: inspection.breakpoints.clone(),
            serves_breakpoints,
            will_resume: inspection.connection.will_resume(),
            shared,
        }
    }

    fn poll(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        if !self.interrupt.is_raised() {
            return Ok(());
        }
        self.interrupt.clear();
        while !self.shared.terminated.get() {
            match self.requests.try_recv() {
                Ok((id, request)) => self.request(vm, id, request),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => self.shared.terminated.set(true),
            }
        }
        let Shared { terminated, paused, timed_out, .. } = &*self.shared;
        if terminated.get() || paused.get() || timed_out.load(Ordering::SeqCst) {
            vm.pending = Pending::Terminated;
            return Err(Stop);
        }
        Ok(())
    }

    fn request(&mut self, vm: &mut Vm, id: RequestId, request: Request) {
        let shared = &self.shared;
        self.will_resume |= request.resumes();
        let waits = self.will_resume && request != Request::Terminate;
        let meanwhile = if waits { Meanwhile::Later(request) } else { request.into() };
        let later = match meanwhile {
            Meanwhile::Terminate => {
                self.client.message(Message::Response(id, Ok(Response::Done(Done::Terminating))));
                shared.terminated.set(true);
                return;
            }
            Meanwhile::Pause => {
                self.client.message(Message::Response(id, Ok(Response::Done(Done::Pausing))));
                shared.paused.set(true);
                return;
            }
            // A condition may run for long: breakpoints can be changed meanwhile.
            Meanwhile::Breakpoint(request) if self.serves_breakpoints => {
                let answer = self.breakpoints.borrow_mut().change(Some(vm), request);
                self.client.message(Message::Response(id, answer));
                return;
            }
            Meanwhile::Interrupt(request) => {
                shared.paused.set(true);
                request
            }
            Meanwhile::Breakpoint(request) => Request::Breakpoint(request),
            Meanwhile::Watch(request) => Request::Watch(request),
            Meanwhile::Query(query) => Request::Query(query),
            Meanwhile::Later(request) => request,
        };
        shared.postponed.borrow_mut().push((id, later));
    }
}

impl Debugger for EvaluationHook {
    fn statement(&mut self, vm: &mut Vm, _: Fp, _: StmtId, _: bool) -> Result<(), Stop> {
        self.poll(vm)
    }

    fn on_interrupt(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.poll(vm)
    }
}
