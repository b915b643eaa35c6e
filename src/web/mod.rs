//! A session in a page: the engine, its reader and its writer are one thread of a worker (`web/worker.js`), which lets
//! the page go on while the engine waits, and at turns.
//!
//! The worker calls the functions of [`exports`]; what it has to give is [`page`](ez_runtime::page). The client speaks the
//! protocol of SPEC.md.

mod explain;
mod exports;
mod past;
mod session;
mod turns;

use std::panic;

use ez_runtime::page::imports;

/// Has the worker told why the engine ends, if it does so unexpectedly: a panic ends the instance.
fn report_panics() {
    panic::set_hook(Box::new(|panic| imports::log(&panic.to_string())));
}
