//! The state of a running program, and calls.

mod debugger;
mod errors;
mod variables;

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use crate::diagnostics::Code;
use crate::library::{Fail, Runtime};
use crate::program::{Program, StmtId};
use crate::source::Span;
use crate::sync::{ALONE, levels_on_stack};
use crate::value::{Heap, Host, Mutator, Ref, Repr, Stream, Value, memory};

pub use super::boxing::is_nil_float;
use super::flags::STEP;
use super::output_watch::{OutputObserver, Printed};
use super::slots::{Fp, Frames, HEADER, Layout, NoFrames, Slot};
use super::steps::Steps;
use super::watch_table::Watches;
pub(in crate::interp) use debugger::{Condition, Conditions};
pub use debugger::{Debugger, ErrorWatch};
pub use errors::{CallSite, OUT_OF_MEMORY_HELP, RunError};
pub use errors::{Exit, Pending, Stop, Wide};
pub use variables::{NIL_BOOL, SEE_WIDE};

/// Maximum number of calls in progress, `main` not counted.
pub const MAX_DEPTH: u32 = 10_000;

/// Depth counters start here, so that 0 is free to mean "the frame that a step waits for returns".
const DEPTH_BASE: u32 = 1 << 30;

/// The frame and statement of a call of a library function or builtin, and the span of the call.
pub type NativeCallSite = (Fp, StmtId, Span);

/// Compiled code. Not `dyn Fn`, whose table refers to a second copy of the code, for calls that consume the closure: these
/// copies would be a sixtieth of the binary.
pub trait Run<X> {
    /// Runs it in a frame.
    fn run(&self, vm: &mut Vm, fp: Fp) -> X;
}

impl<X, F: Fn(&mut Vm, Fp) -> X> Run<X> for F {
    #[inline(always)]
    fn run(&self, vm: &mut Vm, fp: Fp) -> X {
        self(vm, fp)
    }
}

/// A call registered by `ensure`.
pub type EnsuredCall = Rc<dyn Run<Result<Value, Stop>>>;

/// The state of a running program.
pub struct Vm {
    /// The compiled program's source of names, types and positions.
    pub program: Rc<Program>,
    /// Access to everything outside the program.
    pub host: Box<dyn Host>,
    /// What an `Err` of a node stands for, since [`Wide`], [`Stop`] and [`Exit`] are empty for speed.
    pub pending: Pending,
    /// Whether what a closure of one word has just returned is none: what there is instead is pending.
    pub is_without_result: bool,
    /// Result of the last call, if it is a scalar.
    pub ret: u64,
    /// Result of the last call, if it is a reference.
    pub ret_ref: Option<Ref>,
    /// A tuple whose values have been taken out, for the results of the next call that has several.
    spare_tuple: Option<Ref>,
    /// Result of the call whose return is being reported to the debugger, if it is a big integer or nil.
    pub returned_wide: Option<Value>,
    /// Number of calls in progress, plus `bias` (wrapping).
    pub depth: u32,
    /// The maximum of `depth`.
    pub depth_limit: u32,
    /// [`DEPTH_BASE`], or the value for which `depth` becomes 0 when the frame returns that a step waits for.
    pub bias: u32,
    pub frames: Frames,
    /// Counts the places that attached code passes.
    pub steps: Steps,
    /// The watches of a debugger.
    pub watches: Watches,
    /// The permission to change objects.
    pub mutator: Mutator,
    /// Whether memory has to be checked: [`Vm::check_memory`].
    pub memory: memory::Gauge,
    /// Lowest address to which the native stack may grow.
    pub floor: usize,
    /// Levels of nodes in progress on the present stack, where deep recursion takes several stacks.
    pub levels_on_stack: u32,
    /// How many of them one stack has.
    pub most_levels: u32,
    /// The frame of the globals.
    pub globals: Fp,
    /// The contents of scalar slots marked by [`SEE_WIDE`]: a big integer, or `None` for nil.
    pub wide: HashMap<usize, Option<BigInt>>,
    /// The call sites by number.
    pub sites: Vec<CallSite>,
    pub debugger: Option<Box<dyn Debugger>>,
    /// The errors that the debugger wants to be told of.
    pub error_watch: ErrorWatch,
    /// Calls registered by `ensure`: a list for each frame whose function has `ensure`.
    pub ensures: Vec<Vec<EnsuredCall>>,
    /// The call of a library function or builtin that is running, for stops in it. Set after the arguments
    /// were evaluated by all code that may call [`Vm::on_interrupt`](Runtime::on_interrupt),
    /// [`Vm::exit`](Runtime::exit) or [`Vm::tell_error_value`]; not valid at other times, since the frame may
    /// have ended.
    pub native_at: Option<NativeCallSite>,
    /// Looks at what is written.
    pub output: Option<OutputObserver>,
    /// The `return` that has ended `main`, in attached code.
    pub returned_at: Option<StmtId>,
    /// Whether the program has reached the end of its input.
    pub input_ended: bool,
    /// Whether the program ends because it reads beyond that.
    pub ends_without_input: bool,
    /// Whether an expression is being evaluated for the debugger: no breakpoints, no input.
    pub evaluating: bool,
    /// The result of a breakpoint's condition that did not give `false`, for the debugger, which is called
    /// next: what it has left pending.
    pub condition_result: Option<Pending>,
    /// Whether each statement of the segment that is running looks at its place, so that a debugger may see what is between
    /// two of them.
    pub is_looked_at: bool,
    /// Whether the first of the three statements of an exchange has done the work of the others.
    pub is_exchanging: bool,
    /// What the debugger wants to run instead of the statement before which it was called.
    pub instead: Option<Instead>,
    /// By number of the global: whether its declaration has run.
    bound: Vec<bool>,
    pub(in crate::interp) conditions: Rc<Conditions>,
}

