//! Who is let in: whoever has the token.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use subtle::ConstantTimeEq;

/// How many bytes of randomness a token has.
const TOKEN_BYTES: usize = 16;

/// How many wrong tokens are answered at once.
const AT_ONCE: u32 = 10;

/// How long each further client waits after so many wrong tokens.
const PAUSE: Duration = Duration::from_secs(1);

/// Keeps out whoever does not have the token.
pub struct Gate {
    token: String,
    /// How many wrong ones have come.
    wrong: Mutex<u32>,
}

impl Gate {
    /// A gate with a new token.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn new() -> io::Result<Gate> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Gate { token: hex::encode(bytes), wrong: Mutex::new(0) })
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Lets in whoever has the token. After `AT_ONCE` wrong ones, each client waits for `PAUSE` first, one
    /// after the other. How long the comparison takes does not depend on what is in the token.
    ///
    /// # Errors
    /// What is wrong with the token, for the client.
    pub fn admit(&self, token: Option<&str>) -> Result<(), String> {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        if *wrong >= AT_ONCE {
            std::thread::sleep(PAUSE);
        }
        let why = match token {
            Some(token) if bool::from(token.as_bytes().ct_eq(self.token.as_bytes())) => return Ok(()),
            Some(_) => "wrong parameter 'token'",
            None => "missing parameter 'token': the first command has to carry it",
        };
        *wrong = wrong.saturating_add(1);
        Err(why.into())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn nobody_without_the_token_comes_in() {
        let gate = Gate::new().unwrap();
        let token = gate.token().to_string();
        assert_eq!(token.len(), 2 * TOKEN_BYTES);
        assert_ne!(token, Gate::new().unwrap().token());
        assert_eq!(gate.admit(Some(&token)), Ok(()));
        for wrong in ["", "x", &token.replacen(char::is_alphanumeric, "-", 1), &format!("{token} ")] {
            assert_eq!(gate.admit(Some(wrong)), Err("wrong parameter 'token'".into()));
        }
        assert!(gate.admit(None).unwrap_err().starts_with("missing parameter 'token'"));
    }

    #[test]
    fn whoever_guesses_has_to_wait() {
        let gate = Gate::new().unwrap();
        for _ in 0..AT_ONCE {
            assert!(gate.admit(Some("guess")).is_err());
        }
        let start = Instant::now();
        assert!(gate.admit(Some("guess")).is_err());
        assert!(gate.admit(Some(gate.token())).is_ok());
        assert!(start.elapsed() >= 2 * PAUSE);
    }
}
