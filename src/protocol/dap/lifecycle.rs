//! Requests about the session and the run of the program.

use std::sync::PoisonError;
use std::time::Duration;

use serde_json::{Value, json};

use crate::api::{Attach, Launch, Limits, Query, Request, Restart, Resume, Travel};
use crate::protocol::Received;
use crate::protocol::params::Params;

use super::answers::Kind;
use super::client::Client;
use super::decode::From;
use super::events::progress_id;
use super::writing::Refusal;
use super::{DapFrontEnd, Own, Phase, THREAD, check_thread, unknown};

/// How long a client may take to say more about breakpoints after the request that is the last one of
/// clients that know no `configurationDone`.
const CONFIGURATION_GRACE: Duration = Duration::from_millis(500);

/// Nothing of a value.
pub const NOTHING: Limits = Limits { parts: 0, bytes: 0 };

/// What the adapter can do.
fn capabilities(listens: bool) -> Value {
    let filter = |name: &str, label: &str, description: &str, default: bool| {
        json!({
            "filter": name,
            "label": label,
            "description": description,
            "default": default,
            "supportsCondition": true,
            "conditionDescription": "A bool expression that may use the variable error: error.code == \"E5001\"",
        })
    };
    let mut capabilities = json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "exceptionBreakpointFilters": [
            filter("uncaught", "Run-time errors", "Stops where a run-time error happens, before it ends the program", true),
            filter("errorValue", "Error values", "Stops where an Error value that is not nil comes into being", false),
        ],
        "supportsSetVariable": true,
        "supportsRestartRequest": true,
        "supportsStepInTargetsRequest": true,
        "supportsCompletionsRequest": true,
        "completionTriggerCharacters": ["."],
        "supportsModulesRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsDelayedStackTraceLoading": true,
        "supportsLoadedSourcesRequest": true,
        "supportsLogPoints": true,
        "supportsSetExpression": true,
        "supportsStepBack": true,
        "supportsRestartFrame": true,
        "supportsTerminateRequest": true,
        "supportsDataBreakpoints": true,
        "supportsCancelRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsClipboardContext": true,
        "supportsExceptionFilterOptions": true,
    });
    // Without a socket nobody could come to a program that is left behind.
    if let (true, Value::Object(capabilities)) = (listens, &mut capabilities) {
        capabilities.insert("supportTerminateDebuggee".into(), true.into());
    }
    capabilities
}

impl DapFrontEnd {
    pub(super) fn initialize(
        &mut self,
        from: &From,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        if self.client.is_some() {
            return Err("the session is initialized already".into());
        }
        self.client = Some(Client::new(params)?);
        self.reply_with(
            Own::AnswerAndEvent(from.clone(), Some(capabilities(self.listens)), "initialized"),
            work,
        );
        Ok(())
    }

    /// Refuses to begin with a program where there is or was one.
    fn begins(&self) -> Result<(), Refusal> {
        match self.phase {
            Phase::NoProgram => Ok(()),
            Phase::Ended => Err("the program has ended".into()),
            Phase::Launched | Phase::Running | Phase::Stopped => Err("a program is launched already".into()),
        }
    }

    pub(super) fn attach(
        &mut self,
        from: &From,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        self.begins()?;
        if !self.listens || params.has("port") {
            return self.attach_elsewhere(from, params);
        }
        self.no_debug = params.flag("noDebug")?;
        let launch = Launch {
            stop_on_entry: Some(params.flag("stopOnEntry")?),
            // Clients of the other protocols may come, too.
            limits: Limits::PREVIEW,
            ..Launch::default()
        };
        if self.no_debug {
            self.forget_breakpoints(work);
        }
        let attach = Attach { launch: Some(launch) };
        self.ask(from, Request::Attach(Box::new(attach)), Kind::Attach, work);
        self.ask_silently(Request::Query(Query::Modules), Kind::Files, work);
        Ok(())
    }

