//! Whether a schema allows a value, for the keywords that parameters have.

use serde_json::Value;

/// Whether a schema allows a value. Members that it does not know are allowed.
pub fn is_allowed(value: &Value, schema: &Value) -> bool {
    let is_of = |kind: &Value| match kind.as_str().unwrap() {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("{other}"),
    };
    schema.as_object().unwrap().iter().all(|(keyword, wanted)| match (keyword.as_str(), value) {
        ("type", _) => wanted.as_array().map_or_else(|| is_of(wanted), |kinds| kinds.iter().any(is_of)),
        ("enum", _) => wanted.as_array().unwrap().contains(value),
        ("minimum", Value::Number(number)) => number.as_f64() >= wanted.as_f64(),
        ("maximum", Value::Number(number)) => number.as_f64() <= wanted.as_f64(),
        ("minLength", Value::String(text)) => text.chars().count() as u64 >= wanted.as_u64().unwrap(),
        ("maxLength", Value::String(text)) => text.chars().count() as u64 <= wanted.as_u64().unwrap(),
        ("items", Value::Array(items)) => items.iter().all(|item| is_allowed(item, wanted)),
        ("properties", Value::Object(members)) => members
            .iter()
            .all(|(name, member)| wanted.get(name).is_none_or(|inner| is_allowed(member, inner))),
        ("additionalProperties", Value::Object(members)) => {
            members.values().all(|member| is_allowed(member, wanted))
        }
        ("required", Value::Object(members)) => {
            wanted.as_array().unwrap().iter().all(|name| members.contains_key(name.as_str().unwrap()))
        }
        ("anyOf" | "oneOf", _) => wanted.as_array().unwrap().iter().any(|inner| is_allowed(value, inner)),
        ("minimum" | "maximum" | "minLength" | "maxLength" | "items" | "properties", _) => true,
        ("additionalProperties" | "required" | "description", _) => true,
        (keyword, _) => keyword.starts_with("x-") || panic!("{keyword}"),
    })
}
