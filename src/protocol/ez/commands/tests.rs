//! Tests of the table of commands, and of what is written: the order of keys, and that everything fits.

use compact_str::CompactString;
use serde_json::value::RawValue;

use super::evaluate::evaluated;
use super::loading::initialized;
use super::stack::stack_trace;
use super::variables::variables;
use crate::protocol::Messages;
use crate::protocol::ez::decode::decode;
use crate::protocol::ez::encode::{error, problem, stopped};
use crate::protocol::ez::sink::Sink;
use crate::protocol::ez::values::variable_update;
use crate::protocol::value_text::{Notation, type_text};
use ez_engine::api::{
    BreakpointId, Cut, Described, Frame, Initialized, Location, Position, Problem, Scope, StackTrace,
    StopReason, Stopped, Value, Variable,
};
use ez_runtime::diagnostics::{Code, Severity};

const SPEC: &str = include_str!("../../../../SPEC.md");

#[test]
fn example_commands_can_be_decoded() {
    let examples =
        SPEC.lines().filter(|line| line.starts_with("{\"type\":\"command\"") && !line.contains("NAME"));
    let examples: Vec<&str> = examples.collect();
    assert!(examples.len() > 25, "{}", examples.len());
    for example in examples {
        let decoded = decode(example.as_bytes(), 2);
        assert!(decoded.ask.is_ok(), "{example}: {:?}", decoded.ask.err());
    }
}

fn line(write: impl FnOnce(&mut Sink)) -> String {
    let mut out = Messages::default();
    write(&mut Sink::events(&mut out, Notation::default()));
    let text = String::from_utf8(out.bytes().to_vec()).unwrap();
    assert!(text.ends_with('\n') && text.matches('\n').count() == 1);
    text.trim_end().to_string()
}

fn id(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_string()).unwrap()
}

fn held(value: Value, declared_type: &str) -> Described {
    Described { value, declared_type: declared_type.into(), handle: None, children: 0, object: None }
}

fn string(text: &str) -> Value {
    Value::String(Cut { text: text.into(), cut: false })
}

fn var(name: &str, value: Value) -> Variable {
    let name = CompactString::from(name);
    let held = held(value, "string");
    Variable {
        name,
        scope: Scope::Local,
        mutable: true,
        held,
        evaluate_name: None,
        changed: false,
        new: false,
    }
}

fn place() -> Location {
    Location { path: "/w/a.ez".into(), line: 3, column: 5 }
}

#[test]
fn keys_keep_their_order() {
    let reason = StopReason::Breakpoint(BreakpointId(2));
    let stop = Stopped { hits: Some(1), ..Stopped::new(reason, place()) };
    assert_eq!(
        line(|out| stopped(out, &stop, false, Some(&id("\"x\"")))),
        r#"{"type":"event","event":"stopped","data":{"reason":"breakpoint","location":{"file":"/w/a.ez","line":3,"column":5},"breakpointId":2},"id":"x"}"#
    );
    assert_eq!(
        line(|out| variable_update(out, &var("s", string("é")), false)),
        r#"{"type":"event","event":"variableUpdate","data":{"name":"s","value":"\"é\"","type":"string","frameIndex":0}}"#
    );
    assert_eq!(
        line(|out| error(out, "Cannot step: program has ended", Some("stepInto"), Some(&id("12")))),
        r#"{"type":"event","event":"error","data":{"message":"Cannot step: program has ended","command":"stepInto"},"id":12}"#
    );
    assert_eq!(
        line(|out| evaluated(out, "1+2", &held(Value::Int(3), "int"), (false, false), None)),
        r#"{"type":"event","event":"evaluateResult","data":{"expression":"1+2","result":"3","type":"int"}}"#
    );
}

#[test]
fn types_are_those_of_the_protocol() {
    let array = || Value::Array { shown: vec![], total: 0 };
    for (value, declared, expected) in [
        (array(), "[int]", "array"),
        (Value::Nil, "map[string:int]", "map"),
        (array(), "any", "array"),
        (Value::Int(1), "any", "int"),
        (Value::Int(1), "u8", "u8"),
    ] {
        assert_eq!(type_text(&held(value, declared)), expected);
    }
}

