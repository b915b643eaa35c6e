//! Evaluation of expressions in a stopped frame, and conditions of breakpoints.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, TryRecvError};

use crate::check::{Fragment, FrameScope, check_fragment};
use crate::interp::compile::Compiler;
use crate::interp::operand::{StmtFn, ValueFn};
use crate::interp::slots::Fp;
use crate::interp::vm::{Debugger, Exit, Pending, Stop, Vm};
use crate::program::StmtId;
use crate::value::{Type, Value};

use super::breakpoints::Condition;
use super::control::InterruptHandle;
use super::engine::Engine;
use super::inspect::{FrameView, type_name, visible_locals};
use super::messages::{Evaluated, Request};
use super::preview::{Limits, preview};

/// How long an evaluation may take.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Size of a value's text in an answer.
const RESULT: Limits = Limits { parts: 1_000, bytes: 16 * 1024 };

/// A fragment made ready to run.
struct Runnable {
    statements: Vec<StmtFn>,
    value: Option<(ValueFn, Type)>,
}

impl Engine {
    /// The value of `text` in `view`; `top` is the innermost frame.
    pub(super) fn evaluate(
        &mut self,
        vm: &mut Vm,
        top: &FrameView,
        view: &FrameView,
        text: &str,
    ) -> Result<Evaluated, String> {
        let frame_size =
            self.compiled.codes.get(top.func.0 as usize).and_then(|c| c.get()).map_or(0, |c| c.layout.size);
        let above = top.fp.distance(view.fp);
        let runnable = self.build_fragment(vm, view, text, above + frame_size)?;
        let shared = Rc::new(Shared::default());
        let (ret, ret_ref, native_at) = (vm.ret, vm.ret_ref.take(), vm.native_at);
        let outer = vm.debugger.replace(Box::new(Evaluation::timed(self, shared.clone())));
        vm.evaluating = true;
        let outcome = runnable.run(vm, view.fp);
        vm.evaluating = false;
        vm.debugger = outer;
        vm.native_at = native_at;
        vm.ret = ret;
        vm.ret_ref = ret_ref;
        self.postponed.append(&mut shared.postponed.borrow_mut());
        match outcome {
            Ok((value, ty)) => {
                let value = value.follow();
                Ok(Evaluated { result: preview(&value, RESULT), type_name: type_name(&value, &ty) })
            }
            Err(Stop) => Err(failure(vm, &shared)),
        }
    }

    /// What a condition gives, or what it has pending instead. For the engine at work, which the program
    /// cannot ask meanwhile.
    pub(super) fn test(
        &mut self,
        vm: &mut Vm,
        fp: Fp,
        condition: &Condition,
    ) -> Result<Result<bool, Pending>, Stop> {
        let shared = Rc::new(Shared::default());
        let outer = vm.debugger.replace(Box::new(Evaluation::new(self, shared.clone())));
        let result = vm.test_condition(&**condition, fp);
        vm.debugger = outer;
        self.pause |= shared.abort.borrow().is_some();
        for request in shared.postponed.take() {
            self.running_request(vm, request)?;
        }
        Ok(result)
    }

    /// A condition in the function of `view`, ready to be tested in any of its frames.
    pub(super) fn condition(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        text: &str,
    ) -> Result<Condition, String> {
        let frame_size =
            self.compiled.codes.get(view.func.0 as usize).and_then(|c| c.get()).map_or(0, |c| c.layout.size);
        let fragment = self.check(vm, view, text)?;
        let Some(expr) = &fragment.expr else { return Err("condition must be an expression".into()) };
        if !matches!(expr.ty, Type::Bool | Type::Any) {
            return Err(format!("condition must be bool, got {}", expr.ty));
        }
        let mut condition = None;
        self.with_builder(vm, view, frame_size, |builder| condition = Some(builder.boolean(expr)));
        condition.map(Condition::from).ok_or_else(|| "condition could not be compiled".into())
    }

    fn check(&self, vm: &Vm, view: &FrameView, text: &str) -> Result<Fragment, String> {
        let scope = FrameScope {
            func: view.func,
            stmt: view.stmt,
            visible: visible_locals(&vm.program, view),
            file: view.at.file,
        };
        check_fragment(&self.symbols, &vm.program, &scope, text).map_err(|diagnostics| {
            diagnostics.first().map_or_else(|| "cannot be evaluated".to_string(), |d| d.message.clone())
        })
    }

    fn build_fragment(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        text: &str,
        free: u32,
    ) -> Result<Runnable, String> {
        let fragment = self.check(vm, view, text)?;
        let mut runnable = Runnable { statements: Vec::new(), value: None };
        self.with_builder(vm, view, free, |builder| {
            runnable.statements = fragment.stmts.iter().map(|s| builder.stmt(s)).collect();
            runnable.value = fragment.expr.as_ref().map(|e| (builder.value(e), e.ty.clone()));
        });
        Ok(runnable)
    }

