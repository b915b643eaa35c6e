//! Environment variables, arguments, names of the computer and its user, and the local time zone.
//!
//! Variables set by a program are stored here and passed to its commands: changing those of the process is
//! not safe while other threads run.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::platform::{self, path_of, same_variable, text_of};
use crate::value::{HostAnswer, HostRequest, SystemError};

use super::directory::WorkingDirectory;
use super::errors::system_error;
use super::followed::{FOLLOW_VARIABLE, Followed, inherited_value};

/// What a program sees of its process and computer.
pub struct Environment {
    /// Names and values, in the order of the process's environment.
    variables: Vec<(String, String)>,
    /// What `os.args()` gives: the interpreter, the program's file, its own arguments.
    pub arguments: Vec<String>,
    /// The local time zone, determined at first use.
    zone: Option<TimeZone>,
    /// The session that follows the programs which the commands start.
    pub followed: Followed,
}

impl Environment {
    /// The environment of this process, without arguments.
    pub fn new() -> Environment {
        let all = platform::environment().into_iter().map(|(k, v)| (text_of(&k), text_of(&v)));
        let variables = all.filter(|(name, _)| !same_variable(name, FOLLOW_VARIABLE)).collect();
        Environment { variables, ..Environment::empty(Vec::new()) }
    }

    /// Without variables.
    pub fn empty(arguments: Vec<String>) -> Environment {
        Environment { variables: Vec::new(), arguments, zone: None, followed: Followed::default() }
    }

    /// Sets (`Some`) or removes (`None`) variables.
    pub fn change(&mut self, changes: &[(String, Option<String>)]) {
        for (name, value) in changes {
            self.set(name.clone(), value.clone());
        }
    }

    /// The variables of a command that is started now.
    pub fn of_command(&self) -> Vec<(String, String)> {
        let mut variables = self.variables.clone();
        let value = match &self.followed {
            Followed::Inherited => inherited_value(),
            Followed::By(make) => make(),
        };
        if let Some(value) = value {
            variables.retain(|(name, _)| !same_variable(name, FOLLOW_VARIABLE));
            variables.push((FOLLOW_VARIABLE.into(), value));
        }
        variables
    }

    fn variable(&self, name: &str) -> Option<&String> {
        self.variables.iter().find(|(k, _)| same_variable(k, name)).map(|(_, v)| v)
    }

    fn set(&mut self, name: String, value: Option<String>) {
        match (self.variables.iter_mut().find(|(k, _)| same_variable(k, &name)), value) {
            (Some(entry), Some(value)) => entry.1 = value,
            (None, Some(value)) => self.variables.push((name, value)),
            (_, None) => self.variables.retain(|(k, _)| !same_variable(k, &name)),
        }
    }

    /// Answers a request about the environment; returns any other request as `Err`.
    pub fn answer(&mut self, request: HostRequest) -> Result<Result<HostAnswer, SystemError>, HostRequest> {
        Ok(match request {
            HostRequest::Variable(name) => Ok(HostAnswer::MaybeText(self.variable(&name).cloned())),
            HostRequest::SetVariable(name, value) => {
                self.set(name, value);
                Ok(HostAnswer::Done)
            }
            HostRequest::Variables => Ok(HostAnswer::Pairs(self.variables.clone())),
            HostRequest::Arguments => Ok(HostAnswer::Texts(self.arguments.clone())),
            HostRequest::HostName => Ok(HostAnswer::Text(text_of(&platform::host_name()))),
            HostRequest::UserName => {
                platform::user_name().map(HostAnswer::Text).map_err(|e| system_error("user", "", &e))
            }
            HostRequest::ProcessId => Ok(HostAnswer::Number(i64::from(platform::process_id()))),
            HostRequest::ParentId => Ok(HostAnswer::Number(i64::from(platform::parent_id()))),
            HostRequest::Processors => {
                let count = std::thread::available_parallelism().map_or(1, |n| n.get());
                Ok(HostAnswer::Number(count as i64))
            }
            HostRequest::Zone(seconds) => Ok(self.zone_at(seconds)),
            other => return Err(other),
        })
    }

    /// The working directory: the value of `PWD` if that is the same directory, else its absolute path.
    ///
    /// # Errors
    /// If it does not exist any more.
    pub fn directory(&self, directory: &WorkingDirectory) -> Result<HostAnswer, SystemError> {
        let real = directory.path();
        let there = platform::file_identity(real).map_err(|e| system_error("getwd", "", &e))?;
        let named = self
            .variable("PWD")
            .filter(|path| path_of(path).is_absolute())
            .filter(|path| platform::file_identity(&path_of(path)).is_ok_and(|named| named == there));
        Ok(HostAnswer::Text(named.cloned().unwrap_or_else(|| platform::slashed(real))))
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

/// Maximum size of a time zone file in bytes, far more than any has.
const LARGEST_ZONE: u64 = 1 << 20;

/// The zone named by `TZ`, else the system's, else UTC.
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
