//! The state of a running program, and the cold paths that all nodes share.

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use crate::diagnostics::Code;
use crate::library::{Fail, Runtime};
use crate::program::{FuncId, GlobalId, Program, StmtId};
use crate::source::Span;
use crate::value::{Heap, Host, Mutator, Ref, Repr, Stream, Type, Value, builtin, memory};

use super::boxing;
pub(crate) use super::boxing::is_nil_float;
use super::slots::{Fp, Frames, HEADER, Layout, Slot};
use super::steps::Steps;
use super::watch_table::Watches;

/// Most calls that may be under way, `main` not counted.
pub const MAX_DEPTH: u32 = 10_000;

/// Depth counters start here, so that 0 is free to mean "the frame that a step waits for returns".
const DEPTH_BASE: u32 = 1 << 30;

/// An integer or bool that does not fit a register: see [`Vm::pending`], which may also hold an error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide;

/// The program stops: the reason is in [`Vm::pending`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop;

/// Why a statement did not go on to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Break,
    Continue,
    Return,
    Stop,
}

impl From<Stop> for Wide {
    /// A reason to stop is one of the things that may be pending. (There is no way back: a pending value
    /// is no reason to stop, so every consumer of a register says what it does with one.)
    #[inline(always)]
    fn from(_: Stop) -> Wide {
        Wide
    }
}

impl From<Stop> for Exit {
    #[inline(always)]
    fn from(_: Stop) -> Exit {
        Exit::Stop
    }
}

/// What travels beside a [`Wide`], [`Stop`] or [`Exit::Stop`].
#[derive(Debug, Default)]
pub(crate) enum Pending {
    #[default]
    None,
    Error(Box<RunError>),
    Big(BigInt),
    Nil,
    /// The program ends with this status.
    Exit(i32),
    /// The program was told to end.
    Terminated,
}

/// A run-time error on its way out.
#[derive(Clone, Debug)]
pub struct RunError {
    /// Its code.
    pub code: Code,
    /// Its message.
    pub message: String,
    /// Help, if any.
    pub help: Option<String>,
    /// Where.
    pub span: Span,
    /// Calls that were under way, innermost first.
    pub calls: Vec<CallSite>,
    /// The place is that of the call that is under way, once it is known.
    pub(crate) at_call: bool,
    /// Whether the debugger was told of it.
    pub(crate) told: bool,
}

/// A place in the program that calls a function.
#[derive(Clone, Copy, Debug)]
pub struct CallSite {
    /// The function that holds the call.
    pub caller: FuncId,
    /// The function that is called.
    pub callee: FuncId,
    /// The call.
    pub span: Span,
    /// The statement that holds it.
    pub stmt: StmtId,
    /// Where the callee's frame starts in the caller's.
    pub(crate) offset: Slot,
}

/// What a debugger does when the program asks it.
pub(crate) trait Debugger {
    /// Before a statement whose flag is set; `round`: a loop's header that comes round.
    fn statement(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) -> Result<(), Stop>;
    /// Called when a frame has returned whose return is watched ([`Vm::watch_return`]): `fp` is the
    /// caller's, `site` the number of the call site. The result is in [`Vm::returned_value`].
    fn returned(&mut self, _vm: &mut Vm, _fp: Fp, _site: u32) -> Result<(), Stop> {
        Ok(())
    }
    /// A run-time error has happened in the frame `fp`, of which nothing is undone yet. Called only if
    /// [`ErrorWatch::raised`] is set.
    fn raised(&mut self, _vm: &mut Vm, _fp: Fp, _error: &RunError) -> Result<(), Stop> {
        Ok(())
    }
    /// The library call or builtin at [`Vm::native_at`] gives an `Error` value. Called only if
    /// [`ErrorWatch::values`] is set.
    fn error_value(&mut self, _vm: &mut Vm, _error: &Value) -> Result<(), Stop> {
        Ok(())
    }
    /// A wait ended early.
    fn on_interrupt(&mut self, vm: &mut Vm) -> Result<(), Stop>;
    /// The program is about to end, with the frame `fp` still there: because `main` is over, or at a call.
    fn ends(&mut self, _vm: &mut Vm, _fp: Fp, _at: Option<(StmtId, Span)>) -> Result<(), Stop> {
        Ok(())
    }
    /// The file level has been evaluated; `main` is next.
    fn main_begins(&mut self, _vm: &mut Vm) {}
}

