//! Evaluates watches, and handles requests about them.

use std::rc::Rc;
use std::time::Duration;

use crate::api::{
    AddWatch, Event, Failure, GetWatches, Limits, Purpose, RemoveWatch, Response, Watch, WatchAdded,
    WatchHandler, WatchId, WatchRequest,
};
use crate::debug::inspect::evaluate::{Deadline, FrameContext};
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::handles::Origin;
use crate::debug::inspect::inspection::Inspection;
use crate::debug::settings::Setting;
use ez_runtime::interp::vm::Vm;
use ez_runtime::value::{Type, Value};

/// Maximum number of compiled watches in the cache.
const MAX_CODE: usize = 4096;

/// Time limit for evaluating a watch.
const TIME_LIMIT: Duration = Duration::from_millis(100);

impl Inspection {
    /// Handles a request. `stop` is the interpreter and the innermost frame if the program is stopped: then a
    /// new watch is evaluated at once.
    pub fn watch_request(
        &mut self,
        stop: Option<(&mut Vm, &FrameView)>,
        request: WatchRequest,
    ) -> Result<Response, Failure> {
        let setting = (!matches!(request, WatchRequest::List(_))).then(|| Setting::Watch(request.clone()));
        let answer = request.answered_by(&mut Watching { inspection: self, stop });
        if let (Ok(_), Some(settings), Some(setting)) =
            (&answer, &mut self.breakpoints.borrow_mut().settings, setting)
        {
            settings.push(setting);
        }
        answer
    }

    /// Applies settings of breakpoints and watches that were made in another engine, which has given this number to a
    /// breakpoint last: those on data, which are not made here, have numbers, too.
    pub fn set_all(&mut self, settings: Vec<Setting>, last_breakpoint: u32) {
        for setting in settings {
            match setting {
                Setting::Breakpoint(last, request) => {
                    let mut breakpoints = self.breakpoints.borrow_mut();
                    breakpoints.table.set_last(last);
                    let _ = breakpoints.change(None, request);
                }
                Setting::Watch(request) => drop(self.watch_request(None, request)),
            }
        }
        self.breakpoints.borrow_mut().table.set_last(last_breakpoint);
    }

    /// Evaluates all watches in the innermost frame, and reports those whose value has changed.
    pub fn update_watches(&mut self, vm: &mut Vm, view: &FrameView) {
        for id in self.watches.ids() {
            if self.update_watch(vm, view, id)
                && let Ok(watch) = self.watches.get(id)
            {
                self.connection.event(Event::WatchChanged(watch.clone()));
            }
        }
    }

    /// Evaluates a watch; returns whether its value has changed.
    fn update_watch(&mut self, vm: &mut Vm, view: &FrameView, id: WatchId) -> bool {
        let Ok(Watch { expression, shown: before, .. }) = self.watches.get(id).cloned() else { return false };
        let context = FrameContext { top: view, view, frame: 0 };
        let value = self.watch_value(vm, context, id, &expression);
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
        context: FrameContext,
        id: WatchId,
        text: &str,
    ) -> Result<(Value, Type), Failure> {
        // The code may refer to the debugger's variables, which exist at one stop only.
        if !self.temporaries.all().is_empty() {
            return self.value_of(vm, context, text, Purpose::Look, TIME_LIMIT);
        }
        let deadline = Deadline::after(TIME_LIMIT);
        let key = (id, context.view.stmt, context.view.back_edge);
        let code = match self.watch_code.get(&key) {
            Some(code) => code.clone(),
            None => {
                let sources = vm.program.sources.clone();
                let known = sources.len();
                let code = Rc::new(self.compiled(vm, context, text, Purpose::Look, deadline));
                sources.truncate(known);
                if self.watch_code.len() >= MAX_CODE {
                    self.watch_code.clear();
                }
                // What was interrupted is compiled again.
                if code.is_ok() {
                    self.watch_code.insert(key, code.clone());
                }
                code
            }
        };
        match &*code {
            Ok(runnable) => self.run_compiled(vm, context, runnable, deadline),
            Err(failure) => Err(failure.clone()),
        }
    }
}

/// The inspection whose watches are asked about or changed.
struct Watching<'a> {
    inspection: &'a mut Inspection,
    stop: Option<(&'a mut Vm, &'a FrameView)>,
}

impl WatchHandler for Watching<'_> {
    fn add(&mut self, AddWatch(expression): AddWatch) -> Result<WatchAdded, Failure> {
        let id = self.inspection.watches.add(expression);
        if let Some((vm, view)) = &mut self.stop {
            self.inspection.update_watch(vm, view, id);
        }
        self.inspection.watches.get(id).cloned().map(WatchAdded)
    }

    fn remove(&mut self, RemoveWatch(id): RemoveWatch) -> Result<(), Failure> {
        self.inspection.watches.get(id)?;
        self.inspection.watches.remove(id);
        Ok(())
    }

    fn list(&mut self, _: GetWatches) -> Result<Vec<Watch>, Failure> {
        Ok(self.inspection.watches.all())
    }
}
