//! Going back, as the engine of the live program does it: asks the worker, and passes on what that tells.

use crossbeam_channel::{RecvError, select};

use crate::api::{
    BreakpointRequest, Container, Evaluate, Event, Failure, FailureKind, Inspect, Moment, Purpose, Query,
    Request, RequestId, Response, Resume, StopReason, Stopped, Travel,
};
use crate::interp::vm::Vm;

use super::super::breakpoints::HitCondition;
use super::super::client::Message;
use super::super::engine::Engine;
use super::super::frames::{FrameView, frame_view};
use super::super::handles::part_name;
use super::super::stops::Halt;
use super::super::time::history::{
    Aim, Arrival, History, Intervention, Journey, JourneyEnd, Order, Setting, Standing, Told,
};
use super::super::time::plan::{self, Back};
use super::super::time::position::{Phase, Position};
use super::worker;

/// How many places before the present one are looked at first for a step back.
const WINDOW: u64 = 1000;

/// Requests to a worker from here on are the live engine's own: nobody else hears of the answers.
const INTERNAL: u64 = 1 << 63;

/// What happened to a journey.
enum Outcome {
    /// The past stands still.
    Stopped(Box<Stopped>),
    Ended(JourneyEnd),
    /// The session is to end, or the program to begin again.
    Over,
    /// A pause has ended it.
    Cancelled,
}

/// The failure of a request for which a history is needed.
fn no_history() -> Failure {
    Failure::new(FailureKind::WrongState, "Cannot go back: no history is kept ('history' in initialize)")
}

impl Engine {
    /// Whether the client is in the past.
    pub(in super::super) fn is_in_past(&self) -> bool {
        self.history.as_ref().is_some_and(|history| history.past.is_some())
    }

    /// Where the live program is in its history.
    pub(in super::super) fn moment(&self, step: u64, phase: Phase) -> Option<Moment> {
        let after_return = matches!(phase, Phase::Return(_));
        if let Some(underway) = &self.underway {
            return Some(underway.moment(after_return));
        }
        let output_length = self.history.as_ref()?.record.output_length();
        Some(Moment { present: step, is_past: false, output_length, after_return })
    }

    /// Takes note of where the live program stands.
    pub(in super::super) fn note_present(&mut self, vm: &Vm, phase: Phase) {
        if let Some(history) = &mut self.history {
            history.present =
                Standing { position: Position { step: vm.steps.now(), phase }, depth: vm.depth() };
            history.past = None;
        }
    }

    /// Goes through time, or on in the past. Says whether the program is to end.
    pub(in super::super) fn travel(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        id: RequestId,
        how: Resume,
    ) -> bool {
        if let Err(failure) = self.can_travel(&how) {
            self.respond(id, Err(failure));
            return false;
        }
        self.respond(id, Ok(Response::Resumed));
        let outcome = match how {
            Resume::Travel(travel) => self.depart(vm, travel),
            how => self.go_on_in_past(vm, how),
        };
        match outcome {
            Ok(Outcome::Stopped(stopped)) => {
                self.arrived(*stopped);
                self.synchronize(vm);
                false
            }
            Ok(Outcome::Over) => true,
            Ok(Outcome::Ended(JourneyEnd::Lost(why))) | Err(why) => {
                self.be_present(vm, view, Some(format!("the past cannot be shown: {why}")));
                false
            }
            Ok(Outcome::Cancelled) => {
                self.be_present(vm, view, Some("the journey was interrupted".into()));
                false
            }
            Ok(Outcome::Ended(_)) => {
                self.be_present(vm, view, None);
                false
            }
        }
    }

    fn can_travel(&self, how: &Resume) -> Result<(), Failure> {
        let Some(history) = &self.history else { return Err(no_history()) };
        let lost =
            history.lost.as_deref().or((!history.record.is_whole()).then_some("the record is too large"));
        match lost {
            Some(why) if matches!(how, Resume::Travel(_)) => {
                Err(Failure::new(FailureKind::WrongState, format!("Cannot go back: {why}")))
            }
            _ => Ok(()),
        }
    }

