//! Where a session can be reached, as the value of an environment variable.

use std::io;
use std::net::SocketAddr;

use subtle::ConstantTimeEq;

/// Number of random bytes in a secret.
const SECRET_BYTES: usize = 32;

/// A random text that only the session and its child processes know.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    fn new() -> io::Result<Secret> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Secret(hex::encode(bytes)))
    }

    /// The secret as text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether these bytes are the secret, in time that does not depend on its contents.
    pub fn is(&self, bytes: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(bytes).into()
    }
}

/// Where a session can be reached.
#[derive(Clone)]
pub struct Contact {
    /// Its address, on the loopback interface.
    pub address: SocketAddr,
    /// What a child process has to show.
    pub key: Secret,
    /// What the session has to show then: another process may have the address when the session has ended.
    pub answer: Secret,
}

impl Contact {
    /// A contact with new secrets.
    ///
    /// # Errors
    /// If the system has no source of randomness.
    pub fn new(address: SocketAddr) -> io::Result<Contact> {
        Ok(Contact { address, key: Secret::new()?, answer: Secret::new()? })
    }

    /// The value of the environment variable.
    pub fn to_text(&self) -> String {
        format!("{}/{}/{}", self.address, self.key.0, self.answer.0)
    }

    /// From the value of the environment variable; `None` if it is none.
    pub fn parse(text: &str) -> Option<Contact> {
        let mut parts = text.split('/');
        let (address, key, answer) = (parts.next()?, parts.next()?, parts.next()?);
        let address: SocketAddr = address.parse().ok()?;
        let is_secret =
            |text: &str| text.len() == 2 * SECRET_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_whole = parts.next().is_none() && is_secret(key) && is_secret(answer);
        (is_whole && address.ip().is_loopback()).then(|| Contact {
            address,
            key: Secret(key.into()),
            answer: Secret(answer.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_are_texts_and_nothing_else_is_one() {
        let contact = Contact::new("127.0.0.1:4711".parse().unwrap()).unwrap();
        let text = contact.to_text();
        let same = Contact::parse(&text).unwrap();
        assert!(same.address == contact.address && contact.key.is(same.key.text().as_bytes()));
        assert!(contact.answer.is(same.answer.text().as_bytes()));
        assert!(!contact.key.is(contact.answer.text().as_bytes()) && !contact.key.is(b""));
        let remote = text.replace("127.0.0.1", "192.0.2.1");
        let (more, less) = (format!("{text}/"), text.replacen(char::is_alphabetic, "", 1));
        for wrong in ["", "x", "127.0.0.1:1/a/b", &less, &remote, &more] {
            assert!(Contact::parse(wrong).is_none(), "{wrong}");
        }
    }
}
