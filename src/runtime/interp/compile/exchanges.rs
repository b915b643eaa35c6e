//! Exchanges of two elements of an array: `temp t = a[i]`, `a[i] = a[j]`, `a[j] = t`.
//!
//! Nobody can notice whether the three copy the objects, or these change places and get the numbers that the copies
//! would have, as long as none of the three can fail, no debugger looks in between, and it does not know the objects. Nor
//! does a condition of a breakpoint, which is tested without looking at a place.
//! The first statement decides that, and does the work of all three; the local dies in the third (`moves`).

use crate::interp::boxing::follow_ref;
use crate::interp::closures::{IntFn, RefFn, StmtFn, closure};
use crate::interp::flags::StatementFlag;
use crate::interp::slots::{Fp, Slot, peek};
use crate::interp::store;
use crate::interp::vm::{Pending, Vm};
use crate::value::{Elems, Heap, Mutator, ObjectMut, Type, become_copy, can_become_copy};

/// Two elements of an array, objects of type `ty`; finding them has no side effects.
pub(super) struct Exchange {
    pub array: RefFn,
    pub indices: [IntFn; 2],
    pub ty: Type,
    /// In attached code.
    pub shown: Option<Shown>,
}

/// What a debugger may see of an exchange.
pub(super) struct Shown {
    /// The local in which it shows the first one's object.
    pub local: Slot,
    /// The flags of the second and the third statement.
    pub between: [StatementFlag; 2],
}

/// The first of the three statements; `run` does its own work only.
pub(super) fn begin(exchange: Exchange, run: StmtFn) -> StmtFn {
    closure(move |vm, fp| {
        vm.is_exchanging = exchange.run(vm, fp).is_some();
        if vm.is_exchanging { Ok(()) } else { run.run(vm, fp) }
    })
}

/// The second one.
pub(super) fn go_on(run: StmtFn) -> StmtFn {
    closure(move |vm, fp| if vm.is_exchanging { Ok(()) } else { run.run(vm, fp) })
}

/// The third one.
pub(super) fn end(run: StmtFn) -> StmtFn {
    closure(move |vm, fp| if std::mem::take(&mut vm.is_exchanging) { Ok(()) } else { run.run(vm, fp) })
}

impl Exchange {
    /// Does the work of the three statements; `None`, without effect, if they have to do it themselves.
    fn run(&self, vm: &mut Vm, fp: Fp) -> Option<()> {
        let is_seen = |shown: &Shown| shown.between.iter().any(|flag| flag.own_bits() != 0);
        if vm.is_looked_at || self.shown.as_ref().is_some_and(is_seen) {
            return None;
        }
        let [one, other] = &self.indices;
        let (Ok(array), Ok(one), Ok(other)) = (self.array.get(vm, fp), one.get(vm, fp), other.get(vm, fp))
        else {
            // The statement reports it.
            vm.pending = Pending::None;
            return None;
        };
        let array = follow_ref(array)?;
        if let Some(Shown { local, .. }) = self.shown
            && has_object(&array, &vm.mutator, one)
        {
            // It is declared anew. What it shows of an exchange before may be one of the two.
            drop(vm.frames.replace_ref(fp, local, None));
        }
        let objects = ObjectMut::new(&array, &mut vm.mutator).exchange(one, other, |object| {
            store::is_own(object, &self.ty, true) && can_become_copy(object)
        })?;
        // In the order of the copies.
        objects.iter().for_each(|object| become_copy(object));
        if let Some(Shown { local, .. }) = self.shown {
            let [object, _] = objects;
            drop(vm.frames.replace_ref(fp, local, Some(object)));
            vm.frames.set_handed_on(fp, local, true);
        }
        Some(())
    }
}

/// Whether an array has an element with this index, if its elements may be objects.
#[inline(always)]
fn has_object(array: &Heap, mutator: &Mutator, index: i64) -> bool {
    let Heap::Array(array) = array else { return false };
    let Elems::Values(all) = &peek(array, mutator).data else { return false };
    usize::try_from(index).is_ok_and(|index| index < all.len())
}
