//! Parameters as JSON Schema; and that commands read what is declared.

use serde_json::{Map, Value, json};

use super::allowed::is_allowed;
use crate::protocol::ez::commands::signature::{Kind, Parameter, Presence};
use crate::protocol::ez::commands::{Command, Context, all};
use crate::protocol::params::reads::{self, Reads};
use crate::protocol::params::{PATH_LIMIT, Params};
use ez_engine::api::Request;

impl Kind {
    /// What [`Params`] notes when such a parameter is read.
    fn shape(self) -> String {
        match self {
            Kind::Text | Kind::Address => "text".into(),
            Kind::TextOrNull => "text or null".into(),
            Kind::Path => "path".into(),
            Kind::Bool => "bool".into(),
            Kind::Whole(least, most) => format!("{least}..={most}"),
            Kind::Reference => "reference".into(),
            Kind::Words(words) => format!("one of {}", words.join(", ")),
            Kind::ListOfWords(words) => format!("list of {}", words.join(", ")),
            Kind::Radix => "radix".into(),
            Kind::Texts => "texts".into(),
            Kind::Capabilities => "capabilities".into(),
            Kind::Size => "size".into(),
            Kind::Environment => "environment".into(),
            Kind::Object(_) => "object".into(),
            Kind::Objects(_) => "objects".into(),
        }
    }