    /// Tells a stop in the past.
    fn arrived(&mut self, stopped: Stopped) {
        if let Some(history) = &mut self.history {
            let depth = stopped.frame_count.saturating_sub(1) as u32;
            let phase = match stopped.moment.is_some_and(|moment| moment.after_return) {
                true => Phase::Return(std::cmp::Reverse(depth)),
                false => Phase::Place,
            };
            let position = Position { step: stopped.step, phase };
            history.past = Some(Standing { position, depth });
        }
        self.event(Event::Stopped(Box::new(stopped)));
    }

    /// Leaves the past, and tells that the program stands where it really is.
    fn be_present(&mut self, vm: &mut Vm, view: &FrameView, text: Option<String>) {
        self.leave(vm);
        let sentence = Some("Back in the present".into());
        self.tell_stop(vm, view, Halt { text, sentence, ..StopReason::Present.into() });
        self.watches.reset();
        self.update_watches(vm, view);
    }

    /// Ends the instance in which the client looks at the past.
    pub(in super::super) fn leave(&mut self, vm: &mut Vm) {
        let Some(history) = &mut self.history else { return };
        if history.past.take().is_none() {
            return;
        }
        if let Some(worker) = &history.worker {
            let _ = worker.requests.send((RequestId(INTERNAL), Request::Terminate));
        }
        // Whether it was told to, or came to the present.
        let _ = self.follow(vm, false);
    }

    fn depart(&mut self, vm: &mut Vm, travel: Travel) -> Result<Outcome, String> {
        let Some(history) = &self.history else { return Err("there is none".into()) };
        let (now, entry) = (history.now(), history.entry);
        let (present, was_in_past) = (history.present, history.past.is_some());
        let step = |position, is_entry| {
            let reason = if is_entry { StopReason::Entry } else { StopReason::Step };
            (position, Arrival { reason, breakpoints: Vec::new() })
        };
        if was_in_past {
            self.leave(vm);
        }
        let first = Position::place(entry);
        let (position, arrival) = match travel {
            Travel::GoToPresent => return Ok(Outcome::Ended(JourneyEnd::Present)),
            Travel::GoToStep(wanted) if wanted >= present.position.step => {
                return Ok(Outcome::Ended(JourneyEnd::Present));
            }
            Travel::GoToStep(wanted) => step(Position::place(wanted.max(1)), false),
            Travel::StepBack | Travel::StepBackOver | Travel::StepBackOut => {
                let back = match travel {
                    Travel::StepBackOver => Back::Over,
                    Travel::StepBackOut => Back::Out,
                    _ => Back::Into,
                };
                match self.position_before(vm, back, now, entry)? {
                    Ok(Some(found)) => step(found, found == first),
                    Ok(None) => step(first, true),
                    Err(outcome) => return Ok(outcome),
                }
            }
            Travel::ReverseContinue => match self.hit_before(vm, now.position)? {
                Ok(Some(found)) => found,
                Ok(None) => step(first, true),
                Err(outcome) => return Ok(outcome),
            },
        };
        if position >= now.position && !matches!(travel, Travel::GoToStep(_)) && !was_in_past {
            // There is nothing before.
            return Ok(Outcome::Ended(JourneyEnd::Present));
        }
        self.go(vm, Aim::Arrive(position, arrival))
    }

    /// The position to which a step back leads. An inner error: the journey ended otherwise.
    fn position_before(
        &mut self,
        vm: &mut Vm,
        back: Back,
        now: Standing,
        entry: u64,
    ) -> Result<Result<Option<Position>, Outcome>, String> {
        // A stop before `main` goes back to the first place of all.
        let first = if now.position.step > entry { entry } else { 1 };
        let mut window = WINDOW;
        loop {
            let from = now.position.step.saturating_sub(window).max(first);
            let is_whole = from <= first;
            if !self.has_notes(from, now.position, is_whole) {
                match self.go(vm, Aim::Note(from, now.position))? {
                    Outcome::Ended(JourneyEnd::Notes(notes)) => {
                        if let Some(history) = &mut self.history {
                            history.notes = (notes, is_whole);
                        }
                    }
                    other => return Ok(Err(other)),
                }
            }
            let Some(History { notes: (notes, known_whole), .. }) = &self.history else {
                return Ok(Ok(None));
            };
            let found = plan::target(back, now.position, now.depth, notes, *known_whole);
            if found.is_some() || is_whole {
                return Ok(Ok(found));
            }
            window = window.saturating_mul(10);
        }
    }

