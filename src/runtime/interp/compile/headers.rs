//! Headers and bodies of loops: what happens in each round in addition to the loop's own work.
//!
//! Attached code passes several places there: the header at the back edge, and those of the body's first segment
//! (`segments`). Usually none has to call the debugger; then all are counted at once, and for a body that is a single
//! segment of plain statements those of many rounds (`batches`). An interrupt is noticed where the memory is checked.

use std::sync::Arc;

use crate::program::{Stmt, StmtId};

use crate::interp::closures::StmtFn;
use crate::interp::flags::{SegmentFlags, StatementFlag};
use crate::interp::slots::Fp;
use crate::interp::vm::{Condition, Conditions, Exit, Stop, Vm};

use super::Compiler;
use super::segments::Places;
use super::sequences::{Shared, counted_and_shared};
use super::simple::{LONGEST, is_plain};
use super::stmts::ask_at_back_edge;

/// Binds `$header` to the header of the loop `$id` with this body, and compiles the loop for plain or attached code.
macro_rules! with_header {
    ($b:expr, $id:expr, $body:expr, $header:ident => $run:expr) => {
        if let Some($header) = $b.attached_header::<false>($id, $body) {
            $run
        } else if let Some($header) = $b.attached_header::<true>($id, $body) {
            $run
        } else {
            let $header = super::headers::Plain { id: $id };
            $run
        }
    };
}

/// The body of a loop.
pub(super) struct LoopBody {
    /// Runs the first segment, whose places have been counted; in plain code, everything.
    run: StmtFn,
    /// The statements of the first segment, if they are several.
    several: Option<Shared>,
    /// The places of the first segment with that of the header, in attached code.
    pub places: Option<Places>,
    /// The number of these places, without the header's.
    pub count: i64,
    /// Whether it is one segment, all of whose statements are plain, in attached code.
    pub is_plain: bool,
    rest: Rest,
}

/// What follows the first segment of a body.
enum Rest {
    Nothing,
    /// A segment of one statement.
    One(Places, StmtFn),
    Statements(StmtFn),
}

impl LoopBody {
    /// Runs the first segment, whose places have been counted, or are counted later; in plain code, everything.
    #[inline(always)]
    pub fn run_segment(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        self.run.run(vm, fp)
    }

    #[inline(always)]
    fn run_rest(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        match &self.rest {
            Rest::Nothing => Ok(()),
            Rest::One(place, run) => place.run(std::slice::from_ref(run), vm, fp),
            Rest::Statements(run) => run.run(vm, fp),
        }
    }

    /// Runs the body, some of whose first segment's statements have flags.
    #[cold]
    #[inline(never)]
    fn run_flagged(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        if let Some(places) = &self.places {
            places.run_flagged(self.statements(), vm, fp)?;
        }
        self.run_rest(vm, fp)
    }

    /// The statements of the first segment.
    #[inline(always)]
    pub fn statements(&self) -> &[StmtFn] {
        let several = self.several.as_deref().map(AsRef::as_ref);
        several.unwrap_or(std::slice::from_ref(&self.run))
    }

    /// Runs the statements of the first segment from this one on, each after checking its place.
    #[cold]
    #[inline(never)]
    pub fn run_from(&self, first: usize, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        match &self.places {
            Some(places) => places.each.run_from(first, self.statements(), vm, fp),
            None => Ok(()),
        }
    }
}