    /// Its JSON Schema.
    pub fn schema(self) -> Value {
        match self {
            Kind::Text | Kind::Address => json!({"type": "string"}),
            Kind::TextOrNull => json!({"type": ["string", "null"]}),
            Kind::Path => json!({"type": "string", "minLength": 1, "maxLength": PATH_LIMIT}),
            Kind::Bool => json!({"type": "boolean"}),
            Kind::Whole(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
            Kind::Reference => json!({"type": "integer", "minimum": 1}),
            Kind::Words(words) => json!({"type": "string", "enum": words}),
            Kind::ListOfWords(words) => {
                json!({"type": "array", "items": {"type": "string", "enum": words}})
            }
            Kind::Radix => json!({"type": "integer", "enum": [2, 10, 16]}),
            Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Capabilities => json!({"oneOf": [
                {"type": "array", "items": {"type": "string", "enum": ["net", "fs", "exec", "env"]}},
                {"type": "string"},
            ]}),
            Kind::Size => json!({"oneOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]}),
            Kind::Environment => {
                json!({"type": "object", "additionalProperties": {"type": ["string", "null"]}})
            }
            Kind::Object(members) => object(members),
            Kind::Objects(members) => json!({"type": "array", "items": object(members)}),
        }
    }

    /// A value that is accepted.
    fn example(self, member: impl Fn(&Parameter) -> Option<Value>) -> Value {
        let object = |members: &[Parameter]| {
            let all = members.iter().filter_map(|one| Some((one.name.to_string(), member(one)?)));
            Value::Object(all.collect())
        };
        match self {
            Kind::Text | Kind::TextOrNull => json!("x"),
            Kind::Address => json!("127.0.0.1:0"),
            Kind::Path => json!("a.ez"),
            // Together with others, `true` can be a mistake.
            Kind::Bool => json!(false),
            Kind::Whole(least, _) => json!(least),
            Kind::Reference => json!(1),
            Kind::Words(words) => json!(words[0]),
            Kind::ListOfWords(words) => json!(words),
            Kind::Radix => json!(16),
            Kind::Texts => json!(["a", ""]),
            Kind::Capabilities => json!(["net", "fs", "exec", "env"]),
            Kind::Size => json!("512M"),
            Kind::Environment => json!({"A": "b", "C": null}),
            Kind::Object(members) => object(members),
            Kind::Objects(members) => json!([object(members)]),
        }
    }

    /// Values of the right type that are refused.
    fn wrong(self) -> Vec<Value> {
        match self {
            Kind::Address => vec![json!(""), json!("nowhere"), json!("192.0.2.1:0")],
            Kind::Path => vec![json!(""), json!("a\0b"), json!("a".repeat(PATH_LIMIT + 1))],
            Kind::Whole(0, most) => vec![json!(most + 1), json!(-1)],
            Kind::Whole(least, most) => vec![json!(least - 1), json!(most + 1)],
            Kind::Reference => vec![json!(0), json!(-1), json!(1.5)],
            Kind::Words(_) => vec![json!("no such word")],
            Kind::ListOfWords(words) => vec![json!([words[0], "no such word"])],
            Kind::Radix => vec![json!(0), json!(8)],
            Kind::Capabilities => vec![json!(["disk"]), json!("disk")],
            Kind::Size => vec![json!(0), json!("much")],
            Kind::Environment => vec![json!({"": "x"})],
            Kind::Text | Kind::TextOrNull | Kind::Bool | Kind::Texts | Kind::Object(_) | Kind::Objects(_) => {
                Vec::new()
            }
        }
    }

    /// A value of another type.
    fn of_another_type(self) -> Value {
        if let Kind::Bool = self { json!("x") } else { json!(true) }
    }
}

/// The schema of an object with these members.
fn object(members: &[Parameter]) -> Value {
    let member = |one: &Parameter| (one.name.to_string(), described(one));
    let required: Vec<&str> =
        members.iter().filter(|one| one.presence == Presence::Required).map(|one| one.name).collect();
    let mut schema = json!({
        "type": "object",
        "properties": members.iter().map(member).collect::<Map<_, _>>(),
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let choices: Vec<Value> = members.iter().filter_map(one_of).collect();
    match choices.as_slice() {
        [] => {}
        [choice] => schema["anyOf"] = choice.clone(),
        // A second one would need an `allOf`.
        _ => panic!("{schema} has several members that others stand for"),
    }
    schema
}

/// For a member that others can stand for: that it is there, or one of them.
fn one_of(member: &Parameter) -> Option<Value> {
    let Presence::Unless(others) = member.presence else { return None };
    Some([member.name].iter().chain(others).map(|name| json!({"required": [name]})).collect())
}

fn described(parameter: &Parameter) -> Value {
    let mut schema = parameter.kind.schema();
    schema["description"] = json!(parameter.about);
    mark(&mut schema, parameter);
    schema
}

fn mark(described: &mut Value, Parameter { since, presence, .. }: &Parameter) {
    if *since > 1 {
        described["x-since"] = json!(since);
    }
    if let Presence::Unless(others) = presence {
        described["x-unless"] = json!(others);
    }
}

/// A parameter as OpenRPC describes it.
pub fn content(parameter: &Parameter) -> Value {
    let mut content = json!({
        "name": parameter.name,
        "description": parameter.about,
        "required": parameter.presence == Presence::Required,
        "schema": parameter.kind.schema(),
    });
    mark(&mut content, parameter);
    content
}

/// A parameter, or a member of one: its name in errors (of items of lists, of the first), and the same without the
/// index.
struct Place {
    name: String,
    parameter: Parameter,
}

impl Place {
    fn without_index(&self) -> String {
        self.name.replace("[0]", "[]")
    }

    fn is_within(&self, name: &str) -> bool {
        self.name == name || self.name.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', '[']))
    }
}

/// All parameters of a command, and their members.
fn places(parameters: &[Parameter], prefix: &str) -> Vec<Place> {
    let mut found = Vec::new();
    for parameter in parameters.iter().filter(|one| one.presence != Presence::OfConnection) {
        let name = format!("{prefix}{}", parameter.name);
        let (members, inner) = match parameter.kind {
            Kind::Object(members) => (members, format!("{name}.")),
            Kind::Objects(members) => (members, format!("{name}[0].")),
            _ => (&[][..], String::new()),
        };
        found.push(Place { name, parameter: *parameter });
        found.extend(places(members, &inner));
    }
    found
}

/// Parameters with the values that `value` chooses by their names.
fn given(
    parameters: &[Parameter],
    prefix: &str,
    value: &dyn Fn(&str, &Parameter) -> Option<Option<Value>>,
) -> Map<String, Value> {
    let one = |parameter: &Parameter| {
        let name = format!("{prefix}{}", parameter.name);
        let inner = match parameter.kind {
            Kind::Objects(_) => format!("{name}[0]."),
            _ => format!("{name}."),
        };
        let chosen = value(&name, parameter)?;
        let member = |member: &Parameter| given(&[*member], &inner, value).remove(member.name);
        Some((parameter.name.to_string(), chosen.unwrap_or_else(|| parameter.kind.example(member))))
    };
    parameters.iter().filter_map(one).collect()
}

fn sent(command: &Command, params: &Map<String, Value>) -> Result<(), String> {
    asked(command, params).map(|_| ())
}

fn asked(command: &Command, params: &Map<String, Value>) -> Result<Request, String> {
    let context = Context { version: 2, negotiates: true };
    (command.ask)(&Params::new(params), context).map(|ask| ask.request)
}

/// What a command asks of the session that has no more parameters than it must.
pub fn least(command: &Command) -> Request {
    let params = given(command.signature.parameters, "", &|_, parameter| {
        matches!(parameter.presence, Presence::Required | Presence::Unless(_)).then_some(None)
    });
    asked(command, &params).unwrap()
}

/// The parameters without which the command is not possible, `place` with this value (`None`: it is missing), and
/// nothing else.
fn sent_least(command: &Command, place: &Place, value: Option<&Value>) -> Result<(), String> {
    let params = given(command.signature.parameters, "", &|name, parameter| {
        if name == place.name {
            return value.map(|value| Some(value.clone()));
        }
        let is_needed = match parameter.presence {
            Presence::Required => true,
            Presence::Unless(others) => {
                !others.contains(&place.parameter.name) || value == Some(&Value::Bool(false))
            }
            Presence::Optional | Presence::OfConnection => false,
        };
        (is_needed || place.is_within(name)).then_some(None)
    });
    let result = sent(command, &params);
    // What these kinds are is not all said in their schemas.
    let is_text =
        matches!(place.parameter.kind, Kind::Address | Kind::Capabilities | Kind::Size | Kind::Environment)
            || value.and_then(Value::as_str).is_some_and(|text| text.contains('\0'));
    if !is_text {
        let (name, params) = (command.name, Value::Object(params));
        let allowed = is_allowed(&params, &object(command.signature.parameters));
        assert_eq!(allowed, result.is_ok(), "{name} {params}: {result:?}");
    }
    result
}

#[test]
fn commands_read_the_declared_parameters() {
    for command in all() {
        let places = places(command.signature.parameters, "");
        let declared: Reads =
            places.iter().map(|place| (place.without_index(), place.parameter.kind.shape())).collect();
        reads::take();
        // What is read can depend on what else is given.
        for left_out in &places {
            for also in &places {
                let missing = [&left_out.name, &also.name];
                let present =
                    |name: &str, _: &Parameter| (!missing.contains(&&name.to_string())).then_some(None);
                let _ = sent(command, &given(command.signature.parameters, "", &present));
            }
        }
        let _ = sent(command, &Map::new());
        assert_eq!(reads::take(), declared, "{}", command.name);
    }
}

#[test]
fn declared_values_are_accepted_and_others_refused() {
    for command in all() {
        for place in places(command.signature.parameters, "") {
            let (name, kind) = (&place.name, place.parameter.kind);
            let at = format!("{} {name}", command.name);
            let example = given(&[place.parameter], "", &|_, _| Some(None)).remove(place.parameter.name);
            assert_eq!(sent_least(command, &place, example.as_ref()), Ok(()), "{at}");
            for wrong in kind.wrong() {
                let refused = sent_least(command, &place, Some(&wrong)).unwrap_err();
                let expected = format!("wrong parameter '{name}");
                assert!(refused.starts_with(&expected), "{at} {wrong}: {refused}");
            }
            let refused = sent_least(command, &place, Some(&kind.of_another_type())).unwrap_err();
            assert!(refused.starts_with(&format!("wrong type of parameter '{name}'")), "{at}: {refused}");
        }
    }
}

#[test]
fn what_is_missing_is_named() {
    for command in all() {
        for place in places(command.signature.parameters, "") {
            let at = format!("{} {}", command.name, place.name);
            let missing = || Err(format!("missing parameter '{}'", place.name));
            match place.parameter.presence {
                Presence::Required => {
                    assert_eq!(sent_least(command, &place, None), missing(), "{at}");
                    assert_eq!(sent_least(command, &place, Some(&Value::Null)), missing(), "{at}");
                }
                Presence::Unless(others) => {
                    assert_eq!(sent_least(command, &place, None), missing(), "{at}");
                    for other in others {
                        assert_eq!(without(command, &place, other), Ok(()), "{at}, but {other}");
                    }
                }
                Presence::Optional | Presence::OfConnection => {}
            }
        }
    }
}

/// A command without `place`, but with `other`, which can stand for it.
fn without(command: &Command, place: &Place, other: &str) -> Result<(), String> {
    let prefix = place.name.strip_suffix(place.parameter.name).unwrap_or_default();
    let other = format!("{prefix}{other}");
    let params = given(command.signature.parameters, "", &|name, parameter| match parameter.presence {
        _ if name == place.name => None,
        _ if name == other => Some(matches!(parameter.kind, Kind::Bool).then(|| json!(true))),
        Presence::Optional => place.is_within(name).then_some(None),
        Presence::Required | Presence::Unless(_) => Some(None),
        Presence::OfConnection => None,
    });
    sent(command, &params)
}
