//! Requests about the session and about running the program.

use serde_json::{Value, json};

use crate::protocol::params::Params;
use crate::protocol::{Messages, Received};
use ez_engine::api::{
    Disconnect, Done, Initialized, Input, Kill, Launch, Limits, Request, Restart, Restarted, Start, Status,
    Terminate,
};

use super::asking::nobody;
use super::capabilities::capabilities;
use super::client::Client;
use super::decode::RequestHeader;
use super::expected_output::{ATTRIBUTE, attribute};
use super::own_messages::OwnMessage;
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler, Origin, THREAD};

/// The attributes of `launch` that a restart cannot change.
const KEPT_AT_RESTART: [&str; 10] = [
    "stopOnEntry",
    "cwd",
    "deny",
    "memoryLimit",
    "history",
    "noDebug",
    "subProcess",
    "console",
    "replay",
    ATTRIBUTE,
];

/// Whether an attribute of `launch` has the value that it has if it is left out.
fn is_default(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => *value == (name == "subProcess"),
        Value::String(value) => name == "console" && value == "internalConsole",
        Value::Array(list) => list.is_empty(),
        Value::Number(_) | Value::Object(_) => false,
    }
}

/// Limits for requests whose values are not used.
pub const NOTHING: Limits = Limits { parts: 0, bytes: 0 };

pub const REQUESTS: &[(&str, Handler)] = &[
    ("initialize", DapFrontEnd::initialize),
    ("launch", DapFrontEnd::launch),
    ("restart", DapFrontEnd::restart),
    ("terminate", DapFrontEnd::terminate),
    ("disconnect", DapFrontEnd::disconnect),
    ("cancel", DapFrontEnd::cancel),
];

/// How a `launch` or `attach` wants to debug. `noDebug` switches all of it off: a session that never stops has no use for
/// anything else.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Debugging {
    pub off: bool,
    pub stops_on_entry: bool,
    /// Whether child processes get sessions.
    pub follows_children: bool,
    pub keeps_history: bool,
}

impl Debugging {
    /// What the arguments of a request ask for.
    ///
    /// # Errors
    /// If one of them is wrong.
    pub fn new(params: &Params) -> Result<Debugging, String> {
        let off = params.flag("noDebug")?;
        Ok(Debugging {
            off,
            stops_on_entry: params.flag("stopOnEntry")? && !off,
            follows_children: params.choice("subProcess")?.unwrap_or(true) && !off,
            keeps_history: params.flag("history")? && !off,
        })
    }
}

impl DapFrontEnd {
    fn initialize(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        if self.client.is_some() {
            return Err("the session is initialized already".into());
        }
        self.client = Some(Client::new(params)?);
        self.reply_with(
            OwnMessage::AnswerAndEvent(from.clone(), Some(capabilities(self.listens)), "initialized"),
            work,
        );
        Ok(())
    }

    fn launch(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        self.begins()?;
        let replay = params.path("replay")?;
        let program = match &replay {
            // The recording contains the program.
            Some(recording) => recording.clone(),
            None => self.client().plain_path(params.required_path("program")?)?,
        };
        let consoles = [
            ("internalConsole", None),
            ("integratedTerminal", Some("integrated")),
            ("externalTerminal", Some("external")),
        ];
        if let Some(Some(kind)) = params.word("console", &consoles)? {
            return self.launch_in_terminal(kind, Call { from, params, work });
        }
        let debugging = Debugging::new(params)?;
        let input = params.text("input")?.map(str::to_string);
        let launch = Launch {
            file: replay.is_none().then(|| program.clone()),
            source: None,
            working_dir: params.path("cwd")?,
            args: params.texts("args")?.unwrap_or_default(),
            env: params.changes("env")?.unwrap_or_default(),
            stop_on_entry: Some(debugging.stops_on_entry),
            keep_alive: true,
            history: debugging.keeps_history,
            replay,
            deny: params.capabilities("deny")?,
            memory_limit: params.size("memoryLimit")?,
            children: debugging.follows_children,
            limits: NOTHING,
            observe: None,
            cells: None,
            expected: attribute(params)?.filter(|_| !debugging.off),
        };
        self.origin = Origin::Launched;
        self.configuration = params.all().clone();
        self.debugging = debugging;
        self.part.is_told = params.flag("guestEvents")?;
        self.program = Some(program);
        self.phase = Status::Ready;
        if self.debugging.off {
            // Breakpoints that were set before `noDebug` was known.
            self.forget_breakpoints(work);
        }
        self.ask_or(from, launch, work, DapFrontEnd::launched, |this, from, failure, refusal, out| {
            this.origin = Origin::None;
            this.not_loaded(from, failure, refusal, Status::NotInitialized, out);
        });
        self.ask_for_files(work);
        self.give_input(input, work);
        if self.configuring.is_done {
            self.start(None, work);
        }
        Ok(())
    }