/// The header of a loop: plain or attached code.
pub(super) trait Header: 'static {
    /// Counts the places of the body's first segment, if none of them has to call the debugger; returns whether it did.
    fn enter(&self, vm: &mut Vm) -> bool;

    /// Runs the body; `counted`: the places of its first segment have been counted.
    fn run(&self, body: &LoopBody, counted: bool, vm: &mut Vm, fp: Fp) -> Result<(), Exit>;

    /// Passes the header's place at the back edge. If the places of a next round may be counted before it is known
    /// whether there is one (`ahead`), and no place up to those of the body's first segment has to call the debugger,
    /// these are counted, too, and the result is `true`.
    fn pass(&self, body: &LoopBody, ahead: bool, vm: &mut Vm, fp: Fp) -> Result<bool, Stop>;

    /// Takes back the places of the body's first segment: the round does not run.
    fn end(&self, body: &LoopBody, vm: &mut Vm);

    /// Whether conditions are tested in each round, and that is all that its places want.
    fn has_tests(&self) -> bool;

    /// Passes the header's place, which may have to call the debugger or to test a condition.
    fn pass_alone(&self, vm: &mut Vm, fp: Fp) -> Result<(), Stop>;
}

/// The header in plain code.
pub(super) struct Plain {
    pub id: StmtId,
}

/// The header in attached code. `REST`: whether there is something behind the body's first segment.
pub(super) struct Attached<const REST: bool> {
    flag: StatementFlag,
    id: StmtId,
    /// The flags of the body's first segment, with the header's place.
    segment: Arc<SegmentFlags>,
}

impl Header for Plain {
    #[inline(always)]
    fn enter(&self, _: &mut Vm) -> bool {
        true
    }

    #[inline(always)]
    fn run(&self, body: &LoopBody, _: bool, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        body.run_segment(vm, fp)
    }

    #[inline(always)]
    fn pass(&self, _: &LoopBody, _: bool, vm: &mut Vm, fp: Fp) -> Result<bool, Stop> {
        self.pass_alone(vm, fp).map(|()| true)
    }

    #[inline(always)]
    fn end(&self, _: &LoopBody, _: &mut Vm) {}

    #[inline(always)]
    fn has_tests(&self) -> bool {
        false
    }

    #[inline(always)]
    fn pass_alone(&self, vm: &mut Vm, _: Fp) -> Result<(), Stop> {
        if vm.memory.is_low() { check_memory(vm, self.id) } else { Ok(()) }
    }
}

impl<const REST: bool> Header for Attached<REST> {
    #[inline(always)]
    fn enter(&self, vm: &mut Vm) -> bool {
        let is_quiet = self.pass_round(vm);
        if is_quiet {
            // The header's place comes later.
            vm.steps.take_back(1);
        }
        is_quiet
    }

    #[inline(always)]
    fn run(&self, body: &LoopBody, counted: bool, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        if !counted {
            return body.run_flagged(vm, fp);
        }
        body.run_segment(vm, fp)?;
        if REST { body.run_rest(vm, fp) } else { Ok(()) }
    }

    #[inline(always)]
    fn pass(&self, body: &LoopBody, ahead: bool, vm: &mut Vm, fp: Fp) -> Result<bool, Stop> {
        if vm.memory.is_low() || !self.pass_round(vm) {
            return self.pass_alone(vm, fp).map(|()| false);
        }
        if !ahead {
            vm.steps.take_back(body.count);
        }
        Ok(ahead)
    }

    #[inline(always)]
    fn end(&self, body: &LoopBody, vm: &mut Vm) {
        vm.steps.take_back(body.count);
    }

    #[inline(always)]
    fn has_tests(&self) -> bool {
        self.segment.has_tests()
    }

    #[cold]
    #[inline(never)]
    fn pass_alone(&self, vm: &mut Vm, fp: Fp) -> Result<(), Stop> {
        let bits = self.flag.bits();
        if vm.steps.pass() || bits != 0 {
            ask_at_back_edge(vm, fp, self.id, bits)?;
        }
        if vm.memory.is_low() { check_memory(vm, self.id) } else { Ok(()) }
    }
}

impl<const REST: bool> Attached<REST> {
    /// Counts the places of a round, with the header's, if none of them has to call the debugger; returns whether it did.
    #[inline(always)]
    pub fn pass_round(&self, vm: &mut Vm) -> bool {
        vm.steps.pass_all(self.segment.cost())
    }

