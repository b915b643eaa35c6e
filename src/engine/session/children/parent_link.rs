//! The child's side: announces this process to the session of the program that has started it.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use crate::api::ChildProcess;
use ez_runtime::clock::Instant;
use ez_runtime::sync::{Condvar, Mutex};
use ez_runtime::threads;

use super::contact::Contact;
use super::lines::{SocketLines, WRITING, write_message};
use super::{Announcement, Order, Report, VERSION};

/// How long to wait for the answer to an announcement.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the end of this process waits until the session has noticed it.
const FAREWELL: Duration = Duration::from_millis(500);

/// The connection to the session of the program that has started this process.
pub struct ParentLink {
    stream: TcpStream,
    /// Whether the session has closed the connection.
    closed: Arc<(Mutex<bool>, Condvar)>,
    /// The orders that are not received yet.
    lines: Option<SocketLines>,
}

/// Announces this process to the session at `contact` (the value of the environment variable), and waits for its
/// answer, for two seconds at most. `None` if there is no such session, or it does not answer.
pub fn announce(contact: &str, process: ChildProcess) -> Option<(ParentLink, Order)> {
    let contact = Contact::parse(contact)?;
    let until = Instant::now() + PATIENCE;
    let stream = TcpStream::connect_timeout(&contact.address, PATIENCE).ok()?;
    stream.set_write_timeout(Some(WRITING)).ok()?;
    let _ = stream.set_nodelay(true);
    let mut lines = SocketLines::new(stream.try_clone().ok()?);
    let mut writer = &stream;
    writer.write_all(format!("{}\n", contact.key.text()).as_bytes()).ok()?;
    // Nobody else learns the token.
    let answer = lines.next(contact.answer.text().len(), Some(until))?;
    if !contact.answer.is(&answer) {
        return None;
    }
    write_message(&stream, &Announcement { version: VERSION, process }).ok()?;
    let order = lines.message(Some(until))?;
    Some((ParentLink { stream, closed: Arc::default(), lines: Some(lines) }, order))
}

impl ParentLink {
    /// Calls `obey` with each further order, on a thread of its own, and with `None` when the session has gone.
    pub fn obey(&mut self, mut obey: impl FnMut(Option<Order>) + Send + 'static) {
        let Some(mut lines) = self.lines.take() else { return };
        let closed = self.closed.clone();
        let receive = move || {
            while let Some(order) = lines.message(None) {
                obey(Some(order));
            }
            *closed.0.lock() = true;
            closed.1.notify_all();
            obey(None);
        };
        // Without the thread, the process is not held, and cannot be ended by the session.
        let _ = threads::spawn("parent", receive);
    }

    /// Reports that the program of this process has been started.
    pub fn started(&self) {
        // A session that has gone needs not know.
        let _ = write_message(&self.stream, &Report::Started);
    }

    /// Reports the exit status with which this process is about to end. Returns whether the session was there.
    pub fn report(&self, status: i32) -> bool {
        let reported = write_message(&self.stream, &Report::Ended(status)).is_ok();
        let _ = self.stream.shutdown(Shutdown::Write);
        reported
    }

    /// Reports the exit status as [`ParentLink::report`] does, and waits until the session has noticed, so that what
    /// its program does next comes after that. Not to be called by the thread of [`ParentLink::obey`].
    pub fn ended(&self, status: i32) {
        if !self.report(status) {
            return;
        }
        let until = Instant::now() + FAREWELL;
        let mut closed = self.closed.0.lock();
        while !*closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            closed = self.closed.1.wait_timeout(closed, left);
        }
    }
}
