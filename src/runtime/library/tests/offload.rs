//! Long computations can be paused.

use crate::library::testing::{Bench, call, call_with, ints, strings};
use crate::library::{Fail, Runtime};
use crate::value::Stream;
use crate::value::{
    Elems, FieldDef, Heap, Host, InterruptFlag, Mutator, OrderedMap, Part, Refused, StructDef, Type, Value,
    display,
};

/// A runtime whose interrupt flag is raised from the start.
struct Paused<'a> {
    bench: Bench,
    /// The arguments, which must not be borrowed during a pause.
    args: &'a [Value],
    pauses: u32,
    ends: bool,
}

impl Runtime for Paused<'_> {
    fn host(&mut self) -> &mut dyn Host {
        &mut self.bench
    }

    fn write(&mut self, stream: Stream, text: &str) -> std::io::Result<()> {
        self.host().write(stream, text)
    }

    fn mutator(&mut self) -> &mut Mutator {
        self.bench.mutator()
    }

    fn on_interrupt(&mut self) -> Result<(), Fail> {
        self.pauses += 1;
        self.bench.interrupt.as_ref().expect("is watched").clear();
        for arg in self.args {
            let mutator = self.bench.mutator();
            let is_free = |changed: Option<Refused>| changed != Some(Refused::InUse);
            let array = arg.as_array().and_then(|cell| cell.change(mutator, Part::All).err());
            assert!(is_free(array), "an array is in use");
            let map = arg.as_map().and_then(|cell| cell.change(mutator, Part::All).err());
            assert!(is_free(map), "a map is in use");
        }
        if self.ends { Err(Fail::Halt) } else { Ok(()) }
    }

    fn exit(&mut self, _: i32) -> Fail {
        Fail::Halt
    }
}

/// The result of a call in the midst of which the program is paused (or ended).
fn interrupted(name: &str, args: &[Value], ends: bool) -> Result<Value, String> {
    let interrupt = InterruptFlag::new();
    interrupt.raise();
    let mut paused = Paused { bench: Bench::watched(interrupt), args, pauses: 0, ends };
    let result = call_with(&mut paused, name, args);
    assert_eq!(paused.pauses, 1, "{name}");
    result
}

/// Fresh arguments for each call: some functions change them.
fn check(name: &str, args: impl Fn() -> Vec<Value>) {
    let (plain, paused) = (args(), args());
    let wanted = call(name, &plain).expect(name);
    let got = interrupted(name, &paused, false).expect(name);
    // Not `assert_eq`, which would print all of it.
    assert!(display(&wanted) == display(&got), "{name}");
    for (plain, paused) in plain.iter().zip(&paused) {
        assert!(display(plain) == display(paused), "{name}");
    }
    let ended = args();
    assert_eq!(interrupted(name, &ended, true).map(|_| ()), Err("halt".to_string()), "{name}");
}

fn many(count: i64) -> Vec<i64> {
    (0..count).map(|i| i * 7919 % 10_007).collect()
}