/// Of which errors the debugger wants to be told.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ErrorWatch {
    /// Run-time errors.
    pub raised: bool,
    /// `Error` values that come into being.
    pub values: bool,
}

/// A condition of a breakpoint.
type Condition = Rc<dyn Fn(&mut Vm, Fp) -> Result<bool, Wide>>;

/// The frame and the statement in which a library call or builtin stands, and the call itself.
pub(crate) type CallPlace = (Fp, StmtId, Span);

/// A call registered by `ensure`.
pub(crate) type EnsuredCall = Rc<dyn Fn(&mut Vm, Fp) -> Result<Value, Stop>>;

/// The state of a running program.
pub struct Vm {
    /// The program.
    pub program: Rc<Program>,
    /// The door to the outside.
    pub host: Box<dyn Host>,
    pub(crate) pending: Pending,
    /// Result of the last call that gave a scalar…
    pub(crate) ret: u64,
    /// …or a reference.
    pub(crate) ret_ref: Option<Ref>,
    /// The same for a debugger that is told of the return, where it is a big integer or nil.
    pub(crate) returned_wide: Option<Value>,
    /// Calls under way, biased by `bias`.
    pub(crate) depth: u32,
    pub(crate) depth_limit: u32,
    pub(crate) bias: u32,
    pub(crate) frames: Frames,
    /// Places that attached code has passed.
    pub(crate) steps: Steps,
    /// What a debugger watches.
    pub(crate) watches: Watches,
    /// The permission to change objects.
    pub(crate) mutator: Mutator,
    /// Lowest address the native stack may reach.
    pub(crate) floor: usize,
    /// Frame of the globals.
    pub(crate) globals: Fp,
    /// What stands in scalar slots that say so: big integers and nil.
    pub(crate) wide: HashMap<usize, Option<BigInt>>,
    pub(crate) sites: Vec<CallSite>,
    pub(crate) debugger: Option<Box<dyn Debugger>>,
    pub(crate) error_watch: ErrorWatch,
    /// Calls registered by `ensure`, one list a frame that has any.
    pub(crate) ensures: Vec<Vec<EnsuredCall>>,
    /// Where the library call or builtin was made that runs now, for stops in blocking calls. Set by
    /// whatever may call [`Vm::on_interrupt`](Runtime::on_interrupt), [`Vm::exit`](Runtime::exit) or
    /// [`Vm::tell_error_value`], when its arguments are evaluated; means nothing at other times, since the
    /// frame may have ended.
    pub(crate) native_at: Option<CallPlace>,
    pub(crate) input_ended: bool,
    /// An expression is evaluated for the debugger: no breakpoints, no input.
    pub(crate) evaluating: bool,
    /// A condition was tested and did not give `false`: what it has pending, for the debugger, which is
    /// asked next.
    pub(crate) tested: Option<Pending>,
    /// Which globals have got their values.
    bound: Vec<bool>,
    /// Conditions of breakpoints by statement, for those whose flag says so.
    conditions: Vec<Option<Condition>>,
}

/// The call site's number of a frame that no call made.
pub(crate) const NO_SITE: u32 = u32::MAX;

/// The number that marks a scalar slot whose content is in `Vm::wide`.
pub(crate) const SEE_WIDE: i64 = i64::MIN;

/// The bool slot that stands for nil.
pub(crate) const NIL_BOOL: u64 = 2;

impl Vm {
    /// A program about to run. `stack` is how many bytes of native stack may be used from here.
    ///
    /// # Errors
    /// When the program has more globals than there are slots, or when this thread runs a program already.
    pub fn new(program: Rc<Program>, host: Box<dyn Host>, stack: usize) -> Result<Vm, String> {
        let layout = layout_of_globals(&program);
        let (frames, globals) = Frames::new(&layout).ok_or("too many globals")?;
        let mutator = Mutator::new().ok_or("this thread runs another program")?;
        let here = 0u8;
        let floor = (&raw const here as usize).saturating_sub(stack);
        Ok(Vm {
            program,
            host,
            pending: Pending::None,
            ret: 0,
            ret_ref: None,
            returned_wide: None,
            depth: DEPTH_BASE,
            depth_limit: DEPTH_BASE + MAX_DEPTH,
            bias: DEPTH_BASE,
            frames,
            steps: Steps::default(),
            watches: Watches::default(),
            mutator,
            floor,
            globals,
            wide: HashMap::new(),
            sites: Vec::new(),
            debugger: None,
            error_watch: ErrorWatch::default(),
            ensures: Vec::new(),
            native_at: None,
            input_ended: false,
            evaluating: false,
            tested: None,
            bound: vec![false; layout.variables as usize],
            conditions: Vec::new(),
        })
    }

