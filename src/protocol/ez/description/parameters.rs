//! Parameters as JSON Schema; and that commands read what is declared. That they read nothing else, [`Params`] checks.

use serde_json::{Map, Value, json};

use super::allowed::is_allowed;
use crate::protocol::ez::commands::{Command, Context, all};
use crate::protocol::parameter::Presence;
use crate::protocol::params::{Declarations, PATH_LIMIT, Params};
use ez_engine::api::Request;

/// What is written about a parameter, or a member of one that is an object.
#[derive(Clone)]
pub struct Described {
    pub name: &'static str,
    pub shape: Shape,
    pub presence: Presence,
    pub since: u32,
    pub about: &'static str,
}

/// The values that a parameter accepts, as the kinds of `protocol/parameter.rs`.
#[derive(Clone)]
pub enum Shape {
    Text,
    TextOrNull,
    HostPort,
    Path,
    Bool,
    Whole(u64, u64),
    Reference,
    Words(Vec<&'static str>),
    ListOfWords(Vec<&'static str>),
    Base,
    Texts,
    Capabilities,
    Size,
    Environment,
    Object(Declarations),
    Objects(Declarations),
}

impl Shape {
    /// Its JSON Schema.
    fn schema(&self) -> Value {
        match self {
            Shape::Text | Shape::HostPort => json!({"type": "string"}),
            Shape::TextOrNull => json!({"type": ["string", "null"]}),
            Shape::Path => json!({"type": "string", "minLength": 1, "maxLength": PATH_LIMIT}),
            Shape::Bool => json!({"type": "boolean"}),
            Shape::Whole(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
            Shape::Reference => json!({"type": "integer", "minimum": 1}),
            Shape::Words(words) => json!({"type": "string", "enum": words}),
            Shape::ListOfWords(words) => {
                json!({"type": "array", "items": {"type": "string", "enum": words}})
            }
            Shape::Base => json!({"type": "integer", "enum": [2, 10, 16]}),
            Shape::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Shape::Capabilities => json!({"oneOf": [
                {"type": "array", "items": {"type": "string", "enum": ["net", "fs", "exec", "env"]}},
                {"type": "string"},
            ]}),
            Shape::Size => json!({"oneOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]}),
            Shape::Environment => {
                json!({"type": "object", "additionalProperties": {"type": ["string", "null"]}})
            }
            Shape::Object(members) => object(members),
            Shape::Objects(members) => json!({"type": "array", "items": object(members)}),
        }
    }

    /// A value that is accepted.
    fn example(&self, member: impl Fn(&Described) -> Option<Value>) -> Value {
        let object = |members: Declarations| {
            let all = described(members).filter_map(|one| Some((one.name.to_string(), member(&one)?)));
            Value::Object(all.collect())
        };
        match self {
            Shape::Text | Shape::TextOrNull => json!("x"),
            Shape::HostPort => json!("127.0.0.1:0"),
            Shape::Path => json!("a.ez"),
            // Together with others, `true` can be a mistake.
            Shape::Bool => json!(false),
            Shape::Whole(least, _) => json!(least),
            Shape::Reference => json!(1),
            Shape::Words(words) => json!(words[0]),
            Shape::ListOfWords(words) => json!(words),
            Shape::Base => json!(16),
            Shape::Texts => json!(["a", ""]),
            Shape::Capabilities => json!(["net", "fs", "exec", "env"]),
            Shape::Size => json!("512M"),
            Shape::Environment => json!({"A": "b", "C": null}),
            Shape::Object(members) => object(members),
            Shape::Objects(members) => json!([object(members)]),
        }
    }

    /// Values at both ends of what is accepted, where there are several.
    fn ends(&self) -> Vec<Value> {
        match self {
            Shape::Whole(least, most) => vec![json!(least), json!(most)],
            Shape::Words(words) => words.iter().map(|word| json!(word)).collect(),
            Shape::ListOfWords(words) => vec![json!([]), json!(words)],
            Shape::Base => vec![json!(2), json!(10), json!(16)],
            // Another path than that of the example can be a mistake together with others.
            Shape::Path
            | Shape::Text
            | Shape::TextOrNull
            | Shape::HostPort
            | Shape::Bool
            | Shape::Reference
            | Shape::Texts
            | Shape::Capabilities
            | Shape::Size
            | Shape::Environment
            | Shape::Object(_)
            | Shape::Objects(_) => Vec::new(),
        }
    }

    /// Values of the right type that are refused.
    fn wrong(&self) -> Vec<Value> {
        match self {
            Shape::HostPort => vec![json!(""), json!("nowhere"), json!("192.0.2.1:0")],
            Shape::Path => vec![json!(""), json!("a\0b"), json!("a".repeat(PATH_LIMIT + 1))],
            Shape::Whole(0, most) => vec![json!(most + 1), json!(-1)],
            Shape::Whole(least, most) => vec![json!(least - 1), json!(most + 1)],
            Shape::Reference => vec![json!(0), json!(-1), json!(1.5)],
            Shape::Words(_) => vec![json!("no such word")],
            Shape::ListOfWords(words) => vec![json!([words[0], "no such word"])],
            Shape::Base => vec![json!(0), json!(8)],
            Shape::Capabilities => vec![json!(["disk"]), json!("disk")],
            Shape::Size => vec![json!(0), json!("much")],
            Shape::Environment => vec![json!({"": "x"})],
            Shape::Text
            | Shape::TextOrNull
            | Shape::Bool
            | Shape::Texts
            | Shape::Object(_)
            | Shape::Objects(_) => Vec::new(),
        }
    }

    /// A value of another type.
    fn of_another_type(&self) -> Value {
        if let Shape::Bool = self { json!("x") } else { json!(true) }
    }
}

fn described(members: Declarations) -> impl Iterator<Item = Described> + Clone {
    members.iter().map(|one| one.describe())
}

/// The schema of an object with these members.
fn object(members: Declarations) -> Value {
    let member = |one: Described| (one.name.to_string(), member(&one));
    let all = described(members);
    let required: Vec<&str> =
        all.clone().filter(|one| one.presence == Presence::Required).map(|one| one.name).collect();
    let mut schema = json!({
        "type": "object",
        "properties": all.clone().map(member).collect::<Map<_, _>>(),
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let choices: Vec<Value> = all.filter_map(|one| one_of(&one)).collect();
    match choices.as_slice() {
        [] => {}
        [choice] => schema["anyOf"] = choice.clone(),
        // A second one would need an `allOf`.
        _ => panic!("{schema} has several members that others stand for"),
    }
    schema
}

/// For a member that others can stand for: that it is there, or one of them.
fn one_of(member: &Described) -> Option<Value> {
    let Presence::Unless(others) = member.presence else { return None };
    Some([member.name].iter().chain(others).map(|name| json!({"required": [name]})).collect())
}

fn member(parameter: &Described) -> Value {
    let mut schema = parameter.shape.schema();
    schema["description"] = json!(parameter.about);
    mark(&mut schema, parameter);
    schema
}

fn mark(described: &mut Value, Described { since, presence, .. }: &Described) {
    if *since > 1 {
        described["x-since"] = json!(since);
    }
    if let Presence::Unless(others) = presence {
        described["x-unless"] = json!(others);
    }
}

/// Parameters as OpenRPC describes them.
pub fn contents(parameters: Declarations) -> Vec<Value> {
    described(parameters).map(content).collect()
}

fn content(parameter: Described) -> Value {
    let mut content = json!({
        "name": parameter.name,
        "description": parameter.about,
        "required": parameter.presence == Presence::Required,
        "schema": parameter.shape.schema(),
    });
    mark(&mut content, &parameter);
    content
}

/// A parameter, or a member of one: its name in errors (of items of lists, of the first).
struct NamedParameter {
    name: String,
    parameter: Described,
}

impl NamedParameter {
    fn is_within(&self, name: &str) -> bool {
        self.name == name || self.name.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', '[']))
    }
}

/// All parameters of a command, and their members.
fn named_parameters(parameters: Declarations, prefix: &str) -> Vec<NamedParameter> {
    let mut found = Vec::new();
    for parameter in described(parameters).filter(|one| one.presence != Presence::OfConnection) {
        let name = format!("{prefix}{}", parameter.name);
        let (members, inner) = match parameter.shape {
            Shape::Object(members) => (members, format!("{name}.")),
            Shape::Objects(members) => (members, format!("{name}[0].")),
            _ => (&[][..], String::new()),
        };
        found.push(NamedParameter { name, parameter });
        found.extend(named_parameters(members, &inner));
    }
    found
}

/// Parameters with the values that `value` chooses by their names.
fn given(
    parameters: Declarations,
    prefix: &str,
    value: &dyn Fn(&str, &Described) -> Option<Option<Value>>,
) -> Map<String, Value> {
    let one = |parameter: Described| Some((parameter.name.to_string(), chosen(&parameter, prefix, value)?));
    described(parameters).filter_map(one).collect()
}

fn chosen(
    parameter: &Described,
    prefix: &str,
    value: &dyn Fn(&str, &Described) -> Option<Option<Value>>,
) -> Option<Value> {
    let name = format!("{prefix}{}", parameter.name);
    let inner = match parameter.shape {
        Shape::Objects(_) => format!("{name}[0]."),
        _ => format!("{name}."),
    };
    let member = |member: &Described| chosen(member, &inner, value);
    Some(value(&name, parameter)?.unwrap_or_else(|| parameter.shape.example(member)))
}

fn sent(command: &Command, params: &Map<String, Value>) -> Result<(), String> {
    asked(command, params).map(|_| ())
}

fn asked(command: &Command, params: &Map<String, Value>) -> Result<Request, String> {
    let context = Context { version: 2, negotiates: true };
    command.asked(&Params::new(params), context).map(|ask| ask.request)
}

/// What a command asks of the session that has no more parameters than it must.
pub fn least(command: &Command) -> Request {
    let params = given(command.parameters, "", &|_, parameter| {
        matches!(parameter.presence, Presence::Required | Presence::Unless(_)).then_some(None)
    });
    asked(command, &params).unwrap()
}

/// The parameters without which the command is not possible, `named` with this value (`None`: it is missing), and
/// nothing else.
fn sent_least(command: &Command, named: &NamedParameter, value: Option<&Value>) -> Result<(), String> {
    let params = given(command.parameters, "", &|name, parameter| {
        if name == named.name {
            return value.map(|value| Some(value.clone()));
        }
        let is_needed = match parameter.presence {
            Presence::Required => true,
            Presence::Unless(others) => {
                !others.contains(&named.parameter.name) || value == Some(&Value::Bool(false))
            }
            Presence::Optional | Presence::OfConnection => false,
        };
        (is_needed || named.is_within(name)).then_some(None)
    });
    let result = sent(command, &params);
    // What these kinds are is not all said in their schemas.
    let is_text = matches!(
        named.parameter.shape,
        Shape::HostPort | Shape::Capabilities | Shape::Size | Shape::Environment
    ) || value.and_then(Value::as_str).is_some_and(|text| text.contains('\0'));
    if !is_text {
        let (name, params) = (command.name, Value::Object(params));
        let allowed = is_allowed(&params, &object(command.parameters));
        assert_eq!(allowed, result.is_ok(), "{name} {params}: {result:?}");
    }
    result
}

#[test]
fn declared_values_are_accepted_and_others_refused() {
    for command in all() {
        for named in named_parameters(command.parameters, "") {
            let (name, shape) = (&named.name, &named.parameter.shape);
            let at = format!("{} {name}", command.name);
            let example = chosen(&named.parameter, "", &|_, _| Some(None));
            assert_eq!(sent_least(command, &named, example.as_ref()), Ok(()), "{at}");
            for end in shape.ends() {
                assert_eq!(sent_least(command, &named, Some(&end)), Ok(()), "{at} {end}");
            }
            for wrong in shape.wrong() {
                let refused = sent_least(command, &named, Some(&wrong)).unwrap_err();
                let expected = format!("wrong parameter '{name}");
                assert!(refused.starts_with(&expected), "{at} {wrong}: {refused}");
            }
            let refused = sent_least(command, &named, Some(&shape.of_another_type())).unwrap_err();
            assert!(refused.starts_with(&format!("wrong type of parameter '{name}'")), "{at}: {refused}");
        }
    }
}

/// What is read can depend on what else is given. [`Params`] asserts that it is declared.
#[test]
fn whatever_is_missing_only_what_is_declared_is_read() {
    for command in all() {
        let named = named_parameters(command.parameters, "");
        for left_out in &named {
            for also in &named {
                let missing = [&left_out.name, &also.name];
                let present =
                    |name: &str, _: &Described| (!missing.iter().any(|one| *one == name)).then_some(None);
                let _ = sent(command, &given(command.parameters, "", &present));
            }
        }
        let _ = sent(command, &Map::new());
    }
}

#[test]
fn what_is_missing_is_named() {
    for command in all() {
        for named in named_parameters(command.parameters, "") {
            let at = format!("{} {}", command.name, named.name);
            let missing = || Err::<(), _>(format!("missing parameter '{}'", named.name));
            match named.parameter.presence {
                Presence::Required => {
                    assert_eq!(sent_least(command, &named, None), missing(), "{at}");
                    assert_eq!(sent_least(command, &named, Some(&Value::Null)), missing(), "{at}");
                }
                Presence::Unless(others) => {
                    // What can be given instead may follow.
                    let said = sent_least(command, &named, None).unwrap_err();
                    assert!(missing().is_err_and(|missing| said.starts_with(&missing)), "{at}: {said}");
                    for other in others {
                        assert_eq!(without(command, &named, other), Ok(()), "{at}, but {other}");
                    }
                }
                Presence::Optional | Presence::OfConnection => {}
            }
        }
    }
}

/// A command without `named`, but with `other`, which can stand for it.
fn without(command: &Command, named: &NamedParameter, other: &str) -> Result<(), String> {
    let prefix = named.name.strip_suffix(named.parameter.name).unwrap_or_default();
    let other = format!("{prefix}{other}");
    let params = given(command.parameters, "", &|name, parameter| match parameter.presence {
        _ if name == named.name => None,
        _ if name == other => Some(matches!(parameter.shape, Shape::Bool).then(|| json!(true))),
        Presence::Optional => named.is_within(name).then_some(None),
        Presence::Required | Presence::Unless(_) => Some(None),
        Presence::OfConnection => None,
    });
    sent(command, &params)
}
