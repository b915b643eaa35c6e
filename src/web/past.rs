//! The past of a session: what an instance does that another one has started.

use std::cell::RefCell;

use ez_engine::debug;
use ez_runtime::page::imports::{self, Read};
use ez_runtime::page::turns;

/// Maximum number of bytes per read.
const READ_SIZE: usize = 64 * 1024;

/// Runs the program's past for the other instance, which ends this one.
pub fn run() {
    debug::run_instance(imports::write, |mut arrive| {
        let buffer = RefCell::new(vec![0; READ_SIZE]);
        let arrive = RefCell::new(move |bytes: &[u8]| arrive(bytes));
        turns::wait_by(move |most| {
            let wait = most.map_or(-1.0, |most| most.as_secs_f64() * 1000.0);
            let mut buffer = buffer.borrow_mut();
            if let Read::Bytes(count) = imports::read(&mut buffer, wait) {
                (arrive.borrow_mut())(buffer.get(..count).unwrap_or_default());
            }
        });
    });
}