    /// Whether the positions from a step on up to `until` were noted by an earlier step back.
    fn has_notes(&self, from: u64, until: Position, is_whole: bool) -> bool {
        let Some(History { notes: (notes, known_whole), .. }) = &self.history else { return false };
        let begins =
            notes.first().is_some_and(|note| note.position.step <= from || (is_whole && *known_whole));
        begins
            && notes.last().is_some_and(|note| note.position >= until || note.position.step + 1 == until.step)
    }

    /// The last breakpoint that was hit before a position, and how that stop is told.
    fn hit_before(
        &mut self,
        vm: &mut Vm,
        now: Position,
    ) -> Result<Result<Option<(Position, Arrival)>, Outcome>, String> {
        let hits = match self.go(vm, Aim::Hits(now))? {
            Outcome::Ended(JourneyEnd::Hits(hits)) => hits,
            other => return Ok(Err(other)),
        };
        let placing = self.placing.borrow();
        let condition = |id| {
            let entry = placing.breakpoints.get(id)?;
            HitCondition::parse(entry.options.hit_condition.as_deref()?).ok()
        };
        Ok(Ok(plan::last_hit(&hits, condition).map(|(position, breakpoints)| {
            let reason = match breakpoints.first() {
                Some(id) if placing.breakpoints.is_at_function(*id) => StopReason::FunctionBreakpoint(*id),
                Some(id) => StopReason::Breakpoint(*id),
                None => StopReason::Step,
            };
            (position, Arrival { reason, breakpoints })
        })))
    }

    /// Lets the worker run.
    fn go(&mut self, vm: &mut Vm, aim: Aim) -> Result<Outcome, String> {
        let last_handle = self.handles.last();
        let Some(history) = &mut self.history else { return Err("there is none".into()) };
        if history.worker.is_none() {
            history.worker = Some(worker::start(history.origin.clone(), history.record.clone())?);
            history.known = 0;
        }
        self.tell_settings();
        let Some(history) = &mut self.history else { return Err("there is none".into()) };
        let journey = Journey {
            aim,
            present: history.present.position,
            interventions: history.interventions.clone(),
            last_handle,
        };
        if let Some(worker) = &history.worker {
            let _ = worker.orders.send(Order::Go(Box::new(journey)));
        }
        Ok(self.follow(vm, true))
    }

    /// Tells the worker what was set since it was told last.
    fn tell_settings(&mut self) {
        let news = self.news();
        if let Some(worker) = self.history.as_ref().and_then(|history| history.worker.as_ref()) {
            let _ = worker.orders.send(Order::Set(news));
        }
    }

    fn go_on_in_past(&mut self, vm: &mut Vm, how: Resume) -> Result<Outcome, String> {
        self.order(Request::Resume(how));
        Ok(self.follow(vm, true))
    }

    fn ask_worker(&self, id: RequestId, request: Request) {
        if let Some(worker) = self.history.as_ref().and_then(|history| history.worker.as_ref()) {
            let _ = worker.requests.send((id, request));
        }
    }

    /// What of a request changes the program, as it can be done again in another instance; `None` if nothing
    /// does.
    fn intervention(&mut self, vm: &Vm, view: &FrameView, request: &Inspect) -> Option<Inspect> {
        match request {
            Inspect::SetVariable { container: Container::Frame(_), .. } => Some(request.clone()),
            Inspect::SetVariable { container: Container::Value(handle), name, value, limits } => {
                let held = self.handles.get(*handle)?;
                let Some(whole) = &held.origin.name else {
                    let why = "a value was changed that no expression gives";
                    self.lose_history(why);
                    return None;
                };
                Some(Inspect::Evaluate(Evaluate {
                    expression: format!("{} = {value}", part_name(whole, name)),
                    frame: held.origin.frame,
                    purpose: Purpose::Plain,
                    timeout_ms: None,
                    limits: *limits,
                }))
            }
            Inspect::Evaluate(evaluate) if evaluate.purpose != Purpose::Look => {
                let frame = frame_view(vm, view, evaluate.frame).ok()?;
                self.may_change(&frame, &evaluate.expression).then(|| request.clone())
            }
            _ => None,
        }
    }