    /// Enters the frame above the globals, for `init` and `main`.
    pub(crate) fn enter_first(&mut self, layout: &Layout) -> Result<Fp, Stop> {
        let offset = Slot::new(self.program.globals.len() as u32 + HEADER as u32);
        if let Some(frame) = self.frames.enter(self.globals, offset, layout, NO_SITE) {
            return Ok(frame);
        }
        let at = self.nowhere();
        self.fail(Code::E5018, "function has too many variables", at)
    }

    /// How many calls are under way, `main` not counted.
    pub fn depth(&self) -> u32 {
        self.depth.wrapping_sub(self.bias)
    }

    /// Asks to be told when the current frame returns (or `None`: no longer).
    pub(crate) fn watch_return(&mut self, watch: bool) {
        let depth = self.depth();
        self.bias = if watch { 1u32.wrapping_sub(depth) } else { DEPTH_BASE };
        self.depth = depth.wrapping_add(self.bias);
        self.depth_limit = MAX_DEPTH.wrapping_add(self.bias);
    }

    /// Enters the function at `offset` above `fp`.
    #[inline(always)]
    pub(crate) fn enter(&mut self, fp: Fp, offset: Slot, layout: &Layout, site: u32) -> Result<Fp, Stop> {
        let here = 0u8;
        let low = (&raw const here as usize) < self.floor;
        if self.depth == self.depth_limit || low {
            return self.too_deep(site);
        }
        if memory::is_low() {
            let at = self.sites.get(site as usize).map(|s| s.span).unwrap_or(self.nowhere());
            self.check_memory(at)?;
        }
        let Some(frame) = self.frames.enter(fp, offset, layout, site) else { return self.too_deep(site) };
        self.depth = self.depth.wrapping_add(1);
        Ok(frame)
    }

    #[cold]
    #[inline(never)]
    fn too_deep(&mut self, site: u32) -> Result<Fp, Stop> {
        let span = self.sites.get(site as usize).map(|s| s.span);
        let message = format!("maximum recursion depth exceeded (limit: {MAX_DEPTH})");
        self.fail(Code::E5018, message, span.unwrap_or(self.nowhere()))
    }

    /// Measures memory, to be called when its credit is used up ([`memory::is_low`]).
    #[cold]
    #[inline(never)]
    pub(crate) fn check_memory(&mut self, at: Span) -> Result<(), Stop> {
        if memory::check() {
            return Ok(());
        }
        self.out_of_memory(at)
    }

    #[cold]
    fn out_of_memory<T>(&mut self, at: Span) -> Result<T, Stop> {
        let limit = memory::limit() >> 20;
        let result = self.fail(Code::E5018, format!("out of memory (limit: {limit} MiB)"), at);
        if let Pending::Error(error) = &mut self.pending {
            error.help = Some("a larger limit can be set with --memory".into());
        }
        result
    }

    pub(crate) fn nowhere(&self) -> Span {
        Span { file: self.program.main_file, start: 0, end: 0 }
    }

