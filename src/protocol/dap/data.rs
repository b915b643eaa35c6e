//! Data breakpoints. A client asks for the `dataId` of a variable, and uses it in `setDataBreakpoints`, even
//! at later stops.

use foldhash::HashMap;
use serde_json::{Value, json};

use crate::protocol::Received;
use crate::protocol::json::cut;
use crate::protocol::params::{ECHO_LIMIT, Params};
use ez_engine::api::{
    Breakpoint, BreakpointId, Children, Container, DataSpec, DataTarget, Described, Evaluate, GetChildren,
    GetVariables, Handle, Purpose, Scope, SetDataBreakpoints, Status, Variable,
};

use super::breakpoints::{WireBreakpoint, options};
use super::client::Client;
use super::decode::RequestHeader;
use super::lifecycle::NOTHING;
use super::references::Target;
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler};

/// The variable or part that a `dataId` stands for.
#[derive(Clone, Debug)]
struct DataSource {
    container: Container,
    name: String,
    /// The stop at which the id was given out.
    stop: u64,
    /// Whether it is a global, which is known by name at every stop.
    is_global: bool,
    /// The data breakpoint that is set on it, if any.
    set: Option<BreakpointId>,
}

/// All that have a `dataId`.
#[derive(Debug, Default)]
pub struct DataSources {
    sources: HashMap<String, DataSource>,
    last: u64,
}

/// One breakpoint of a `setDataBreakpoints` request: its `dataId`, or why it is refused.
type Wanted = Result<String, String>;

impl DataSources {
    fn add(&mut self, source: DataSource) -> String {
        self.last += 1;
        let id = self.last.to_string();
        self.sources.insert(id.clone(), source);
        id
    }

    /// What the `dataId` refers to at the present stop; `stop` is `None` while the program runs.
    fn target(&self, id: &str, stop: Option<u64>) -> Result<DataTarget, String> {
        let source = self.sources.get(id);
        let source = source.ok_or_else(|| format!("there is no dataId '{}'", cut(id, ECHO_LIMIT)))?;
        let DataSource { container, name, set, is_global, .. } = source;
        let named = |container| Ok(DataTarget::Named { container, name: name.clone() });
        match (set, stop) {
            (Some(id), _) => Ok(DataTarget::Same(*id)),
            (None, Some(stop)) if source.stop == stop => named(*container),
            (None, Some(_)) if *is_global => named(Container::Frame(0)),
            _ => Err(format!("{name} must be looked up again: the program has continued since")),
        }
    }

    /// Records which breakpoints have been set.
    fn set(&mut self, wanted: &[Wanted], mut breakpoints: impl Iterator<Item = Option<BreakpointId>>) {
        let mut now = HashMap::default();
        for id in wanted.iter().filter_map(|wanted| wanted.as_ref().ok()) {
            now.insert(id.clone(), breakpoints.next().flatten());
        }
        for (id, source) in &mut self.sources {
            source.set = now.get(id).copied().flatten();
        }
    }

    /// The engine has removed a breakpoint.
    pub fn forget(&mut self, id: BreakpointId) {
        self.sources
            .values_mut()
            .filter(|source| source.set == Some(id))
            .for_each(|source| source.set = None);
    }
}

/// Splits an expression for a part into the expression of the whole value and the name of the part. Brackets and dots
/// inside of texts and of other brackets are those of the parts' own names.
fn part_of(expression: &str) -> Option<(&str, &str)> {
    let expression = expression.trim();
    let (mut depth, mut bracket, mut dot) = (0_u32, None, None);
    let mut quote = None;
    let mut chars = expression.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some('"' | '\''), '\\') => drop(chars.next()),
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '[' | '(' | '{') => {
                if depth == 0 && c == '[' {
                    bracket = Some(at);
                }
                depth += 1;
            }
            (None, ']' | ')' | '}') => depth = depth.saturating_sub(1),
            (None, '.') if depth == 0 => dot = Some(at),
            (None, _) => {}
        }
    }
    if expression.ends_with(']') {
        return Some(expression.split_at(bracket?));
    }
    let (whole, part) = expression.split_at(dot?);
    let part = part.strip_prefix('.')?;
    let is_name = part.chars().all(|c| c.is_alphanumeric() || c == '_') && !part.is_empty();
    is_name.then_some((whole, part))
}

