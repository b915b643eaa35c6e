//! Commands about the session and its program.

use super::{Ask, Command, Context, ask};
use crate::api::{
    Attach, Disconnect, Done, GetModules, GetProcesses, GetSource, GetState, GetThreads, Input, Kill, Launch,
    Pause, ReleaseChild, Restart, SourceText, Start, Status, Terminate,
};
use crate::protocol::ez::{PendingCommand, answers, encode, paused, processes, wire};
use crate::protocol::params::Params;

pub const COMMANDS: &[Command] = &[
    Command::new("initialize", initialize),
    Command::new("start", start),
    Command::new("restart", restart),
    Command::new("attach", attach),
    Command::new("disconnect", disconnect),
    Command::new("pause", pause),
    Command::new("kill", kill),
    Command::new("terminate", |_, _| terminate()),
    Command::new("input", input),
    Command::since_2("getProcesses", get_processes),
    Command::since_2("releaseChild", release_child),
    Command::new("getState", get_state),
    Command::new("getThreads", get_threads),
    Command::new("getModules", get_modules),
    Command::new("getSource", get_source),
];

fn initialize(params: &Params, context: Context) -> Result<Ask, String> {
    let supported = context.supported(params)?;
    let version = supported.unwrap_or(1);
    let context = Context { version: supported.unwrap_or(context.version), ..context };
    let asked = ask(launch(params, context)?, move |client, asked, program, out| {
        client.settle(version);
        encode::initialized(out, program, supported, asked.id());
    })?;
    Ok(Ask { version: Some(version), ..asked })
}

fn launch(params: &Params, context: Context) -> Result<Launch, String> {
    let source = params.object("source", |source| {
        let text = source.required_text("text")?;
        let name = source.path("name")?.unwrap_or_else(|| "<source>".into());
        Ok(SourceText { text, name })
    })?;
    Ok(Launch {
        file: params.path("file")?,
        source,
        working_dir: params.path("workingDir")?,
        args: params.texts("args")?.unwrap_or_default(),
        env: params.changes("env")?.unwrap_or_default(),
        stop_on_entry: params.choice("stopOnEntry")?,
        keep_alive: params.flag("keepAlive")?,
        history: params.flag("history")?,
        replay: params.path("replay")?,
        deny: params.capabilities("deny")?,
        memory_limit: params.size("memoryLimit")?,
        children: params.flag("children")?,
        limits: context.limits(),
        observe: None,
        cells: None,
    })
}

fn start(_: &Params, _: Context) -> Result<Ask, String> {
    ask(Start, |client, asked, done, out| {
        // A stopped program is resumed instead, and the next stop is the answer.
        if *done == Done::Started {
            out.add("started", wire::Empty {}, asked.id());
        }
        client.running = Some(asked);
    })
}

fn restart(params: &Params, _: Context) -> Result<Ask, String> {
    let restart = Restart { args: params.texts("args")?, env: params.changes("env")? };
    ask(restart, |client, asked, program, out| {
        client.end_run_by(out, "the program was restarted");
        encode::restarted(out, &program.0, asked.id());
        client.running = Some(asked);
    })
}

fn attach(params: &Params, context: Context) -> Result<Ask, String> {
    let supported = context.supported(params)?;
    let version = supported.unwrap_or(1);
    let asked = ask(Attach::default(), move |client, asked, attached, out| {
        client.settle(version);
        // The next `stopped` event then has no `id`.
        let runs = attached.state.status == Status::Running;
        client.running = runs.then(PendingCommand::default);
        answers::attached(out, attached, supported, asked.id());
    })?;
    Ok(Ask { version: Some(version), ..asked })
}

fn disconnect(params: &Params, _: Context) -> Result<Ask, String> {
    if params.flag("terminate")? {
        return terminate();
    }
    ask(Disconnect, |client, asked, _, out| {
        client.end_run_by(out, "the client disconnects; the program runs on");
        out.add("disconnected", wire::Empty {}, asked.id());
    })
}

fn pause(_: &Params, _: Context) -> Result<Ask, String> {
    ask(Pause, |client, asked, _, out| match client.running {
        Some(_) => client.pauses.extend(asked.id),
        // The pause has interrupted an evaluation, so that no stop follows.
        None => paused(out, asked.id()),
    })
}

fn kill(_: &Params, _: Context) -> Result<Ask, String> {
    ask(Kill, |_, asked, _, out| out.add("killed", wire::Empty {}, asked.id()))
}

fn terminate() -> Result<Ask, String> {
    ask(Terminate, |client, asked, _, out| {
        client.refuse_run(out);
        client.terminate = asked.id;
    })
}

fn input(params: &Params, _: Context) -> Result<Ask, String> {
    let (text, eof) = (params.text("text")?.map(str::to_string), params.flag("eof")?);
    if text.is_none() && !eof {
        return Err("missing parameter 'text'".into());
    }
    ask(Input { text, eof }, |client, asked, _, out| {
        if client.speaks_2() && asked.id.is_some() {
            out.add("inputTaken", wire::Empty {}, asked.id());
        }
    })
}

fn get_processes(_: &Params, _: Context) -> Result<Ask, String> {
    ask(GetProcesses, |_, asked, all, out| processes::processes(out, &all.0, asked.id()))
}

fn release_child(params: &Params, _: Context) -> Result<Ask, String> {
    let pid = params.required("pid", params.number("pid", 0, u32::MAX)?)?;
    ask(ReleaseChild(pid), move |_, asked, _, out| {
        out.add("childReleased", wire::ChildReleased { pid }, asked.id());
    })
}

fn get_state(_: &Params, _: Context) -> Result<Ask, String> {
    ask(GetState, |_, asked, state, out| answers::state(out, state, asked.id()))
}

fn get_threads(_: &Params, _: Context) -> Result<Ask, String> {
    ask(GetThreads, |_, asked, status, out| answers::threads(out, *status, asked.id()))
}

fn get_modules(_: &Params, _: Context) -> Result<Ask, String> {
    ask(GetModules, |_, asked, all, out| answers::modules(out, all, asked.id()))
}

fn get_source(params: &Params, _: Context) -> Result<Ask, String> {
    ask(GetSource { file: params.required_text("file")? }, |_, asked, source, out| {
        answers::source(out, &source.path, &source.text, asked.id());
    })
}