    /// Whether none of the places of this many rounds of the body's first segment, each with the header's place after it,
    /// has to call the debugger or to test a condition, and the memory need not be checked.
    #[inline(always)]
    pub fn is_quiet_for(&self, rounds: i64, vm: &Vm) -> bool {
        let places = rounds * (1 + LONGEST as i64);
        vm.steps.is_far(places) && self.segment.is_clear() && !vm.memory.is_low()
    }

    /// Whether in this many such rounds conditions are tested, and none of the places has to call the debugger otherwise.
    #[inline(always)]
    pub fn is_tested_for(&self, rounds: i64, vm: &Vm) -> bool {
        let places = rounds * (1 + LONGEST as i64);
        vm.steps.is_far(places) && self.segment.has_tests() && !vm.memory.is_low()
    }

    /// The condition of the header's place.
    pub fn condition<'c>(&self, conditions: &'c Conditions) -> Option<&'c Condition> {
        conditions.of(self.id).filter(|_| self.flag.own_bits() != 0)
    }

    /// Runs a round, one of whose places may have to call the debugger, and passes the header's place.
    #[cold]
    #[inline(never)]
    pub fn run_alone(&self, body: &LoopBody, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let counted = self.enter(vm);
        self.run(body, counted, vm, fp)?;
        Ok(self.pass_alone(vm, fp)?)
    }
}

#[cold]
#[inline(never)]
fn check_memory(vm: &mut Vm, id: StmtId) -> Result<(), Stop> {
    let at = vm.program.statement(id).map_or(vm.nowhere(), |statement| statement.at);
    vm.check_memory(at)
}

impl Compiler<'_> {
    /// The header of the loop `id`, in attached code, if there is something behind the body's first segment, or not.
    pub(super) fn attached_header<const REST: bool>(
        &self,
        id: StmtId,
        body: &LoopBody,
    ) -> Option<Attached<REST>> {
        if matches!(body.rest, Rest::Nothing) == REST {
            return None;
        }
        let flag = self.flags.as_ref()?.of(id.0 as usize)?;
        Some(Attached { flag, id, segment: body.places.as_ref()?.flags.clone() })
    }

    /// Compiles the body of the loop `header`.
    pub(super) fn loop_body(&mut self, header: StmtId, stmts: &[Stmt]) -> LoopBody {
        let length = self.segment_length(stmts);
        let (first, others) = stmts.split_at(length);
        let Some(places) = self.places(Some(header), first) else {
            let run = self.block(stmts);
            return LoopBody {
                run,
                several: None,
                places: None,
                count: 0,
                is_plain: false,
                rest: Rest::Nothing,
            };
        };
        let (run, several) = self.first_segment(first, &places);
        LoopBody {
            run,
            several,
            count: first.len() as i64,
            is_plain: others.is_empty() && first.iter().all(is_plain),
            places: Some(places),
            rest: self.rest(others),
        }
    }

    /// What runs a segment, and its statements, if they are several.
    fn first_segment(&mut self, stmts: &[Stmt], places: &Places) -> (StmtFn, Option<Shared>) {
        match <[StmtFn; 1]>::try_from(self.segment(stmts)) {
            Ok([only]) => (only, None),
            Err(several) => {
                let has_arms = stmts.iter().any(|stmt| self.has_simple_arms(stmt));
                let each = has_arms.then(|| places.each.clone());
                let (run, several) = counted_and_shared(several, each);
                (run, Some(several))
            }
        }
    }

    fn rest(&mut self, stmts: &[Stmt]) -> Rest {
        match stmts {
            [] => Rest::Nothing,
            [one] => {
                let run = self.stmt(one);
                match self.places(None, stmts) {
                    Some(places) => Rest::One(places, run),
                    None => Rest::Statements(run),
                }
            }
            _ => Rest::Statements(self.block(stmts)),
        }
    }
}
