//! Evaluates watches, and handles requests about them.

use std::rc::Rc;
use std::time::Duration;

use crate::api::{Event, Failure, Limits, Purpose, Response, Watch, WatchId, WatchRequest};
use crate::interp::vm::Vm;
use crate::value::{Type, Value};

use super::engine::Engine;
use super::evaluate::Place;
use super::frames::FrameView;
use super::handles::Origin;
use super::time::history::Setting;

/// Maximum number of compiled watches in the cache.
const MAX_CODE: usize = 4096;

/// Time limit for evaluating a watch.
const TIME_LIMIT: Duration = Duration::from_millis(100);

impl Engine {
    /// Handles a request while the program is not stopped.
    pub(super) fn watch_request(&mut self, request: WatchRequest) -> Result<Response, Failure> {
        if let Some(settings) = &mut self.placing.borrow_mut().settings
            && request != WatchRequest::List
        {
            settings.push(Setting::Watch(request.clone()));
        }
        match request {
            WatchRequest::Add(expression) => {
                let id = self.watches.add(expression);
                self.watches.get(id).cloned().map(Response::WatchAdded)
            }
            WatchRequest::Remove(id) => {
                self.watches.get(id)?;
                self.watches.remove(id);
                Ok(Response::WatchRemoved)
            }
            WatchRequest::List => Ok(Response::Watches(self.watches.all())),
        }
    }

    /// Handles a request at a stop: a new watch is evaluated at once.
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
                self.watches.get(watch.id).cloned().map(Response::WatchAdded)
            }
            answer => Ok(answer),
        }
    }

    /// Evaluates all watches in the innermost frame, and reports those whose value has changed.
    pub(super) fn update_watches(&mut self, vm: &mut Vm, view: &FrameView) {
        for id in self.watches.ids() {
            if self.update_watch(vm, view, id)
                && let Ok(watch) = self.watches.get(id)
            {
                self.event(Event::WatchChanged(watch.clone()));
            }
        }
    }

    /// Evaluates a watch; returns whether its value has changed.
    fn update_watch(&mut self, vm: &mut Vm, view: &FrameView, id: WatchId) -> bool {
        let Ok(Watch { expression, shown: before, .. }) = self.watches.get(id).cloned() else { return false };
        let place = Place { top: view, view, frame: 0 };
        let value = self.watch_value(vm, place, id, &expression);
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
        if let Some(watch) = self.watches.get_mut(id) {
            watch.shown = Some(now);
        }
        changed
    }

    /// The value of a watch. The compiled code is cached for the next stop at the same statement.
    fn watch_value(
        &mut self,
        vm: &mut Vm,
        place: Place,
        id: WatchId,
        text: &str,
    ) -> Result<(Value, Type), Failure> {
        // The code may refer to the debugger's variables, which exist at one stop only.
        if !self.temporaries.all().is_empty() {
            return self.value_of(vm, place, text, Purpose::Look, TIME_LIMIT);
        }
        let key = (id, place.view.stmt, place.view.back_edge);
        let code = match self.watch_code.get(&key) {
            Some(code) => code.clone(),
            None => {
                let sources = vm.program.sources.clone();
                let known = sources.len();
                let code = Rc::new(self.compiled(vm, place, text, Purpose::Look));
                sources.truncate(known);
                if self.watch_code.len() >= MAX_CODE {
                    self.watch_code.clear();
                }
                self.watch_code.insert(key, code.clone());
                code
            }
        };
        match &*code {
            Ok(runnable) => self.run_compiled(vm, place, runnable, TIME_LIMIT),
            Err(failure) => Err(failure.clone()),
        }
    }
}
