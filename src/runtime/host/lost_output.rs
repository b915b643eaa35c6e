//! Output of this process that could not be written, such as to a full disk: it is reported at the end.

use std::io;

use crate::sync::Mutex;

/// The first error.
static LOST: Mutex<Option<String>> = Mutex::new(None);

/// Keeps an error of writing to standard output. A reader that is gone does not count: it wants no more.
pub fn note_lost_output(error: &io::Error) {
    if error.kind() != io::ErrorKind::BrokenPipe {
        LOST.lock().get_or_insert_with(|| crate::platform::reason(error));
    }
}

/// Why output was lost, if it was.
pub fn lost_output() -> Option<String> {
    LOST.lock().clone()
}