    pub(super) fn launch(
        &mut self,
        from: &From,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        self.begins()?;
        let replay = params.path("replay")?;
        let program = match &replay {
            // The recording has the program in it.
            Some(recording) => recording.clone(),
            None => self.client().plain_path(params.required_path("program")?)?,
        };
        let consoles = [
            ("internalConsole", None),
            ("integratedTerminal", Some("integrated")),
            ("externalTerminal", Some("external")),
        ];
        if let Some(Some(kind)) = params.word("console", &consoles)? {
            return self.launch_in_terminal(kind, from, params, work);
        }
        let no_debug = params.flag("noDebug")?;
        let launch = Launch {
            file: replay.is_none().then(|| program.clone()),
            source: None,
            working_dir: params.path("cwd")?,
            args: params.texts("args")?.unwrap_or_default(),
            env: params.changes("env")?.unwrap_or_default(),
            stop_on_entry: Some(params.flag("stopOnEntry")? && !no_debug),
            keep_alive: true,
            history: params.flag("history")?,
            replay,
            deny: params.capabilities("deny")?,
            memory_limit: params.size("memoryLimit")?,
            limits: NOTHING,
        };
        self.no_debug = no_debug;
        self.keeps_history = launch.history;
        self.program = Some(program);
        self.phase = Phase::Launched;
        if self.no_debug {
            // What was set before it was known that nothing is to stop.
            self.forget_breakpoints(work);
        }
        self.ask(from, Request::Initialize(Box::new(launch)), Kind::Launch, work);
        self.ask_silently(Request::Query(Query::Modules), Kind::Files, work);
        if self.configured {
            self.start(work);
        }
        Ok(())
    }

    /// Lets the program that was launched run.
    pub(super) fn start(&mut self, work: &mut Vec<Received>) {
        self.phase = Phase::Running;
        self.ask_silently(Request::Start, Kind::Start, work);
    }

    pub(super) fn configuration_done(
        &mut self,
        from: &From,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        self.answer_now(from, None, work);
        self.end_configuration(work);
        Ok(())
    }

    fn end_configuration(&mut self, work: &mut Vec<Received>) {
        self.configuring = None;
        self.configured = true;
        if self.phase == Phase::Launched {
            self.start(work);
        }
    }

    /// The client has said something: it may say more before the program is to start.
    pub(super) fn still_configuring(&mut self) {
        if let Some(count) = &mut self.configuring {
            *count += 1;
        }
    }

    /// The request has come that is the last one of clients that know no `configurationDone`: the program
    /// starts when nothing comes for a moment.
    pub(super) fn expect_no_more(&mut self) {
        if self.configured || self.configuring.is_some() {
            return;
        }
        self.configuring = Some(0);
        let (this, link) = (self.this.clone(), self.link.clone());
        let wait = move || {
            let mut seen = 0;
            loop {
                std::thread::sleep(CONFIGURATION_GRACE);
                let Some(this) = this.upgrade() else { return };
                let mut front_end = this.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(count) = front_end.configuring else { return };
                if count != seen || front_end.phase == Phase::NoProgram {
                    seen = count;
                    continue;
                }
                let mut work = Vec::new();
                front_end.end_configuration(&mut work);
                drop(front_end);
                if let Some(link) = &link {
                    link.deliver(work, || ());
                }
                return;
            }
        };
        // Without such a thread, the client has to say when it is ready.
        let _ = std::thread::Builder::new().name("configuration".into()).spawn(wait);
    }

    pub(super) fn restart(
        &mut self,
        from: &From,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        match self.phase {
            Phase::NoProgram => return Err("no program is launched".into()),
            Phase::Ended => return Err("the program has ended".into()),
            Phase::Launched | Phase::Running | Phase::Stopped => {}
        }
        let program = self.program.clone();
        let client = self.client();
        let restart = params.object("arguments", |launch| {
            let other = launch.path("program")?.map(|path| client.plain_path(path)).transpose()?;
            if other.is_some() && other != program {
                return Err("another program cannot be restarted: launch it in a session of its own".into());
            }
            Ok(Restart { args: launch.texts("args")?, env: launch.changes("env")? })
        })?;
        let before = std::mem::replace(&mut self.phase, Phase::Running);
        self.configured = true;
        self.waits_for_input = false;
        self.ask(from, Request::Restart(Box::new(restart.unwrap_or_default())), Kind::Restart(before), work);
        self.ask_silently(Request::Query(Query::Modules), Kind::Files, work);
        Ok(())
    }