    /// Gives the program all of its input, if the client has it.
    fn give_input(&mut self, text: Option<String>, work: &mut Vec<Received>) {
        let Some(text) = text else { return };
        let input = Input { text: Some(text), eof: true };
        // If the program is not loaded, its `launch` says so.
        self.ask_or(&nobody(), input, work, |_, _, _, _| (), |_, _, _, _, _| ());
    }

    /// Starts the program that was launched, for a request of the client, which is answered then.
    pub(super) fn start(&mut self, from: Option<&RequestHeader>, work: &mut Vec<Received>) {
        self.phase = Status::Running;
        let answers = from.is_some();
        let nobody = nobody();
        let started = move |this: &mut DapFrontEnd, from: &RequestHeader, _: &Done, out: &mut Messages| {
            if answers {
                this.numbering.success(out, from, None::<()>);
            }
            let body = json!({"reason": "started", "threadId": THREAD});
            this.numbering.event(out, "thread", body);
        };
        // If the program could not be loaded, its `launch` says so.
        let failed = move |this: &mut DapFrontEnd, from: &RequestHeader, _: &_, _, out: &mut _| {
            if answers {
                this.numbering.success(out, from, None::<()>);
            }
        };
        let start = Start { stop_on_entry: Some(self.debugging.stops_on_entry) };
        self.ask_or(from.unwrap_or(&nobody), start, work, started, failed);
    }

    fn restart(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        match self.phase {
            Status::NotInitialized => return Err("no program is launched".into()),
            Status::Exited if !self.part.is_guest() || self.is_over => {
                return Err("the program has ended".into());
            }
            Status::Ready | Status::Running | Status::Stopped | Status::Exited => {}
        }
        let program = self.program.clone();
        let client = self.client();
        let configuration = self.configuration.clone();
        let was_launched = self.origin == Origin::Launched;
        let restart = params.object("arguments", |launch| {
            let other = launch.path("program")?.map(|path| client.plain_path(path)).transpose()?;
            if other.is_some() && other != program {
                return Err("another program cannot be restarted: launch it in a session of its own".into());
            }
            let before = |name: &str| configuration.get(name).filter(|value| !is_default(name, value));
            let now = |name: &str| launch.get(name).filter(|value| !is_default(name, value));
            let mut kept = KEPT_AT_RESTART.into_iter().filter(|_| was_launched);
            if let Some(name) = kept.find(|name| launch.has(name) && now(name) != before(name)) {
                return Err(format!("'{name}' cannot change at a restart: launch the program anew"));
            }
            let (args, env) = (launch.texts("args")?, launch.changes("env")?);
            let input = launch.text("input")?.map(str::to_string);
            Ok((Restart { args, env, ..Restart::default() }, input))
        })?;
        let (restart, input) = restart.unwrap_or_default();
        let before = Params::new(&configuration).text("input")?.map(str::to_string);
        let input = input.or(before).filter(|_| was_launched);
        let before = std::mem::replace(&mut self.phase, Status::Running);
        self.configuring.is_done = true;
        self.waits_for_input = false;
        // A guest has not begun the session.
        let stop_on_entry = (!self.part.is_guest()).then_some(self.debugging.stops_on_entry);
        let restart = Restart { stop_on_entry, ..restart };
        self.ask_or(from, restart, work, DapFrontEnd::restarted, move |this, from, failure, refusal, out| {
            this.not_loaded(from, failure, refusal, before, out);
        });
        self.ask_for_files(work);
        self.give_input(input, work);
        Ok(())
    }