    /// From now on one cannot go back.
    pub(in super::super) fn lose_history(&mut self, why: &str) {
        if let Some(history) = &mut self.history {
            history.lost = Some(why.into());
        }
    }

    /// Answers a request about the live program; what changes it is kept, to be done again in the past.
    pub(in super::super) fn inspect_present(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        request: Inspect,
    ) -> Result<Response, Failure> {
        let intervention = match self.history {
            Some(_) => self.intervention(vm, view, &request),
            None => None,
        };
        let Some(request_again) = intervention else { return self.inspect(vm, view, request) };
        let Some(record) = self.history.as_ref().map(|history| history.record.clone()) else {
            return self.inspect(vm, view, request);
        };
        record.keep_evaluations(true);
        self.is_intervening = true;
        let answer = self.inspect(vm, view, request);
        self.is_intervening = false;
        record.keep_evaluations(false);
        if let Some(history) = &mut self.history {
            let position = history.present.position;
            history.interventions.push(Intervention { position, request: request_again });
        }
        answer
    }

    /// Passes on what the worker tells, until the past stands still or the journey is over.
    fn follow(&mut self, vm: &mut Vm, is_interruptible: bool) -> Outcome {
        let Some(link) = self.history.as_ref().and_then(|history| history.worker.as_ref()) else {
            return Outcome::Ended(JourneyEnd::Left);
        };
        let (told, worker) = (link.told.clone(), link.interrupt.clone());
        let requests = self.request_channel();
        let mut cancelled = false;
        loop {
            let told = select! {
                recv(told) -> told => told,
                recv(requests) -> request => {
                    let over = match request {
                        Ok((id, request)) => self.request_on_the_way(vm, id, request),
                        Err(RecvError) => Some(true),
                    };
                    if let (Some(ends), true) = (over, is_interruptible) {
                        cancelled = true;
                        self.order(Request::Terminate);
                        worker.raise();
                        if ends {
                            self.wait_for_end(&told);
                            return Outcome::Over;
                        }
                    }
                    continue;
                }
            };
            match told {
                Ok(Told::Message(Message::Event(Event::Stopped(stopped)))) => {
                    return Outcome::Stopped(stopped);
                }
                Ok(Told::Message(message)) => self.pass_on(message),
                Ok(Told::Ended(end, last_handle)) => {
                    self.handles.go_on_after(last_handle);
                    if let Some(history) = &mut self.history {
                        history.past = None;
                    }
                    return if cancelled { Outcome::Cancelled } else { Outcome::Ended(end) };
                }
                Err(RecvError) => {
                    if let Some(history) = &mut self.history {
                        (history.worker, history.past) = (None, None);
                    }
                    return Outcome::Ended(JourneyEnd::Lost("the second instance has failed".into()));
                }
            }
        }
    }

    fn wait_for_end(&mut self, told: &crossbeam_channel::Receiver<Told>) {
        while let Ok(told) = told.recv() {
            if let Told::Ended(..) = told {
                break;
            }
        }
        if let Some(history) = &mut self.history {
            history.past = None;
        }
    }

    /// A request that comes during a journey. `Some` if it ends it: whether the program ends, too.
    fn request_on_the_way(&mut self, vm: &mut Vm, id: RequestId, request: Request) -> Option<bool> {
        match request {
            Request::Pause => {
                self.respond(id, Ok(Response::Pausing));
                Some(false)
            }
            Request::Terminate | Request::Restart(_) => {
                self.postponed.push_front((id, request));
                Some(true)
            }
            Request::Breakpoint(request) => {
                let answer = self.placing.borrow_mut().change(Some(vm), request);
                self.respond(id, answer);
                None
            }
            Request::Query(query) => {
                self.respond(id, self.query(crate::api::Status::Running, &query));
                None
            }
            Request::Watch(request) => {
                let answer = self.watch_request(request);
                self.respond(id, answer);
                None
            }
            request => {
                self.postponed.push_back((id, request));
                None
            }
        }
    }

    /// Asks the worker for something of which the client hears nothing; gives the number of the request.
    fn order(&mut self, request: Request) -> RequestId {
        let number = match &mut self.history {
            Some(history) => {
                history.orders += 1;
                history.orders
            }
            None => 0,
        };
        let id = RequestId(INTERNAL + number);
        self.ask_worker(id, request);
        id
    }

