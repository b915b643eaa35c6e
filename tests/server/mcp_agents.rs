//! A client of `ez mcp` that finds the bugs of ten small programs, with at most three calls each.
//!
//! It knows a program's file and what the program should print, and nothing of the tools: it chooses the one whose
//! description has most words of what it wants. From answers it takes what a model would: the line that printed
//! something wrong, the variable in it. Its calls and their answers are the snapshots.
//!
//! A program in `testdata/agents` has a bug, and beside it what it should print (`.expected`) and its input (`.in`,
//! if any); new ones are listed below, with the line of the bug. The conversation in `docs/agents.md` is run, too;
//! `.ci/make` writes its answers anew.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::RangeInclusive;

use serde_json::{Value, json};
use support::mcp::{McpClient, mismatch, text_of};
use support::{project, testdata};

/// What the client wants, as it would say it.
const RUN: &str = "run the program and get its output, and the error if it fails";
const ERRORS: &str = "find all errors and warnings of a program that does not start, without running it";
const WHY: &str = "find out why it failed or printed something wrong: where a wrong value came from";
const CHANGES: &str = "see how the variables of loops that do something unexpected change while it runs";

/// A client, and what it has done.
struct Agent {
    client: McpClient,
    tools: Value,
    file: String,
    input: String,
    calls: usize,
    log: String,
}

impl Agent {
    fn new(name: &str) -> Agent {
        let mut client = McpClient::start(&testdata("agents"));
        let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
        let input =
            std::fs::read_to_string(testdata("agents").join(format!("{name}.in"))).unwrap_or_default();
        Agent { client, tools, file: format!("{name}.ez"), input, calls: 0, log: String::new() }
    }

    /// The tool whose description has most words of a sentence.
    fn choose(&self, wanted: &str) -> String {
        let words = |text: &str| -> BTreeSet<String> {
            text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase).collect()
        };
        let wanted = words(wanted);
        let fits = |tool: &&Value| words(tool["description"].as_str().unwrap()).intersection(&wanted).count();
        let tools = self.tools.as_array().unwrap();
        // Of equal ones, the first.
        let best = tools.iter().rev().max_by_key(fits).unwrap();
        best["name"].as_str().unwrap().to_string()
    }

    /// Calls the tool that fits a sentence; gives the structured result.
    fn call(&mut self, wanted: &str, mut arguments: Value) -> Value {
        let tool = self.choose(wanted);
        arguments["file"] = self.file.clone().into();
        if !self.input.is_empty() {
            arguments["input"] = self.input.clone().into();
        }
        self.calls += 1;
        let result = self.client.call(&tool, arguments.clone());
        writeln!(self.log, "> {wanted}\n> {tool} {arguments}\n{}\n", stable(&result)).unwrap();
        assert_eq!(result["isError"], false, "{}", self.log);
        let described = self.tools.as_array().unwrap().iter().find(|described| described["name"] == tool);
        assert_eq!(mismatch(&result["structuredContent"], &described.unwrap()["outputSchema"]), None);
        result["structuredContent"].clone()
    }

    /// Looks for the bug.
    fn investigate(&mut self, expected: &str) {
        let run = self.call(RUN, json!({"timeLimit": if self.file == "countdown.ez" { 0.3 } else { 30.0 }}));
        match run["status"].as_str().unwrap() {
            "notRun" => {
                self.call(ERRORS, json!({}));
            }
            "failed" => {
                let failing = run["errors"][0]["source"].as_str().unwrap();
                let variable = variable_in(failing, &run["stack"][0]["variables"]);
                self.call(WHY, json!({"ask": {"origin": variable, "unfold": true}}));
            }
            "timeIsOver" => {
                let variables = run["stack"][0]["variables"].as_array().unwrap();
                let names: Vec<&Value> = variables.iter().map(|variable| &variable["name"]).collect();
                self.call(CHANGES, json!({"of": names, "steps": 30}));
            }
            _ => {
                let printed = run["output"]["text"].as_str().unwrap();
                let wrong = printed.lines().zip(expected.lines()).find(|(printed, wanted)| printed != wanted);
                let (wrong, _) = wrong.expect("a line that is wrong");
                let stop = json!({"output": wrong});
                let found = self.call(WHY, json!({"stop": stop}));
                let line = found["stop"]["source"].as_str().unwrap();
                let variable = variable_in(line, &found["stack"][0]["variables"]);
                self.call(WHY, json!({"stop": stop, "ask": {"origin": variable}}));
            }
        }
    }
}

