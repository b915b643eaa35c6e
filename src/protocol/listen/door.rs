//! Where guests of a shared session connect.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ez_engine::api::{Failure, FailureKind, Role, Share, Shared};
use ez_engine::session::{Door, Session};
use ez_runtime::platform::reason;
use ez_runtime::sync::Mutex;
use ez_runtime::threads;

use super::gate::Admission;
use super::shared_sessions::Entry;
use super::{ClientListener, client};

/// The address on which a session is shared, unless another one is named.
const LOOPBACK: [SocketAddr; 1] = [SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0)];

/// How long waking the listener may take.
const WAKE: Duration = Duration::from_millis(100);

/// Lets guests connect over a socket, in all protocols. While it is open, the list of shared sessions has an entry.
#[derive(Default)]
pub struct GuestDoor {
    open: Mutex<Option<OpenDoor>>,
}

struct OpenDoor {
    address: SocketAddr,
    closed: Arc<AtomicBool>,
    /// Removed from the list when dropped.
    _entry: Option<Entry>,
}

impl Door for GuestDoor {
    fn open(&self, session: &Session, how: &Share) -> Result<Shared, Failure> {
        let addresses = if how.listen.is_empty() { &LOOPBACK[..] } else { &how.listen };
        let roles = if how.roles.is_empty() { &Role::ALL[..] } else { &how.roles };
        let admissions: Vec<Admission> = roles.iter().map(|role| Admission::Guest(*role)).collect();
        let failed = |error: std::io::Error| {
            let named: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
            let message = format!("Cannot share: {}: {}", named.join(", "), reason(&error));
            Failure::new(FailureKind::WrongState, message)
        };
        let listener = ClientListener::for_clients(addresses, None, &admissions).map_err(failed)?;
        let address = listener.address().map_err(failed)?;
        let token = |role: &Role| (*role, listener.gate.token(Admission::Guest(*role)).to_string());
        let mut shared = Shared {
            host: address.ip().to_string(),
            port: address.port(),
            tokens: roles.iter().map(token).collect(),
            unlisted: None,
        };
        let closed = Arc::new(AtomicBool::new(false));
        let is_closed = closed.clone();
        let session = session.downgrade();
        let serve = move |stream: &TcpStream, opened| {
            if let Some(session) = session.upgrade() {
                client::serve_guest(&session, stream, opened);
            }
        };
        listener.serve_with(Arc::new(serve), move || is_closed.load(Ordering::SeqCst)).map_err(failed)?;
        let entry = Entry::write(&shared);
        let unlisted = |why| format!("The list of your shared sessions cannot be written: {why}");
        shared.unlisted = entry.as_ref().err().map(unlisted);
        *self.open.lock() = Some(OpenDoor { address, closed, _entry: entry.ok() });
        Ok(shared)
    }

    fn close(&self) {
        let Some(door) = self.open.lock().take() else { return };
        door.closed.store(true, Ordering::SeqCst);
        // The listener's thread looks when somebody connects.
        let mut address = door.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        let wake = move || drop(TcpStream::connect_timeout(&address, WAKE));
        // Without a thread it looks when a guest comes.
        let _ = threads::spawn("closing", wake);
    }
}
