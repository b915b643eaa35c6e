//! The main loop of the engine, on the interpreter's thread: loads a program, runs it, and handles requests
//! before, during and after the run.
//!
//! Requests come from a channel, in order; responses and events go to the [`EngineClient`]. While the program runs,
//! requests are handled when it is interrupted (see [`InterruptHandle`]); otherwise the engine waits for
//! them.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use crossbeam_channel::Receiver;

use crate::api::{Done, Event, Exited, KILLED, Request, RequestId, Response};
use crate::debug::client::{Connection, EngineClient};
use crate::debug::control::InterruptHandle;
use crate::debug::engine::Engine;
use crate::debug::inspect::frames::runtime_problem;
use crate::debug::running::hook::Hook;
use crate::debug::running::loading::Setup;
use crate::debug::running::requests::{Next, Situation};
use crate::debug::running::state::{EndRequest, RunState};
use ez_runtime::interp::vm::Vm;
use ez_runtime::interp::{self, Outcome};

/// The memory of programs that have ended. A process that is about to end does not drop it, which may
/// take long.
#[derive(Debug, Default)]
pub struct KeepAlive(#[allow(dead_code)] Vec<Box<dyn Any>>);

/// Runs a debug engine until it is told to terminate, or its channel of requests is closed. Call it on a
/// thread with [`STACK_SIZE`](ez_runtime::interp::STACK_SIZE) bytes of stack. Whoever sends a request while the program runs, or closes the
/// channel, has to raise `interrupt` afterwards.
pub fn serve(
    setup: Setup,
    requests: Receiver<(RequestId, Request)>,
    client: impl EngineClient + 'static,
    interrupt: InterruptHandle,
) -> KeepAlive {
    let connection = Connection::new(requests, Rc::new(client), interrupt);
    let engine =
        Rc::new(RefCell::new(Engine::new(connection, setup.directory.clone(), setup.loader.clone())));
    let mut kept = KeepAlive::default();
    while let Some(vm) = Engine::serve_until_start(&engine, &setup) {
        let (vm, outcome) = run(&engine, vm);
        let request = engine.borrow_mut().state.take_end_request();
        if engine.borrow().cells.is_some() {
            let killed = match &request {
                Some(EndRequest::Kill(id)) => Some(*id),
                _ => None,
            };
            let is_over = request.is_none() && matches!(outcome, Outcome::Terminated);
            engine.borrow_mut().cell_ended(vm, outcome, killed);
            if let Some(EndRequest::Restart(id, restart)) = request {
                engine.borrow_mut().restart(&setup, id, *restart);
            }
            if is_over {
                break;
            }
            continue;
        }
        match (request, outcome) {
            (Some(EndRequest::Restart(id, restart)), _) => {
                // A thread can have only one [`Vm`] at a time.
                drop(vm);
                engine.borrow_mut().restart(&setup, id, *restart);
            }
            (Some(EndRequest::Kill(id)), Outcome::Terminated) => engine.borrow_mut().killed(id, vm),
            (None, Outcome::Terminated) => {
                kept.0.push(Box::new(vm));
                break;
            }
            (_, outcome) => engine.borrow_mut().state = RunState::Exited { status: outcome.status(), vm },
        }
    }
    // Dropping the compiled program takes as long as dropping a lot of data.
    kept.0.push(Box::new(engine));
    kept
}

/// Runs the program to its end, and reports the end unless the program was told to end.
fn run(engine: &Rc<RefCell<Engine>>, mut vm: Vm) -> (Vm, Outcome) {
    let Some(debugged) = engine.borrow().debugged() else { return (vm, Outcome::Terminated) };
    vm.debugger = Some(Box::new(Hook::new(engine.clone())));
    let outcome = interp::run(&mut vm, &debugged.compiled);
    // Breaks the reference cycle of hook and engine.
    vm.debugger = None;
    Engine::end_in_copy(engine, &vm);
    if engine.borrow().cells.is_some() {
        return (vm, outcome);
    }
    if !matches!(outcome, Outcome::Terminated) {
        let error = match &outcome {
            Outcome::Failed(error) => Some(runtime_problem(&vm.program, error)),
            Outcome::Finished | Outcome::Exited(_) | Outcome::Terminated => None,
        };
        engine.borrow().tell_difference(outcome.status());
        if error.is_none() {
            engine.borrow().expected_output.end();
        }
        let output = engine.borrow_mut().output_at_exit(&vm);
        let exited = Exited { status: outcome.status(), error, output };
        engine.borrow().event(Event::Exited(Box::new(exited)));
    }
    vm.host.end();
    (vm, outcome)
}

impl Engine {
    /// Handles requests while no program runs; returns the interpreter of a program that is to start, or
    /// `None` when the engine is to end.
    fn serve_until_start(engine: &RefCell<Engine>, setup: &Setup) -> Option<Vm> {
        loop {
            let mut engine = engine.borrow_mut();
            if let RunState::Ready { starts: true, .. } = engine.state
                && let Some(mut vm) = engine.state.take_ready()
            {
                engine.prepare_start(&mut vm);
                engine.inspection.connection.wake_for_postponed();
                return Some(vm);
            }
            let (id, request) = engine.inspection.connection.next_request()?;
            if let Next::End = engine.handle(Situation::Idle(setup), id, request) {
                return None;
            }
        }
    }

    /// The program has ended because of a `Kill` request.
    fn killed(&mut self, id: RequestId, vm: Vm) {
        self.respond(id, Ok(Response::Done(Done::Killed)));
        let output = self.output_at_exit(&vm);
        self.event(Event::Exited(Box::new(Exited { output, ..Exited::with_status(KILLED) })));
        self.state = RunState::Exited { status: KILLED, vm };
    }
}