/// The body of a `dataBreakpointInfo` response for something that can be watched.
fn info(id: String, description: &str) -> Value {
    json!({"dataId": id, "description": description, "accessTypes": ["write"], "canPersist": false})
}

/// The body of a `dataBreakpointInfo` response for something that cannot be watched.
fn no_info(why: &str) -> Value {
    json!({"dataId": null, "description": why})
}

pub const REQUESTS: &[(&str, Handler)] = &[
    ("setDataBreakpoints", DapFrontEnd::set_data_breakpoints),
    ("dataBreakpointInfo", DapFrontEnd::data_breakpoint_info),
];

impl DapFrontEnd {
    fn data_breakpoint_info(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let name = params.required_text("name")?;
        let reference = params.number("variablesReference", 0, u32::MAX)?.filter(|number| *number > 0);
        let frame_id = params.number("frameId", 0, u32::MAX)?;
        self.needs_stop()?;
        if let Some(reference) = reference {
            match self.references.target(reference)? {
                Target::Scope(frame, _) => self.variable_info(from, frame, name, work),
                Target::Parts { handle, is_array, .. } => {
                    self.part_info(from, (handle, is_array), name, work);
                }
                Target::Returned => {
                    let answer = no_info("nothing writes what a function has returned");
                    self.answer_now(from, Some(answer), work);
                }
            }
            return Ok(());
        }
        let frame = frame_id.map_or(Ok(0), |id| self.references.frame(id))?;
        match part_of(&name) {
            None => self.variable_info(from, frame, name.trim().to_string(), work),
            Some((whole, part)) => {
                let question = Evaluate {
                    expression: whole.to_string(),
                    frame,
                    purpose: Purpose::Look,
                    timeout_ms: None,
                    limits: NOTHING,
                };
                let name = part.to_string();
                let found =
                    move |this: &mut DapFrontEnd, from: &RequestHeader, value: &Described, out: &mut _| {
                        let Some(handle) = value.handle else {
                            return this.numbering.success(out, from, Some(no_info("it has no parts")));
                        };
                        let mut work = Vec::new();
                        let is_array = matches!(value.value, ez_engine::api::Value::Array { .. });
                        this.part_info(from, (handle, is_array), name, &mut work);
                        this.follow_up.append(&mut work);
                    };
                self.ask_or(from, question, work, found, |this, from, failure, _, out| {
                    this.numbering.success(out, from, Some(no_info(&failure.message)));
                });
            }
        }
        Ok(())
    }

    /// Answers a `dataBreakpointInfo` about a variable of a frame.
    fn variable_info(&mut self, from: &RequestHeader, frame: usize, name: String, work: &mut Vec<Received>) {
        let question = GetVariables { frame, scope: None, limits: NOTHING };
        self.ask(from, question, work, move |this, from, all, out| {
            let found = all.iter().find(|variable| variable.name == name);
            let info = match found.map(|variable| variable.scope == Scope::Global) {
                Some(is_global) => this.data_id(Container::Frame(frame), name.clone(), &name, is_global),
                None => no_info(&format!("there is no variable {} in this frame", cut(&name, ECHO_LIMIT))),
            };
            this.numbering.success(out, from, Some(info));
        });
    }

