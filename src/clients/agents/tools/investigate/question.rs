//! The question of an investigation: where to stop, and what to ask there.

use serde_json::{Map, Value, json};

use crate::clients::agents::arguments::known;
use crate::clients::agents::schema;
use crate::protocol::params::Params;

/// Maximum number of expressions.
const MAX_EXPRESSIONS: usize = 30;

/// Where the program stops to be asked.
#[derive(Debug, PartialEq)]
pub enum Goal {
    /// At its run-time error, or else at its end.
    ErrorOrEnd,
    /// At its run-time error.
    Error,
    End,
    /// Before the statement in a line.
    Line {
        line: u32,
        file: Option<String>,
    },
    /// At the beginning of a function.
    Function(String),
    /// Before the statement that prints a text.
    Output(String),
    /// Before the statement that prints something else than is expected.
    Difference,
    /// At a step, as earlier answers name it.
    Step(u64),
}

#[derive(Debug, PartialEq)]
pub struct StopAt {
    pub goal: Goal,
    /// Stops only if this holds.
    pub condition: Option<String>,
    /// Stops there for the nth time.
    pub hit: u32,
}

/// Whether, and of which statement, to show how it computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unfold {
    /// The statement at the stop.
    Here,
    /// The statement in a line that was executed last.
    Line(u32),
}

/// What to ask at the stop.
#[derive(Debug, PartialEq)]
pub struct Ask {
    pub stack: bool,
    pub variables: bool,
    pub expressions: Vec<String>,
    pub origin: Option<String>,
    pub unfold: Option<Unfold>,
}

/// The schema of `stop`.
pub fn stop_schema() -> Value {
    schema::object([
        ("error", schema::flag("At the run-time error"), false),
        ("end", schema::flag("At the end"), false),
        ("line", schema::whole(1, "Before the statement in this line"), false),
        ("file", schema::text("The file of the line [the program's]"), false),
        ("function", schema::text("At the beginning of this function"), false),
        ("output", schema::text("Before the statement that prints this text"), false),
        ("difference", schema::flag("Before the statement that prints something else than expected"), false),
        ("step", schema::whole(0, "At this step of an earlier answer"), false),
        ("condition", schema::text("With line or function: only if this EZ expression is true"), false),
        ("hit", schema::whole(1, "With line, function or output: at the nth time [1]"), false),
    ])
}

/// The schema of `ask`.
pub fn ask_schema() -> Value {
    let unfold = json!({
        "anyOf": [{"type": "boolean"}, {"type": "integer", "minimum": 1}],
        "description": "How a statement computed: true for the one at the stop, or a line executed before",
    });
    schema::object([
        ("stack", schema::flag("The calls in progress"), false),
        ("variables", schema::flag("The stack with the variables of its frames"), false),
        ("expressions", schema::texts("Values of EZ expressions"), false),
        ("origin", schema::text("Where the value of this variable, element or field came from"), false),
        ("unfold", unfold, false),
    ])
}

impl StopAt {
    /// From the argument `stop`.
    ///
    /// # Errors
    /// If it is wrong: what to do.
    pub fn new(arguments: &Map<String, Value>) -> Result<StopAt, String> {
        let stop = Params::new(arguments).object("stop", StopAt::read)?;
        if let Some(Value::Object(members)) = arguments.get("stop") {
            known(members, &stop_schema()).map_err(|wrong| format!("stop: {wrong}"))?;
        }
        let expects = arguments.get("expected").is_some_and(|expected| !expected.is_null());
        if matches!(&stop, Some(StopAt { goal: Goal::Difference, .. })) && !expects {
            return Err("stop.difference needs expected: what the program has to print".into());
        }
        let goal = if expects { Goal::Difference } else { Goal::ErrorOrEnd };
        Ok(stop.unwrap_or(StopAt { goal, condition: None, hit: 1 }))
    }

    fn read(params: &Params) -> Result<StopAt, String> {
        let mut goals = Vec::new();
        let line = params.number("line", 1, u32::MAX)?;
        let file = params.path("file")?;
        if file.is_some() && line.is_none() {
            return Err("stop.file needs stop.line".into());
        }
        goals.extend(line.map(|line| Goal::Line { line, file }));
        goals.extend(params.text("function")?.map(|name| Goal::Function(name.into())));
        if let Some(text) = params.text("output")? {
            if text.is_empty() {
                return Err("stop.output is empty: give a part of what the program prints".into());
            }
            goals.push(Goal::Output(text.into()));
        }
        goals.extend(params.count("step", 0)?.map(Goal::Step));
        if params.flag("error")? {
            goals.push(Goal::Error);
        }
        if params.flag("end")? {
            goals.push(Goal::End);
        }
        if params.flag("difference")? {
            goals.push(Goal::Difference);
        }
        let condition = params.text("condition")?.map(str::to_string);
        let hit = params.number("hit", 1, u32::MAX)?;
        if goals.len() > 1 {
            return Err(
                "stop has several places; give one of error, end, line, function, output, difference, step"
                    .into(),
            );
        }
        let goal = goals.pop().unwrap_or(Goal::ErrorOrEnd);
        let is_breakpoint = matches!(goal, Goal::Line { .. } | Goal::Function(_));
        if condition.is_some() && !is_breakpoint {
            return Err("stop.condition needs stop.line or stop.function: where to look at it".into());
        }
        if hit.is_some() && !is_breakpoint && !matches!(goal, Goal::Output(_)) {
            return Err("stop.hit needs stop.line, stop.function or stop.output".into());
        }
        Ok(StopAt { goal, condition, hit: hit.unwrap_or(1) })
    }
}

