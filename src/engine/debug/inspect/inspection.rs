//! What evaluates and describes: the program, and what is known of its variables at the present stop.

use std::cell::RefCell;
use std::rc::Rc;

use compact_str::CompactString;
use foldhash::{HashMap, HashSet};

use crate::api::{Failure, FailureKind, Limits, WatchId};
use crate::debug::breakpoints::manager::BreakpointManager;
use crate::debug::client::Connection;
use crate::debug::inspect::changes::ChangeTracker;
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::handles::Handles;
use crate::debug::inspect::temporaries::Temporaries;
use crate::debug::inspect::variable_snapshot::VariableSnapshot;
use crate::debug::inspect::watchdog::Watchdog;
use crate::debug::inspect::watches::Watches;
use crate::debug::meanwhile::Interruption;
use crate::debug::program::{DebuggedProgram, ERROR, Runnable};
use ez_runtime::interp::vm::Vm;
use ez_runtime::program::StmtId;
use ez_runtime::value::{Type, Value, builtin};

/// What becomes of changes that evaluations make to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangePolicy {
    /// They are allowed.
    Allowed,
    /// A change is being made that other runs will repeat.
    Recorded,
    /// A change is being made that the client has made in the present.
    Repeated,
    /// They are refused, since this is the past: the present is at this step.
    Refused { present: u64 },
}

/// Inspects a program: evaluates in its frames, describes its values, and remembers what the client has been shown.
pub struct Inspection {
    pub connection: Connection,
    pub breakpoints: Rc<RefCell<BreakpointManager>>,
    /// The program, if one is loaded.
    pub program: Option<Rc<DebuggedProgram>>,
    /// Finds the variables that have changed since the last stop.
    pub tracker: ChangeTracker,
    pub handles: Handles,
    /// Variables that the client has declared at the present stop.
    pub temporaries: Temporaries,
    pub watches: Watches,
    /// Compiled watches, by statement and whether it is reached by a loop's back edge.
    pub watch_code: HashMap<(WatchId, StmtId, bool), Rc<Result<Runnable, Failure>>>,
    pub watchdog: Watchdog,
    /// The variables that have changed at the present stop.
    pub changed: HashSet<CompactString>,
    /// The variables at the stop that the client saw last, if the present one was reached through time.
    pub shown_before: Option<VariableSnapshot>,
    pub change_policy: ChangePolicy,
    /// Whether the program is stopped at an error that ends it.
    pub has_failed: bool,
    /// Whether an evaluation has run since a change by the client began.
    pub has_run: bool,
    /// Whether an evaluation was interrupted that may have changed something.
    pub has_interrupted: bool,
    /// What has interrupted the latest evaluation.
    pub latest_interruption: Interruption,
}

impl Inspection {
    /// Without a program.
    pub fn new(connection: Connection, breakpoints: Rc<RefCell<BreakpointManager>>) -> Inspection {
        let watchdog = Watchdog::new(connection.interrupt.clone());
        Inspection {
            connection,
            breakpoints,
            program: None,
            tracker: ChangeTracker::new(Limits::default()),
            handles: Handles::default(),
            temporaries: Temporaries::default(),
            watches: Watches::default(),
            watch_code: HashMap::default(),
            watchdog,
            changed: HashSet::default(),
            shown_before: None,
            change_policy: ChangePolicy::Allowed,
            has_failed: false,
            has_run: false,
            has_interrupted: false,
            latest_interruption: Interruption::default(),
        }
    }

    /// Makes sure that dead locals of a frame show their own values (see [`ChangeTracker::unshare`]).
    pub fn unshare(&mut self, vm: &mut Vm, view: &FrameView, index: usize) {
        if let Some(program) = &self.program {
            let locals = program.handed_on(view);
            self.tracker.unshare(vm, view.fp, vm.depth().saturating_sub(index as u32), &locals);
        }
    }

    /// Activates the session's breakpoints.
    pub fn arm_breakpoints(&self, vm: &mut Vm) {
        if let Some(program) = &self.program {
            self.breakpoints.borrow_mut().place_all(vm, program.clone());
        }
    }

    /// Lets conditions and evaluations find an error by its name, until [`Temporaries::pop`] is called.
    ///
    /// # Errors
    /// If there are too many variables.
    pub fn name_error(&mut self, vm: &mut Vm, error: Value) -> Result<(), Failure> {
        let Some(program) = &self.program else { return Ok(()) };
        let ty = Type::Struct(builtin::builtins().error.clone());
        self.temporaries.add(vm, program.own_globals, ERROR.into(), ty, true, error)
    }

    /// Does something while evaluations find an error by its name.
    pub fn with_error<T>(
        &mut self,
        vm: &mut Vm,
        error: Value,
        work: impl FnOnce(&mut Vm, &mut Inspection) -> T,
    ) -> T {
        let is_named = self.name_error(vm, error).is_ok();
        let result = work(vm, self);
        if is_named {
            self.temporaries.pop(vm);
        }
        result
    }

    /// Whether a variable of the innermost frame has changed at the present stop, or is new.
    pub fn has_changed(&self, name: &str) -> bool {
        self.changed.contains(name)
    }

    /// Why a request that changes the program is refused, if it is.
    pub fn refusal_of_changes(&self, vm: &Vm) -> Option<Failure> {
        match self.change_policy {
            ChangePolicy::Allowed | ChangePolicy::Recorded | ChangePolicy::Repeated => None,
            ChangePolicy::Refused { present } => {
                let step = vm.steps.now();
                let message = format!("Cannot change anything: this is the past (step {step} of {present})");
                Some(Failure::new(FailureKind::Past, message))
            }
        }
    }
}
