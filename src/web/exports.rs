//! The functions that the worker calls.

#![allow(unsafe_code)]

use std::cell::RefCell;

use super::{explain, past, report_panics, session};
use crate::protocol::{SharedFrontEnd, ez};

thread_local! {
    /// The files of the program: paths and texts.
    static FILES: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
}

/// Memory for this many bytes, which the worker fills and passes to one of the functions below.
#[unsafe(no_mangle)]
extern "C" fn ez_buffer(count: usize) -> *mut u8 {
    Box::leak(vec![0u8; count].into_boxed_slice()).as_mut_ptr()
}

/// The text in memory of [`ez_buffer`], which must be passed once.
unsafe fn text(at: *mut u8, count: usize) -> String {
    let bytes = unsafe { Vec::from_raw_parts(at, count, count) };
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Adds a file of the program.
#[unsafe(no_mangle)]
unsafe extern "C" fn ez_file(path: *mut u8, path_count: usize, content: *mut u8, content_count: usize) {
    let file = unsafe { (text(path, path_count), text(content, content_count)) };
    FILES.with(|files| files.borrow_mut().push(file));
}

/// Runs a session to its end; returns its exit status. `main` is the path of the program, if the client does not name
/// it. Suspends.
#[unsafe(no_mangle)]
unsafe extern "C" fn ez_session(main: *mut u8, count: usize) -> i32 {
    let main = unsafe { text(main, count) };
    run(main, ez::front_end())
}

/// Explains why the program writes something else than is expected, to the client of [`explain::front_end`]. Suspends.
#[unsafe(no_mangle)]
unsafe extern "C" fn ez_explain(main: *mut u8, count: usize) -> i32 {
    let main = unsafe { text(main, count) };
    run(main, explain::front_end())
}

fn run(main: String, front_end: SharedFrontEnd) -> i32 {
    report_panics();
    session::run(FILES.with(RefCell::take), main, front_end).into()
}

/// Shows the worker (`written`) the files that the program has written. It may be called while the session is suspended.
#[unsafe(no_mangle)]
extern "C" fn ez_written() {
    session::show_written();
}

/// Removes a file that the program has written. As [`ez_written`].
#[unsafe(no_mangle)]
unsafe extern "C" fn ez_remove(path: *mut u8, count: usize) {
    session::remove(&unsafe { text(path, count) });
}

/// Runs the past of a session that another instance has. Suspends.
#[unsafe(no_mangle)]
extern "C" fn ez_past() {
    report_panics();
    past::run();
}