/// The text of a result. What a program was doing when its time was over is left to chance.
fn stable(result: &Value) -> String {
    let text = text_of(result);
    match result["structuredContent"]["status"] == "timeIsOver" {
        true => format!("{}\n…", text.lines().next().unwrap()),
        false => text,
    }
}

/// The last variable that a line shows, as a variable, element or field.
fn variable_in(line: &str, variables: &Value) -> String {
    let is_part = |c: char| c.is_alphanumeric() || "_.[]".contains(c);
    let known = |word: &&str| {
        let name = word.split(['.', '[']).next().unwrap();
        variables.as_array().unwrap().iter().any(|variable| variable["name"] == name)
    };
    let mut words = line.split(|c| !is_part(c)).map(|word| word.trim_matches(['.', ']', '[']));
    let found = words.rfind(known).expect("a variable");
    match found.split_once('[') {
        // An index that is wrong explains more than the array.
        Some((_, index))
            if variables.as_array().unwrap().iter().any(|variable| variable["name"] == index) =>
        {
            index.to_string()
        }
        Some(_) => format!("{found}]"),
        None => found.to_string(),
    }
}

/// The conversation in `docs/agents.md`.
#[test]
fn the_conversation_of_the_guide() {
    let path = project("docs/agents.md");
    let guide = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = guide.split_once("```mcp\n").expect("a conversation");
    let (written, after) = rest.split_once("```\n").expect("the end of the conversation");
    let program = std::fs::read_to_string(testdata("agents/bill.ez")).unwrap();
    assert!(before.contains(&program), "the guide shows another program than testdata/agents/bill.ez");
    let mut client = McpClient::start(&testdata("agents"));
    let mut told = String::new();
    for line in written.lines().filter(|line| line.starts_with("> ")) {
        let (tool, arguments) = line[2..].split_once(' ').unwrap();
        let text = client.text(tool, serde_json::from_str(arguments).unwrap());
        writeln!(told, "{line}\n{text}\n").unwrap();
    }
    let told = format!("{}\n", told.trim_end());
    if std::env::var_os("EZ_MAKE").is_some() {
        std::fs::write(path, format!("{before}```mcp\n{told}```\n{after}")).unwrap();
    } else {
        assert!(written == told, "docs/agents.md is stale: run .ci/make\n{told}");
    }
}

/// Finds the bug of a program, which is in one of these lines: an answer shows it.
fn finds(name: &str, lines: RangeInclusive<usize>) {
    let mut agent = Agent::new(name);
    let expected = std::fs::read_to_string(testdata("agents").join(format!("{name}.expected"))).unwrap();
    agent.investigate(&expected);
    assert!(agent.calls <= 3, "{}", agent.log);
    let source = std::fs::read_to_string(testdata("agents").join(format!("{name}.ez"))).unwrap();
    let shown = |line: usize| {
        let text = source.lines().nth(line - 1).unwrap().trim();
        agent.log.contains(&format!("{line} | {text}"))
    };
    assert!(lines.clone().any(shown), "lines {lines:?} are not in:\n{}", agent.log);
    insta::assert_snapshot!(format!("agent_{name}"), agent.log);
}

#[test]
fn a_sum_instead_of_a_product() {
    finds("bill", 11..=11);
}

#[test]
fn a_maximum_that_begins_at_zero() {
    finds("maximum", 5..=5);
}

#[test]
fn a_division_of_integers() {
    finds("mean", 9..=9);
}

#[test]
fn an_exchange_without_a_third_variable() {
    finds("exchange", 7..=7);
}

#[test]
fn a_parameter_that_changes_the_argument() {
    finds("sorted", 8..=10);
}

#[test]
fn a_range_that_is_shifted() {
    finds("letters", 6..=6);
}

#[test]
fn a_comparison_that_is_reversed() {
    finds("share", 4..=12);
}

#[test]
fn a_loop_that_misses_its_end() {
    finds("countdown", 9..=9);
}

#[test]
fn a_type_that_does_not_fit() {
    finds("greeting", 5..=5);
}

#[test]
fn an_or_instead_of_an_and() {
    finds("password", 12..=12);
}
