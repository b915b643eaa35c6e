//! Commands that inspect a stopped program.

use super::{Ask, Command, Context, ask};
use crate::api::{
    Children, Container, Evaluate, GetChanges, GetChildren, GetCompletions, GetOutputSteps, GetStackTrace,
    GetStepTargets, GetVariables, LastChangeQuery, Limits, Purpose, Scope, SetVariable, Unfold, UnfoldTarget,
};
use crate::protocol::ez::{answers, encode, history, unfolding, values};
use crate::protocol::params::Params;

pub const COMMANDS: &[Command] = &[
    Command::new("getVariables", get_variables),
    Command::new("getChildren", get_children),
    Command::new("setVariable", set_variable),
    Command::new("getStackTrace", get_stack_trace),
    Command::new("getStepTargets", get_step_targets),
    Command::new("evaluate", evaluate),
    Command::new("lastChange", last_change),
    Command::new("changes", changes),
    Command::new("outputStep", output_step),
    Command::new("unfold", unfold),
    Command::new("completions", completions),
];

/// Limits for a value that the client wants in full.
const FULL: Limits = Limits { parts: usize::MAX, bytes: 1024 * 1024 };

/// Default and maximum number of frames in a `stackTrace`.
const FRAMES: u32 = 100;

/// Default and maximum number of parts in `children`.
const CHILDREN: u32 = 100;
const MAX_CHILDREN: u32 = 10_000;

/// Maximum of `timeout` in `evaluate`, in milliseconds.
const MAX_TIME: u32 = 600_000;

fn get_variables(params: &Params, context: Context) -> Result<Ask, String> {
    const SCOPES: [(&str, Scope); 3] =
        [("parameter", Scope::Parameter), ("local", Scope::Local), ("global", Scope::Global)];
    let frame = params.frame()?;
    let (scope, radix) = (params.word("scope", &SCOPES)?, params.radix()?);
    ask(GetVariables { frame, scope, limits: context.limits() }, move |client, asked, all, out| {
        values::variables(out, frame, &radix.variables(all), client.speaks_2(), asked.id());
    })
}

fn get_children(params: &Params, _: Context) -> Result<Ask, String> {
    let handle = params.required("reference", params.handle("reference")?)?;
    let start = params.number("start", 0, u32::MAX)?.unwrap_or(0) as usize;
    let count = params.number("count", 0, MAX_CHILDREN)?.unwrap_or(CHILDREN) as usize;
    let radix = params.radix()?;
    let question = GetChildren { handle, start, count, limits: Limits::PREVIEW };
    ask(question, move |_, asked, Children { children, total }, out| {
        values::children(out, (handle.0.get(), start), &radix.variables(children), *total, asked.id());
    })
}

/// The parameters that name a variable of a frame or a part of a value.
pub fn part(params: &Params) -> Result<(Container, String), String> {
    let container = match params.handle("reference")? {
        Some(handle) => Container::Value(handle),
        None => Container::Frame(params.frame()?),
    };
    Ok((container, params.required_text("name")?))
}

fn set_variable(params: &Params, _: Context) -> Result<Ask, String> {
    let (container, name) = part(params)?;
    let (value, radix) = (params.required_text("value")?, params.radix()?);
    let question = SetVariable { container, name, value, limits: Limits::PREVIEW };
    ask(question, move |_, asked, variable, out| {
        values::variable_set(out, &radix.variable(variable), asked.id());
    })
}

fn get_stack_trace(params: &Params, _: Context) -> Result<Ask, String> {
    let start = params.number("start", 0, u32::MAX)?.unwrap_or(0) as usize;
    let count = params.number("count", 0, FRAMES)?.unwrap_or(FRAMES) as usize;
    ask(GetStackTrace { start, count }, |client, asked, trace, out| {
        encode::stack_trace(out, &trace.frames, trace.total, client.speaks_2(), asked.id());
    })
}

fn get_step_targets(params: &Params, _: Context) -> Result<Ask, String> {
    ask(GetStepTargets { frame: params.frame()? }, |_, asked, all, out| {
        answers::step_targets(out, all, asked.id());
    })
}

fn evaluate(params: &Params, context: Context) -> Result<Ask, String> {
    const CONTEXTS: [(&str, Purpose); 3] =
        [("repl", Purpose::Prompt), ("watch", Purpose::Look), ("hover", Purpose::Look)];
    const FORMATS: [(&str, bool); 2] = [("preview", false), ("full", true)];
    let unsaid = if context.version >= 2 { Purpose::Prompt } else { Purpose::Plain };
    let expression = params.required_text("expression")?;
    let frame = params.frame()?;
    let purpose = params.word("context", &CONTEXTS)?.unwrap_or(unsaid);
    let timeout_ms = params.number("timeoutMs", 1, MAX_TIME)?;
    let full = params.word("format", &FORMATS)?.unwrap_or(false);
    let radix = params.radix()?;
    let limits = if full { FULL } else { context.limits() };
    let question = Evaluate { expression: expression.clone(), frame, purpose, timeout_ms, limits };
    ask(question, move |client, asked, value, out| {
        values::evaluated(out, &expression, &radix.described(value), (client.speaks_2(), full), asked.id());
    })
}

fn last_change(params: &Params, _: Context) -> Result<Ask, String> {
    let expression = params.required_text("expression")?;
    let question = LastChangeQuery { expression, frame: params.frame()?, limits: Limits::PREVIEW };
    ask(question, |_, asked, change, out| history::last_change(out, change, asked.id()))
}

fn changes(params: &Params, _: Context) -> Result<Ask, String> {
    let expression = params.required_text("expression")?;
    let (frame, radix) = (params.frame()?, params.radix()?);
    let (before, count) = params.page_of_changes()?;
    let question = GetChanges { expression, frame, before, count, limits: Limits::PREVIEW };
    ask(question, move |_, asked, found, out| history::changes(out, found, radix, asked.id()))
}

fn output_step(params: &Params, _: Context) -> Result<Ask, String> {
    let offset = params.required("offset", params.count("offset", 0)?)?;
    ask(GetOutputSteps { offsets: vec![offset] }, |_, asked, found, out| {
        found.iter().for_each(|found| history::output_step(out, found, asked.id()));
    })
}

fn unfold(params: &Params, _: Context) -> Result<Ask, String> {
    let (frame, radix) = (params.frame()?, params.radix()?);
    let target = match (params.count("step", 1)?, params.flag("next")?) {
        (Some(_), true) => return Err("wrong parameter 'next': there is 'step', too".into()),
        (Some(step), false) => UnfoldTarget::Step(step),
        (None, true) => UnfoldTarget::Next,
        (None, false) => UnfoldTarget::Last,
    };
    ask(Unfold { target, frame, limits: Limits::PREVIEW }, move |_, asked, unfolded, out| {
        unfolding::unfolded(out, unfolded, radix, asked.id());
    })
}

fn completions(params: &Params, _: Context) -> Result<Ask, String> {
    let text = params.required_text("text")?;
    let column = params.required("column", params.number("column", 1, u32::MAX)?)?;
    ask(GetCompletions { text, column, frame: params.frame()? }, |_, asked, all, out| {
        answers::completions(out, all, asked.id());
    })
}