/// Runs instead of a statement, and ends the program's run.
pub type Instead = Box<dyn FnOnce(&mut Vm, Fp) -> Result<(), Stop>>;

/// No stack of a page, which begins at 0, grows to a lower address: what is below is for what is no call.
const LOWEST: usize = 1 << 20;

/// The call site number of a frame that was not created by a call.
pub const NO_SITE: u32 = u32::MAX;

impl Vm {
    /// The state of a program that has not started. `stack` is the number of bytes of native stack that may be
    /// used from here on. It has to be used on the calling thread.
    ///
    /// # Errors
    /// If the program has too many globals, if there is no memory for its variables, or if this thread has another
    /// `Vm` already.
    pub fn new(program: Rc<Program>, host: Box<dyn Host>, stack: usize) -> Result<Vm, String> {
        let layout = layout_of_globals(&program);
        let (frames, globals) = Frames::new(&layout).map_err(|error| error.to_string())?;
        let mutator = Mutator::new().ok_or_else(|| NoFrames::Leased.to_string())?;
        let here = 0u8;
        let floor = (&raw const here as usize).saturating_sub(stack);
        let floor = if ALONE { floor.max(LOWEST) } else { floor };
        Ok(Vm {
            program,
            host,
            pending: Pending::None,
            is_without_result: false,
            is_looked_at: false,
            is_exchanging: false,
            ret: 0,
            ret_ref: None,
            spare_tuple: None,
            returned_wide: None,
            depth: DEPTH_BASE,
            depth_limit: DEPTH_BASE + MAX_DEPTH,
            bias: DEPTH_BASE,
            frames,
            steps: Steps::default(),
            watches: Watches::default(),
            mutator,
            memory: memory::Gauge::of_thread(),
            floor,
            levels_on_stack: 0,
            most_levels: levels_on_stack(),
            globals,
            wide: HashMap::new(),
            sites: Vec::new(),
            debugger: None,
            error_watch: ErrorWatch::default(),
            ensures: Vec::new(),
            native_at: None,
            output: None,
            returned_at: None,
            input_ended: false,
            ends_without_input: false,
            evaluating: false,
            condition_result: None,
            instead: None,
            bound: vec![false; layout.variables as usize],
            conditions: Rc::default(),
        })
    }

