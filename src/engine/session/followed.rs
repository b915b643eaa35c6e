//! A session's dealings with child processes, and with the session of its parent.

use crate::api::{ChildEnd, ChildProcess, Event};

use super::children::Order;
use super::machine::{ChildAnswer, Machine};
use super::{Session, Shared};

impl Session {
    /// In a child process: the program waits for a client no longer, neither now nor later.
    pub fn release(&self) {
        self.shared.with_machine(false, Machine::release);
    }

    /// In a child process: the session of its parent has ended. The program waits no longer if no client is
    /// there, and when that one goes.
    pub fn parent_gone(&self) {
        self.shared.with_machine(false, Machine::parent_gone);
    }

    /// A child process has announced itself; it is answered at once.
    pub(super) fn child_announced(&self, child: ChildProcess) {
        self.shared.with_machine(false, |machine, now| machine.child_announced(child, now));
    }

    /// A child process has been started, by a client of its own or by being released.
    pub(super) fn child_started(&self, pid: u32) {
        self.shared.with_machine(false, |machine, _| machine.child_started(pid));
    }

    /// In a child process: `report` is called when the program is started.
    pub fn when_started(&self, report: impl FnOnce() + Send + 'static) {
        *self.shared.when_started.lock() = Some(Box::new(report));
    }

    /// A child process has ended.
    pub(super) fn child_ended(&self, end: ChildEnd) {
        self.shared.with_machine(false, |machine, now| machine.child_ended(end, now));
    }
}

impl Shared {
    /// The order with which a child process is answered.
    pub(super) fn order(&self, answer: ChildAnswer) -> Order {
        match answer {
            ChildAnswer::Follow { held } => Order::Follow {
                held,
                breakpoints: self.breakpoints.get(),
                settings: *self.child_settings.lock(),
            },
            ChildAnswer::Run => Order::Run,
            ChildAnswer::End => Order::End,
        }
    }

    /// The value of the environment variable for a program whose child processes are followed; `None` if they
    /// cannot be, which the client is told.
    pub(super) fn contact(&self) -> Option<String> {
        let contact = self.children.contact();
        contact
            .inspect_err(|error| {
                let why = ez_runtime::platform::reason(error);
                self.streams.outbox.event(Event::Log(format!("child processes are not followed: {why}\n")));
            })
            .ok()
    }
}
