//! Admission of clients by a token.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use subtle::ConstantTimeEq;

use ez_engine::api::Role;

/// Number of random bytes in a token.
const TOKEN_BYTES: usize = 16;

/// Number of wrong tokens that are answered at once.
const AT_ONCE: u32 = 10;

/// Delay of the answer to each further wrong token.
const PAUSE: Duration = Duration::from_secs(1);

/// What a client is admitted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// As the one client of a session, its owner.
    Owner,
    /// As a guest.
    Guest(Role),
}

/// A client is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// That the token is missing or wrong, as a text for the client.
    pub why: &'static str,
    /// How long the answer is kept back: who guesses has to wait, and nobody else for that.
    pub pause: Duration,
}

/// Checks the tokens of clients.
pub struct TokenGate {
    tokens: Vec<(Admission, String)>,
    /// Number of wrong tokens so far.
    wrong: AtomicU32,
}

impl TokenGate {
    /// Creates a random token for each of these.
    ///
    /// # Errors
    /// If the system has no source of randomness.
    pub fn new(admissions: impl IntoIterator<Item = Admission>) -> io::Result<TokenGate> {
        let with_token = |admission| random_token().map(|token| (admission, token));
        let tokens = admissions.into_iter().map(with_token).collect::<io::Result<_>>()?;
        Ok(TokenGate { tokens, wrong: AtomicU32::new(0) })
    }

    /// The token of clients that are admitted as this; empty if none are.
    pub fn token(&self, wanted: Admission) -> &str {
        let token = self.tokens.iter().find(|(admission, _)| *admission == wanted);
        token.map_or("", |(_, token)| token)
    }

    /// Checks a client's token, in time that does not depend on the token's contents.
    ///
    /// # Errors
    /// That the token is missing or wrong.
    pub fn admit(&self, token: Option<&str>) -> Result<Admission, Refused> {
        let why = match token.map(|token| self.admission(token)) {
            Some(Some(admission)) => return Ok(admission),
            Some(None) => "wrong parameter 'token'",
            None => "missing parameter 'token': the first command must contain it",
        };
        let many = self.wrong.fetch_add(1, Ordering::Relaxed) >= AT_ONCE;
        Err(Refused { why, pause: if many { PAUSE } else { Duration::ZERO } })
    }

    /// What a client with this token is admitted as. All tokens are compared.
    fn admission(&self, token: &str) -> Option<Admission> {
        let mut found = None;
        for (admission, own) in &self.tokens {
            if bool::from(token.as_bytes().ct_eq(own.as_bytes())) {
                found = Some(*admission);
            }
        }
        found
    }
}

fn random_token() -> io::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(hex::encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_without_the_token_comes_in() {
        let gate = TokenGate::new([Admission::Owner]).unwrap();
        let token = gate.token(Admission::Owner).to_string();
        assert_eq!(token.len(), 2 * TOKEN_BYTES);
        assert_ne!(token, TokenGate::new([Admission::Owner]).unwrap().token(Admission::Owner));
        assert_eq!(gate.admit(Some(&token)), Ok(Admission::Owner));
        for wrong in ["", "x", &token.replacen(char::is_alphanumeric, "-", 1), &format!("{token} ")] {
            assert_eq!(gate.admit(Some(wrong)).unwrap_err().why, "wrong parameter 'token'");
        }
        assert!(gate.admit(None).unwrap_err().why.starts_with("missing parameter 'token'"));
    }

    #[test]
    fn only_those_who_guess_have_to_wait() {
        let gate = TokenGate::new([Admission::Owner]).unwrap();
        let pause = || gate.admit(Some("guess")).unwrap_err().pause;
        assert!((0..AT_ONCE).all(|_| pause().is_zero()));
        assert_eq!(pause(), PAUSE);
        assert!(gate.admit(Some(gate.token(Admission::Owner))).is_ok());
    }
}
