//! What the last stop has shown, for stops that are come to otherwise than by running on from it: there no
//! [`ChangeTracker`](super::changes::ChangeTracker) knows what has changed.

use compact_str::CompactString;

use crate::api::{Limits, Scope, Value, Variable};
use crate::interp::vm::Vm;
use crate::program::FuncId;

use super::frames::FrameView;
use super::handles::Handles;
use super::variables::variables;

/// The variables of the innermost frame at a stop.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// Its function, and how many calls are in progress up to it.
    frame: (FuncId, u32),
    variables: Vec<(CompactString, Scope, Value)>,
}

impl Shown {
    /// What a stop shows; `view` is its innermost frame.
    pub fn at(vm: &mut Vm, handles: &mut Handles, view: &FrameView) -> Shown {
        let found = variables(vm, handles, view, 0, None, Limits::PREVIEW);
        let whole = found.into_iter().filter(|variable| !variable.held.value.is_cut());
        let variables = whole.map(|variable| (variable.name, variable.scope, variable.held.value)).collect();
        Shown { frame: (view.func, vm.depth()), variables }
    }

    /// The variables that show something else at another stop, within these limits.
    pub fn changed(
        &self,
        vm: &mut Vm,
        handles: &mut Handles,
        view: &FrameView,
        limits: Limits,
    ) -> Vec<Variable> {
        let is_same_frame = self.frame == (view.func, vm.depth());
        let now = Shown::at(vm, handles, view);
        let is_same = |variable: &Variable| {
            let is_it = |known: &&(CompactString, Scope, Value)| {
                known.0 == variable.name && known.1 == variable.scope
            };
            let (before, now) = (self.variables.iter().find(is_it), now.variables.iter().find(is_it));
            let is_comparable = is_same_frame || variable.scope == Scope::Global;
            is_comparable && before.is_some_and(|before| now.is_some_and(|now| before.2 == now.2))
        };
        let mut all = variables(vm, handles, view, 0, None, limits);
        all.retain(|variable| !is_same(variable));
        all
    }
}
