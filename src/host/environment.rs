//! The process, its environment and its machine.
//!
//! Variables that a program sets are kept here and handed to its children: changing those of the
//! process itself is not safe while other threads run.

use std::io;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::value::{HostAnswer, HostRequest, SystemError};

use super::files::system_error;

/// What a program sees of its surroundings.
pub struct Environment {
    variables: Vec<(String, String)>,
    pub arguments: Vec<String>,
    zone: Option<TimeZone>,
}

fn lossy(text: &std::ffi::OsStr) -> String {
    text.to_string_lossy().into_owned()
}

impl Environment {
    pub fn new() -> Environment {
        let variables = std::env::vars_os().map(|(k, v)| (lossy(&k), lossy(&v))).collect();
        Environment { variables, arguments: Vec::new(), zone: None }
    }

    /// All variables.
    pub fn variables(&self) -> &[(String, String)] {
        &self.variables
    }

    fn variable(&self, name: &str) -> Option<&String> {
        self.variables.iter().find(|(k, _)| k == name).map(|(_, v)| v)
    }

    fn set(&mut self, name: String, value: Option<String>) {
        match (self.variables.iter_mut().find(|(k, _)| *k == name), value) {
            (Some(entry), Some(value)) => entry.1 = value,
            (None, Some(value)) => self.variables.push((name, value)),
            (_, None) => self.variables.retain(|(k, _)| *k != name),
        }
    }

    /// The answer to a question about the environment; gives back what is none.
    pub fn answer(&mut self, request: HostRequest) -> Result<Result<HostAnswer, SystemError>, HostRequest> {
        Ok(match request {
            HostRequest::Variable(name) => Ok(HostAnswer::MaybeText(self.variable(&name).cloned())),
            HostRequest::SetVariable(name, value) => {
                self.set(name, value);
                Ok(HostAnswer::Done)
            }
            HostRequest::Variables => Ok(HostAnswer::Pairs(self.variables.clone())),
            HostRequest::Arguments => Ok(HostAnswer::Texts(self.arguments.clone())),
            HostRequest::Directory => self.directory().map_err(|e| system_error("getwd", "", &e)),
            HostRequest::ChangeDirectory(path) => {
                let result = std::env::set_current_dir(&path);
                result.map(|()| HostAnswer::Done).map_err(|e| system_error("chdir", &path, &e))
            }
            HostRequest::HostName => match nix::unistd::gethostname() {
                Ok(name) => Ok(HostAnswer::Text(lossy(&name))),
                Err(errno) => Err(system_error("gethostname", "", &errno.into())),
            },
            HostRequest::UserName => match nix::unistd::User::from_uid(nix::unistd::getuid()) {
                Ok(Some(user)) => Ok(HostAnswer::Text(user.name)),
                Ok(None) => {
                    let reason = format!("unknown userid {}", nix::unistd::getuid());
                    let (operation, path) = ("user".to_string(), String::new());
                    Err(SystemError { errno: 0, operation, path, reason })
                }
                Err(errno) => Err(system_error("user", "", &errno.into())),
            },
            HostRequest::ProcessId => Ok(HostAnswer::Number(i64::from(std::process::id()))),
            HostRequest::ParentId => Ok(HostAnswer::Number(i64::from(nix::unistd::getppid().as_raw()))),
            HostRequest::Processors => {
                let count = std::thread::available_parallelism().map_or(1, |n| n.get());
                Ok(HostAnswer::Number(count as i64))
            }
            HostRequest::Zone(seconds) => Ok(self.zone_at(seconds)),
            other => return Err(other),
        })
    }

    /// The current directory, by the name under which one came to it.
    fn directory(&self) -> io::Result<HostAnswer> {
        let real = std::env::current_dir()?;
        if let Some(named) = self.variable("PWD").filter(|p| p.starts_with('/'))
            && let (Ok(a), Ok(b)) = (std::fs::metadata(named), std::fs::metadata(&real))
            && super::files::identity(&a) == super::files::identity(&b)
        {
            return Ok(HostAnswer::Text(named.clone()));
        }
        Ok(HostAnswer::Text(lossy(real.as_os_str())))
    }

    fn zone_at(&mut self, seconds: i64) -> HostAnswer {
        let variable = self.variables.iter().find(|(k, _)| k == "TZ").map(|(_, v)| v.as_str());
        let zone = self.zone.get_or_insert_with(|| local_zone(variable));
        let seconds = seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
        let moment = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
        let info = zone.to_offset_info(moment);
        HostAnswer::Zone { offset: info.offset().seconds(), name: info.abbreviation().to_string() }
    }
}

/// Far more bytes than a file about a zone has.
const LARGEST_ZONE: u64 = 1 << 20;

/// The zone that `TZ` names, else the system's, else UTC.
fn local_zone(variable: Option<&str>) -> TimeZone {
    let Some(name) = variable else { return TimeZone::try_system().unwrap_or(TimeZone::UTC) };
    let name = name.strip_prefix(':').unwrap_or(name);
    if name.is_empty() {
        return TimeZone::UTC;
    }
    if name.starts_with('/')
        && std::fs::metadata(name).is_ok_and(|m| m.is_file() && m.len() <= LARGEST_ZONE)
        && let Ok(data) = std::fs::read(name)
        && let Ok(zone) = TimeZone::tzif(name, &data)
    {
        return zone;
    }
    TimeZone::get(name).or_else(|_| TimeZone::posix(name)).unwrap_or(TimeZone::UTC)
}
