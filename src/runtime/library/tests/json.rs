//! json.

use std::rc::Rc;

use crate::library::testing::{call, ints, text};
use crate::value::{FieldDef, Heap, IntKind, OrderedMap, StructDef, Type, Value, display};

fn structure(name: &str, fields: &[(&str, Type, Option<&str>)]) -> Rc<StructDef> {
    let def = StructDef::new(name, None);
    let fields = fields.iter().map(|(name, ty, tag)| FieldDef {
        name: (*name).into(),
        ty: ty.clone(),
        tag: tag.map(Into::into),
    });
    let _ = def.fields.set(fields.collect());
    def
}

fn decode(text: &str, def: &Rc<StructDef>) -> String {
    let ty = Value::from(Heap::Type(Type::Struct(def.clone())));
    display(&call("json.decode", &[Value::str(text), ty]).expect("no fatal error"))
}

fn encode(value: Value) -> String {
    let result = call("json.encode", &[value]).expect("no fatal error");
    let Value::Ref(r) = result else { panic!("no pair") };
    let Heap::Tuple(parts) = &*r else { panic!("no pair") };
    match parts.first() {
        Some(Value::Nil) => display(&Value::Ref(r.clone())),
        Some(text) => display(text),
        None => String::new(),
    }
}

#[test]
fn mistakes_are_named() {
    let def = structure("D", &[("x", Type::INT, None)]);
    for (text, wanted) in [
        ("", "unexpected end of JSON input"),
        ("{", "unexpected end of JSON input"),
        ("{\"x\":}", "invalid character '}' looking for beginning of value"),
        ("{\"x\":1} t", "invalid character 't' after top-level value"),
        ("{'x':1}", "invalid character '\\\\'' looking for beginning of object key string"),
        ("{\"x\":01}", "invalid character '1' after object key:value pair"),
        ("{\"x\" 1}", "invalid character '1' after object key"),
        ("{\"x\":[1 2]}", "invalid character '2' after array element"),
        ("{\"x\":truf}", "invalid character 'f' in literal true (expecting 'e')"),
        ("{\"x\":1.}", "invalid character '}' in numeric literal"),
        ("{\"x\":\"\\q\"}", "invalid escape sequence `\\\\q` in string"),
        ("{\"x\":\"\\u12G4\"}", "invalid escape sequence `\\\\u12G4` in string"),
        ("{\"x\":\"a\tb\"}", "invalid character '\\\\t' in string"),
        ("[1]", "expected an object, got array"),
    ] {
        let got = decode(text, &def);
        assert!(got.contains(&format!("invalid JSON syntax: {wanted}\"")), "{text}: {got}");
    }
    assert_eq!(text("json.is_valid", &[Value::str(" {\"a\": 1e400, \"a\": \"\\ud800\"} ")]), "true");
}

#[test]
fn nesting_has_a_limit() {
    // Programs have a stack that is large enough for it.
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(|| {
        let nested = |depth: usize| Value::str("[".repeat(depth) + &"]".repeat(depth));
        assert_eq!(text("json.is_valid", &[nested(10_000)]), "true");
        assert_eq!(text("json.is_valid", &[nested(10_001)]), "false");
    });
    thread.expect("a thread").join().expect("no panic");
}

#[test]
fn fields_take_what_fits() {
    let inner = structure("I", &[("x", Type::INT, None), ("y", Type::FLOAT, None)]);
    let def = structure(
        "D",
        &[
            ("a", Type::Int(IntKind::U8), None),
            ("s", Type::Str, Some("json:\"text,omitempty\"")),
            ("list", Type::array(Type::Struct(inner.clone())), None),
            ("by", Type::map(Type::Str, Type::Byte), None),
            ("any", Type::Any, None),
            ("hidden", Type::INT, Some("json:\"-\"")),
        ],
    );
    let got = decode(
        "{\"a\":256,\"text\":1e20,\"list\":[{\"x\":3.9},null],\"by\":{\"b\":1,\"a\":300},\"any\":[1,2.5,\"z\"],\"hidden\":4}",
        &def,
    );
    assert_eq!(
        got,
        "{a: 0, s: \"1e+20\", list: {{x: 3, y: 0.0}, nil}, by: {\"a\": 0, \"b\": 1}, any: {1, 2.5, \"z\"}, hidden: 0}, nil"
    );
    assert_eq!(decode("null", &inner), "{x: 0, y: 0.0}, nil");
    assert_eq!(decode("{\"x\":9007199254740993}", &inner), "{x: 9007199254740993, y: 0.0}, nil");
}

/// Deep values need a larger stack than tests have.
#[test]
fn values_become_json() {
    let thread = std::thread::Builder::new().stack_size(1 << 26).spawn(check_encoding);
    thread.expect("a thread").join().expect("no failure");
}

fn check_encoding() {
    let deepest = Value::str("[".repeat(10_000) + &"]".repeat(10_000));
    assert_eq!(text("json.is_valid", &[deepest]), "true");
    assert_eq!(encode(ints(&[3, 1])), "[3,1]");
    assert_eq!(encode(Value::str("<é\u{2028}\u{1}\"\n>")), "\"\\u003cé\\u2028\\u0001\\\"\\n\\u003e\"");
    for (x, wanted) in
        [(1.0, "1"), (1.5e21, "1.5e+21"), (1e-7, "1e-7"), (1e20, "100000000000000000000"), (-0.0, "-0")]
    {
        assert_eq!(encode(Value::Float(x)), wanted);
    }
    let key = |v: Value| {
        let entries: OrderedMap = [(v, Value::Int(1))].into_iter().collect();
        encode(Value::map(&Type::Any, &Type::INT, entries))
    };
    assert_eq!(key(Value::str("k")), "{\"k\":1}");
    assert!(key(Value::Int(1)).contains("JSON object keys must be strings, got int"));
    assert!(encode(Value::Float(f64::INFINITY)).contains("failed to encode: json: unsupported value: +Inf"));
    let def = structure(
        "T",
        &[
            ("b", Type::INT, Some("json:\"n\"")),
            ("a", Type::INT, Some("json:\"n\"")),
            ("o", Type::Any, Some("json:\"o,omitempty\"")),
        ],
    );
    assert_eq!(encode(Value::structure(&def, [Value::Int(1), Value::Int(2), Value::Nil])), "{\"n\":2}");
    let own = Value::array(&Type::Any, []);
    call("arrays.append", &[own.clone(), own.clone()]).expect("appends");
    assert_eq!(call("json.encode", &[own]).map(|_| ()), Err("E5018 value contains itself".into()));
    let deep = |levels| (0..levels).fold(ints(&[]), |inner, _| Value::array(&Type::Any, [inner]));
    assert_eq!(encode(deep(9_999)).len(), 20_000);
    assert!(encode(deep(10_000)).contains("E13002"), "too deep");
    assert!(encode(deep(10_000)).contains("failed to encode: json: value is nested too deeply"));
    let pretty = call("json.pretty", &[ints(&[1]), Value::str("  ")]).expect("encodes");
    assert_eq!(display(&pretty), "\"[\\n  1\\n]\", nil");
}
