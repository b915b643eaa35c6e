//! Evaluation of expressions in a stopped frame.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded};

use crate::api::{Described, Failure, Limits, Request, RequestId, Response};
use crate::interp::slots::Fp;
use crate::interp::vm::{Debugger, Exit, Pending, Stop, Vm};
use crate::program::StmtId;
use crate::value::{Type, Value};

use super::control::InterruptHandle;
use super::engine::{Client, Engine, Message};
use super::frames::FrameView;
use super::placing::Placing;
use super::program::{Runnable, wrong};

/// How long an evaluation may take.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// What ended an evaluation early.
#[derive(Default)]
pub(super) struct Interruption {
    /// A pause.
    pub paused: bool,
    /// The program is to end.
    terminated: bool,
    /// The time limit.
    timed_out: bool,
}

impl Engine {
    /// The value of an expression in the frame `view`, or `nil` for an assignment that was carried out.
    /// `top` is the innermost frame. If the program is to end meanwhile, [`Pending::Terminated`] is left
    /// in the machine.
    pub(super) fn evaluate(
        &mut self,
        vm: &mut Vm,
        top: &FrameView,
        view: &FrameView,
        text: &str,
        limits: Limits,
    ) -> Result<Described, Failure> {
        let sources = vm.program.sources.clone();
        let (known_sources, known_sites) = (sources.len(), vm.sites.len());
        let outcome = self.compile_and_run(vm, top, view, text);
        // Nothing of the fragment is needed any more: its code is gone.
        vm.sites.truncate(known_sites);
        sources.truncate(known_sources);
        let (value, ty) = outcome?;
        Ok(self.handles.describe(&value.follow(), &ty, limits))
    }

    fn compile_and_run(
        &mut self,
        vm: &mut Vm,
        top: &FrameView,
        view: &FrameView,
        text: &str,
    ) -> Result<(Value, Type), Failure> {
        let Some(program) = self.debugged() else { return Err(wrong("no program is loaded")) };
        // Calls are made above the innermost frame.
        let above = top.fp.distance(view.fp);
        let runnable = program.fragment(vm, view, text, above + program.frame_size(top))?;
        let (ret, ret_ref, native_at) = (vm.ret, vm.ret_ref.take(), vm.native_at);
        let (result, interruption) = self.uninterrupted(vm, Some(TIME_LIMIT), |vm| {
            vm.evaluating = true;
            let result = run(&runnable, vm, view.fp);
            vm.evaluating = false;
            result
        });
        (vm.ret, vm.ret_ref, vm.native_at) = (ret, ret_ref, native_at);
        result.map_err(|Stop| failure(vm, &interruption))
    }

    /// Lets the machine run something of the debugger's: the program does not stop meanwhile, but a pause,
    /// the end of the program, or a time limit end it.
    pub(super) fn uninterrupted<T>(
        &mut self,
        vm: &mut Vm,
        limit: Option<Duration>,
        work: impl FnOnce(&mut Vm) -> T,
    ) -> (T, Interruption) {
        let shared = Rc::new(Shared::default());
        let guard = Guard::new(self, shared.clone(), limit);
        let engine = vm.debugger.replace(Box::new(guard));
        let result = work(vm);
        vm.debugger = engine;
        self.postponed.extend(shared.postponed.take());
        let interruption = Interruption {
            paused: shared.paused.get(),
            terminated: shared.terminated.get(),
            timed_out: shared.timed_out.load(Ordering::SeqCst),
        };
        (result, interruption)
    }
}

fn run(runnable: &Runnable, vm: &mut Vm, fp: Fp) -> Result<(Value, Type), Stop> {
    for statement in &runnable.statements {
        if let Err(Exit::Stop) = statement(vm, fp) {
            return Err(Stop);
        }
    }
    match &runnable.value {
        Some((f, ty)) => Ok((f(vm, fp)?, ty.clone())),
        None => Ok((Value::Nil, Type::Nil)),
    }
}

/// Why an evaluation failed. A program that is to end stays so.
fn failure(vm: &mut Vm, interruption: &Interruption) -> Failure {
    if interruption.terminated {
        return wrong("program is ending");
    }
    wrong(match std::mem::take(&mut vm.pending) {
        Pending::Error(error) => error.message,
        Pending::Exit(_) => "exit() cannot be called in an evaluation".into(),
        Pending::Terminated if interruption.timed_out => {
            format!("evaluation took longer than {} s", TIME_LIMIT.as_secs())
        }
        Pending::Terminated => "evaluation was interrupted".into(),
        Pending::None | Pending::Big(_) | Pending::Nil => "expression has no value".into(),
    })
}

/// What a [`Guard`] leaves to the engine.
#[derive(Default)]
struct Shared {
    postponed: RefCell<Vec<(RequestId, Request)>>,
    paused: Cell<bool>,
    terminated: Cell<bool>,
    timed_out: Arc<AtomicBool>,
}

/// Stands in for the engine while the machine evaluates something for it: never stops, but ends the
/// evaluation when it has to.
struct Guard {
    requests: Receiver<(RequestId, Request)>,
    client: Rc<dyn Client>,
    interrupt: InterruptHandle,
    placing: Rc<RefCell<Placing>>,
    /// Whether breakpoints are changed meanwhile. Not where the machine forgets afterwards what was
    /// compiled.
    serves_breakpoints: bool,
    shared: Rc<Shared>,
    /// Dropping it ends the thread that watches the time.
    _watching: Option<Sender<()>>,
}

impl Guard {
    fn new(engine: &Engine, shared: Rc<Shared>, limit: Option<Duration>) -> Guard {
        let watching = limit.map(|limit| {
            let (alive, ended) = bounded::<()>(0);
            let (timed_out, interrupt) = (shared.timed_out.clone(), engine.interrupt.clone());
            std::thread::spawn(move || {
                if let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(limit) {
                    timed_out.store(true, Ordering::SeqCst);
                    interrupt.raise();
                }
            });
            alive
        });
        Guard {
            requests: engine.request_channel(),
            client: engine.client.clone(),
            interrupt: engine.interrupt.clone(),
            placing: engine.placing.clone(),
            serves_breakpoints: limit.is_none(),
            shared,
            _watching: watching,
        }
    }

    fn poll(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        if !self.interrupt.is_raised() {
            return Ok(());
        }
        self.interrupt.clear();
        let shared = &self.shared;
        loop {
            match self.requests.try_recv() {
                Ok((id, Request::Terminate)) => {
                    self.client.message(Message::Response(id, Ok(Response::Terminating)));
                    shared.terminated.set(true);
                }
                Ok((id, Request::Pause)) => {
                    self.client.message(Message::Response(id, Ok(Response::Pausing)));
                    shared.paused.set(true);
                }
                // A program that runs on in a condition is not stopped: its breakpoints can be changed.
                Ok((id, Request::Breakpoint(request))) if self.serves_breakpoints => {
                    let answer = self.placing.borrow_mut().change(Some(vm), request);
                    self.client.message(Message::Response(id, answer));
                }
                Ok(other) => shared.postponed.borrow_mut().push(other),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    shared.terminated.set(true);
                    break;
                }
            }
        }
        if shared.terminated.get() || shared.paused.get() || shared.timed_out.load(Ordering::SeqCst) {
            vm.pending = Pending::Terminated;
            return Err(Stop);
        }
        Ok(())
    }
}

impl Debugger for Guard {
    fn statement(&mut self, vm: &mut Vm, _: Fp, _: StmtId, _: bool) -> Result<(), Stop> {
        self.poll(vm)
    }

    fn on_interrupt(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.poll(vm)
    }
}