    /// Parks a run-time error.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail<T>(&mut self, code: Code, message: impl Into<String>, span: Span) -> Result<T, Stop> {
        if memory::was_denied() && code != Code::E7010 {
            // What is wrong may be that something was left out.
            return self.out_of_memory(span);
        }
        self.pending = Pending::Error(Box::new(RunError {
            code,
            message: message.into(),
            help: None,
            span,
            calls: vec![],
            at_call: false,
            told: false,
        }));
        Err(Stop)
    }

    /// The same, with a help.
    #[cold]
    pub(crate) fn fail_with_help<T>(
        &mut self,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
        span: Span,
    ) -> Result<T, Stop> {
        let result = self.fail(code, message, span);
        if let Pending::Error(error) = &mut self.pending
            && error.code == code
        {
            error.help = help;
        }
        result
    }

    /// Tells the debugger of the pending error, if it wants to know and does not yet. Called where a frame
    /// is about to be left because of an error, before that, for the innermost frame first.
    #[cold]
    #[inline(never)]
    pub(crate) fn tell_raised(&mut self, fp: Fp) {
        let wanted = self.error_watch.raised && !self.evaluating;
        // An error whose place is that of the call belongs to the caller's frame.
        if !wanted || !matches!(&self.pending, Pending::Error(error) if !error.told && !error.at_call) {
            return;
        }
        let Some(mut debugger) = self.debugger.take() else { return };
        if let Pending::Error(mut error) = std::mem::take(&mut self.pending) {
            error.told = true;
            let result = debugger.raised(self, fp, &error);
            // A program that is to end has that pending.
            if result.is_ok() {
                self.pending = Pending::Error(error);
            }
        }
        self.debugger = Some(debugger);
    }

    /// Tells the debugger that the program is about to end.
    pub(crate) fn tell_end(&mut self, fp: Fp, at: Option<(StmtId, Span)>) -> Result<(), Stop> {
        let Some(mut debugger) = self.debugger.take() else { return Ok(()) };
        let result = debugger.ends(self, fp, at);
        self.debugger = Some(debugger);
        result
    }

    /// Tells the debugger of an `Error` value in a result, if it wants to know.
    #[cold]
    #[inline(never)]
    pub(crate) fn tell_error_value(&mut self, result: &Value) -> Result<(), Stop> {
        let Some(error) = error_in(result).filter(|_| !self.evaluating) else { return Ok(()) };
        let Some(mut debugger) = self.debugger.take() else { return Ok(()) };
        let result = debugger.error_value(self, &error);
        self.debugger = Some(debugger);
        result
    }

    /// Parks a run-time error, in places that give integers or bools.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail_wide<T>(
        &mut self,
        code: Code,
        message: impl Into<String>,
        span: Span,
    ) -> Result<T, Wide> {
        let _ = self.fail::<()>(code, message, span);
        Err(Wide)
    }

    /// The error of using nil as an operand.
    #[cold]
    pub(crate) fn nil_operand<T>(&mut self, op: &str, at: Span) -> Result<T, Stop> {
        self.fail(Code::E5006Nil, format!("nil reference: cannot use nil with operator '{op}'"), at)
    }

    /// The pending value, if it is one (big integer or nil) and no error.
    #[cold]
    pub(crate) fn take_value(&mut self) -> Result<Value, Stop> {
        match std::mem::take(&mut self.pending) {
            Pending::Big(big) => Ok(Value::integer(big)),
            Pending::Nil => Ok(Value::Nil),
            other => {
                self.pending = other;
                Err(Stop)
            }
        }
    }

    /// Parks a value that is no 64-bit integer.
    #[cold]
    pub(crate) fn set_pending_value(&mut self, value: &Value) -> Wide {
        self.pending = match value.as_bigint() {
            Some(big) => Pending::Big(big),
            None => Pending::Nil,
        };
        Wide
    }

    /// Sets the condition that a statement tests before it asks the debugger.
    pub(crate) fn set_condition(&mut self, index: usize, condition: Option<Condition>) {
        if condition.is_some() && self.conditions.len() <= index {
            self.conditions.resize(index + 1, None);
        }
        if let Some(place) = self.conditions.get_mut(index) {
            *place = condition;
        }
    }

    /// Tests the condition of a statement; `false` if there is nothing to ask the debugger.
    pub(crate) fn condition_holds(&mut self, index: usize, fp: Fp) -> bool {
        if self.evaluating {
            return false;
        }
        let Some(Some(condition)) = self.conditions.get(index).cloned() else { return true };
        match self.test_condition(&*condition, fp) {
            Ok(holds) if !holds => return false,
            Ok(_) => self.tested = Some(Pending::None),
            Err(pending) => self.tested = Some(pending),
        }
        true
    }

    /// What a condition gives, or what it has pending instead.
    pub(crate) fn test_condition(
        &mut self,
        condition: &dyn Fn(&mut Vm, Fp) -> Result<bool, Wide>,
        fp: Fp,
    ) -> Result<bool, Pending> {
        self.evaluate(|vm| condition(vm, fp)).map_err(|Wide| std::mem::take(&mut self.pending))
    }

    /// Runs something for the debugger: it meets no breakpoints, reads no input, and its places are not
    /// counted.
    pub(crate) fn evaluate<T>(&mut self, run: impl FnOnce(&mut Vm) -> T) -> T {
        let steps = std::mem::take(&mut self.steps);
        let outer = std::mem::replace(&mut self.evaluating, true);
        let result = run(self);
        self.evaluating = outer;
        // It may have been asked to pause.
        let all = std::mem::replace(&mut self.steps, steps).all();
        self.steps.set_all(all, true);
        result
    }

    // ---- slots

    #[inline(always)]
    pub(crate) fn int(&mut self, fp: Fp, slot: Slot) -> Result<i64, Wide> {
        let value = self.frames.get(fp, slot) as i64;
        if value == SEE_WIDE {
            return self.int_wide(fp, slot);
        }
        Ok(value)
    }

    #[cold]
    #[inline(never)]
    fn int_wide(&mut self, fp: Fp, slot: Slot) -> Result<i64, Wide> {
        match self.wide.get(&fp.key(slot)) {
            Some(Some(big)) => {
                if let Ok(small) = i64::try_from(big) {
                    return Ok(small);
                }
                self.pending = Pending::Big(big.clone());
                Err(Wide)
            }
            _ => {
                self.pending = Pending::Nil;
                Err(Wide)
            }
        }
    }

    #[inline(always)]
    pub(crate) fn set_int(&mut self, fp: Fp, slot: Slot, value: i64) {
        self.frames.set(fp, slot, value as u64);
        if value == SEE_WIDE {
            self.set_lowest(fp, slot);
        }
    }

    #[cold]
    #[inline(never)]
    fn set_lowest(&mut self, fp: Fp, slot: Slot) {
        self.wide.insert(fp.key(slot), Some(BigInt::from(i64::MIN)));
    }

    /// Stores the pending value into an integer slot; an error stays pending.
    #[cold]
    #[inline(never)]
    pub(crate) fn set_pending(&mut self, fp: Fp, slot: Slot) -> Result<(), Stop> {
        let value = self.take_value()?;
        self.frames.set(fp, slot, SEE_WIDE as u64);
        self.wide.insert(fp.key(slot), value.as_bigint());
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn bool(&mut self, fp: Fp, slot: Slot) -> Result<bool, Wide> {
        match self.frames.get(fp, slot) {
            NIL_BOOL => {
                self.pending = Pending::Nil;
                Err(Wide)
            }
            other => Ok(other != 0),
        }
    }

    /// The value in a slot of this type, as a value.
    pub(crate) fn slot_value(&mut self, fp: Fp, slot: Slot, ty: &Type) -> Value {
        match ty.repr() {
            Repr::Int => match self.int(fp, slot) {
                Ok(raw) => boxing::int_value(ty, raw),
                Err(Wide) => self.take_value().unwrap_or_default(),
            },
            Repr::Float => boxing::float_value(ty, f64::from_bits(self.frames.get(fp, slot))),
            Repr::Bool => match self.frames.get(fp, slot) {
                NIL_BOOL => Value::Nil,
                raw => boxing::bool_value(ty, raw != 0),
            },
            Repr::Ref => boxing::ref_value(self.frames.get_ref(fp, slot)),
        }
    }

    /// The result of this type that the call gave of whose return a debugger is being told.
    pub(crate) fn returned_value(&self, ty: &Type) -> Value {
        if let Some(wide) = &self.returned_wide {
            return wide.clone();
        }
        match ty.repr() {
            Repr::Int => boxing::int_value(ty, self.ret as i64),
            Repr::Float => boxing::float_value(ty, f64::from_bits(self.ret)),
            Repr::Bool => boxing::bool_value(ty, self.ret != 0),
            Repr::Ref => boxing::ref_value(self.ret_ref.clone()),
        }
    }

    /// Puts a value that fits the type into a slot.
    pub(crate) fn set_slot_value(&mut self, fp: Fp, slot: Slot, ty: &Type, value: Value) {
        match ty.repr() {
            Repr::Int => match boxing::value_int(&value) {
                Some(raw) => self.set_int(fp, slot, raw),
                None => {
                    self.frames.set(fp, slot, SEE_WIDE as u64);
                    self.wide.insert(fp.key(slot), value.as_bigint());
                }
            },
            Repr::Float => self.frames.set(fp, slot, boxing::value_float(&value).to_bits()),
            Repr::Bool => {
                self.frames.set(fp, slot, boxing::value_bool(&value).map_or(NIL_BOOL, u64::from));
            }
            Repr::Ref => drop(self.frames.replace_ref(fp, slot, boxing::value_ref(value))),
        }
    }

    /// The value of a global.
    pub(crate) fn global_value(&mut self, id: GlobalId) -> Value {
        let program = self.program.clone();
        match program.globals.get(id.0 as usize) {
            Some(global) if global.boxed => {
                boxing::ref_value(self.frames.get_ref(self.globals, Slot::new(id.0))).follow()
            }
            Some(global) => self.slot_value(self.globals, Slot::new(id.0), &global.ty),
            None => Value::Nil,
        }
    }

    /// A global's declaration has run.
    pub(crate) fn bind(&mut self, global: GlobalId) {
        if let Some(bound) = self.bound.get_mut(global.0 as usize) {
            *bound = true;
        }
    }

    /// A global has no value any more.
    pub(crate) fn unbind(&mut self, global: GlobalId) {
        if let Some(bound) = self.bound.get_mut(global.0 as usize) {
            *bound = false;
        }
    }

    /// Whether its declaration has run.
    pub(crate) fn is_bound(&self, id: GlobalId) -> bool {
        self.bound.get(id.0 as usize).copied().unwrap_or(true)
    }

    /// Where a boxed global keeps its value, once its declaration has run.
    pub(crate) fn global_place(&self, id: GlobalId) -> Option<Ref> {
        self.is_bound(id).then(|| self.frames.get_ref(self.globals, Slot::new(id.0))).flatten()
    }

    /// Gives a boxed global the place that it had in another program; its declaration counts as run.
    pub(crate) fn preset_global(&mut self, id: GlobalId, place: Ref) {
        drop(self.frames.replace_ref(self.globals, Slot::new(id.0), Some(place)));
        self.bind(id);
    }

    /// Takes a global's value away, as if its declaration had not run.
    pub(crate) fn release_global(&mut self, id: GlobalId) {
        drop(self.frames.replace_ref(self.globals, Slot::new(id.0), None));
        self.unbind(id);
    }

    /// Writes program output.
    ///
    /// # Errors
    /// When the stream is closed.
    pub fn write(&mut self, stream: Stream, text: &str) -> std::io::Result<()> {
        self.host.write(stream, text)
    }

    /// The text of a place in the source.
    pub(crate) fn source_text(&self, at: Span) -> String {
        self.program.sources.get(at.file).map(|f| f.slice(at).to_string()).unwrap_or_default()
    }

    /// A library failure as a pending one.
    pub(crate) fn set_pending_failure<T>(&mut self, fail: Fail, span: Span) -> Result<T, Stop> {
        match fail {
            Fail::Error(failure) => {
                let failure = *failure;
                let _ = self.fail::<()>(failure.code, failure.message, span);
                if let Pending::Error(error) = &mut self.pending {
                    error.help = failure.help;
                }
                Err(Stop)
            }
            Fail::Halt => Err(Stop),
        }
    }
}