impl Ask {
    /// From the argument `ask`.
    ///
    /// # Errors
    /// If it is wrong: what to do.
    pub fn new(arguments: &Map<String, Value>) -> Result<Ask, String> {
        let ask = Params::new(arguments).object("ask", Ask::read)?;
        if let Some(Value::Object(members)) = arguments.get("ask") {
            known(members, &ask_schema()).map_err(|wrong| format!("ask: {wrong}"))?;
        }
        let nothing = Ask { stack: false, variables: false, expressions: vec![], origin: None, unfold: None };
        let ask = ask.unwrap_or(nothing);
        let asks_nothing = !ask.stack
            && !ask.variables
            && ask.expressions.is_empty()
            && ask.origin.is_none()
            && ask.unfold.is_none();
        Ok(if asks_nothing { Ask { stack: true, variables: true, ..ask } } else { ask })
    }

    fn read(params: &Params) -> Result<Ask, String> {
        let expressions = params.texts("expressions")?.unwrap_or_default();
        if expressions.len() > MAX_EXPRESSIONS {
            return Err(format!("ask.expressions has more than {MAX_EXPRESSIONS} expressions"));
        }
        let unfold = match params.choice("unfold") {
            Ok(Some(true)) => Some(Unfold::Here),
            Ok(Some(false) | None) => None,
            Err(_) => {
                let line = params.number("unfold", 1, u32::MAX);
                line.map_err(|_| "ask.unfold must be true or the number of a line")?.map(Unfold::Line)
            }
        };
        Ok(Ask {
            stack: params.flag("stack")?,
            variables: params.flag("variables")?,
            expressions,
            origin: params.text("origin")?.map(str::to_string),
            unfold,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(value: Value) -> Map<String, Value> {
        let Value::Object(members) = value else { panic!("an object") };
        members
    }

    #[test]
    fn places() {
        let stop = |value: Value| StopAt::new(&arguments(json!({"stop": value})));
        assert_eq!(StopAt::new(&Map::new()).map(|stop| stop.goal), Ok(Goal::ErrorOrEnd));
        assert_eq!(stop(json!({"error": true})).map(|stop| stop.goal), Ok(Goal::Error));
        assert_eq!(stop(json!({"function": "f", "hit": 2})).map(|stop| stop.hit), Ok(2));
        assert_eq!(stop(json!({"step": 7})).map(|stop| stop.goal), Ok(Goal::Step(7)));
        for (wrong, why) in [
            (json!({"line": 1, "end": true}), "several places"),
            (json!({"condition": "x"}), "needs stop.line"),
            (json!({"end": true, "hit": 1}), "stop.hit needs"),
            (json!({"file": "a.ez"}), "needs stop.line"),
            (json!({"output": ""}), "empty"),
            (json!({"line": "7"}), "stop.line"),
            (json!({"lines": 7}), "did you mean 'line'"),
            (json!(7), "an object"),
        ] {
            let error = stop(wrong.clone()).expect_err("wrong");
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }

    #[test]
    fn questions() {
        let ask = |value: Value| Ask::new(&arguments(json!({"ask": value})));
        assert_eq!(Ask::new(&Map::new()).map(|ask| ask.variables), Ok(true));
        assert_eq!(
            ask(json!({"origin": "x"})).map(|ask| (ask.stack, ask.origin)),
            Ok((false, Some("x".into())))
        );
        assert_eq!(ask(json!({"unfold": true})).map(|ask| ask.unfold), Ok(Some(Unfold::Here)));
        assert_eq!(ask(json!({"unfold": 12})).map(|ask| ask.unfold), Ok(Some(Unfold::Line(12))));
        for (wrong, why) in [
            (json!({"unfold": "x"}), "true or the number"),
            (json!({"expressions": "x"}), "a list of strings"),
            (json!({"expression": ["x"]}), "did you mean 'expressions'"),
        ] {
            let error = ask(wrong.clone()).expect_err("wrong");
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }
}