    /// Answers a `dataBreakpointInfo` about a part of a value.
    fn part_info(
        &mut self,
        from: &RequestHeader,
        (handle, is_array): (Handle, bool),
        name: String,
        work: &mut Vec<Received>,
    ) {
        // An element of an array is found by its index. All other names are searched for.
        let index = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.parse().ok());
        let (start, count) = match index {
            Some(index) => (index, 1),
            None if is_array => (0, 0),
            None => (0, usize::MAX),
        };
        let question = GetChildren { handle, start, count, limits: NOTHING };
        self.ask(from, question, work, move |this, from, Children { children, total }, out| {
            let found = children.iter().find(|part| part.name == name);
            if found.is_some() || is_array || index.is_none() {
                let info = this.info_of_part(handle, name, found);
                return this.numbering.success(out, from, Some(info));
            }
            // A key of a map, at another place.
            let question = GetChildren { handle, start: 0, count: *total, limits: NOTHING };
            let mut work = Vec::new();
            this.ask(from, question, &mut work, move |this, from, Children { children, .. }, out| {
                let found = children.iter().find(|part| part.name == name);
                let info = this.info_of_part(handle, name, found);
                this.numbering.success(out, from, Some(info));
            });
            this.follow_up.append(&mut work);
        });
    }

    fn info_of_part(&mut self, handle: Handle, name: String, found: Option<&Variable>) -> Value {
        match found {
            Some(part) => {
                // In a list of breakpoints, parts of the same name are told apart.
                let whole = part.evaluate_name.as_deref().unwrap_or(&name).to_string();
                self.data_id(Container::Value(handle), name, &whole, false)
            }
            None => no_info(&format!("there is no {} in this value", cut(&name, ECHO_LIMIT))),
        }
    }

    /// Assigns a `dataId`, and returns the body of the response, with `description` as the text for the user.
    fn data_id(&mut self, container: Container, name: String, description: &str, is_global: bool) -> Value {
        let stop = self.stop.number;
        info(self.data.add(DataSource { container, name, stop, is_global, set: None }), description)
    }

    fn set_data_breakpoints(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let item = |item: &Params| {
            let access =
                item.word("accessType", &[("read", false), ("write", true), ("readWrite", false)])?;
            Ok((item.required_text("dataId")?, access.unwrap_or(true), options(item)?))
        };
        let items = params.objects("breakpoints", item)?.unwrap_or_default();
        let stop = (self.phase == Status::Stopped).then_some(self.stop.number);
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut specs = Vec::new();
        for (id, is_write, options) in items {
            let target = if is_write {
                self.data.target(&id, stop)
            } else {
                Err("only writes can be watched".to_string())
            };
            wanted.push(target.map(|target| {
                specs.push(DataSpec { target, options });
                id
            }));
        }
        self.ask(from, SetDataBreakpoints::new(specs), work, move |this, from, set, out| {
            let all = this.data_breakpoints_set(&wanted, set);
            this.numbering.success(out, from, Some(json!({ "breakpoints": all })));
        });
        Ok(())
    }

    /// The body of the response to `setDataBreakpoints`.
    fn data_breakpoints_set(&mut self, wanted: &[Wanted], set: &[Breakpoint]) -> Vec<WireBreakpoint> {
        self.data.set(wanted, set.iter().map(|breakpoint| breakpoint.verified.then_some(breakpoint.id)));
        let client = self.client();
        let mut set = set.iter();
        let mut answer = |wanted: &Wanted| shown(wanted, set.next_if_ok(wanted), &client);
        wanted.iter().map(&mut answer).collect()
    }
}

/// Takes an item from an iterator for each request that was not refused.
trait NextIfOk<'a> {
    fn next_if_ok(&mut self, wanted: &Wanted) -> Option<&'a Breakpoint>;
}

impl<'a, I: Iterator<Item = &'a Breakpoint>> NextIfOk<'a> for I {
    fn next_if_ok(&mut self, wanted: &Wanted) -> Option<&'a Breakpoint> {
        wanted.as_ref().ok().and_then(|_| self.next())
    }
}

fn shown(wanted: &Wanted, set: Option<&Breakpoint>, client: &Client) -> WireBreakpoint {
    match (wanted, set) {
        (_, Some(breakpoint)) => WireBreakpoint::new(breakpoint, client, false),
        (Err(why), None) => WireBreakpoint::refused(why),
        (Ok(_), None) => WireBreakpoint::refused("it was not set"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_in_expressions() {
        assert_eq!(part_of("p.x"), Some(("p", "x")));
        assert_eq!(part_of(" items[1].name "), Some(("items[1]", "name")));
        assert_eq!(part_of("m[\"a.b\"]"), Some(("m", "[\"a.b\"]")));
        assert_eq!(part_of("m[\"[0]\"]"), Some(("m", "[\"[0]\"]")));
        assert_eq!(part_of("m[`a\\`]"), Some(("m", "[`a\\`]")));
        assert_eq!(part_of("m['\\'']"), Some(("m", "['\\'']")));
        assert_eq!(part_of("m[\"a\\\"]\"].x"), Some(("m[\"a\\\"]\"]", "x")));
        assert_eq!(part_of("items[other[i]]"), Some(("items", "[other[i]]")));
        assert_eq!(part_of("x]"), None);
        assert_eq!(part_of("x"), None);
        assert_eq!(part_of("p.f()"), None);
    }
}
