//! What the clients of a shared session know of its breakpoints, and who has set each.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::api::{
    Breakpoint, BreakpointId, BreakpointRequest, ChangeReason, ExceptionBreakpoint, ExceptionSpec,
};
use crate::session::connection::ConnectionId;

/// The breakpoints of a shared session.
#[derive(Debug, Default)]
pub(super) struct KnownBreakpoints {
    all: BTreeMap<BreakpointId, Known>,
    /// The exception filters of each client; `None`: of those that have gone.
    filters: BTreeMap<Option<ConnectionId>, Vec<ExceptionSpec>>,
    /// After whose requests the engine was asked for the breakpoints and has not answered.
    looking: VecDeque<Option<ConnectionId>>,
}

#[derive(Debug)]
struct Known {
    breakpoint: Breakpoint,
    /// Who has set it; `None`: a client that has gone.
    setter: Option<ConnectionId>,
    /// While it is disabled: who has done that.
    disabled_by: Option<ConnectionId>,
    /// The clients that were told of it.
    told: BTreeSet<ConnectionId>,
}

impl KnownBreakpoints {
    /// The engine is asked for the breakpoints, after a request of this client.
    pub fn looks(&mut self, by: Option<ConnectionId>) {
        self.looking.push_back(by);
    }

    /// The engine has answered: the client after whose request it was asked.
    pub fn looked(&mut self) -> Option<ConnectionId> {
        self.looking.pop_front().flatten()
    }

    /// These are the breakpoints now. `setter` has set the new ones, and `clients` are told of the changes, which are
    /// returned.
    pub fn update(
        &mut self,
        now: Vec<Breakpoint>,
        setter: Option<ConnectionId>,
        clients: &[ConnectionId],
    ) -> Vec<(Breakpoint, ChangeReason)> {
        let mut changes = Vec::new();
        let present: BTreeSet<BreakpointId> = now.iter().map(|breakpoint| breakpoint.id).collect();
        let gone: Vec<BreakpointId> = self.all.keys().copied().filter(|id| !present.contains(id)).collect();
        for id in gone {
            let known = self.all.remove(&id);
            changes.extend(known.map(|known| (known.breakpoint, ChangeReason::Removed)));
        }
        for breakpoint in now {
            let reason = match self.all.get(&breakpoint.id) {
                None => ChangeReason::New,
                Some(known) if is_same(&known.breakpoint, &breakpoint) => continue,
                Some(_) => ChangeReason::Changed,
            };
            self.note(&breakpoint, setter, clients);
            changes.push((breakpoint, reason));
        }
        changes
    }

    /// These exception filters were there when the session was shared. The owner may have replaced them meanwhile.
    pub fn begin_with_filters(&mut self, set: Vec<ExceptionBreakpoint>, owner: Option<ConnectionId>) {
        self.filters.entry(owner).or_insert_with(|| set.into_iter().map(|set| set.spec).collect());
    }

    /// A breakpoint is new or has changed, and these clients are told.
    fn note(&mut self, breakpoint: &Breakpoint, setter: Option<ConnectionId>, clients: &[ConnectionId]) {
        let known = self.all.entry(breakpoint.id).or_insert_with(|| Known {
            breakpoint: breakpoint.clone(),
            setter,
            disabled_by: None,
            told: BTreeSet::new(),
        });
        known.disabled_by = match (breakpoint.options.enabled, known.disabled_by) {
            (true, _) => None,
            (false, None) => setter,
            (false, before) => before,
        };
        known.breakpoint = breakpoint.clone();
        known.told.extend(clients);
    }

    /// The engine has changed a breakpoint, and all are told.
    pub fn changed(&mut self, breakpoint: &Breakpoint, reason: ChangeReason) {
        match (reason, self.all.get_mut(&breakpoint.id)) {
            (ChangeReason::Removed, _) => drop(self.all.remove(&breakpoint.id)),
            (ChangeReason::New | ChangeReason::Changed, Some(known)) => known.breakpoint = breakpoint.clone(),
            (ChangeReason::New | ChangeReason::Changed, None) => {}
        }
    }

    /// A client was told of all of them.
    pub fn told_all(&mut self, client: ConnectionId) {
        self.all.values_mut().for_each(|known| known.told.extend([client]));
    }

    /// A client has gone. What it has set stays.
    pub fn forget_client(&mut self, client: ConnectionId) {
        for known in self.all.values_mut() {
            known.told.remove(&client);
            known.setter = known.setter.filter(|setter| *setter != client);
        }
        if let Some(filters) = self.filters.remove(&Some(client)) {
            let left = self.filters.entry(None).or_default();
            let new = filters.into_iter().filter(|spec| !left.contains(spec));
            let new: Vec<ExceptionSpec> = new.collect();
            left.extend(new);
        }
    }

    /// Adds to a request that replaces breakpoints what this client does not mean. Exception filters are told to nobody:
    /// a guest replaces its own, the owner all.
    pub fn spare(&mut self, client: ConnectionId, request: &mut BreakpointRequest) {
        if let BreakpointRequest::SetExceptions(set) = &mut *request {
            if !client.is_of_guest() {
                self.filters.clear();
            }
            self.filters.insert(Some(client), set.specs.clone());
            let others = self.filters.iter().filter(|(setter, _)| **setter != Some(client));
            set.others = others.flat_map(|(_, specs)| specs).cloned().collect();
        }
        let Some(others) = request.others_mut() else { return };
        let muted = self.all.iter().filter(|(_, known)| known.disabled_by.is_some_and(|by| by != client));
        let foreign = self.all.iter().filter(|(_, known)| known.setter != Some(client));
        let its_user_knows = |id| others.known.as_ref().is_none_or(|known| known.contains(id));
        let unknown =
            foreign.clone().filter(|(id, known)| !known.told.contains(&client) || !its_user_knows(*id));
        others.unknown = unknown.map(|(id, _)| *id).collect();
        others.foreign = foreign.map(|(id, _)| *id).collect();
        others.muted = muted.map(|(id, _)| *id).collect();
    }
}

/// Whether nothing has changed that clients show, apart from hits.
fn is_same(one: &Breakpoint, other: &Breakpoint) -> bool {
    Breakpoint { hits: None, ..one.clone() } == Breakpoint { hits: None, ..other.clone() }
}