    pub(super) fn terminate(&mut self, from: &From, work: &mut Vec<Received>) -> Result<(), Refusal> {
        match self.phase {
            Phase::Running | Phase::Stopped => {
                self.ask(from, Request::Kill, Kind::Terminate, work);
            }
            Phase::Launched => {
                self.phase = Phase::Ended;
                self.reply_with(Own::AnswerAndEvent(from.clone(), None, "terminated"), work);
            }
            Phase::Ended => self.answer_now(from, None, work),
            Phase::NoProgram => return Err("no program is launched".into()),
        }
        Ok(())
    }

    pub(super) fn disconnect(
        &mut self,
        from: &From,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        let terminates = params.choice("terminateDebuggee")?.unwrap_or(!self.attached);
        // Without a socket nobody else could come: the program ends with the adapter.
        match terminates || !self.listens {
            true => self.ask(from, Request::Terminate, Kind::Disconnect, work),
            false => self.ask(from, Request::Disconnect, Kind::Plain, work),
        };
        Ok(())
    }

    pub(super) fn cancel(
        &mut self,
        from: &From,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        let underway = self.progress.map(progress_id);
        if underway.is_some() && params.text("progressId")? == underway.as_deref() {
            self.ask_silently(Request::Pause, Kind::Plain, work);
        }
        if let Some(seq) = params.number("requestId", 0, u32::MAX)? {
            let mut all = self.asked.iter_mut();
            let wanted =
                all.find(|(_, asked)| asked.from.seq == i64::from(seq) && asked.kind.can_be_cancelled());
            if let Some((id, asked)) = wanted {
                asked.cancelled = true;
                work.push(Received::Cancel(*id));
            }
        }
        self.answer_now(from, None, work);
        Ok(())
    }

    pub(super) fn threads(&mut self, from: &From, work: &mut Vec<Received>) -> Result<(), Refusal> {
        let threads = match self.phase {
            Phase::NoProgram | Phase::Ended => json!([]),
            Phase::Launched | Phase::Running | Phase::Stopped => json!([{"id": THREAD, "name": "main"}]),
        };
        self.answer_now(from, Some(json!({ "threads": threads })), work);
        Ok(())
    }

    pub(super) fn pause(
        &mut self,
        from: &From,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        check_thread(params)?;
        if self.no_debug {
            return Err("the program runs without debugging".into());
        }
        self.ask(from, Request::Pause, Kind::Plain, work);
        Ok(())
    }

    /// Requests that go through the history of the program; `stepBackInto`, `stepBackOut`, `goToStep` and
    /// `goToPresent` are no requests of the protocol's own.
    pub(super) fn travel(
        &mut self,
        from: &From,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        check_thread(params)?;
        let travel = match from.command.as_str() {
            "stepBack" => Travel::StepBackOver,
            "stepBackInto" => Travel::StepBack,
            "stepBackOut" => Travel::StepBackOut,
            "reverseContinue" => Travel::ReverseContinue,
            "goToPresent" => Travel::GoToPresent,
            "restartFrame" => {
                let frame = params.required("frameId", params.number("frameId", 0, u32::MAX)?)?;
                self.needs_history()?;
                Travel::RestartFrame(self.references.frame(frame)?)
            }
            "goToStep" => Travel::GoToStep(params.required("step", params.count("step", 1)?)?),
            other => return Err(unknown(other)),
        };
        self.needs_history()?;
        self.phase = Phase::Running;
        self.ask(from, Request::Resume(Resume::Travel(travel)), Kind::Resume, work);
        Ok(())
    }

    fn needs_history(&self) -> Result<(), Refusal> {
        self.needs_stop()?;
        match self.keeps_history {
            true => Ok(()),
            false => Err("no history is kept: launch the program with \"history\": true".into()),
        }
    }

    pub(super) fn resume(
        &mut self,
        from: &From,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        check_thread(params)?;
        let how = match from.command.as_str() {
            "continue" => Resume::Continue,
            "next" => Resume::StepOver,
            "stepOut" => Resume::StepOut,
            "stepIn" => match params.number("targetId", 0, u32::MAX)? {
                Some(target) => Resume::StepIntoTarget(target),
                None => Resume::StepInto,
            },
            other => return Err(unknown(other)),
        };
        self.needs_stop()?;
        self.phase = Phase::Running;
        self.ask(from, Request::Resume(how), Kind::Resume, work);
        Ok(())
    }
}
