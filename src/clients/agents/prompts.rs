//! The prompts of the server: texts with which a user begins a task.

use serde_json::{Map, Value, json};

use super::messages::INVALID_PARAMS;
use super::versions::RpcError;

struct Prompt {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    /// The text; `{name}` is replaced by the argument.
    text: &'static str,
}

struct Argument {
    name: &'static str,
    description: &'static str,
}

const FILE: Argument = Argument { name: "file", description: "The program's file, relative to the root" };

const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "explain_error",
        title: "Explain this error",
        description: "Why an EZ program does not start or fails, in words for a learner",
        arguments: &[FILE],
        text: "The EZ program {file} does not start, or fails. Call check for it; if it has no errors, call \
               investigate. Then explain to a learner, in a few sentences and without jargon, what is wrong and why, \
               naming the line. Do not give the corrected program; give the next thing to try.",
    },
    Prompt {
        name: "find_bug",
        title: "Find the bug",
        description: "Why an EZ program prints something other than expected",
        arguments: &[FILE, Argument { name: "expected", description: "What it should print or do instead" }],
        text: "The EZ program {file} runs, but its result is wrong. Expected: {expected}. Call run once to see what it \
               does. Then call investigate with stop at the wrong output and ask.origin for the variable that is \
               wrong, and follow the chain of writes to the statement at which the value first differs from what it \
               should be. Name that line, say what it does and what it should do, and prove it with the values.",
    },
    Prompt {
        name: "write_failing_test",
        title: "Write a test that fails",
        description: "A small EZ program that shows a bug",
        arguments: &[FILE, Argument { name: "bug", description: "What is wrong" }],
        text: "Write a small EZ program that shows this bug of {file}: {bug}. Look up with language how assertions and \
               functions are written. The program calls the function concerned with one input, compares the result \
               with the right one, and ends with a run-time error if they differ. Call run to show that it fails now, \
               and say which line has to change so that it passes.",
    },
];

/// The result of `prompts/list`.
pub fn list() -> Value {
    let described = |prompt: &Prompt| {
        let arguments: Vec<Value> = prompt
            .arguments
            .iter()
            .map(|Argument { name, description }| json!({"name": name, "description": description, "required": true}))
            .collect();
        json!({
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": arguments,
        })
    };
    json!({"prompts": PROMPTS.iter().map(described).collect::<Vec<_>>()})
}

/// The result of `prompts/get`.
///
/// # Errors
/// If there is no such prompt, or an argument is missing or no string.
pub fn get(params: &Map<String, Value>) -> Result<Value, RpcError> {
    let wrong = |message: String| RpcError::new(INVALID_PARAMS, message);
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let Some(prompt) = PROMPTS.iter().find(|prompt| prompt.name == name) else {
        let names: Vec<&str> = PROMPTS.iter().map(|prompt| prompt.name).collect();
        return Err(wrong(format!("unknown prompt: {name}; the prompts are {}", names.join(", "))));
    };
    let mut text = prompt.text.to_string();
    for Argument { name, .. } in prompt.arguments {
        let value = params.get("arguments").and_then(|arguments| arguments.get(name));
        let value = value.ok_or_else(|| wrong(format!("missing argument: {name}")))?;
        let value =
            value.as_str().ok_or_else(|| wrong(format!("wrong argument '{name}': expected a string")))?;
        text = text.replace(&format!("{{{name}}}"), value);
    }
    Ok(json!({
        "description": prompt.description,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }))
}
