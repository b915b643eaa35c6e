//! `ensure`: calls that are executed when their function ends.

use crate::interp::closures::{StmtFn, closure};
use crate::interp::slots::Fp;
use crate::interp::vm::{EnsuredCall, Exit, Pending, Vm};

use super::Body;

/// Wraps the body of a function that contains `ensure`.
pub fn with_ensures(body: Body) -> StmtFn {
    closure(move |vm, fp| {
        vm.ensures.push(Vec::new());
        let ended = body.run(vm, fp);
        if let Err(Exit::Stop) = ended {
            vm.tell_raised(fp);
        }
        let registered = vm.ensures.pop().unwrap_or_default();
        run_ensures(vm, fp, registered, ended)
    })
}

/// Executes the registered calls in reverse order, in the function's frame. Their errors are dropped; the
/// results of the function are kept.
fn run_ensures(
    vm: &mut Vm,
    fp: Fp,
    registered: Vec<EnsuredCall>,
    ended: Result<(), Exit>,
) -> Result<(), Exit> {
    if let Pending::Exit(_) | Pending::Terminated = vm.pending {
        return ended;
    }
    let pending = std::mem::take(&mut vm.pending);
    let (ret, ret_ref) = (vm.ret, vm.ret_ref.take());
    for call in registered.iter().rev() {
        if call.run(vm, fp).is_err() {
            if let Pending::Exit(_) | Pending::Terminated = vm.pending {
                return Err(Exit::Stop);
            }
            vm.pending = Pending::None;
        }
    }
    vm.pending = pending;
    vm.ret = ret;
    vm.ret_ref = ret_ref;
    ended
}
