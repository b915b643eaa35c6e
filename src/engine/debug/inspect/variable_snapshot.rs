//! Remembers the variables of a stop, for stops that are reached through time: there no
//! [`ChangeTracker`](crate::debug::inspect::changes::ChangeTracker) knows what has changed.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::api::{Limits, Scope, Value, Variable};
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::handles::Handles;
use crate::debug::inspect::variables::variables;
use ez_runtime::interp::vm::Vm;
use ez_runtime::program::FuncId;

/// The variables of the innermost frame at a stop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct VariableSnapshot {
    /// Its function and its depth.
    frame: (FuncId, u32),
    variables: Vec<Known>,
}

/// A variable and its value; `None` if that is too large to be compared.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Known {
    name: CompactString,
    scope: Scope,
    value: Option<Value>,
}

impl VariableSnapshot {
    /// The variables at the present stop; `view` is its innermost frame.
    pub fn at(vm: &mut Vm, handles: &mut Handles, view: &FrameView) -> VariableSnapshot {
        let found = variables(vm, handles, view, 0, None, Limits::PREVIEW);
        let known = |Variable { name, scope, held, .. }| {
            let value = Some(held.value).filter(|value| !value.is_cut());
            Known { name, scope, value }
        };
        VariableSnapshot { frame: (view.func, vm.depth()), variables: found.into_iter().map(known).collect() }
    }

    fn get(&self, variable: &Variable) -> Option<&Known> {
        self.variables.iter().find(|known| known.name == variable.name && known.scope == variable.scope)
    }

    /// The variables that differ at another stop, described within these limits.
    pub fn changed(
        &self,
        vm: &mut Vm,
        handles: &mut Handles,
        view: &FrameView,
        limits: Limits,
    ) -> Vec<Variable> {
        let is_same_frame = self.frame == (view.func, vm.depth());
        let now = VariableSnapshot::at(vm, handles, view);
        let mut all = variables(vm, handles, view, 0, None, limits);
        all.retain_mut(|variable| {
            let is_comparable = is_same_frame || variable.scope == Scope::Global;
            let before = self.get(variable).filter(|_| is_comparable);
            variable.new = before.is_none() && variable.scope != Scope::Global;
            let before = before.and_then(|known| known.value.as_ref());
            let now = now.get(variable).and_then(|known| known.value.as_ref());
            before.is_none() || before != now
        });
        all
    }
}
