//! The connections that have not shown a token yet: how many there are is limited, those that are being refused included.

use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use ez_runtime::sync::{Condvar, Mutex};

/// Maximum number of such connections. For a further one, one that is being refused is closed, or else the oldest.
const MOST: usize = 32;

/// How many may not have ended yet although they were closed: no further one is accepted until one of them has.
const ENDING: usize = 32;

/// A connection that has not shown a token.
struct Newcomer {
    stream: TcpStream,
    /// Whether it is being refused.
    refused: bool,
}

#[derive(Default)]
struct Present {
    last: u64,
    /// Those that were not closed, by their numbers, which increase.
    open: BTreeMap<u64, Newcomer>,
    /// How many there are, closed ones included.
    count: usize,
}

impl Present {
    /// Closes one of them. Its thread notices that.
    fn close_one(&mut self) {
        let refused = self.open.iter().find(|(_, newcomer)| newcomer.refused);
        let Some(number) = refused.or_else(|| self.open.iter().next()).map(|(number, _)| *number) else {
            return;
        };
        if let Some(closed) = self.open.remove(&number) {
            let _ = closed.stream.shutdown(Shutdown::Both);
        }
    }
}

/// The connections that have not shown a token yet. Clones are of the same ones.
#[derive(Clone, Default)]
pub(super) struct Newcomers(Arc<(Mutex<Present>, Condvar)>);

impl Newcomers {
    /// Adds a connection. Closes another one if there are too many, and waits while too many have not ended.
    ///
    /// # Errors
    /// If the limit of open files is reached.
    pub fn add(&self, stream: &TcpStream) -> io::Result<Registration> {
        let stream = stream.try_clone()?;
        let (present, changed) = &*self.0;
        let mut present = present.lock();
        while present.open.len() >= MOST {
            present.close_one();
        }
        while present.count >= MOST + ENDING {
            present = changed.wait(present);
        }
        present.last += 1;
        present.count += 1;
        let number = present.last;
        present.open.insert(number, Newcomer { stream, refused: false });
        Ok(Registration { newcomers: self.clone(), number })
    }
}

/// A connection is among [`Newcomers`], until it is dropped.
pub(super) struct Registration {
    newcomers: Newcomers,
    number: u64,
}

impl Registration {
    /// The connection is being refused: it is the first to be closed if there are too many.
    pub fn refuse(&self) {
        if let Some(newcomer) = self.newcomers.0.0.lock().open.get_mut(&self.number) {
            newcomer.refused = true;
        }
    }

    /// The connection has shown a token. Returns whether it was not closed before.
    pub fn leave(self) -> bool {
        self.newcomers.0.0.lock().open.remove(&self.number).is_some()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let (present, changed) = &*self.newcomers.0;
        let mut present = present.lock();
        present.open.remove(&self.number);
        present.count -= 1;
        changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;

    /// Connected pairs, the side of the server first.
    fn pairs(count: usize) -> Vec<(TcpStream, TcpStream)> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let pair = |_| {
            let client = TcpStream::connect(address).unwrap();
            (listener.accept().unwrap().0, client)
        };
        (0..count).map(pair).collect()
    }

    fn is_closed(client: &mut TcpStream) -> bool {
        client.set_nonblocking(true).unwrap();
        matches!(client.read(&mut [0]), Ok(0))
    }

    #[test]
    fn who_is_refused_makes_room_first() {
        let newcomers = Newcomers::default();
        let mut pairs = pairs(MOST + 2);
        let mut registrations: Vec<Registration> =
            pairs[..MOST].iter().map(|(server, _)| newcomers.add(server).unwrap()).collect();
        registrations[5].refuse();
        registrations.push(newcomers.add(&pairs[MOST].0).unwrap());
        registrations.push(newcomers.add(&pairs[MOST + 1].0).unwrap());
        let closed: Vec<usize> = (0..MOST + 2).filter(|index| is_closed(&mut pairs[*index].1)).collect();
        assert_eq!(closed, [0, 5], "the refused one, then the oldest");
        let stayed: Vec<bool> = registrations.into_iter().map(Registration::leave).collect();
        assert_eq!(stayed.iter().filter(|stayed| **stayed).count(), MOST);
        assert_eq!(newcomers.0.0.lock().count, 0);
    }

    #[test]
    fn those_that_have_not_ended_are_limited_too() {
        let newcomers = Newcomers::default();
        let pairs = pairs(MOST + ENDING + 1);
        let (last, first) = pairs.split_last().unwrap();
        let mut registrations: Vec<Registration> =
            first.iter().map(|(server, _)| newcomers.add(server).unwrap()).collect();
        let waiting = newcomers.clone();
        let server = last.0.try_clone().unwrap();
        let late = std::thread::spawn(move || waiting.add(&server).unwrap().number);
        while newcomers.0.0.lock().open.len() == MOST {
            std::thread::yield_now();
        }
        assert_eq!(newcomers.0.0.lock().last, (MOST + ENDING) as u64, "it waits");
        registrations.pop();
        assert_eq!(late.join().unwrap(), (MOST + ENDING + 1) as u64);
    }
}
