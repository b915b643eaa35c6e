//! Finding the shared session that a guest joins.

use crate::protocol::SessionHandle;
use crate::protocol::listen::{SharedSession, shared_sessions};
use ez_engine::api::{Attach, Attached, Role};
use ez_engine::session::Item;
use ez_runtime::platform::user_name;
use ez_runtime::visible::{indented, visible_line};

/// The environment variable with the token, which other users do not see, as they do a command line.
pub const TOKEN_VARIABLE: &str = "EZ_TOKEN";

/// Which session is to be joined, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joining {
    /// Its address, `HOST:PORT`; `None`: the one shared session of this user.
    pub address: Option<String>,
    /// The token that it admits the guest with; `None`: that of the environment variable, or of this user's list.
    pub token: Option<String>,
    /// The guest's name; `None`: the session gives it one.
    pub name: Option<String>,
    /// Whether to be an observer, where the session is in the list.
    pub observe: bool,
    /// See [`Attach::shows_breakpoints`].
    pub shows_breakpoints: bool,
}

/// A session that was joined.
pub struct Joined {
    pub link: SessionHandle,
    pub attached: Attached,
    /// The working directory of its process, if that is on this computer.
    pub directory: Option<String>,
}

impl Joining {
    /// Joins the session. `look` is as for [`SessionHandle::of_process`].
    ///
    /// # Errors
    /// A message that says why that is not possible. What follows a line end in it is help.
    pub fn join(&self, look: impl FnMut(Item) -> Option<Item> + Send + 'static) -> Result<Joined, String> {
        let listed = shared_sessions();
        let (host, port, entry) = match &self.address {
            Some(address) => {
                let (host, port) = host_and_port(address)?;
                let is_this = |session: &SharedSession| session.port == port && session.host == host;
                let entry = listed.map(|listed| listed.into_iter().find(is_this));
                (host, port, entry)
            }
            None => {
                let session = the_only_one(listed?)?;
                (session.host.clone(), session.port, Ok(Some(session)))
            }
        };
        let token = self.token.clone().or_else(|| std::env::var(TOKEN_VARIABLE).ok());
        let token = match (token, &entry) {
            (Some(token), _) => token,
            (None, Ok(Some(session))) => token_of(session, self.observe)?,
            (None, Err(why)) => return Err(why.clone()),
            (None, Ok(None)) => {
                return Err(format!(
                    "no session of yours is shared at {host}:{port}: the token is missing\n  = help: who shares the \
                     session is shown it; it is given with --token or in the variable {TOKEN_VARIABLE}"
                ));
            }
        };
        let name = self.name.clone().or_else(|| user_name().ok());
        let attach = Attach { name, shows_breakpoints: self.shows_breakpoints, ..Attach::default() };
        let (link, attached) = SessionHandle::join((&host, port), &token, attach, look).map_err(|why| {
            let which = entry.as_ref().ok().and_then(Option::as_ref).map_or_else(
                || format!("{host}:{port}"),
                |session| visible_line(&described(session)).into_owned(),
            );
            format!("cannot join {which}: {}", indented(&why))
        })?;
        Ok(Joined { link, attached, directory: entry.ok().flatten().map(|session| session.directory) })
    }
}

/// Splits `HOST:PORT`.
///
/// # Errors
/// If the text is not of this form.
pub fn host_and_port(address: &str) -> Result<(String, u16), String> {
    let parts = address.rsplit_once(':').and_then(|(host, port)| {
        let host = host.strip_prefix('[').map_or(Some(host), |host| host.strip_suffix(']'))?;
        let port = port.parse().ok().filter(|port| *port > 0)?;
        (!host.is_empty()).then(|| (host.to_string(), port))
    });
    parts.ok_or_else(|| format!("{address}: expected HOST:PORT, such as 127.0.0.1:4711"))
}

/// A listed session: its address, and what has started it where.
fn described(session: &SharedSession) -> String {
    let SharedSession { process, directory, command, host, port, .. } = session;
    format!("{host}:{port}  ez {command} (process {process}, in {directory})")
}

fn the_only_one(mut listed: Vec<SharedSession>) -> Result<SharedSession, String> {
    match (listed.pop(), listed.as_slice()) {
        (Some(only), []) => Ok(only),
        (None, _) => Err("you share no session on this computer\n  = help: 'share' in 'ez debug', or \
                          'ez debugserver --share', lets others join; HOST:PORT and a token lead to a session \
                          elsewhere"
            .into()),
        (Some(last), others) => {
            let line = |session: &SharedSession| format!("\n    {}", visible_line(&described(session)));
            let lines: String = others.iter().chain([&last]).map(line).collect();
            Err(format!("several sessions are shared; which one is meant has to be said: {lines}"))
        }
    }
}

/// The token of a listed session. Who wants to observe does not become a participant, but the other way round.
fn token_of(session: &SharedSession, observe: bool) -> Result<String, String> {
    let token = |wanted: Role| {
        session.tokens.iter().find(|(role, _)| *role == wanted).map(|(_, token)| token.clone())
    };
    let found = match observe {
        true => token(Role::Observer),
        false => token(Role::Participant).or_else(|| token(Role::Observer)),
    };
    found.ok_or_else(|| format!("the session at {}:{} admits no observers", session.host, session.port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(port: u16, roles: &[Role]) -> SharedSession {
        SharedSession {
            process: u32::from(port),
            directory: "/home/ann".into(),
            command: "debug a.ez".into(),
            host: "127.0.0.1".into(),
            port,
            tokens: roles.iter().map(|role| (*role, role.name().to_string())).collect(),
        }
    }

    #[test]
    fn addresses_have_two_parts() {
        assert_eq!(host_and_port("127.0.0.1:4711"), Ok(("127.0.0.1".into(), 4711)));
        assert_eq!(host_and_port("[::1]:80"), Ok(("::1".into(), 80)));
        assert_eq!(host_and_port("pc.example:1"), Ok(("pc.example".into(), 1)));
        for wrong in ["", "a.ez", "127.0.0.1", ":80", "x:", "x:0", "x:65536", "[::1:80", "x:y"] {
            assert!(
                host_and_port(wrong).unwrap_err().ends_with("expected HOST:PORT, such as 127.0.0.1:4711")
            );
        }
    }

    #[test]
    fn one_session_is_found_and_several_are_named() {
        assert!(the_only_one(Vec::new()).unwrap_err().starts_with("you share no session on this computer\n"));
        assert_eq!(the_only_one(vec![session(1, &[])]).unwrap().port, 1);
        let several = the_only_one(vec![session(1, &[]), session(2, &[])]).unwrap_err();
        assert_eq!(
            several,
            "several sessions are shared; which one is meant has to be said: \
             \n    127.0.0.1:1  ez debug a.ez (process 1, in /home/ann)\
             \n    127.0.0.1:2  ez debug a.ez (process 2, in /home/ann)"
        );
    }

    #[test]
    fn nobody_gets_a_higher_role_than_wanted() {
        let both = session(1, &Role::ALL);
        assert_eq!(token_of(&both, false).unwrap(), "participant");
        assert_eq!(token_of(&both, true).unwrap(), "observer");
        assert_eq!(token_of(&session(1, &[Role::Observer]), false).unwrap(), "observer");
        assert!(token_of(&session(1, &[Role::Participant]), true).is_err());
    }
}
