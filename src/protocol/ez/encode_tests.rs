use super::*;
use crate::debug::{Evaluated, Frame, Location, Variable};
use crate::diagnostics::{Code, Severity};

fn line(tag: Option<&str>, event: &SessionEvent) -> String {
    let mut out = Vec::new();
    let tag = tag.map(|tag| RequestId(tag.into()));
    assert_eq!(EzEncoder.event(tag.as_ref(), event, &mut out), None);
    let text = String::from_utf8(out).unwrap();
    assert!(text.ends_with('\n') && text.matches('\n').count() == 1);
    text.trim_end().to_string()
}

fn variable(name: &str, value: &str) -> Variable {
    Variable { name: name.into(), value: value.into(), type_name: "string".into() }
}

fn location() -> Location {
    Location { path: "/w/a.ez".into(), line: 3, column: 5 }
}

#[test]
fn keys_keep_their_order() {
    assert_eq!(line(None, &SessionEvent::Started), r#"{"type":"event","event":"started","data":{}}"#);
    let stopped = debug::Stopped {
        reason: StopReason::Breakpoint(2),
        location: location(),
        text: None,
        changed: Vec::new(),
    };
    assert_eq!(
        line(Some("\"x\""), &SessionEvent::Stopped(stopped)),
        r#"{"type":"event","event":"stopped","data":{"reason":"breakpoint","location":{"file":"/w/a.ez","line":3,"column":5},"breakpointId":2},"id":"x"}"#
    );
    assert_eq!(
        line(None, &SessionEvent::VariableUpdate(variable("s", "\"é\""))),
        r#"{"type":"event","event":"variableUpdate","data":{"name":"s","value":"\"é\"","type":"string","frameIndex":0}}"#
    );
    let failure = Failure::of_command("stepInto", "Cannot step: program has ended");
    assert_eq!(
        line(Some("12"), &SessionEvent::Error(failure)),
        r#"{"type":"event","event":"error","data":{"message":"Cannot step: program has ended","command":"stepInto"},"id":12}"#
    );
    let value = Evaluated { result: "3".into(), type_name: "int".into() };
    assert_eq!(
        line(None, &SessionEvent::Evaluated { expression: "1+2".into(), value }),
        r#"{"type":"event","event":"evaluateResult","data":{"expression":"1+2","result":"3","type":"int"}}"#
    );
}

#[test]
fn capabilities_are_for_those_who_ask() {
    let initialized =
        |version| line(None, &SessionEvent::Initialized { file: "a".into(), warnings: vec![], version });
    assert_eq!(initialized(None), r#"{"type":"event","event":"initialized","data":{"file":"a"}}"#);
    assert!(
        initialized(Some(9)).contains(r#""protocolVersion":1,"capabilities":{"conditionalBreakpoints":true"#)
    );
}

#[test]
fn output_is_json() {
    let text: String = (0..0x300).filter_map(char::from_u32).collect();
    let mut out = Vec::new();
    EzEncoder.output(Stream::Stderr, &text, &mut out);
    let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(value["data"]["text"], text);
    assert_eq!(value["data"]["category"], "stderr");
}

#[test]
fn warnings_that_do_not_fit_come_next() {
    let warning = |line| debug::Problem {
        message: format!("warning {line} {}", "x".repeat(line as usize)),
        code: Code::W1001,
        severity: Severity::Warning,
        location: Some(Location { line, ..location() }),
        help: None,
        stack: Vec::new(),
    };
    let warnings: Vec<_> = (1..500).map(warning).collect();
    let mut event = Some(SessionEvent::Initialized { file: "a".into(), warnings, version: None });
    let (mut names, mut lines) = (Vec::new(), Vec::new());
    while let Some(next) = event {
        let mut out = Vec::new();
        event = EzEncoder.event(None, &next, &mut out);
        assert!(out.len() < 30 * 1024);
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
        names.push(value["event"].as_str().unwrap().to_string());
        let told = value["data"]["warnings"].as_array().unwrap().clone();
        lines.extend(told.iter().map(|w| w["location"]["line"].as_u64().unwrap()));
    }
    assert_eq!(lines, (1..500).collect::<Vec<_>>());
    assert!(names.len() > 2 && names.iter().skip(1).all(|name| name == "warnings"), "{names:?}");
}

#[test]
fn lists_fit() {
    let long = format!("\"{}\"", "\u{1}é".repeat(1000));
    let many: Vec<Variable> =
        (0..40).map(|i| variable(&format!("v{i}"), if i % 2 == 0 { "1" } else { &long })).collect();
    let text = line(None, &SessionEvent::Variables { frame: 0, variables: many });
    assert!((20_000..30 * 1024).contains(&text.len()), "{}", text.len());
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let values = value["data"]["variables"].as_array().unwrap();
    assert_eq!(values.len(), 40);
    assert_eq!(values[0]["value"], "1");
    assert!(values[1]["value"].as_str().unwrap().ends_with("…\""));
    assert!(value["data"].get("truncated").is_none());

    let many: Vec<Variable> = (0..4000).map(|i| variable(&format!("v{i}"), "12")).collect();
    let text = line(None, &SessionEvent::Variables { frame: 0, variables: many });
    assert!((20_000..30 * 1024).contains(&text.len()), "{}", text.len());
    assert!(text.ends_with(r#""truncated":true}}"#));

    let far = Location { path: format!("/{}", "d/".repeat(1000)).into(), ..location() };
    let frame = |index| Frame { index, function: "f".into(), location: far.clone() };
    let frames: Vec<Frame> = (0..100).map(frame).collect();
    let text = line(None, &SessionEvent::StackTrace { frames: frames.clone(), total: 500 });
    assert!(text.len() < 30 * 1024 && text.contains(r#""total":500"#), "{}", text.len());
    let failure = Failure {
        message: "x\n".repeat(90_000),
        help: Some("y".repeat(90_000)),
        location: Some(far),
        stack: frames,
        ..Failure::default()
    };
    assert!(line(None, &SessionEvent::Error(failure)).len() < 32 * 1024);
}