    /// Tells the worker, which stands still, what was set since it was told last, and waits until it has told
    /// everything that belongs to its stop.
    fn synchronize(&mut self, vm: &mut Vm) {
        for setting in self.news() {
            self.order(match setting {
                Setting::Breakpoint(_, request) => Request::Breakpoint(request),
                Setting::Watch(request) => Request::Watch(request),
            });
        }
        let last = self.order(Request::Query(Query::Threads));
        self.pass_on_until(vm, last);
    }

    /// What was set since the worker was told last.
    fn news(&mut self) -> Vec<Setting> {
        let settings = self.settings.borrow();
        let Some(history) = &mut self.history else { return Vec::new() };
        let news = settings.get(history.known..).unwrap_or_default().to_vec();
        history.known = settings.len();
        news
    }

    fn pass_on_until(&mut self, vm: &mut Vm, id: RequestId) {
        let Some(told) = self.history.as_ref().and_then(|history| history.worker.as_ref()) else { return };
        let told = told.told.clone();
        let requests = self.request_channel();
        let is_sync = id.0 >= INTERNAL;
        loop {
            select! {
                recv(told) -> told => match told {
                    Ok(Told::Message(message)) => {
                        let is_last = matches!(&message, Message::Response(answered, _) if *answered == id);
                        self.pass_on(message);
                        if is_last {
                            return;
                        }
                    }
                    Ok(Told::Ended(..)) | Err(RecvError) => {
                        if let Some(history) = &mut self.history {
                            history.past = None;
                        }
                        return;
                    }
                },
                // An evaluation may take long.
                recv(requests) -> request => match request {
                    Ok((id, Request::Pause)) => {
                        self.ask_worker(id, Request::Pause);
                        if let Some(worker) = self.history.as_ref().and_then(|history| history.worker.as_ref()) {
                            worker.interrupt.raise();
                        }
                    }
                    // What is asked meanwhile has its turn at once: the past stands still.
                    Ok((id, request))
                        if is_sync || !matches!(request, Request::Terminate | Request::Restart(_)) =>
                    {
                        self.postponed.push_back((id, request));
                    }
                    Ok((id, request)) => {
                        if let Some(ends) = self.request_on_the_way(vm, id, request) {
                            self.order(Request::Terminate);
                            if let Some(worker) = self.history.as_ref().and_then(|history| history.worker.as_ref()) {
                                worker.interrupt.raise();
                            }
                            if ends {
                                self.wait_for_end(&told);
                                return;
                            }
                        }
                    }
                    Err(RecvError) => return,
                },
            }
        }
    }

    /// Tells the client what a worker tells, but for answers to this engine.
    fn pass_on(&self, message: Message) {
        match message {
            Message::Response(RequestId(INTERNAL..), _) => {}
            // What became of breakpoints in the second instance is nobody's business.
            Message::Event(Event::BreakpointChanged { .. } | Event::WrongCondition(_)) => {}
            message => self.client.message(message),
        }
    }

    /// Answers a request while the client is in the past. `None` if it is one for the present.
    pub(in super::super) fn request_in_past(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        id: RequestId,
        request: Request,
    ) -> Option<(RequestId, Request)> {
        let _ = view;
        match request {
            Request::Breakpoint(BreakpointRequest::SetData(_)) => {
                let message = "Cannot set data breakpoints: this is the past (goToPresent leads back)";
                self.respond(id, Err(Failure::new(FailureKind::WrongState, message)));
            }
            Request::Breakpoint(request) => {
                let answer = self.placing.borrow_mut().change(Some(vm), request);
                self.respond(id, answer);
                self.synchronize(vm);
            }
            Request::Watch(request) => {
                let _ = self.watch_request(request.clone());
                if let Some(history) = &mut self.history {
                    history.known = self.settings.borrow().len();
                }
                self.ask_worker(id, Request::Watch(request));
                self.pass_on_until(vm, id);
                self.synchronize(vm);
            }
            Request::Inspect(_) | Request::Query(Query::State | Query::Threads) => {
                self.ask_worker(id, request);
                self.pass_on_until(vm, id);
            }
            request => return Some((id, request)),
        }
        None
    }
}
