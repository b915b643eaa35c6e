//! Programs in a terminal of the editor: the client is asked to run `ez run --announce` there.

use std::path::Path;

use serde_json::{Value, json};

use crate::protocol::params::Params;
use ez_engine::api::Failure;
use ez_runtime::platform;

use super::announced::Announced;
use super::attaching::Options;
use super::elsewhere::Target;
use super::expected_output::ATTRIBUTE;
use super::lifecycle::Debugging;
use super::own_messages::OwnMessage;
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Origin};

impl DapFrontEnd {
    /// `launch` with the program in a terminal; `kind` as in the request `runInTerminal`.
    pub(super) fn launch_in_terminal(
        &mut self,
        kind: &str,
        Call { from, params, work }: Call,
    ) -> Result<(), Refusal> {
        if !self.client().runs_in_terminal {
            return Err("the client cannot run programs in a terminal: leave 'console' out".into());
        }
        if self.listens {
            return Err("over a socket no program can be started in a terminal: leave 'console' out".into());
        }
        if self.is_confined {
            return Err(
                "a program in a terminal would reach files outside of --root: leave 'console' out".into()
            );
        }
        if params.path("replay")?.is_some() {
            return Err("a recording needs no terminal: leave 'console' out".into());
        }
        if let Some(name) = [ATTRIBUTE, "input"].into_iter().find(|name| params.get(name).is_some()) {
            return Err(format!("'{name}' is for programs without a terminal: leave 'console' out").into());
        }
        let failed = |error: std::io::Error| Refusal::from(error.to_string());
        let program = self.client().plain_path(params.required_path("program")?)?;
        let announced = Announced::new().map_err(failed)?;
        let arguments = command_line(params, &program, announced.address_file())?;
        let directory = match params.path("cwd")? {
            Some(directory) if !Path::new(&directory).is_dir() => {
                return Err(Refusal::from(Failure::no_working_directory(&directory).message));
            }
            Some(directory) => directory,
            None => std::env::current_dir().map_err(failed)?.to_string_lossy().into_owned(),
        };
        let mut asked = json!({"kind": kind, "title": "ez", "cwd": directory, "args": arguments});
        if let (Some(changes), Value::Object(asked)) = (params.changes("env")?, &mut asked) {
            asked.insert("env".into(), changes.into_iter().collect());
        }
        let options = Options::new(params, Origin::Launched, params.all().clone())?;
        self.connect(from, Target::Announced(announced), options)?;
        let request = json!({"type": "request", "command": "runInTerminal", "arguments": asked});
        self.reply_with(OwnMessage::Message(request), work);
        Ok(())
    }

    /// The client's response to `runInTerminal`.
    pub(super) fn in_terminal(&mut self, result: Result<Value, String>) {
        if let Err(why) = result {
            self.give_up(&format!("the client has not started the program: {why}"));
        }
    }
}

/// The arguments for `runInTerminal`.
fn command_line(params: &Params, program: &str, place: &Path) -> Result<Vec<String>, Refusal> {
    // Another process starts it.
    let own = platform::own_path()?;
    let mut line = vec![own.to_string_lossy().into_owned()];
    line.extend(["run", "--debug-listen", "127.0.0.1:0", "--wait", "--announce"].map(String::from));
    line.push(place.to_string_lossy().into_owned());
    let debugging = Debugging::new(params)?;
    if debugging.follows_children {
        line.push("--children".into());
    }
    if debugging.keeps_history {
        line.push("--history".into());
    }
    let denied: Vec<&str> =
        params.capabilities("deny")?.into_iter().map(|capability| capability.name()).collect();
    if !denied.is_empty() {
        line.extend(["--deny".into(), denied.join(",")]);
    }
    if let Some(bytes) = params.size("memoryLimit")? {
        line.extend(["--memory".into(), bytes.to_string()]);
    }
    line.extend([program.to_string(), "--".into()]);
    line.extend(params.texts("args")?.unwrap_or_default());
    Ok(line)
}