#[test]
fn arrays() {
    let numbers = || ints(&many(400_000));
    let texts = || {
        let all: Vec<String> = many(10_000).iter().map(i64::to_string).collect();
        strings(&all.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let pairs = || Value::array(&Type::Any, many(10_000).iter().map(|i| ints(&[*i, 1])));
    for name in ["arrays.sort", "arrays.sort_desc", "arrays.unique", "arrays.duplicates"] {
        check(name, || vec![numbers()]);
        check(name, || vec![texts()]);
        check(name, || vec![pairs()]);
    }
    check("arrays.sort", || {
        vec![Value::array(&Type::FLOAT, many(400_000).iter().map(|i| Value::Float(*i as f64)))]
    });
    check("arrays.join", || vec![numbers(), Value::str(", ")]);
    check("arrays.join", || vec![Value::array(&Type::Any, [numbers(), pairs()]), Value::str(", ")]);
    for name in ["std.println", "std.eprint"] {
        check(name, || vec![pairs()]);
        check(name, || vec![Value::Int(1), numbers()]);
    }
    check("strings.join", || vec![texts(), Value::str(", ")]);
    check("arrays.chunk", || vec![texts(), Value::Int(2)]);
    check("bytes.split", || {
        let bytes = |bytes| Value::array_of(&Type::Byte, Elems::Bytes(bytes));
        vec![bytes(vec![1; 10_000]), bytes(vec![1])]
    });
    check("arrays.zip", || vec![texts(), texts()]);
    check("arrays.flatten", || vec![pairs()]);
    check("arrays.flatten", || vec![Value::array(&Type::Any, [ints(&many(10_000)), ints(&[1])])]);
    for name in ["arrays.shuffle", "random.shuffle"] {
        check(name, || vec![numbers()]);
    }
    check("random.sample", || vec![numbers(), Value::Int(10)]);
    for name in ["json.encode", "csv.stringify"] {
        check(name, || vec![Value::array(&Type::Any, many(10_000).iter().map(|_| strings(&["a", "b"])))]);
    }
    check("json.encode", || vec![Value::array(&Type::Any, [numbers(), pairs()])]);
    check("maps.from_array", || vec![pairs()]);
    check("arrays.product", || vec![ints(&vec![i64::MAX; 100_000])]);
}

#[test]
fn maps() {
    let many = || {
        let pairs = many(10_000).into_iter().map(|i| (Value::Int(i), Value::Int(i)));
        Value::map(&Type::INT, &Type::INT, pairs.collect())
    };
    check("json.encode", || {
        let pairs = (0..10_000).map(|i: i64| (Value::str(i.to_string()), Value::Int(i)));
        vec![Value::map(&Type::Str, &Type::INT, pairs.collect())]
    });
    for name in ["maps.to_array", "maps.invert"] {
        check(name, || vec![many()]);
    }
    for name in ["maps.merge", "maps.update", "maps.equals"] {
        check(name, || vec![many(), many()]);
    }
}

#[test]
fn numbers() {
    let digits = Value::str("7".repeat(200_000));
    check("strings.to_int", || vec![digits.clone()]);
    check("math.pow", || vec![Value::Int(3), Value::Int(4_000_000)]);
    check("math.factorial", || vec![Value::Int(70_000)]);
    let big = |bits: u32| call("math.pow", &[Value::Int(2), Value::Int(i64::from(bits))]).expect("a power");
    check("math.gcd", || vec![big(140_000), big(140_000)]);
    let mersenne = call("math.sub", &[big(4_423), Value::Int(1)]).expect("a prime");
    check("math.is_prime", || vec![mersenne.clone()]);
}

#[test]
fn texts() {
    let long = Value::str("a,\u{e9}b ".repeat(300_000));
    let [a, b] = ["a", "bcd"].map(Value::str);
    let one = || vec![long.clone()];
    for name in ["upper", "lower", "reverse", "title", "words"] {
        check(&format!("strings.{name}"), one);
    }
    check("strings.insert", || vec![long.clone(), Value::Int(7), Value::str("b".repeat(4_000_000))]);
    for name in ["pad_left", "center"] {
        check(&format!("strings.{name}"), || vec![a.clone(), Value::Int(5_000_000), b.clone()]);
    }
    check("strings.is_alpha", || vec![Value::str("é".repeat(1_000_000))]);
    check("strings.chars", || vec![Value::str("é".repeat(2_200_000))]);
    check("strings.lines", || vec![Value::str("a\n".repeat(10_000))]);
    check("strings.replace", || vec![long.clone(), a.clone(), b.clone()]);
    check("strings.remove_all", || vec![long.clone(), a.clone()]);
    check("strings.count", || vec![long.clone(), a.clone()]);
    for separator in ["", ",", ", "] {
        check("strings.split", || vec![Value::str("a, b".repeat(10_000)), Value::str(separator)]);
    }
    for name in ["sha256", "sha512", "md5"] {
        check(&format!("crypto.{name}"), one);
    }
    for name in ["base64_encode", "hex_encode", "url_encode"] {
        check(&format!("encoding.{name}"), one);
    }
    check("encoding.url_decode", one);
    check("regex.find_all", || vec![a.clone(), long.clone()]);
    check("regex.groups_all", || vec![a.clone(), long.clone()]);
    check("regex.split", || vec![a.clone(), long.clone()]);
    check("regex.replace_all", || vec![a.clone(), long.clone(), b.clone()]);
    check("regex.match", || vec![Value::str("z"), long.clone()]);
    check("csv.parse", || vec![Value::str("a,b\n".repeat(200_000))]);
}

/// Arguments are not borrowed while a function waits for the host either.
#[test]
fn the_outside() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", silent.local_addr().expect("an address"));
    let headers = Value::map(&Type::Str, &Type::Str, OrderedMap::new());
    let request = [Value::str("GET"), Value::str(url), Value::str(""), headers, Value::Int(1000)];
    for (name, args) in [("http.request", request.as_slice()), ("os.exec", &[Value::str("sleep 1000")])] {
        assert_eq!(interrupted(name, args, true).map(|_| ()), Err("halt".to_string()), "{name}");
    }
}

#[test]
fn json() {
    let numbers = display(&ints(&many(100_000))).replace('{', "[").replace('}', "]");
    let def = StructDef::new("S", None);
    let field = FieldDef { name: "x".into(), ty: Type::array(Type::INT), tag: None };
    let _ = def.fields.set([field].into_iter().collect());
    let ty = Value::from(Heap::Type(Type::Struct(def)));
    check("json.decode", || vec![Value::str(format!("{{\"x\": {numbers}}}")), ty.clone()]);
    check("json.is_valid", || vec![Value::str(format!("[{numbers},{numbers},{numbers},{numbers}]"))]);
}
