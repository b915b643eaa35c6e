//! The arguments of tools.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::answer::MAX_CHARS;
use super::schema::{self, Property};
use super::sources::SOURCE;
use crate::protocol::params::Params;
use ez_engine::api::{Launch, Limits, SourceText};
use ez_runtime::host::{Capability, Root};
use ez_runtime::platform::{path_of, reason, slashed};

/// Default and maximum of the time limit of a run in seconds.
const TIME: u32 = 10;
const MAX_TIME: u32 = 600;

/// Default memory limit of a program in bytes.
const MEMORY: u64 = 512 << 20;

/// The largest text of an answer that a client may ask for, in characters.
const MOST_CHARS: u32 = 1_000_000;

/// A program that a client wants to check or run.
pub struct Program {
    /// Its file, absolute and inside the root, unless it is given as text.
    pub file: Option<PathBuf>,
    /// Its text, if it is not in a file.
    pub source: Option<String>,
    args: Vec<String>,
    /// Its standard input; the end of the input follows.
    pub input: String,
    /// The time limit of the run.
    pub time: Duration,
    memory: u64,
    deny: Vec<Capability>,
    /// The length of the text of the answer.
    pub chars: usize,
}

/// The property that limits the text of an answer.
pub fn max_chars() -> Property {
    ("maxChars", schema::whole(100, "Maximum length of the text of the answer [4000]"), false)
}

/// Which text an answer may have.
///
/// # Errors
/// If the argument is wrong.
pub fn chars(arguments: &Map<String, Value>) -> Result<usize, String> {
    let most = Params::new(arguments).number("maxChars", 100, MOST_CHARS)?;
    Ok(most.map_or(MAX_CHARS, |most| most as usize))
}

/// The properties that name a program.
pub fn named() -> Vec<Property> {
    vec![
        ("file", schema::text("The program's file, relative to the root; or source"), false),
        ("source", schema::text("The text of the program, instead of file"), false),
    ]
}

/// The properties that name a program and say how to run it.
pub fn runnable() -> Vec<Property> {
    let mut properties = named();
    properties.extend([
        ("args", schema::texts("The program's arguments"), false),
        ("input", schema::text("The program's whole standard input, lines ended by \\n"), false),
        (
            "timeLimit",
            json!({"type": "number", "description": "Seconds after which the run is stopped [10]"}),
            false,
        ),
        ("memory", schema::text("Memory limit, such as 64M [512M]"), false),
        (
            "deny",
            schema::list(
                &schema::word(&["net", "fs", "exec", "env"], "A part of the system"),
                "What is denied besides net, exec and files outside of the root",
            ),
            false,
        ),
    ]);
    properties
}

impl Program {
    /// Reads the arguments that name a program and say how to run it.
    ///
    /// # Errors
    /// If one of them is wrong: what to do.
    pub fn new(arguments: &Map<String, Value>, root: &Root, allow_net: bool) -> Result<Program, String> {
        let params = Params::new(arguments);
        let source = params.text("source")?.map(str::to_string);
        let file = params.path("file")?;
        let file = match (file, &source) {
            (Some(_), Some(_)) => return Err("give file or source, not both".into()),
            (None, None) => {
                return Err(
                    "give the program as file (a path relative to the root) or as source (its text)".into()
                );
            }
            (Some(file), None) => Some(inside(root, &file)?),
            (None, Some(_)) => None,
        };
        let mut deny = params.capabilities("deny")?;
        deny.push(Capability::Exec);
        if !allow_net {
            deny.push(Capability::Net);
        }
        Ok(Program {
            file,
            source,
            args: params.texts("args")?.unwrap_or_default(),
            input: params.text("input")?.unwrap_or_default().to_string(),
            time: time_limit(arguments)?,
            memory: params.size("memory")?.unwrap_or(MEMORY),
            deny,
            chars: chars(arguments)?,
        })
    }

    /// How the debug server names the program's file.
    pub fn name(&self) -> String {
        self.file.as_ref().map_or(SOURCE.into(), |file| slashed(file))
    }

    /// How the program is loaded; `options` says the rest.
    pub fn launch(&self, root: &Root, options: Launch) -> Launch {
        let source = self.source.clone().filter(|_| self.file.is_none());
        Launch {
            file: self.file.as_ref().map(|file| slashed(file)),
            source: source.map(|text| SourceText { text, name: SOURCE.into() }),
            working_dir: Some(slashed(root.path())),
            args: self.args.clone(),
            keep_alive: true,
            memory_limit: Some(self.memory),
            deny: self.deny.clone(),
            limits: Limits::PREVIEW,
            ..options
        }
    }
}

/// The time limit in the arguments.
///
/// # Errors
/// If it is wrong.
pub fn time_limit(arguments: &Map<String, Value>) -> Result<Duration, String> {
    let wrong = || format!("timeLimit must be a number of seconds, more than 0 and at most {MAX_TIME}");
    match arguments.get("timeLimit").filter(|value| !value.is_null()) {
        None => Ok(Duration::from_secs(u64::from(TIME))),
        Some(value) => {
            let seconds = value.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= f64::from(MAX_TIME));
            seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or_else(wrong)
        }
    }
}

/// The absolute path of a file that a client names.
///
/// # Errors
/// If it is outside of the root, is a folder or no regular file, or does not exist.
pub fn inside(root: &Root, file: &str) -> Result<PathBuf, String> {
    let path = root.path().join(path_of(file));
    let folder = slashed(root.path());
    if root.contains(&path) {
        return match std::fs::metadata(&path) {
            Ok(found) if found.is_dir() => {
                Err(format!("{file} is a folder: name the main file of a program in it, such as main.ez"))
            }
            Ok(found) if !found.is_file() => {
                Err(format!("{file} is not a regular file: name a file of EZ source"))
            }
            Ok(_) => Ok(path),
            Err(error) => Err(format!("{file}: {} in the root {folder}", reason(&error))),
        };
    }
    if let Some(missing) = missing_folder(root, &path) {
        let missing = slashed(missing.strip_prefix(root.path()).unwrap_or(&missing));
        return Err(format!("{file}: there is no folder {missing} in the root {folder}"));
    }
    Err(format!("{file} is outside of the root {folder}: name a file in it, or give the program as source"))
}

/// What an absolute path goes through as a folder that is none, in the root; `None` if it leaves the root before.
fn missing_folder(root: &Root, path: &Path) -> Option<PathBuf> {
    let mut folder = PathBuf::new();
    let mut names = path.components().peekable();
    while let Some(name) = names.next() {
        folder.push(name);
        if root.path().starts_with(&folder) {
            continue;
        }
        if !root.contains(&folder) {
            return None;
        }
        if names.peek().is_some() && !folder.is_dir() {
            return Some(folder);
        }
    }
    None
}

/// Refuses arguments that a tool does not have.
///
/// # Errors
/// The name of the first one, and a similar one or all that there are.
pub fn known(arguments: &Map<String, Value>, schema: &Value) -> Result<(), String> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    let Some(wrong) = arguments.keys().find(|name| !properties.contains_key(*name)) else { return Ok(()) };
    let near = properties
        .keys()
        .map(|name| (strsim::osa_distance(&wrong.to_lowercase(), &name.to_lowercase()), name));
    Err(match near.min().filter(|(distance, _)| *distance <= 2) {
        Some((_, near)) => format!("there is no argument '{wrong}'; did you mean '{near}'?"),
        None => {
            let all: Vec<&str> = properties.keys().map(String::as_str).collect();
            format!("there is no argument '{wrong}'; the arguments are {}", all.join(", "))
        }
    })
}