#[test]
fn capabilities_are_for_those_who_ask() {
    let program = Initialized { file: "a".into(), warnings: vec![] };
    let told = |version| line(|out| initialized(out, &program, version, None));
    assert_eq!(told(None), r#"{"type":"event","event":"initialized","data":{"file":"a"}}"#);
    assert!(told(Some(9)).contains(r#""protocolVersion":2,"capabilities":{"conditionalBreakpoints":true"#));
    let version = format!(r#","version":"{}"}}}}"#, env!("CARGO_PKG_VERSION"));
    assert!(told(Some(2)).ends_with(&version), "{}", told(Some(2)));
    assert!(!told(Some(1)).contains(r#""version""#), "{}", told(Some(1)));
}

#[test]
fn ids_stay_on_one_line() {
    let told = line(|out| error(out, "x", None, Some(&id("\"a\u{2028}\u{85}b\""))));
    assert!(told.ends_with(r#""id":"a\u2028\u0085b"}"#), "{told}");
}

#[test]
fn warnings_that_do_not_fit_come_next() {
    let warning = |line| Problem {
        message: format!("warning {line} {}", "x".repeat(line as usize)),
        code: Code::W1001,
        severity: Severity::Warning,
        end: None,
        location: Some(Location { line, ..place() }),
        help: None,
        stack: Vec::new(),
    };
    let program = Initialized { file: "a".into(), warnings: (1..500).map(warning).collect() };
    let mut out = Messages::default();
    initialized(&mut Sink::events(&mut out, Notation::default()), &program, None, None);
    let (mut names, mut lines) = (Vec::new(), Vec::new());
    for message in out.bytes().split_inclusive(|byte| *byte == b'\n') {
        assert!(message.len() < 30 * 1024);
        let value: serde_json::Value = serde_json::from_slice(message).unwrap();
        names.push(value["event"].as_str().unwrap().to_string());
        let told = value["data"]["warnings"].as_array().unwrap().clone();
        lines.extend(told.iter().map(|w| w["location"]["line"].as_u64().unwrap()));
    }
    assert_eq!(lines, (1..500).collect::<Vec<_>>());
    assert!(names.len() > 2 && names.iter().skip(1).all(|name| name == "warnings"), "{names:?}");
}

fn told_variables(all: &[Variable]) -> (String, serde_json::Value) {
    let text = line(|out| variables(out, 0, all, false, None));
    let value = serde_json::from_str(&text).unwrap();
    (text, value)
}

#[test]
fn long_values_are_cut_and_short_ones_are_not() {
    let long = "\u{1}é".repeat(1000);
    let all: Vec<Variable> = (0..40)
        .map(|i| var(&format!("v{i}"), if i % 2 == 0 { Value::Int(1) } else { string(&long) }))
        .collect();
    let (text, value) = told_variables(&all);
    assert!((20_000..30 * 1024).contains(&text.len()), "{}", text.len());
    let values = value["data"]["variables"].as_array().unwrap();
    assert_eq!((values.len(), &values[0]["value"]), (40, &"1".into()));
    assert!(values[1]["value"].as_str().unwrap().ends_with("…\""));
    assert!(value["data"].get("truncated").is_none());
}

#[test]
fn nothing_is_cut_that_fits() {
    let all: Vec<Variable> = (0..560).map(|i| var(&format!("v{i}"), Value::Int(i))).collect();
    let (_, value) = told_variables(&all);
    let values = value["data"]["variables"].as_array().unwrap();
    assert_eq!((values.len(), &values[559]["value"]), (560, &"559".into()));
    let elements = Value::Array { shown: (0..200).map(Value::Int).collect(), total: 200 };
    let (_, value) = told_variables(&[var("l", elements)]);
    assert!(value["data"]["variables"][0]["value"].as_str().unwrap().ends_with(", 198, 199]"));
}

#[test]
fn version_2_is_told_all_variables() {
    let id = RawValue::from_string("7".into()).unwrap();
    let all: Vec<Variable> = (0..4000).map(|i| var(&format!("v{i}"), string(&"x".repeat(100)))).collect();
    let mut out = Messages::default();
    variables(&mut Sink::events(&mut out, Notation::default()), 0, &all, true, Some(&id));
    let messages: Vec<&[u8]> = out.bytes().split_inclusive(|byte| *byte == b'\n').collect();
    let mut names = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        assert!(message.len() < 32 * 1024, "{}", message.len());
        let event: serde_json::Value = serde_json::from_slice(message).unwrap();
        let data = &event["data"];
        assert_eq!((&data["part"], &data["parts"]), (&(index + 1).into(), &messages.len().into()));
        assert_eq!(event.get("id").is_some(), index + 1 == messages.len());
        assert!(data.get("truncated").is_none());
        let variables = data["variables"].as_array().unwrap().iter();
        names.extend(variables.map(|variable| variable["name"].as_str().unwrap().to_string()));
    }
    assert!(messages.len() > 10, "{}", messages.len());
    assert_eq!(names, (0..4000).map(|i| format!("v{i}")).collect::<Vec<_>>());
}

// invariant 12
#[test]
fn events_fit_whatever_is_in_them() {
    let all: Vec<Variable> = (0..4000).map(|i| var(&format!("v{i}"), Value::Int(12))).collect();
    let (text, _) = told_variables(&all);
    assert!((20_000..30 * 1024).contains(&text.len()), "{}", text.len());
    assert!(text.ends_with(r#""truncated":true}}"#));
    let long_name = var(&"n".repeat(40_000), string(&"x".repeat(40_000)));
    assert!(told_variables(std::slice::from_ref(&long_name)).0.len() < 32 * 1024);
    assert!(line(|out| variable_update(out, &long_name, false)).len() < 32 * 1024);

    let far = Location { path: format!("/{}", "d/".repeat(1000)).into(), ..place() };
    let frame = |index| Frame {
        index,
        function: "f".repeat(40_000),
        location: far.clone(),
        begin: Position { line: 3, column: 1 },
        end: Position { line: 3, column: 9 },
        module: None,
    };
    let frames: Vec<Frame> = (0..100).map(frame).collect();
    let text = line(|out| stack_trace(out, &StackTrace { frames: frames.clone(), total: 500 }, false, None));
    assert!(text.len() < 30 * 1024 && text.contains(r#""total":500"#), "{}", text.len());
    let failed = Problem {
        message: "x\n".repeat(90_000),
        code: Code::E5001,
        severity: Severity::Error,
        help: Some("y".repeat(90_000)),
        end: None,
        location: Some(far),
        stack: frames,
    };
    assert!(line(|out| problem(out, &failed, None)).len() < 32 * 1024);
}
