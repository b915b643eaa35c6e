//! The functions of the worker.

#![allow(unsafe_code)]

/// What was read.
pub enum Read {
    /// This many bytes; none, if there is something else to look at, or the time is over.
    Bytes(usize),
    /// Nothing more will come.
    End,
}

/// What [`grow`] passes through the worker.
struct Work<'a>(&'a mut dyn FnMut());

mod worker {
    #[link(wasm_import_module = "ez")]
    unsafe extern "C" {
        pub fn read(at: *mut u8, most: usize, wait: f64) -> isize;
        pub fn write(at: *const u8, count: usize);
        pub fn log(at: *const u8, count: usize);
        pub safe fn monotonic() -> f64;
        pub safe fn time_of_day() -> f64;
        pub fn random(at: *mut u8, count: usize);
        pub fn past_write(number: u32, at: *const u8, count: usize);
        pub fn past_read(number: u32, at: *mut u8, most: usize) -> usize;
        pub safe fn past_end(number: u32);
        pub safe fn has_stacks() -> i32;
        pub safe fn next_work(stack: u32) -> *mut u8;
        pub fn grow(work: *mut u8, bytes: u32) -> i32;
        pub fn written(path: *const u8, path_count: usize, data: *const u8, count: usize);
    }
}

/// Suspends until bytes have come from the client, or from an instance of the past ([`past_read`]), or this many
/// milliseconds have passed (negative: without limit). With 0, only lets the worker receive what has come. While the
/// page has not received what was written, this may take longer.
pub fn read(buffer: &mut [u8], wait: f64) -> Read {
    // The worker writes at most as many bytes as the buffer has.
    let count = unsafe { worker::read(buffer.as_mut_ptr(), buffer.len(), wait) };
    usize::try_from(count).map_or(Read::End, Read::Bytes)
}

/// Sends bytes to the client; in an instance of the past, to the one that has started it.
pub fn write(bytes: &[u8]) {
    // The worker only reads, before it returns.
    unsafe { worker::write(bytes.as_ptr(), bytes.len()) };
}

/// Why the engine is about to end unexpectedly.
pub fn log(text: &str) {
    // As `write`.
    unsafe { worker::log(text.as_ptr(), text.len()) };
}

/// Milliseconds since some time.
pub fn monotonic() -> f64 {
    worker::monotonic()
}

/// Milliseconds since 1970-01-01 00:00:00 UTC.
pub fn time_of_day() -> f64 {
    worker::time_of_day()
}

/// Fills a buffer with secure random bytes.
pub fn random(buffer: &mut [u8]) {
    // As `read`.
    unsafe { worker::random(buffer.as_mut_ptr(), buffer.len()) };
}

/// Sends bytes to the instance of the past with this number, which is started if there is none.
pub fn past_write(number: u32, bytes: &[u8]) {
    // As `write`.
    unsafe { worker::past_write(number, bytes.as_ptr(), bytes.len()) };
}

/// Takes bytes that an instance of the past has sent; returns how many, 0 if there are none.
pub fn past_read(number: u32, buffer: &mut [u8]) -> usize {
    // As `read`.
    unsafe { worker::past_read(number, buffer.as_mut_ptr(), buffer.len()) }
}

/// Ends an instance of the past.
pub fn past_end(number: u32) {
    worker::past_end(number);
}

/// Whether the browser can suspend a stack, so that there can be several.
pub fn has_stacks() -> bool {
    worker::has_stacks() != 0
}

/// Calls `work` on a new stack of the browser, and suspends the present one until that has returned. Without
/// [`has_stacks`], calls it on the present one, if that has this many bytes left. Returns whether it was called.
pub fn grow(bytes: u32, work: &mut dyn FnMut()) -> bool {
    let mut work = Work(work);
    // The worker passes it to `ez_stack` or to `ez_on_this_stack`, and returns after that.
    unsafe { worker::grow((&raw mut work).cast(), bytes) != 0 }
}

/// Shows a file to the worker, which copies what it wants.
pub fn written(path: &str, data: &[u8]) {
    // As `write`.
    unsafe { worker::written(path.as_ptr(), path.len(), data.as_ptr(), data.len()) };
}

/// What [`grow`] has the worker call, where there is one stack.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn ez_on_this_stack(work: *mut u8) -> i32 {
    unsafe { ((*work.cast::<Work>()).0)() };
    1
}

/// A stack, which carries out the work of [`grow`], one after the other: browsers give back what a stack took much
/// later than it is not needed any more. While it waits for work, it has nothing in memory, which belongs to others then.
#[unsafe(no_mangle)]
extern "C" fn ez_stack(number: u32) {
    loop {
        let work = worker::next_work(number);
        if work.is_null() {
            return;
        }
        // It is that of a call of `grow`, which waits until the next work is asked for.
        unsafe { ez_on_this_stack(work) };
    }
}

/// The source of random bytes of the crate `getrandom`, by its documentation.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(at: *mut u8, count: usize) -> Result<(), getrandom::Error> {
    unsafe { worker::random(at, count) };
    Ok(())
}