    fn terminate(&mut self, Call { from, work, .. }: Call) -> Result<(), Refusal> {
        match self.phase {
            Status::NotInitialized => return Err("no program is launched".into()),
            // The program is the owner's.
            Status::Ready | Status::Running | Status::Stopped | Status::Exited
                if self.part.is_guest() && !self.is_over =>
            {
                self.ask(from, Disconnect { resume: false }, work, DapFrontEnd::disconnected);
                self.expect_to_leave();
            }
            Status::Running | Status::Stopped => {
                self.ask(from, Kill, work, DapFrontEnd::done);
            }
            Status::Ready => {
                (self.phase, self.is_over) = (Status::Exited, true);
                self.reply_with(OwnMessage::AnswerAndEvent(from.clone(), None, "terminated"), work);
            }
            Status::Exited => self.answer_now(from, None, work),
        }
        Ok(())
    }

    fn disconnect(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let terminates = params.choice("terminateDebuggee")?.unwrap_or(self.origin == Origin::Launched);
        // The program is the owner's.
        let terminates = terminates && !self.part.is_guest();
        let resume = self.origin != Origin::None && !params.flag("suspendDebuggee")?;
        self.leave_if_not_attached();
        // On standard streams the program ends with the adapter, since no other client can connect, unless it is in
        // another process.
        if terminates || !(self.listens || self.elsewhere.is_used()) {
            self.end_session(from, work);
        } else {
            self.ask(from, Disconnect { resume }, work, DapFrontEnd::disconnected);
        }
        self.expect_to_leave();
        Ok(())
    }

    fn cancel(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let under_way = self.journeys.under_way();
        if under_way.is_some() && params.text("progressId")? == under_way.as_deref() {
            self.ask_silently(Request::Pause, work);
        }
        if let Some(seq) = params.number("requestId", 0, u32::MAX)? {
            self.cancel_request(i64::from(seq), work);
        }
        self.answer_now(from, None, work);
        Ok(())
    }

    /// Ends the program and the session. The answer follows when that is done.
    pub(super) fn end_session(&mut self, from: &RequestHeader, work: &mut Vec<Received>) {
        if matches!(self.phase, Status::Running | Status::Stopped) {
            // So that its exit code is told.
            self.ask_silently(Request::Kill, work);
        }
        self.ask(from, Terminate, work, |this, from, _, _| this.disconnecting = Some(from.clone()));
    }

    /// The client has disconnected from a program that goes on.
    fn disconnected(&mut self, from: &RequestHeader, _: &Done, out: &mut Messages) {
        if self.phase != Status::NotInitialized && !self.is_over {
            self.end(out);
        }
        self.numbering.success(out, from, None::<()>);
        self.come_home();
    }

    /// The program has been loaded.
    fn launched(&mut self, from: &RequestHeader, program: &Initialized, out: &mut Messages) {
        self.numbering.success(out, from, None::<()>);
        if self.phase == Status::Exited {
            return;
        }
        self.process_event("launch", out);
        self.withdraw_going_back(out);
        self.problems(&program.warnings, out);
    }

    /// The program has been loaded again.
    fn restarted(&mut self, from: &RequestHeader, program: &Restarted, out: &mut Messages) {
        // The old run may have asked for input since the request was made.
        self.waits_for_input = false;
        self.references.clear();
        self.numbering.success(out, from, None::<()>);
        // Else an editor would still show the stop of the old run.
        self.numbering.event(out, "continued", json!({"threadId": THREAD, "allThreadsContinued": true}));
        self.problems(&program.0.warnings, out);
    }

    /// Tells the client that it cannot go back, if no history is kept.
    pub(super) fn withdraw_going_back(&mut self, out: &mut Messages) {
        if !self.debugging.keeps_history {
            let capabilities = json!({"supportsStepBack": false, "supportsRestartFrame": false});
            self.numbering.event(out, "capabilities", json!({ "capabilities": capabilities }));
        }
    }

    pub(super) fn process_event(&mut self, how: &str, out: &mut Messages) {
        let body = json!({
            "name": self.program,
            "systemProcessId": self.elsewhere.process.unwrap_or_else(std::process::id),
            "isLocalProcess": true,
            "startMethod": how,
        });
        self.numbering.event(out, "process", body);
    }
}
