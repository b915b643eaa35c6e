//! Watches: expressions that are evaluated after each stop.

use std::time::Duration;

use crate::api::{Event, Failure, FailureKind, Limits, Purpose, Response, Watch, WatchId, WatchRequest};
use crate::interp::vm::Vm;

use super::engine::Engine;
use super::evaluate::Place;
use super::frames::FrameView;
use super::handles::Origin;

/// How long the evaluation of a watch may take.
const TIME_LIMIT: Duration = Duration::from_millis(100);

/// The watches of a session.
#[derive(Default)]
pub(super) struct Watches {
    all: Vec<Watch>,
    /// The last number used; none is used twice in a session.
    last: u32,
}

impl Watches {
    fn add(&mut self, expression: String) -> WatchId {
        self.last += 1;
        let id = WatchId(self.last);
        self.all.push(Watch { id, expression, shown: None });
        id
    }

    /// All of them, in order of their numbers.
    pub fn all(&self) -> Vec<Watch> {
        self.all.clone()
    }

    /// A program begins: nothing is shown of the one before.
    pub fn reset(&mut self) {
        self.all.iter_mut().for_each(|watch| watch.shown = None);
    }
}

impl Engine {
    /// Answers a request while the program is not stopped.
    pub(super) fn watch_request(&mut self, request: WatchRequest) -> Result<Response, Failure> {
        match request {
            WatchRequest::Add(expression) => {
                let id = self.watches.add(expression);
                self.watch(id).map(Response::WatchAdded)
            }
            WatchRequest::Remove(id) => {
                self.watch(id)?;
                self.watches.all.retain(|watch| watch.id != id);
                Ok(Response::WatchRemoved)
            }
            WatchRequest::List => Ok(Response::Watches(self.watches.all())),
        }
    }

    /// The same at a stop: a new watch is evaluated at once.
    pub(super) fn watch_request_at_stop(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        request: WatchRequest,
    ) -> Result<Response, Failure> {
        let answer = self.watch_request(request)?;
        match answer {
            Response::WatchAdded(watch) => {
                self.update_watch(vm, view, watch.id);
                self.watch(watch.id).map(Response::WatchAdded)
            }
            answer => Ok(answer),
        }
    }

    fn watch(&self, id: WatchId) -> Result<Watch, Failure> {
        let found = self.watches.all.iter().find(|watch| watch.id == id);
        let missing = || Failure::new(FailureKind::NotFound, format!("there is no watch {}", id.0));
        found.cloned().ok_or_else(missing)
    }

    /// Evaluates all watches in the innermost frame, and tells those that show something else than before.
    pub(super) fn update_watches(&mut self, vm: &mut Vm, view: &FrameView) {
        let ids: Vec<WatchId> = self.watches.all.iter().map(|watch| watch.id).collect();
        for id in ids {
            if self.update_watch(vm, view, id)
                && let Ok(watch) = self.watch(id)
            {
                self.event(Event::WatchChanged(watch));
            }
        }
    }

    /// Evaluates a watch; whether it shows something else than before.
    fn update_watch(&mut self, vm: &mut Vm, view: &FrameView, id: WatchId) -> bool {
        let Ok(Watch { expression, shown: before, .. }) = self.watch(id) else { return false };
        let place = Place { top: view, view, frame: 0 };
        let value = self.value_of(vm, place, &expression, Purpose::Look, TIME_LIMIT);
        let now = value.map(|(value, ty)| {
            let origin = Origin { frame: 0, name: Some(expression.as_str().into()) };
            self.handles.describe(&value.follow(), &ty, Limits::PREVIEW, origin)
        });
        let changed = match (&before, &now) {
            (Some(Ok(before)), Ok(now)) => {
                before.value != now.value || before.declared_type != now.declared_type
            }
            (Some(Err(before)), Err(now)) => before.message != now.message,
            _ => true,
        };
        if let Some(watch) = self.watches.all.iter_mut().find(|watch| watch.id == id) {
            watch.shown = Some(now);
        }
        changed
    }
}