    /// Builds for a frame of this function, using slots from `free` on for calls.
    fn with_builder(&self, vm: &mut Vm, view: &FrameView, free: u32, build: impl FnOnce(&mut Compiler)) {
        let program = vm.program.clone();
        let sites = std::mem::take(&mut vm.sites);
        let mut builder =
            Compiler::new(&program, self.compiled.codes.clone(), sites, Some(self.compiled.flags));
        if let Some(function) = program.function(view.func) {
            builder.enter(function);
        }
        builder.at = free;
        builder.stmt = view.stmt;
        builder.fragment = true;
        build(&mut builder);
        vm.sites = builder.sites;
    }
}

impl Runnable {
    fn run(&self, vm: &mut Vm, fp: Fp) -> Result<(Value, Type), Stop> {
        for statement in &self.statements {
            if let Err(Exit::Stop) = statement(vm, fp) {
                return Err(Stop);
            }
        }
        match &self.value {
            Some((f, ty)) => Ok((f(vm, fp)?, ty.clone())),
            None => Ok((Value::Nil, Type::Nil)),
        }
    }
}

/// Why an evaluation failed, as text. A program that is to end stays so.
fn failure(vm: &mut Vm, shared: &Shared) -> String {
    if shared.terminated.get() {
        return "program is ending".into();
    }
    match std::mem::take(&mut vm.pending) {
        Pending::Error(error) => error.message,
        Pending::Exit(_) => "exit() cannot be called in an evaluation".into(),
        Pending::Terminated => {
            shared.abort.borrow_mut().take().unwrap_or_else(|| "evaluation was interrupted".into())
        }
        Pending::None | Pending::Big(_) | Pending::Nil => "expression has no value".into(),
    }
}

/// What an evaluation leaves to the engine.
#[derive(Default)]
struct Shared {
    postponed: RefCell<Vec<Request>>,
    abort: RefCell<Option<String>>,
    terminated: std::cell::Cell<bool>,
}

/// Stands in for the engine while an expression is evaluated: no stops, but attention is given.
struct Evaluation {
    requests: Receiver<Request>,
    control: InterruptHandle,
    shared: Rc<Shared>,
    timed_out: Arc<AtomicBool>,
    /// Closing it ends the thread that watches the time.
    _alive: Option<crossbeam_channel::Sender<()>>,
}

impl Evaluation {
    /// One that may take as long as it likes.
    fn new(engine: &Engine, shared: Rc<Shared>) -> Evaluation {
        Evaluation {
            requests: engine.requests.clone(),
            control: engine.control.clone(),
            shared,
            timed_out: Arc::default(),
            _alive: None,
        }
    }

    fn timed(engine: &Engine, shared: Rc<Shared>) -> Evaluation {
        let mut evaluation = Evaluation::new(engine, shared);
        let (alive, closed) = crossbeam_channel::bounded::<()>(0);
        let (flag, control) = (evaluation.timed_out.clone(), engine.control.clone());
        std::thread::spawn(move || {
            if let Err(crossbeam_channel::RecvTimeoutError::Timeout) = closed.recv_timeout(TIME_LIMIT) {
                flag.store(true, Ordering::SeqCst);
                control.raise();
            }
        });
        evaluation._alive = Some(alive);
        evaluation
    }

    fn look(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        if !self.control.is_raised() {
            return Ok(());
        }
        self.control.clear();
        let mut end = false;
        loop {
            match self.requests.try_recv() {
                Ok(Request::Terminate) | Err(TryRecvError::Disconnected) => {
                    self.shared.terminated.set(true);
                    end = true;
                    break;
                }
                Ok(Request::Pause) => {
                    *self.shared.abort.borrow_mut() = Some("evaluation was interrupted".into());
                    end = true;
                }
                Ok(other) => self.shared.postponed.borrow_mut().push(other),
                Err(TryRecvError::Empty) => break,
            }
        }
        if self.timed_out.load(Ordering::SeqCst) {
            let text = format!("evaluation took longer than {} s", TIME_LIMIT.as_secs());
            *self.shared.abort.borrow_mut() = Some(text);
            end = true;
        }
        if end {
            vm.pending = Pending::Terminated;
            return Err(Stop);
        }
        Ok(())
    }
}

impl Debugger for Evaluation {
    fn statement(&mut self, vm: &mut Vm, _: Fp, _: StmtId, _: bool) -> Result<(), Stop> {
        self.look(vm)
    }

    fn on_interrupt(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.look(vm)
    }
}
