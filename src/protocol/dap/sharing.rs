//! Sessions that several clients use: the requests `share`, `unshare` and `guests`, and what the others do.

use serde_json::{Value, json};

use crate::protocol::{Messages, Received, sharing};
use ez_engine::api::{
    Breakpoint, BreakpointLocation, ChangeReason, Company, GetGuests, GetState, Guest, RemoveBreakpoint,
    Role, Status, Unshare,
};
use ez_runtime::visible::quoted;

use super::breakpoints::WireBreakpoint;
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler, THREAD};

// These are custom requests.
pub const REQUESTS: &[(&str, Handler)] = &[
    ("share", DapFrontEnd::share),
    ("unshare", DapFrontEnd::unshare),
    ("guests", DapFrontEnd::guests),
    ("removeBreakpoint", DapFrontEnd::remove_breakpoint),
];

/// What the client is in a session that several may use.
#[derive(Default)]
pub(super) struct Part {
    /// What it is, if it is a guest.
    pub guest: Option<Guest>,
    /// The name with which it attaches.
    pub name: Option<String>,
    /// Whether it is told of guests, and of other clients' breakpoints with all their options, by events of our own.
    pub is_told: bool,
}

impl Part {
    pub fn is_guest(&self) -> bool {
        self.guest.is_some()
    }

    pub fn is_observer(&self) -> bool {
        self.guest.as_ref().is_some_and(|guest| guest.role == Role::Observer)
    }
}

fn described(guest: &Guest) -> Value {
    json!({"name": guest.name, "role": guest.role.name()})
}

impl DapFrontEnd {
    fn share(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        self.ask(from, sharing::share(params)?, work, |this, from, shared, out| {
            let tokens =
                shared.tokens.iter().map(|(role, token)| (role.name().to_string(), token.clone().into()));
            let tokens = Value::Object(tokens.collect());
            let mut body = json!({"host": shared.host, "port": shared.port, "tokens": tokens});
            if let (Some(why), Some(members)) = (&shared.unlisted, body.as_object_mut()) {
                members.insert("message".into(), why.clone().into());
            }
            this.numbering.success(out, from, Some(body));
        });
        Ok(())
    }

    fn unshare(&mut self, Call { from, work, .. }: Call) -> Result<(), Refusal> {
        self.ask(from, Unshare, work, DapFrontEnd::done);
        Ok(())
    }

    fn guests(&mut self, Call { from, work, .. }: Call) -> Result<(), Refusal> {
        self.ask(from, GetGuests, work, |this, from, guests, out| {
            let guests: Vec<Value> = guests.iter().map(described).collect();
            this.numbering.success(out, from, Some(json!({ "guests": guests })));
        });
        Ok(())
    }

    /// Removes a breakpoint, which may be one of another client: for clients that leave disabled ones out of
    /// `setBreakpoints`, so that those are only disabled.
    fn remove_breakpoint(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let told = params.required("breakpointId", params.number("breakpointId", 1, u32::MAX)?)?;
        let id = self.client().numbers.breakpoint(told);
        self.ask(from, RemoveBreakpoint(id), work, DapFrontEnd::done);
        Ok(())
    }

    /// Another client has done something.
    pub(super) fn company(&mut self, company: &Company, out: &mut Messages) {
        match company {
            Company::Joined(guest) => {
                self.guest_event("guestJoined", described(guest), out);
                let text =
                    format!("{} has joined the session ({}).\n", quoted(&guest.name), guest.role.name());
                self.numbering.output(out, "console", &text);
            }
            Company::Left(guest) => {
                self.guest_event("guestLeft", described(guest), out);
                self.numbering.output(
                    out,
                    "console",
                    &format!("{} has left the session.\n", quoted(&guest.name)),
                );
            }
            Company::Resumed(_) | Company::Restarted(_) => {
                self.phase = Status::Running;
                self.waits_for_input = false;
                self.references.clear();
                let body = json!({"threadId": THREAD, "allThreadsContinued": true});
                self.numbering.event(out, "continued", body);
            }
            Company::Changed(_) => self.invalidate(out),
            Company::Dismissed(why) => {
                self.numbering.output(out, "important", &format!("{why}\n"));
                self.end(out);
            }
        }
    }

    /// Writes an event of our own, if the client knows it.
    fn guest_event(&mut self, name: &'static str, body: Value, out: &mut Messages) {
        if self.part.is_told {
            self.numbering.event(out, name, body);
        }
    }

    /// A breakpoint has changed that this client has not asked to change.
    pub(super) fn breakpoint_changed(
        &mut self,
        breakpoint: &Breakpoint,
        reason: ChangeReason,
        by: Option<&str>,
        out: &mut Messages,
    ) {
        let is_own = self.breakpoints.has(breakpoint.id);
        if reason == ChangeReason::Removed {
            self.breakpoints.remove(breakpoint.id);
        }
        let shown = WireBreakpoint::new(breakpoint, &self.client(), false);
        if !self.part.is_told || is_own && reason == ChangeReason::Changed && by.is_none() {
            let body = json!({"reason": reason.name(), "breakpoint": shown});
            self.numbering.event(out, "breakpoint", body);
            return;
        }
        // Editors keep only line and column of breakpoints that they are told of: their extension sets these.
        let options = &breakpoint.options;
        let function = match &breakpoint.place {
            BreakpointLocation::Function { name } => Some(name),
            BreakpointLocation::Line { .. } | BreakpointLocation::Data { .. } => None,
        };
        let body = json!({
            "reason": reason.name(),
            "breakpoint": shown,
            "functionName": function,
            "condition": options.condition,
            "hitCondition": options.hit_condition,
            "logMessage": options.log_message,
            "enabled": options.enabled,
            "by": by,
        });
        self.guest_event("guestBreakpoint", body, out);
    }

    /// Asks for the breakpoints of the other clients, to show them, once a guest has set its own.
    pub(super) fn ask_for_others_breakpoints(&mut self, work: &mut Vec<Received>) {
        if !self.part.is_guest() {
            return;
        }
        self.ask_for_itself(GetState, work, |this, state, out| {
            for breakpoint in &state.breakpoints {
                if !this.breakpoints.has(breakpoint.id) {
                    this.breakpoint_changed(breakpoint, ChangeReason::New, Some(""), out);
                }
            }
        });
    }
}