    /// Enters the frame above the globals, for `init` and `main`.
    pub fn enter_first(&mut self, layout: &Layout) -> Result<Fp, Stop> {
        let offset = Slot::new(self.program.globals.len() as u32 + HEADER as u32);
        if let Some(frame) = self.frames.enter(self.globals, offset, layout, NO_SITE, self.steps.now()) {
            return Ok(frame);
        }
        let at = self.nowhere();
        self.fail(Code::E5018, "function has too many variables", at)
    }

    /// Number of calls in progress, `main` not counted.
    pub fn depth(&self) -> u32 {
        self.depth.wrapping_sub(self.bias)
    }

    /// Enters the function at `offset` above `fp`.
    #[inline(always)]
    pub fn enter(&mut self, fp: Fp, offset: Slot, layout: &Layout, site: u32) -> Result<Fp, Stop> {
        let here = 0u8;
        let low = (&raw const here as usize) < self.floor;
        if self.depth == self.depth_limit || low {
            return self.too_deep(site);
        }
        if self.memory.is_low() {
            let at = self.sites.get(site as usize).map(|s| s.span).unwrap_or(self.nowhere());
            self.check_memory(at)?;
        }
        let Some(frame) = self.frames.enter(fp, offset, layout, site, self.steps.now()) else {
            return self.too_deep(site);
        };
        self.depth = self.depth.wrapping_add(1);
        Ok(frame)
    }

    /// A tuple with room for this many values, to which nothing else refers.
    pub fn tuple(&mut self, count: usize) -> Ref {
        match self.spare_tuple.take() {
            Some(spare) if matches!(&*spare, Heap::Tuple(places) if places.len() == count) => spare,
            _ => Rc::new(Heap::Tuple(vec![Value::Nil; count].into())),
        }
    }

    /// Keeps a tuple whose values have been taken out.
    pub fn keep_tuple(&mut self, tuple: Option<Ref>) {
        self.spare_tuple = tuple;
    }

    /// Writes output of the program.
    ///
    /// # Errors
    /// If the stream is closed.
    pub fn write(&mut self, stream: Stream, text: &str) -> std::io::Result<()> {
        self.host.write(stream, text)?;
        if self.output.is_some() {
            self.note_output(stream, text);
        }
        Ok(())
    }

    /// Reports output to what looks at it. When that has found something, the debugger is called at the next place, and if
    /// the live program has written it, at the next return.
    #[inline(never)]
    fn note_output(&mut self, stream: Stream, text: &str) {
        let stmt = self.native_at.map(|(_, stmt, _)| stmt);
        let at = stmt.and_then(|stmt| self.program.statement(stmt)).map_or(self.nowhere(), |info| info.at);
        let after = if self.evaluating { 0 } else { self.steps.now() };
        let printed = Printed { after, depth: self.depth(), at, by_evaluation: self.evaluating };
        match &mut self.output {
            Some(OutputObserver::Watch(watch)) => {
                watch.note(stream, text.len(), printed);
                if watch.is_done() {
                    self.steps.set_all(STEP, true);
                }
            }
            Some(OutputObserver::Comparison(comparison)) => {
                let counts = stream == Stream::Stdout && !self.evaluating;
                if counts && comparison.borrow_mut().write(text, printed) {
                    self.steps.set_all(STEP, true);
                    self.watch_return(true);
                }
            }
            None => {}
        }
    }

    /// The source text of a span.
    pub fn source_text(&self, at: Span) -> String {
        self.program.sources.get(at.file).map(|f| f.slice(at).to_string()).unwrap_or_default()
    }
}

/// The layout of the lowest frame, with a slot for each global.
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

    fn write(&mut self, stream: Stream, text: &str) -> std::io::Result<()> {
        Vm::write(self, stream, text)
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
