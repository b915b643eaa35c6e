//! `ez kernel`: a kernel for Jupyter, a front end of a session of cells.
//!
//! Three threads: the engine runs on the process's first one, [`Sockets`] on another, and on the third one
//! [`Kernel`] carries out requests, one message at a time.

mod answers;
mod asked;
mod cell_debugger;
mod cells;
mod complete;
mod debug;
mod dispatch;
mod history;
mod inspect;
mod install;
mod output;
mod parent;
mod places;
mod running_cell;

use std::path::PathBuf;

use crossbeam_channel::{bounded, unbounded};

use crate::clients::{local, show};
use crate::protocol::SessionHandle;
use crate::protocol::jupyter::{ConnectionFile, Signer, Sockets};
use ez_engine::session::Session;
use ez_runtime::platform::{on_interrupt, path_of};
use ez_runtime::threads;

use dispatch::{Inputs, Kernel, Signal};
pub use install::{KernelFolder, NAME};
pub use places::Restrictions;

/// Parameters of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Where the front end expects the kernel.
    pub connection_file: String,
    /// What its programs must not do.
    pub restrictions: Restrictions,
}

/// What `ez kernel` is to do.
#[derive(Debug, PartialEq)]
pub enum KernelAction {
    Run(Options),
    Install(KernelFolder, Restrictions),
    Uninstall(KernelFolder),
    List,
}

/// How many items of the session may wait for the kernel: it may be busy, and output must not pile up.
const ITEMS: usize = 4;

/// Carries out `ez kernel`; returns the exit status, or ends the process.
pub fn carry_out(action: KernelAction) -> u8 {
    match action {
        KernelAction::Run(options) => show::status(kernel(options)),
        KernelAction::Install(kernel, restrictions) => install::install(&kernel, &restrictions),
        KernelAction::Uninstall(kernel) => install::uninstall(&kernel),
        KernelAction::List => {
            show::print(&places::Surroundings::of_this_process().listed());
            0
        }
    }
}

/// Runs a kernel until a front end ends it. Ends the process, or returns why it cannot be started.
fn kernel(options: Options) -> Result<u8, String> {
    let (file, sockets) = ConnectionFile::read(&path_of(&options.connection_file))
        .and_then(|file| Sockets::listen(&file).map(|sockets| (file, sockets)))
        .map_err(|why| format!("Error: {why}"))?;
    Ok(local::serve(None, move |session, _| show::status(front_end(&file, sockets, options, session))))
}

fn front_end(
    file: &ConnectionFile,
    sockets: Sockets,
    options: Options,
    session: Session,
) -> Result<u8, String> {
    let signer = Signer::new(&file.key);
    let (to_kernel, arrivals) = unbounded();
    let welcomer = signer.clone();
    let outlet = sockets
        .serve(to_kernel, move |topic| dispatch::welcome(&welcomer, topic))
        .map_err(|error| format!("Error: {}", ez_runtime::platform::reason(&error)))?;
    let link = SessionHandle::own(session.clone());
    let sender = link.sender();
    let items = items_of(link).map_err(|_| "Error: no thread for the kernel")?;
    let (signalled, signals) = unbounded();
    let heard = signalled.clone();
    // If Ctrl+C cannot be handled, it ends the process.
    let _ = on_interrupt(move || {
        let _ = heard.send(Signal::Interrupt);
    });
    parent::watch(move || {
        let _ = signalled.send(Signal::ParentIsGone);
    });
    let inputs = Inputs { arrivals, items, signals };
    Ok(Kernel::new(sender, &session, outlet, signer, inputs, &cell_folder()).run(&options.restrictions))
}

/// What the session sends, through a channel.
fn items_of(link: SessionHandle) -> std::io::Result<crossbeam_channel::Receiver<ez_engine::session::Item>> {
    let (to_kernel, items) = bounded(ITEMS);
    threads::spawn("items", move || {
        while let Some(item) = link.next() {
            // Once the kernel has ended, the rest is taken so that nobody waits for it.
            let _ = to_kernel.send(item);
        }
    })?;
    Ok(items)
}

/// The folder in which the files of cells would be, if they had files.
fn cell_folder() -> PathBuf {
    // JupyterLab shows paths with these letters as the names of cells.
    std::env::temp_dir().join(format!("ez_ipykernel_{}", std::process::id()))
}
