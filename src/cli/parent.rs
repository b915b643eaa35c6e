//! Programs that were started by a debugged program: they announce themselves to its session.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::clients::show::with_lost_output;
use ez_engine::api::{BreakpointRequest, ChildProcess, Entrance, KILLED, Request, SetBreakpoint};
use ez_engine::session::children::{ChildSettings, Order, ParentLink, announce};
use ez_engine::session::{Session, SessionRef};
use ez_runtime::host::inherited_value;
use ez_runtime::platform;
use ez_runtime::sync::Mutex;

/// The connection to the session of this process's parent, once it has answered.
static PARENT: OnceLock<ParentLink> = OnceLock::new();

/// How a program that was announced is to run in a session.
pub(super) struct Followed {
    /// Whether to wait for a client before the first statement.
    pub held: bool,
    /// The breakpoints of the parent's session.
    pub breakpoints: Vec<SetBreakpoint>,
    /// How to run the program.
    pub settings: ChildSettings,
    /// The program's session, once there is one, and whether it was released before that.
    session: Arc<Mutex<(Option<SessionRef>, bool)>>,
}

/// Announces the program that this process is about to run, if its parent's session wants to know. `entrance` is
/// where debuggers could attach to it. Returns how it is to run in a session; `None` if it is to run without.
pub(super) fn announced(file: &str, args: &[String], entrance: Option<Entrance>) -> Option<Followed> {
    let contact = inherited_value()?;
    let directory = std::env::current_dir().map(|path| platform::slashed(&path));
    let process = ChildProcess {
        pid: std::process::id(),
        parent: platform::parent_id(),
        file: file.into(),
        args: args.to_vec(),
        directory: directory.unwrap_or_default(),
        entrance,
        held: false,
    };
    let (mut link, order) = announce(&contact, process)?;
    let session = Arc::new(Mutex::new((None::<SessionRef>, false)));
    let of_orders = session.clone();
    link.obey(move |order| obey(order, &of_orders));
    let _ = PARENT.set(link);
    match order {
        Order::Follow { held, breakpoints, settings } => {
            Some(Followed { held, breakpoints, settings, session })
        }
        Order::Run | Order::Release => None,
        Order::End => exit_killed(),
    }
}

/// Carries out an order of the parent's session; `None`: it has ended.
fn obey(order: Option<Order>, session: &Mutex<(Option<SessionRef>, bool)>) {
    let mut session = session.lock();
    let own = session.0.as_ref().map(SessionRef::upgrade);
    match (order, own) {
        (Some(Order::End), Some(Some(own))) => own.terminate(),
        (Some(Order::End), _) => exit_killed(),
        (Some(Order::Release), Some(own)) => {
            own.inspect(Session::release);
        }
        (None, Some(own)) => {
            own.inspect(Session::parent_gone);
        }
        (Some(Order::Release) | None, None) => session.1 = true,
        (Some(Order::Follow { .. } | Order::Run), _) => {}
    }
}

impl Followed {
    /// Lets the parent's session control this one, whose program is being loaded, and sets the breakpoints in the
    /// program's `files`.
    pub fn control(&self, own: &Session, files: &[PathBuf]) {
        let files: Vec<_> = files.iter().filter_map(|path| platform::file_identity(path).ok()).collect();
        let is_there = |breakpoint: &&SetBreakpoint| {
            platform::file_identity(&platform::path_of(&breakpoint.file))
                .is_ok_and(|file| files.contains(&file))
        };
        for breakpoint in self.breakpoints.iter().filter(is_there) {
            own.request(Request::Breakpoint(BreakpointRequest::Set(breakpoint.clone())));
        }
        own.when_started(|| {
            if let Some(parent) = PARENT.get() {
                parent.started();
            }
        });
        let mut session = self.session.lock();
        session.0 = Some(own.downgrade());
        if !self.held || session.1 {
            own.release();
        }
    }
}

/// Tells the parent's session, if there is one, that this process is about to end with a status.
pub(super) fn ended(status: u8) {
    if let Some(parent) = PARENT.get() {
        parent.ended(i32::from(status));
    }
}

/// Tells the parent's session that this process is about to end, with a status of which lost output has not been
/// considered yet. Returns the status of the process.
pub(super) fn ended_with(status: u8) -> u8 {
    let status = with_lost_output(status);
    ended(status);
    status
}

/// Ends this process at once, because the session of its parent wants it.
fn exit_killed() -> ! {
    if let Some(parent) = PARENT.get() {
        parent.report(KILLED);
    }
    std::process::exit(KILLED)
}