/// The `Error` that a result is or has among its parts.
fn error_in(result: &Value) -> Option<Value> {
    let Value::Ref(object) = result else { return None };
    match &**object {
        Heap::Struct(object) if Rc::ptr_eq(&object.def, &builtin::builtins().error) => Some(result.clone()),
        Heap::Tuple(parts) => parts.iter().find_map(error_in),
        _ => None,
    }
}

/// The lowest frame: a slot for each global.
fn layout_of_globals(program: &Program) -> Layout {
    let globals = program.globals.iter().zip(0..);
    let references = globals.filter(|(global, _)| global.boxed || global.ty.repr() == Repr::Ref);
    let references = references.map(|(_, number)| Slot::new(number)).collect();
    let count = program.globals.len() as u32;
    Layout { size: count, variables: count, parameters: 0, references }
}

impl Runtime for Vm {
    fn host(&mut self) -> &mut dyn Host {
        &mut *self.host
    }

    fn mutator(&mut self) -> &mut Mutator {
        &mut self.mutator
    }

    fn on_interrupt(&mut self) -> Result<(), Fail> {
        let Some(mut debugger) = self.debugger.take() else { return Ok(()) };
        let result = debugger.on_interrupt(self);
        self.debugger = Some(debugger);
        result.map_err(|Stop| Fail::Halt)
    }

    fn exit(&mut self, status: i32) -> Fail {
        if let Some((fp, stmt, at)) = self.native_at
            && self.tell_end(fp, Some((stmt, at))).is_err()
        {
            return Fail::Halt;
        }
        self.pending = Pending::Exit(status);
        Fail::Halt
    }
}
